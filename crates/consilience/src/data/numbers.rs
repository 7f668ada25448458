//! Numbers as files store them, and as the engine keeps them.

use std::io::{self, Read};

use half::f16;

use crate::Result;
use crate::matrix::{Dense, Matrix, Real};

/// How a file stores one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// The precision numbers are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    Double,
}

impl Element {
    /// Bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The smaller precision that holds every such number exactly, where there is one.
    pub(super) fn precision(self) -> Precision {
        match self {
            Self::I32 | Self::U32 | Self::I64 | Self::U64 | Self::F64 => Precision::Double,
            _ => Precision::Single,
        }
    }
}

/// Numbers in memory.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Memory is taken as numbers arrive, so a file that lies about its size cannot make us take more than it sends.
const FIRST_RESERVE: usize = 1 << 20;
const CHUNK: usize = 1 << 16;

impl Numbers {
    /// Reads `count` numbers from `reader`.
    pub(super) fn read(
        reader: &mut dyn Read,
        count: usize,
        element: Element,
        big_endian: bool,
        precision: Precision,
    ) -> io::Result<Self> {
        Ok(match precision {
            Precision::Single => Self::F32(read_as(reader, count, element, big_endian)?),
            Precision::Double => Self::F64(read_as(reader, count, element, big_endian)?),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    /// The numbers in double precision.
    pub(super) fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(numbers) => numbers.iter().map(|&x| f64::from(x)).collect(),
            Self::F64(numbers) => numbers.clone(),
        }
    }

    /// A matrix whose rows follow each other in memory.
    pub(super) fn into_row_major(self, rows: usize, cols: usize) -> Result<Matrix> {
        Ok(match self {
            Self::F32(numbers) => Dense::new(rows, cols, numbers)?.into(),
            Self::F64(numbers) => Dense::new(rows, cols, numbers)?.into(),
        })
    }

    /// A matrix whose columns follow each other in memory.
    pub(super) fn into_column_major(self, rows: usize, cols: usize) -> Result<Matrix> {
        Ok(match self {
            Self::F32(numbers) => Dense::new(cols, rows, numbers)?.transposed().into(),
            Self::F64(numbers) => Dense::new(cols, rows, numbers)?.transposed().into(),
        })
    }
}

fn read_as<T: Real>(reader: &mut dyn Read, count: usize, element: Element, big_endian: bool) -> io::Result<Vec<T>> {
    let mut numbers = Vec::with_capacity(count.min(FIRST_RESERVE));
    let mut chunk = vec![0; CHUNK];
    while numbers.len() < count {
        let bytes = (count - numbers.len()).min(CHUNK / element.size()) * element.size();
        reader.read_exact(&mut chunk[..bytes])?;
        decode(&chunk[..bytes], element, big_endian, &mut numbers);
    }
    Ok(numbers)
}

/// Appends the numbers stored in `bytes`.
#[allow(clippy::cast_precision_loss)]
fn decode<T: Real>(bytes: &[u8], element: Element, big_endian: bool, numbers: &mut Vec<T>) {
    macro_rules! decode_as {
        ($stored:ty) => {
            numbers.extend(bytes.as_chunks::<{ size_of::<$stored>() }>().0.iter().map(|&raw| {
                let stored = if big_endian { <$stored>::from_be_bytes(raw) } else { <$stored>::from_le_bytes(raw) };
                T::from_f64(stored as f64)
            }))
        };
    }
    match element {
        Element::Bool => numbers.extend(bytes.iter().map(|&byte| T::from_f64(f64::from(u8::from(byte != 0))))),
        Element::I8 => decode_as!(i8),
        Element::U8 => decode_as!(u8),
        Element::I16 => decode_as!(i16),
        Element::U16 => decode_as!(u16),
        Element::I32 => decode_as!(i32),
        Element::U32 => decode_as!(u32),
        Element::I64 => decode_as!(i64),
        Element::U64 => decode_as!(u64),
        Element::F32 => decode_as!(f32),
        Element::F64 => decode_as!(f64),
        Element::F16 => numbers.extend(bytes.as_chunks::<2>().0.iter().map(|&raw| {
            T::from_f64(if big_endian { f16::from_be_bytes(raw) } else { f16::from_le_bytes(raw) }.to_f64())
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_in_both_byte_orders() {
        let mut halves = Vec::new();
        decode::<f64>(&[0x3c, 0, 0xc0, 0, 0x7b, 0xff, 0, 1, 0xfc, 0], Element::F16, true, &mut halves);
        assert_eq!(halves, [1.0, -2.0, 65504.0, 2.0_f64.powi(-24), f64::NEG_INFINITY]);
        decode::<f64>(&[0, 0x7e], Element::F16, false, &mut halves);
        assert!(halves[5].is_nan());
    }

    #[test]
    fn byte_orders_and_short_input() {
        let bytes = [0_u8, 1, 0, 2];
        let read = |big| Numbers::read(&mut &bytes[..], 2, Element::U16, big, Precision::Single).unwrap().to_f64();
        assert_eq!(read(true), [1.0, 2.0]);
        assert_eq!(read(false), [256.0, 512.0]);
        assert!(Numbers::read(&mut &bytes[..], usize::MAX, Element::F64, false, Precision::Double).is_err());
    }

    #[test]
    fn column_major_becomes_row_major() {
        let numbers = Numbers::F64((0..70 * 40).map(f64::from).collect());
        let Matrix::DenseF64(dense) = numbers.into_column_major(70, 40).unwrap() else { unreachable!() };
        assert_eq!((dense.rows(), dense.cols()), (70, 40));
        assert_eq!(dense.get(69, 33), f64::from(33 * 70 + 69));
        assert_eq!(Numbers::F32(Vec::new()).into_column_major(0, 1 << 60).unwrap().rows(), 0);
    }
}
