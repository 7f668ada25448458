//! A matrix `B B'` that is kept as its factor.

use super::{LinOp, Parts};
use crate::matrix::{Dense, gram, multiply_small};

/// A degree below this share of the largest counts as none: dividing by its root would only blow up rounding errors.
const NO_DEGREE: f64 = 1e-14;

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
    /// positive has no affinity to anybody: its row becomes zero.
    pub fn normalised(mut factor: Dense<f64>) -> Self {
        let ones = Dense::from_fn(factor.rows(), 1, |_, _| 1.0);
        let mut degrees = Dense::zeros(factor.rows(), 1);
        Self { factor: factor.clone() }.apply(&ones, &mut degrees);
        let largest = degrees.data().iter().fold(0.0_f64, |most, &degree| most.max(degree));
        let width = factor.cols().max(1);
        for (row, &degree) in factor.data_mut().chunks_exact_mut(width).zip(degrees.data()) {
            let scale = if degree > NO_DEGREE * largest { 1.0 / degree.sqrt() } else { 0.0 };
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

    fn parts(&self) -> Option<Parts> {
        Some(Parts::LowRank(self.factor.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_out(operator: &LowRank) -> Dense<f64> {
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
        let table = written_out(&LowRank::normalised(factor));
        assert!((table.get(0, 1) - 2.0 / 30.0_f64.sqrt()).abs() < 1e-15);
        assert!((table.get(2, 2) - 9.0 / 12.0).abs() < 1e-15);
        assert!((0..4).all(|j| table.get(3, j) == 0.0 && table.get(j, 3) == 0.0));
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
}
