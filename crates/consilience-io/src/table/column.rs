//! The columns of a Parquet file, some rows at a time.

use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

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
        whole(bytes).map(|x| decimal(x, scale)).ok_or_else(|| wrong("a decimal of too many digits"))
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
            append!(Numbers, r, f64::NAN, |&x| Ok(decimal(i128::from(x), scale)))
        }
        (C::Int64ColumnReader(r), Meaning::Number) => append!(Integers, r, None, |&x| Ok(Some(i128::from(x)))),
        (C::Int64ColumnReader(r), Meaning::Unsigned) => {
            append!(Integers, r, None, |&x| Ok(Some(i128::from(x.cast_unsigned()))))
        }
        (C::Int64ColumnReader(r), Meaning::Decimal { scale }) => {
            append!(Numbers, r, f64::NAN, |&x| Ok(decimal(i128::from(x), scale)))
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
            append!(Numbers, r, f64::NAN, |x| half_float(x.data())
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

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Numbers as they are stored.
    Number,
    /// Integers without a sign.
    Unsigned,
    /// Integers that count units of `10^-scale`.
    Decimal {
        scale: i32,
    },
    HalfFloat,
    Text,
    /// Dates and times, which are neither numbers nor names.
    Time(&'static str),
    /// Bytes of no known meaning.
    Bytes,
}

impl Meaning {
    /// Newer files have a logical type, older ones only the converted type that came before it.
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        let scale = column.type_scale();
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Decimal(decimal)), _) => Self::Decimal { scale: decimal.scale },
            (_, ConvertedType::DECIMAL) => Self::Decimal { scale },
            (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Self::Time("dates"),
            (Some(LogicalType::Time(_)), _) | (_, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => {
                Self::Time("times of day")
            }
            (Some(LogicalType::Timestamp(_)), _)
            | (_, ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS) => Self::Time("dates and times"),
            (_, ConvertedType::INTERVAL) => Self::Time("intervals of time"),
            (Some(LogicalType::Float16), _) => Self::HalfFloat,
            (Some(LogicalType::Integer(integer)), _) if !integer.is_signed => Self::Unsigned,
            (_, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64) => {
                Self::Unsigned
            }
            _ => match column.physical_type() {
                Physical::BYTE_ARRAY => Self::Text,
                Physical::FIXED_LEN_BYTE_ARRAY => Self::Bytes,
                // nothing but timestamps was ever written in 96 bits
                Physical::INT96 => Self::Time("dates and times"),
                _ => Self::Number,
            },
        }
    }

    /// Why a column of this meaning cannot be read; none for those that can.
    pub(super) fn refusal(self) -> Option<String> {
        match self {
            Self::Time(what) => Some(format!(
                "holds {what}, which are no features as they are; turn it into a number (days since a start, hour of \
                 the day, ..)"
            )),
            Self::Bytes => Some("holds bytes that are neither numbers nor text".to_owned()),
            _ => None,
        }
    }
}

/// The number nearest to `unscaled * 10^-scale`.
pub(super) fn decimal(unscaled: i128, scale: i32) -> f64 {
    // both are exact, so their quotient is rounded once
    const EXACT: i128 = 1 << 53;
    match u32::try_from(scale) {
        Ok(scale @ 0..=22) if unscaled.abs() <= EXACT => unscaled as f64 / 10_f64.powi(scale as i32),
        _ => format!("{unscaled}e{}", -i64::from(scale)).parse().unwrap_or(f64::NAN),
    }
}

/// A whole number stored as big-endian bytes, as decimals are; none when it has more than 128 bits.
pub(super) fn whole(bytes: &[u8]) -> Option<i128> {
    if bytes.is_empty() || bytes.len() > 16 {
        return None;
    }
    let sign: i128 = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
    Some(bytes.iter().fold(sign, |number, &byte| (number << 8) | i128::from(byte)))
}

/// The half float in two bytes.
pub(super) fn half_float(bytes: &[u8]) -> Option<f64> {
    bytes.try_into().ok().map(|two| f16::from_le_bytes(two).to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_once() {
        assert_eq!(decimal(12345, 2), 123.45);
        assert_eq!(decimal(-1, 3), -0.001);
        assert_eq!(decimal(10_i128.pow(30) + 1, 30), 1.0);
        assert_eq!(decimal(7, -2), 700.0);
        assert_eq!(decimal(i128::MAX, 400), 0.0);
    }

    #[test]
    fn big_endian_bytes() {
        assert_eq!(whole(&[0xff, 0xfe]), Some(-2));
        assert_eq!(whole(&[1, 0, 0]), Some(65536));
        assert_eq!((whole(&[]), whole(&[0; 17])), (None, None));
        assert_eq!(half_float(&[0, 0x3c]), Some(1.0));
        assert_eq!(half_float(&[0]), None);
    }
}
