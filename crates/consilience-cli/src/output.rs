//! Stdout and stderr.

use std::io::Write;
use std::path::Path;

use consilience::data::write_labels;
use consilience::{Error, Result};
use serde::Serialize;

/// Prints data.
pub(crate) fn print(text: &str) -> Result<()> {
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// Prints one JSON value.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print(&(to_json(value)? + "\n"))
}

/// Prints a `sample,label` table.
pub(crate) fn print_labels(ids: Option<&[String]>, labels: &[usize]) -> Result<()> {
    let written = write_labels(&mut std::io::stdout().lock(), ids, labels);
    written.map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// Tells the person something.
pub(crate) fn say(sentence: &str) {
    // talk that nobody can hear is no reason to stop
    let _ = writeln!(std::io::stderr().lock(), "{sentence}");
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Error::data(format!("the result cannot be written as JSON: {error}")))
}

/// Columns that line up. The first column is flush left, the others flush right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&word| word.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, at: usize| row.get(at).map_or(0, |text| text.chars().count());
        let widths: Vec<usize> =
            (0..columns).map(|at| self.rows.iter().map(|row| cell(row, at)).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let line: Vec<String> = cells
                .map(|(at, (cell, &width))| if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
                .collect();
            text += line.join("  ").trim_end();
            text += "\n";
        }
        text
    }
}

/// A share as a percentage with one digit.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "n"]);
        table.row(vec!["a".into(), "100".into()]);
        assert_eq!(table.render(), "name    n\na     100\n");
    }
}
