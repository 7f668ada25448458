//! Multi-view clustering.

mod clustering;
pub mod data;
mod error;
pub mod graph;
pub mod matrix;
pub mod method;
pub mod operator;
pub mod parameters;
mod pipeline;
mod run;
pub mod views;

pub use clustering::{peak_memory_mb, Clustering, Record, ViewRecord};
pub use error::{Error, Result};
pub use method::{MethodInfo, Stop};
pub use pipeline::{cluster, cluster_observed, Settings};
pub use run::{Cancel, Observer, Run, Seconds, Stage};
pub use views::{Corruption, CorruptionMode, Scale, View, ViewSummary, Views};
