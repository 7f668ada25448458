#![doc = include_str!("../../../README.md")]

mod clustering;
pub mod data;
mod error;
pub mod examine;
pub mod graph;
pub mod matrix;
mod memory;
pub mod method;
pub mod metrics;
pub mod operator;
pub mod parameters;
mod pipeline;
mod run;
pub mod spectral;
pub mod views;

pub use clustering::{Clustering, Record, ViewRecord, peak_memory_mb};
pub use error::{Error, Result};
pub use memory::{MemoryLimit, free_memory};
pub use method::{MethodInfo, Stop};
pub use pipeline::{Settings, cluster, cluster_observed};
pub use run::{Cancel, Observer, Run, Seconds, Stage};
pub use views::{Corruption, CorruptionMode, Scale, View, ViewSummary, Views};
