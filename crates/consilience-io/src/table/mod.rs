//! Tables: rows are samples; columns are features, an id or a label. Text files and Parquet share the rules by which the id
//! and the label are found ([`roles`]) and what becomes of the columns.

#[cfg(feature = "parquet")]
mod column;
mod dialect;
#[cfg(feature = "parquet")]
mod groups;
mod marks;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod roles;
mod stream;
mod text;

pub(super) use dialect::is_missing;
#[cfg(feature = "parquet")]
pub(super) use groups::stream as stream_parquet;
#[cfg(feature = "parquet")]
pub(super) use parquet::read as read_parquet;
pub use roles::Columns;
pub(super) use stream::stream as stream_text;
pub(super) use text::{read as read_text, read_cells, read_labels};

use std::collections::BTreeMap;
use std::path::Path;

use consilience::matrix::Dense;
use consilience::{Error, Hint, Result};
use roles::Roles;

use crate::labels::plain_number;
use crate::source::Source;
use crate::{Labels, Loaded, view_from};

/// More different values than this are no categories: a column each would be too many.
const MOST_CATEGORIES: usize = 1000;

/// What was read of a table, column by role.
#[derive(Default)]
struct Content {
    rows: usize,
    /// The features that are numbers, row by row.
    numbers: Vec<f64>,
    /// Their columns.
    features: Vec<usize>,
    /// Columns to be one-hot coded, with their cells.
    categories: Vec<(usize, Vec<String>)>,
    labels: Option<Labels>,
    ids: Option<Vec<String>>,
}

/// The table as one view; none when it has no features but labels.
fn assemble(source: &Source, columns: Columns, roles: Roles, mut content: Content) -> Result<Loaded> {
    let path = source.path();
    let mut names: Option<Vec<String>> =
        columns.names.as_ref().map(|names| content.features.iter().filter_map(|&j| names.get(j).cloned()).collect());
    for (j, cells) in std::mem::take(&mut content.categories) {
        let coded = one_hot(path, &columns.title(j), &cells)?;
        let name =
            columns.names.as_ref().and_then(|names| names.get(j)).map_or_else(|| (j + 1).to_string(), Clone::clone);
        let all = names.get_or_insert_with(|| content.features.iter().map(|j| (j + 1).to_string()).collect());
        all.extend(coded.iter().map(|(value, _)| format!("{name}={value}")));
        content.widen(&coded);
    }
    let width = content.numbers.len() / content.rows.max(1);
    let mut views = Vec::new();
    if width > 0 {
        let data = Dense::new(content.rows, width, content.numbers)?.into();
        views.push(view_from(source, source.name(), data).with_features(names));
    } else if content.labels.is_none() {
        return Err(Error::format(path, "has no column of numbers"));
    }
    let ids = content.ids.map(plain_ids);
    let columns = Some(columns);
    Ok(Loaded { views, labels: content.labels, ids, columns, notes: roles.notes, ..Loaded::default() })
}

impl Content {
    /// Appends columns to every row.
    fn widen(&mut self, more: &[(String, Vec<f64>)]) {
        let width = self.numbers.len() / self.rows.max(1);
        let mut wider = Vec::with_capacity(self.rows * (width + more.len()));
        for i in 0..self.rows {
            wider.extend_from_slice(&self.numbers[i * width..(i + 1) * width]);
            wider.extend(more.iter().map(|(_, column)| column[i]));
        }
        self.numbers = wider;
    }
}

/// A column of 0 and 1 for every value, in the order of the values; a missing one is missing in all of them.
fn one_hot(path: &Path, title: &str, cells: &[String]) -> Result<Vec<(String, Vec<f64>)>> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for cell in cells.iter().map(|cell| cell.trim()).filter(|cell| !is_missing(cell)) {
        values.entry(cell).or_default();
        if values.len() > MOST_CATEGORIES {
            let what = format!("{title} has more than {MOST_CATEGORIES} different values: too many to one-hot code");
            return Err(Error::format_with_hint(path, what, Hint::DropColumn));
        }
    }
    for (value, column) in &mut values {
        let code = |cell: &String| match cell.trim() {
            cell if is_missing(cell) => f64::NAN,
            cell => f64::from(u8::from(cell == *value)),
        };
        *column = cells.iter().map(code).collect();
    }
    Ok(values.into_iter().map(|(value, column)| (value.to_owned(), column)).collect())
}

/// Ids that are whole numbers are written as such: another file has the same ones without `.0`.
fn plain_ids(ids: Vec<String>) -> Vec<String> {
    let whole = |id: &String| id.strip_prefix('-').unwrap_or(id).bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !ids.iter().all(whole) {
        return ids;
    }
    ids.iter().map(|id| plain_number(id).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_become_columns() {
        let cells: Vec<String> = ["b", "a", "", " b"].map(str::to_owned).to_vec();
        let coded = one_hot(Path::new("t.csv"), "column 1", &cells).unwrap();
        assert_eq!(coded.iter().map(|(value, _)| value.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((coded[1].1[0], coded[1].1[1], coded[1].1[3]), (1.0, 0.0, 1.0));
        assert!(coded.iter().all(|(_, column)| column[2].is_nan()));
        let many: Vec<String> = (0..2000).map(|i| i.to_string()).collect();
        assert!(one_hot(Path::new("t.csv"), "column 1", &many).is_err());
    }

    #[test]
    fn ids_are_written_in_one_way() {
        let plain = |ids: &[&str]| plain_ids(ids.iter().map(ToString::to_string).collect());
        assert_eq!(plain(&["1.0", "2.0"]), ["1", "2"]);
        assert_eq!(plain(&["1.0", "x"]), ["1.0", "x"], "not numbers");
        assert_eq!(plain(&["007", "1.5"]), ["007", "1.5"]);
    }
}
