//! What the iteration found besides the factors: objective, agreement of the views, corruption.

use super::state::{State, Terms};
use crate::Result;
use crate::matrix::{Dense, column_sums, frobenius};
use crate::method::CorruptionFound;
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

/// The entries of `E` that are not zero.
pub(super) fn corruption(view: &str, E: &Dense<f64>) -> CorruptionFound {
    let n = E.rows().max(1) as f64;
    let by_feature = column_sums(E, E, |x, _| if x == 0.0 { 0.0 } else { 1.0 });
    let by_feature: Vec<f64> = by_feature.into_iter().map(|count| count / n).collect();
    let share = by_feature.iter().sum::<f64>() / by_feature.len().max(1) as f64;
    CorruptionFound { view: view.to_owned(), share, by_feature }
}
