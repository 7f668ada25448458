//! What several methods need: indicators of clusters, matrices side by side, subspaces, and singular
//! value thresholding.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

mod svt;
#[cfg(test)]
pub(crate) mod test_support;

pub use svt::Precision;
pub(super) use svt::{EIGEN_WORKSPACE, MEMORY_HINT, SingularValueThreshold, Thresholded, in_precision};

use faer::Mat;

use crate::Result;
use crate::matrix::{Dense, gram, multiply_small, symmetric_eigen};
use crate::operator::{EigenPairs, LowRank, MOST_FURTHER};

/// A direction that the views share less than this is rounding noise.
const MIN_SHARED: f64 = 1e-12;

/// Weights of views that all count the same; they sum to 1.
pub(super) fn equal_weights(views: usize) -> Vec<f64> {
    vec![1.0 / views as f64; views]
}

/// `[A_1 .. A_V]`, n x (sum of their columns).
pub(super) fn hstack(blocks: &[&Dense<f64>]) -> Dense<f64> {
    weighted_hstack(blocks, |_| 1.0)
}

/// `[c_1 A_1 .. c_V A_V]` with `c_v = coefficient(v)`, n x (sum of their columns).
pub(super) fn weighted_hstack(blocks: &[&Dense<f64>], coefficient: impl Fn(usize) -> f64) -> Dense<f64> {
    let rows = blocks.first().map_or(0, |block| block.rows());
    let cols = blocks.iter().map(|block| block.cols()).sum();
    let mut joint = Dense::zeros(rows, cols);
    let width = cols.max(1);
    for (i, row) in joint.data_mut().chunks_exact_mut(width).enumerate() {
        let mut from = 0;
        for (v, block) in blocks.iter().enumerate() {
            let c = coefficient(v);
            let target = &mut row[from..from + block.cols()];
            target.iter_mut().zip(block.row(i)).for_each(|(out, x)| *out = c * x);
            from += block.cols();
        }
    }
    joint
}

/// The indicator of clusters, n x k: entry (l, j) is `height(size of cluster j)` where sample l is in cluster j. An empty
/// cluster has a zero column.
pub(super) fn indicator(labels: &[usize], clusters: usize, height: impl Fn(f64) -> f64) -> Dense<f64> {
    let mut sizes = vec![0.0_f64; clusters];
    labels.iter().for_each(|&label| sizes[label] += 1.0);
    let heights: Vec<f64> = sizes.into_iter().map(height).collect();
    Dense::from_fn(labels.len(), clusters, |l, j| if labels[l] == j { heights[j] } else { 0.0 })
}

/// The column of the largest entry of each row; the first of equals.
pub(super) fn argmax_rows(matrix: &Dense<f64>) -> Vec<usize> {
    let argmax = |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    matrix.iter_rows().map(argmax).collect()
}

/// `1/V sum_v U_v U_v'`: the mean of the projections on the views' subspaces, given by embeddings `U_v` (n x k, orthonormal
/// columns). Symmetric, eigenvalues from 0 to 1; 1 for a direction that every view has.
pub(super) fn mean_projector(U: &[&Dense<f64>]) -> LowRank {
    let scale = 1.0 / (U.len().max(1) as f64).sqrt();
    LowRank::new(weighted_hstack(U, |_| scale))
}

/// The top `k` eigenpairs of `B B'` (B is n x r): `U* = B Y S^-1/2` with the eigenpairs `Y S Y'` of the small `B'B`. The mean
/// of V projectors of rank k has k eigenvalues of 1/V or more, so nothing is lost by the way through `B'B`.
pub(super) fn shared_directions(projector: &LowRank, k: usize) -> Result<EigenPairs> {
    let B = projector.factor();
    let small = symmetric_eigen(gram(B.as_mat(), B.as_mat()).as_ref())?;
    let shared: Vec<f64> = small.values.into_iter().take_while(|&value| value > MIN_SHARED).collect();
    let (values, further) = shared.split_at(k.min(shared.len()));
    let turn = Mat::from_fn(B.cols(), values.len(), |i, j| small.vectors[(i, j)] / values[j].sqrt());
    let mut vectors = Dense::zeros(B.rows(), values.len());
    if !values.is_empty() {
        multiply_small(vectors.as_mat_mut(), B.as_mat(), turn.as_ref());
    }
    let (values, further) = (values.to_vec(), further.iter().take(MOST_FURTHER).copied().collect());
    Ok(EigenPairs { values, vectors, residual: 0.0, products: 0, converged: true, further })
}

/// `|A'B|^2`, the sum of squares: how much of one subspace lies in the other.
pub(super) fn overlap(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
    gram(A.as_mat(), B.as_mat()).squared_norm_l2()
}

/// `|AA' - BB'|` relative to its largest possible value: 0 for equal subspaces, 1 for orthogonal ones.
pub(super) fn subspace_distance(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
    let k = A.cols().max(B.cols()).max(1) as f64;
    (1.0 - overlap(A, B) / k).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::frobenius;

    #[test]
    fn matrices_side_by_side() {
        let (a, b) = (Dense::new(2, 1, vec![1.0, 2.0]).unwrap(), Dense::new(2, 2, vec![3.0, 4.0, 5.0, 6.0]).unwrap());
        assert_eq!(hstack(&[&a, &b]).data(), [1.0, 3.0, 4.0, 2.0, 5.0, 6.0]);
        assert_eq!(weighted_hstack(&[&a, &b], |v| [0.5, 2.0][v]).row(1), [1.0, 10.0, 12.0]);
        assert_eq!(hstack(&[]).data().len(), 0);
    }

    #[test]
    fn indicators_and_their_labels() {
        let labels = [0, 0, 0, 0, 1];
        let orthonormal = indicator(&labels, 3, |size| 1.0 / size.sqrt());
        assert_eq!((frobenius(&orthonormal.first_columns(1)), orthonormal.row(4)), (1.0, &[0.0, 1.0, 0.0][..]));
        assert_eq!(argmax_rows(&orthonormal), labels);
        assert_eq!(argmax_rows(&Dense::new(2, 2, vec![3.0, 3.0, -2.0, -1.0]).unwrap()), [0, 1]);
    }

    /// Columns `axes` of the identity, 4 x (number of axes).
    fn axes(axes: &[usize]) -> Dense<f64> {
        Dense::from_fn(4, axes.len(), |i, j| if i == axes[j] { 1.0 } else { 0.0 })
    }

    #[test]
    fn two_planes_that_share_a_line() {
        let (a, b) = (axes(&[0, 1]), axes(&[2, 1]));
        let shared = shared_directions(&mean_projector(&[&a, &b]), 3).unwrap();
        assert!((shared.values[0] - 1.0).abs() < 1e-14 && (shared.values[1] - 0.5).abs() < 1e-14);
        assert!((shared.vectors.get(1, 0).abs() - 1.0).abs() < 1e-14);
        assert_eq!(shared_directions(&mean_projector(&[&a, &b]), 4).unwrap().values.len(), 3);
        assert!((overlap(&a, &b) - 1.0).abs() < 1e-15);
        assert!((subspace_distance(&a, &b) - 0.5_f64.sqrt()).abs() < 1e-15 && subspace_distance(&a, &a) == 0.0);
        assert_eq!(subspace_distance(&axes(&[0, 1]), &axes(&[2, 3])), 1.0);
    }
}
