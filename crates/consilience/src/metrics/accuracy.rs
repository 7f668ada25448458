//! Scores that name every cluster by a class: accuracy by the one-to-one assignment that gets most samples right, purity by
//! the majority.

use super::{Contingency, assignment};

/// Share of samples that are right under the best assignment of clusters to classes, each used at most once; the
/// samples of clusters left over are wrong. 1 for no samples.
pub fn accuracy(table: &Contingency) -> f64 {
    if table.samples() == 0 {
        return 1.0;
    }
    let right = assignment::heaviest(table.row_sums().len(), table.column_sums().len(), table.cells());
    right as f64 / table.samples() as f64
}

/// Share of samples that belong to their cluster's most frequent class; 1 for no samples. It never falls when a
/// cluster is split, so it means little for many clusters.
pub fn purity(table: &Contingency) -> f64 {
    if table.samples() == 0 {
        return 1.0;
    }
    let mut largest = vec![0; table.row_sums().len()];
    for cell in table.cells() {
        largest[cell.row] = cell.count.max(largest[cell.row]);
    }
    largest.iter().sum::<u64>() as f64 / table.samples() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accuracy_of(predicted: &[usize], truth: &[usize]) -> f64 {
        accuracy(&Contingency::new(predicted, truth).unwrap())
    }

    #[test]
    fn the_best_assignment_is_not_the_greedy_one() {
        // cluster 0 shares 3 samples with class 0 and 2 with class 1, cluster 1 shares 2 with class 0: 2 + 2 beats 3
        assert_eq!(accuracy_of(&[0, 0, 0, 0, 0, 1, 1], &[0, 0, 0, 1, 1, 0, 0]), 4.0 / 7.0);
    }

    #[test]
    fn clusters_and_classes_left_over() {
        assert_eq!(accuracy_of(&[0, 1, 2, 3], &[0, 0, 1, 1]), 0.5);
        assert_eq!(accuracy_of(&[0, 0, 1, 1], &[0, 1, 2, 3]), 0.5);
        assert_eq!(accuracy_of(&[4, 4, 4], &[9, 9, 9]), 1.0);
        assert_eq!(accuracy_of(&[], &[]), 1.0);
    }

    #[test]
    fn thousands_of_clusters() {
        let permuted: Vec<usize> = (0..100_000).map(|i| i * 7919 % 100_000).collect();
        let counted: Vec<usize> = (0..100_000).collect();
        assert_eq!(accuracy_of(&permuted, &counted), 1.0);
        // a ring of 2000 clusters: two samples in each, the second with the next class
        let predicted: Vec<usize> = (0..4000).map(|i| i / 2).collect();
        let truth: Vec<usize> = (0..4000_usize).map(|i| i.div_ceil(2) % 2000).collect();
        assert_eq!(accuracy_of(&predicted, &truth), 0.5);
        // no structure at all: the slowest case
        let scrambled = |by: usize| (0..20_000_usize).map(|i| i.wrapping_mul(by).wrapping_mul(i ^ by) % 2003).collect();
        let (predicted, truth): (Vec<usize>, Vec<usize>) = (scrambled(2_654_435_761), scrambled(40_503));
        assert!(accuracy_of(&predicted, &truth) < 0.2);
    }

    #[test]
    fn purity_by_hand() {
        let purity_of = |predicted: &[usize], truth: &[usize]| purity(&Contingency::new(predicted, truth).unwrap());
        assert_eq!(purity_of(&[0, 0, 0, 1, 1], &[0, 0, 1, 1, 2]), 0.6);
        assert_eq!(purity_of(&[0, 1, 2], &[0, 0, 0]), 1.0);
        assert_eq!(purity_of(&[], &[]), 1.0);
    }
}
