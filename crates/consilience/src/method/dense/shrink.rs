//! Singular value thresholding: the step that makes an n x n table of low rank.
//!
//! `D_t(M) = U max(S - t, 0) V'` of `M = U S V'` minimises `t |J|_* + |J - M|^2 / 2`. Only the triplets above `t` are
//! needed, and between two iterations of a method they change little. So they are searched for from the last ones, by
//! Rayleigh-Ritz on `M'M`, when there were few; else the Gram matrix is solved whole.
//!
//! How exact is the search? With V the vectors found, U S = M V and R = M'M V - V S^2, the result is exactly
//! `D_t(M - U S^-1 R')` as long as what the search left out is at most `t` in norm, which the directions below `t` that it
//! carries along show. `D_t` moves no two matrices apart, so the result is within `|S^-1 R'|` of the exact one: that
//! number is what the search brings below [`ACCURACY`].

use rayon::prelude::*;

use crate::matrix::{Dense, Real, TASK_ROWS, gram_times, square_gram, symmetric_eigen};
use crate::operator::{EigenAbove, LinOp};
use crate::{Result, Run};

/// Distance of the result from the exact one, relative to `t sqrt(rank)`, which is how far the step moves a matrix.
pub(super) const ACCURACY: f64 = 1e-4;
/// Rounding in `M'M` keeps the error above this share of `|M|^2 / t`, whatever the search does.
const ROUNDING: f64 = 1e-14;
/// A search costs more than solving the whole matrix when more than one in so many values is above the threshold.
const SEARCHED_SHARE: usize = 5;
/// Up to this size the whole matrix is solved at once.
const SMALL: usize = 256;
/// Passes of a search; every one costs a tenth or so of the whole solution.
const PASSES: usize = 10;

/// What is remembered of a table from one iteration to the next.
#[derive(Default)]
pub(crate) struct Shrink {
    /// Right singular vectors of the last result and some directions below the threshold, n x (rank and more).
    vectors: Option<Dense<f64>>,
    /// Times the whole matrix was solved.
    pub(crate) whole: usize,
}

/// What a step found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shrunk {
    /// Singular values above the threshold.
    pub(crate) rank: usize,
    /// Sum of the singular values of the result.
    pub(crate) nuclear: f64,
    /// Squared distance of the result from what was in `out` before.
    pub(crate) moved: f64,
    /// Root of the sum of squares of the result.
    pub(crate) size: f64,
}

/// `M'M` without writing it out.
pub(crate) struct Gram<'a, T>(pub(crate) &'a Dense<T>);

impl<T: Real> LinOp for Gram<'_, T> {
    fn size(&self) -> usize {
        self.0.cols()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        gram_times(self.0, x, out);
    }
}

/// Squares of the singular values above the threshold, and the right singular vectors in the columns at their places.
struct Leading {
    squares: Vec<f64>,
    vectors: Dense<f64>,
}

impl Shrink {
    /// `out = D_threshold(m)`, both n x n. `out` must hold the last result of this memory, or zeros.
    pub(crate) fn apply<T: Real>(
        &mut self,
        m: &Dense<T>,
        threshold: f64,
        out: &mut Dense<T>,
        run: &Run,
    ) -> Result<Shrunk> {
        run.check()?;
        let parts = m.data().par_chunks(TASK_ROWS * m.cols().max(1));
        let squares: Vec<f64> = parts.map(|part| part.iter().map(|x| x.to_f64().powi(2)).sum()).collect();
        let size: f64 = squares.iter().sum();
        let leading = if size <= threshold * threshold {
            // no singular value is larger than the root of the sum of squares
            Leading { squares: Vec::new(), vectors: Dense::zeros(m.cols(), 0) }
        } else {
            self.leading(m, threshold, size, run)?
        };
        run.check()?;
        let values: Vec<f64> = leading.squares.iter().map(|square| square.sqrt()).collect();
        let moved = rebuild(m, &values, threshold, &leading.vectors, out);
        let nuclear = values.iter().map(|value| value - threshold).sum();
        let squares = values.iter().map(|value| (value - threshold).powi(2)).sum::<f64>();
        self.vectors = Some(leading.vectors);
        Ok(Shrunk { rank: values.len(), nuclear, moved, size: squares.sqrt() })
    }

    /// By search from the last vectors when there were few of them, else by solving the whole matrix.
    fn leading<T: Real>(&mut self, m: &Dense<T>, threshold: f64, size: f64, run: &Run) -> Result<Leading> {
        let n = m.cols();
        if let Some(start) = self.vectors.as_ref().filter(|_| n > SMALL) {
            let rank = start.cols().max(1) as f64;
            let accuracy = (ACCURACY * threshold * rank.sqrt()).max(ROUNDING * size / threshold);
            let most = n / SEARCHED_SHARE;
            let search = EigenAbove { threshold: threshold * threshold, accuracy, most, passes: PASSES, seed: 0 };
            if let Some(found) = search.solve(&Gram(m), start, run)? {
                return Ok(Leading { squares: found.values, vectors: found.vectors });
            }
        }
        self.whole += 1;
        self.vectors = None;
        let eigen = symmetric_eigen(square_gram(m).as_ref())?;
        let above = eigen.values.iter().take_while(|square| **square > threshold * threshold).count();
        // a few directions more than are needed are where the next search starts
        let kept = if above > n / SEARCHED_SHARE { above } else { (above + 8 + above / 8).min(n) };
        let vectors = Dense::from_fn(n, kept, |i, j| eigen.vectors[(i, j)]);
        Ok(Leading { squares: eigen.values[..above].to_vec(), vectors })
    }
}

/// `out = M V (1 - t / S) V'` over the columns of V that have a value. Gives the squared distance that `out` moved.
fn rebuild<T: Real>(m: &Dense<T>, values: &[f64], threshold: f64, v: &Dense<f64>, out: &mut Dense<T>) -> f64 {
    let (n, rank) = (m.cols().max(1), values.len());
    // columns of V beside each other for the second product, below each other and scaled for the first
    let right = v.first_columns(rank);
    let left = Dense::from_fn(rank, n, |j, i| v.get(i, j) * (1.0 - threshold / values[j]));
    let tasks = out.data_mut().par_chunks_mut(TASK_ROWS * n).zip(m.data().par_chunks(TASK_ROWS * n));
    let moved = tasks.map_init(<(Vec<f64>, Vec<f64>, Vec<f64>)>::default, |(wide, scores, new), (out, rows)| {
        scores.resize(rows.len() / n * rank, 0.0);
        new.resize(rows.len(), 0.0);
        f64::product_transposed(scores, T::widened(rows, wide), left.data(), n);
        f64::product_transposed(new, scores, right.data(), rank);
        let step = |(out, new): (&mut T, &f64)| {
            let gap = *new - out.to_f64();
            *out = T::from_f64(*new);
            gap * gap
        };
        out.iter_mut().zip(new.iter()).map(step).sum::<f64>()
    });
    moved.collect::<Vec<f64>>().iter().sum()
}
