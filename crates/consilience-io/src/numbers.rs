//! Numbers as files store them, and as the engine keeps them.

use std::io::{self, Read};

use bytemuck::Pod;
use half::f16;

use super::Labels;
use consilience::matrix::{Dense, Matrix, Real};
use consilience::{Error, Result};

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

    /// The smaller precision that holds every such number exactly; double where neither does.
    pub(super) fn precision(self) -> Precision {
        match self {
            Self::I32 | Self::U32 | Self::I64 | Self::U64 | Self::F64 => Precision::Double,
            _ => Precision::Single,
        }
    }
}

impl Precision {
    /// Bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

/// Numbers in memory. Integers of 64 bits stay what they are: as labels they must not merge, and as features they are
/// refused where double precision does not hold them.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
    U64(Vec<u64>),
}

/// Memory is taken as numbers arrive, so a file that lies about its size cannot make us take more than twice what it
/// sends.
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
        Ok(match (precision, element) {
            (Precision::Double, Element::I64) => Self::I64(read_raw(reader, count, big_endian, i64::swap_bytes)?),
            (Precision::Double, Element::U64) => Self::U64(read_raw(reader, count, big_endian, u64::swap_bytes)?),
            (Precision::Double, Element::F64) => {
                let turn = |x: f64| f64::from_bits(x.to_bits().swap_bytes());
                Self::F64(read_raw(reader, count, big_endian, turn)?)
            }
            (Precision::Single, Element::F32) => {
                let turn = |x: f32| f32::from_bits(x.to_bits().swap_bytes());
                Self::F32(read_raw(reader, count, big_endian, turn)?)
            }
            (Precision::Single, _) => Self::F32(read_as(reader, count, element, big_endian)?),
            (Precision::Double, _) => Self::F64(read_as(reader, count, element, big_endian)?),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
            Self::I64(numbers) => numbers.len(),
            Self::U64(numbers) => numbers.len(),
        }
    }

    /// The numbers in double precision, rounded where it does not hold them.
    pub(super) fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(numbers) => numbers.iter().map(|&x| f64::from(x)).collect(),
            Self::F64(numbers) => numbers.clone(),
            Self::I64(numbers) => numbers.iter().map(|&x| x as f64).collect(),
            Self::U64(numbers) => numbers.iter().map(|&x| x as f64).collect(),
        }
    }

    pub(super) fn are_zeros_and_ones(&self) -> bool {
        self.to_f64().iter().all(|x| *x == 0.0 || *x == 1.0)
    }

    /// The numbers as labels, each by its exact value; none when one is missing.
    pub(super) fn labels(&self) -> Option<Labels> {
        match self {
            Self::I64(numbers) => Some(Labels::from_names(&numbers.iter().map(i64::to_string).collect::<Vec<_>>())),
            Self::U64(numbers) => Some(Labels::from_names(&numbers.iter().map(u64::to_string).collect::<Vec<_>>())),
            floats => Labels::from_numbers(&floats.to_f64()),
        }
    }

    /// The same numbers as floats, in the same memory; an integer that double precision cannot hold is refused.
    pub(super) fn into_floats(self) -> Result<Self, String> {
        let refused = |x: &dyn std::fmt::Display, near: f64| {
            let what = format!("holds the integer {x}, which as a feature would be rounded to {near}");
            format!("{what}; is it an id or a label? Rescale it if it is a feature")
        };
        macro_rules! in_place {
            ($numbers:ident, $integer:ty) => {{
                for x in &mut $numbers {
                    let near = *x as f64;
                    if near as i128 != i128::from(*x) {
                        return Err(refused(x, near));
                    }
                    *x = near.to_bits() as $integer;
                }
                Self::F64(bytemuck::cast_vec($numbers))
            }};
        }
        Ok(match self {
            Self::I64(mut numbers) => in_place!(numbers, i64),
            Self::U64(mut numbers) => in_place!(numbers, u64),
            floats => floats,
        })
    }

    /// A matrix whose rows follow each other in memory.
    pub(super) fn into_row_major(self, rows: usize, cols: usize) -> Result<Matrix> {
        Ok(match self.into_floats().map_err(Error::data)? {
            Self::F32(numbers) => Dense::new(rows, cols, numbers)?.into(),
            others => Dense::new(rows, cols, others.doubles())?.into(),
        })
    }

    /// A matrix whose columns follow each other in memory.
    pub(super) fn into_column_major(self, rows: usize, cols: usize) -> Result<Matrix> {
        Ok(match self.into_floats().map_err(Error::data)? {
            Self::F32(numbers) => Dense::new(cols, rows, numbers)?.transposed().into(),
            others => Dense::new(cols, rows, others.doubles())?.transposed().into(),
        })
    }

    /// The doubles, without a copy where they are some.
    fn doubles(self) -> Vec<f64> {
        match self {
            Self::F64(numbers) => numbers,
            others => others.to_f64(),
        }
    }
}

/// Makes room for more of `count` numbers: for twice as many as have arrived, and never for more than `count`.
fn make_room<T>(numbers: &mut Vec<T>, count: usize) -> io::Result<()> {
    let wanted = (2 * numbers.len()).max(FIRST_RESERVE).min(count);
    let more = wanted.saturating_sub(numbers.len());
    numbers.try_reserve_exact(more).map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))
}

/// Numbers that are kept as they are stored, read into their place.
fn read_raw<T: Pod>(
    reader: &mut dyn Read,
    count: usize,
    big_endian: bool,
    turn: impl Fn(T) -> T,
) -> io::Result<Vec<T>> {
    let mut numbers: Vec<T> = Vec::new();
    while numbers.len() < count {
        if numbers.len() == numbers.capacity() {
            make_room(&mut numbers, count)?;
        }
        let start = numbers.len();
        let end = (start + CHUNK).min(numbers.capacity()).min(count);
        numbers.resize(end, T::zeroed());
        reader.read_exact(bytemuck::cast_slice_mut(&mut numbers[start..]))?;
        if big_endian != cfg!(target_endian = "big") {
            numbers[start..].iter_mut().for_each(|x| *x = turn(*x));
        }
    }
    Ok(numbers)
}

fn read_as<T: Real>(reader: &mut dyn Read, count: usize, element: Element, big_endian: bool) -> io::Result<Vec<T>> {
    let mut numbers = Vec::new();
    let mut chunk = vec![0; CHUNK];
    while numbers.len() < count {
        if numbers.len() == numbers.capacity() {
            make_room(&mut numbers, count)?;
        }
        let room = (numbers.capacity() - numbers.len()).min(count - numbers.len());
        let bytes = room.min(CHUNK / element.size()) * element.size();
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
    fn integers_of_64_bits_stay_exact_or_are_refused() {
        let bytes: Vec<u8> = [1_i64 << 53, (1 << 53) + 1, -5].iter().flat_map(|x| x.to_be_bytes()).collect();
        let read = |count| Numbers::read(&mut &bytes[..], count, Element::I64, true, Precision::Double).unwrap();
        assert_eq!(read(3).labels().unwrap().names(), ["-5", "9007199254740992", "9007199254740993"]);
        assert_eq!(read(1).into_floats().unwrap().to_f64(), [9007199254740992.0]);
        assert!(read(3).into_row_major(1, 3).unwrap_err().to_string().contains("integer 9007199254740993, which"));
        let most = Numbers::U64(vec![u64::MAX, u64::MAX - 1]);
        assert_eq!(most.labels().unwrap().names().len(), 2);
        assert!(most.into_floats().unwrap_err().contains("18446744073709551615"));
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
