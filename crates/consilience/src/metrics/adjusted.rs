//! Mutual information adjusted for chance, with scikit-learn's conventions (Vinh, Epps, Bailey 2010).

use super::Contingency;
use super::information::{entropy, mutual_information};

/// How much more two clusterings have in common than clusterings of the same sizes drawn at random: 1 for equal ones, about 0
/// for independent ones, for any number of clusters. That is what NMI is not: it rises with the number of clusters.
pub fn ami(table: &Contingency) -> f64 {
    let (rows, columns) = (table.row_sums(), table.column_sums());
    if rows.len() == columns.len() && rows.len() <= 1 {
        return 1.0;
    }
    let expected = expected_information(table);
    let mean_entropy = f64::midpoint(entropy(rows), entropy(columns));
    let span = mean_entropy - expected;
    // every sample by itself: chance could not do worse
    if span.abs() < f64::EPSILON {
        return if rows.len() == columns.len() && rows.len() == table.cells().len() { 1.0 } else { 0.0 };
    }
    (mutual_information(table) - expected) / span
}

/// The mean mutual information of clusterings of these sizes, in nats: a sum over the hypergeometric counts of every cell.
fn expected_information(table: &Contingency) -> f64 {
    let n = table.samples();
    let log_factorials = log_factorials(n as usize);
    let log = |count: u64| log_factorials[count as usize];
    let mut sum = 0.0;
    for &a in table.row_sums() {
        for &b in table.column_sums() {
            let fixed = log(a) + log(b) + log(n - a) + log(n - b) - log(n);
            for both in (a + b).saturating_sub(n).max(1)..=a.min(b) {
                let share = both as f64 / n as f64;
                let information = (n as f64 * both as f64 / (a as f64 * b as f64)).ln();
                let ways = log(both) + log(a - both) + log(b - both) + log(n + both - a - b);
                sum += share * information * (fixed - ways).exp();
            }
        }
    }
    sum
}

/// `ln(i!)` for i from 0 to n.
fn log_factorials(n: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let later = (1..=n).map(|i| {
        sum += (i as f64).ln();
        sum
    });
    std::iter::once(0.0).chain(later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ami_of(predicted: &[usize], truth: &[usize]) -> f64 {
        ami(&Contingency::new(predicted, truth).unwrap())
    }

    #[test]
    fn as_scikit_learn_has_it() {
        // sklearn.metrics.adjusted_mutual_info_score
        let (a, b) = ([0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2, 2]);
        assert!((ami_of(&a, &b) - SKLEARN[0]).abs() < 1e-12, "{}", ami_of(&a, &b));
        let (a, b): (Vec<usize>, Vec<usize>) = (0..60).map(|i| (i % 7, (i * i + i / 5) % 4)).unzip();
        assert!((ami_of(&a, &b) - SKLEARN[1]).abs() < 1e-12, "{}", ami_of(&a, &b));
    }

    #[test]
    fn names_do_not_matter_and_degenerate_tables_have_answers() {
        assert!((ami_of(&[5, 5, 1, 1], &[0, 0, 3, 3]) - 1.0).abs() < 1e-12);
        assert_eq!(ami_of(&[1, 1, 1], &[2, 2, 2]), 1.0);
        assert_eq!(ami_of(&[], &[]), 1.0);
        assert_eq!(ami_of(&[0, 1, 2], &[2, 0, 1]), 1.0);
        assert!(ami_of(&[0, 0, 0, 0], &[0, 1, 0, 1]).abs() < 1e-12);
    }

    const SKLEARN: [f64; 2] = [0.25815114147024687, -0.07661698054954356];
}
