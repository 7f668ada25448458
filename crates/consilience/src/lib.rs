//! Multi-view clustering.

pub mod data;
mod error;
pub mod graph;
pub mod matrix;
pub mod method;
pub mod operator;
pub mod parameters;
mod run;
pub mod views;

pub use error::{Error, Result};
pub use method::{MethodInfo, Stop};
pub use run::{Cancel, Observer, Run, Seconds, Stage};
pub use views::{Corruption, CorruptionMode, Scale, View, ViewSummary, Views};
