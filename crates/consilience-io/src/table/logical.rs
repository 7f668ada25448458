//! What the columns of a Parquet file mean. The physical type says how values are stored, the logical type what they are:
//! the same 32 bits are an integer, an unsigned one, a date or a decimal.

use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::schema::types::ColumnDescriptor;

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
