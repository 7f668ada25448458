//! Plans: which methods meet which data under which noise, how often, within which limits.
//!
//! [`Plan::read`] checks the text against itself and the registry; [`crate::data::open`] checks it against the files.
//! After both nothing about a plan can be wrong that is not a run's own failure.

mod check;
mod methods;
mod text;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilience::method::Method;
use consilience::metrics::Metric;
use consilience::{Corruption, Result, Scale};
use consilience_io::Inputs;

pub(crate) use text::Source;

use crate::data::DataSetShape;

/// The scores that tables show when a plan does not choose.
pub const DEFAULT_METRICS: [Metric; 4] = [Metric::Acc, Metric::Nmi, Metric::Ari, Metric::Purity];

/// A plan whose every word has been understood.
pub struct Plan {
    pub(crate) source: Source,
    /// What the plan is for; heads its tables.
    pub title: String,
    /// The scores that tables show.
    pub metrics: Vec<Metric>,
    /// A table of published numbers to show beside ours.
    pub paper: Option<PathBuf>,
    /// The data sets.
    pub sets: Vec<DataSet>,
    /// The methods, each with its parameters; a grid is several of them.
    pub methods: Vec<MethodPlan>,
    /// The conditions under which each method meets each set.
    pub noise: Vec<NoisePlan>,
    /// What runs keep besides scores, for figures.
    pub keep: Keep,
}

/// What a run keeps besides its scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Keep {
    /// The convergence trace.
    pub trace: bool,
    /// The consensus affinity averaged over blocks of samples in the order of their classes.
    pub affinity: bool,
}

/// A data set of a plan.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Its name in tables.
    pub name: String,
    /// Its file and the views to use.
    pub inputs: Inputs,
    /// Number of clusters; the number of classes when none.
    pub clusters: Option<usize>,
    /// Scaling.
    pub scale: Scale,
    /// A file with the numbers of the samples to use, counted from 0.
    pub subset: Option<PathBuf>,
    /// Whether the set may be absent.
    pub optional: bool,
    /// Where the plan speaks of it.
    pub(crate) span: Range<usize>,
    /// Where the plan names its views.
    pub(crate) views_span: Range<usize>,
    /// Where the plan sets its number of clusters.
    pub(crate) clusters_span: Range<usize>,
}

impl DataSet {
    /// Clusters to find in it when it holds this.
    pub(crate) fn clusters_in(&self, shape: &DataSetShape) -> usize {
        self.clusters.unwrap_or(shape.classes)
    }
}

/// A method of a plan.
#[derive(Clone)]
pub struct MethodPlan {
    /// The method with its parameters.
    pub method: Arc<dyn Method>,
    /// Its name in tables.
    pub label: String,
    /// The parameters that the plan sets, by name.
    pub set: Vec<(String, String)>,
    /// Data sets that it runs on; all when none.
    pub data: Option<Vec<String>>,
    /// Draws that it is held to; the condition's own when none.
    pub draws: Option<Vec<u64>>,
    /// Seeds that it is held to; the condition's own when none.
    pub seeds: Option<Vec<u64>>,
    /// It is not run on sets with more samples than this.
    pub max_samples: Option<usize>,
    /// Limits of each of its runs.
    pub limits: Limits,
}

/// What a single run may take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Wall-clock seconds.
    pub seconds: Option<f64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// A condition: how much noise, of which kind, how often drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisePlan {
    /// The noise, at any draw; none on clean data.
    pub corruption: Option<Corruption>,
    /// Data sets that meet it; all when none.
    pub data: Option<Vec<String>>,
    /// Draws of the noise; clean data have one.
    pub draws: Vec<u64>,
    /// Seeds of the method within each draw.
    pub seeds: Vec<u64>,
}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// Says the file, the line, what is wrong there and what would be right.
    pub fn read(path: &Path) -> Result<Self> {
        let source = Source::read(path)?;
        let text = source.parse()?;
        check::plan(source, text)
    }
}
