//! Parquet: flat columns of numbers, booleans and strings.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::assemble::Content;
use super::dialect::is_missing;
use super::pages;
use super::roles::{Columns, Evidence, Role, Roles, candidates, refuse_text};
use crate::data::guard::{guarded, max_implicit};
use crate::data::{Labels, Loaded, ReadOptions, open};
use crate::{Error, Result};

/// Values decoded at a time: memory grows with what arrives, not with what the footer claims.
const BATCH: usize = 8192;

/// The values of one column.
enum Column {
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

/// The table in the file at `path` as one view, with ids and labels where it has them.
pub(in crate::data) fn read(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    guarded(path, || read_table(path, options))
}

fn read_table(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let damaged = |error: ParquetError| Error::format(path, format!("the Parquet file is damaged: {error}"));
    let (file, file_len) = open(path)?;
    check_end(path, &file, file_len)?;
    let pages = file.try_clone().map_err(|source| Error::reading(path, source))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let rows = check_shape(path, &reader, file_len)?;
    pages::check(&pages, reader.metadata()).map_err(|what| Error::format(path, what))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let mut columns: Vec<Column> = Vec::new();
    for (j, name) in names.iter().enumerate() {
        let column =
            read_column(&reader, j, rows).map_err(|what| Error::format(path, format!("column `{name}`: {what}")));
        columns.push(column?);
    }
    let table =
        Table { columns, integers: schema.columns().iter().map(|column| is_integer(column.physical_type())).collect() };
    assemble(path, names, &table, rows, options)
}

/// Parquet repeats its mark at the end; without it the footer, and so everything, is lost.
fn check_end(path: &Path, mut file: &File, file_len: u64) -> Result<()> {
    let mut tail = [0; 4];
    let read = file.seek(SeekFrom::End(-4)).and_then(|_| file.read_exact(&mut tail));
    read.map_err(|source| Error::reading(path, source))?;
    if file_len >= 12 && &tail == b"PAR1" {
        return Ok(());
    }
    Err(Error::format(path, "starts as a Parquet file but does not end as one: it is damaged or cut short"))
}

/// Flat columns only, and no more rows than a file of this length can mean.
fn check_shape(path: &Path, reader: &SerializedFileReader<File>, file_len: u64) -> Result<usize> {
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    if let Some(nested) =
        schema.columns().iter().find(|column| column.max_rep_level() > 0 || column.path().parts().len() > 1)
    {
        return Err(Error::format(
            path,
            format!("column `{}` is nested; only flat columns are read", nested.path().string()),
        ));
    }
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        rows = rows.saturating_add(u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
        for chunk in group.columns() {
            let (packed, unpacked) = (chunk.compressed_size(), chunk.uncompressed_size());
            if packed < 0 || unpacked < 0 || packed as u64 > file_len {
                return Err(Error::format(path, format!("a column claims {packed} bytes of a file of {file_len}")));
            }
            // the parser panics when it is asked for the range of such a column
            let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
            if start < 0 {
                return Err(Error::format(path, format!("a column claims to start at byte {start}")));
            }
        }
    }
    let cells = rows.saturating_mul(schema.num_columns() as u64);
    if cells > max_implicit(file_len) {
        let what = format!("claims {rows} rows of {} columns in {file_len} bytes", schema.num_columns());
        return Err(Error::format(path, what));
    }
    Ok(rows as usize)
}

fn read_column(reader: &SerializedFileReader<File>, j: usize, rows: usize) -> Result<Column, String> {
    let physical = reader.metadata().file_metadata().schema_descr().column(j).physical_type();
    let words = matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY | Physical::INT96);
    let mut column = if words { Column::Words(Vec::new()) } else { Column::Numbers(Vec::new()) };
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|error| error.to_string())?;
        read_chunk(&*group, j, &mut column).map_err(|error| error.to_string())?;
    }
    let held = match &column {
        Column::Numbers(numbers) => numbers.len(),
        Column::Words(words) => words.len(),
    };
    if held == rows { Ok(column) } else { Err(format!("holds {held} values, the table has {rows} rows")) }
}

fn read_chunk(group: &dyn RowGroupReader, j: usize, column: &mut Column) -> Result<(), ParquetError> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let text = |bytes: &ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
    match (group.get_column_reader(j)?, column) {
        (ColumnReader::BoolColumnReader(r), Column::Numbers(out)) => {
            values(r, rows, out, f64::NAN, |&x| f64::from(u8::from(x)))
        }
        (ColumnReader::Int32ColumnReader(r), Column::Numbers(out)) => values(r, rows, out, f64::NAN, |&x| f64::from(x)),
        (ColumnReader::Int64ColumnReader(r), Column::Numbers(out)) => values(r, rows, out, f64::NAN, |&x| x as f64),
        (ColumnReader::FloatColumnReader(r), Column::Numbers(out)) => values(r, rows, out, f64::NAN, |&x| f64::from(x)),
        (ColumnReader::DoubleColumnReader(r), Column::Numbers(out)) => values(r, rows, out, f64::NAN, |&x| x),
        (ColumnReader::ByteArrayColumnReader(r), Column::Words(out)) => values(r, rows, out, String::new(), text),
        _ => Err(ParquetError::General("neither numbers nor strings".to_owned())),
    }
}

/// Appends the values of one chunk, with `missing` where there is none.
fn values<T: DataType, V: Clone>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    out: &mut Vec<V>,
    missing: V,
    convert: impl Fn(&T::T) -> V,
) -> Result<(), ParquetError> {
    let (mut present, mut levels) = (Vec::new(), Vec::new());
    let mut left = rows;
    while left > 0 {
        present.clear();
        levels.clear();
        let (records, ..) = reader.read_records(left.min(BATCH), Some(&mut levels), None, &mut present)?;
        if records == 0 {
            break;
        }
        left = left.saturating_sub(records);
        if levels.is_empty() {
            out.extend(present.iter().map(&convert));
            continue;
        }
        let mut next = present.iter();
        out.extend(
            levels.iter().map(|&level| if level == 0 { None } else { next.next() }.map_or(missing.clone(), &convert)),
        );
    }
    Ok(())
}

/// Columns, and whether they hold integers: a float that happens to be whole is no id.
struct Table {
    columns: Vec<Column>,
    integers: Vec<bool>,
}

fn is_integer(physical: Physical) -> bool {
    matches!(physical, Physical::BOOLEAN | Physical::INT32 | Physical::INT64)
}

impl Table {
    /// The values as text, empty where they are missing.
    fn cells(&self, j: usize) -> Vec<String> {
        let number = |x: &f64| match self.integers[j] {
            _ if x.is_nan() => String::new(),
            true => x.to_string(),
            // with a point, as files write floats
            false => format!("{:?}", x + 0.0),
        };
        match &self.columns[j] {
            Column::Words(words) => words.clone(),
            Column::Numbers(numbers) => numbers.iter().map(number).collect(),
        }
    }
}

fn assemble(path: &Path, names: Vec<String>, table: &Table, rows: usize, options: &ReadOptions) -> Result<Loaded> {
    let (columns, found) = (Columns { width: names.len(), names: Some(names) }, &table.columns);
    let values = candidates(&columns).into_iter().map(|j| (j, table.cells(j))).collect();
    let others_whole = found.iter().skip(1).all(Column::is_whole);
    let roles = Roles::decide(path, &columns, &Evidence { values, others_whole }, options)?;
    let mut content = Content { rows, ..Content::default() };
    let (mut features, mut text) = (Vec::new(), Vec::new());
    for j in roles.all(Role::Feature) {
        match &found[j] {
            Column::Numbers(numbers) => features.push((j, numbers)),
            Column::Words(_) => text.push(j),
        }
    }
    if !text.is_empty() {
        return Err(refuse_text(path, &columns, &text));
    }
    content.numbers = (0..rows).flat_map(|i| features.iter().map(move |(_, numbers)| numbers[i])).collect();
    content.features = features.iter().map(|(j, _)| *j).collect();
    content.categories = roles.all(Role::OneHot).map(|j| (j, table.cells(j))).collect();
    if let Some(j) = roles.only(Role::Label) {
        let cells = table.cells(j);
        if cells.iter().any(|cell| is_missing(cell)) {
            return Err(Error::format(path, format!("the label {} has missing values", columns.title(j))));
        }
        content.labels = Some(Labels::from_names(&cells));
    }
    content.ids = roles.only(Role::Id).map(|j| table.cells(j));
    if rows == 0 {
        return Err(Error::format(path, "has no rows or no column of numbers"));
    }
    super::assemble::assemble(path, columns, roles, content)
}

impl Column {
    fn is_whole(&self) -> bool {
        match self {
            Self::Words(_) => true,
            Self::Numbers(numbers) => numbers.iter().all(|x| !x.is_finite() || x.fract() == 0.0),
        }
    }
}
