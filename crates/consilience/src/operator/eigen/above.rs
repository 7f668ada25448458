//! All eigenpairs above a threshold, from those of an operator that was nearly the same.

use super::TopEigen;
use super::krylov::{Ritz, Search, first_block};
use crate::matrix::Dense;
use crate::operator::LinOp;
use crate::{Result, Run};

/// Asks for the eigenpairs `(a, x)` above a threshold of an operator that is never negative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EigenAbove {
    pub(crate) threshold: f64,
    /// Done when the root of `sum |A x - a x|^2 / a` over the pairs found is at most this, and no value in doubt is further
    /// above the threshold (both in roots of eigenvalues: singular values).
    pub(crate) accuracy: f64,
    /// Most directions in the block that is iterated; more pairs than that are not worth the search.
    pub(crate) most: usize,
    /// Searches after which the answer is `None`.
    pub(crate) passes: usize,
    /// Seed of directions that the start does not give.
    pub(crate) seed: u64,
}

/// Directions below the threshold that are carried along: they show that nothing above it is missing, and those above
/// converge faster for them.
fn margin(count: usize) -> usize {
    8 + count / 8
}

/// Random directions in every search.
const PROBES: usize = 2;
/// Passes before a search may end: the random directions need some to rise towards what the start does not know, and a
/// start of exact eigenvectors would otherwise be content at once.
const MIN_PASSES: usize = 2;

/// What was found.
pub(crate) struct Above {
    /// Eigenvalues above the threshold, largest first.
    pub(crate) values: Vec<f64>,
    /// Ritz vectors (n x more than there are values): the eigenvectors, then the best directions below the threshold,
    /// which make the next search start well.
    pub(crate) vectors: Dense<f64>,
}

impl EigenAbove {
    /// Finds them, beginning with the columns of `start` (n x any). `None` when there are more than [`EigenAbove::most`]
    /// or the passes do not suffice: the caller then solves the whole matrix.
    ///
    /// Each pass is Rayleigh-Ritz on the span of the block and its residuals: one product with the operator.
    pub(crate) fn solve(&self, operator: &dyn LinOp, start: &Dense<f64>, run: &Run) -> Result<Option<Above>> {
        let n = operator.size();
        let (mut start, mut width, mut passes) = (start.clone(), start.cols().max(margin(0)) + PROBES, 0);
        while width <= self.most.min(n / 3) {
            // pairs are judged here, by their own rule: none is too good to grow on
            let options =
                TopEigen { tolerance: 0.0, max_products: usize::MAX, seed: self.seed, ..TopEigen::new(width) };
            let mut search = Search::new(operator, &options, 2 * width);
            let mut block = first_block(n, width, self.seed, Some(&start));
            loop {
                search.fill(block, 2 * width, run)?;
                let ritz = search.ritz(width)?;
                let found = ritz.eigen.values.iter().take_while(|value| **value > self.threshold).count();
                let kept = (found + margin(found)).min(ritz.eigen.values.len());
                if found + margin(found) / 2 > ritz.lengths.len() {
                    start = search.basis.combined(ritz.eigen.vectors.as_ref().subcols(0, kept));
                    width = found + margin(found);
                    break;
                }
                if passes >= MIN_PASSES && self.within_accuracy(&ritz, found) {
                    let vectors = search.basis.combined(ritz.eigen.vectors.as_ref().subcols(0, kept));
                    return Ok(Some(Above { values: ritz.eigen.values[..found].to_vec(), vectors }));
                }
                passes += 1;
                if passes >= self.passes {
                    return Ok(None);
                }
                block = search.restart(ritz, width);
            }
        }
        Ok(None)
    }

    fn within_accuracy(&self, ritz: &Ritz, found: usize) -> bool {
        let largest = ritz.eigen.values.first().copied().unwrap_or(0.0);
        let square = |j: usize| (ritz.lengths[j] * largest).powi(2) / ritz.eigen.values[j];
        // an eigenvalue lies within its residual of a Ritz value: the first one below may yet turn out to be above, and
        // leaving it out would cost the difference of the roots
        let nearest = ritz.eigen.values.get(found).zip(ritz.lengths.get(found));
        let highest = nearest.map_or(0.0, |(value, length)| value.max(0.0) + length * largest);
        let left_out = (highest.sqrt() - self.threshold.sqrt()).max(0.0);
        ((0..found).map(square).sum::<f64>() + left_out * left_out).sqrt() <= self.accuracy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    /// Eigenvalues `0.97^i`.
    fn falling(n: usize) -> Csr<f64> {
        Csr::from_entries(n, n, (0..n).map(|i| (i, i as u32, 0.97_f64.powi(i as i32))).collect()).unwrap()
    }

    #[test]
    fn everything_above_the_threshold_is_found_from_a_rough_start() {
        let operator = falling(400);
        let request = EigenAbove { threshold: 0.501, accuracy: 1e-7, most: 100, passes: 60, seed: 1 };
        let found = request.solve(&operator, &Dense::zeros(400, 0), &Run::default()).unwrap().unwrap();
        let expected: Vec<f64> = (0..400).map(|i| 0.97_f64.powi(i)).filter(|x| *x > 0.501).collect();
        assert_eq!(found.values.len(), expected.len());
        assert!(found.values.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-10));
    }

    #[test]
    fn nothing_above_is_an_answer_and_a_value_just_above_is_not_overlooked() {
        let request = EigenAbove { threshold: 1.001, accuracy: 1e-7, most: 100, passes: 60, seed: 1 };
        let nothing = request.solve(&falling(400), &Dense::zeros(400, 0), &Run::default()).unwrap().unwrap();
        assert!(nothing.values.is_empty() && nothing.vectors.cols() > 0);
        let lower = EigenAbove { threshold: 0.999, ..request };
        let one = lower.solve(&falling(400), &Dense::zeros(400, 0), &Run::default()).unwrap().unwrap();
        assert!(one.values.len() == 1 && (one.values[0] - 1.0).abs() < 1e-10);
        // a start that does not know the largest direction
        let blind = Dense::from_fn(400, 3, |i, j| f64::from(u8::from(i == j + 1)));
        let found = EigenAbove { threshold: 0.95, ..request }.solve(&falling(400), &blind, &Run::default());
        assert_eq!(found.unwrap().unwrap().values.len(), 2);
    }

    #[test]
    fn too_many_are_not_searched_for() {
        let request = EigenAbove { threshold: 0.1, accuracy: 1e-7, most: 40, passes: 60, seed: 1 };
        assert!(request.solve(&falling(400), &Dense::zeros(400, 10), &Run::default()).unwrap().is_none());
    }
}
