//! Tables with names of samples, matched by the library's join.

use consilience::Error;
use consilience::run::Note;
use consilience_io::{Alignment, Join, JoinFile};
use pyo3::prelude::*;

use crate::error::to_python;
use crate::hints::{of_tables, worded};

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
    let parts: Vec<JoinFile<'_>> = given
        .iter()
        .map(|(name, ids, columns)| JoinFile { name, ids: ids.as_deref(), columns: columns.as_deref() })
        .collect();
    let mut joined = consilience_io::join(&parts, how).map_err(|error| to_python(in_memory(error)))?;
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
    let sentence = |note: &Note| match note.hint() {
        Some(hint) => format!("{note}; {}", worded(&hint)),
        None => note.to_string(),
    };
    notes.map(|note| (note.kind(), note.view().map(str::to_owned), sentence(note))).collect()
}

/// An error of the join, which reads files elsewhere, with what to do about tables.
fn in_memory(mut error: Error) -> Error {
    if let Error::Data { hint, .. } = &mut error {
        *hint = hint.take().map(of_tables);
    }
    error
}
