//! An operator on samples some of which are copies of each other.

use std::sync::Arc;

use super::{LinOp, OperatorData};
use crate::matrix::Dense;

/// `S A S'`: has the eigenvalues of A.
pub struct Copied {
    inner: Arc<dyn LinOp>,
    of: Vec<usize>,
    /// What is in S for every column.
    heights: Vec<f64>,
}

impl Copied {
    /// `of[i]` is what sample i is a copy of; numbers beyond `inner` are refused where data come from outside.
    pub fn new(inner: Arc<dyn LinOp>, of: Vec<usize>) -> Self {
        let mut counts = vec![0.0_f64; inner.size()];
        of.iter().for_each(|&place| counts[place] += 1.0);
        let heights = counts.into_iter().map(|count| 1.0 / count.max(1.0).sqrt()).collect();
        Self { inner, of, heights }
    }
}

impl LinOp for Copied {
    fn size(&self) -> usize {
        self.of.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let width = x.cols();
        let mut gathered = Dense::zeros(self.heights.len(), width);
        for (&place, row) in self.of.iter().zip(x.iter_rows()) {
            let sums = &mut gathered.data_mut()[place * width..(place + 1) * width];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += self.heights[place] * x);
        }
        let mut image = Dense::zeros(gathered.rows(), width);
        self.inner.apply(&gathered, &mut image);
        for (out, &place) in out.data_mut().chunks_exact_mut(width.max(1)).zip(&self.of) {
            out.iter_mut().zip(image.row(place)).for_each(|(out, x)| *out = self.heights[place] * x);
        }
    }

    fn data(&self) -> Option<OperatorData> {
        Some(OperatorData::Copied { inner: Box::new(self.inner.data()?), of: self.of.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::DenseSymmetric;

    #[test]
    fn copies_share_what_the_first_has() {
        let inner = DenseSymmetric::new(Dense::new(2, 2, vec![2.0, 1.0, 1.0, 3.0]).unwrap());
        let operator = Copied::new(Arc::new(inner), vec![0, 1, 0]);
        // S has 1/sqrt(2) twice and 1: S A S' by hand
        let half = 0.5_f64.sqrt();
        let expected = [[1.0, half, 1.0], [half, 3.0, half], [1.0, half, 1.0]];
        let mut out = Dense::zeros(3, 3);
        operator.apply(&Dense::from_fn(3, 3, |i, j| f64::from(u8::from(i == j))), &mut out);
        for (i, row) in expected.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| assert!((out.get(i, j) - x).abs() < 1e-12, "{i} {j}"));
        }
        let rebuilt = operator.data().unwrap().build().unwrap();
        let mut again = Dense::zeros(3, 3);
        rebuilt.apply(&Dense::from_fn(3, 3, |i, j| f64::from(u8::from(i == j))), &mut again);
        assert_eq!(out.data(), again.data());
    }
}
