//! Robust principal component analysis: X = A + E by the inexact augmented Lagrangian (Lin, Chen, Ma 2010).

use faer::Mat;
use rayon::prelude::*;

use super::right_singular;
use crate::matrix::{Dense, ROW_CHUNK, frobenius, multiply_small, soft_threshold};
use crate::{Result, Run};

const MAX_ITERATIONS: usize = 60;
/// Converged when `|X - A - E|` is below this share of `|X|`.
const TOLERANCE: f64 = 1e-4;
/// Growth of the penalty from iteration to iteration.
const GROWTH: f64 = 1.5;

/// X = A + E.
#[derive(Debug, Clone)]
pub(crate) struct Decomposition {
    /// A, n x d.
    pub(crate) low_rank: Dense<f64>,
    /// E, n x d: mostly zeros.
    pub(crate) sparse: Dense<f64>,
}

/// Minimises `|A|_* + weight / sqrt(max(n, d)) |E|_1` subject to `A + E = x`.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn robust_pca(x: &Dense<f64>, weight: f64, run: &Run) -> Result<Decomposition> {
    if x.cols() > x.rows() {
        let Decomposition { low_rank, sparse } = robust_pca(&x.transposed(), weight, run)?;
        return Ok(Decomposition { low_rank: low_rank.transposed(), sparse: sparse.transposed() });
    }
    let zeros = || Dense::zeros(x.rows(), x.cols());
    let mut found = Decomposition { low_rank: zeros(), sparse: zeros() };
    let longest = right_singular(x, 1, 1e-6, run)?.values.first().copied().unwrap_or(0.0);
    if longest <= 0.0 {
        return Ok(found);
    }
    let (size, lambda) = (frobenius(x), weight / (x.rows().max(x.cols()) as f64).sqrt());
    let largest = x.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // Y / mu is kept instead of the multiplier Y: it is what every step adds
    let mut mu = 1.25 / longest;
    let mut scaled_multiplier = x.clone();
    let start = 1.0 / (f64::max(longest, largest / lambda) * mu);
    scaled_multiplier.data_mut().iter_mut().for_each(|y| *y *= start);
    let mut rank = 10;
    for _ in 0..MAX_ITERATIONS {
        run.check()?;
        let mut target = zeros();
        combine(&mut target, [x, &scaled_multiplier, &found.sparse], |[x, y, e]| x + y - e);
        (found.low_rank, rank) = threshold_singular_values(&target, 1.0 / mu, rank, run)?;
        combine(&mut found.sparse, [x, &found.low_rank, &scaled_multiplier], |[x, a, y]| {
            soft_threshold(x - a + y, lambda / mu)
        });
        let mut residual = target;
        combine(&mut residual, [x, &found.low_rank, &found.sparse], |[x, a, e]| x - a - e);
        let converged = frobenius(&residual) < TOLERANCE * size;
        let y = scaled_multiplier.data_mut().iter_mut().zip(residual.data());
        y.for_each(|(y, r)| *y = (*y + r) / GROWTH);
        mu *= GROWTH;
        if converged {
            break;
        }
    }
    Ok(found)
}

/// `out = f(a, b, c)`, entry by entry.
fn combine(out: &mut Dense<f64>, from: [&Dense<f64>; 3], f: impl Fn([f64; 3]) -> f64 + Sync) {
    let chunk = out.cols().max(1) * ROW_CHUNK;
    out.data_mut().par_chunks_mut(chunk).enumerate().for_each(|(number, out)| {
        let start = number * chunk;
        for (at, out) in out.iter_mut().enumerate() {
            *out = f(from.map(|m| m.data()[start + at]));
        }
    });
}

/// Singular value thresholding of a tall matrix: every singular value lowered by `threshold`, those below it dropped, at
/// least one kept. `guess` is about how many stay. (Iterations on n x n matrices use
/// `method::common::SingularValueThreshold`, which starts from the last singular vectors.)
fn threshold_singular_values(m: &Dense<f64>, threshold: f64, guess: usize, run: &Run) -> Result<(Dense<f64>, usize)> {
    let mut count = (guess + 5).min(m.cols());
    let (singular, kept) = loop {
        let singular = right_singular(m, count, 1e-6, run)?;
        let kept = singular.values.iter().take_while(|&&s| s > threshold).count();
        if kept < singular.values.len() || singular.values.len() == m.cols() {
            break (singular, kept);
        }
        count = (2 * count).min(m.cols());
    };
    let kept = kept.max(1);
    let factor = |j: usize| (singular.values[j] - threshold).max(0.0) / singular.values[j].max(f64::MIN_POSITIVE);
    let leading = singular.vectors.as_ref().subcols(0, kept);
    let scaled = Mat::from_fn(leading.nrows(), kept, |i, j| leading[(i, j)] * factor(j));
    let mut scores = Dense::zeros(m.rows(), kept);
    multiply_small(scores.as_mat_mut(), m.as_mat(), scaled.as_ref());
    let mut out = Dense::zeros(m.rows(), m.cols());
    multiply_small(out.as_mat_mut(), scores.as_mat(), leading.transpose());
    Ok((out, kept))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Rank 3 plus noise on every tenth entry.
    fn planted(n: usize, d: usize) -> (Dense<f64>, Vec<bool>) {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut draw = |rows, cols| Dense::from_fn(rows, cols, |_, _| rng.random_range(-1.0..1.0));
        let (left, right) = (draw(n, 3), draw(d, 3));
        let mut x = Dense::zeros(n, d);
        multiply_small(x.as_mat_mut(), left.as_mat(), right.as_mat().transpose());
        let mut hit = vec![false; n * d];
        for (at, x) in x.data_mut().iter_mut().enumerate() {
            if rng.random_range(0..10) == 0 {
                *x += rng.random_range(2.0..5.0) * if at % 2 == 0 { 1.0 } else { -1.0 };
                hit[at] = true;
            }
        }
        (x, hit)
    }

    #[test]
    fn planted_corruption_is_recovered_in_tall_and_wide_matrices() {
        for (n, d) in [(150, 40), (40, 150), (600, 420)] {
            let (x, hit) = planted(n, d);
            let found = robust_pca(&x, 1.5, &Run::default()).unwrap().sparse;
            let flagged: Vec<bool> = found.data().iter().map(|e| e.abs() > 1e-6).collect();
            let both = flagged.iter().zip(&hit).filter(|(f, h)| **f && **h).count() as f64;
            let precision = both / flagged.iter().filter(|f| **f).count() as f64;
            let recall = both / hit.iter().filter(|h| **h).count() as f64;
            assert!(precision > 0.9 && recall > 0.9, "{n} x {d}: precision {precision:.3}, recall {recall:.3}");
        }
    }

    #[test]
    fn the_components_add_up() {
        let (x, _) = planted(80, 20);
        let found = robust_pca(&x, 1.5, &Run::default()).unwrap();
        let mut gap = Dense::zeros(80, 20);
        combine(&mut gap, [&x, &found.low_rank, &found.sparse], |[x, a, e]| x - a - e);
        assert!(frobenius(&gap) < 2e-4 * frobenius(&x));
    }
}
