//! LRRGL, "Iterative Views Agreement: An Iterative Low-Rank based Structured Optimization Method to Multi-View Spectral
//! Clustering": every view represents its samples by each other, with low rank and smoothly on its graph, and the views'
//! representations are drawn towards each other. `docs/methods/lrrgl.md` teaches it.
//!
//! In the source samples are columns: X_i is d_i x n and column j of Z_i (n x n) says how sample j is made of the others.
//! Here samples are rows, so X_i, E_i and Z_i are kept transposed: row j of a table belongs to sample j, and all steps
//! but one work row by row.

// the source's letters, capitals for matrices
#![allow(non_snake_case)]

mod account;
mod admm;
mod affinity;
mod ladmap;
mod samples;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use self::samples::Samples;
use super::dense::{MEMORY_HINT, Precision, WORKING_TABLES, in_precision};
use super::{Consensus, CorruptionFound, Findings, Method, MethodInfo, Problem, Stop, TraceRow, configure};
use crate::graph::GraphSettings;
use crate::graph::neighbours::Distance;
use crate::matrix::{Dense, Real};
use crate::parameters::{Bounds, Parameters, choice, parameters};
use crate::{Result, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "lrrgl",
    title: "low-rank representation with graph Laplacian and views that agree",
    summary: "Every view represents its samples by each other, with low rank, smoothly on its own graph and without sparse \
              errors; the representations are drawn towards each other, and their mean is clustered. n x n by definition.",
    citation: "Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang, S. Pan. Iterative Views Agreement: An Iterative Low-Rank Based \
               Structured Optimization Method to Multi-View Spectral Clustering. IJCAI 2016",
    time: "O(V n^3) per iteration of 30",
    memory: "O(V n^2): 5 V tables, and 24 in double precision while two views are solved whole",
    quadratic: true,
    parameters: Lrrgl::table,
    build: configure::<Lrrgl>,
};

choice! {
    /// How the convex problem is solved.
    pub enum Solver {
        /// Alternating directions with fixed penalties: goes to the optimum.
        #[default]
        Admm = "admm",
        /// Linearised, with penalties that grow, as published: stops where the penalties freeze it.
        Ladmap = "ladmap",
    }
}

parameters! {
    /// Low-rank representation with graph Laplacian and iterated agreement of views.
    pub struct Lrrgl {
        /// Weight of the sparse errors, divided by the number of samples: 4 is .002 at 2000 samples.
        lambda1: f64 = 4.0, Bounds::at_least(0.0), "lambda_1 n";
        /// Weight of smoothness on the view's graph.
        lambda2: f64 = 0.7, Bounds::at_least(0.0), "lambda_2";
        /// Weight of the agreement of views.
        beta: f64 = 0.2, Bounds::at_least(0.0), "beta";
        /// Entries below this share of their sample's length are no affinity.
        tau: f64 = 1e-3, Bounds::between(0.0, 1.0), "tau";
        /// How the convex problem is solved.
        solver: Solver = Solver::Admm, Bounds::ANY, "";
        /// Most iterations; the default stops near the optimum, where clusters no longer change much.
        max_iterations: usize = 30, Bounds::between(1.0, 100_000.0), "";
        /// Converged when every constraint is violated, and every table moved, by less than this share of its size.
        tolerance: f64 = 1e-3, Bounds::at_least(0.0), "epsilon";
        /// Penalty of the errors' constraint in units of `lambda_1`: errors up to one part in so many are no errors yet (admm).
        mu_x: f64 = 10.0, Bounds::between(1e-9, 1e9), "mu_x / lambda_1";
        /// Penalty of the copies of Z (admm).
        mu_z: f64 = 2.0, Bounds::between(1e-9, 1e9), "mu_z";
        /// First penalty (ladmap).
        mu0: f64 = 1e-2, Bounds::between(1e-12, 1e12), "mu";
        /// Growth of the penalty from iteration to iteration (ladmap).
        rho: f64 = 1.2, Bounds::between(1.0, 100.0), "rho";
        /// Largest penalty (ladmap).
        mu_max: f64 = 1e6, Bounds::between(1e-12, 1e15), "mu_max";
        /// Precision of the n x n tables.
        precision: Precision = Precision::Double, Bounds::ANY, "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

/// Weights of the objective, as the source has them.
#[derive(Debug, Clone, Copy)]
struct Terms {
    lambda1: f64,
    lambda2: f64,
    beta: f64,
}

/// What a solver answers.
struct Representation<F> {
    /// Z_i' of every view, n x n: row j is how sample j is made of the others.
    Z: Vec<Dense<F>>,
    /// E_i' of every view, n x d_i.
    E: Vec<Dense<F>>,
    trace: Vec<TraceRow>,
    stop: Stop,
}

impl Method for Lrrgl {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let n = problem.views.samples();
        let features = problem.views.iter().map(|view| view.data.cols()).sum();
        let tables = self.tables(problem.views.len(), n, features);
        problem.memory.require(tables, n, n, self.precision.width(), MEMORY_HINT)?;
        in_precision!(self.precision, Float => self.represent::<Float>(problem))
    }
}

impl Lrrgl {
    /// n x n tables in the chosen precision: those of the solver, four of the size of each view (twice the view, the
    /// errors, a draft), and what solving two views' tables whole at a time takes.
    fn tables(&self, views: usize, n: usize, features: usize) -> usize {
        let whole = WORKING_TABLES * 8 / self.precision.width();
        let solver = match self.solver {
            Solver::Admm => admm::TABLES * views + whole * views.min(2),
            Solver::Ladmap => ladmap::TABLES * views + 1 + whole,
        };
        solver + (4 * features).div_ceil(n.max(1))
    }

    fn represent<F: Real>(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let (views, run) = (problem.views, problem.run);
        run.enter(Stage::Graph);
        let samples = |view| {
            let distance = Distance::within(view, self.graph.metric);
            let graph = self.graph.build(&distance, &format!("view `{}`", view.name), run)?;
            Ok(Samples::<F>::new(view, graph))
        };
        let samples = views.iter().map(samples).collect::<Result<Vec<_>>>()?;
        run.enter(Stage::Solve);
        let lambda1 = self.lambda1 / views.samples() as f64;
        let terms = Terms { lambda1, lambda2: self.lambda2, beta: self.beta };
        let found = match self.solver {
            Solver::Admm => admm::solve(self, terms, &samples, run)?,
            Solver::Ladmap => ladmap::solve(self, terms, &samples, run)?,
        };
        self.say_how_far(&found, run);
        let corruption = views.iter().zip(&found.E).map(|(view, E)| CorruptionFound::of(&view.name, E)).collect();
        let findings = Findings { trace: found.trace, corruption, ..Findings::default() };
        Ok(Consensus {
            affinity: Arc::new(affinity::of_representations(found.Z, self.tau)),
            eigen: None,
            embedding: None,
            view_weights: vec![1.0 / views.len() as f64; views.len()],
            stop: found.stop,
            findings,
        })
    }

    fn say_how_far<F>(&self, found: &Representation<F>, run: &crate::Run) {
        let last = found.trace.iter().filter(|row| row.iteration == found.stop.iterations);
        let residual = last.fold(0.0_f64, |most, row| most.max(row.residual));
        if residual > self.tolerance {
            run.warn(format!(
                "lrrgl stopped at its limit of {} iterations with a constraint violated by {residual:.1e} of its size (asked for {:.0e}): not the optimum",
                found.stop.iterations, self.tolerance
            ));
        }
    }
}
