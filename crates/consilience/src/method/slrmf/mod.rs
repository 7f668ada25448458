//! SLRMF, "Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization": what this project is for.
//!
//! Three variants: `printed` (Algorithm 1 to the letter, slips included), `derived` (the same model with the algebra put
//! right) and `structured` (the product: the paper's four ideas in a form that works on real data). `docs/paper-notes.md`
//! lists the slips, `docs/methods/slrmf.md` teaches the method.

mod admm;
mod structured;

use std::sync::Arc;

use serde_json::Value;

pub use admm::Start;
pub use structured::{GraphChoice, Robust, ViewWeights};

use super::{Consensus, Method, MethodInfo, Problem, configure};
use crate::graph::GraphSettings;
use crate::graph::neighbours::{Distance, Metric};
use crate::operator::LowRank;
use crate::parameters::{Bounds, Parameters, choice, parameters};
use crate::{Result, Stage};
use admm::Admm;

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "slrmf",
    title: "structured low-rank matrix factorisation (the paper's method)",
    summary: "Splits off sparse corruption where it finds some, builds graphs per view and over all views, weights views \
              by how far they support the joint graph, and factorises: orthonormal and nonnegative factors per view that \
              are drawn towards agreement. `variant` runs the paper's iteration instead, as printed or as derived.",
    citation: "Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017",
    time: "O(n^2 sum d) for exact neighbours, then O(n (V s k + k^2)) per iteration",
    memory: "O(n (V s + V k + sum d)); no n x n matrix in any variant",
    quadratic: false,
    parameters: Slrmf::table,
    build: configure::<Slrmf>,
};

choice! {
    /// Which form of the method.
    pub enum Variant {
        /// The product: scale-free, with the graph chosen by the data.
        #[default]
        Structured = "structured",
        /// The paper's model with the algebra put right.
        Derived = "derived",
        /// The paper's Algorithm 1 as it stands.
        Printed = "printed",
    }
}

parameters! {
    /// Structured low-rank matrix factorisation.
    pub struct Slrmf {
        /// Which form of the method.
        variant: Variant = Variant::Structured, Bounds::ANY, "";
        /// Weight of the sparse corruption (printed, derived).
        lambda1: f64 = 2.0, Bounds::at_least(0.0), "lambda_1";
        /// Weight of the manifold term; 0 leaves the idea out.
        lambda2: f64 = 0.7, Bounds::at_least(0.0), "lambda_2";
        /// Weight of the agreement of views; 0 leaves the idea out.
        beta: f64 = 0.2, Bounds::at_least(0.0), "beta";
        /// Weight of the nonnegative factor (structured).
        gamma: f64 = 0.2, Bounds::at_least(0.0), "";
        /// When a view's sparse corruption is split off; never leaves the idea out.
        robust: Robust = Robust::Auto, Bounds::ANY, "E";
        /// Most iterations of the factorisation; 0 leaves the factors out and clusters the chosen graph (structured).
        max_iterations: usize = 100, Bounds::between(0.0, 100_000.0), "";
        /// Neighbours of each sample; 0 lets the contrast of the distances decide (printed and derived: 20). Structured uses at most 40.
        neighbours: usize = 0, Bounds::between(0.0, 10_000.0), "s";
        /// Which graph is clustered (structured).
        choice: GraphChoice = GraphChoice::Gap, Bounds::ANY, "";
        /// How views are weighted (structured).
        view_weights: ViewWeights = ViewWeights::Quality, Bounds::ANY, "";
        /// Graphs at .7, 1 and 1.4 times the number of neighbours, averaged, instead of one (structured).
        multi_scale: bool = true, Bounds::ANY, "";
        /// How far samples of dense views move towards their joint neighbours before the graphs are made; 0 is not at all (structured).
        smoothing: f64 = 0.5, Bounds::between(0.0, 1.0), "";
        /// Compare sparse non-negative views by Hellinger's distance (structured).
        hellinger: bool = true, Bounds::ANY, "";
        /// Take all-zero rows of sparse non-negative views for samples that the view does not know (structured).
        missing_rows: bool = true, Bounds::ANY, "";
        /// The neighbour whose distance is a sample's own scale (structured).
        local_neighbour: usize = 20, Bounds::between(1.0, 40.0), "";
        /// Starts of the factorisation; the lowest objective wins (structured).
        starts: usize = 2, Bounds::between(1.0, 4.0), "";
        /// What the factors start from (printed, derived).
        start: Start = Start::Indicator, Bounds::ANY, "U[0]";
        /// Entries of a factor below this share of their column's largest are dropped at the end (printed, derived).
        tau: f64 = 0.01, Bounds::between(0.0, 1.0), "tau";
        /// First penalty (printed, derived).
        mu0: f64 = 1e-3, Bounds::at_least(1e-12), "mu[0]";
        /// Largest penalty (printed, derived).
        mu_max: f64 = 1e6, Bounds::at_least(1e-12), "";
        /// Growth of the penalty (printed, derived).
        rho: f64 = 1.1, Bounds::at_least(1.0), "rho";
        /// Weight of the factor's change in the stop rule (printed, derived).
        xi: f64 = 1.0, Bounds::at_least(0.0), "xi";
        /// A view has converged when its residual is below this and (printed, derived)
        epsilon1: f64 = 1e-3, Bounds::at_least(0.0), "epsilon_1";
        /// its changes are below this (printed, derived).
        epsilon2: f64 = 1e-1, Bounds::at_least(0.0), "epsilon_2";
    }
}

impl Method for Slrmf {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        match self.variant {
            Variant::Structured => structured::solve(self, problem),
            Variant::Derived => self.iterate(admm::Variant::Derived, problem),
            Variant::Printed => self.iterate(admm::Variant::Printed, problem),
        }
    }
}

impl Slrmf {
    /// The paper's own iteration.
    fn iterate(&self, variant: admm::Variant, problem: &Problem<'_>) -> Result<Consensus> {
        problem.run.enter(Stage::Graph);
        let neighbours = if self.neighbours == 0 { 20 } else { self.neighbours };
        let settings = GraphSettings { neighbours, ..GraphSettings::default() };
        let graph = |view| {
            let distance = Distance::within(view, Metric::Euclidean);
            settings.build(&distance, &format!("view `{}`", view.name), problem.run)
        };
        let graphs = problem.views.iter().map(graph).collect::<Result<Vec<_>>>()?;
        problem.run.enter(Stage::Solve);
        let admm = Admm {
            lambda1: self.lambda1,
            lambda2: self.lambda2,
            beta: self.beta,
            mu0: self.mu0,
            mu_max: self.mu_max,
            rho: self.rho,
            xi: self.xi,
            epsilon1: self.epsilon1,
            epsilon2: self.epsilon2,
            max_iterations: self.max_iterations,
            start: self.start,
            robust: self.robust != Robust::Never,
            manifold: self.lambda2 > 0.0,
            agreement: self.beta > 0.0,
            ..Admm::new(variant)
        };
        let result = admm.solve(problem.views, &graphs, problem.clusters, problem.seed, problem.run)?;
        let affinity = Arc::new(LowRank::normalised(admm::consensus_factor(&result.U, self.tau)));
        let view_weights = vec![1.0 / problem.views.len() as f64; problem.views.len()];
        Ok(Consensus {
            affinity,
            eigen: None,
            embedding: None,
            view_weights,
            stop: result.stop,
            findings: result.findings,
        })
    }
}
