//! The paper's own iteration on Eq. `object`: as printed in Algorithm 1, and with its algebra done right.
//!
//! Samples are rows in this crate, so the paper's X_i, E_i and K_1 (d_i x n) are transposed here (n x d_i), once
//! and for all; U_i, G_i, K_2 (n x k), D_i and K_3 (d_i x k) are as in the paper. k is the paper's d. Every X_i is divided by
//! its spectral norm first: the result does not depend on the unit of a view.
//!
//! A pass over one view costs O(n d_i k) for the products with X_i, E_i and K_1, and O(n (s + d_i) k) for every step of
//! conjugate gradients on `L_i` (s neighbours) and `X_i`: linear in n. Memory is three matrices of the size of X_i. No
//! n x n matrix exists: `W = mean_i U_i U_i'` stays the factor that [`consensus_factor`] gives.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod account;
mod align;
mod consensus;
mod derived;
mod pass;
mod printed;
mod samples;
mod start;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use self::consensus::consensus_factor;
use self::samples::Samples;
use self::state::State;
use crate::graph::Graph;
use crate::matrix::Dense;
use crate::method::{Agreement, CorruptionFound, Findings, Stop, TraceRow};
use crate::operator::ConjugateGradient;
use crate::parameters::choice;
use crate::{Result, Run, Stage, View, Views};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Algorithm 1 as it stands, with its slips.
    Printed,
    /// Every update minimises the augmented Lagrangian in its own variable.
    Derived,
}

choice! {
    /// What the factors start from.
    pub enum Start {
        /// Which cluster a sample is in, by spectral clustering of its view.
        #[default]
        Indicator = "indicator",
        /// How similar a sample is to the centres of those clusters.
        Anchors = "anchors",
    }
}

/// The iteration with its parameters, named as in the paper.
#[derive(Debug, Clone)]
pub(crate) struct Admm {
    pub(crate) variant: Variant,
    /// Weight of `|E|_1`. `derived` divides it by `sqrt(max(n, d_i))`, without which E stays nearly zero (N10).
    pub(crate) lambda1: f64,
    /// Weight of the manifold term.
    pub(crate) lambda2: f64,
    /// Weight of the agreement of views.
    pub(crate) beta: f64,
    /// The first penalty. `derived` takes it in units of a typical squared spectral norm.
    pub(crate) mu0: f64,
    /// The last penalty, in the units of `mu0`.
    pub(crate) mu_max: f64,
    /// How much the penalty grows when little has changed.
    pub(crate) rho: f64,
    /// Weight of the change of U in the stop rule.
    pub(crate) xi: f64,
    /// A view has converged when its residual is below this, relative to X, and
    pub(crate) epsilon1: f64,
    /// its changes are below this.
    pub(crate) epsilon2: f64,
    pub(crate) max_iterations: usize,
    pub(crate) start: Start,
    /// Whether there is an E at all.
    pub(crate) robust: bool,
    /// Whether the manifold term counts.
    pub(crate) manifold: bool,
    /// Whether the views learn from each other.
    pub(crate) agreement: bool,
    /// How exactly `derived` solves for U.
    pub(crate) solver: ConjugateGradient,
}

impl Admm {
    /// The paper's settings, and ours where it has none (N7).
    pub(crate) fn new(variant: Variant) -> Self {
        Self {
            variant,
            lambda1: 2.0,
            lambda2: 0.7,
            beta: 0.2,
            mu0: 1e-3,
            mu_max: 1e6,
            rho: 1.1,
            xi: 1.0,
            epsilon1: 1e-3,
            epsilon2: 1e-1,
            max_iterations: 100,
            start: Start::Indicator,
            robust: true,
            manifold: true,
            agreement: true,
            solver: ConjugateGradient { tolerance: 1e-6, ..ConjugateGradient::default() },
        }
    }
}

/// What the iteration gives.
pub(crate) struct AdmmResult {
    /// The factor of each view, n x k.
    pub(crate) U: Vec<Dense<f64>>,
    pub(crate) stop: Stop,
    pub(crate) findings: Findings,
}

impl Admm {
    /// Iterates from the views and their graphs to `k` columns per view.
    ///
    /// # Errors
    /// When the matrices would not fit into memory, or the run is cancelled.
    pub(crate) fn solve(&self, views: &Views, graphs: &[Graph], k: usize, seed: u64, run: &Run) -> Result<AdmmResult> {
        start::check_memory(views)?;
        run.enter(Stage::Solve);
        let labels: Vec<Vec<usize>> =
            graphs.iter().map(|graph| start::own_labels(graph, k, seed, run)).collect::<Result<_>>()?;
        let parts = views.iter().zip(graphs).zip(&labels).enumerate();
        let mut states: Vec<State<'_>> =
            parts.map(|(i, ((view, graph), labels))| self.state(i, view, graph, labels, k, seed)).collect();
        let mut active = vec![true; states.len()];
        let (mut trace, mut iterations) = (Vec::new(), 0);
        while iterations < self.max_iterations && active.contains(&true) {
            iterations += 1;
            for (i, view) in views.iter().enumerate() {
                if active[i] {
                    run.check()?;
                    let (row, converged) = self.pass(&mut states, i, &active, seed, run)?;
                    trace.push(TraceRow { iteration: iterations, view: view.name.clone(), ..row });
                    active[i] = !converged;
                }
            }
            run.progress(iterations, self.max_iterations);
        }
        let reason = if active.contains(&true) { "iteration limit" } else { "converged" };
        let after: Vec<_> = states.iter().map(|state| account::labels_of(&state.U)).collect();
        let agreement = Agreement { before: account::agreement(&labels)?, after: account::agreement(&after)? };
        let corruption = views.iter().zip(&states).map(|(view, state)| CorruptionFound::of(&view.name, &state.E));
        let corruption = if self.robust { corruption.collect() } else { Vec::new() };
        Ok(AdmmResult {
            findings: Findings { trace, agreement: Some(agreement), graph: None, corruption },
            stop: Stop { reason, iterations },
            U: states.into_iter().map(|state| state.U).collect(),
        })
    }

    /// View `i` before the first pass.
    fn state<'a>(&self, i: usize, view: &View, graph: &'a Graph, labels: &[usize], k: usize, seed: u64) -> State<'a> {
        let X = Samples::new(&view.data);
        let U = start::factor(self.start, self.variant, &X, labels, k);
        match self.variant {
            Variant::Derived => State::new(X, graph, U.clone(), U, self.unit() * self.mu0),
            Variant::Printed => {
                let G = Dense::zeros(U.rows(), U.cols());
                let mut state = State::new(X, graph, U, G, self.mu0);
                if self.robust {
                    printed::noise(&mut state.E, seed, i);
                }
                state
            }
        }
    }
}
