//! The one place where the library's errors become Python's exceptions, with the words of the command line.

use consilience::{Error, printable};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError,
    PyValueError,
};

use crate::join::in_python;

/// `error`, with its hint in a line of its own.
pub(crate) fn to_python(error: Error) -> PyErr {
    let text = error.to_string();
    let message = match error.hint() {
        Some(hint) => in_python(&format!("{}\nhint: {}", printable(&text), printable(&hint))),
        None => in_python(&printable(&text)),
    };
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
