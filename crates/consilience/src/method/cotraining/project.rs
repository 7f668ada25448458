//! The eigenvectors of projected similarities, without the n x n matrix.
//!
//! Algorithm 1 of the paper: S = sym(K B B') with B = [U_w, w != v] (n x r), then the top eigenvectors of
//! |D|^-1/2 S |D|^-1/2. S has rank 2r at most, S = (K B B' + B (K B)') / 2. With an orthonormal basis Q of the columns of
//! [P, R] = |D|^-1/2 [K B, B] its eigenvectors are Q times those of the small Q' |D|^-1/2 S |D|^-1/2 Q. Exact, in O(n r) memory.

use faer::Mat;
use rayon::prelude::*;

use crate::Result;
use crate::matrix::{Csr, Dense, ROW_CHUNK, column_sums, gram, multiply_small, orthonormal_columns, symmetric_eigen};
use crate::operator::multiply_sparse;

/// A row sum below this share of the largest is none: dividing by its root would only blow up rounding errors.
const NO_DEGREE: f64 = 1e-12;
/// An eigenvalue below this share of the largest is zero; its vector is any vector.
const NO_VALUE: f64 = 1e-12;

/// The eigenvectors of the `wanted` largest positive eigenvalues, n x `wanted` (fewer where there are fewer), and the sum
/// of those eigenvalues; nothing when there is none.
pub(super) fn eigenvectors(K: &Csr<f64>, B: &Dense<f64>, wanted: usize) -> Result<Option<(Dense<f64>, f64)>> {
    let (n, r) = (B.rows(), B.cols());
    let mut KB = Dense::zeros(n, r);
    multiply_sparse(K, B, &mut KB);
    let both = scaled(&KB, B, &row_sums(&KB, B));
    let (P, R) = both.as_ref().split_at_col(r);
    let Q = orthonormal_columns(both.as_ref(), wanted);
    if Q.ncols() == 0 {
        return Ok(None);
    }
    // Q'P and Q'R, (columns of Q) x r
    let (QP, QR) = (gram(Q.as_ref(), P), gram(Q.as_ref(), R));
    let half = &QP * QR.transpose();
    let eigen = symmetric_eigen((0.5 * (&half + half.transpose())).as_ref())?;
    let largest = eigen.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let kept = eigen.values.iter().take(wanted).take_while(|&&value| value > NO_VALUE * largest).count();
    if kept == 0 {
        return Ok(None);
    }
    let mut U = Dense::zeros(n, kept);
    multiply_small(U.as_mat_mut(), Q.as_ref(), eigen.vectors.as_ref().subcols(0, kept));
    Ok(Some((U, eigen.values[..kept].iter().sum())))
}

/// The sizes of the row sums of S. S has negative entries, and whole rows may be negative (the paper does not say what
/// then; its authors' code takes the absolute value).
fn row_sums(KB: &Dense<f64>, B: &Dense<f64>) -> Vec<f64> {
    // S 1 = (KB (B'1) + B (KB'1)) / 2
    let (of_B, of_KB) = (column_sums(B, B, |x, _| x), column_sums(KB, KB, |x, _| x));
    let width = B.cols().max(1);
    let rows = KB.data().par_chunks(width).zip(B.data().par_chunks(width)).with_min_len(ROW_CHUNK);
    let dot = |row: &[f64], sums: &[f64]| row.iter().zip(sums).map(|(x, sum)| x * sum).sum::<f64>();
    rows.map(|(KB, B)| (0.5 * (dot(KB, &of_B) + dot(B, &of_KB))).abs()).collect()
}

/// `[P, R] = |D|^-1/2 [KB, B]`, n x 2r; a sample without a row sum has a zero row.
fn scaled(KB: &Dense<f64>, B: &Dense<f64>, degrees: &[f64]) -> Mat<f64> {
    let largest = degrees.iter().fold(0.0_f64, |most, &degree| most.max(degree));
    let root = |&degree: &f64| if degree > NO_DEGREE * largest { 1.0 / degree.sqrt() } else { 0.0 };
    let scale: Vec<f64> = degrees.iter().map(root).collect();
    let r = B.cols();
    Mat::from_fn(B.rows(), 2 * r, |i, j| scale[i] * if j < r { KB.get(i, j) } else { B.get(i, j - r) })
}
