//! The derived updates: each is the exact minimiser of Eq. `argumented` in its own variable.

use super::state::{Change, Others, State, Terms, over_residual};
use crate::graph::Graph;
use crate::matrix::{
    Dense, add_product, frobenius_distance, from_mat, gram, multiply_small, soft_threshold, symmetric_eigen,
    symmetric_function, update_entries,
};
use crate::metrics::{Cell, pairing};
use crate::operator::{ConjugateGradient, ConjugateGradientInfo, LinOp};
use crate::run::Warning;
use crate::views::two_sided::TwoSided;
use crate::{Result, Run};

/// How exactly the step for U is solved.
pub(super) const INNER: ConjugateGradient = ConjugateGradient { tolerance: 1e-6, max_iterations: 500 };
/// The assignment of columns counts in whole numbers: overlaps are rounded to this fraction of the largest.
const OVERLAP_UNITS: f64 = (1_u64 << 40) as f64;

/// One sweep over the variables of a view, in the order of Algorithm 1 with the step for `D` that it forgets (N4).
pub(super) fn sweep(
    state: &mut State<'_>,
    others: &Others,
    terms: &Terms,
    robust: bool,
    solver: &ConjugateGradient,
    run: &Run,
) -> Result<Change> {
    let (U, info) = solve_U(state, others, terms, solver, run)?;
    if !info.converged {
        let detail = format!("some steps for U did not reach a relative residual of {:.0e}", solver.tolerance);
        run.warn(Warning::not_converged(detail));
    }
    let U_change = frobenius_distance(&U, &state.U);
    state.U = U;
    state.D = solve_D(state)?;
    let E_change = if robust { solve_E(state, terms.lambda1) } else { 0.0 };
    let G = solve_G(state);
    let G_change = frobenius_distance(&G, &state.G);
    state.G = G;
    let residual = update_multipliers(state);
    Ok(Change { residual, U: U_change, G: G_change, E: E_change })
}

/// `c + 2 lambda2 L + mu X X'` (n x n) as an operator.
struct Curvature<'a> {
    c: f64,
    lambda2: f64,
    mu: f64,
    graph: &'a Graph,
    X: &'a TwoSided,
}

impl LinOp for Curvature<'_> {
    fn size(&self) -> usize {
        self.graph.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        self.graph.laplacian().apply(x, out);
        update_entries(out, x, |out, x, _| 2.0 * self.lambda2 * out + self.c * x);
        self.X.add_times(out, &self.X.transposed_times(x), self.mu);
    }
}

/// N1, N2, N3: the gradient of Eq. `Ui` with `D` held fixed is a Sylvester equation, not Eq. `closeUi`:
///
/// `(c + 2 lambda2 L + mu X X') U + mu U D'D = C`, with `c = 1 + beta (|V| - 1) + mu` and
/// `C = beta sum_j U_j + K1 D - K2 + X K3 + mu ((2 X - E) D + G)`.
///
/// With `mu D'D = Q diag(w) Q'`, column j of `U Q` solves `(c + w_j + 2 lambda2 L + mu X X') u = (C Q)_j`.
pub(super) fn solve_U(
    state: &State<'_>,
    others: &Others,
    terms: &Terms,
    solver: &ConjugateGradient,
    run: &Run,
) -> Result<(Dense<f64>, ConjugateGradientInfo)> {
    let mu = state.mu;
    let C = right_side(state, others, terms);
    let eigen = symmetric_eigen(gram(state.D.as_mat(), state.D.as_mat()).as_ref())?;
    let w: Vec<f64> = eigen.values.iter().map(|x| mu * x).collect();
    let Q = eigen.vectors.as_ref();
    let rotated = |M: &Dense<f64>, Q| {
        let mut out = Dense::zeros(M.rows(), M.cols());
        multiply_small(out.as_mat_mut(), M.as_mat(), Q);
        out
    };
    let c = 1.0 + terms.beta * others.count as f64 + mu;
    let operator = Curvature { c, lambda2: terms.lambda2, mu, graph: state.graph, X: &state.X };
    let mut UQ = rotated(&state.U, Q);
    let info = solver.solve(&operator, &w, &rotated(&C, Q), &mut UQ, run)?;
    Ok((rotated(&UQ, Q.transpose()), info))
}

/// `C`, n x k.
fn right_side(state: &State<'_>, others: &Others, terms: &Terms) -> Dense<f64> {
    let State { X, D, E, G, K1, K2, K3, mu, .. } = state;
    let mut C = others.sum.clone();
    update_entries(&mut C, K2, |sum, K2, _| terms.beta * sum - K2);
    update_entries(&mut C, G, |C, G, _| C + mu * G);
    let mut through_X = K3.clone();
    update_entries(&mut through_X, D, |K3, D, _| K3 + 2.0 * mu * D);
    X.add_times(&mut C, &through_X, 1.0);
    add_product(C.as_mat_mut(), K1.as_mat(), D.as_mat(), 1.0);
    add_product(C.as_mat_mut(), E.as_mat(), D.as_mat(), -mu);
    C
}

/// Eq. `diupdate`, which is right as printed: `D = (K1' U - K3 + mu (2 X - E)' U) (I + U'U)^-1 / mu`, d_i x k.
pub(super) fn solve_D(state: &State<'_>) -> Result<Dense<f64>> {
    let State { X, U, E, K1, K3, mu, .. } = state;
    let mut left = X.transposed_times(U);
    update_entries(&mut left, K3, |XU, K3, _| 2.0 * mu * XU - K3);
    update_entries(&mut left, &from_mat(&gram(K1.as_mat(), U.as_mat())), |left, KU, _| left + KU);
    update_entries(&mut left, &from_mat(&gram(E.as_mat(), U.as_mat())), |left, EU, _| left - mu * EU);
    let inverse = symmetric_function(&from_mat(&gram(U.as_mat(), U.as_mat())), |w| 1.0 / (mu * (1.0 + w)))?;
    let mut D = Dense::zeros(left.rows(), left.cols());
    multiply_small(D.as_mat_mut(), left.as_mat(), inverse.as_mat());
    Ok(D)
}

/// Eq. `EiS`: `E = soft(X - U D' + K1 / mu, lambda1 / mu)`. Gives the norm of the change of `E`.
pub(super) fn solve_E(state: &mut State<'_>, lambda1: f64) -> f64 {
    let State { X, U, D, E, K1, mu, .. } = state;
    let (mu, t) = (*mu, lambda1 / *mu);
    let squared_change = over_residual(X, (U, D), E, K1, |r, e, k| {
        let new = soft_threshold(r + *k / mu, t);
        let step = new - *e;
        *e = new;
        step * step
    });
    squared_change.sqrt()
}

/// N5: Eq. `GiS` with the constraint that it forgets, `G = max(0, U + K2 / mu)`, n x k.
pub(super) fn solve_G(state: &State<'_>) -> Dense<f64> {
    let mut G = state.U.clone();
    update_entries(&mut G, &state.K2, |U, K2, _| (U + K2 / state.mu).max(0.0));
    G
}

/// Eqs. `K1s`, `K2s`, `K3s` (the first with `U'` where it is printed with `U`). Gives `|X - U D' - E|`.
pub(super) fn update_multipliers(state: &mut State<'_>) -> f64 {
    let State { X, U, D, E, G, K1, K2, K3, mu, .. } = state;
    let mu = *mu;
    let square = over_residual(X, (U, D), E, K1, |r, e, k| {
        let gap = r - *e;
        *k += mu * gap;
        gap * gap
    });
    update_entries(K2, U, |K2, U, _| K2 + mu * U);
    update_entries(K2, G, |K2, G, _| K2 - mu * G);
    update_entries(K3, D, |K3, D, _| K3 + mu * D);
    update_entries(K3, &X.transposed_times(U), |K3, XU, _| K3 - mu * XU);
    square.sqrt()
}

/// N9: the clusters of different views come in different order. Which column of `U` (n x k) becomes which, so that it
/// overlaps most with that column of `target` (n x k). By assignment, not by rotation: a rotated indicator is no longer
/// one, and `G >= 0` would fight the rotation.
pub(super) fn best_order(U: &Dense<f64>, target: &Dense<f64>) -> Vec<usize> {
    let k = U.cols();
    let overlap = gram(U.as_mat(), target.as_mat());
    let largest = overlap.norm_max();
    let mut cells = Vec::with_capacity(k * k);
    for row in 0..k {
        for column in 0..k {
            let count = (overlap[(row, column)] / largest.max(f64::MIN_POSITIVE) * OVERLAP_UNITS).round();
            if count >= 1.0 {
                cells.push(Cell { row, column, count: count as u64 });
            }
        }
    }
    let places = pairing(k, k, &cells);
    let mut order = vec![usize::MAX; k];
    places.iter().enumerate().for_each(|(row, place)| place.iter().for_each(|&j| order[j] = row));
    // columns that overlap with nothing that is left keep their order
    let mut left = (0..k).filter(|&row| places[row].is_none());
    order.iter_mut().filter(|row| **row == usize::MAX).for_each(|row| *row = left.next().unwrap_or(0));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffled_columns_are_matched_and_empty_ones_take_the_rest() {
        let labels = [0, 0, 1, 1, 2, 2, 3, 3];
        let column = |j: usize| move |l: usize| if labels[l] == j { 1.0 } else { 0.0 };
        let target = Dense::from_fn(8, 4, |l, j| column(j)(l));
        let U = Dense::from_fn(8, 4, |l, j| column([2, 0, 3, 1][j])(l));
        assert_eq!(best_order(&U, &target), [1, 3, 0, 2]);
        let half_empty = Dense::from_fn(8, 4, |l, j| if j < 2 { U.get(l, j) } else { 0.0 });
        assert_eq!(best_order(&half_empty, &target), [1, 2, 0, 3]);
    }
}
