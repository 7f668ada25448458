//! Normalised mutual information, with scikit-learn's conventions.

use super::Contingency;

/// Mutual information over the geometric mean of the two entropies: 0 for independent labels, 1 for equal clusterings.
/// Two clusterings that both leave the data in one piece (or are empty) agree fully: 1.
pub fn nmi(table: &Contingency) -> f64 {
    if table.row_sums().len() == table.column_sums().len() && table.row_sums().len() <= 1 {
        return 1.0;
    }
    let shared = mutual_information(table);
    if shared == 0.0 {
        // also the case of one cluster against several, where the mean of the entropies is 0 as well
        return 0.0;
    }
    shared / (entropy(table.row_sums()) * entropy(table.column_sums())).sqrt()
}

/// In nats. Terms below rounding error count as zero, so that independent labels score exactly 0.
pub(super) fn mutual_information(table: &Contingency) -> f64 {
    if table.row_sums().len() == 1 || table.column_sums().len() == 1 {
        return 0.0;
    }
    let n = table.samples() as f64;
    let term = |cell: &super::Cell| {
        let count = cell.count as f64;
        let outer = table.row_sums()[cell.row] as f64 * table.column_sums()[cell.column] as f64;
        let term = count / n * (count.ln() - n.ln()) + count / n * (2.0 * n.ln() - outer.ln());
        if term.abs() < f64::EPSILON { 0.0 } else { term }
    };
    table.cells().iter().map(term).sum::<f64>().max(0.0)
}

/// In nats.
pub(super) fn entropy(sizes: &[u64]) -> f64 {
    let n = sizes.iter().sum::<u64>() as f64;
    -sizes.iter().map(|&size| size as f64 / n * ((size as f64).ln() - n.ln())).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nmi_of(predicted: &[usize], truth: &[usize]) -> f64 {
        nmi(&Contingency::new(predicted, truth).unwrap())
    }

    #[test]
    fn by_hand() {
        // I = ln 2, H = 1.5 ln 2 and ln 2
        let expected = 1.0 / 1.5_f64.sqrt();
        assert!((nmi_of(&[0, 0, 1, 2], &[0, 0, 1, 1]) - expected).abs() < 1e-15);
        assert_eq!(nmi_of(&[0, 1, 0, 1], &[0, 0, 1, 1]), 0.0);
    }

    #[test]
    fn one_cluster_and_no_samples() {
        assert_eq!(nmi_of(&[3, 3, 3], &[8, 8, 8]), 1.0);
        assert_eq!(nmi_of(&[0, 0, 0], &[0, 1, 2]), 0.0);
        assert_eq!(nmi_of(&[], &[]), 1.0);
    }
}
