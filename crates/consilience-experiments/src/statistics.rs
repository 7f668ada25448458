//! The little statistics that tables need: means and spreads, a paired test, ranks over data sets.
//!
//! Friedman's test and Nemenyi's critical difference after it: J. Demsar. Statistical comparisons of classifiers over
//! multiple data sets. JMLR 7, 2006.

use std::f64::consts::PI;
use std::ops::Range;

/// With fewer pairs than this no outcome reaches p < 0.05 (five pairs give 1/16 at best).
pub const FEWEST_PAIRS: usize = 6;
/// Critical values of the studentised range over sqrt(2) at 0.05, for 2 to 30 methods
/// (`scipy.stats.studentized_range.ppf(.95, k, inf) / sqrt(2)`).
const NEMENYI: [f64; 29] = [
    1.959964, 2.343701, 2.569032, 2.727774, 2.849705, 2.948320, 3.030878, 3.101730, 3.163684, 3.218654, 3.268004,
    3.312739, 3.353618, 3.391230, 3.426041, 3.458425, 3.488685, 3.517073, 3.543799, 3.569040, 3.592946, 3.615646,
    3.637252, 3.657861, 3.677556, 3.696413, 3.714498, 3.731869, 3.748578,
];

/// The mean; none of nothing.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The standard deviation of a sample (divided by n - 1); none of fewer than two.
pub fn deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers).filter(|_| numbers.len() > 1)?;
    let sum: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    Some((sum / (numbers.len() - 1) as f64).sqrt())
}

/// Wilcoxon's signed-rank test: the two-sided exact p-value of the differences being centred at 0; the pairs are few, so
/// every sign pattern can be counted. Zero differences are left out, as Wilcoxon did;
/// equal sizes share their mean rank. None when fewer than [`FEWEST_PAIRS`] differences are left.
pub fn wilcoxon(differences: &[f64]) -> Option<f64> {
    let mut left: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && d.is_finite()).collect();
    if left.len() < FEWEST_PAIRS {
        return None;
    }
    left.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&left);
    let positive: usize = left.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let total: usize = ranks.iter().sum();
    // share[w]: probability that the positive ranks sum to w when every sign is a coin
    let mut share = vec![0.0; total + 1];
    share[0] = 1.0;
    for &rank in &ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= rank { share[sum - rank] } else { 0.0 };
            share[sum] = 0.5 * (share[sum] + with);
        }
    }
    let extreme = positive.min(total - positive);
    let tail: f64 = share[..=extreme].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Twice the ranks of sorted numbers by size, so that shared ranks stay whole.
fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    while ranks.len() < sorted.len() {
        let first = ranks.len();
        // sizes that differ by rounding only are equal
        let same = sorted[first..].iter().take_while(|d| d.abs() - sorted[first].abs() < 1e-12).count();
        ranks.extend(std::iter::repeat_n(2 * first + same + 1, same));
    }
    ranks
}

/// The outcome of Friedman's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friedman {
    /// The statistic, corrected for shared ranks.
    pub chi_squared: f64,
    /// Its p-value.
    pub p: f64,
}

/// Ranks from 1 for the largest score; equal scores share their mean rank; those without a score share the last.
pub fn average_ranks(scores: &[Option<f64>]) -> Vec<f64> {
    let value = |score: &Option<f64>| score.filter(|x| !x.is_nan()).unwrap_or(f64::NEG_INFINITY);
    let rank = |own: f64| {
        let above = scores.iter().filter(|other| value(other) > own).count();
        let same = scores.iter().filter(|other| value(other) == own).count();
        above as f64 + (same as f64 + 1.0) / 2.0
    };
    scores.iter().map(|score| rank(value(score))).collect()
}

/// Whether methods differ at all: a row of ranks per data set. None with fewer than two sets or methods, or when all
/// ranks are shared.
pub fn friedman(ranks: &[Vec<f64>]) -> Option<Friedman> {
    let (n, k) = (ranks.len() as f64, ranks.first()?.len() as f64);
    if n < 2.0 || k < 2.0 {
        return None;
    }
    let column = |j: usize| ranks.iter().map(|row| row[j]).sum::<f64>();
    let between: f64 = (0..k as usize).map(|j| (column(j) - n * (k + 1.0) / 2.0).powi(2)).sum();
    // the variance of the ranks as they are: shared ranks make it smaller
    let within: f64 = ranks.iter().flatten().map(|rank| (rank - (k + 1.0) / 2.0).powi(2)).sum();
    let chi_squared = (k - 1.0) * between / within;
    within.gt(&0.0).then(|| Friedman { chi_squared, p: chi_squared_tail(chi_squared, k - 1.0) })
}

/// Mean ranks must differ by this much to differ at 0.05. None beyond the table's 30 methods.
pub fn nemenyi_difference(methods: usize, sets: usize) -> Option<f64> {
    let q = NEMENYI.get(methods.checked_sub(2)?).filter(|_| sets > 0)?;
    let k = methods as f64;
    Some(q * (k * (k + 1.0) / (6.0 * sets as f64)).sqrt())
}

/// The largest groups of methods whose mean ranks (ascending) lie within `difference` of each other, as ranges of places.
pub fn groups(mean_ranks: &[f64], difference: f64) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for first in 0..mean_ranks.len() {
        let end = first + mean_ranks[first..].iter().take_while(|rank| *rank - mean_ranks[first] < difference).count();
        // a group inside the one before says nothing new
        if groups.last().is_none_or(|before| before.end < end) {
            groups.push(first..end);
        }
    }
    groups
}

/// The probability that a chi-squared variable with `freedom` degrees exceeds `x`: the upper incomplete gamma function,
/// by its recurrence in steps of two degrees from the closed forms at one and two.
fn chi_squared_tail(x: f64, freedom: f64) -> f64 {
    let half = x / 2.0;
    let mut degrees = if (freedom as usize).is_multiple_of(2) { 2.0 } else { 1.0 };
    // the term x^(degrees/2) e^-x / Gamma(degrees/2 + 1) that the recurrence adds
    let (mut tail, mut term) = if degrees == 2.0 {
        ((-half).exp(), half * (-half).exp())
    } else {
        (libm::erfc(half.sqrt()), (half / PI).sqrt() * 2.0 * (-half).exp())
    };
    while degrees < freedom {
        tail += term;
        degrees += 2.0;
        term *= half / (degrees / 2.0);
    }
    tail.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), mean(&[])), (Some(3.0), None));
        assert_eq!(deviation(&[1.0, 2.0, 6.0]), Some(7_f64.sqrt()));
        assert_eq!(deviation(&[4.0]), None);
    }

    #[test]
    fn six_wins_of_six() {
        // one pattern of 64 on each side
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), Some(2.0 / 64.0));
        assert_eq!(wilcoxon(&[-0.1, -0.2, -0.3, -0.4, -0.5, -0.6]), Some(2.0 / 64.0));
    }

    #[test]
    fn one_small_loss_of_seven() {
        // W- = 1: the patterns with sums 0 and 1, two of 128 on each side; scipy says 0.03125
        assert_eq!(wilcoxon(&[1.1, 2.2, 3.3, -0.5, 4.0, 0.7, 2.0]), Some(0.03125));
    }

    #[test]
    fn equal_sizes_share_their_rank() {
        // ranks 1.5 1.5 3 4 5 6, W- = 1.5: sums 0, 1.5 (twice) of 64 on each side
        assert_eq!(wilcoxon(&[1.0, -1.0, 2.0, 3.0, 4.0, 5.0]), Some(6.0 / 64.0));
        assert_eq!(doubled_ranks(&[1.0, -1.0, 2.0, 3.0]), [3, 3, 6, 8]);
    }

    #[test]
    fn too_few_pairs_say_nothing() {
        assert_eq!(wilcoxon(&[1.0; 5]), None);
        assert_eq!(wilcoxon(&[1.0, 1.0, 1.0, 1.0, 1.0, 0.0]), None, "a zero is no pair");
    }

    #[test]
    fn ranks_share_ties_and_failures_come_last() {
        assert_eq!(average_ranks(&[Some(0.9), Some(0.5), Some(0.9), None]), [1.5, 3.0, 1.5, 4.0]);
        assert_eq!(average_ranks(&[None, Some(0.1), None]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn friedman_equals_scipys() {
        let ranks = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        // friedmanchisquare of ranks 123 132 213 123 123: 6.4, p = 0.04076220
        let plain = friedman(&ranks(&[&[1., 2., 3.], &[1., 3., 2.], &[2., 1., 3.], &[1., 2., 3.], &[1., 2., 3.]]));
        let plain = plain.unwrap();
        assert!((plain.chi_squared - 6.4).abs() < 1e-12 && (plain.p - 0.040_762_203_978).abs() < 1e-10);
        // with ties, scores 1224 3315 2227 1439: 9.617647, p = 0.02211217
        let tied = friedman(&ranks(&[&[1., 2.5, 2.5, 4.], &[2.5, 2.5, 1., 4.], &[2., 2., 2., 4.], &[1., 3., 2., 4.]]));
        let tied = tied.unwrap();
        assert!((tied.chi_squared - 9.617_647_058_8).abs() < 1e-9 && (tied.p - 0.022_112_174_2).abs() < 1e-9);
        assert_eq!(friedman(&ranks(&[&[1.5, 1.5], &[1.5, 1.5]])), None, "no rank differs");
        assert_eq!(friedman(&ranks(&[&[1., 2.]])), None, "one set is no test");
    }

    #[test]
    fn tails_equal_scipys() {
        // chi2.sf([0.5, 3.84, 20, 1], [1, 1, 7, 4])
        for (x, freedom, p) in
            [(0.5, 1.0, 0.479_500_12), (3.84, 1.0, 0.050_043_52), (20.0, 7.0, 0.005_569_68), (1.0, 4.0, 0.909_795_99)]
        {
            assert!((chi_squared_tail(x, freedom) - p).abs() < 1e-8, "{x} {freedom}");
        }
    }

    #[test]
    fn the_critical_difference_is_demsars() {
        // his example: 4 methods, 14 sets, q = 2.569: CD = 1.25
        assert!((nemenyi_difference(4, 14).unwrap() - 1.253_5).abs() < 1e-3);
        assert_eq!((nemenyi_difference(1, 5), nemenyi_difference(31, 5), nemenyi_difference(3, 0)), (None, None, None));
    }

    #[test]
    fn groups_are_as_large_as_they_can_be() {
        assert_eq!(groups(&[1.0, 1.8, 2.2, 4.0], 1.0), [0..2, 1..3, 3..4]);
        assert_eq!(groups(&[1.0, 1.5, 1.9, 9.0], 1.0), [0..3, 3..4]);
    }
}
