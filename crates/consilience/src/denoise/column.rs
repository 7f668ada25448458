//! A column of a view in units of its own spread, which replaced entries do not move.

use crate::matrix::median_in_place;

/// Different values, and values of a single entry, that are so few for the number of entries that noise is none of them.
const SHARED: (f64, f64) = (0.25, 0.02);
/// A median absolute deviation times this is the standard deviation of normal data.
pub(super) const NORMAL: f64 = 1.4826;

/// A column in robust units: its median taken away, divided by its spread.
pub(super) struct Column {
    pub(super) values: Vec<f64>,
    mean: f64,
    deviation: f64,
}

impl Column {
    /// Nothing for a column that does not vary.
    pub(super) fn new(mut values: Vec<f64>) -> Option<Self> {
        let n = values.len() as f64;
        spread_ties(&mut values);
        let middle = median_in_place(&mut values.clone());
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        if !(deviation.is_finite() && deviation > 1e-12 * mean.abs()) {
            return None;
        }
        let mut sizes: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
        let robust = NORMAL * median_in_place(&mut sizes);
        let unit = if robust > 0.1 * deviation { robust } else { deviation };
        values.iter_mut().for_each(|x| *x = (*x - middle) / unit);
        Some(Self { values, mean: (mean - middle) / unit, deviation: deviation / unit })
    }

    pub(super) fn score(&self, i: usize) -> f64 {
        (self.values[i] - self.mean) / self.deviation
    }
}

/// Nearly every entry has a value that others have too, of few values: noise would have values of its own.
pub(super) fn has_shared_values(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let runs = || sorted.chunk_by(|a, b| a == b);
    let (all, single) = (runs().count(), runs().filter(|run| run.len() == 1).count());
    (all as f64) < SHARED.0 * values.len() as f64 && (single as f64) < SHARED.1 * values.len() as f64
}

/// Spreads values that many entries share over half the gaps to the next such values: counts and grey levels have no
/// spread to speak of otherwise. Columns in which few entries share values are left as they are.
fn spread_ties(values: &mut [f64]) {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let least = 3.max(n / 100);
    let shared: Vec<&[usize]> =
        order.chunk_by(|&a, &b| values[a] == values[b]).filter(|ties| ties.len() >= least).collect();
    if shared.len() < 2 || 10 * shared.iter().map(|ties| ties.len()).sum::<usize>() < 3 * n {
        return;
    }
    let levels: Vec<f64> = shared.iter().map(|ties| values[ties[0]]).collect();
    let gap = |at: usize| levels[at + 1] - levels[at];
    for (at, ties) in shared.iter().enumerate() {
        let below = gap(at.saturating_sub(1)) / 2.0;
        let above = gap(at.min(levels.len() - 2)) / 2.0;
        for (number, &i) in ties.iter().enumerate() {
            // the golden ratio's multiples fill the interval evenly, whatever the order of the samples
            let place = 2.0 * (number as f64 * 0.618_033_988_749_894_9 + 0.5).fract() - 1.0;
            values[i] += place * if place < 0.0 { below } else { above };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_values_are_spread_over_their_half_gaps_and_others_stay() {
        let mut counts: Vec<f64> = (0..100).map(|i| f64::from(i % 4)).collect();
        spread_ties(&mut counts);
        for (i, x) in counts.iter().enumerate() {
            assert!((x - (i % 4) as f64).abs() <= 0.5, "{x}");
        }
        let mut sorted = counts.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
        let mut smooth: Vec<f64> = (0..100).map(f64::from).collect();
        spread_ties(&mut smooth);
        assert_eq!(smooth, (0..100).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn counts_share_their_values_and_noise_among_them_does_not() {
        let mut counts: Vec<f64> = (0..100).map(|i| f64::from(i % 5)).collect();
        assert!(has_shared_values(&counts));
        counts[3] = -1.7;
        counts[17] = 2.2;
        assert!(!has_shared_values(&counts));
        assert!(!has_shared_values(&(0..100).map(f64::from).collect::<Vec<_>>()));
    }
}
