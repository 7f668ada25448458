//! SLRMF, "Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization": what this project is for.
//!
//! The paper's four ideas (low-rank factor, sparse corruption, manifold term per view, iterated agreement) in a scale-free
//! form that has no parameter to tune per data set. `docs/methods/slrmf.md` teaches it; the paper's own iteration is the
//! method `slrmf_admm`.

mod diagnostics;
mod graphs;
mod labels;
mod prepare;
mod rare;
mod readings;
mod searches;
mod solver;
mod split;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use prepare::Robust;
use rayon::prelude::*;
pub use readings::Reading;

use self::graphs::ViewGraphs;
use self::readings::{Reader, Sources};
use super::common::equal_weights;
use super::{Consensus, Method, MethodInfo, Problem, Property, Solved};
use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::operator::TopEigen;
use crate::parameters::{Bounds, ParameterValues, choice, parameters};
use crate::{Result, Run, Stage};

pub(super) const INFO: MethodInfo =
    MethodInfo::of::<Slrmf>("slrmf", "structured low-rank matrix factorisation (the paper's method)")
    .summary("Splits off sparse corruption where it finds some, builds graphs per view and over all views, weights views \
              by how far they support the joint graph, and factorises: low-rank factors per view that are smooth on the \
              view's graph and agree with a consensus subspace. Labels are read from factors and graphs in several ways; the one \
              that comes back best when half of the samples are left out is kept.")
    .citation("Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017")
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(n (V s k + V k^2)) per iteration",
        "O(n (V s + V k + sum d)); no n x n matrix",
    )
    .revision(7)
    .properties(&[Property::Weighted, Property::Incomplete, Property::Affinities, Property::Budget]);

/// Residual of the joint graph's eigenvectors for the clusters, which weight the views. Those beyond them only start the factors and
/// need not be as exact.
const JOINT_TOLERANCE: f64 = 1e-4;
/// Residual of the eigenvectors from which the factors start; the power steps go on from there.
const START_TOLERANCE: f64 = 1e-4;

/// Products for eigenvectors of many samples that start from those of the joint graph.
const ROUGH_PRODUCTS: usize = 20;

/// What the joint graph's factor is called in the trace.
const JOINT_FACTOR: &str = "(joint graph)";

choice! {
    /// How views are weighted.
    pub enum ViewWeights {
        /// By how well a view's own graph supports the joint eigenvectors.
        Quality = "quality",
        /// All the same.
        Equal = "equal",
    }
}

parameters! {
    /// Structured low-rank matrix factorisation.
    pub struct Slrmf {
        /// Share of a view's own graph in its manifold term, the rest is the joint graph; 0 leaves the views' own manifolds out.
        own_share: f64 = 0.7, Bounds::between(0.0, 1.0), "lambda_2";
        /// Weight of the agreement of views; 0 leaves the idea out.
        beta: f64 = 4.0, Bounds::between(0.0, 1e6), "beta";
        /// Weight of the joint graph as a factor of its own beside those of the views; 0 leaves it out.
        joint_share: f64 = 0.3, Bounds::between(0.0, 1.0), "";
        /// Columns of the factors beyond the number of clusters.
        extra_rank: usize = 4, Bounds::between(0.0, 1_000.0), "";
        /// Columns of the consensus are multiplied by their eigenvalue to this power before k-means.
        exponent: f64 = 3.0, Bounds::between(0.0, 100.0), "";
        /// When a view's sparse corruption is split off; never leaves the idea out.
        robust: Robust = Robust::Auto, Bounds::ANY, "E";
        /// Most iterations of the factorisation.
        max_iterations: usize = 10, Bounds::between(1.0, 100_000.0), "";
        /// How labels are read from the graphs.
        reading: Reading = Reading::Auto, Bounds::ANY, "";
        /// Neighbours of each sample, of which at least 3 and at most 40 are used; 0 lets the contrast of the distances decide.
        neighbours: usize = 0, Bounds::between(0.0, 10_000.0), "s";
        /// How views are weighted.
        view_weights: ViewWeights = ViewWeights::Quality, Bounds::ANY, "";
        /// How far samples of dense views move towards their joint neighbours before the graphs are made; 0 is not at all.
        smoothing: f64 = 0.5, Bounds::between(0.0, 1.0), "";
        /// Compare sparse non-negative views by Hellinger's distance.
        hellinger: bool = true, Bounds::ANY, "";
        /// The neighbour whose distance is a sample's own scale.
        local_neighbour: usize = 20, Bounds::between(1.0, 40.0), "";
    }
}

impl Method for Slrmf {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let run = problem.run;
        run.enter(Stage::Graph);
        let mut graphs = ViewGraphs::build(self, problem)?;
        let spreads = std::mem::take(&mut graphs.spreads);
        run.enter(Stage::Solve);
        let (n, k) = (problem.views.samples(), problem.clusters);
        if k == 1 || k == n {
            let record = graphs.record();
            let equal = equal_weights(problem.views.len());
            diagnostics::warn(&graphs, &equal, &[], run);
            let weights = problem.weights.map_or(equal, <[f64]>::to_vec);
            let findings = diagnostics::preparation(&graphs.views);
            let direct = Consensus::direct(graphs.joint, weights).with_graph(record);
            return Ok(Consensus { findings, spreads, ..direct });
        }
        let mut eigen = TopEigen::for_labels(self.rank(n, k), problem.seed);
        eigen.tolerance = JOINT_TOLERANCE;
        eigen.rough = eigen.count - k;
        let joint = eigen.solve_or_warn(graphs.joint.as_ref(), None, run)?;
        let qualities = graphs.qualities(&joint.vectors.first_columns(k));
        let found = graphs.view_weights(self.view_weights, &qualities);
        diagnostics::warn(&graphs, &found, &qualities, run);
        let weights = problem.weights.map_or(found, <[f64]>::to_vec);
        let own = diagnostics::own_accounts(problem, &graphs, &joint.vectors)?;
        let record = graphs.record();
        let (views, sources) = graphs.into_sources(self, &weights, problem.sample_weights())?;
        let reader = Reader::new(self, problem);
        let solution = reader.factorise(&sources, &joint.vectors)?;
        let termination = solution.termination;
        run.enter(Stage::Assign);
        let (of_factors, space) = reader.of_factors(&sources, &solution)?;
        let agreed = diagnostics::after(&views, &space, &solution, &of_factors)?;
        let kept = reader.choose(&sources, of_factors, &joint.vectors)?;
        run.enter(Stage::Solve);
        let findings = diagnostics::findings(&views, own, agreed, solution.trace, &kept)?;
        Ok(Consensus {
            solved: Solved::Labels(kept.labelling),
            termination,
            findings,
            spreads,
            memberships: kept.memberships,
            ..Consensus::direct(sources.affinity(kept.reading), weights).with_graph(record)
        })
    }
}

impl Slrmf {
    /// From more samples than this on, the eigenvectors from which the factors start are only so exact that the power steps find
    /// the rest. Exact ones would be most of the time of a run of many samples.
    pub(crate) const LARGE: usize = 10_000;

    /// r, the columns of the factors for n samples and k clusters.
    fn rank(&self, n: usize, k: usize) -> usize {
        (k + self.extra_rank).min(n.saturating_sub(2)).max(k)
    }
}

/// The top eigenvectors of every factor's graph, searched from those of the joint graph (n x r).
fn view_starts(
    sources: &Sources,
    joint: &Dense<f64>,
    (tolerance, seed): (f64, u64),
    run: &Run,
) -> Result<Vec<Dense<f64>>> {
    let tolerance = tolerance.max(START_TOLERANCE);
    let mut eigen = TopEigen { tolerance, ..TopEigen::for_labels(joint.cols(), seed) };
    if joint.rows() > Slrmf::LARGE {
        eigen.max_products = ROUGH_PRODUCTS;
    }
    over_views(joint.rows(), sources.factors.len(), |i| {
        let graph = &sources.factors[i].2;
        let own = || Ok(eigen.solve(graph.as_ref(), Some(joint), run)?.vectors);
        if Arc::ptr_eq(graph, &sources.joint) { Ok(joint.clone()) } else { own() }
    })
}

/// The joint graph and the views' own, as they are before smoothing plants the consensus in every view: what the number of
/// clusters is chosen by. Corruption is not split off.
pub(crate) fn plain_graphs(problem: &Problem<'_>) -> Result<PlainGraphs> {
    let method = Slrmf { smoothing: 0.0, robust: Robust::Never, reading: Reading::Joint, ..Slrmf::default() };
    let graphs = ViewGraphs::build(&method, problem)?;
    Ok(PlainGraphs { joint: graphs.joint, per_view: graphs.per_view, rare: graphs.rare })
}

/// What the default reads labels from, with views that count alike, and the joint graph in it. Corruption is not split off.
pub(crate) fn smoothed_graphs(problem: &Problem<'_>) -> Result<SmoothedGraphs> {
    let ViewGraphs { joint, per_view, .. } =
        ViewGraphs::build(&Slrmf { robust: Robust::Never, ..Slrmf::default() }, problem)?;
    let share = 1.0 / per_view.len() as f64;
    let own: Vec<Graph> = per_view.iter().map(|graph| Graph::new(graph.as_ref().clone())).collect();
    let own = Graph::weighted_sum(own.iter().map(|graph| (share, graph)))?;
    let mixed = own.weights().merged(&joint, f64::midpoint)?;
    Ok(SmoothedGraphs { mixed: Graph::new(mixed).normalised(), joint })
}

/// Normalised graphs, n x n, after samples moved towards their joint neighbours.
pub(crate) struct SmoothedGraphs {
    pub(crate) mixed: Arc<Csr<f64>>,
    pub(crate) joint: Arc<Csr<f64>>,
}

/// Normalised graphs, n x n.
pub(crate) struct PlainGraphs {
    pub(crate) joint: Arc<Csr<f64>>,
    pub(crate) per_view: Vec<Arc<Csr<f64>>>,
    /// Few samples that are near each other and far from all others: a kind of their own, which graphs hardly show.
    pub(crate) rare: Vec<Vec<usize>>,
}

/// From this many samples on, the views' eigenproblems are solved one after the other: large ones fill the cores alone, and
/// one search space at a time is enough memory.
const ONE_AT_A_TIME: usize = 10_000;

/// What `solve` finds for every view of n samples, in their order.
fn over_views<T: Send>(n: usize, views: usize, solve: impl Fn(usize) -> Result<T> + Send + Sync) -> Result<Vec<T>> {
    if n < ONE_AT_A_TIME { (0..views).into_par_iter().map(solve).collect() } else { (0..views).map(solve).collect() }
}
