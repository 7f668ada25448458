//! A value for each pair of names.

use crate::cells::{Cell, Cells};
use crate::colour::viridis;
use crate::colour_bar::ColourBar;
use crate::text;

/// A table of values, each printed on a colour of the viridis palette, with a colour bar. For a few rows and columns.
///
/// Cells whose value is missing or not finite are grey and hatched. At most 200 rows and columns are drawn.
#[derive(Debug, Clone, Default)]
pub struct GridMap {
    /// Heading; may be empty.
    pub title: String,
    /// Values, row by row from the top. Short rows are filled with missing values.
    pub values: Vec<Vec<f64>>,
    /// Names of the rows, from the top.
    pub row_labels: Vec<String>,
    /// Names of the columns, from the left.
    pub column_labels: Vec<String>,
    /// What the values are, written along the colour bar.
    pub value_label: String,
    /// Digits after the point of the printed values; `None` for 3.
    pub decimals: Option<usize>,
    /// Values at the ends of the palette, so that several maps can be compared; `None` for the smallest and the largest.
    pub range: Option<[f64; 2]>,
}

impl GridMap {
    /// The picture.
    pub fn svg(&self) -> String {
        let columns = self.values.iter().map(Vec::len).max().unwrap_or(0);
        let finite = || self.values.iter().flatten().copied().filter(|value| value.is_finite());
        let [low, high] = match self.range {
            Some([low, high]) if low.is_finite() && high.is_finite() => [low.min(high), low.max(high)],
            _ => [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)],
        };
        let decimals = self.decimals.unwrap_or(3);
        let bar = || ColourBar { low, high, label: &self.value_label };
        let summary = format!(
            "Table of {} rows and {columns} columns; values from {} to {}.",
            self.values.len(),
            text::fixed(low, decimals),
            text::fixed(high, decimals)
        );
        let cells = Cells {
            title: &self.title,
            description: &summary,
            shape: [self.values.len(), columns],
            row_labels: &self.row_labels,
            column_labels: &self.column_labels,
            row_title: "",
            column_title: "",
            bar: (low <= high).then(bar),
            note: "",
            cell_sizes: [92.0, 20.0, 40.0],
        };
        let palette = bar();
        cells.svg(|row, column| {
            let value = self.values.get(row).and_then(|row| row.get(column)).copied().filter(|value| value.is_finite());
            let fill = value.map(|value| viridis(palette.share(value)));
            Cell { fill, text: value.map_or_else(String::new, |value| text::fixed(value, decimals)) }
        })
    }
}
