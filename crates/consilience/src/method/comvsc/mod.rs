//! Co-regularised spectral clustering: every view's eigenvectors are drawn towards those of the others.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod solver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use super::joint::{mean_projector, shared_directions, side_by_side, view_graphs};
use super::{Consensus, Findings, Method, MethodInfo, Problem, configure};
use crate::graph::GraphSettings;
use crate::parameters::{Bounds, Parameters, choice, parameters};
use crate::spectral::embed;
use crate::{Result, Stage};
use solver::{Solver, Spectrum};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "comvsc",
    title: "co-regularised spectral clustering",
    summary: "Computes eigenvectors of every view's graph while a term rewards subspaces that agree: with each other \
              (pairwise), or with a common one (centroid).",
    citation: "A. Kumar, P. Rai, H. Daume III. Co-regularized multi-view spectral clustering. NIPS 2011",
    time: "O(n^2 sum d) for exact neighbours, then O(V n (s k + V k^2)) per eigen-solver step, V solves per iteration",
    memory: "O(n (V s + V k)); no n x n matrix",
    quadratic: false,
    parameters: Comvsc::table,
    build: configure::<Comvsc>,
};

choice! {
    /// What the views' eigenvectors are drawn to.
    pub enum Scheme {
        /// To each other; the points are the rows of all of them side by side.
        #[default]
        Pairwise = "pairwise",
        /// To a common subspace, whose rows are the points.
        Centroid = "centroid",
    }
}

parameters! {
    /// Co-regularised spectral clustering.
    pub struct Comvsc {
        /// What the views' eigenvectors are drawn to.
        scheme: Scheme = Scheme::Pairwise, Bounds::ANY, "";
        /// Weight of the agreement; 0 leaves every view to itself.
        lambda: f64 = 0.05, Bounds::between(0.0, 1e6), "lambda";
        /// Most iterations; each solves one eigenproblem per view.
        max_iterations: usize = 30, Bounds::between(0.0, 10_000.0), "";
        /// The iteration ends when the objective grows by less than this share of itself.
        tolerance: f64 = 1e-6, Bounds::between(0.0, 1.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Comvsc {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = view_graphs(&self.graph, problem)?;
        problem.run.enter(Stage::Solve);
        let solver = Solver {
            scheme: self.scheme,
            lambda: self.lambda,
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            clusters: problem.clusters,
            seed: problem.seed,
        };
        let named = problem.views.iter().zip(graphs).map(|(view, graph)| (view.name.clone(), graph.normalised()));
        let solution = solver.solve(named.collect(), problem.run)?;
        let U: Vec<_> = solution.views.iter().map(Spectrum::U).collect();
        let affinity = Arc::new(mean_projector(&U));
        let shared = shared_directions(&affinity, problem.clusters)?;
        // the centroid U* is these very directions: the pipeline takes them as it takes eigenvectors
        let embedding = (self.scheme == Scheme::Pairwise).then(|| embed(&side_by_side(&U)));
        Ok(Consensus {
            affinity,
            eigen: Some(shared),
            embedding,
            view_weights: vec![1.0 / U.len() as f64; U.len()],
            stop: solution.stop,
            findings: Findings { trace: solution.trace, ..Findings::default() },
        })
    }
}
