//! The methods: one struct, one trait, one line in the registry.
//!
//! A method turns views into a [`Consensus`]. Everything before (checks, scaling) and after (embedding, k-means) is
//! shared, so a difference in score is a difference of method.

mod average;
mod ccamsc;
mod common;
mod comvsc;
mod cotraining;
mod findings;
mod info;
mod kmeans;
mod lrrgl;
mod maasc;
mod mfmsc;
mod problem;
mod rlrr;
mod single;
mod slrmf;
mod slrmf_admm;
mod snf;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use average::Average;
pub use ccamsc::Ccamsc;
pub use common::Precision;
pub use comvsc::{Comvsc, ComvscScheme};
pub use cotraining::Cotraining;
pub use findings::{
    Agreement, ConsensusAgreement, CorruptionFound, Disagreement, Findings, ReadingFound, Readings, TraceRow,
};
pub use info::{BuildMethod, ENGINE_REVISION, MethodInfo, Property, Revision, configure};
pub use kmeans::KmeansBaseline;
pub use lrrgl::Lrrgl;
pub use maasc::{Maasc, MaascTraces};
pub use mfmsc::Mfmsc;
pub use problem::Problem;
pub use rlrr::Rlrr;
pub use single::Single;
pub(crate) use slrmf::{PlainGraphs, plain_graphs, smoothed_graphs};
pub use slrmf::{Reading, Robust, Slrmf, ViewWeights};
pub use slrmf_admm::{AdmmStart, AdmmUpdates, SlrmfAdmm};
pub use snf::Snf;

use crate::graph::GraphRecord;
use crate::matrix::Dense;
use crate::neighbours::Spread;
use crate::operator::{EigenPairs, LinOp};
use crate::parameters::ParameterValues;
use crate::run::Termination;
use crate::{Result, View, Views};

/// Every method, in the order in which tables show them. A new method needs its own file and one line here.
pub static REGISTRY: &[MethodInfo] = &[
    slrmf::INFO,
    slrmf_admm::INFO,
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

/// What a method answers.
#[non_exhaustive]
pub struct Consensus {
    /// The normalised affinity that the views agree on.
    pub affinity: Arc<dyn LinOp>,
    /// How far the method came itself on the way from the affinity to labels.
    pub solved: Solved,
    /// Weight of each view in the affinity, in the order of the views; they sum to 1.
    pub view_weights: Vec<f64>,
    /// How the method's graphs were made, where it made some.
    pub graph: Option<GraphRecord>,
    /// How the method ended.
    pub termination: Termination,
    /// What else it found.
    pub findings: Findings,
    /// How far samples are from each other in the views, by name, that it compared as they came: not smoothed, nothing split off.
    pub spreads: BTreeMap<String, Spread>,
    /// How sure the cluster of every sample is, n x k, rows sum to 1; without them the affinity tells.
    pub memberships: Option<Dense<f64>>,
}

/// What a method already has of the way from affinity to labels; the pipeline does the rest, and nothing twice.
pub enum Solved {
    /// The affinity only: its top eigenvectors, rows scaled to unit length, are clustered by k-means.
    Affinity,
    /// Those eigenvectors.
    Eigenvectors(EigenPairs),
    /// Points for k-means that are not the affinity's eigenvectors with rows of unit length.
    Embedding {
        /// n x any.
        points: Dense<f64>,
        /// The affinity's largest eigenvalues, where they are known.
        eigenvalues: Vec<f64>,
    },
    /// Everything.
    Labels(Labelling),
}

/// A finished assignment.
pub struct Labelling {
    /// The cluster of every sample, numbered by first appearance.
    pub labels: Vec<usize>,
    /// The points that were clustered, n x any.
    pub embedding: Dense<f64>,
    /// The centre of every cluster, k x any.
    pub centres: Dense<f64>,
    /// The affinity's largest eigenvalues, where they are known.
    pub eigenvalues: Vec<f64>,
}

impl Consensus {
    /// What a method without iterations answers.
    pub fn direct(affinity: Arc<dyn LinOp>, view_weights: Vec<f64>) -> Self {
        Self {
            affinity,
            solved: Solved::Affinity,
            view_weights,
            graph: None,
            termination: Termination::Direct,
            findings: Findings::default(),
            spreads: BTreeMap::new(),
            memberships: None,
        }
    }

    /// With how far the method came itself on the way to labels.
    #[must_use]
    pub fn with_solved(self, solved: Solved) -> Self {
        Self { solved, ..self }
    }

    /// With how the method ended, and what else it found.
    #[must_use]
    pub fn with_findings(self, termination: Termination, findings: Findings) -> Self {
        Self { termination, findings, ..self }
    }

    /// With how its graphs were made.
    #[must_use]
    pub fn with_graph(self, graph: impl Into<GraphRecord>) -> Self {
        Self { graph: Some(graph.into()), ..self }
    }
}

/// A multi-view clustering method with its parameters set. `examples/` has one that lives outside this crate.
pub trait Method: Send + Sync {
    /// What is known of it: its entry in the registry, for the methods of this crate.
    fn info(&self) -> &'static MethodInfo;

    /// Its parameters as they are set: `self`, for a struct declared by [`crate::parameters!`].
    fn parameters(&self) -> &dyn ParameterValues;

    /// The views that it looks at: all of them, as a rule.
    ///
    /// # Errors
    /// When a view that it is told to look at is not there.
    fn views_used<'v>(&self, views: &'v Views) -> Result<Vec<&'v View>> {
        Ok(views.iter().collect())
    }

    /// Finds what the views agree on. Parameters and number of clusters have been checked.
    ///
    /// # Errors
    /// When the views do not suit the method or the run is cancelled.
    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus>;
}
