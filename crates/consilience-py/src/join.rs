//! Tables with names of samples, matched by the library's join.

use consilience::Error;
use consilience::run::Note;
use consilience_io::{Alignment, Join, Part};
use pyo3::prelude::*;

use crate::error::to_python;

/// A table as the join sees it: its name, its ids and its columns.
pub(crate) type GivenPart = (String, Option<Vec<String>>, Option<Vec<String>>);

/// Kind, view and sentence of what was decided.
pub(crate) type GivenNote = (&'static str, Option<String>, String);

/// The ids, the rows of every table (None as they lie; None among them where the table lacks a sample), and what was done.
pub(crate) type JoinedParts = (Option<Vec<String>>, Vec<Option<Vec<Option<usize>>>>, Vec<GivenNote>);

/// Joins tables by the ids of their samples.
#[pyfunction]
pub(crate) fn join(given: Vec<GivenPart>, how: &str) -> PyResult<JoinedParts> {
    let how: Join = how.parse().map_err(to_python)?;
    let parts: Vec<Part<'_>> = given
        .iter()
        .map(|(name, ids, columns)| Part { name, ids: ids.as_deref(), columns: columns.as_deref() })
        .collect();
    let mut joined = consilience_io::join(&parts, how).map_err(|error| to_python(of_tables(error)))?;
    // an array never has ids: whoever passes one beside a DataFrame means its order
    joined.notes.retain(|note| !matches!(note, Note::NoIds { .. }));
    let rows = joined.parts.into_iter().map(|part| match part {
        Alignment::Rows(rows) => Some(rows),
        Alignment::Same => None,
    });
    Ok((joined.ids, rows.collect(), important(&joined.notes)))
}

/// The notes that everybody should read.
pub(crate) fn important(notes: &[Note]) -> Vec<GivenNote> {
    let notes = notes.iter().filter(|note| note.is_important());
    notes.map(|note| (note.kind(), note.view().map(str::to_owned), in_python(&note.to_string()))).collect()
}

/// The words of the command line for options, in Python's; longer ones before those they begin with.
pub(crate) fn in_python(text: &str) -> String {
    const WORDS: [(&str, &str); 25] = [
        ("are not in every file", "are not in every view"),
        ("with ids in the files, --join inner", "where they have an index, join=\"inner\""),
        ("turn the file with --transpose", "turn the table: x.T, or transpose=True where it is read"),
        ("--join inner", "join=\"inner\""),
        ("--join outer", "join=\"outer\""),
        ("--missing impute", "missing=\"impute\""),
        ("--missing drop-samples", "missing=\"drop-samples\""),
        ("--missing drop-features", "missing=\"drop-features\""),
        ("--id-column NAME", "id_column=NAME"),
        ("--id-column none", "id_column=\"none\""),
        ("--id-column", "id_column"),
        ("--label-column", "label_column"),
        ("--drop-columns", "drop_columns"),
        ("--one-hot", "one_hot"),
        ("--transpose", "transpose"),
        ("--truth FILE", "truth=FILE"),
        ("--truth", "truth"),
        ("--views", "views"),
        ("--scale auto", "scale=\"auto\""),
        ("--landmarks off", "landmarks=\"off\""),
        ("--force", "force=True"),
        ("--memory", "memory_limit"),
        ("--corrupt", "corrupt"),
        ("-k auto", "n_clusters=\"auto\""),
        ("`consilience inspect` shows", "`consilience.read` shows"),
    ];
    WORDS.iter().fold(text.to_owned(), |text, (command, python)| text.replace(command, python))
}

/// What to do about tables whose names of samples do not fit: they have an index, and no file has a column of ids.
fn of_tables(error: Error) -> Error {
    let hint = match error.hint() {
        Some(hint) if hint.contains("--join inner") => {
            "join=\"inner\" keeps the samples that every view has, join=\"outer\" all of them; tables without an index of their \
             own (arrays, or after reset_index) are matched by the order of their rows"
        }
        Some(_) => {
            "tables without an index of their own (arrays, or after reset_index) are matched by the order of their rows"
        }
        None => return error,
    };
    Error::data_with_hint(error.to_string(), hint)
}
