//! From an embedding to labels.

mod canonical;
mod kmeans;

pub use canonical::canonical;
pub use kmeans::{KMeans, KMeansFit};
