//! Matrices that are kept as a factor: `B B'`, and the same of centred points.

use super::{LinOp, MIN_DEGREE_SHARE, OperatorData, inverse_roots};
use crate::matrix::{Dense, column_sums, gram, multiply_small};
use crate::{Error, Result};

/// `x -> B (B' x)`: symmetric, never negative, n (columns of B) numbers instead of n x n.
#[derive(Debug, Clone)]
pub struct LowRank {
    /// `B`, n x r.
    factor: Dense<f64>,
}

impl LowRank {
    /// `B B'`.
    pub fn new(factor: Dense<f64>) -> Self {
        Self { factor }
    }

    /// `Deg^-1/2 B B' Deg^-1/2` with the degrees `B (B' 1)` of the affinity `B B'`. A sample whose degree is not
    /// positive has no affinity to any other: its row becomes zero.
    pub fn normalised(mut factor: Dense<f64>) -> Self {
        let ones = Dense::from_fn(factor.rows(), 1, |_, _| 1.0);
        let mut degrees = Dense::zeros(factor.rows(), 1);
        Self { factor: factor.clone() }.apply(&ones, &mut degrees);
        let roots = inverse_roots(degrees.data(), MIN_DEGREE_SHARE);
        let width = factor.cols().max(1);
        for (row, scale) in factor.data_mut().chunks_exact_mut(width).zip(roots) {
            row.iter_mut().for_each(|x| *x *= scale);
        }
        Self { factor }
    }

    /// `B`, n x r.
    pub fn factor(&self) -> &Dense<f64> {
        &self.factor
    }
}

impl LinOp for LowRank {
    fn size(&self) -> usize {
        self.factor.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let inner = gram(self.factor.as_mat(), x.as_mat());
        multiply_small(out.as_mat_mut(), self.factor.as_mat(), inner.as_ref());
    }

    fn data(&self) -> Option<OperatorData> {
        Some(OperatorData::LowRank(self.factor.clone()))
    }
}

/// `a (X - 1 m')(X - 1 m')'`: inner products of points measured from `m`, without a centred copy of them.
#[derive(Debug, Clone)]
pub struct LinearKernel {
    /// X, n x d.
    points: Dense<f64>,
    /// m, 1 x d.
    mean: Dense<f64>,
    /// a.
    scale: f64,
}

impl LinearKernel {
    /// The kernel of `points` (n x d) measured from `mean` (d numbers), times `scale`.
    ///
    /// # Errors
    /// When there are not as many means as columns.
    pub fn new(points: Dense<f64>, mean: Vec<f64>, scale: f64) -> Result<Self> {
        if mean.len() != points.cols() {
            return Err(Error::data(format!("a mean of {} numbers for points of {}", mean.len(), points.cols())));
        }
        Ok(Self { mean: Dense::new(1, points.cols(), mean)?, points, scale })
    }

    /// The same with another `scale`.
    #[must_use]
    pub fn with_scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
}

impl LinOp for LinearKernel {
    fn size(&self) -> usize {
        self.points.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let (sums, mean) = (column_sums(x, x, |x, _| x), &self.mean);
        // y = a (X - 1 m')' x, d x b
        let mut y = gram(self.points.as_mat(), x.as_mat());
        for (b, sum) in sums.iter().enumerate() {
            y.col_mut(b).iter_mut().zip(mean.data()).for_each(|(y, mean)| *y = self.scale * (*y - mean * sum));
        }
        multiply_small(out.as_mat_mut(), self.points.as_mat(), y.as_ref());
        let offsets = gram(mean.as_mat().transpose(), y.as_ref());
        for row in out.data_mut().chunks_exact_mut(sums.len().max(1)) {
            row.iter_mut().enumerate().for_each(|(b, x)| *x -= offsets[(0, b)]);
        }
    }

    fn data(&self) -> Option<OperatorData> {
        let (points, mean) = (self.points.clone(), self.mean.data().to_vec());
        Some(OperatorData::LinearKernel { points, mean, scale: self.scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_out(operator: &dyn LinOp) -> Dense<f64> {
        let n = operator.size();
        let mut out = Dense::zeros(n, n);
        operator.apply(&Dense::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 }), &mut out);
        out
    }

    #[test]
    fn product_by_hand() {
        // B = (1, 2, 0)' and (0, 1, 3)': B B' = [[1, 2, 0], [2, 5, 3], [0, 3, 9]]
        let operator = LowRank::new(Dense::new(3, 2, vec![1.0, 0.0, 2.0, 1.0, 0.0, 3.0]).unwrap());
        let mut out = Dense::zeros(3, 2);
        operator.apply(&Dense::new(3, 2, vec![1.0, 0.0, 1.0, 0.0, 1.0, 2.0]).unwrap(), &mut out);
        assert_eq!(out.data(), [3.0, 0.0, 10.0, 6.0, 12.0, 18.0]);
    }

    #[test]
    fn normalised_by_hand_and_a_zero_row_stays_zero() {
        // degrees 3, 10, 12 and 0
        let factor = Dense::new(4, 2, vec![1.0, 0.0, 2.0, 1.0, 0.0, 3.0, 0.0, 0.0]).unwrap();
        let matrix = written_out(&LowRank::normalised(factor));
        assert!((matrix.get(0, 1) - 2.0 / 30.0_f64.sqrt()).abs() < 1e-15);
        assert!((matrix.get(2, 2) - 9.0 / 12.0).abs() < 1e-15);
        assert!((0..4).all(|j| matrix.get(3, j) == 0.0 && matrix.get(j, 3) == 0.0));
    }

    #[test]
    fn equal_to_the_dense_route() {
        let factor = Dense::from_fn(40, 3, |i, j| ((i * 7 + j * 5) % 11) as f64 / 11.0);
        let affinity = written_out(&LowRank::new(factor.clone()));
        let normalised = written_out(&LowRank::normalised(factor));
        let degrees: Vec<f64> = affinity.iter_rows().map(|row| row.iter().sum()).collect();
        for i in 0..40 {
            for j in 0..40 {
                let expected = affinity.get(i, j) / (degrees[i] * degrees[j]).sqrt();
                assert!((normalised.get(i, j) - expected).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn the_linear_kernel_by_hand() {
        // X = (1, 3, 8)' measured from 4: (-3, -1, 4)'
        let kernel = LinearKernel::new(Dense::new(3, 1, vec![1.0, 3.0, 8.0]).unwrap(), vec![4.0], 1.0).unwrap();
        let expected = [9.0, 3.0, -12.0, 3.0, 1.0, -4.0, -12.0, -4.0, 16.0];
        assert_eq!(written_out(&kernel).data(), expected);
        assert_eq!(written_out(&kernel.with_scale(0.5)).data(), expected.map(|x| 0.5 * x));
    }
}
