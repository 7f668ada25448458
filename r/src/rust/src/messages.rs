//! Warnings and notes of the library as R makes conditions of them.

use consilience::Result;
use consilience::run::{Note, Warning};
use extendr_api::prelude::*;
use serde_json::json;

use crate::hints::worded;
use crate::values::of_json;

/// Kind, view and sentence of every warning.
pub(crate) fn told(warnings: &[Warning]) -> Result<Robj> {
    let told =
        |warning: &Warning| json!({ "kind": warning.kind(), "view": warning.view(), "message": warning.to_string() });
    rows(warnings.iter().map(told).collect())
}

/// The notes that everybody should read.
pub(crate) fn important(notes: &[Note]) -> Result<Robj> {
    let told = |note: &Note| {
        let hint = note.hint().map(|hint| format!("; {}", worded(&hint))).unwrap_or_default();
        json!({ "kind": note.kind(), "view": note.view(), "message": format!("{note}{hint}") })
    };
    rows(notes.iter().filter(|note| note.is_important()).map(told).collect())
}

fn rows(rows: Vec<serde_json::Value>) -> Result<Robj> {
    of_json(&serde_json::Value::Array(rows))
}
