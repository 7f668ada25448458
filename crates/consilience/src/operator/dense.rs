//! Operators made of a dense matrix: a symmetric n x n matrix, for the methods that are n x n by definition, and `M'M`.

use super::{LinOp, MIN_DEGREE_SHARE, OperatorData, inverse_roots};
use crate::matrix::{Dense, Real, gram_times, multiply_square};

/// A symmetric matrix in single or double precision; products are summed in double precision.
#[derive(Debug, Clone)]
pub struct DenseSymmetric<T> {
    matrix: Dense<T>,
}

impl<T: Real> DenseSymmetric<T> {
    /// A matrix (n x n) that is symmetric already.
    pub fn new(matrix: Dense<T>) -> Self {
        debug_assert_eq!(matrix.rows(), matrix.cols());
        Self { matrix }
    }

    /// `(A + A')/2`, in the memory of `A` (n x n).
    pub fn symmetrised(mut matrix: Dense<T>) -> Self {
        let n = matrix.rows();
        let data = matrix.data_mut();
        for i in 0..n {
            for j in 0..i {
                let mean = T::from_f64(0.5 * (data[i * n + j].to_f64() + data[j * n + i].to_f64()));
                data[i * n + j] = mean;
                data[j * n + i] = mean;
            }
        }
        Self { matrix }
    }

    /// `D^-1/2 A D^-1/2` with the row sums D of a matrix without negative entries. A sample without affinity to any other
    /// has a zero row.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        let n = self.matrix.rows().max(1);
        let degrees: Vec<f64> = self.matrix.iter_rows().map(|row| row.iter().map(|x| x.to_f64()).sum()).collect();
        let roots = inverse_roots(&degrees, MIN_DEGREE_SHARE);
        for (row, left) in self.matrix.data_mut().chunks_exact_mut(n).zip(&roots) {
            row.iter_mut().zip(&roots).for_each(|(x, right)| *x = T::from_f64(x.to_f64() * left * right));
        }
        self
    }

    /// The matrix, n x n.
    pub fn matrix(&self) -> &Dense<T> {
        &self.matrix
    }
}

impl<T: Real> LinOp for DenseSymmetric<T> {
    fn size(&self) -> usize {
        self.matrix.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        multiply_square(&self.matrix, x, out);
    }

    fn data(&self) -> Option<OperatorData> {
        Some(OperatorData::Dense(self.matrix.cast()))
    }
}

/// `M'M` without writing it out: one pass over M, of any precision and shape.
pub(crate) struct GramOperator<'a, T> {
    matrix: &'a Dense<T>,
}

impl<'a, T: Real> GramOperator<'a, T> {
    pub(crate) fn new(matrix: &'a Dense<T>) -> Self {
        Self { matrix }
    }
}

impl<T: Real> LinOp for GramOperator<'_, T> {
    fn size(&self) -> usize {
        self.matrix.cols()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        gram_times(self.matrix, x, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetrised_and_normalised_by_hand() {
        // (A + A')/2 = [[0, 2, 0], [2, 2, 0], [0, 0, 0]]: degrees 2, 4, 0
        let matrix = Dense::new(3, 3, vec![0.0_f32, 1.0, 0.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let operator = DenseSymmetric::symmetrised(matrix);
        assert_eq!(operator.matrix().data(), [0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        let mut out = Dense::zeros(3, 1);
        operator.normalised().apply(&Dense::new(3, 1, vec![1.0, 2.0, 5.0]).unwrap(), &mut out);
        let root = f64::from(2.0_f32 / 8.0_f32.sqrt());
        assert!((out.data()[0] - 2.0 * root).abs() < 1e-7 && (out.data()[1] - root - 1.0).abs() < 1e-7);
        assert_eq!(out.data()[2], 0.0);
    }

    #[test]
    fn the_product_is_that_of_the_gram_matrix() {
        let m = Dense::from_fn(30, 4, |i, j| ((i * 3 + j * 5) % 7) as f64);
        let x = Dense::from_fn(4, 2, |i, j| (i + j) as f64);
        let expected = m.as_mat().transpose() * m.as_mat() * x.as_mat();
        let mut out = Dense::zeros(4, 2);
        GramOperator::new(&m).apply(&x, &mut out);
        assert!((0..8).all(|at| (out.data()[at] - expected[(at / 2, at % 2)]).abs() < 1e-9));
    }
}
