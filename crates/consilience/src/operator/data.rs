//! The numbers of an operator: what a program needs to write one to a file or send it to another process.

use std::sync::Arc;

use super::{Copied, DenseSymmetric, LinOp, LinearKernel, LowRank, WeightedSum};
use crate::matrix::{Csr, Dense};
use crate::{Error, Result};

/// The numbers of an operator, from which [`OperatorData::build`] makes it again: the same products, bit for bit.
#[derive(Debug, Clone)]
pub enum OperatorData {
    /// A sparse symmetric matrix, n x n.
    Sparse(Csr<f64>),
    /// A dense symmetric matrix, n x n. One in single precision is widened, which changes no product.
    Dense(Dense<f64>),
    /// `B` of `B B'`, n x r.
    LowRank(Dense<f64>),
    /// `a (X - 1 m')(X - 1 m')'`.
    LinearKernel {
        /// X, n x d.
        points: Dense<f64>,
        /// m, d numbers.
        mean: Vec<f64>,
        /// a.
        scale: f64,
    },
    /// An operator on samples of which some are copies: sample i is one of `of[i]`.
    Copied {
        /// On the samples that differ.
        inner: Box<OperatorData>,
        /// n numbers.
        of: Vec<usize>,
    },
    /// Weights and what they multiply.
    Sum(Vec<(f64, OperatorData)>),
}

impl OperatorData {
    /// The operator.
    ///
    /// # Errors
    /// When a matrix is not square, a mean does not fit its points, or the terms of a sum differ in size.
    pub fn build(self) -> Result<Arc<dyn LinOp>> {
        match self {
            Self::Sparse(matrix) => {
                check_square(matrix.rows(), matrix.cols())?;
                Ok(Arc::new(matrix))
            }
            Self::Dense(matrix) => {
                check_square(matrix.rows(), matrix.cols())?;
                Ok(Arc::new(DenseSymmetric::new(matrix)))
            }
            Self::LowRank(factor) => Ok(Arc::new(LowRank::new(factor))),
            Self::LinearKernel { points, mean, scale } => Ok(Arc::new(LinearKernel::new(points, mean, scale)?)),
            Self::Copied { inner, of } => {
                let inner = inner.build()?;
                if of.iter().any(|&place| place >= inner.size()) {
                    return Err(Error::data("a copy is of a sample that the operator does not have"));
                }
                Ok(Arc::new(Copied::new(inner, of)))
            }
            Self::Sum(terms) => {
                let terms = terms.into_iter().map(|(weight, term)| Ok((weight, term.build()?)));
                let terms = terms.collect::<Result<Vec<_>>>()?;
                if terms.windows(2).any(|pair| pair[0].1.size() != pair[1].1.size()) {
                    return Err(Error::data("the terms of a sum of operators differ in size"));
                }
                Ok(Arc::new(WeightedSum::new(terms)))
            }
        }
    }
}

fn check_square(rows: usize, cols: usize) -> Result<()> {
    if rows == cols { Ok(()) } else { Err(Error::data(format!("an operator cannot be {rows} x {cols}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(size: usize) -> Csr<f64> {
        Csr::from_entries(size, size, (0..size).map(|i| (i, i as u32, 1.0 + i as f64)).collect()).unwrap()
    }

    fn product(operator: &dyn LinOp) -> Vec<f64> {
        let n = operator.size();
        let mut out = Dense::zeros(n, 2);
        operator.apply(&Dense::from_fn(n, 2, |i, j| 0.1 + (i * 2 + j) as f64), &mut out);
        out.data().to_vec()
    }

    #[test]
    fn rebuilt_operators_make_the_same_products() {
        let dense = |scale: f64| Dense::from_fn(3, 3, |i, j| scale / (1 + i + j) as f64);
        let factor = Dense::from_fn(3, 2, |i, j| (1 + i + 2 * j) as f64);
        let kernel = LinearKernel::new(Dense::from_fn(3, 2, |i, j| (i * i + j) as f64), vec![0.3, 1.7], 0.25).unwrap();
        let operators: [Arc<dyn LinOp>; 5] = [
            Arc::new(sparse(3)),
            Arc::new(LowRank::new(factor)),
            Arc::new(DenseSymmetric::new(dense(0.7))),
            Arc::new(DenseSymmetric::new(dense(0.7).cast::<f32>())),
            Arc::new(kernel),
        ];
        for operator in &operators {
            let rebuilt = operator.data().unwrap().build().unwrap();
            assert_eq!(product(operator.as_ref()), product(rebuilt.as_ref()));
            assert!(product(rebuilt.as_ref()).iter().any(|x| *x != 0.0));
        }
        let sum = WeightedSum::new(operators.into_iter().map(|operator| (0.3, operator)).collect());
        assert_eq!(product(&sum), product(sum.data().unwrap().build().unwrap().as_ref()));
    }

    #[test]
    fn data_that_do_not_fit_are_refused() {
        assert!(OperatorData::Sparse(Csr::from_entries(2, 3, vec![]).unwrap()).build().is_err());
        assert!(OperatorData::Dense(Dense::zeros(3, 2)).build().is_err());
        let points = Dense::zeros(4, 2);
        assert!(OperatorData::LinearKernel { points, mean: vec![0.0; 3], scale: 1.0 }.build().is_err());
        let terms = [2, 3].map(|size| (1.0, OperatorData::Sparse(sparse(size))));
        assert!(OperatorData::Sum(terms.to_vec()).build().is_err());
    }
}
