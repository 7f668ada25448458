//! Symmetric matrices as what they do to a block of vectors: graphs, sums and factors. Dense n x n matrices only for the
//! methods that are n x n by definition.
//!
//! ```
//! use consilience::Run;
//! use consilience::matrix::Dense;
//! use consilience::operator::{LinOp, LowRank, TopEigen};
//!
//! // B B' of rank 1, never written out
//! let operator = LowRank::new(Dense::new(3, 1, vec![1.0, 2.0, 2.0])?);
//! let top = TopEigen::new(1).solve(&operator, None, &Run::default())?;
//! assert!((top.values[0] - 9.0).abs() < 1e-9);
//! let mut image = Dense::zeros(3, 1);
//! operator.apply(&Dense::new(3, 1, vec![1.0, 0.0, 0.0])?, &mut image);
//! assert_eq!(image.data(), [1.0, 2.0, 2.0]);
//! # Ok::<(), consilience::Error>(())
//! ```

mod conjugate_gradient;
mod copied;
mod data;
mod dense;
mod eigen;
mod low_rank;
mod sparse;

use std::sync::Arc;

use rayon::prelude::*;

#[doc(hidden)]
pub use conjugate_gradient::{ConjugateGradient, ConjugateGradientInfo};
pub use copied::Copied;
pub use data::OperatorData;
pub use dense::DenseSymmetric;
pub(crate) use dense::GramOperator;
pub(crate) use eigen::{EigenAbove, MOST_FURTHER};
pub use eigen::{EigenPairs, TopEigen};
pub use low_rank::{LinearKernel, LowRank};
pub(crate) use sparse::multiply as multiply_sparse;

use crate::matrix::{Dense, ROW_CHUNK};

/// A symmetric linear operator on n numbers.
pub trait LinOp: Send + Sync {
    /// n.
    fn size(&self) -> usize;

    /// `out = A x`, for a block of vectors in the columns of `x` (n x b). `out` has the shape of `x`.
    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>);

    /// Its numbers, from which it can be built again in another process; `None` for operators that only borrow them.
    fn data(&self) -> Option<OperatorData> {
        None
    }
}

/// `sum_i w_i A_i`; the terms stay as they are, so a mean of graphs costs no new graph.
pub struct WeightedSum {
    terms: Vec<(f64, Arc<dyn LinOp>)>,
}

impl WeightedSum {
    /// The sum of `terms`, each with its weight. All terms must have the same size.
    pub fn new(terms: Vec<(f64, Arc<dyn LinOp>)>) -> Self {
        debug_assert!(terms.windows(2).all(|pair| pair[0].1.size() == pair[1].1.size()));
        Self { terms }
    }
}

impl LinOp for WeightedSum {
    fn size(&self) -> usize {
        self.terms.first().map_or(0, |(_, term)| term.size())
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let mut image = Dense::zeros(x.rows(), x.cols());
        out.data_mut().fill(0.0);
        let chunk = x.cols().max(1) * ROW_CHUNK;
        for (weight, term) in &self.terms {
            term.apply(x, &mut image);
            out.data_mut().par_chunks_mut(chunk).zip(image.data().par_chunks(chunk)).for_each(|(out, image)| {
                out.iter_mut().zip(image).for_each(|(sum, x)| *sum += weight * x);
            });
        }
    }

    fn data(&self) -> Option<OperatorData> {
        let terms = self.terms.iter().map(|(weight, term)| Some((*weight, term.data()?)));
        terms.collect::<Option<_>>().map(OperatorData::Sum)
    }
}

/// A degree below this share of the largest counts as none: dividing by its root would only blow up rounding errors.
const MIN_DEGREE_SHARE: f64 = 1e-14;

/// The diagonal of `D^-1/2`; 0 where a degree is below `share` of the largest.
pub(crate) fn inverse_roots(degrees: &[f64], share: f64) -> Vec<f64> {
    let largest = degrees.iter().fold(0.0_f64, |most, &degree| most.max(degree));
    degrees.iter().map(|&degree| if degree > share * largest { 1.0 / degree.sqrt() } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    #[test]
    fn weights_multiply_their_terms() {
        let term = |x| Arc::new(Csr::from_entries(2, 2, vec![(0, 0, x), (1, 1, x)]).unwrap()) as Arc<dyn LinOp>;
        let sum = WeightedSum::new(vec![(2.0, term(3.0)), (0.5, term(4.0))]);
        let mut out = Dense::zeros(2, 1);
        sum.apply(&Dense::new(2, 1, vec![1.0, 2.0]).unwrap(), &mut out);
        assert_eq!(out.data(), [8.0, 16.0]);
    }
}
