//! A view as iterations need it: products with it from both sides, its rows, its size. Sparse views stay sparse.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

use crate::matrix::{
    Csr, Dense, Matrix, add_product, column_sums, for_matrix, frobenius, from_mat, gram, update_entries,
};
use crate::operator::multiply_sparse;

/// The norm is needed as a scale, not as a result: this is far more than enough.
const NORM_TOLERANCE: f64 = 1e-9;
const NORM_ITERATIONS: usize = 300;

/// `X` (n x d_i) in double precision: the papers' X_i transposed, because samples are rows in this crate.
pub(crate) enum TwoSided {
    Dense(Dense<f64>),
    /// By rows for `X v`, by columns for `X' u`.
    Sparse {
        rows: Csr<f64>,
        columns: Csr<f64>,
    },
}

impl TwoSided {
    /// A view divided by its spectral norm. An all-zero view stays as it is.
    pub(crate) fn new(view: &Matrix) -> Self {
        let mut X = Self::unscaled(view);
        let norm = X.spectral_norm();
        if norm > 0.0 {
            X.divide(norm);
        }
        X
    }

    pub(crate) fn unscaled(view: &Matrix) -> Self {
        for_matrix!(
            view,
            dense m => Self::Dense(m.cast::<f64>()),
            sparse m => {
                let rows = m.cast::<f64>();
                Self::Sparse { columns: rows.transposed(), rows }
            },
        )
    }

    fn divide(&mut self, norm: f64) {
        let divide = |values: &mut [f64]| values.iter_mut().for_each(|x| *x /= norm);
        match self {
            Self::Dense(X) => divide(X.data_mut()),
            Self::Sparse { rows, columns } => {
                divide(rows.values_mut());
                divide(columns.values_mut());
            }
        }
    }

    /// n.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Dense(X) => X.rows(),
            Self::Sparse { rows, .. } => rows.rows(),
        }
    }

    /// d_i.
    pub(crate) fn features(&self) -> usize {
        match self {
            Self::Dense(X) => X.cols(),
            Self::Sparse { rows, .. } => rows.cols(),
        }
    }

    /// `out += factor X V`: `V` is d_i x b, `out` n x b.
    pub(crate) fn add_times(&self, out: &mut Dense<f64>, V: &Dense<f64>, factor: f64) {
        match self {
            Self::Dense(X) => add_product(out.as_mat_mut(), X.as_mat(), V.as_mat(), factor),
            Self::Sparse { rows, .. } => {
                let mut product = Dense::zeros(out.rows(), out.cols());
                multiply_sparse(rows, V, &mut product);
                update_entries(out, &product, |out, product, _| out + factor * product);
            }
        }
    }

    /// `X' U` (d_i x b), for `U` n x b.
    pub(crate) fn transposed_times(&self, U: &Dense<f64>) -> Dense<f64> {
        match self {
            Self::Dense(X) => from_mat(&gram(X.as_mat(), U.as_mat())),
            Self::Sparse { columns, .. } => {
                let mut out = Dense::zeros(columns.rows(), U.cols());
                multiply_sparse(columns, U, &mut out);
                out
            }
        }
    }

    /// `rows = X(first.., :) - rows`, for as many rows as there are.
    pub(crate) fn subtract_from(&self, first: usize, rows: &mut [f64]) {
        let d = self.features().max(1);
        match self {
            Self::Dense(X) => rows.iter_mut().zip(&X.data()[first * d..]).for_each(|(out, x)| *out = x - *out),
            Self::Sparse { rows: X, .. } => {
                rows.iter_mut().for_each(|out| *out = -*out);
                for (l, row) in rows.chunks_exact_mut(d).enumerate() {
                    X.entries(first + l).for_each(|(j, x)| row[j] += x);
                }
            }
        }
    }

    /// The squared length of every sample.
    pub(crate) fn row_squares(&self) -> Vec<f64> {
        let square = |values: &[f64]| values.iter().map(|x| x * x).sum();
        match self {
            Self::Dense(X) => X.iter_rows().map(square).collect(),
            Self::Sparse { rows, .. } => (0..rows.rows()).map(|l| square(rows.row(l).1)).collect(),
        }
    }

    /// `|X|`, the root of the sum of squares.
    pub(crate) fn frobenius(&self) -> f64 {
        match self {
            Self::Dense(X) => frobenius(X),
            Self::Sparse { .. } => self.row_squares().iter().sum::<f64>().sqrt(),
        }
    }

    /// The largest singular value, by power iteration on `X' X`.
    fn spectral_norm(&self) -> f64 {
        // any start that no data set is orthogonal to by construction
        let mut v = Dense::from_fn(self.features(), 1, |j, _| 1.0 + ((j * 7919) % 101) as f64 / 101.0);
        let mut norm = 0.0;
        for _ in 0..NORM_ITERATIONS {
            let length = frobenius(&v);
            if length == 0.0 {
                break;
            }
            v.data_mut().iter_mut().for_each(|x| *x /= length);
            let mut u = Dense::zeros(self.count(), 1);
            self.add_times(&mut u, &v, 1.0);
            let next = frobenius(&u);
            let settled = (next - norm).abs() <= NORM_TOLERANCE * next;
            norm = next;
            if settled {
                break;
            }
            v = self.transposed_times(&u);
        }
        norm
    }
}

/// Column sums of `X'`: the sum of all samples, d_i x 1.
pub(crate) fn sum_of_samples(X: &TwoSided) -> Dense<f64> {
    match X {
        TwoSided::Dense(X) => {
            let sums = column_sums(X, X, |x, _| x);
            Dense::from_fn(sums.len(), 1, |j, _| sums[j])
        }
        TwoSided::Sparse { columns, .. } => Dense::from_fn(columns.rows(), 1, |j, _| columns.row(j).1.iter().sum()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Dense<f64> {
        Dense::from_fn(30, 4, |i, j| if (i + 2 * j) % 3 == 0 { (i * (j + 1) % 7) as f64 - 2.0 } else { 0.0 })
    }

    #[test]
    fn sparse_and_dense_do_the_same() {
        let (dense, sparse) = (Matrix::from(example()), Matrix::from(Csr::from_dense(&example()).unwrap()));
        let (dense, sparse) = (TwoSided::new(&dense), TwoSided::new(&sparse));
        let U = Dense::from_fn(30, 2, |i, j| (i as f64 * 0.3 + j as f64).sin());
        let V = dense.transposed_times(&U);
        assert!(frobenius_gap(&V, &sparse.transposed_times(&U)) < 1e-12);
        let (mut a, mut b) = (U.clone(), U.clone());
        dense.add_times(&mut a, &V, -0.5);
        sparse.add_times(&mut b, &V, -0.5);
        assert!(frobenius_gap(&a, &b) < 1e-12);
        let (mut a, mut b) = ([1.0; 8], [1.0; 8]);
        dense.subtract_from(3, &mut a);
        sparse.subtract_from(3, &mut b);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-14));
        assert!((dense.frobenius() - sparse.frobenius()).abs() < 1e-12);
        assert!(frobenius_gap(&sum_of_samples(&dense), &sum_of_samples(&sparse)) < 1e-12);
    }

    fn frobenius_gap(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
        crate::matrix::frobenius_distance(a, b)
    }

    #[test]
    fn the_largest_singular_value_becomes_one() {
        let X = TwoSided::new(&Matrix::from(example()));
        let TwoSided::Dense(data) = &X else { panic!() };
        let eigen = crate::matrix::symmetric_eigen(gram(data.as_mat(), data.as_mat()).as_ref()).unwrap();
        assert!((eigen.values[0] - 1.0).abs() < 1e-7, "{}", eigen.values[0]);
        assert_eq!(TwoSided::new(&Dense::<f64>::zeros(3, 2).into()).frobenius(), 0.0);
    }
}
