//! Scores that ask of every pair of samples whether both clusterings put it together.

use super::Contingency;

/// Ordered pairs of different samples, by who puts them together.
struct PairCounts {
    both: i128,
    only_predicted: i128,
    only_truth: i128,
    neither: i128,
}

impl PairCounts {
    fn new(table: &Contingency) -> Self {
        // 128 bits: the index multiplies two counts of pairs, about n^4
        let squares = |sizes: &[u64]| sizes.iter().map(|&size| i128::from(size).pow(2)).sum::<i128>();
        let n = i128::from(table.samples());
        let together: i128 = table.cells().iter().map(|cell| i128::from(cell.count).pow(2)).sum();
        let only_predicted = squares(table.row_sums()) - together;
        let only_truth = squares(table.column_sums()) - together;
        Self { both: together - n, only_predicted, only_truth, neither: n * n - only_predicted - only_truth - together }
    }

    fn agree_fully(&self) -> bool {
        self.only_predicted == 0 && self.only_truth == 0
    }
}

/// The Rand index adjusted for chance (Hubert and Arabie): 0 in expectation for random labels, 1 for equal
/// clusterings, down to -0.5. Full agreement is 1 even where chance agrees fully too.
pub fn ari(table: &Contingency) -> f64 {
    let pairs = PairCounts::new(table);
    if pairs.agree_fully() {
        return 1.0;
    }
    let PairCounts { both, only_predicted, only_truth, neither } = pairs;
    let above_chance = both * neither - only_truth * only_predicted;
    let scale = (both + only_truth) * (only_truth + neither) + (both + only_predicted) * (only_predicted + neither);
    2.0 * above_chance as f64 / scale as f64
}

/// Harmonic mean of precision and recall over pairs put together. Full agreement is 1 even without any such pair.
pub fn fscore(table: &Contingency) -> f64 {
    let pairs = PairCounts::new(table);
    if pairs.agree_fully() {
        return 1.0;
    }
    let both = 2.0 * pairs.both as f64;
    both / (both + (pairs.only_predicted + pairs.only_truth) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(predicted: &[usize], truth: &[usize]) -> Contingency {
        Contingency::new(predicted, truth).unwrap()
    }

    #[test]
    fn by_hand() {
        // unordered pairs: one together in both, one in truth only, none in predicted only, four in neither
        let split = table(&[0, 0, 1, 2], &[0, 0, 1, 1]);
        assert!((ari(&split) - 4.0 / 7.0).abs() < 1e-15);
        assert!((fscore(&split) - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(ari(&table(&[0, 1, 0, 1], &[0, 0, 1, 1])), -0.5);
    }

    #[test]
    fn special_cases() {
        for agreed in [table(&[], &[]), table(&[1], &[2]), table(&[0, 1, 2], &[2, 1, 0]), table(&[0, 0], &[5, 5])] {
            assert_eq!((ari(&agreed), fscore(&agreed)), (1.0, 1.0));
        }
        let opposite = table(&[0, 0, 0], &[0, 1, 2]);
        assert_eq!((ari(&opposite), fscore(&opposite)), (0.0, 0.0));
    }
}
