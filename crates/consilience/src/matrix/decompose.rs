//! Small dense factorisations, behind one door so that faer's solvers are compiled in one place.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::traits::RealField;
use faer::{Mat, MatMut, MatRef, Par};

use super::product::release_wide_registers;
use super::{Dense, gram, multiply_small, subtract_product};
use crate::{Error, Result};

/// A column of which less than this share is left when its projection is taken away was dependent; what is left is
/// rounding noise.
const DEPENDENT: f64 = 1e-13;

/// The least ratio of pivots of a Cholesky factor whose columns count as independent.
const WELL_CONDITIONED: f64 = 1e-3;

/// Eigenvalues in falling order, eigenvectors in the columns at the same places.
pub(crate) struct SymmetricEigen<T = f64> {
    pub(crate) values: Vec<T>,
    pub(crate) vectors: Mat<T>,
}

/// All eigenpairs of a symmetric matrix, of which the lower triangle is read. On the calling thread: faer's own threads
/// would make the last digits depend on their number.
pub(crate) fn symmetric_eigen<T: RealField + Copy>(a: MatRef<'_, T>) -> Result<SymmetricEigen<T>> {
    let n = a.nrows();
    let (mut rising, mut columns) = (Diag::<T>::zeros(n), Mat::<T>::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::try_new(scratch).map_err(|_| Error::data("there is no memory for eigenvectors"))?;
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a, rising.as_mut(), Some(columns.as_mut()), Par::Seq, stack, Default::default())
        .map_err(|_| Error::data("the eigenvalues of a matrix could not be found: its entries are not finite"))?;
    release_wide_registers();
    // faer sorts upwards; we want the largest first
    let values = (0..n).rev().map(|j| rising[j]).collect();
    let vectors = Mat::from_fn(n, n, |i, j| columns[(i, n - 1 - j)]);
    Ok(SymmetricEigen { values, vectors })
}

/// Replaces a symmetric positive definite matrix by its inverse, through its Cholesky factor. On the calling thread.
pub(crate) fn invert_positive(a: &mut Dense<f64>) -> Result<()> {
    let n = a.rows();
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch.or(llt::inverse::inverse_scratch::<f64>(n, Par::Seq)));
    let stack = MemStack::new(&mut memory);
    let mut factor = a.as_mat().to_owned();
    llt::factor::cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default()).map_err(
        |_| Error::data("a matrix that must be positive definite is not: the numbers are too large or small"),
    )?;
    llt::inverse::inverse(a.as_mat_mut(), factor.as_ref(), Par::Seq, stack);
    release_wide_registers();
    // faer writes the lower triangle
    for i in 0..n {
        for j in 0..i {
            let x = a.get(i, j);
            a.data_mut()[j * n + i] = x;
        }
    }
    Ok(())
}

/// Orthonormal columns with the span of the tall `a` (n x r), by the Cholesky factor of `a'a`: the cheapest way, for columns
/// that are far from dependent. `None` when they are not.
pub(crate) fn cholesky_orthonormal(a: &Dense<f64>) -> Option<Dense<f64>> {
    let mut factor = gram(a.as_mat(), a.as_mat());
    let r = factor.nrows();
    let mut memory = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(r, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default()).ok()?;
    release_wide_registers();
    let diagonal = || (0..r).map(|j| factor[(j, j)]);
    let (least, most) = (diagonal().fold(f64::INFINITY, f64::min), diagonal().fold(0.0, f64::max));
    // the columns are orthogonal up to rounding times the square of this ratio
    if least.is_nan() || least <= WELL_CONDITIONED * most {
        return None;
    }
    let mut inverse = Mat::<f64>::identity(r, r);
    solve_lower_triangular_in_place(factor.as_ref(), inverse.as_mut(), Par::Seq);
    let mut out = Dense::zeros(a.rows(), r);
    multiply_small(out.as_mat_mut(), a.as_mat(), inverse.transpose());
    Some(out)
}

/// `f(a)` of a small symmetric matrix, through its eigenvalues: an inverse, a root.
pub(crate) fn symmetric_function(a: &Dense<f64>, f: impl Fn(f64) -> f64) -> Result<Dense<f64>> {
    let SymmetricEigen { values, vectors } = symmetric_eigen(a.as_mat())?;
    let n = a.rows();
    let values: Vec<f64> = values.into_iter().map(f).collect();
    let scaled = Mat::from_fn(n, n, |i, m| vectors[(i, m)] * values[m]);
    let mut out = Dense::zeros(n, n);
    multiply_small(out.as_mat_mut(), scaled.as_ref(), vectors.transpose());
    Ok(out)
}

/// Orthonormal columns that span those of the tall matrix `a`; dependent ones are dropped. Made block by block of
/// `width` columns by Gram and Schmidt's method, twice: as exact as Householder's, also for directions that are many
/// digits shorter than the others, which a way through `a'a` would lose.
pub(crate) fn orthonormal_columns(a: MatRef<'_, f64>, width: usize) -> Mat<f64> {
    let mut basis = Mat::zeros(a.nrows(), a.ncols().min(a.nrows()));
    let mut used = 0;
    for from in (0..a.ncols()).step_by(width.max(1)) {
        let mut block = a.subcols(from, width.min(a.ncols() - from)).to_owned();
        // the second time nothing new is taken away, unless the column was noise
        for least_left in [DEPENDENT, 0.5] {
            let lengths: Vec<f64> = (0..block.ncols()).map(|j| block.col(j).norm_l2()).collect();
            take_away(block.as_mut(), basis.as_ref().subcols(0, used));
            block = independent(block, &lengths, least_left);
        }
        let kept = block.ncols().min(basis.ncols() - used);
        basis.as_mut().subcols_mut(used, kept).copy_from(block.as_ref().subcols(0, kept));
        used += kept;
    }
    basis.truncate(a.nrows(), used);
    basis
}

/// `block -= basis (basis' block)`.
fn take_away(block: MatMut<'_, f64>, basis: MatRef<'_, f64>) {
    if basis.ncols() > 0 && block.ncols() > 0 {
        let overlap = gram(basis, block.as_ref());
        subtract_product(block, basis, overlap.as_ref());
    }
}

/// Unit columns orthogonal to each other, without those of which less than `least_left` of their length remains.
fn independent(mut block: Mat<f64>, lengths: &[f64], least_left: f64) -> Mat<f64> {
    let mut kept = 0;
    for j in 0..block.ncols() {
        let mut column = block.as_ref().subcols(j, 1).to_owned();
        for _ in 0..2 {
            take_away(column.as_mut(), block.as_ref().subcols(0, kept));
        }
        let left = column.norm_l2();
        if left > least_left * lengths[j] {
            column /= left;
            block.as_mut().subcols_mut(kept, 1).copy_from(&column);
            kept += 1;
        }
    }
    block.truncate(block.nrows(), kept);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_direction_is_kept_exactly_and_a_dependent_one_dropped() {
        // columns: x, x + 1e-9 y, 2x, z; a Gram matrix cannot see y (1e-18 next to 1)
        let unit = |i: usize, k: usize| if i == k { 1.0 } else { 0.0 };
        let a = Mat::from_fn(6, 4, |i, j| match j {
            0 => unit(i, 0),
            1 => unit(i, 0) + 1e-9 * unit(i, 1),
            2 => 2.0 * unit(i, 0),
            _ => unit(i, 5),
        });
        for width in [1, 2, 3, 4] {
            let q = orthonormal_columns(a.as_ref(), width);
            assert_eq!(q.ncols(), 3, "blocks of {width}");
            assert!((q.transpose() * &q - Mat::<f64>::identity(3, 3)).norm_max() < 1e-15);
            assert!((0..6).all(|i| (q[(i, 1)].abs() - unit(i, 1)).abs() < 1e-15), "y itself");
        }
        assert_eq!(orthonormal_columns(Mat::<f64>::zeros(3, 2).as_ref(), 2).ncols(), 0);
    }

    #[test]
    fn independent_columns_are_made_orthonormal_by_their_cholesky_factor() {
        let a = Dense::from_fn(30, 3, |i, j| ((i * (j + 1)) as f64).sin() + j as f64);
        let q = cholesky_orthonormal(&a).unwrap();
        assert!((gram(q.as_mat(), q.as_mat()) - Mat::<f64>::identity(3, 3)).norm_max() < 1e-12);
        let inside = gram(q.as_mat(), a.as_mat());
        assert!((q.as_mat() * inside - a.as_mat()).norm_max() < 1e-12, "the same span");
        let dependent = Dense::from_fn(30, 2, |i, j| (i as f64).cos() * (1.0 + j as f64));
        assert!(cholesky_orthonormal(&dependent).is_none());
        assert!(cholesky_orthonormal(&Dense::from_fn(3, 1, |_, _| f64::NAN)).is_none());
    }

    #[test]
    fn more_columns_than_rows_give_a_full_basis() {
        let a = Mat::from_fn(20, 50, |i, j| (((i + 1) * (7 * i + 3 * j)) as f64).sin());
        let q = orthonormal_columns(a.as_ref(), 8);
        assert_eq!(q.ncols(), 20);
        assert!((q.transpose() * &q - Mat::<f64>::identity(20, 20)).norm_max() < 1e-13);
        assert!((&q * (q.transpose() * &a) - &a).norm_max() < 1e-12);
    }

    #[test]
    fn an_inverse_by_hand() {
        let a = Dense::new(2, 2, vec![2.0, 1.0, 1.0, 2.0]).unwrap();
        let inverse = symmetric_function(&a, |w| 1.0 / w).unwrap();
        let expected = [2.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
        assert!(inverse.data().iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14));
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let a = Mat::from_fn(300, 300, |i, j| (1.0 + ((i * j) % 17) as f64).recip() + f64::from(u8::from(i == j)));
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let eigen = pool.install(|| symmetric_eigen(a.as_ref())).unwrap();
            (eigen.values, eigen.vectors)
        };
        assert!(with_threads(1) == with_threads(3));
    }

    #[test]
    fn a_positive_matrix_times_its_inverse_is_one() {
        let a = Dense::from_fn(60, 60, |i, j| f64::from(u8::from(i == j)) + 1.0 / (1 + i + j) as f64);
        let mut inverse = a.clone();
        invert_positive(&mut inverse).unwrap();
        let product = a.as_mat() * inverse.as_mat();
        assert!((product - Mat::<f64>::identity(60, 60)).norm_max() < 1e-12);
        assert!(invert_positive(&mut Dense::from_fn(2, 2, |i, j| (i + j) as f64)).is_err());
    }

    #[test]
    fn two_by_two_by_hand() {
        let a = Mat::from_fn(2, 2, |i, j| if i == j { 2.0_f64 } else { 1.0 });
        let eigen = symmetric_eigen(a.as_ref()).unwrap();
        assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12);
        assert!((eigen.vectors[(0, 0)] - eigen.vectors[(1, 0)]).abs() < 1e-12);
    }
}
