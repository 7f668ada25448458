//! The methods: one struct, one trait, one line in the registry.
//!
//! A method turns views into a [`Consensus`]. Everything before (checks, scaling) and after (embedding, k-means) is
//! shared, so a difference in score is a difference of method.

mod average;
mod ccamsc;
mod comvsc;
mod cotraining;
mod dense;
mod findings;
mod joint;
mod kmeans;
mod lrrgl;
mod maasc;
mod mfmsc;
mod rlrr;
mod single;
mod slrmf;
mod snf;

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

pub use average::Average;
pub use ccamsc::Ccamsc;
pub use comvsc::{Comvsc, Scheme};
pub use cotraining::Cotraining;
pub use dense::Precision;
pub use findings::{Agreement, CorruptionFound, Findings, GraphFound, TraceRow};
pub use kmeans::Kmeans;
pub use lrrgl::{Lrrgl, Solver};
pub use maasc::{Maasc, Traces};
pub use mfmsc::Mfmsc;
pub use rlrr::Rlrr;
pub use single::Single;
pub use slrmf::{GraphChoice, Robust, Slrmf, Start, Variant, ViewWeights};
pub use snf::Snf;

use crate::matrix::Dense;
use crate::operator::{EigenPairs, LinOp};
use crate::parameters::{ParameterInfo, Parameters};
use crate::{Error, MemoryLimit, Result, Run, Views};

/// Every method, in the order in which tables show them. The first line a new method needs is its own file; the second is here.
pub static REGISTRY: &[MethodInfo] = &[
    slrmf::INFO,
    mfmsc::INFO,
    maasc::INFO,
    ccamsc::INFO,
    comvsc::INFO,
    cotraining::INFO,
    rlrr::INFO,
    lrrgl::INFO,
    snf::INFO,
    average::INFO,
    kmeans::INFO,
    single::INFO,
];

/// The method used when none is named.
pub const DEFAULT_METHOD: &str = slrmf::INFO.id;

/// What a method is asked.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Checked and scaled views.
    pub views: &'a Views,
    /// Number of clusters.
    pub clusters: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// The most memory that may be taken; methods that are n x n by definition ask it first.
    pub memory: MemoryLimit,
    /// Progress, cancelling, warnings.
    pub run: &'a Run,
}

/// What a method answers.
pub struct Consensus {
    /// The normalised affinity that the views agree on: its top eigenvectors are the embedding.
    pub affinity: Arc<dyn LinOp>,
    /// Those eigenvectors, when the method has them already.
    pub eigen: Option<EigenPairs>,
    /// The points that k-means is to cluster (n x any), when the method's own are not the affinity's eigenvectors with
    /// rows of unit length.
    pub embedding: Option<Dense<f64>>,
    /// Weight of each view in the affinity, in the order of the views; they sum to 1.
    pub view_weights: Vec<f64>,
    /// How the method ended.
    pub stop: Stop,
    /// What else it found.
    pub findings: Findings,
}

impl Consensus {
    /// What a method without iterations answers.
    fn direct(affinity: Arc<dyn LinOp>, view_weights: Vec<f64>) -> Self {
        Self { affinity, eigen: None, embedding: None, view_weights, stop: Stop::DIRECT, findings: Findings::default() }
    }
}

/// How an iteration ended. Not converging is a result, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// `direct` (nothing to iterate), `converged` or `iteration limit`.
    pub reason: &'static str,
    /// Iterations made.
    pub iterations: usize,
}

impl Stop {
    /// There was nothing to iterate.
    pub const DIRECT: Self = Self { reason: "direct", iterations: 0 };
}

/// A multi-view clustering method with its parameters set.
pub trait Method: Send + Sync {
    /// Its entry in the registry.
    fn info(&self) -> &'static MethodInfo;

    /// Its parameters as they are set.
    fn parameters(&self) -> Vec<(&'static str, Value)>;

    /// Finds what the views agree on.
    ///
    /// # Errors
    /// When the views do not suit the method or the run is cancelled.
    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus>;
}

/// Makes a method from `name, value` pairs.
pub type BuildMethod = fn(&[(String, String)]) -> Result<Box<dyn Method>>;

/// What the registry knows of a method.
#[derive(Debug)]
pub struct MethodInfo {
    /// Its name on the command line and in Python.
    pub id: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// How its time grows.
    pub time: &'static str,
    /// How its memory grows.
    pub memory: &'static str,
    /// Whether it is n x n by definition: too slow for a quick look and for many samples.
    pub quadratic: bool,
    /// Its parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterInfo>,
    /// Makes it from `name, value` pairs.
    pub build: BuildMethod,
}

impl MethodInfo {
    /// Everything known of it, as `consilience methods --json` prints it and the Python classes are made from.
    pub fn describe(&self) -> Value {
        json!({
            "id": self.id,
            "title": self.title,
            "summary": self.summary,
            "citation": self.citation,
            "time": self.time,
            "memory": self.memory,
            "quadratic": self.quadratic,
            "default": self.id == DEFAULT_METHOD,
            "parameters": (self.parameters)(),
        })
    }

    /// The method called `id`.
    ///
    /// # Errors
    /// When there is none, with those there are.
    pub fn named(id: &str) -> Result<&'static Self> {
        REGISTRY.iter().find(|info| info.id == id).ok_or_else(|| Error::Unknown {
            kind: "method",
            name: id.to_owned(),
            known: REGISTRY.iter().map(|info| info.id.to_owned()).collect(),
        })
    }
}

/// Makes a method from `name, value` pairs; the `build` of every entry in the registry.
fn configure<M: Method + Parameters + 'static>(settings: &[(String, String)]) -> Result<Box<dyn Method>> {
    let mut method = M::default();
    for (name, value) in settings {
        if !method.set(name, value)? {
            let known = M::table().iter().map(|info| info.name.to_owned()).collect();
            return Err(Error::Unknown { kind: "parameter", name: name.clone(), known });
        }
    }
    Ok(Box::new(method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_every_entry_is_complete() {
        for (place, info) in REGISTRY.iter().enumerate() {
            assert!(REGISTRY[..place].iter().all(|other| other.id != info.id));
            assert!(!info.summary.is_empty() && !info.citation.is_empty() && !info.time.is_empty());
            let method = (info.build)(&[]).unwrap();
            assert_eq!(method.info().id, info.id);
            let table = (info.parameters)();
            assert!(
                table
                    .iter()
                    .zip(method.parameters())
                    .all(|(row, (name, value))| row.name == name && row.default == value)
            );
            assert!(table.iter().all(|row| !row.doc.is_empty()));
        }
    }

    #[test]
    fn unknown_methods_and_parameters_are_named() {
        assert_eq!(
            MethodInfo::named("avrage").unwrap_err().hint().unwrap().split('?').next(),
            Some("did you mean `average`")
        );
        let error = (MethodInfo::named("average").unwrap().build)(&[("neighbors".into(), "3".into())]).err().unwrap();
        assert_eq!(error.to_string(), "unknown parameter `neighbors`");
        assert!(error.hint().unwrap().starts_with("did you mean `neighbours`?"));
    }
}
