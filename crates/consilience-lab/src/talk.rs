//! Stdout for data, stderr for messages.

use std::io::Write;
use std::path::Path;

use consilience::{Error, Result, printable};

/// Prints data.
pub(crate) fn print(text: &str) -> Result<()> {
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// Tells the person something, in one line.
pub(crate) fn say(sentence: &str) {
    // a message that nobody can hear is no reason to stop
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(sentence));
}

/// Rows of cells in columns that line up.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell).into_owned()).collect()).collect();
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(at, cell)| format!("{cell:<w$}", w = width(at).unwrap_or(0)));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
