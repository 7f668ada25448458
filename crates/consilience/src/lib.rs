//! Multi-view clustering: several feature matrices ("views") of the same samples in, one clustering out.
//!
//! Every method finds what the views agree on; embedding, k-means, scores and the account of the run are shared, so a
//! difference in score is a difference of method. The same seed gives the same labels for any number of threads.
//!
//! ```
//! use consilience::datasets::Blobs;
//! use consilience::metrics::{Metric, score};
//! use consilience::{Settings, cluster};
//!
//! // three groups of samples, described by two views of 4 and 6 features
//! let blobs = Blobs { samples: 90, clusters: 3, features: vec![4, 6], separation: 12.0, seed: 7 };
//! let (views, truth) = blobs.generate()?;
//!
//! let result = cluster(&views, &Settings::new(3))?;
//! assert_eq!(result.record.labels.len(), 90);
//! assert_eq!(score(&result.record.labels, &truth)?[Metric::Acc], 1.0);
//! # Ok::<(), consilience::Error>(())
//! ```
//!
//! # Where to look
//!
//! - **Running**: [`cluster`] takes [`Views`] and [`Settings`] and returns a [`Clustering`]; [`cluster_observed`] also
//!   reports progress and can be cancelled. What was asked and what came out is kept in a [`RunRecord`] ([`run`]).
//! - **Views**: a [`View`] is a named matrix, dense or sparse, in single or double precision ([`matrix`]); [`Views`] are
//!   checked to describe the same samples. Scaling, corruption and its detection are in [`views`].
//! - **Files**: none here; the crate `consilience-io` reads views from files and keeps runs and models in folders.
//! - **Methods**: [`method::REGISTRY`] lists them; each is a struct with documented [`mod@parameters`] that implements
//!   [`method::Method`].
//! - **Metrics**: accuracy, NMI, ARI, purity and F-score in [`metrics`].
//! - **Neighbours and graphs**: the search for nearest neighbours is a trait in [`neighbours`], with an exact
//!   implementation; affinities and Laplacians are in [`graph`].
//! - **Operators**: affinities are never formed as n x n matrices but applied; [`operator`] has sums, low-rank
//!   products and the eigen-solver, [`spectral`] what follows it.
//! - **Models**: [`model::Model`] keeps a fit in one file and places new samples.
//! - **Many samples**: above 50,000, or when asked, some are clustered in full and all find their places ([`landmarks`]).
//! - **Choosing k**: [`Settings::choosing`] lets the data choose the number of clusters, with evidence ([`choose`]).
//! - **Examining**: how sure a finished clustering is and which view to trust, in [`examine`].
//!
//! # Features
//!
//! `ndarray`: arrays of the crate of that name are matrices, so that `View::new("a", array)` makes a view.

pub mod choose;
mod cluster;
mod copies;
pub mod datasets;
mod denoise;
mod error;
pub mod examine;
pub mod graph;
mod hint;
mod labels;
pub mod landmarks;
pub mod markers;
pub mod matrix;
pub mod memberships;
mod memory;
pub mod method;
pub mod metrics;
pub mod model;
pub mod neighbours;
mod null;
pub mod operator;
mod pairing;
pub mod parameters;
mod pipeline;
pub mod plan;
mod printable;
pub mod record;
pub mod run;
pub mod settings;
pub mod spectral;
pub mod split;
pub mod stability;
pub mod states;
pub mod tree;
pub mod views;

pub use cluster::{cluster, cluster_observed, cluster_planned};
#[doc(hidden)]
pub use error::in_words as size_in_words;
pub use error::{Error, Result};
pub use hint::Hint;
pub use memory::MemoryLimit;
pub use method::MethodInfo;
pub use model::{Clustering, Fitted};
#[doc(hidden)]
pub use printable::printable;
pub use record::RunRecord;
pub use run::{Cancel, Observer, Run, Seconds, Stage, Termination, Warning};
pub use settings::Settings;
pub use views::{Corruption, CorruptionMode, Scale, Scaler, View, ViewSummary, Views};

/// The crate's page; its example is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
