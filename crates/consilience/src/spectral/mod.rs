//! From an embedding to labels.

mod canonical;
mod embedding;
mod kmeans;

pub use canonical::canonical;
pub use embedding::embed;
pub use kmeans::{KMeans, KMeansFit};
