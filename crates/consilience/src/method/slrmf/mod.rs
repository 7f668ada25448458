//! SLRMF, "Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization": what this project is for.
//!
//! The paper's four ideas (low-rank factor, sparse corruption, manifold term per view, iterated agreement) in a scale-free
//! form that has no parameter to tune per data set. `docs/methods/slrmf.md` teaches it; the paper's own iteration is the
//! method `slrmf_admm`.

mod candidates;
mod diagnostics;
mod graphs;
mod prepare;
mod solver;
#[cfg(test)]
mod tests;

pub use prepare::Robust;

use self::candidates::{Mixture, SpectralSolver};
use self::graphs::ViewGraphs;
use super::common::equal_weights;
use super::{Consensus, Labelling, Method, MethodInfo, Problem, Solved, configure};
use crate::parameters::{Bounds, ParameterValues, Parameters, choice, parameters};
use crate::run::Termination;
use crate::{Result, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "slrmf",
    title: "structured low-rank matrix factorisation (the paper's method)",
    summary: "Splits off sparse corruption where it finds some, builds graphs per view and over all views, weights views \
              by how far they support the joint graph, and factorises: orthonormal and nonnegative factors per view that \
              are drawn towards agreement.",
    citation: "Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017",
    time: "O(n^2 sum d) for exact neighbours, then O(n (V s k + k^2)) per iteration",
    memory: "O(n (V s + V k + sum d)); no n x n matrix",
    revision: 1,
    quadratic: false,
    study: false,
    parameters: Slrmf::table,
    build: configure::<Slrmf>,
};

choice! {
    /// Which graph is clustered.
    pub enum GraphChoice {
        /// The mixture of joint and view graphs with the smallest relaxation gap.
        Gap = "gap",
        /// The joint graph of fused distances.
        Joint = "joint",
        /// The weighted mean of the views' graphs.
        Views = "views",
    }
}

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
        /// Weight of the manifold term; 0 leaves the idea out.
        lambda2: f64 = 0.7, Bounds::at_least(0.0), "lambda_2";
        /// Weight of the agreement of views; 0 leaves the idea out.
        beta: f64 = 0.2, Bounds::at_least(0.0), "beta";
        /// Weight of the nonnegative factor.
        gamma: f64 = 0.2, Bounds::at_least(0.0), "";
        /// When a view's sparse corruption is split off; never leaves the idea out.
        robust: Robust = Robust::Auto, Bounds::ANY, "E";
        /// Most iterations of the factorisation; 0 leaves the factors out and clusters the chosen graph.
        max_iterations: usize = 100, Bounds::between(0.0, 100_000.0), "";
        /// Neighbours of each sample, of which at most 40 are used; 0 lets the contrast of the distances decide.
        neighbours: usize = 0, Bounds::between(0.0, 10_000.0), "s";
        /// Which graph is clustered.
        choice: GraphChoice = GraphChoice::Gap, Bounds::ANY, "";
        /// How views are weighted.
        view_weights: ViewWeights = ViewWeights::Quality, Bounds::ANY, "";
        /// Graphs at .7, 1 and 1.4 times the number of neighbours, averaged, instead of one.
        multi_scale: bool = true, Bounds::ANY, "";
        /// How far samples of dense views move towards their joint neighbours before the graphs are made; 0 is not at all.
        smoothing: f64 = 0.5, Bounds::between(0.0, 1.0), "";
        /// Compare sparse non-negative views by Hellinger's distance.
        hellinger: bool = true, Bounds::ANY, "";
        /// Take all-zero rows of sparse non-negative views for samples that the view does not know.
        missing_rows: bool = true, Bounds::ANY, "";
        /// The neighbour whose distance is a sample's own scale.
        local_neighbour: usize = 20, Bounds::between(1.0, 40.0), "";
        /// Starts of the factorisation; the lowest objective wins.
        starts: usize = 2, Bounds::between(1.0, 4.0), "";
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
        let graphs = ViewGraphs::build(self, problem)?;
        run.enter(Stage::Solve);
        if problem.clusters == 1 || problem.clusters == problem.views.samples() {
            let record = graphs.record();
            return Ok(Consensus::direct(graphs.joint, equal_weights(problem.views.len())).with_graph(record));
        }
        let spectral = SpectralSolver::new(problem);
        let joint = spectral.eigenvectors(graphs.joint.as_ref(), None)?;
        let weights = graphs.view_weights(self.view_weights, &joint.vectors);
        let mut mixtures = Mixture::all(self.choice, &spectral, &graphs, &weights, &joint.vectors)?;

        let (mut termination, mut solution, mut factor_candidate) = (Termination::Direct, None, None);
        if self.max_iterations > 0 {
            let found = solver::factorise(self, &spectral, &graphs, &weights, &mixtures)?;
            factor_candidate = spectral.improvement(&found, &mixtures[0])?;
            termination = found.termination;
            solution = Some(found);
        }
        let by_factors = factor_candidate.is_some();
        let findings = diagnostics::findings(&spectral, &graphs, &mixtures[0], solution.as_ref(), by_factors)?;
        diagnostics::warn(&graphs, &weights, run);
        let chosen = factor_candidate.unwrap_or_else(|| mixtures.swap_remove(0).candidate);
        Ok(Consensus {
            solved: Solved::Labels(Labelling {
                labels: chosen.clusters.labels,
                embedding: chosen.embedding,
                centres: chosen.clusters.centres,
                eigenvalues: chosen.eigenvalues,
            }),
            termination,
            findings,
            ..Consensus::direct(chosen.operator, weights).with_graph(graphs.record())
        })
    }
}
