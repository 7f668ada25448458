//! The split X = A + E by the inexact augmented Lagrangian of robust PCA (Lin, Chen, Ma 2010).

use faer::Mat;
use rayon::prelude::*;

use super::spectrum::right_singular;
use crate::matrix::{Dense, ROW_CHUNK, frobenius, multiply_small, soft_threshold};
use crate::{Result, Run};

const ROUNDS: usize = 60;
const TOLERANCE: f64 = 1e-4;
const GROWTH: f64 = 1.5;

/// A view taken apart.
#[derive(Debug, Clone)]
pub struct Split {
    /// A, n x d: what is left of the view, of low rank.
    pub clean: Dense<f64>,
    /// E, n x d: what was taken away, mostly zeros.
    pub corruption: Dense<f64>,
}

/// Minimises `|A|_* + weight / sqrt(max(n, d)) |E|_1` subject to `A + E = x`.
///
/// # Errors
/// When the run is cancelled.
pub fn split(x: &Dense<f64>, weight: f64, run: &Run) -> Result<Split> {
    if x.cols() > x.rows() {
        let Split { clean, corruption } = split(&x.transposed(), weight, run)?;
        return Ok(Split { clean: clean.transposed(), corruption: corruption.transposed() });
    }
    let size = frobenius(x);
    let mut state = Split { clean: Dense::zeros(x.rows(), x.cols()), corruption: Dense::zeros(x.rows(), x.cols()) };
    let longest = right_singular(x, 1, 1e-6, run)?.values.first().copied().unwrap_or(0.0);
    if longest <= 0.0 {
        return Ok(state);
    }
    let lambda = weight / (x.rows().max(x.cols()) as f64).sqrt();
    let largest = x.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // Y / mu is kept instead of the multiplier Y: it is what every step adds
    let mut mu = 1.25 / longest;
    let mut scaled_multiplier = x.clone();
    let start = 1.0 / (f64::max(longest, largest / lambda) * mu);
    scaled_multiplier.data_mut().iter_mut().for_each(|y| *y *= start);
    let mut rank = 10;
    for _ in 0..ROUNDS {
        run.check()?;
        let mut target = Dense::zeros(x.rows(), x.cols());
        combine(&mut target, [x, &scaled_multiplier, &state.corruption], |[x, y, e]| x + y - e);
        (state.clean, rank) = shrink_singular_values(&target, 1.0 / mu, rank, run)?;
        combine(&mut state.corruption, [x, &state.clean, &scaled_multiplier], |[x, a, y]| {
            soft_threshold(x - a + y, lambda / mu)
        });
        let mut residual = target;
        combine(&mut residual, [x, &state.clean, &state.corruption], |[x, a, e]| x - a - e);
        let converged = frobenius(&residual) < TOLERANCE * size;
        let y = scaled_multiplier.data_mut().iter_mut().zip(residual.data());
        y.for_each(|(y, r)| *y = (*y + r) / GROWTH);
        mu *= GROWTH;
        if converged {
            break;
        }
    }
    Ok(state)
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

/// Every singular value lowered by `threshold`, those below it dropped, at least one kept. `guess` is about how many stay.
fn shrink_singular_values(m: &Dense<f64>, threshold: f64, guess: usize, run: &Run) -> Result<(Dense<f64>, usize)> {
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
    let shrunk = Mat::from_fn(leading.nrows(), kept, |i, j| leading[(i, j)] * factor(j));
    let mut scores = Dense::zeros(m.rows(), kept);
    multiply_small(scores.as_mat_mut(), m.as_mat(), shrunk.as_ref());
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
            let found = split(&x, 1.5, &Run::default()).unwrap().corruption;
            let flagged: Vec<bool> = found.data().iter().map(|e| e.abs() > 1e-6).collect();
            let both = flagged.iter().zip(&hit).filter(|(f, h)| **f && **h).count() as f64;
            let precision = both / flagged.iter().filter(|f| **f).count() as f64;
            let recall = both / hit.iter().filter(|h| **h).count() as f64;
            assert!(precision > 0.9 && recall > 0.9, "{n} x {d}: precision {precision:.3}, recall {recall:.3}");
        }
    }

    #[test]
    fn the_parts_add_up() {
        let (x, _) = planted(80, 20);
        let parts = split(&x, 1.5, &Run::default()).unwrap();
        let mut gap = Dense::zeros(80, 20);
        combine(&mut gap, [&x, &parts.clean, &parts.corruption], |[x, a, e]| x - a - e);
        assert!(frobenius(&gap) < 2e-4 * frobenius(&x));
    }
}
