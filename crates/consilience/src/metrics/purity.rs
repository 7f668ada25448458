//! Purity.

use super::Contingency;

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

    #[test]
    fn by_hand() {
        let purity_of = |predicted: &[usize], truth: &[usize]| purity(&Contingency::new(predicted, truth).unwrap());
        assert_eq!(purity_of(&[0, 0, 0, 1, 1], &[0, 0, 1, 1, 2]), 0.6);
        assert_eq!(purity_of(&[0, 1, 2], &[0, 0, 0]), 1.0);
        assert_eq!(purity_of(&[], &[]), 1.0);
    }
}
