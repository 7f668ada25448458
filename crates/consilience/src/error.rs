//! The one error type: it says what is wrong, where, and (in [`Error::hint`]) what to do.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::hint::Hint;

/// Result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong. Not converging is a result, not an error: see [`crate::Termination`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened or written.
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file was opened, but its content is damaged or not understood.
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What to do about it.
        hint: Option<Hint>,
    },
    /// The data contradict themselves or each other.
    Data {
        /// What is wrong, with file, view, row and column where they are known.
        what: String,
        /// What to do about it.
        hint: Option<Hint>,
        /// The sample that it is about, from 0, for callers who know what it is called.
        row: Option<usize>,
    },
    /// The number of clusters does not fit the data.
    Clusters {
        /// The number asked for.
        k: usize,
        /// Why it cannot be.
        why: String,
    },
    /// A name that is not known: a method, a parameter, a view.
    Unknown {
        /// What was named: `method`, `parameter`, `view`.
        kind: Cow<'static, str>,
        /// The name as given.
        name: String,
        /// The names that would have been understood.
        known: Vec<String>,
    },
    /// A parameter's value is not allowed.
    Parameter {
        /// The parameter.
        name: String,
        /// The value as given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// More memory is needed than may be used.
    Memory {
        /// What the memory is for, in the plural.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes that may be used.
        available: u64,
        /// What to do instead.
        hint: Hint,
    },
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, source } => write!(f, "cannot {action} `{}`: {source}", path.display()),
            Self::Format { path, what, .. } => write!(f, "`{}`: {what}", path.display()),
            Self::Data { what, .. } => f.write_str(what),
            Self::Clusters { k, why } => write!(f, "k = {k} clusters were asked for, but {why}"),
            Self::Unknown { kind, name, .. } => write!(f, "unknown {kind} `{name}`"),
            Self::Parameter { name, value, expected } => write!(f, "parameter `{name}` = `{value}`: {expected}"),
            Self::Memory { what, needed, available, .. } => {
                write!(f, "{what} need {} of memory, but only {} may be used", in_words(*needed), in_words(*available))
            }
            Self::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Io { source, .. } = self { Some(source) } else { None }
    }
}

impl Error {
    /// A [`Error::Data`] without a hint.
    pub fn data(what: impl Into<String>) -> Self {
        Self::Data { what: what.into(), hint: None, row: None }
    }

    /// A [`Error::Data`] that says what to do.
    pub fn data_with_hint(what: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::Data { what: what.into(), hint: Some(hint.into()), row: None }
    }

    /// The same, about the sample in this row.
    #[must_use]
    pub fn in_row(mut self, sample: usize) -> Self {
        if let Self::Data { row, .. } = &mut self {
            *row = Some(sample);
        }
        self
    }

    /// A [`Error::Unknown`]: `name` is no `kind`, and `known` are those there are.
    pub fn unknown(
        kind: impl Into<Cow<'static, str>>,
        name: impl Into<String>,
        known: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self::Unknown { kind: kind.into(), name: name.into(), known: known.into_iter().map(Into::into).collect() }
    }

    /// A [`Error::Format`] for the file at `path`.
    pub fn format(path: &Path, what: impl Into<String>) -> Self {
        Self::Format { path: path.to_owned(), what: what.into(), hint: None }
    }

    /// A [`Error::Format`] for the file at `path` that says what to do.
    pub fn format_with_hint(path: &Path, what: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::Format { path: path.to_owned(), what: what.into(), hint: Some(hint.into()) }
    }

    /// A [`Error::Io`] for reading `path`.
    pub fn reading(path: &Path, source: std::io::Error) -> Self {
        Self::Io { action: "read", path: path.to_owned(), source }
    }

    /// A [`Error::Io`] for writing `path`.
    pub fn writing(path: &Path, source: std::io::Error) -> Self {
        Self::Io { action: "write", path: path.to_owned(), source }
    }

    /// What the user can do about it, where something useful can be said.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Data { hint, .. } | Self::Format { hint, .. } => hint.clone(),
            Self::Memory { hint, .. } => Some(hint.clone()),
            Self::Unknown { name, known, .. } => Some(Hint::Text(match nearest(name, known) {
                Some(close) => format!("did you mean `{close}`? Known: {}", known.join(", ")),
                None => format!("known: {}", known.join(", ")),
            })),
            _ => None,
        }
    }
}

/// A size with a unit in which it is no zero.
#[doc(hidden)]
pub fn in_words(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        bytes if bytes >= 1e6 => format!("{:.0} MB", bytes / 1e6),
        bytes if bytes >= 1e3 => format!("{:.0} kB", bytes / 1e3),
        bytes => format!("{bytes:.0} bytes"),
    }
}

/// The known name that differs from `name` in the fewest letters, when that is at most a third of it.
fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let distance = |other: &str| edits(&name.to_lowercase(), &other.to_lowercase());
    let close = known.iter().min_by_key(|other| distance(other))?;
    (distance(close) <= (name.chars().count() / 3).max(1)).then_some(close)
}

/// How many letters have to be put in, taken out or changed to make one word of the other (Levenshtein).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, with) in other.chars().enumerate() {
            let changed = diagonal + usize::from(letter != with);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_suggest_the_nearest_one() {
        let known = ["average", "mfmsc"];
        let error = Error::unknown("method", "averge", known);
        assert_eq!(error.hint(), Some("did you mean `average`? Known: average, mfmsc".into()));
        let far = Error::unknown("method", "dbscan", known);
        assert_eq!(far.hint(), Some("known: average, mfmsc".into()));
        assert_eq!([("", "abc"), ("kitten", "sitting"), ("flaw", "lawn")].map(|(a, b)| edits(a, b)), [3, 3, 2]);
    }
}
