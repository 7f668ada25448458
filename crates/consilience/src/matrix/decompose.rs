//! Small dense factorisations, behind one door so that faer's solvers are compiled in one place.

use faer::{Mat, MatRef, Side};

use super::{Dense, multiply_small};
use crate::{Error, Result};

/// Eigenvalues in falling order, eigenvectors in the columns at the same places.
pub(crate) struct SymmetricEigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
}

/// All eigenpairs of a small symmetric matrix.
pub(crate) fn symmetric_eigen(a: MatRef<'_, f64>) -> Result<SymmetricEigen> {
    // faer sorts upwards; we want the largest first
    let eigen = a
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| Error::data("the eigenvalues of a small matrix could not be found: its entries are not finite"))?;
    let n = a.nrows();
    let values = (0..n).rev().map(|j| eigen.S()[j]).collect();
    let vectors = Mat::from_fn(n, n, |i, j| eigen.U()[(i, n - 1 - j)]);
    Ok(SymmetricEigen { values, vectors })
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
    fn two_by_two_by_hand() {
        let a = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
        let eigen = symmetric_eigen(a.as_ref()).unwrap();
        assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12);
        assert!((eigen.vectors[(0, 0)] - eigen.vectors[(1, 0)]).abs() < 1e-12);
    }
}
