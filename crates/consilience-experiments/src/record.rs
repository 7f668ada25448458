//! What is kept of a run: one line of JSON.

use consilience::{MethodInfo, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Scores;
use crate::job::{Job, NoiseJob, SetJob};

/// A run that was made, whether it came to an end or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which run of the plan this is.
    pub key: String,
    /// Version of consilience that made it.
    pub version: String,
    /// The data.
    pub data: SetJob,
    /// The method's id.
    pub method: String,
    /// The method's name in tables.
    pub label: String,
    /// The parameters that the plan set.
    pub set: Vec<(String, String)>,
    /// All parameters.
    pub parameters: Map<String, Value>,
    /// The noise; none on clean data.
    pub noise: Option<NoiseJob>,
    /// Draw of the noise.
    pub draw: u64,
    /// Seed of the method.
    pub seed: u64,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Outcome {
    /// It came to an end.
    Done(Done),
    /// It did not.
    Failed(Failed),
}

/// A run that came to an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Its scores.
    pub scores: Scores,
    /// Where its time went.
    pub seconds: Seconds,
    /// Most memory that its process held.
    pub peak_mb: Option<f64>,
    /// How its iteration ended.
    pub stop: Stop,
    /// What it warned of.
    pub warnings: Vec<String>,
    /// Its convergence, when the plan keeps it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TracePoint>,
    /// Its consensus affinity, when the plan keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<BlockAffinity>,
}

/// A run that did not come to an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// Why.
    pub failure: String,
    /// Wall-clock seconds until then.
    pub elapsed: f64,
    /// Most memory that its process held.
    pub peak_mb: Option<f64>,
}

/// Seconds by stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Reading, scaling, corrupting.
    pub load: f64,
    /// Neighbour graphs.
    pub graph: f64,
    /// The method.
    pub solve: f64,
    /// k-means.
    pub assign: f64,
    /// All of it.
    pub total: f64,
}

/// How an iteration ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// `converged`, `iteration limit` or `direct`.
    pub reason: String,
    /// Iterations made.
    pub iterations: usize,
}

/// One iteration, over all views.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Counted from 1.
    pub iteration: usize,
    /// The views' objectives, summed.
    pub objective: f64,
    /// The largest residual of a view.
    pub residual: f64,
    /// The largest change of a view.
    pub change: f64,
}

/// The consensus affinity as a picture: averages over blocks of samples, in the order of the true classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockAffinity {
    /// The averages, row by row.
    pub rows: Vec<Vec<f64>>,
    /// How many blocks each class has.
    pub blocks: Vec<usize>,
}

impl Record {
    /// The record of `job`.
    ///
    /// # Errors
    /// When the job's method does not build, which a read plan excludes.
    pub fn new(job: &Job, outcome: Outcome) -> Result<Self> {
        let parameters = (MethodInfo::named(&job.method)?.build)(&job.set)?.parameters();
        Ok(Self {
            key: job.key.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: job.data.clone(),
            method: job.method.clone(),
            label: job.label.clone(),
            set: job.set.clone(),
            parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            noise: job.noise.clone(),
            draw: job.draw,
            seed: job.seed,
            outcome,
        })
    }

    /// The wall-clock seconds it took.
    pub fn seconds(&self) -> f64 {
        match &self.outcome {
            Outcome::Done(done) => done.seconds.total,
            Outcome::Failed(failed) => failed.elapsed,
        }
    }
}
