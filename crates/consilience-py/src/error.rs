//! The one place where the library's errors become Python's exceptions.

use consilience::{Error, printable};
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError,
    PyValueError,
};
use pyo3::prelude::*;

use crate::hints::worded;

/// `error`, with its hint in a line of its own. One that is about a sample has its `row`, for Python to name it.
pub(crate) fn to_python(error: Error) -> PyErr {
    if let Error::Data { row: Some(row), .. } = error {
        let found = PyValueError::new_err(words(&error));
        // an exception takes any attribute; without it the message still has the number of the row
        let _ = Python::attach(|py| found.value(py).setattr("row", row));
        return found;
    }
    let message = words(&error);
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::Io { source, .. } => match source.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            std::io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            std::io::ErrorKind::IsADirectory => PyIsADirectoryError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

fn words(error: &Error) -> String {
    let text = printable(&error.to_string()).into_owned();
    match error.hint() {
        Some(hint) => format!("{text}\nhint: {}", printable(&worded(&hint))),
        None => text,
    }
}
