//! Numbers that no plan makes: benchmarks, what other programs score. Plain CSV; the first column names the row.

use std::path::Path;

use consilience::{Error, Result};

use crate::tables::markdown::grid;

/// A table of texts.
pub(crate) struct Facts {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Facts {
    /// Reads a CSV with a head. Every row must be as long as the head.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let damaged = |error: csv::Error| Error::data(format!("{}: {error}", path.display()));
        let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
        let head = reader.headers().map_err(damaged)?.iter().map(str::to_owned).collect();
        let rows = reader.records().map(|record| Ok(record.map_err(damaged)?.iter().map(str::to_owned).collect()));
        Ok(Self { head, rows: rows.collect::<Result<_>>()? })
    }

    /// The text in a row and a column.
    pub(crate) fn cell(&self, row: &str, column: &str) -> Result<String> {
        let unknown = |kind, name: &str, known| Error::Unknown { kind, name: name.to_owned(), known };
        let at = self.head.iter().position(|name| name == column);
        let at = at.ok_or_else(|| unknown("column", column, self.head.clone()))?;
        let found = self.rows.iter().find(|cells| cells.first().is_some_and(|name| name == row));
        let names = || self.rows.iter().filter_map(|cells| cells.first().cloned()).collect();
        found.map(|cells| cells[at].clone()).ok_or_else(|| unknown("row", row, names()))
    }

    /// All of it, as Markdown.
    pub(crate) fn table(&self) -> String {
        grid(&self.head, &self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        let words = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        Facts { head: words("what,acc,nmi"), rows: vec![words("one,78.9,75.2"), words("two,90.1,81.5")] }
    }

    #[test]
    fn cells_are_found_by_name_and_what_is_not_there_is_named() {
        assert_eq!(facts().cell("two", "nmi").unwrap(), "81.5");
        assert_eq!(facts().cell("three", "nmi").unwrap_err().to_string(), "unknown row `three`");
        assert_eq!(facts().cell("two", "ari").unwrap_err().to_string(), "unknown column `ari`");
    }

    #[test]
    fn the_table_shows_every_cell() {
        assert_eq!(
            facts().table(),
            "| what | acc | nmi |\n|---|---:|---:|\n| one | 78.9 | 75.2 |\n| two | 90.1 | 81.5 |\n"
        );
    }
}
