//! Counts of pairs of classes: a confusion or contingency matrix.

use crate::cells::{Cell, Cells};
use crate::colour::blues;
use crate::text;

/// A table of counts; each cell is shaded by its share of its row, from white (none) to dark blue (all).
///
/// At most 200 rows and columns are drawn. Counts are printed where they fit into the cells.
#[derive(Debug, Clone, Default)]
pub struct ConfusionMatrix {
    /// Heading; may be empty.
    pub title: String,
    /// Counts, row by row from the top. Short rows are filled with zeros.
    pub counts: Vec<Vec<u64>>,
    /// Names of the rows, from the top; long ones are cut.
    pub row_labels: Vec<String>,
    /// Names of the columns, from the left; long ones are cut.
    pub column_labels: Vec<String>,
    /// What the rows are, such as `class`.
    pub row_title: String,
    /// What the columns are, such as `cluster`.
    pub column_title: String,
}

impl ConfusionMatrix {
    /// The picture.
    pub fn svg(&self) -> String {
        let columns = self.counts.iter().map(Vec::len).max().unwrap_or(0);
        // sums of u64 may overflow, and only shares are needed
        let sums: Vec<f64> = self.counts.iter().map(|row| row.iter().map(|&count| count as f64).sum()).collect();
        let summary = format!(
            "Counts in {} rows and {columns} columns, {} in all; shaded by the share of the row.",
            self.counts.len(),
            text::fixed(sums.iter().sum(), 0)
        );
        let cells = Cells {
            title: &self.title,
            description: &summary,
            shape: [self.counts.len(), columns],
            row_labels: &self.row_labels,
            column_labels: &self.column_labels,
            row_title: &self.row_title,
            column_title: &self.column_title,
            bar: None,
            note: "Shade: share of the row, white 0 to dark 1",
            cell_sizes: [64.0, 18.0, 36.0],
        };
        cells.svg(|row, column| {
            let count = self.counts.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0);
            let sum = sums.get(row).copied().unwrap_or(0.0);
            let share = if sum > 0.0 { count as f64 / sum } else { 0.0 };
            Cell { fill: Some(blues(share)), text: text::count(count) }
        })
    }
}
