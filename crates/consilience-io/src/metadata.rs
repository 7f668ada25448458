//! What else is known of the samples: a text table that is shown beside a clustering and never reaches a method.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::source::Source;
use super::table::read_cells;
use consilience::{Error, Result};

/// Columns of a table, in the order of the samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The columns but the ids.
    pub columns: Vec<MetadataColumn>,
}

/// A column; nothing for a sample that the table lacks, or whose cell is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataColumn {
    /// Its name, or "column" and its number.
    pub name: String,
    /// A value for every sample.
    pub values: Vec<Option<String>>,
}

impl Metadata {
    /// Reads a text table (`.csv`, `.tsv`) about `n` samples: [`AboutSamples::read`] and [`AboutSamples::of`] in one.
    ///
    /// # Errors
    /// As these.
    pub fn read(path: &Path, ids: Option<&[String]>, n: usize) -> Result<Self> {
        AboutSamples::read(path)?.of(ids, n)
    }

    /// Some of the samples, in the order of `rows`.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = |column: &MetadataColumn| rows.iter().map(|&row| column.values[row].clone()).collect();
        let column = |column: &MetadataColumn| MetadataColumn { name: column.name.clone(), values: values(column) };
        Self { columns: self.columns.iter().map(column).collect() }
    }
}

/// A text table about samples that are not known yet.
#[derive(Debug)]
pub struct AboutSamples {
    path: PathBuf,
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl AboutSamples {
    /// Reads a text table (`.csv`, `.tsv`).
    ///
    /// # Errors
    /// When the file is none.
    pub fn read(path: &Path) -> Result<Self> {
        let cells = read_cells(&Source::open(path, None)?)?;
        Ok(Self { path: path.to_owned(), names: cells.names, rows: cells.rows })
    }

    /// What it says of `n` samples. Rows are found by their `ids`, in whichever column holds them; without ids, rows are samples
    /// in their order.
    ///
    /// # Errors
    /// When no column holds the ids, an id is there twice, or there are other rows than samples.
    pub fn of(&self, ids: Option<&[String]>, n: usize) -> Result<Metadata> {
        let (rows, id_column) = match ids {
            Some(ids) => {
                let (rows, column) = rows_of(&self.path, &self.rows, self.names.len(), ids)?;
                (rows, Some(column))
            }
            None if self.rows.len() == n => ((0..n).map(Some).collect(), None),
            None => {
                return Err(Error::data_with_hint(
                    format!("`{}` has {} rows for {n} samples without ids", self.path.display(), self.rows.len()),
                    "give the samples ids, in the files of the views and in this one",
                ));
            }
        };
        let value = |row: &Option<usize>, j: usize| {
            let cell = self.rows[(*row)?][j].trim();
            (!super::table::is_missing(cell)).then(|| cell.to_owned())
        };
        let column = |j: usize| MetadataColumn {
            name: self.names[j].clone(),
            values: rows.iter().map(|row| value(row, j)).collect(),
        };
        let columns = (0..self.names.len()).filter(|j| Some(*j) != id_column).map(column).collect();
        Ok(Metadata { columns })
    }
}

/// The row of every sample, and the column that holds the ids: the one with the most of them.
fn rows_of(path: &Path, rows: &[Vec<String>], width: usize, ids: &[String]) -> Result<(Vec<Option<usize>>, usize)> {
    let places: HashMap<&str, usize> = ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
    let known = |j: usize| rows.iter().filter(|row| places.contains_key(row[j].trim())).count();
    let best = (0..width).max_by_key(|&j| (known(j), std::cmp::Reverse(j))).filter(|&j| known(j) > 0);
    let Some(column) = best else {
        let example = ids.first().map_or("", String::as_str);
        return Err(Error::data_with_hint(
            format!("no column of `{}` holds the samples' ids, such as `{example}`", path.display()),
            "the table needs a column of ids that are written as in the files of the views",
        ));
    };
    let mut found = vec![None; ids.len()];
    for (at, row) in rows.iter().enumerate() {
        let Some(&place) = places.get(row[column].trim()) else { continue };
        if let Some(first) = found[place].replace(at) {
            let what = format!("rows {} and {} have the same id `{}`", first + 1, at + 1, row[column].trim());
            return Err(Error::format(path, what));
        }
    }
    Ok((found, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ids: Option<&[&str]>, n: usize) -> Result<Metadata> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("about.csv");
        std::fs::write(&path, text).unwrap();
        let ids: Option<Vec<String>> = ids.map(|ids| ids.iter().map(|&id| id.to_owned()).collect());
        Metadata::read(&path, ids.as_deref(), n)
    }

    #[test]
    fn rows_are_found_by_id_in_any_column() {
        let table = "age,patient,sex\n30,p2,f\n,p9,m\n41,p1,\n";
        let found = read(table, Some(&["p1", "p2", "p3"]), 3).unwrap();
        let [age, sex] = &found.columns[..] else { panic!("two columns: {found:?}") };
        assert_eq!((age.name.as_str(), sex.name.as_str()), ("age", "sex"));
        assert_eq!(age.values, [Some("41".to_owned()), Some("30".to_owned()), None]);
        assert_eq!(sex.values, [None, Some("f".to_owned()), None]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let table = "age,patient\n30,p2\n41,p2\n";
        assert!(read(table, Some(&["x"]), 1).unwrap_err().to_string().contains("holds the samples' ids, such as `x`"));
        assert!(read(table, Some(&["p2"]), 1).unwrap_err().to_string().contains("rows 1 and 2 have the same id `p2`"));
        assert!(read(table, None, 5).unwrap_err().to_string().contains("has 2 rows for 5 samples without ids"));
        assert_eq!(read(table, None, 2).unwrap().columns.len(), 2);
    }
}
