//! Stdout and stderr.

use std::io::{IsTerminal, StdoutLock, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use consilience::run::Note;
use consilience::{Error, Result, printable};
use consilience_io::write_labels;
use serde::Serialize;

use crate::closed::stdout_is_closed;
use crate::hints::worded;

/// How much is said on stderr: 0 nothing, 1 what everybody should know, 2 every decision. Errors are always said.
static TALK: AtomicU8 = AtomicU8::new(1);

pub(crate) fn set_talk(quiet: bool, verbose: bool) {
    TALK.store(if quiet { 0 } else { 1 + u8::from(verbose) }, Ordering::Relaxed);
}

/// Whether nothing but errors is to be said.
pub(crate) fn is_quiet() -> bool {
    TALK.load(Ordering::Relaxed) == 0
}

/// Standard output, where there is one: asked before the work, when the result goes there.
pub(crate) fn stdout() -> Result<StdoutLock<'static>> {
    if stdout_is_closed() {
        return Err(Error::writing(Path::new("stdout"), std::io::Error::other("standard output is closed")));
    }
    Ok(std::io::stdout().lock())
}

/// Prints data.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = stdout()?;
    // what waits in a buffer until the program ends would be lost without a word
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// Prints one JSON value.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print(&(to_json(value)? + "\n"))
}

/// JSON has other words for what a terminal might obey: the same value, in letters that it only shows.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter == '\n' || printable(letter.encode_utf8(&mut [0; 4])).len() == letter.len_utf8() {
            text.push(letter);
        } else {
            text += &format!("\\u{:04x}", u32::from(letter));
        }
    }
    text
}

/// Prints a `sample,label` table: exact to a file or a pipe, with ids made fit to a terminal.
pub(crate) fn print_labels(ids: Option<&[String]>, labels: &[usize], confidence: Option<&[f64]>) -> Result<()> {
    let mut stdout = stdout()?;
    let written = if stdout.is_terminal() {
        let ids: Option<Vec<String>> = ids.map(|ids| ids.iter().map(|id| printable(id).into_owned()).collect());
        write_labels(&mut stdout, ids.as_deref(), labels, confidence)
    } else {
        write_labels(&mut stdout, ids, labels, confidence)
    };
    let written = written.and_then(|()| stdout.flush());
    written.map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// Tells the person something, in one line.
pub(crate) fn say(sentence: &str) {
    if is_quiet() {
        return;
    }
    // talk that nobody can hear is no reason to stop
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(sentence));
}

/// Tells what was decided about the files.
pub(crate) fn say_notes(notes: &[Note]) {
    let all = TALK.load(Ordering::Relaxed) > 1;
    for note in notes.iter().filter(|note| all || note.is_important()) {
        let hint = note.hint().map(|hint| format!("; {}", worded(&hint))).unwrap_or_default();
        say(&format!("note: {note}{hint}"));
    }
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|json| harmless(&json))
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

    /// Cells may be names from files: they are made fit to be shown.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell).into_owned()).collect());
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

/// Seconds as a person says them.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_in_one_unit() {
        assert_eq!([7.4, 600.0, 9000.0].map(duration), ["7 s", "10 min", "2.5 h"]);
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "n"]);
        table.row(vec!["a".into(), "100".into()]);
        assert_eq!(table.render(), "name    n\na     100\n");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        let mut table = Table::new(&["name"]);
        table.row(vec!["a\u{1b}[2Jb\nerror: no".into()]);
        assert_eq!(table.render(), "name\na\\u{1b}[2Jb\\nerror: no\n");
        let name = "a\u{9b}2J\u{202e}\u{7f}é";
        let json = to_json(&name).unwrap();
        assert_eq!(json, "\"a\\u009b2J\\u202e\\u007fé\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }
}
