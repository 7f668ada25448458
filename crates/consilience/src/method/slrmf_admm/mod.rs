//! The paper's own iteration on Eq. `object`: as printed in Algorithm 1, and with its algebra put right. Kept to study the
//! paper; `slrmf` is the method to use. `docs/methods/slrmf_admm.md` says what it does, `docs/paper-notes.md` lists the
//! errata (N1, N2, ..) that comments here refer to.
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

mod derived;
mod printed;
mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::state::{Change, Others, State, Terms};
use super::common::{argmax_rows, equal_weights, weighted_hstack};
use super::{Agreement, Consensus, CorruptionFound, Findings, Method, MethodInfo, Problem, Property, TraceRow};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Dense, frobenius, update_entries};
use crate::metrics::pairwise_nmi;
use crate::operator::LowRank;
use crate::parameters::{Bounds, ParameterValues, choice, parameters};
use crate::run::Termination;
use crate::{Result, Run, Stage, Views};

pub(super) const INFO: MethodInfo =
    MethodInfo::of::<SlrmfAdmm>("slrmf_admm", "the paper's iteration of `slrmf`, as derived and as printed")
    .summary("Factorises every view by the paper's alternating directions, with sparse corruption, a manifold term and \
              agreement of views; `updates` chooses between its algebra put right and Algorithm 1 to the letter. Kept to \
              study the paper: `slrmf` is the method to use.")
    .citation("Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017")
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(n k (sum d + V s)) per step of conjugate gradients in each iteration",
        "O(n (V s + V k + sum d)), three dense matrices of the size of every view; no n x n matrix",
    )
    .properties(&[Property::Study]);

/// N10: what `mu` of the text is in our units. The penalty multiplies squares of X, which we divided by its spectral
/// norm; squares of that norm are 2e4 and 1e5 for the z-scored digits.
const PENALTY_UNIT: f64 = 3e4;

choice! {
    /// Which updates of the variables.
    pub enum AdmmUpdates {
        /// Every update minimises the augmented Lagrangian in its own variable.
        Derived = "derived",
        /// Algorithm 1 as it stands, with its errata.
        Printed = "printed",
    }
}

choice! {
    /// What the factors start from.
    pub enum AdmmStart {
        /// Which cluster a sample is in, by spectral clustering of its view.
        Indicator = "indicator",
        /// How similar a sample is to the centres of those clusters.
        Anchors = "anchors",
    }
}

parameters! {
    /// The paper's iteration, with its parameters named as in the paper, and ours where it has none (N7).
    pub struct SlrmfAdmm {
        /// The paper's algebra put right, or Algorithm 1 to the letter.
        updates: AdmmUpdates = AdmmUpdates::Derived, Bounds::ANY, "";
        /// Weight of the sparse corruption; the derived updates divide it by the root of the larger of n and d.
        lambda1: f64 = 2.0, Bounds::at_least(0.0), "lambda_1";
        /// Weight of the manifold term; 0 leaves the idea out.
        lambda2: f64 = 0.7, Bounds::at_least(0.0), "lambda_2";
        /// Weight of the agreement of views; 0 leaves the idea out.
        beta: f64 = 0.2, Bounds::at_least(0.0), "beta";
        /// Whether there is a sparse corruption at all; false leaves the idea out.
        robust: bool = true, Bounds::ANY, "E";
        /// Most iterations.
        max_iterations: usize = 100, Bounds::between(0.0, 100_000.0), "";
        /// Neighbours of each sample in the view's graph.
        neighbours: usize = 20, Bounds::between(1.0, 10_000.0), "s";
        /// What the factors start from.
        start: AdmmStart = AdmmStart::Indicator, Bounds::ANY, "U[0]";
        /// Entries of a factor below this share of their column's largest are dropped at the end.
        tau: f64 = 0.01, Bounds::between(0.0, 1.0), "tau";
        /// First penalty; the derived updates take it in units of a typical squared spectral norm.
        mu0: f64 = 1e-3, Bounds::at_least(1e-12), "mu[0]";
        /// Largest penalty, in the units of `mu0`.
        mu_max: f64 = 1e6, Bounds::at_least(1e-12), "";
        /// Growth of the penalty when little has changed.
        rho: f64 = 1.1, Bounds::at_least(1.0), "rho";
        /// Weight of the factor's change in the stop rule.
        xi: f64 = 1.0, Bounds::at_least(0.0), "xi";
        /// A view has converged when its residual, relative to the data, is below this and its changes are below `epsilon2`.
        epsilon1: f64 = 1e-3, Bounds::at_least(0.0), "epsilon_1";
        /// Largest change of a view that has converged.
        epsilon2: f64 = 1e-1, Bounds::at_least(0.0), "epsilon_2";
    }
}

impl Method for SlrmfAdmm {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let settings = GraphSettings { neighbours: self.neighbours, ..GraphSettings::default() };
        let graphs = problem.view_graphs_or_warn(&settings)?;
        let factors = self.iterate(problem.views, &graphs, problem.clusters, problem.seed, problem.run)?;
        let affinity = Arc::new(LowRank::normalised(consensus_factor(factors.U, self.tau)));
        Ok(Consensus {
            termination: factors.termination,
            findings: factors.findings,
            ..Consensus::direct(affinity, equal_weights(problem.views.len())).with_graph(&settings)
        })
    }
}

/// What the iteration gives.
struct Factors {
    /// The factor of each view, n x k.
    U: Vec<Dense<f64>>,
    termination: Termination,
    findings: Findings,
}

impl SlrmfAdmm {
    /// Iterates from the views and their graphs to `k` columns per view.
    fn iterate(&self, views: &Views, graphs: &[Graph], k: usize, seed: u64, run: &Run) -> Result<Factors> {
        state::check_memory(views)?;
        run.enter(Stage::Solve);
        let labels: Vec<Vec<usize>> =
            graphs.iter().map(|graph| state::own_labels(graph, k, seed, run)).collect::<Result<_>>()?;
        let mut states = Vec::with_capacity(views.len());
        for (i, ((view, graph), labels)) in views.iter().zip(graphs).zip(&labels).enumerate() {
            states.push(State::initial(self, i, view, graph, labels, k, seed));
        }
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
        let after: Vec<_> = states.iter().map(|state| argmax_rows(&state.U)).collect();
        let (before, after) = (pairwise_nmi(&labels)?, pairwise_nmi(&after)?);
        let agreement = Agreement { before, after, with_consensus: None };
        let corruption = views.iter().zip(&states).map(|(view, state)| CorruptionFound::of(&view.name, &state.E));
        let corruption = if self.robust { corruption.collect() } else { Vec::new() };
        Ok(Factors {
            findings: Findings { trace, agreement: Some(agreement), corruption, ..Findings::default() },
            termination: Termination::after(iterations, !active.contains(&true)),
            U: states.into_iter().map(|state| state.U).collect(),
        })
    }

    /// One pass over view `i`: its row of the trace, and whether it has converged.
    fn pass(
        &self,
        states: &mut [State<'_>],
        i: usize,
        active: &[bool],
        seed: u64,
        run: &Run,
    ) -> Result<(TraceRow, bool)> {
        let (terms, others) = (self.terms(&states[i]), self.others(states, i, active));
        if self.is_derived() && self.beta > 0.0 && others.count > 0 {
            let order = derived::best_order(&states[i].U, &others.sum);
            states[i].reorder(&order);
        }
        let state = &mut states[i];
        let change = match self.updates {
            AdmmUpdates::Printed => printed::sweep(state, &others, &terms, self.robust, seed)?,
            AdmmUpdates::Derived => derived::sweep(state, &others, &terms, self.robust, &derived::INNER, run)?,
        };
        let data = state.X.frobenius().max(f64::MIN_POSITIVE);
        let residual = change.residual / data;
        let largest_change = self.largest_change(&change, state.mu) / if self.is_derived() { data } else { 1.0 };
        let little = largest_change < self.epsilon2;
        if little {
            state.mu = (self.rho * state.mu).min(self.mu_max * self.penalty_unit());
        }
        let others: Vec<&Dense<f64>> =
            states.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, state)| &state.U).collect();
        let objective = states[i].objective(&others, &terms);
        let relative = change.U / frobenius(&states[i].U).max(f64::MIN_POSITIVE);
        let row = TraceRow { iteration: 0, view: String::new(), objective, residual, change: relative };
        Ok((row, residual < self.epsilon1 && little))
    }

    fn is_derived(&self) -> bool {
        self.updates == AdmmUpdates::Derived
    }

    /// The weights of a view's terms; the derived updates scale that of E (N10).
    fn terms(&self, state: &State<'_>) -> Terms {
        let size = state.X.count().max(state.X.features()) as f64;
        let lambda1 = if self.is_derived() { self.lambda1 / size.sqrt() } else { self.lambda1 };
        Terms { lambda1, lambda2: self.lambda2, beta: self.beta }
    }

    /// What `mu0` and `mu_max` are multiples of.
    fn penalty_unit(&self) -> f64 {
        if self.is_derived() { PENALTY_UNIT } else { 1.0 }
    }

    /// The left side of the stop rule, by which LADMAP also decides whether the penalty grows. LADMAP divides it by
    /// `|X|`; Algorithm 1 does not (N14).
    fn largest_change(&self, change: &Change, mu: f64) -> f64 {
        (self.xi * change.U).max(mu * change.G).max(mu * change.E)
    }

    /// The views that view `i` agrees with. N13: as printed, a converged view leaves the set and the others forget it;
    /// as derived it stays as it is and still counts ("U_i[N] = U_i[k+1]").
    fn others(&self, states: &[State<'_>], i: usize, active: &[bool]) -> Others {
        let U = &states[i].U;
        let mut others = Others { sum: Dense::zeros(U.rows(), U.cols()), count: 0 };
        for (j, other) in states.iter().enumerate() {
            if j != i && (active[j] || self.is_derived()) {
                update_entries(&mut others.sum, &other.U, |sum, U, _| sum + U);
                others.count += 1;
            }
        }
        others
    }
}

/// `B = [U_1 .. U_V] / sqrt(V)` (n x Vk), so that Eq. `simi-all` is `W = B B'`. Entries below `tau` times their
/// column's largest are set to zero, negative ones always: an affinity has none.
fn consensus_factor(mut U: Vec<Dense<f64>>, tau: f64) -> Dense<f64> {
    let scale = 1.0 / (U.len().max(1) as f64).sqrt();
    for U in &mut U {
        let mut floors = vec![0.0_f64; U.cols()];
        U.iter_rows().for_each(|row| floors.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(*x)));
        floors.iter_mut().for_each(|most| *most *= tau);
        let width = U.cols().max(1);
        for row in U.data_mut().chunks_exact_mut(width) {
            row.iter_mut().zip(&floors).for_each(|(x, floor)| *x = if *x > 0.0 && *x >= *floor { *x } else { 0.0 });
        }
    }
    weighted_hstack(&U.iter().collect::<Vec<_>>(), |_| scale)
}
