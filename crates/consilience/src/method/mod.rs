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
mod kmeans;
mod lrrgl;
mod maasc;
mod mfmsc;
mod problem;
mod revision;
mod rlrr;
mod single;
mod slrmf;
mod slrmf_admm;
mod snf;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};

pub use average::Average;
pub use ccamsc::Ccamsc;
pub use common::Precision;
pub use comvsc::{Comvsc, ComvscScheme};
pub use cotraining::Cotraining;
pub use findings::{Agreement, ConsensusAgreement, CorruptionFound, Disagreement, Findings, TraceRow};
pub use kmeans::KmeansBaseline;
pub use lrrgl::{Lrrgl, LrrglSolver};
pub use maasc::{Maasc, MaascTraces};
pub use mfmsc::Mfmsc;
pub use problem::Problem;
pub use revision::{ENGINE_REVISION, Revision};
pub use rlrr::Rlrr;
pub use single::Single;
pub(crate) use slrmf::{PlainGraphs, plain_graphs};
pub use slrmf::{Robust, Slrmf, ViewWeights};
pub use slrmf_admm::{AdmmStart, AdmmUpdates, SlrmfAdmm};
pub use snf::Snf;

use crate::graph::GraphRecord;
use crate::matrix::Dense;
use crate::neighbours::Spread;
use crate::operator::{EigenPairs, LinOp};
use crate::parameters::{Given, ParameterInfo, ParameterValues, Parameters};
use crate::run::Termination;
use crate::{Error, Hint, Result, View, Views};

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
        }
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

/// Makes a method from names and values of its parameters.
pub type BuildMethod = fn(&[(&str, Given<'_>)]) -> Result<Arc<dyn Method>>;

/// What the registry knows of a method.
#[derive(Debug, Serialize)]
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
    /// Raised whenever the labels it gives may change, by its code or its defaults: results of other revisions are stale.
    pub revision: u32,
    /// Whether it is n x n by definition: too slow for a quick look and for many samples.
    pub quadratic: bool,
    /// Whether it is kept to study its paper, not for use: left out of the demo, and of all methods in a plan.
    pub study: bool,
    /// Whether it weighs the views, so that the weights can be given.
    pub weighted: bool,
    /// Whether it can use views that do not know every sample.
    pub incomplete: bool,
    /// Whether it can use views that are affinities ([`View::precomputed`]) instead of features.
    pub affinities: bool,
    /// Whether its default `max_iterations` is a budget and not a limit: labels hardly change after it, so nobody is warned that
    /// the objective still would.
    #[serde(skip)]
    pub budget: bool,
    /// Its parameters with their defaults.
    #[serde(serialize_with = "table")]
    pub parameters: fn() -> Vec<ParameterInfo>,
    /// Makes it from `name, value` pairs.
    #[serde(skip)]
    pub build: BuildMethod,
}

fn table<S: Serializer>(parameters: &fn() -> Vec<ParameterInfo>, serializer: S) -> Result<S::Ok, S::Error> {
    parameters().serialize(serializer)
}

impl MethodInfo {
    /// Everything known of it, as `consilience methods --json` prints it and the Python classes are made from.
    pub fn describe(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Described<'a> {
            #[serde(flatten)]
            info: &'a MethodInfo,
            default: bool,
        }
        Described { info: self, default: self.id == DEFAULT_METHOD }
    }

    /// Refuses views that lack samples, unless the method can use them, and views that lack all.
    ///
    /// # Errors
    /// When it cannot, with those that can.
    pub fn check_complete(&self, views: &Views) -> Result<()> {
        if let Some(view) = views.iter().find(|view| view.absences() == views.samples()) {
            return Err(Error::data_with_hint(
                format!("{} knows none of the {} samples", view.describe(), views.samples()),
                Hint::ChooseViews,
            ));
        }
        let Some(view) = views.iter().find(|view| view.absent().is_some()).filter(|_| !self.incomplete) else {
            return Ok(());
        };
        let able: Vec<&str> = REGISTRY.iter().filter(|info| info.incomplete).map(|info| info.id).collect();
        Err(Error::data_with_hint(
            format!(
                "`{}` needs every sample in every view, and {} lacks {} of {} (rows that are NaN or not there)",
                self.id,
                view.describe(),
                view.absences(),
                views.samples()
            ),
            Hint::CompleteSamples { able },
        ))
    }

    /// Refuses views that are affinities, unless the method can use them.
    ///
    /// # Errors
    /// When it cannot, with those that can.
    pub fn check_features(&self, views: &Views) -> Result<()> {
        let Some(view) = views.iter().find(|view| view.is_affinity()).filter(|_| !self.affinities) else {
            return Ok(());
        };
        let able: Vec<&str> = REGISTRY.iter().filter(|info| info.affinities).map(|info| info.id).collect();
        Err(Error::data_with_hint(
            format!(
                "`{}` works on features, and {} has none: it is an affinity of the samples",
                self.id,
                view.describe()
            ),
            format!("these can use affinities: {}", able.join(", ")),
        ))
    }

    /// The method called `id`.
    ///
    /// # Errors
    /// When there is none, with those there are.
    pub fn named(id: &str) -> Result<&'static Self> {
        let known = || REGISTRY.iter().map(|info| info.id);
        REGISTRY.iter().find(|info| info.id == id).ok_or_else(|| Error::unknown("method", id, known()))
    }

    /// The method with parameters set from `name, value` pairs as they are typed.
    ///
    /// # Errors
    /// When a parameter is unknown or a value not allowed.
    pub fn from_text(&self, settings: &[(String, String)]) -> Result<Arc<dyn Method>> {
        self.from_given(settings.iter().map(|(name, value)| (name.as_str(), Given::Text(value))))
    }

    /// The method with parameters set from names and values.
    ///
    /// # Errors
    /// When a parameter is unknown or a value not allowed.
    pub fn from_given<'a>(&self, given: impl IntoIterator<Item = (&'a str, Given<'a>)>) -> Result<Arc<dyn Method>> {
        (self.build)(&given.into_iter().collect::<Vec<_>>())
    }
}

/// Makes a method from names and values: the `build` of every [`MethodInfo`].
///
/// # Errors
/// When a parameter is unknown or a value not allowed.
pub fn configure<M: Method + Parameters + 'static>(given: &[(&str, Given<'_>)]) -> Result<Arc<dyn Method>> {
    let mut method = M::default();
    for &(name, value) in given {
        if !method.set(name, value)? {
            return Err(Error::unknown("parameter", name, M::table().iter().map(|info| info.name)));
        }
    }
    Ok(Arc::new(method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_every_entry_is_complete() {
        for (place, info) in REGISTRY.iter().enumerate() {
            assert!(REGISTRY[..place].iter().all(|other| other.id != info.id));
            assert!(!info.summary.is_empty() && !info.citation.is_empty() && !info.time.is_empty());
            assert!(info.revision > 0, "0 stands for a revision that nobody wrote down");
            let method = info.from_text(&[]).unwrap();
            assert_eq!(method.info().id, info.id);
            let table = (info.parameters)();
            assert!(
                table
                    .iter()
                    .zip(method.parameters().values())
                    .all(|(row, (name, value))| row.name == name && row.default == value)
            );
            assert!(table.iter().all(|row| !row.doc.is_empty()));
        }
    }

    #[test]
    fn a_view_that_knows_nobody_is_refused() {
        let nothing = View::new("n", Dense::from_fn(4, 1, |_, _| f64::NAN));
        let views = Views::new(vec![View::new("a", Dense::from_fn(4, 1, |i, _| i as f64)), nothing]).unwrap();
        let error = MethodInfo::named("slrmf").unwrap().check_complete(&views).unwrap_err();
        assert_eq!(error.to_string(), "view `n` knows none of the 4 samples");
    }

    #[test]
    fn unknown_methods_and_parameters_are_named() {
        assert_eq!(
            MethodInfo::named("avrage").unwrap_err().hint().unwrap().text().unwrap().split('?').next(),
            Some("did you mean `average`")
        );
        let average = MethodInfo::named("average").unwrap();
        let error = average.from_text(&[("neighbors".into(), "3".into())]).err().unwrap();
        assert_eq!(error.to_string(), "unknown parameter `neighbors`");
        assert!(error.hint().unwrap().text().unwrap().starts_with("did you mean `neighbours`?"));
    }
}
