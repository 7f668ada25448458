//! Robust principal component analysis: X = A + E by the inexact augmented Lagrangian (Lin, Chen, Ma 2010).

use rayon::prelude::*;

use super::threshold::{TallThreshold, spectral_norm};
use crate::matrix::{Dense, ROW_CHUNK};
use crate::{Result, Run};

const MAX_ITERATIONS: usize = 60;
/// Converged when `|X - A - E|` is below this share of `|X|`.
const TOLERANCE: f64 = 1e-4;
/// Below this share the right singular vectors hardly turn any more, and the last ones are used again.
const SETTLED: f64 = 5e-3;
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

/// Minimises `|A|_* + weight / sqrt(max(n, d)) |E|_1` subject to `A + E = x`, in single precision.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn robust_pca(x: &Dense<f64>, weight: f64, run: &Run) -> Result<Decomposition> {
    if x.cols() > x.rows() {
        let Decomposition { low_rank, sparse } = robust_pca(&x.transposed(), weight, run)?;
        return Ok(Decomposition { low_rank: low_rank.transposed(), sparse: sparse.transposed() });
    }
    let largest = x.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest <= 0.0 {
        return Ok(Decomposition { low_rank: x.clone(), sparse: Dense::zeros(x.rows(), x.cols()) });
    }
    // in units of the largest entry no data are too large or small for single precision
    let split = Split::new(x, largest, weight, run)?.converged(run)?;
    let back = |part: &Dense<f32>| {
        let entries = part.data().par_iter().map(|entry| largest * f64::from(*entry));
        Dense::new(x.rows(), x.cols(), entries.collect::<Vec<f64>>())
    };
    Ok(Decomposition { low_rank: back(&split.low_rank)?, sparse: back(&split.sparse)? })
}

/// The state of the iteration; all matrices n x d.
struct Split {
    x: Dense<f32>,
    low_rank: Dense<f32>,
    sparse: Dense<f32>,
    /// Y / mu instead of the multiplier Y: it is what every step adds.
    multiplier: Dense<f32>,
    /// `X + Y / mu - E`, of which the low-rank part is the thresholded one.
    target: Dense<f32>,
    mu: f64,
    lambda: f64,
}

impl Split {
    fn new(x: &Dense<f64>, largest: f64, weight: f64, run: &Run) -> Result<Self> {
        let (n, d) = (x.rows(), x.cols());
        let scaled = x.data().par_iter().map(|x| (x / largest) as f32);
        let x = Dense::new(n, d, scaled.collect::<Vec<f32>>())?;
        let longest = spectral_norm(&x, run)?;
        let (mu, lambda) = (1.25 / longest, weight / (n.max(d) as f64).sqrt());
        let start = (1.0 / (f64::max(longest, 1.0 / lambda) * mu)) as f32;
        let times = |factor: f32| Dense::new(n, d, x.data().par_iter().map(|x| factor * x).collect::<Vec<f32>>());
        let (multiplier, target) = (times(start)?, times(1.0 + start)?);
        Ok(Self { low_rank: Dense::zeros(n, d), sparse: Dense::zeros(n, d), multiplier, target, x, mu, lambda })
    }

    /// In the end.
    fn converged(mut self, run: &Run) -> Result<Self> {
        let mut threshold = TallThreshold::default();
        let size = self.x.data().par_chunks(ROW_CHUNK).map(|part| part.iter().map(|x| f64::from(x * x)).sum::<f64>());
        let size: f64 = size.collect::<Vec<f64>>().iter().sum();
        let mut gap = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let settled = gap < SETTLED * SETTLED * size;
            threshold.apply(&self.target, 1.0 / self.mu, settled, &mut self.low_rank, run)?;
            gap = self.step();
            if gap < TOLERANCE * TOLERANCE * size {
                break;
            }
        }
        Ok(self)
    }

    /// The new E, multiplier and target in one pass; gives `|X - A - E|^2`.
    fn step(&mut self) -> f64 {
        let (bound, growth) = ((self.lambda / self.mu) as f32, GROWTH as f32);
        let chunk = self.x.cols().max(1) * ROW_CHUNK;
        let given = self.x.data().par_chunks(chunk).zip(self.low_rank.data().par_chunks(chunk));
        let made = self.sparse.data_mut().par_chunks_mut(chunk).zip(self.multiplier.data_mut().par_chunks_mut(chunk));
        let made = made.zip(self.target.data_mut().par_chunks_mut(chunk));
        let squares = given.zip(made).map(|((x, a), ((e, y), target))| {
            let mut sum = 0.0_f64;
            for at in 0..x.len() {
                let whole = x[at] - a[at] + y[at];
                e[at] = whole - whole.clamp(-bound, bound);
                let rest = whole - e[at];
                sum += f64::from(rest - y[at]).powi(2);
                y[at] = rest / growth;
                target[at] = x[at] + y[at] - e[at];
            }
            sum
        });
        let squares: Vec<f64> = squares.collect();
        self.mu *= GROWTH;
        squares.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::matrix::{frobenius, frobenius_distance, gram, multiply_small, soft_threshold, symmetric_eigen};

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
        let sum = Dense::from_fn(80, 20, |i, j| found.low_rank.get(i, j) + found.sparse.get(i, j));
        assert!(frobenius_distance(&sum, &x) < 2e-4 * frobenius(&x));
    }

    /// The same iteration, written out in double precision with all singular values.
    fn plain(x: &Dense<f64>, weight: f64, tolerance: f64) -> Dense<f64> {
        let (n, d) = (x.rows(), x.cols());
        let eigen = |m: &Dense<f64>| symmetric_eigen(gram(m.as_mat(), m.as_mat()).as_ref()).unwrap();
        let (longest, lambda) = (eigen(x).values[0].sqrt(), weight / (n.max(d) as f64).sqrt());
        let largest = x.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut mu = 1.25 / longest;
        let start = 1.0 / (f64::max(longest, largest / lambda) * mu);
        let mut y = Dense::from_fn(n, d, |i, j| start * x.get(i, j));
        let mut e = Dense::zeros(n, d);
        loop {
            let m = Dense::from_fn(n, d, |i, j| x.get(i, j) + y.get(i, j) - e.get(i, j));
            let found = eigen(&m);
            let factor = |r: usize| (1.0 - 1.0 / (mu * found.values[r].max(1e-300).sqrt())).max(0.0);
            let scaled = faer::Mat::from_fn(d, d, |i, r| found.vectors[(i, r)] * factor(r));
            let a = m.as_mat() * (scaled * found.vectors.transpose());
            e = Dense::from_fn(n, d, |i, j| soft_threshold(x.get(i, j) - a[(i, j)] + y.get(i, j), lambda / mu));
            let rest = Dense::from_fn(n, d, |i, j| x.get(i, j) - a[(i, j)] - e.get(i, j));
            y = Dense::from_fn(n, d, |i, j| (y.get(i, j) + rest.get(i, j)) / GROWTH);
            mu *= GROWTH;
            if frobenius(&rest) < tolerance * frobenius(x) {
                return e;
            }
        }
    }

    #[test]
    fn the_fast_split_equals_the_plain_one() {
        // the wide ones search for their singular values, then use the last vectors again; with noise all values are kept
        for (n, d, noise) in [(150, 40, 0.0), (60, 90, 0.3), (420, 300, 0.0), (420, 300, 0.3)] {
            let (mut x, _) = planted(n, d);
            x.data_mut().iter_mut().enumerate().for_each(|(at, x)| *x += noise * ((at * at) as f64).sin());
            let found = robust_pca(&x, 1.5, &Run::default()).unwrap().sparse;
            let exact = plain(&x, 1.5, TOLERANCE);
            let gap = frobenius_distance(&found, &exact) / frobenius(&exact);
            assert!(gap < 4e-3, "{n} x {d}, noise {noise}: {gap}");
        }
    }

    #[test]
    fn nothing_depends_on_the_number_of_threads() {
        let (x, _) = planted(600, 300);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| robust_pca(&x, 1.5, &Run::default()).unwrap().sparse)
        };
        assert_eq!(with(1).data(), with(3).data());
    }

    #[test]
    fn the_unit_of_the_data_does_not_matter() {
        let (x, _) = planted(60, 12);
        let far = Dense::from_fn(60, 12, |i, j| 1e60 * x.get(i, j));
        let found = |x: &Dense<f64>| robust_pca(x, 1.5, &Run::default()).unwrap().sparse;
        let back = Dense::from_fn(60, 12, |i, j| 1e-60 * found(&far).get(i, j));
        assert!(frobenius_distance(&back, &found(&x)) < 1e-4 * frobenius(&x));
        assert!(found(&Dense::zeros(5, 3)).data().iter().all(|e| *e == 0.0));
    }
}
