//! Parquet: flat columns of numbers, booleans and strings.

use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader};

use super::Content;
use super::column::{Column, Meaning, Raw, append};
use super::dialect::is_missing;
use super::pages;
use super::roles::{Columns, Evidence, Role, Roles, candidates, refuse_text};
use crate::guard::{guarded, max_implicit};
use crate::source::{Source, SourceReader};
use crate::{Labels, Loaded, ReadOptions};
use consilience::{Error, Hint, Result};

/// The table in `source` as one view, with ids and labels where it has them.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    guarded(source.path(), || read_table(source, options))
}

/// The source as the parser wants it.
pub(super) struct Chunks {
    whole: SourceReader,
    len: u64,
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Chunks {
    type T = std::io::BufReader<SourceReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(std::io::BufReader::new(self.whole.at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut bytes = Vec::new();
        let read = self.whole.at(start).take(length as u64).read_to_end(&mut bytes)?;
        if read == length { Ok(bytes.into()) } else { Err(ParquetError::EOF("the file is cut short".to_owned())) }
    }
}

/// A file whose claims have been checked.
pub(super) struct Opened {
    pub(super) reader: SerializedFileReader<Chunks>,
    pub(super) rows: usize,
    pub(super) columns: Columns,
    /// What their values are, and whether they are integers: a float that happens to be whole is no id.
    pub(super) meanings: Vec<Meaning>,
    pub(super) integers: Vec<bool>,
}

impl Opened {
    pub(super) fn new(source: &Source) -> Result<Self> {
        let path = source.path();
        let damaged = |error: ParquetError| Error::format(path, format!("the Parquet file is damaged: {error}"));
        check_end(source)?;
        let chunks = Chunks { whole: source.reader_at(0), len: source.len() };
        let reader = SerializedFileReader::new(chunks).map_err(damaged)?;
        let rows = check_shape(source, &reader)?;
        pages::check(source, reader.metadata()).map_err(|what| Error::format(path, what))?;
        let schema = reader.metadata().file_metadata().schema_descr().columns();
        let names: Vec<String> = schema.iter().map(|column| column.path().string()).collect();
        let meanings = schema.iter().map(|column| Meaning::of(column)).collect();
        let integers = schema.iter().map(|column| is_integer(column.physical_type())).collect();
        let columns = Columns { width: names.len(), names: Some(names) };
        Ok(Self { reader, rows, columns, meanings, integers })
    }

    /// Takes the memory for so many rows from what there is for the file: column by column first, then sample by sample.
    pub(super) fn reserve(&self, source: &Source, rows: usize) -> Result<()> {
        let taken = source.budget.take_elements(rows.saturating_mul(self.columns.width), 16);
        taken.map_err(|what| Error::format(source.path(), what))
    }

    /// What is wrong with column `j`.
    pub(super) fn wrong(&self, source: &Source, j: usize, what: &str) -> Error {
        let name = self.columns.names.as_ref().and_then(|names| names.get(j)).map_or("", String::as_str);
        Error::format(source.path(), format!("column `{name}`: {what}"))
    }
}

fn read_table(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let opened = Opened::new(source)?;
    opened.reserve(source, opened.rows)?;
    let column = |j: usize| read_column(source, &opened, j).map_err(|what| opened.wrong(source, j, &what));
    let columns = (0..opened.columns.width).map(column).collect::<Result<_>>()?;
    let table = Table { rows: opened.rows, columns, integers: &opened.integers };
    if table.rows == 0 {
        return Err(Error::format(source.path(), "has no rows or no column of numbers"));
    }
    let roles = table.roles(source.path(), &opened.columns, options)?;
    let content = table.content(source.path(), &opened.columns, &roles)?;
    super::assemble(source, opened.columns, roles, content)
}

/// Parquet repeats its mark at the end; without it the footer, and so everything, is lost.
fn check_end(source: &Source) -> Result<()> {
    let mut tail = Vec::new();
    let read = source.reader_at(source.len().saturating_sub(4)).read_to_end(&mut tail);
    read.map_err(|error| Error::reading(source.path(), error))?;
    if source.len() >= 12 && tail == b"PAR1" {
        return Ok(());
    }
    let what = "starts as a Parquet file but does not end as one: it is damaged or cut short";
    Err(Error::format(source.path(), what))
}

/// Flat columns only, and no more rows than a file of this length can mean.
fn check_shape(source: &Source, reader: &SerializedFileReader<Chunks>) -> Result<usize> {
    let (path, file_len) = (source.path(), source.len());
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

fn read_column(source: &Source, opened: &Opened, j: usize) -> Result<Column, String> {
    let Opened { reader, rows, meanings, .. } = opened;
    if let Some(why) = meanings[j].refusal() {
        return Ok(Column::Refused(why));
    }
    let mut raw = None;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|error| error.to_string())?;
        let mut chunk = group.get_column_reader(j).map_err(|error| error.to_string())?;
        append(source, (&mut chunk, meanings[j]), rows_of(&*group), &mut raw).map_err(|error| error.to_string())?;
    }
    let (held, column) = raw.map_or_else(|| (0, Column::Numbers(Vec::new())), Raw::finished);
    if held == *rows { Ok(column) } else { Err(format!("holds {held} values, the table has {rows} rows")) }
}

/// The rows of a group.
pub(super) fn rows_of(group: &dyn RowGroupReader) -> usize {
    usize::try_from(group.metadata().num_rows()).unwrap_or(0)
}

/// Some rows of the columns.
pub(super) struct Table<'a> {
    pub(super) rows: usize,
    pub(super) columns: Vec<Column>,
    pub(super) integers: &'a [bool],
}

fn is_integer(physical: Physical) -> bool {
    matches!(physical, Physical::BOOLEAN | Physical::INT32 | Physical::INT64)
}

impl Table<'_> {
    /// The values as text, empty where they are missing.
    pub(super) fn cells(&self, j: usize) -> Vec<String> {
        let number = |x: &f64| match self.integers[j] {
            _ if x.is_nan() => String::new(),
            true => x.to_string(),
            // with a point, as files write floats
            false => format!("{:?}", x + 0.0),
        };
        match &self.columns[j] {
            Column::Words(words) | Column::LongIntegers(words) => words.clone(),
            Column::Numbers(numbers) => numbers.iter().map(number).collect(),
            Column::Refused(_) => vec![String::new(); self.rows],
        }
    }

    /// What the columns are for.
    pub(super) fn roles(&self, path: &Path, columns: &Columns, options: &ReadOptions) -> Result<Roles> {
        let values = candidates(columns).into_iter().map(|j| (j, self.cells(j))).collect();
        let others_whole = self.columns.iter().skip(1).all(Column::is_whole);
        Roles::decide(path, columns, &Evidence { values, others_whole }, options)
    }

    /// The values by what their columns are for.
    pub(super) fn content(&self, path: &Path, columns: &Columns, roles: &Roles) -> Result<Content> {
        let (rows, features) = (self.rows, self.features(path, columns, roles)?);
        for j in [Role::OneHot, Role::Label, Role::Id].into_iter().flat_map(|role| roles.all(role)) {
            if let Column::Refused(why) = &self.columns[j] {
                return Err(unusable(path, columns, j, why));
            }
        }
        let mut content = Content { rows, ..Content::default() };
        content.numbers = (0..rows).flat_map(|i| features.iter().map(move |(_, numbers)| numbers[i])).collect();
        content.features = features.iter().map(|(j, _)| *j).collect();
        content.categories = roles.all(Role::OneHot).map(|j| (j, self.cells(j))).collect();
        if let Some(j) = roles.only(Role::Label) {
            let cells = self.cells(j);
            if cells.iter().any(|cell| is_missing(cell)) {
                return Err(Error::format(path, format!("the label {} has missing values", columns.title(j))));
            }
            content.labels = Some(Labels::from_names(&cells));
        }
        content.ids = roles.only(Role::Id).map(|j| self.cells(j));
        Ok(content)
    }

    fn features(&self, path: &Path, columns: &Columns, roles: &Roles) -> Result<Vec<(usize, &[f64])>> {
        let (mut features, mut text) = (Vec::new(), Vec::new());
        for j in roles.all(Role::Feature) {
            match &self.columns[j] {
                Column::Numbers(numbers) => features.push((j, numbers.as_slice())),
                Column::Words(_) => text.push(j),
                Column::LongIntegers(_) => {
                    let what = format!("{} holds integers that double precision cannot hold", columns.title(j));
                    return Err(Error::format(path, format!("{what}: it is no feature, and neither id nor label")));
                }
                Column::Refused(why) => return Err(unusable(path, columns, j, why)),
            }
        }
        if text.is_empty() { Ok(features) } else { Err(refuse_text(path, columns, &text)) }
    }
}

fn unusable(path: &Path, columns: &Columns, j: usize, why: &str) -> Error {
    Error::format_with_hint(path, format!("{} {why}", columns.title(j)), Hint::DropColumn)
}
