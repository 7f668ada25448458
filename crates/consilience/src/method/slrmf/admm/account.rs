//! What the iteration found besides the factors: objective, agreement of the views, corruption.

use super::state::{State, Terms};
use crate::Result;
use crate::matrix::{Dense, column_sums, frobenius};
use crate::metrics::{Contingency, nmi};
use crate::operator::LinOp;

/// The view's part of Eq. `object`: `1/2 |U|^2 + lambda1 |E|_1 + lambda2 Tr(U'LU) + beta/2 sum_j |U - U_j|^2`.
pub(super) fn objective(state: &State<'_>, others: &[&Dense<f64>], terms: &Terms) -> f64 {
    let State { U, E, graph, .. } = state;
    let mut LU = Dense::zeros(U.rows(), U.cols());
    graph.laplacian().apply(U, &mut LU);
    let total = |a: &Dense<f64>, b: &Dense<f64>, term: fn(f64, f64) -> f64| column_sums(a, b, term).iter().sum::<f64>();
    let apart: f64 = others.iter().map(|other| total(U, other, |x, y| (x - y) * (x - y))).sum();
    0.5 * frobenius(U).powi(2)
        + terms.lambda1 * total(E, E, |x, _| x.abs())
        + terms.lambda2 * total(U, &LU, |x, y| x * y)
        + 0.5 * terms.beta * apart
}

/// The cluster of every sample by the largest entry of its row.
pub(super) fn labels_of(U: &Dense<f64>) -> Vec<usize> {
    let largest = |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    U.iter_rows().map(largest).collect()
}

/// Normalised mutual information between the labels of every two views.
pub(super) fn agreement(labels: &[Vec<usize>]) -> Result<Vec<Vec<f64>>> {
    let pair = |a: &Vec<usize>, b: &Vec<usize>| Ok(nmi(&Contingency::new(a, b)?));
    labels.iter().map(|a| labels.iter().map(|b| pair(a, b)).collect()).collect()
}
