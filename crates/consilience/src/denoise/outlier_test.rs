//! Whether entries of a view were replaced: said only when clean data cannot look like it.

use super::residuals::{Residuals, residuals};
use super::tails::{Cut, Side, Tails};
use crate::matrix::Dense;
use crate::run::CorruptionEvidence;
use crate::{Result, Run};

/// The gain in log-likelihood that chance gives at most, and what bodies that are not quite of the family give per entry.
const CHANCE_GAIN: f64 = 6.0;
const GAIN_PER_ENTRY: f64 = 0.0005;
/// A side may be silent, where it has a long tail, but not speak against a shelf: more than this share of the gain.
const AGAINST: f64 = -0.25;
/// Of the entries that the shelf puts beyond the cut, each side of the view has this share at least: noise falls on both.
const ON_EACH_SIDE: f64 = 0.5;
/// Share of these that must also be so many standard deviations from their column's mean. Columns of few levels, as pixels that
/// are black or white, have large residuals but no values that are out of range.
const OUT_OF_RANGE: (f64, f64) = (0.3, 1.5);
/// Replaced entries fall on all columns alike: largest squared coefficient of variation of their numbers by column and side, besides
/// that of chance.
const UNEVEN: f64 = 0.9;
/// And on all samples: the same of their numbers by sample. A few samples that are outliers as a whole have nearly all of them.
const UNEVEN_SAMPLES: f64 = 2.0;
/// They fall on all samples alike: largest mean correlation of the sizes of two residuals of one sample, besides chance.
const CORRELATION: f64 = 0.05;

/// Entries that look replaced.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// Their share, estimated.
    pub(crate) share: f64,
    pub(crate) evidence: CorruptionEvidence,
}

/// Whether entries of a view were replaced by noise.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn find_replaced(x: &Dense<f64>, run: &Run) -> Result<Option<Replaced>> {
    let Some(residuals) = residuals(x, run)? else { return Ok(None) };
    run.check()?;
    let tails = Tails::get();
    let side = |sign: f64| tails.compare(residuals.spreads.data().iter().map(|u| sign * u).filter(|u| *u >= 0.0));
    let (above, below) = (side(1.0), side(-1.0));
    run.check()?;
    let gain = above.gain + below.gain;
    let needed = CHANCE_GAIN + GAIN_PER_ENTRY * residuals.spreads.data().len() as f64;
    // the side that gains most knows the shelf best
    let (best, other) = if above.gain >= below.gain { (above, below) } else { (below, above) };
    let Some(cut) = best.cut.filter(|_| gain > needed && other.gain >= AGAINST * gain) else { return Ok(None) };
    let beyond = Beyond::new(&residuals, cut);
    let is_replaced = beyond.looks_replaced(best) && correlation(&residuals.spreads) < CORRELATION;
    let share = f64::midpoint(above.share, below.share);
    Ok(is_replaced.then(|| Replaced { share, evidence: beyond.evidence() }))
}

/// Entries beyond the cut.
struct Beyond {
    cut: Cut,
    /// Above and below, by column.
    columns: Vec<[usize; 2]>,
    /// On both sides, by sample.
    rows: Vec<usize>,
    /// Of those above and below, the ones whose values are out of range.
    out_of_range: [usize; 2],
}

impl Beyond {
    fn new(residuals: &Residuals, cut: Cut) -> Self {
        let Residuals { spreads, scores } = residuals;
        let (mut columns, mut out_of_range) = (vec![[0; 2]; spreads.cols()], [0; 2]);
        let mut rows = vec![0; spreads.rows()];
        for ((spreads, scores), row) in spreads.iter_rows().zip(scores.iter_rows()).zip(&mut rows) {
            for ((u, score), column) in spreads.iter().zip(scores).zip(&mut columns) {
                if u.abs() > cut.at {
                    let side = usize::from(*u < 0.0);
                    column[side] += 1;
                    *row += 1;
                    out_of_range[side] += usize::from(score * u.signum() > OUT_OF_RANGE.1);
                }
            }
        }
        Self { cut, columns, rows, out_of_range }
    }

    fn sides(&self) -> [usize; 2] {
        self.columns.iter().fold([0; 2], |sum, column| [sum[0] + column[0], sum[1] + column[1]])
    }

    /// On both sides, out of range, in all columns and samples.
    fn looks_replaced(&self, best: Side) -> bool {
        let shelved = 0.5 * best.share * self.cut.shelf * (self.rows.len() * self.columns.len()) as f64;
        let sides = self.sides();
        let expected = sides.iter().fold(shelved, |least, found| least.min(*found as f64));
        expected > ON_EACH_SIDE * shelved
            && self.out_of_range.iter().all(|found| *found as f64 > OUT_OF_RANGE.0 * expected)
            && excess_variation(self.columns.as_flattened(), self.rows.len()) < UNEVEN
            && excess_variation(&self.rows, self.columns.len()) < UNEVEN_SAMPLES
    }

    fn evidence(&self) -> CorruptionEvidence {
        let entries = (self.rows.len() * self.columns.len()) as f64;
        CorruptionEvidence {
            spreads: self.cut.at,
            beyond: self.sides().iter().sum::<usize>() as f64 / entries,
            expected: self.cut.body,
            columns: self.columns.iter().filter(|column| column[0] > 0 && column[1] > 0).count(),
            tested: self.columns.len(),
        }
    }
}

/// Squared coefficient of variation of some numbers, less that of binomial ones of `trials`.
fn excess_variation(counts: &[usize], trials: usize) -> f64 {
    let size = counts.len() as f64;
    let mean = counts.iter().sum::<usize>() as f64 / size;
    let variance = counts.iter().map(|count| (*count as f64 - mean).powi(2)).sum::<f64>() / (size - 1.0);
    (variance - mean * (1.0 - mean / trials as f64)) / (mean * mean)
}

/// The mean correlation of the sizes of two residuals of the same sample, less what chance makes of independent ones. Sizes
/// are counted by their ranks in the column as those of an exponential distribution, which looks at large ones most.
fn correlation(spreads: &Dense<f64>) -> f64 {
    let (n, d) = (spreads.rows(), spreads.cols());
    let mut sums = vec![0.0; n];
    let scores: Vec<f64> = (0..n).map(|rank| -(1.0 - (rank as f64 + 0.5) / n as f64).ln()).collect();
    for column in 0..d {
        let size = |i: usize| spreads.get(i, column).abs();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b)));
        order.into_iter().zip(&scores).for_each(|(i, score)| sums[i] += score);
    }
    let variance = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n as f64;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64
    };
    let independent = d as f64 * variance(&scores);
    (variance(&sums) / independent - 1.0 - 2.0 * (2.0 / n as f64).sqrt()) / (d as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_whole_samples_are_correlated_and_others_are_not() {
        let chance = 2.0 * (2.0_f64 / 200.0).sqrt() / 3.0;
        // the same order in all four columns: a correlation of 1
        let whole = Dense::from_fn(200, 4, |i, j| if j % 2 == 0 { i as f64 } else { -(2.0 * i as f64) });
        assert!((correlation(&whole) - (1.0 - chance)).abs() < 1e-9);
        let apart = Dense::from_fn(200, 4, |i, j| ((i * [1, 47, 83, 141][j]) % 200) as f64);
        assert!(correlation(&apart).abs() < 0.15);
    }

    #[test]
    fn evidence_lies_on_both_sides_out_of_range_and_in_all_columns() {
        let found = |columns: [[usize; 2]; 3], out_of_range: [usize; 2]| {
            let cut = Cut { at: 3.0, shelf: 0.5, body: 0.001 };
            let best = Side { gain: 50.0, share: 0.2, cut: Some(cut) };
            // 15 are expected on each side
            let rows = (0..100).map(|row| usize::from(row < 27)).collect();
            Beyond { cut, columns: columns.to_vec(), rows, out_of_range }.looks_replaced(best)
        };
        assert!(found([[5, 4], [5, 4], [5, 4]], [8, 6]));
        assert!(!found([[5, 2], [5, 2], [5, 2]], [8, 6]), "few below");
        assert!(!found([[5, 4], [5, 4], [5, 4]], [8, 3]), "within the range");
        assert!(!found([[15, 12], [0, 0], [0, 0]], [8, 6]), "in one column");
        let cut = Cut { at: 3.0, shelf: 0.5, body: 0.001 };
        let rows = (0..100).map(|row| if row < 9 { 3 } else { 0 }).collect();
        let whole = Beyond { cut, columns: vec![[5, 4]; 3], rows, out_of_range: [8, 6] };
        assert!(!whole.looks_replaced(Side { gain: 50.0, share: 0.2, cut: Some(cut) }), "in nine samples");
    }
}
