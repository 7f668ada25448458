//! Singular value thresholding: the step that makes an n x n matrix of low rank, and in which precision such matrices are
//! kept.
//!
//! `D_t(M) = U max(S - t, 0) V'` of `M = U S V'` minimises `t |J|_* + |J - M|^2 / 2`. Only the triplets above `t` are
//! needed, and between two iterations of a method they change little. So they are searched for from the last ones, by
//! Rayleigh-Ritz on `M'M`, when there were few; else all eigenpairs of the Gram matrix are computed.
//!
//! How exact is the search? With V the vectors found, U S = M V and R = M'M V - V S^2, the result is exactly
//! `D_t(M - U S^-1 R')` as long as what the search left out is at most `t` in norm, which the directions below `t` that it
//! carries along show. `D_t` moves no two matrices apart, so the result is within `|S^-1 R'|` of the exact one: that
//! number is what the search brings below [`ACCURACY`].

use rayon::prelude::*;

use crate::matrix::{Dense, Real, TASK_ROWS, square_gram, symmetric_eigen};
use crate::operator::{EigenAbove, GramOperator};
use crate::parameters::choice;
use crate::{Result, Run};

/// What to do when the n x n matrices do not fit.
pub(in crate::method) const MEMORY_HINT: &str = "use slrmf or comvsc, precision=single, or fewer samples";

/// n x n matrices in double precision that a full eigendecomposition takes besides its argument: the Gram matrix, the
/// eigenvectors as found, as returned and as used, and faer's own. Measured: 11 at n = 2000, with what the allocator keeps.
pub(in crate::method) const EIGEN_WORKSPACE: usize = 12;

choice! {
    /// Precision of n x n matrices.
    pub enum Precision {
        /// 8 bytes a number.
        Double = "double",
        /// 4 bytes a number; sums that decide something are still made in double precision.
        Single = "single",
    }
}

impl Precision {
    /// Bytes of a number.
    pub(in crate::method) fn width(self) -> usize {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }
}

/// Runs the same generic code in the precision that was asked for.
macro_rules! in_precision {
    ($precision:expr, $float:ident => $run:expr) => {
        match $precision {
            $crate::method::Precision::Double => {
                type $float = f64;
                $run
            }
            $crate::method::Precision::Single => {
                type $float = f32;
                $run
            }
        }
    };
}
pub(in crate::method) use in_precision;

/// Distance of the result from the exact one, relative to `t sqrt(rank)`, which is how far the step moves a matrix.
const ACCURACY: f64 = 1e-4;
/// Rounding in `M'M` keeps the error above this share of `|M|^2 / t`, whatever the search does.
const ROUNDING: f64 = 1e-14;
/// A search costs more than a full eigendecomposition when more than one in so many values is above the threshold.
const SEARCHED_SHARE: usize = 5;
/// Up to this size all singular values are computed.
const MAX_DIRECT_SIZE: usize = 256;
/// Passes of a search; every one costs a tenth or so of a full eigendecomposition.
const MAX_PASSES: usize = 10;

/// Thresholding of a matrix that changes little from one iteration to the next.
#[derive(Default)]
pub(in crate::method) struct SingularValueThreshold {
    /// Right singular vectors of the last result and some directions below the threshold, n x (rank and more).
    vectors: Option<Dense<f64>>,
    /// Full eigendecompositions made.
    full_solves: usize,
}

/// What a step found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::method) struct Thresholded {
    /// Singular values above the threshold.
    pub(in crate::method) rank: usize,
    /// Sum of the singular values of the result.
    pub(in crate::method) nuclear_norm: f64,
    /// Squared distance of the result from what was in `out` before.
    pub(in crate::method) squared_change: f64,
    /// Root of the sum of squares of the result.
    pub(in crate::method) norm: f64,
}

/// Squares of the singular values above the threshold, and the right singular vectors in the columns at their places.
struct Leading {
    squares: Vec<f64>,
    vectors: Dense<f64>,
}

impl SingularValueThreshold {
    /// `out = D_threshold(m)`, both n x n. `out` must hold the last result of this memory, or zeros.
    pub(in crate::method) fn apply<T: Real>(
        &mut self,
        m: &Dense<T>,
        threshold: f64,
        out: &mut Dense<T>,
        run: &Run,
    ) -> Result<Thresholded> {
        run.check()?;
        let chunks = m.data().par_chunks(TASK_ROWS * m.cols().max(1));
        let squares: Vec<f64> = chunks.map(|chunk| chunk.iter().map(|x| x.to_f64().powi(2)).sum()).collect();
        let squared_norm: f64 = squares.iter().sum();
        let leading = if squared_norm <= threshold * threshold {
            // no singular value is larger than the root of the sum of squares
            Leading { squares: Vec::new(), vectors: Dense::zeros(m.cols(), 0) }
        } else {
            self.leading(m, threshold, squared_norm, run)?
        };
        run.check()?;
        let values: Vec<f64> = leading.squares.iter().map(|square| square.sqrt()).collect();
        let squared_change = rebuild(m, &values, threshold, &leading.vectors, out);
        let nuclear_norm = values.iter().map(|value| value - threshold).sum();
        let squares = values.iter().map(|value| (value - threshold).powi(2)).sum::<f64>();
        self.vectors = Some(leading.vectors);
        Ok(Thresholded { rank: values.len(), nuclear_norm, squared_change, norm: squares.sqrt() })
    }

    /// By search from the last vectors when there were few of them, else by a full eigendecomposition.
    fn leading<T: Real>(&mut self, m: &Dense<T>, threshold: f64, squared_norm: f64, run: &Run) -> Result<Leading> {
        let n = m.cols();
        if let Some(start) = self.vectors.as_ref().filter(|_| n > MAX_DIRECT_SIZE) {
            let rank = start.cols().max(1) as f64;
            let accuracy = (ACCURACY * threshold * rank.sqrt()).max(ROUNDING * squared_norm / threshold);
            let most = n / SEARCHED_SHARE;
            let search = EigenAbove { threshold: threshold * threshold, accuracy, most, passes: MAX_PASSES, seed: 0 };
            if let Some(found) = search.solve(&GramOperator::new(m), start, run)? {
                return Ok(Leading { squares: found.values, vectors: found.vectors });
            }
        }
        self.full_solves += 1;
        self.vectors = None;
        let eigen = symmetric_eigen(square_gram(m).as_ref())?;
        let above = eigen.values.iter().take_while(|square| **square > threshold * threshold).count();
        // a few directions more than are needed are where the next search starts
        let kept = if above > n / SEARCHED_SHARE { above } else { (above + 8 + above / 8).min(n) };
        let vectors = Dense::from_fn(n, kept, |i, j| eigen.vectors[(i, j)]);
        Ok(Leading { squares: eigen.values[..above].to_vec(), vectors })
    }
}

/// `out = M V (1 - t / S) V'` over the columns of V that have a value. Gives the squared change of `out`.
fn rebuild<T: Real>(m: &Dense<T>, values: &[f64], threshold: f64, v: &Dense<f64>, out: &mut Dense<T>) -> f64 {
    let (n, rank) = (m.cols().max(1), values.len());
    // columns of V beside each other for the second product, below each other and scaled for the first
    let right = v.first_columns(rank);
    let left = Dense::from_fn(rank, n, |j, i| v.get(i, j) * (1.0 - threshold / values[j]));
    let tasks = out.data_mut().par_chunks_mut(TASK_ROWS * n).zip(m.data().par_chunks(TASK_ROWS * n));
    let changes = tasks.map_init(<(Vec<f64>, Vec<f64>, Vec<f64>)>::default, |(wide, scores, new), (out, rows)| {
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
    changes.collect::<Vec<f64>>().iter().sum()
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::{frobenius, frobenius_distance, from_mat};

    /// Numbers between -1 and 1 that look random.
    fn noise(n: usize, seed: usize) -> Dense<f64> {
        Dense::from_fn(n, n, |i, j| ((i * 7919 + j * 104_729 + seed * 1_299_709) as f64).sin())
    }

    /// `H S K` with two reflections H and K: singular values `value(0), value(1), ..`.
    fn with_values(n: usize, seed: usize, value: impl Fn(usize) -> f64) -> Dense<f64> {
        let reflection = |seed: usize| {
            let u: Vec<f64> = (0..n).map(|i| ((i * 7919 + seed) as f64).sin()).collect();
            let square: f64 = u.iter().map(|x| x * x).sum();
            Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square)
        };
        let middle = Mat::from_fn(n, n, |i, j| if i == j { value(i) } else { 0.0 });
        from_mat(&(reflection(seed) * middle * reflection(seed + 1)))
    }

    fn singular_values(m: &Mat<f64>) -> Vec<f64> {
        let eigen = symmetric_eigen((m.transpose() * m).as_ref()).unwrap();
        eigen.values.iter().map(|square| square.max(0.0).sqrt()).collect()
    }

    fn thresholded(m: &Dense<f64>, threshold: f64) -> (Dense<f64>, Thresholded) {
        let mut out = Dense::zeros(m.rows(), m.cols());
        let found = SingularValueThreshold::default().apply(m, threshold, &mut out, &Run::default()).unwrap();
        (out, found)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// `M - J` must be t times a subgradient of the nuclear norm at J: at most t in norm, and `<M - J, J> = t |J|_*`.
        #[test]
        fn the_result_fulfils_its_optimality_conditions(n in 1..14_usize, seed in 0..1000_usize, threshold in 0.05..3.0_f64) {
            let m = noise(n, seed);
            let (out, found) = thresholded(&m, threshold);
            let gap = m.as_mat() - out.as_mat();
            let largest = singular_values(&gap)[0];
            prop_assert!(largest <= threshold + 1e-9, "{largest} above {threshold}");
            let nuclear: f64 = singular_values(&out.as_mat().to_owned()).iter().sum();
            let inner: f64 = (0..n).map(|i| (0..n).map(|j| gap[(i, j)] * out.get(i, j)).sum::<f64>()).sum();
            prop_assert!((inner - threshold * nuclear).abs() < 1e-6);
            prop_assert!((found.nuclear_norm - nuclear).abs() < 1e-6 && (found.squared_change - frobenius(&out).powi(2)).abs() < 1e-8);
        }
    }

    /// A matrix that changes a little from step to step, as in an iteration: searched from the last vectors, and afresh.
    #[test]
    fn the_search_equals_the_full_solution() {
        let (n, threshold) = (320, 0.3);
        let base = with_values(n, 3, |i| 3.0 * 0.9_f64.powi(i as i32));
        let turn = with_values(n, 8, |i| 0.02 / (1 + i) as f64);
        let (mut memory, mut out) = (SingularValueThreshold::default(), Dense::zeros(n, n));
        for step in 0..4 {
            let m = Dense::from_fn(n, n, |i, j| base.get(i, j) + f64::from(step) * turn.get(i, j));
            let found = memory.apply(&m, threshold, &mut out, &Run::default()).unwrap();
            let (exact, expected) = thresholded(&m, threshold);
            assert_eq!(found.rank, expected.rank);
            let bound = ACCURACY * threshold * (found.rank as f64 + 16.0).sqrt();
            assert!(frobenius_distance(&out, &exact) <= bound, "{} above {bound}", frobenius_distance(&out, &exact));
        }
        assert_eq!(memory.full_solves, 1, "only the first step is solved in full");
    }

    #[test]
    fn many_values_above_the_threshold_are_solved_in_full() {
        let m = with_values(300, 5, |i| if i < 200 { 2.0 } else { 0.1 });
        let (mut memory, mut out) = (SingularValueThreshold::default(), Dense::zeros(300, 300));
        for solves in 1..=2 {
            let found = memory.apply(&m, 1.0, &mut out, &Run::default()).unwrap();
            assert!(found.rank == 200 && (found.nuclear_norm - 200.0).abs() < 1e-8 && memory.full_solves == solves);
        }
    }

    #[test]
    fn single_precision_is_near_double_and_small_matrices_vanish() {
        let m = noise(60, 2);
        let (double, _) = thresholded(&m, 2.0);
        let mut single = Dense::<f32>::zeros(60, 60);
        SingularValueThreshold::default().apply(&m.cast::<f32>(), 2.0, &mut single, &Run::default()).unwrap();
        assert!(frobenius_distance(&double, &single.cast()) < 1e-5 * frobenius(&double));
        let (nothing, found) = thresholded(&m, 1e3);
        assert!(found.rank == 0 && nothing.data().iter().all(|x| *x == 0.0));
    }
}
