//! Multi-view clustering.

pub mod data;
mod error;
pub mod matrix;
pub mod metrics;
pub mod spectral;
pub mod views;

pub use error::{Error, Result};
pub use views::{Corruption, CorruptionMode, Scale, View, ViewSummary, Views};
