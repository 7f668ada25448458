//! The table that every score is read from, and the scores that ask how the two clusterings share the samples: pairs put
//! together, and information, with scikit-learn's conventions.

use crate::{Error, Result};

/// Samples that a predicted cluster (row) and a true class (column) share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The cluster's place among the sorted predicted labels.
    pub row: usize,
    /// The class's place among the sorted true labels.
    pub column: usize,
    /// Samples in both; never zero.
    pub count: u64,
}

/// Counts per pair of predicted and true label. Only pairs that occur are kept, so the table is never larger than the
/// number of samples, however many clusters there are.
#[derive(Debug, Clone)]
pub struct Contingency {
    cells: Vec<Cell>,
    row_sums: Vec<u64>,
    column_sums: Vec<u64>,
    samples: u64,
}

impl Contingency {
    /// Counts the pairs. Labels are names: only which of them are equal matters.
    ///
    /// # Errors
    /// When there are not as many predicted labels as true ones.
    pub fn new<P: Copy + Ord, T: Copy + Ord>(predicted: &[P], truth: &[T]) -> Result<Self> {
        if predicted.len() != truth.len() {
            return Err(Error::data_with_hint(
                format!("there are {} predicted labels and {} true ones", predicted.len(), truth.len()),
                "scores compare labels of the same samples, in the same order",
            ));
        }
        let (rows, row_sums) = codes(predicted);
        let (columns, column_sums) = codes(truth);
        let mut pairs: Vec<(usize, usize)> = rows.into_iter().zip(columns).collect();
        pairs.sort_unstable();
        let cells = pairs.chunk_by(|a, b| a == b);
        let cells = cells.map(|same| Cell { row: same[0].0, column: same[0].1, count: same.len() as u64 }).collect();
        Ok(Self { cells, row_sums, column_sums, samples: predicted.len() as u64 })
    }

    /// The pairs that occur, by row and then by column.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Size of every predicted cluster.
    pub fn row_sums(&self) -> &[u64] {
        &self.row_sums
    }

    /// Size of every true class.
    pub fn column_sums(&self) -> &[u64] {
        &self.column_sums
    }

    /// Number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }
}

/// Every label's place among the sorted distinct labels, and how often each of those occurs.
fn codes<T: Copy + Ord>(labels: &[T]) -> (Vec<usize>, Vec<u64>) {
    let mut distinct = labels.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut sums = vec![0; distinct.len()];
    let place = |label: &T| {
        let code = distinct.partition_point(|other| other < label);
        sums[code] += 1;
        code
    };
    (labels.iter().map(place).collect(), sums)
}

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
    let term = |cell: &Cell| {
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

    #[test]
    fn counts_by_hand() {
        let table = Contingency::new(&[7_usize, 7, 1, 1, 7], &[0_u32, 5, 5, 5, 0]).unwrap();
        let cell = |row, column, count| Cell { row, column, count };
        assert_eq!(table.cells(), [cell(0, 1, 2), cell(1, 0, 2), cell(1, 1, 1)]);
        assert_eq!((table.row_sums(), table.column_sums()), (&[2, 3][..], &[2, 3][..]));
        assert_eq!(table.samples(), 5);
    }

    #[test]
    fn both_lengths_are_named() {
        let error = Contingency::new(&[1_usize, 2], &[1_u32, 2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "there are 2 predicted labels and 3 true ones");
    }

    fn table(predicted: &[usize], truth: &[usize]) -> Contingency {
        Contingency::new(predicted, truth).unwrap()
    }

    #[test]
    fn pairs_by_hand() {
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

    fn nmi_of(predicted: &[usize], truth: &[usize]) -> f64 {
        nmi(&Contingency::new(predicted, truth).unwrap())
    }

    #[test]
    fn information_by_hand() {
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
