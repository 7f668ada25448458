//! Symmetric matrices as what they do to a block of vectors: graphs, sums and factors; n x n tables only for the
//! methods that are n x n by definition.

mod conjugate_gradient;
mod dense;
mod eigen;
mod low_rank;
mod parts;
mod sparse;
mod sum;

pub use conjugate_gradient::{ConjugateGradient, ConjugateGradientInfo};
pub use dense::DenseSymmetric;
pub(crate) use eigen::EigenAbove;
pub use eigen::{EigenPairs, TopEigen};
pub use low_rank::LowRank;
pub use parts::Parts;
pub(crate) use sparse::multiply as multiply_sparse;
pub use sum::WeightedSum;

use crate::matrix::Dense;

/// A symmetric linear operator on n numbers.
pub trait LinOp: Send + Sync {
    /// n.
    fn size(&self) -> usize;

    /// `out = A x`, for a block of vectors in the columns of `x` (n x b). `out` has the shape of `x`.
    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>);

    /// Its numbers, for operators that outlive what they were made from; none for those that only borrow.
    fn parts(&self) -> Option<Parts> {
        None
    }
}
