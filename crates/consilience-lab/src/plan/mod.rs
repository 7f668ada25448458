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
use consilience::{Corruption, Result, Scale};
use consilience_io::Inputs;

pub(crate) use text::Source;

/// A plan whose every word has been understood.
pub(crate) struct Plan {
    pub(crate) source: Source,
    /// What the plan is for.
    pub(crate) title: String,
    pub(crate) sets: Vec<DataSet>,
    /// The methods, each with its parameters; a grid is several of them.
    pub(crate) methods: Vec<MethodPlan>,
    /// The conditions under which each method meets each set.
    pub(crate) noise: Vec<NoisePlan>,
}

/// A data set of a plan.
pub(crate) struct DataSet {
    /// Its name in tables.
    pub(crate) name: String,
    /// Its file and the views to use.
    pub(crate) inputs: Inputs,
    pub(crate) scale: Scale,
    /// A file with the numbers of the samples to use, counted from 0.
    pub(crate) subset: Option<PathBuf>,
    /// Whether the set may be absent.
    pub(crate) optional: bool,
    /// Where the plan speaks of it, and where it names its views.
    pub(crate) span: Range<usize>,
    pub(crate) views_span: Range<usize>,
}

/// A method of a plan.
pub(crate) struct MethodPlan {
    /// The method with its parameters.
    pub(crate) method: Arc<dyn Method>,
    /// Its name in tables.
    pub(crate) label: String,
    /// The parameters that the plan sets, by name.
    pub(crate) set: Vec<(String, String)>,
    /// Data sets that it runs on; all when none.
    pub(crate) data: Option<Vec<String>>,
    /// Draws and seeds that it is held to; the condition's own when none.
    pub(crate) draws: Option<Vec<u64>>,
    pub(crate) seeds: Option<Vec<u64>>,
    /// It is not run on sets with more samples than this.
    pub(crate) max_samples: Option<usize>,
    /// Limits of each of its runs.
    pub(crate) limits: Limits,
}

/// What a single run may take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Wall-clock seconds.
    pub(crate) seconds: Option<f64>,
    /// Bytes of memory.
    pub(crate) memory: Option<u64>,
}

/// A condition: how much noise, of which kind, how often drawn.
pub(crate) struct NoisePlan {
    /// The noise, at any draw; none on clean data.
    pub(crate) corruption: Option<Corruption>,
    /// Data sets that meet it; all when none.
    pub(crate) data: Option<Vec<String>>,
    /// Draws of the noise; clean data have one.
    pub(crate) draws: Vec<u64>,
    /// Seeds of the method within each draw.
    pub(crate) seeds: Vec<u64>,
}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// Says the file, the line, what is wrong there and what would be right.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let source = Source::read(path)?;
        let text = source.parse()?;
        check::plan(source, text)
    }
}
