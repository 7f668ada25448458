//! Small dense factorisations, behind one door so that faer's solvers are compiled in one place.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par, Spec};

use super::Dense;
use crate::{Error, Result};

/// Eigenvalues in falling order, eigenvectors in the columns at the same places.
pub(crate) struct SymmetricEigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
}

/// All eigenpairs of a small symmetric matrix.
pub(crate) fn symmetric_eigen(a: MatRef<'_, f64>) -> Result<SymmetricEigen> {
    let n = a.nrows();
    let (mut rising, mut columns) = (Diag::zeros(n), Mat::zeros(n, n));
    // not `a.self_adjoint_eigen`: that one takes all threads of the pool, and its sums depend on their number
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a, rising.as_mut(), Some(columns.as_mut()), Par::Seq, stack, Spec::default())
        .map_err(|_| Error::data("the eigenvalues of a small matrix could not be found: its entries are not finite"))?;
    // faer sorts upwards; we want the largest first
    let values = (0..n).rev().map(|j| rising[j]).collect();
    let vectors = Mat::from_fn(n, n, |i, j| columns[(i, n - 1 - j)]);
    Ok(SymmetricEigen { values, vectors })
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
    fn two_by_two_by_hand() {
        let a = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
        let eigen = symmetric_eigen(a.as_ref()).unwrap();
        assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12);
        assert!((eigen.vectors[(0, 0)] - eigen.vectors[(1, 0)]).abs() < 1e-12);
    }
}
