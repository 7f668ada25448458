//! RMSC, "Robust Multi-View Spectral Clustering via Low-Rank and Sparse Decomposition": the paper's baseline RLRR.
//!
//! Every view is a random walk `T_i = D_i^-1 W_i` on its graph; the views' walks are one walk P of low rank plus sparse
//! errors. P's own spectral embedding is clustered. `docs/methods/rlrr.md` teaches it.

// the source's letters, capitals for matrices
#![allow(non_snake_case)]

mod iterate;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use serde_json::Value;

use self::iterate::Schedule;
use super::dense::{MEMORY_HINT, Precision, WORKING_TABLES, in_precision};
use super::{Consensus, CorruptionFound, Findings, Method, MethodInfo, Problem, configure};
use crate::graph::neighbours::Distance;
use crate::graph::{Graph, GraphSettings};
use crate::matrix::Real;
use crate::parameters::{Bounds, Parameters, parameters};
use crate::{Result, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "rlrr",
    title: "low-rank and sparse decomposition of random walks (RMSC)",
    summary: "Takes every view's graph for a random walk, and the walks for one walk of low rank plus sparse errors: edges \
              that only one view has are errors. The common walk is clustered. n x n by definition.",
    citation: "R. Xia, Y. Pan, L. Du, J. Yin. Robust Multi-View Spectral Clustering via Low-Rank and Sparse \
               Decomposition. AAAI 2014",
    time: "O(n^2 (V + r)) per iteration of about 35 while the rank r is small, else O(n^3)",
    memory: "O(n^2 (V + 3))",
    quadratic: true,
    parameters: Rlrr::table,
    build: configure::<Rlrr>,
};

parameters! {
    /// Robust multi-view spectral clustering by low-rank and sparse decomposition.
    pub struct Rlrr {
        /// Weight of the sparse errors, divided by the number of samples: 10 is .005 at 2000 samples. Less of it gives a walk of lower rank.
        lambda: f64 = 10.0, Bounds::at_least(0.0), "lambda n";
        /// First penalty. The schedule of penalties decides the result, not only the speed.
        mu0: f64 = 1e-3, Bounds::between(1e-12, 1e12), "mu";
        /// Growth of the penalty from iteration to iteration.
        rho: f64 = 1.9, Bounds::between(1.0, 100.0), "rho";
        /// Largest penalty.
        mu_max: f64 = 1e10, Bounds::between(1e-12, 1e15), "max_mu";
        /// Most iterations.
        max_iterations: usize = 100, Bounds::between(1.0, 100_000.0), "";
        /// Converged when no entry violates a constraint by more than this.
        tolerance: f64 = 1e-7, Bounds::at_least(0.0), "epsilon";
        /// Precision of the n x n tables.
        precision: Precision = Precision::Double, Bounds::ANY, "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Rlrr {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let n = problem.views.samples();
        problem.memory.require(self.tables(problem.views.len()), n, n, self.precision.width(), MEMORY_HINT)?;
        problem.run.enter(Stage::Graph);
        let graph = |view| {
            let distance = Distance::within(view, self.graph.metric);
            self.graph.build(&distance, &format!("view `{}`", view.name), problem.run)
        };
        let graphs = problem.views.iter().map(graph).collect::<Result<Vec<_>>>()?;
        problem.run.enter(Stage::Solve);
        in_precision!(self.precision, Float => self.decompose::<Float>(&graphs, problem))
    }
}

impl Rlrr {
    /// n x n tables in the chosen precision: a row of A for each view, P, Q and M, and what solving M whole takes.
    fn tables(&self, views: usize) -> usize {
        views + 3 + WORKING_TABLES * 8 / self.precision.width()
    }

    /// The weight and the penalties for `n` samples. The errors' norm grows with n and the rank does not: a fixed weight
    /// would mean another balance for every n.
    fn schedule(&self, n: usize) -> Schedule {
        let Self { lambda, mu0, rho, mu_max, max_iterations, tolerance, .. } = *self;
        Schedule { lambda: lambda / n.max(1) as f64, mu0, rho, mu_max, max_iterations, tolerance }
    }

    fn decompose<F: Real>(&self, graphs: &[Graph], problem: &Problem<'_>) -> Result<Consensus> {
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let T: Vec<_> = graphs.iter().map(walk::of_graph).collect();
        let result = iterate::solve::<F>(&self.schedule(problem.views.samples()), &T, &names, problem.run)?;
        let shares = result.corrupted.iter().zip(&names);
        let corruption = shares
            // E_i is n x n: there is no feature to blame
            .map(|(&share, name)| CorruptionFound {
                view: (*name).to_owned(),
                share,
                by_feature: Vec::new(),
                by_sample: Vec::new(),
            });
        let findings = Findings { trace: result.trace, corruption: corruption.collect(), ..Findings::default() };
        Ok(Consensus {
            affinity: Arc::new(walk::affinity(result.P, problem.run)?),
            eigen: None,
            embedding: None,
            view_weights: vec![1.0 / names.len() as f64; names.len()],
            stop: result.stop,
            findings,
        })
    }
}
