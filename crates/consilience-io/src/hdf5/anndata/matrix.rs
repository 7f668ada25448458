//! The matrices of AnnData: dense, sparse by rows or columns, or tables of numbers.

use hdf5_pure::{AttrValue, Dataset, Group};

use super::AnnDataFile;
use super::table::text_list;
use crate::hdf5::{attribute_text, extent, is_numeric, words};
use crate::{sparse, view_from};
use consilience::View;
use consilience::matrix::{Dense, Matrix};

/// How a matrix is stored.
pub(super) enum Stored {
    Dense { dataset: Dataset, rows: usize, cols: usize },
    Sparse(Box<Compressed>),
    Table(Group),
}

/// A sparse matrix, row by row or column by column.
pub(super) struct Compressed {
    pub(super) by_rows: bool,
    pub(super) shape: sparse::Shape,
    pub(super) indptr: Dataset,
    pub(super) indices: Dataset,
    pub(super) data: Dataset,
}

impl Stored {
    /// What lies at `entry`, without its numbers.
    pub(super) fn of(group: &Group, entry: &str, file_len: u64) -> Result<Self, String> {
        match group.dataset(entry) {
            Ok(dataset) => Self::dense(dataset),
            Err(_) => Self::group(group.group(entry).map_err(words)?, file_len),
        }
    }

    fn dense(dataset: Dataset) -> Result<Self, String> {
        let (shape, dtype) = (dataset.shape().map_err(words)?, dataset.dtype().map_err(words)?);
        match *shape.as_slice() {
            [rows, cols] if is_numeric(&dtype) => Ok(Self::Dense { dataset, rows: extent(rows), cols: extent(cols) }),
            _ => {
                Err(format!("it holds elements of type {dtype} in the shape {shape:?}; a view is a matrix of numbers"))
            }
        }
    }

    fn group(group: Group, file_len: u64) -> Result<Self, String> {
        let attributes = group.attrs().map_err(words)?;
        let said = |name: &str| attributes.get(name).and_then(attribute_text);
        // `h5sparse_format` is what it was called before 2019
        let encoding = said("encoding-type").or(said("h5sparse_format")).unwrap_or("nothing that is known");
        let by_rows = match encoding {
            "dataframe" => return Ok(Self::Table(group)),
            "csr_matrix" | "csr" => true,
            "csc_matrix" | "csc" => false,
            other => return Err(format!("it is encoded as {other}; a view is a matrix of numbers")),
        };
        let shape = attributes.get("shape").or(attributes.get("h5sparse_shape")).and_then(sizes);
        let Some([rows, cols]) = shape.as_deref() else { return Err("its shape is missing".to_owned()) };
        let shape = sparse::Shape::new(*rows, *cols, file_len)?;
        let part = |name: &str| group.dataset(name).map_err(words);
        let (indptr, indices, data) = (part("indptr")?, part("indices")?, part("data")?);
        Ok(Self::Sparse(Box::new(Compressed { by_rows, shape, indptr, indices, data })))
    }
}

impl AnnDataFile<'_, '_> {
    pub(super) fn view(&mut self, name: &str, part: usize, entry: &str) -> Result<View, String> {
        let group = self.parts[part].group.clone();
        let (matrix, mut features) = match Stored::of(&group, entry, self.store.file_len)? {
            Stored::Dense { dataset, rows, cols } => {
                let numbers = self.store.numbers(&dataset)?;
                (numbers.into_row_major(rows, cols).map_err(|error| error.to_string())?, None)
            }
            Stored::Sparse(stored) => (self.sparse(&stored)?, None),
            Stored::Table(group) => self.frame(&group).map(|(matrix, names)| (matrix, Some(names)))?,
        };
        if features.is_none() {
            features = self.features(&group, entry, matrix.cols())?;
        }
        self.check_rows(part, matrix.rows())?;
        Ok(view_from(self.source, name, matrix).with_features(features))
    }

    /// The names of the features of `X` and of what is like it.
    pub(super) fn features(&mut self, group: &Group, entry: &str, cols: usize) -> Result<Option<Vec<String>>, String> {
        if entry.starts_with("obsm/") {
            return Ok(None);
        }
        Ok(Some(self.index(group, "var")?).filter(|names| names.len() == cols))
    }

    pub(super) fn check_rows(&self, part: usize, rows: usize) -> Result<(), String> {
        let samples = self.parts[part].samples.len();
        if rows == samples { Ok(()) } else { Err(format!("it has {rows} rows for {samples} samples")) }
    }

    fn sparse(&mut self, stored: &Compressed) -> Result<Matrix, String> {
        let (indptr, indices) = (self.store.integers(&stored.indptr)?, self.store.integers(&stored.indices)?);
        let values = self.store.numbers(&stored.data)?;
        // the matrix itself; columns are turned into rows on the way
        let copies = if stored.by_rows { 1 } else { 2 };
        self.store.reserve((values.len() as u64).saturating_mul(12 * copies))?;
        match stored.by_rows {
            true => sparse::from_rows(stored.shape, &indptr, &indices, &values),
            false => sparse::from_columns(stored.shape, &indptr, &indices, &values),
        }
    }

    /// The columns of a table, all of them numbers.
    fn frame(&mut self, group: &Group) -> Result<(Matrix, Vec<String>), String> {
        let names = text_list(group.attrs().map_err(words)?.get("column-order")).unwrap_or_default();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for name in &names {
            self.store.count(1)?;
            let column = group.dataset(name).map_err(|_| format!("its column `{name}` is not made of numbers"))?;
            if !is_numeric(&column.dtype().map_err(words)?) {
                return Err(format!("its column `{name}` is not made of numbers"));
            }
            let numbers =
                self.store.numbers(&column)?.into_floats().map_err(|what| format!("column `{name}` {what}"))?;
            columns.push(numbers.to_f64());
        }
        let rows = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err("its columns are of unequal lengths".to_owned());
        }
        Ok((Dense::from_fn(rows, columns.len(), |i, j| columns[j][i]).into(), names))
    }
}

fn sizes(value: &AttrValue) -> Option<Vec<usize>> {
    match value {
        AttrValue::I64Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::U64Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::I32Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::U32Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        _ => None,
    }
}
