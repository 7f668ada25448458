//! The columns of a Parquet file, some rows at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;

use super::logical::{self, Meaning};
use crate::source::Source;

/// Values decoded at a time: memory grows with what arrives, not with what the footer claims.
const BATCH: usize = 8192;

/// The values of one column.
pub(super) enum Column {
    Numbers(Vec<f64>),
    Words(Vec<String>),
    /// Integers of which some have more digits than a double: exact as ids and labels, no features.
    LongIntegers(Vec<String>),
    /// Cannot be used, and why. An error only where the column is needed.
    Refused(String),
}

/// A column on its way: integers stay exact until all of them are known.
pub(super) enum Raw {
    Numbers(Vec<f64>),
    Integers(Vec<Option<i128>>),
    Words(Vec<String>),
}

impl Raw {
    /// The column, and how many values it has.
    pub(super) fn finished(self) -> (usize, Column) {
        match self {
            Self::Numbers(numbers) => (numbers.len(), Column::Numbers(numbers)),
            Self::Words(words) => (words.len(), Column::Words(words)),
            Self::Integers(integers) => (integers.len(), exact(&integers)),
        }
    }
}

impl Column {
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Self::Words(_) | Self::LongIntegers(_) | Self::Refused(_) => true,
            Self::Numbers(numbers) => numbers.iter().all(|x| !x.is_finite() || x.fract() == 0.0),
        }
    }
}

/// Integers as doubles where all of them are exact, else by their digits.
fn exact(integers: &[Option<i128>]) -> Column {
    if integers.iter().flatten().all(|&x| x as f64 as i128 == x) {
        return Column::Numbers(integers.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect());
    }
    Column::LongIntegers(integers.iter().map(|x| x.map_or(String::new(), |x| x.to_string())).collect())
}

/// Appends the next `rows` values, fewer where there are no more.
pub(super) fn append(
    source: &Source,
    (reader, meaning): (&mut ColumnReader, Meaning),
    rows: usize,
    raw: &mut Option<Raw>,
) -> Result<(), ParquetError> {
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
    match (reader, meaning) {
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
    reader: &mut ColumnReaderImpl<T>,
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
