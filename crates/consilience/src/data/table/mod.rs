//! Tables: rows are samples; columns are features, an id or a label. Text files and Parquet share the rules by which the id
//! and the label are found, which are here.

mod dialect;
mod encoding;
#[cfg(feature = "parquet")]
mod logical;
mod marks;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

use std::path::Path;

pub(super) use encoding::is_utf16;
#[cfg(feature = "parquet")]
pub(super) use parquet::read as read_parquet;
pub(super) use text::{read as read_text, read_labels};

use super::ReadOptions;
use super::labels::LABEL_NAMES;
use crate::{Error, Result};

/// Names that say: this column tells samples apart. The last is what pandas calls a saved index.
const ID_NAMES: [&str; 4] = ["id", "sample", "sample_id", "__index_level_0__"];

/// The columns that are not features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Roles {
    id: Option<usize>,
    label: Option<usize>,
}

/// What is known of the first column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstColumn {
    Numbers,
    /// Whole numbers that count the rows, from 0 (pandas) or from 1 (R).
    CountsRows,
    Words,
}

impl Roles {
    /// Decides by what the caller asked for, then by names, then by the first column's values.
    fn decide(
        path: &Path,
        names: Option<&[String]>,
        width: usize,
        first: FirstColumn,
        options: &ReadOptions,
    ) -> Result<Self> {
        let find = |wanted: &str| column_named(path, names, width, wanted);
        let customary = |known: &[&str]| {
            known.iter().find_map(|known| names.and_then(|names| names.iter().position(|name| name == known)))
        };
        let label = match &options.label_column {
            Some(wanted) => Some(find(wanted)?),
            None => customary(&LABEL_NAMES),
        };
        let unnamed = names.and_then(|names| names.first()).is_some_and(|name| name.is_empty() || name == "Unnamed: 0");
        let first_is_id = match first {
            FirstColumn::Words => true,
            FirstColumn::CountsRows => unnamed,
            FirstColumn::Numbers => false,
        };
        let id = match &options.id_column {
            Some(wanted) => Some(find(wanted)?),
            None => customary(&ID_NAMES).or(first_is_id.then_some(0)),
        };
        if id.is_some() && id == label && options.id_column.is_some() {
            return Err(Error::format(path, "the same column was named as id and as label"));
        }
        Ok(Self { id: id.filter(|_| id != label), label })
    }

    /// Whether column `j` is a feature.
    fn is_feature(&self, j: usize) -> bool {
        Some(j) != self.id && Some(j) != self.label
    }
}

/// The column that the caller means: by its name, or by its number counted from 1.
fn column_named(path: &Path, names: Option<&[String]>, width: usize, wanted: &str) -> Result<usize> {
    let by_name = names.and_then(|names| names.iter().position(|name| name == wanted));
    let by_number = || wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|&j| j < width);
    by_name.or_else(by_number).ok_or_else(|| {
        let known = match names {
            Some(names) => format!("its columns are {}", names.iter().take(20).cloned().collect::<Vec<_>>().join(", ")),
            None => format!("it has no header and {width} columns; give a number from 1 to {width}"),
        };
        Error::format(path, format!("there is no column `{wanted}`: {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(names: &[&str], first: FirstColumn, options: &ReadOptions) -> Result<(Option<usize>, Option<usize>)> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        Roles::decide(Path::new("t.csv"), Some(&names), names.len(), first, options).map(|r| (r.id, r.label))
    }

    #[test]
    fn names_then_values() {
        let options = ReadOptions::default();
        assert_eq!(decide(&["a", "id", "gt"], FirstColumn::Numbers, &options).unwrap(), (Some(1), Some(2)));
        assert_eq!(decide(&["gene", "b"], FirstColumn::Words, &options).unwrap(), (Some(0), None));
        assert_eq!(decide(&["", "b"], FirstColumn::CountsRows, &options).unwrap(), (Some(0), None));
        assert_eq!(decide(&["a", "b"], FirstColumn::CountsRows, &options).unwrap(), (None, None));
        assert_eq!(decide(&["label", "b"], FirstColumn::Words, &options).unwrap(), (None, Some(0)));
        assert_eq!(decide(&["a", "LABEL"], FirstColumn::Numbers, &options).unwrap(), (None, None));
    }

    #[test]
    fn what_the_caller_says_wins_by_name_or_number() {
        let options =
            ReadOptions { id_column: Some("b".into()), label_column: Some("3".into()), ..ReadOptions::default() };
        assert_eq!(decide(&["id", "b", "c"], FirstColumn::Numbers, &options).unwrap(), (Some(1), Some(2)));
        let wrong = ReadOptions { id_column: Some("nope".into()), ..ReadOptions::default() };
        let message = decide(&["id", "b"], FirstColumn::Numbers, &wrong).unwrap_err().to_string();
        assert_eq!(message, "`t.csv`: there is no column `nope`: its columns are id, b");
    }
}
