//! Stdout and folders.

use std::io::Write;
use std::path::Path;

use consilience::data::{write_atomically, write_labels, write_labels_csv, write_npy};
use consilience::{Clustering, Error, Record, Result};
use serde::Serialize;

use crate::args::ClusterOptions;

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

/// A finished run, as its folder keeps it.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) result: &'a Clustering,
    pub(crate) record: &'a Record,
    pub(crate) ids: Option<&'a [String]>,
    pub(crate) arguments: &'a ClusterOptions,
}

/// `run.json`: the account of the run, and what it takes to make it again.
#[derive(Serialize)]
struct RunFile<'a> {
    #[serde(flatten)]
    record: &'a Record,
    arguments: &'a ClusterOptions,
}

/// Writes a run's folder: each file whole or not at all, `run.json` last.
pub(crate) fn write_folder(folder: &Path, made: &Made<'_>) -> Result<()> {
    let Made { result, record, ids, arguments } = *made;
    std::fs::create_dir_all(folder).map_err(|source| Error::writing(folder, source))?;
    write_labels_csv(&folder.join("labels.csv"), ids, &result.labels)?;
    write_npy(&folder.join("embedding.npy"), &result.embedding)?;
    let text = to_json(&RunFile { record, arguments })?;
    write_atomically(&folder.join("run.json"), |file| writeln!(file, "{text}"))
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
