//! Published numbers, typed once: `experiments/paper-numbers.csv`.

use std::path::Path;

use consilience::{Error, Result};
use serde::Deserialize;

use crate::Metric;

/// A cell of a published table, in %.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperCell {
    /// The score, by its name in files.
    pub metric: String,
    /// The data set, by its name in plans.
    pub set: String,
    /// The method's id.
    pub method: String,
    /// What the paper calls the method.
    pub name: String,
    /// The number as printed, in %.
    pub value: String,
}

/// The published numbers.
#[derive(Debug, Clone, Default)]
pub struct PaperNumbers {
    /// All cells, in the order of the file.
    pub cells: Vec<PaperCell>,
}

impl PaperNumbers {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read or a line is not understood, with its number.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
        let mut table = csv::Reader::from_reader(bytes.as_slice());
        let wrong = |line: u64, what: String| Error::data(format!("{}:{line}: {what}", path.display()));
        let mut cells = Vec::new();
        for cell in table.deserialize::<PaperCell>() {
            let cell = cell.map_err(|error| {
                wrong(error.position().map_or(0, csv::Position::line), format!("not a published number: {error}"))
            })?;
            let line = cells.len() as u64 + 2;
            Metric::named(&cell.metric).map_err(|error| wrong(line, error.to_string()))?;
            cell.value.parse::<f64>().map_err(|error| wrong(line, format!("`{}`: {error}", cell.value)))?;
            cells.push(cell);
        }
        Ok(Self { cells })
    }

    /// The number of a cell as printed. Only a method under its own name is the paper's.
    pub fn find(&self, metric: Metric, set: &str, label: &str) -> Option<&str> {
        let cell =
            self.cells.iter().find(|cell| cell.metric == metric.name() && cell.set == set && cell.method == label);
        cell.map(|cell| cell.value.as_str())
    }
}
