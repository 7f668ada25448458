//! Parquet: flat columns of numbers, booleans and strings.

use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader};

use super::assemble::Content;
use super::dialect::is_missing;
use super::logical::{self, Meaning};
use super::pages;
use super::roles::{Columns, Evidence, Role, Roles, candidates, refuse_text};
use crate::data::guard::{guarded, max_implicit};
use crate::data::source::{Source, SourceReader};
use crate::data::{Labels, Loaded, ReadOptions};
use crate::{Error, Result};

/// Values decoded at a time: memory grows with what arrives, not with what the footer claims.
const BATCH: usize = 8192;

/// The values of one column.
enum Column {
    Numbers(Vec<f64>),
    Words(Vec<String>),
    /// Integers of which some have more digits than a double: exact as ids and labels, no features.
    LongIntegers(Vec<String>),
    /// Cannot be used, and why. An error only where the column is needed.
    Refused(String),
}

/// A column on its way: integers stay exact until all of them are known.
enum Raw {
    Numbers(Vec<f64>),
    Integers(Vec<Option<i128>>),
    Words(Vec<String>),
}

/// The table in `source` as one view, with ids and labels where it has them.
pub(in crate::data) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    guarded(source.path(), || read_table(source, options))
}

/// The source as the parser wants it.
struct Chunks {
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

fn read_table(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let path = source.path();
    let damaged = |error: ParquetError| Error::format(path, format!("the Parquet file is damaged: {error}"));
    check_end(source)?;
    let reader =
        SerializedFileReader::new(Chunks { whole: source.reader_at(0), len: source.len() }).map_err(damaged)?;
    let rows = check_shape(source, &reader)?;
    pages::check(source, reader.metadata()).map_err(|what| Error::format(path, what))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let mut columns: Vec<Column> = Vec::new();
    for (j, name) in names.iter().enumerate() {
        let column = read_column(source, &reader, j, rows)
            .map_err(|what| Error::format(path, format!("column `{name}`: {what}")));
        columns.push(column?);
    }
    let integers = schema.columns().iter().map(|column| is_integer(column.physical_type())).collect();
    assemble(source, names, &Table { rows, columns, integers }, options)
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
    // column by column first, then sample by sample
    source.budget.take(cells.saturating_mul(16)).map_err(|what| Error::format(path, what))?;
    Ok(rows as usize)
}

fn read_column(
    source: &Source,
    reader: &SerializedFileReader<Chunks>,
    j: usize,
    rows: usize,
) -> Result<Column, String> {
    let meaning = Meaning::of(&reader.metadata().file_metadata().schema_descr().column(j));
    if let Some(why) = meaning.refusal() {
        return Ok(Column::Refused(why));
    }
    let mut raw = None;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|error| error.to_string())?;
        read_chunk(source, &*group, j, meaning, &mut raw).map_err(|error| error.to_string())?;
    }
    let (held, column) = match raw {
        None => (0, Column::Numbers(Vec::new())),
        Some(Raw::Numbers(numbers)) => (numbers.len(), Column::Numbers(numbers)),
        Some(Raw::Words(words)) => (words.len(), Column::Words(words)),
        Some(Raw::Integers(integers)) => (integers.len(), exact(&integers)),
    };
    if held == rows { Ok(column) } else { Err(format!("holds {held} values, the table has {rows} rows")) }
}

/// Integers as doubles where all of them are exact, else by their digits.
fn exact(integers: &[Option<i128>]) -> Column {
    if integers.iter().flatten().all(|&x| x as f64 as i128 == x) {
        return Column::Numbers(integers.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect());
    }
    Column::LongIntegers(integers.iter().map(|x| x.map_or(String::new(), |x| x.to_string())).collect())
}

fn read_chunk(
    source: &Source,
    group: &dyn RowGroupReader,
    j: usize,
    meaning: Meaning,
    raw: &mut Option<Raw>,
) -> Result<(), ParquetError> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let wrong = |what: &str| ParquetError::General(what.to_owned());
    let text = |bytes: &ByteArray| {
        // a dictionary holds a word once, the table as often as it likes
        source.budget.take(bytes.len() as u64).map_err(ParquetError::General)?;
        Ok(String::from_utf8_lossy(bytes.data()).into_owned())
    };
    let scaled = |bytes: &[u8], scale: i32| {
        logical::whole(bytes).map(|x| logical::decimal(x, scale)).ok_or_else(|| wrong("a decimal of too many digits"))
    };
    macro_rules! append {
        ($kind:ident, $reader:expr, $missing:expr, $convert:expr) => {{
            let Raw::$kind(out) = raw.get_or_insert_with(|| Raw::$kind(Vec::new())) else {
                return Err(wrong("its type changes between groups of rows"));
            };
            values($reader, rows, out, $missing, $convert)
        }};
    }
    use ColumnReader as C;
    match (group.get_column_reader(j)?, meaning) {
        (C::BoolColumnReader(r), Meaning::Number) => {
            append!(Numbers, r, f64::NAN, |&x| Ok(f64::from(u8::from(x))))
        }
        (C::Int32ColumnReader(r), Meaning::Number) => append!(Numbers, r, f64::NAN, |&x| Ok(f64::from(x))),
        (C::Int32ColumnReader(r), Meaning::Unsigned) => {
            append!(Numbers, r, f64::NAN, |&x| Ok(f64::from(x.cast_unsigned())))
        }
        (C::Int32ColumnReader(r), Meaning::Decimal { scale }) => {
            append!(Numbers, r, f64::NAN, |&x| Ok(logical::decimal(i128::from(x), scale)))
        }
        (C::Int64ColumnReader(r), Meaning::Number) => append!(Integers, r, None, |&x| Ok(Some(i128::from(x)))),
        (C::Int64ColumnReader(r), Meaning::Unsigned) => {
            append!(Integers, r, None, |&x| Ok(Some(i128::from(x.cast_unsigned()))))
        }
        (C::Int64ColumnReader(r), Meaning::Decimal { scale }) => {
            append!(Numbers, r, f64::NAN, |&x| Ok(logical::decimal(i128::from(x), scale)))
        }
        (C::FloatColumnReader(r), Meaning::Number) => append!(Numbers, r, f64::NAN, |&x| Ok(f64::from(x))),
        (C::DoubleColumnReader(r), Meaning::Number) => append!(Numbers, r, f64::NAN, |&x| Ok(x)),
        (C::ByteArrayColumnReader(r), Meaning::Text) => append!(Words, r, String::new(), text),
        (C::ByteArrayColumnReader(r), Meaning::Decimal { scale }) => {
            append!(Numbers, r, f64::NAN, |x| scaled(x.data(), scale))
        }
        (C::FixedLenByteArrayColumnReader(r), Meaning::Decimal { scale }) => {
            append!(Numbers, r, f64::NAN, |x| scaled(x.data(), scale))
        }
        (C::FixedLenByteArrayColumnReader(r), Meaning::HalfFloat) => {
            append!(Numbers, r, f64::NAN, |x| logical::half_float(x.data())
                .ok_or_else(|| wrong("a half float of other than two bytes")))
        }
        _ => Err(wrong("neither numbers nor strings")),
    }
}

/// Appends the values of one chunk, with `missing` where there is none.
fn values<T: DataType, V: Clone>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    out: &mut Vec<V>,
    missing: V,
    convert: impl Fn(&T::T) -> Result<V, ParquetError>,
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
            present.iter().try_for_each(|value| convert(value).map(|value| out.push(value)))?;
            continue;
        }
        let mut next = present.iter();
        for &level in &levels {
            let value = if level == 0 { None } else { next.next() };
            out.push(value.map_or_else(|| Ok(missing.clone()), &convert)?);
        }
    }
    Ok(())
}

/// Columns, and whether they hold integers: a float that happens to be whole is no id.
struct Table {
    rows: usize,
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
            Column::Words(words) | Column::LongIntegers(words) => words.clone(),
            Column::Numbers(numbers) => numbers.iter().map(number).collect(),
            Column::Refused(_) => vec![String::new(); self.rows],
        }
    }
}

fn assemble(source: &Source, names: Vec<String>, table: &Table, options: &ReadOptions) -> Result<Loaded> {
    let (path, rows) = (source.path(), table.rows);
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
            Column::LongIntegers(_) => {
                let what = format!("{} holds integers that double precision cannot hold", columns.title(j));
                return Err(Error::format(path, format!("{what}: it is no feature, and neither id nor label")));
            }
            Column::Refused(why) => return Err(unusable(path, &columns, j, why)),
        }
    }
    if !text.is_empty() {
        return Err(refuse_text(path, &columns, &text));
    }
    for j in [Role::OneHot, Role::Label, Role::Id].into_iter().flat_map(|role| roles.all(role)) {
        if let Column::Refused(why) = &found[j] {
            return Err(unusable(path, &columns, j, why));
        }
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
    super::assemble::assemble(source, columns, roles, content)
}

fn unusable(path: &Path, columns: &Columns, j: usize, why: &str) -> Error {
    Error::format(path, format!("{} {why}", columns.title(j)))
}

impl Column {
    fn is_whole(&self) -> bool {
        match self {
            Self::Words(_) | Self::LongIntegers(_) | Self::Refused(_) => true,
            Self::Numbers(numbers) => numbers.iter().all(|x| !x.is_finite() || x.fract() == 0.0),
        }
    }
}
