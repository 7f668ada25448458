//! The table that every score is read from: how often each predicted cluster meets each true class.

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
}
