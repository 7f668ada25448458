//! The one place where the library's errors become what R makes conditions of: a list of the class `consilience_failure`.
//! Nothing is thrown across Rust's frames.

use consilience::{Error, Result, printable};
use extendr_api::prelude::*;

use crate::hints::worded;

/// What `work` gives, or its failure.
pub(crate) fn answered(work: impl FnOnce() -> Result<Robj>) -> Robj {
    work().unwrap_or_else(|error| failure(&error))
}

/// A failure as R reads it.
pub(crate) fn failure(error: &Error) -> Robj {
    let row = match error {
        Error::Data { row: Some(row), .. } => Robj::from((row + 1) as f64),
        _ => Robj::from(()),
    };
    let hint = error.hint().map_or(Robj::from(()), |hint| Robj::from(printable(&worded(&hint)).into_owned()));
    let message = printable(&error.to_string()).into_owned();
    let mut failure = list!(kind = kind(error), message = message, hint = hint, row = row);
    match failure.set_class(["consilience_failure"]) {
        Ok(failure) => failure.clone().into(),
        Err(error) => Robj::from(error.to_string()),
    }
}

/// The class of the condition, without `consilience_error_`.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Io { .. } | Error::Format { .. } => "file",
        Error::Clusters { .. } => "clusters",
        Error::Unknown { .. } => "unknown",
        Error::Parameter { .. } => "parameter",
        Error::Memory { .. } => "memory",
        Error::Cancelled => "interrupted",
        _ => "data",
    }
}

/// R itself refused: it is out of memory, or the package's R code passed what this crate does not take.
pub(crate) fn of_r(error: extendr_api::Error) -> Error {
    Error::data(format!("R and the package's library do not understand each other: {error}"))
}
