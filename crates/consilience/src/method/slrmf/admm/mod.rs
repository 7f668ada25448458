//! The paper's own iteration on Eq. `object`: as printed in Algorithm 1, and with its algebra done right.
//!
//! Samples are rows in this crate, so the paper's X_i, E_i and K_1 (d_i x n) are transposed here (n x d_i), once and for
//! all; U_i, G_i, K_2 (n x k), D_i and K_3 (d_i x k) are as in the paper. k is the paper's d. Every X_i is divided by
//! its spectral norm first: the result does not depend on the unit of a view.
//!
//! A pass over one view costs O(n d_i k) for the products with X_i, E_i and K_1, and O(n (s + d_i) k) for every step of
//! conjugate gradients on `L_i` (s neighbours) and `X_i`: linear in n. Memory is three matrices of the size of X_i. No
//! n x n matrix exists: `W = mean_i U_i U_i'` stays the factor that [`consensus_factor`] gives.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod account;
mod align;
mod derived;
mod printed;
mod samples;
mod start;
mod state;
#[cfg(test)]
mod tests;

use self::samples::Samples;
use self::state::{State, Terms};
use crate::graph::Graph;
use crate::matrix::{Dense, frobenius, update_entries};
use crate::method::{Agreement, Findings, Stop, TraceRow};
use crate::operator::ConjugateGradient;
use crate::parameters::choice;
use crate::{Error, Result, Run, Stage, View, Views};

/// The matrices of the size of the views together must not take more than this.
const MOST_BYTES: usize = 8 << 30;

/// N10: what `mu` of the text is in our units. The penalty multiplies squares of X, which we divided by its spectral norm;
/// squares of that norm are 2e4 and 1e5 for the z-scored digits.
const PENALTY_UNIT: f64 = 3e4;

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
    /// Weight of `|E|_1`. `derived` divides it by `sqrt(max(n, d_i))`, without which E is zero for ever (N10).
    pub(crate) lambda1: f64,
    /// Weight of the manifold term.
    pub(crate) lambda2: f64,
    /// Weight of the agreement of views.
    pub(crate) beta: f64,
    /// Entries of the final U_i below this share of their column's largest are set to zero.
    pub(crate) tau: f64,
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
            tau: 0.01,
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

/// The other views, as the agreement term sees them.
struct Others {
    /// `sum_j U_j`, n x k.
    sum: Dense<f64>,
    /// `|V| - 1`.
    count: usize,
}

/// How far a pass moved a view.
struct Change {
    /// `|X - U D' - E|`.
    residual: f64,
    U: f64,
    G: f64,
    E: f64,
}

impl Admm {
    /// Iterates from the views and their graphs to `k` columns per view.
    ///
    /// # Errors
    /// When the matrices would not fit into memory, or the run is cancelled.
    pub(crate) fn solve(&self, views: &Views, graphs: &[Graph], k: usize, seed: u64, run: &Run) -> Result<AdmmResult> {
        check_memory(views)?;
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
        let corruption = views.iter().zip(&states).map(|(view, state)| account::corruption(&view.name, &state.E));
        let corruption = if self.robust { corruption.collect() } else { Vec::new() };
        Ok(AdmmResult {
            findings: Findings { trace, agreement: Some(agreement), corruption },
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

    /// One pass over view `i`: its row of the trace, and whether it has converged.
    fn pass(
        &self,
        states: &mut [State<'_>],
        i: usize,
        active: &[bool],
        seed: u64,
        run: &Run,
    ) -> Result<(TraceRow, bool)> {
        let terms = self.terms(&states[i]);
        let others = self.others(states, i, active);
        if self.variant == Variant::Derived && self.agreement && others.count > 0 {
            let order = align::best_order(&states[i].U, &others.sum);
            states[i].reorder(&order);
        }
        let state = &mut states[i];
        let change = match self.variant {
            Variant::Printed => printed::sweep(state, &others, &terms, self.robust, seed)?,
            Variant::Derived => derived::sweep(state, &others, &terms, self.robust, &self.solver, run)?,
        };
        let data = state.X.frobenius().max(f64::MIN_POSITIVE);
        let residual = change.residual / data;
        let moved = self.moved(&change, state.mu) / if self.variant == Variant::Derived { data } else { 1.0 };
        let little = moved < self.epsilon2;
        if little {
            state.mu = (self.rho * state.mu).min(self.mu_max * self.unit());
        }
        let others: Vec<&Dense<f64>> =
            states.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, state)| &state.U).collect();
        let objective = account::objective(&states[i], &others, &terms);
        let relative = change.U / frobenius(&states[i].U).max(f64::MIN_POSITIVE);
        let row = TraceRow { iteration: 0, view: String::new(), objective, residual, change: relative };
        Ok((row, residual < self.epsilon1 && little))
    }

    /// The weights after the switches and, in `derived`, the scale of E (N10).
    fn terms(&self, state: &State<'_>) -> Terms {
        let size = state.X.count().max(state.X.features()) as f64;
        Terms {
            lambda1: if self.variant == Variant::Derived { self.lambda1 / size.sqrt() } else { self.lambda1 },
            lambda2: if self.manifold { self.lambda2 } else { 0.0 },
            beta: if self.agreement { self.beta } else { 0.0 },
        }
    }

    fn unit(&self) -> f64 {
        if self.variant == Variant::Derived { PENALTY_UNIT } else { 1.0 }
    }

    /// The left side of the stop rule, by which LADMAP also decides whether the penalty grows. LADMAP divides it by
    /// `|X|`; Algorithm 1 does not (N14).
    fn moved(&self, change: &Change, mu: f64) -> f64 {
        (self.xi * change.U).max(mu * change.G).max(mu * change.E)
    }

    /// The views that view `i` learns from. N13: as printed, a converged view leaves the set and the others forget it; in
    /// `derived` it stays as it is and goes on being heard ("U_i[N] = U_i[k+1]").
    fn others(&self, states: &[State<'_>], i: usize, active: &[bool]) -> Others {
        let U = &states[i].U;
        let mut others = Others { sum: Dense::zeros(U.rows(), U.cols()), count: 0 };
        for (j, other) in states.iter().enumerate() {
            if j != i && (active[j] || self.variant == Variant::Derived) {
                update_entries(&mut others.sum, &other.U, |sum, U, _| sum + U);
                others.count += 1;
            }
        }
        others
    }
}

fn check_memory(views: &Views) -> Result<()> {
    let entries = views.iter().map(|view| view.data.rows().saturating_mul(view.data.cols()));
    let bytes = entries.fold(0_usize, usize::saturating_add).saturating_mul(3 * 8);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
    Err(Error::data_with_hint(
        format!(
            "the paper's iteration keeps X, E and K1 of every view, all dense: {:.1} GiB for these views, and at most {:.0} \
             GiB are allowed",
            gib(bytes),
            gib(MOST_BYTES)
        ),
        "use the variant `structured`, or views with fewer features",
    ))
}

/// `B = [U_1 .. U_V] / sqrt(V)` (n x Vk), so that Eq. `simi-all` is `W = B B'`. Entries below `tau` times their column's
/// largest are set to zero, negative ones always: an affinity has none.
pub(crate) fn consensus_factor(U: &[Dense<f64>], tau: f64) -> Dense<f64> {
    let n = U.first().map_or(0, Dense::rows);
    let scale = 1.0 / (U.len().max(1) as f64).sqrt();
    let mut floors = Vec::new();
    for U in U {
        let mut largest = vec![0.0_f64; U.cols()];
        U.iter_rows().for_each(|row| largest.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(*x)));
        floors.extend(largest.into_iter().map(|most| tau * most));
    }
    let mut data = Vec::with_capacity(n * floors.len());
    for l in 0..n {
        let row = U.iter().flat_map(|U| U.row(l));
        data.extend(row.zip(&floors).map(|(&x, &floor)| if x > 0.0 && x >= floor { scale * x } else { 0.0 }));
    }
    Dense::new(n, floors.len(), data).unwrap_or_else(|_| Dense::zeros(n, floors.len()))
}
