//! The variables of one view (Eq. `argumented`), and the walk over its residual.

use rayon::prelude::*;

use crate::graph::Graph;
use crate::matrix::{Dense, ROW_CHUNK, Real};
use crate::views::samples::Samples;

/// Weights of the four terms of Eq. `object` as they stand after scaling and switching off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) lambda1: f64,
    pub(super) lambda2: f64,
    pub(super) beta: f64,
}

/// One view. `X`, `E` and `K1` are the paper's transposed (samples are rows here); the rest is as in the paper.
pub(super) struct State<'a> {
    /// The data, n x d_i.
    pub(super) X: Samples,
    /// Carries `L` (n x n, sparse).
    pub(super) graph: &'a Graph,
    /// The factor, n x k.
    pub(super) U: Dense<f64>,
    /// Stands for `X' U`, d_i x k.
    pub(super) D: Dense<f64>,
    /// Sparse corruption, n x d_i.
    pub(super) E: Dense<f64>,
    /// Stands for `U`, not negative, n x k.
    pub(super) G: Dense<f64>,
    /// Multiplier of `X = U D' + E`, n x d_i.
    pub(super) K1: Dense<f64>,
    /// Multiplier of `U = G`, n x k.
    pub(super) K2: Dense<f64>,
    /// Multiplier of `D = X' U`, d_i x k.
    pub(super) K3: Dense<f64>,
    /// Penalty.
    pub(super) mu: f64,
}

impl<'a> State<'a> {
    /// `D = X' U` and `G` as given; no corruption, no multipliers.
    pub(super) fn new(X: Samples, graph: &'a Graph, U: Dense<f64>, G: Dense<f64>, mu: f64) -> Self {
        let (n, d, k) = (U.rows(), X.features(), U.cols());
        let D = X.transposed_times(&U);
        let (E, K1) = (Dense::zeros(n, d), Dense::zeros(n, d));
        Self { X, graph, U, D, E, G, K1, K2: Dense::zeros(n, k), K3: Dense::zeros(d, k), mu }
    }

    /// Gives the clusters other numbers: column `order[j]` comes to place j. Nothing in Eq. `argumented` changes by it
    /// but the distance to the other views.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        for matrix in [&mut self.U, &mut self.D, &mut self.G, &mut self.K2, &mut self.K3] {
            *matrix = Dense::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix.get(i, order[j]));
        }
    }
}

/// Walks over the entries of `X - U D'` (n x d_i) beside those of `A` and `B` (n x d_i), and adds up what `rule` gives.
/// The product is made in row chunks: it is never there as a whole.
pub(super) fn over_residual(
    X: &Samples,
    (U, D): (&Dense<f64>, &Dense<f64>),
    A: &mut Dense<f64>,
    B: &mut Dense<f64>,
    rule: impl Fn(f64, &mut f64, &mut f64) -> f64 + Sync,
) -> f64 {
    let (d, k) = (D.rows().max(1), D.cols());
    let chunks = A.data_mut().par_chunks_mut(d * ROW_CHUNK).zip(B.data_mut().par_chunks_mut(d * ROW_CHUNK));
    let parts = chunks.enumerate().map_init(Vec::new, |residual, (part, (a, b))| {
        let first = part * ROW_CHUNK;
        residual.resize(a.len(), 0.0);
        let U = &U.data()[first * k..first * k + a.len() / d * k];
        f64::product_transposed(residual, U, D.data(), k);
        X.subtract_from(first, residual);
        residual.iter().zip(a.iter_mut().zip(b)).map(|(r, (a, b))| rule(*r, a, b)).sum::<f64>()
    });
    parts.collect::<Vec<f64>>().iter().sum()
}
