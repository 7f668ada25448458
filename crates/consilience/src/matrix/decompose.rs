//! Small dense factorisations, behind one door so that faer's solvers are compiled in one place.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

use super::Dense;
use crate::{Error, Result};

/// Eigenvalues in falling order, eigenvectors in the columns at the same places.
pub(crate) struct SymmetricEigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
}

/// All eigenpairs of a symmetric matrix, of which the lower triangle is read. On the calling thread: faer's own threads
/// would make the last digits depend on their number.
pub(crate) fn symmetric_eigen(a: MatRef<'_, f64>) -> Result<SymmetricEigen> {
    let n = a.nrows();
    let mut rising = Mat::<f64>::zeros(n, n);
    let mut sizes = faer::diag::Diag::<f64>::zeros(n);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::try_new(scratch).map_err(|_| Error::data("there is no memory for eigenvectors"))?;
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a, sizes.as_mut(), Some(rising.as_mut()), Par::Seq, stack, Default::default())
        .map_err(|_| Error::data("the eigenvalues of a matrix could not be found: its entries are not finite"))?;
    // faer sorts upwards; we want the largest first
    let values = (0..n).rev().map(|j| sizes[j]).collect();
    let vectors = Mat::from_fn(n, n, |i, j| rising[(i, n - 1 - j)]);
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
    // faer writes the lower triangle
    for i in 0..n {
        for j in 0..i {
            let x = a.get(i, j);
            a.data_mut()[j * n + i] = x;
        }
    }
    Ok(())
}

/// `f(a)` of a small symmetric matrix, through its eigenvalues: an inverse, a root.
pub(crate) fn symmetric_function(a: &Dense<f64>, f: impl Fn(f64) -> f64) -> Result<Dense<f64>> {
    let SymmetricEigen { values, vectors } = symmetric_eigen(a.as_mat())?;
    let values: Vec<f64> = values.into_iter().map(f).collect();
    let entry = |i, j| values.iter().enumerate().map(|(m, w)| vectors[(i, m)] * w * vectors[(j, m)]).sum();
    Ok(Dense::from_fn(a.rows(), a.rows(), entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_by_hand() {
        let a = Dense::new(2, 2, vec![2.0, 1.0, 1.0, 2.0]).unwrap();
        let inverse = symmetric_function(&a, |w| 1.0 / w).unwrap();
        let expected = [2.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
        assert!(inverse.data().iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14));
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
        let a = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
        let eigen = symmetric_eigen(a.as_ref()).unwrap();
        assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12);
        assert!((eigen.vectors[(0, 0)] - eigen.vectors[(1, 0)]).abs() < 1e-12);
    }
}
