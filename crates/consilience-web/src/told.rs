//! What the library says, in sentences for the page.

use consilience::run::Note;
use consilience::{Error, Warning};
use serde::Serialize;

use crate::hints::worded;

/// A sentence, and what can be done about it.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Told {
    pub(crate) fn error(error: &Error) -> Self {
        Self { text: error.to_string(), hint: error.hint().map(|hint| worded(&hint)) }
    }

    pub(crate) fn warning(warning: &Warning) -> Self {
        Self { text: warning.to_string(), hint: None }
    }
}

pub(crate) fn told_notes(notes: &[Note]) -> Vec<Told> {
    notes.iter().map(|note| Told { text: note.to_string(), hint: note.hint().map(|hint| worded(&hint)) }).collect()
}
