//! The variables of one view (Eq. `argumented`), where they start, and the walk over the residual.

use rayon::prelude::*;

use super::{AdmmStart, AdmmUpdates, SlrmfAdmm, printed};
use crate::graph::Graph;
use crate::matrix::{Dense, ROW_CHUNK, Real, column_sums, frobenius, update_entries};
use crate::method::common::indicator;
use crate::operator::{LinOp, TopEigen};
use crate::spectral::{KMeans, embed};
use crate::views::two_sided::TwoSided;
use crate::{Error, Result, Run, View, Views};

/// The matrices of the size of the views together must not take more than this.
const MAX_BYTES: u64 = 8 << 30;

/// Weights of the terms of Eq. `object` for one view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) lambda1: f64,
    pub(super) lambda2: f64,
    pub(super) beta: f64,
}

/// The other views, as the agreement term sees them.
pub(super) struct Others {
    /// `sum_j U_j`, n x k.
    pub(super) sum: Dense<f64>,
    /// `|V| - 1`.
    pub(super) count: usize,
}

/// How far a pass changed a view: norms of differences.
pub(super) struct Change {
    /// `|X - U D' - E|`.
    pub(super) residual: f64,
    pub(super) U: f64,
    pub(super) G: f64,
    pub(super) E: f64,
}

/// One view. `X`, `E` and `K1` are the paper's transposed (samples are rows here); the rest is as in the paper.
pub(super) struct State<'a> {
    /// The data, n x d_i.
    pub(super) X: TwoSided,
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
    /// View number `i` before the first pass.
    pub(super) fn initial(
        method: &SlrmfAdmm,
        i: usize,
        view: &View,
        graph: &'a Graph,
        labels: &[usize],
        k: usize,
        seed: u64,
    ) -> Self {
        let X = TwoSided::new(&view.data);
        let U = initial_factor(method, &X, labels, k);
        let mu = method.penalty_unit() * method.mu0;
        match method.updates {
            AdmmUpdates::Derived => Self::new(X, graph, U.clone(), U, mu),
            AdmmUpdates::Printed => {
                let G = Dense::zeros(U.rows(), U.cols());
                let mut state = Self::new(X, graph, U, G, mu);
                if method.robust {
                    printed::noise(&mut state.E, seed, i);
                }
                state
            }
        }
    }

    /// `D = X' U` and `G` as given; no corruption, no multipliers.
    pub(super) fn new(X: TwoSided, graph: &'a Graph, U: Dense<f64>, G: Dense<f64>, mu: f64) -> Self {
        let (n, d, k) = (U.rows(), X.features(), U.cols());
        let D = X.transposed_times(&U);
        let (E, K1) = (Dense::zeros(n, d), Dense::zeros(n, d));
        Self { X, graph, U, D, E, G, K1, K2: Dense::zeros(n, k), K3: Dense::zeros(d, k), mu }
    }

    /// Numbers the clusters anew: column `order[j]` becomes column j. Nothing in Eq. `argumented` changes by it
    /// but the distance to the other views.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        for matrix in [&mut self.U, &mut self.D, &mut self.G, &mut self.K2, &mut self.K3] {
            *matrix = Dense::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix.get(i, order[j]));
        }
    }

    /// The view's term of Eq. `object`: `1/2 |U|^2 + lambda1 |E|_1 + lambda2 Tr(U'LU) + beta/2 sum_j |U - U_j|^2`.
    pub(super) fn objective(&self, others: &[&Dense<f64>], terms: &Terms) -> f64 {
        let Self { U, E, graph, .. } = self;
        let mut LU = Dense::zeros(U.rows(), U.cols());
        graph.laplacian().apply(U, &mut LU);
        let total =
            |a: &Dense<f64>, b: &Dense<f64>, term: fn(f64, f64) -> f64| column_sums(a, b, term).iter().sum::<f64>();
        let apart: f64 = others.iter().map(|other| total(U, other, |x, y| (x - y) * (x - y))).sum();
        0.5 * frobenius(U).powi(2)
            + terms.lambda1 * total(E, E, |x, _| x.abs())
            + terms.lambda2 * total(U, &LU, |x, y| x * y)
            + 0.5 * terms.beta * apart
    }
}

/// Walks over the entries of `X - U D'` (n x d_i) beside those of `A` and `B` (n x d_i), and adds up what `rule` gives.
/// The product is made in row chunks: it is never there as a whole.
pub(super) fn over_residual(
    X: &TwoSided,
    (U, D): (&Dense<f64>, &Dense<f64>),
    A: &mut Dense<f64>,
    B: &mut Dense<f64>,
    rule: impl Fn(f64, &mut f64, &mut f64) -> f64 + Sync,
) -> f64 {
    let (d, k) = (D.rows().max(1), D.cols());
    let chunks = A.data_mut().par_chunks_mut(d * ROW_CHUNK).zip(B.data_mut().par_chunks_mut(d * ROW_CHUNK));
    let sums = chunks.enumerate().map_init(Vec::new, |residual, (chunk, (a, b))| {
        let first = chunk * ROW_CHUNK;
        residual.resize(a.len(), 0.0);
        let U = &U.data()[first * k..first * k + a.len() / d * k];
        f64::product_transposed(residual, U, D.data(), k);
        X.subtract_from(first, residual);
        residual.iter().zip(a.iter_mut().zip(b)).map(|(r, (a, b))| rule(*r, a, b)).sum::<f64>()
    });
    sums.collect::<Vec<f64>>().iter().sum()
}

/// Refuses views for which E and its like would not fit.
pub(super) fn check_memory(views: &Views) -> Result<()> {
    let entries = views.iter().map(|view| (view.data.rows() as u64).saturating_mul(view.data.cols() as u64));
    let bytes = entries.fold(0_u64, u64::saturating_add).saturating_mul(3 * 8);
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(Error::data_with_hint(
        format!(
            "the paper's iteration keeps X, E and K1 of every view, all dense: {:.1} GiB for these views, and at most \
             {:.0} GiB are allowed",
            gib(bytes),
            gib(MAX_BYTES)
        ),
        "use `slrmf`, or views with fewer features",
    ))
}

/// The clusters of a view by itself: "we adopt the spectral clustering outcome with the clustering number to be d".
pub(super) fn own_labels(graph: &Graph, k: usize, seed: u64, run: &Run) -> Result<Vec<usize>> {
    if k >= graph.len() {
        return Ok((0..graph.len()).collect());
    }
    let eigen = TopEigen { seed, ..TopEigen::new(k) }.solve(graph.normalised().as_ref(), None, run)?;
    Ok(KMeans { seed, ..KMeans::new(k) }.fit_observed(&embed(eigen.vectors), run)?.labels)
}

/// `U[0]`, n x k.
fn initial_factor(method: &SlrmfAdmm, X: &TwoSided, labels: &[usize], k: usize) -> Dense<f64> {
    match (method.start, method.updates) {
        // N6: the columns of 1 / |C_k| are orthogonal but not of unit length
        (AdmmStart::Indicator, AdmmUpdates::Printed) => indicator_power(labels, k, 1.0),
        (AdmmStart::Indicator, AdmmUpdates::Derived) => indicator_power(labels, k, 0.5),
        (AdmmStart::Anchors, AdmmUpdates::Printed) => anchor_similarity(X, labels, k),
        (AdmmStart::Anchors, AdmmUpdates::Derived) => unit_columns(anchor_similarity(X, labels, k)),
    }
}

/// `1 / |C_j|^power` where sample l is in cluster j, n x k. The columns are orthonormal for a power of 1/2.
pub(super) fn indicator_power(labels: &[usize], k: usize, power: f64) -> Dense<f64> {
    indicator(labels, k, |size| size.powf(-power))
}

/// Eq. `gaussian` between samples and cluster centres, n x k. The text names no sigma for it; ours is the median
/// distance of a sample to the centre of its own cluster, so that the similarity is free of scale.
fn anchor_similarity(X: &TwoSided, labels: &[usize], k: usize) -> Dense<f64> {
    let centres = X.transposed_times(&indicator_power(labels, k, 1.0));
    let centre_squares = column_sums(&centres, &centres, |x, y| x * y);
    let mut S = Dense::zeros(labels.len(), k);
    X.add_times(&mut S, &centres, -2.0);
    let squares = X.row_squares();
    for (l, row) in S.data_mut().chunks_exact_mut(k.max(1)).enumerate() {
        row.iter_mut().zip(&centre_squares).for_each(|(x, c)| *x = (*x + squares[l] + c).max(0.0));
    }
    let mut own: Vec<f64> = labels.iter().enumerate().map(|(l, &j)| S.get(l, j)).collect();
    let middle = own.len() / 2;
    let sigma_square = if own.is_empty() { 1.0 } else { *own.select_nth_unstable_by(middle, f64::total_cmp).1 };
    let width = 2.0 * sigma_square.max(f64::MIN_POSITIVE);
    S.data_mut().iter_mut().for_each(|x| *x = if *x > 0.0 { (-*x / width).exp() } else { 1.0 });
    S
}

/// Every column to length 1, "within the same magnitude so as to perform the agreement minimization".
fn unit_columns(mut S: Dense<f64>) -> Dense<f64> {
    if frobenius(&S) > 0.0 {
        let squares = column_sums(&S, &S, |x, y| x * y);
        let copy = S.clone();
        update_entries(&mut S, &copy, |x, _, j| if squares[j] > 0.0 { x / squares[j].sqrt() } else { 0.0 });
    }
    S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_of_the_size_makes_orthonormal_columns() {
        let labels = [0, 0, 0, 0, 1];
        let length = |power: f64| frobenius(&indicator_power(&labels, 2, power).first_columns(1));
        assert_eq!((length(0.5), length(1.0)), (1.0, 0.5), "N6");
        assert_eq!(indicator_power(&labels, 3, 0.5).row(4), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn anchors_by_hand() {
        // one feature; centres 1 and 10; own squared distances 1, 1, 0: sigma = 1
        let X = TwoSided::unscaled(&Dense::new(3, 1, vec![0.0, 2.0, 10.0]).unwrap().into());
        let S = anchor_similarity(&X, &[0, 0, 1], 2);
        let expected =
            [(-0.5_f64).exp(), (-50.0_f64).exp(), (-0.5_f64).exp(), (-32.0_f64).exp(), (-40.5_f64).exp(), 1.0];
        assert!(S.data().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
        let unit = unit_columns(S);
        assert!((frobenius(&unit.first_columns(1)) - 1.0).abs() < 1e-14);
    }
}
