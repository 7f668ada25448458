//! Files in, files out: readers for every format users keep their views in, and the data the crate carries.

mod labels;
mod synthetic;

use std::path::Path;

pub use labels::Labels;
pub use synthetic::Blobs;

use crate::{Result, View};

/// What one file held.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The feature matrices, in the order of the file.
    pub views: Vec<View>,
    /// Ground truth found beside them, for scoring only.
    pub labels: Option<Labels>,
    /// Sample ids found beside them.
    pub ids: Option<Vec<String>>,
}
