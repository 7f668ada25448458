//! One pass over one view: who it learns from, what its terms weigh, how far it moved.

use super::state::{State, Terms};
use super::{Admm, Variant, account, align, derived, printed};
use crate::matrix::{Dense, frobenius, update_entries};
use crate::method::TraceRow;
use crate::{Result, Run};

/// N10: what `mu` of the text is in our units. The penalty multiplies squares of X, which we divided by its spectral
/// norm; squares of that norm are 2e4 and 1e5 for the z-scored digits.
const PENALTY_UNIT: f64 = 3e4;

/// The other views, as the agreement term sees them.
pub(super) struct Others {
    /// `sum_j U_j`, n x k.
    pub(super) sum: Dense<f64>,
    /// `|V| - 1`.
    pub(super) count: usize,
}

/// How far a pass moved a view.
pub(super) struct Change {
    /// `|X - U D' - E|`.
    pub(super) residual: f64,
    pub(super) U: f64,
    pub(super) G: f64,
    pub(super) E: f64,
}

impl Admm {
    /// One pass over view `i`: its row of the trace, and whether it has converged.
    pub(super) fn pass(
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

    pub(super) fn unit(&self) -> f64 {
        if self.variant == Variant::Derived { PENALTY_UNIT } else { 1.0 }
    }

    /// The left side of the stop rule, by which LADMAP also decides whether the penalty grows. LADMAP divides it by
    /// `|X|`; Algorithm 1 does not (N14).
    fn moved(&self, change: &Change, mu: f64) -> f64 {
        (self.xi * change.U).max(mu * change.G).max(mu * change.E)
    }

    /// The views that view `i` learns from. N13: as printed, a converged view leaves the set and the others forget it;
    /// in `derived` it stays as it is and goes on being heard ("U_i[N] = U_i[k+1]").
    pub(super) fn others(&self, states: &[State<'_>], i: usize, active: &[bool]) -> Others {
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
