//! The elements of a MATLAB v5 file: a tag (type and size), the data, padding. Every size is checked against what the
//! stream can still hold before anything is read.

use std::io::Read;

use crate::guard::Budget;
use crate::numbers::{Element, Numbers, Precision};

/// A tag: what follows, and how much of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) kind: u32,
    pub(super) bytes: u64,
    /// The data lie inside the tag itself, in its last four bytes.
    small: bool,
}

/// A reader that knows the most that can still come.
pub(super) struct Stream<'b, R> {
    inner: R,
    pub(super) big_endian: bool,
    pub(super) position: u64,
    /// The position beyond which nothing can come.
    limit: u64,
    /// The memory that what comes may take.
    pub(super) budget: &'b Budget,
}

impl<'b, R: Read> Stream<'b, R> {
    pub(super) fn new(inner: R, big_endian: bool, limit: u64, budget: &'b Budget) -> Self {
        Self { inner, big_endian, position: 0, limit, budget }
    }

    /// The most bytes that can still come.
    pub(super) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.position)
    }

    /// Whether the stream is at its end.
    pub(super) fn is_finished(&self) -> bool {
        self.left() < 8
    }

    /// The underlying reader, to hand an element to another one; `bytes` are counted as read.
    pub(super) fn hand_over(&mut self, bytes: u64) -> std::io::Take<&mut R> {
        self.position += bytes;
        (&mut self.inner).take(bytes)
    }

    /// The next tag, which must fit in what is left.
    pub(super) fn tag(&mut self) -> Result<Tag, String> {
        let first = self.word()?;
        // small elements keep their size in the upper half of the first word
        if first >> 16 != 0 {
            let tag = Tag { kind: first & 0xffff, bytes: u64::from(first >> 16), small: true };
            return if tag.bytes <= 4 { Ok(tag) } else { Err(format!("a small element claims {} bytes", tag.bytes)) };
        }
        let bytes = u64::from(self.word()?);
        if bytes > self.left() {
            return Err(format!("an element claims {bytes} bytes where at most {} are left", self.left()));
        }
        Ok(Tag { kind: first, bytes, small: false })
    }

    /// Everything after `tag`, as bytes. For names, dimensions and other small things.
    pub(super) fn bytes(&mut self, tag: Tag) -> Result<Vec<u8>, String> {
        self.budget.take(tag.bytes)?;
        let mut bytes = Vec::new();
        (&mut self.inner).take(tag.bytes).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != tag.bytes {
            return Err("it is cut short".to_owned());
        }
        self.position += tag.bytes;
        self.pad(tag)?;
        Ok(bytes)
    }

    /// The next element as whole numbers (dimensions, indices), whatever integer type stores them.
    pub(super) fn integers(&mut self) -> Result<Vec<usize>, String> {
        let numbers = self.numbers(Precision::Double)?.to_f64();
        crate::sparse::whole(&numbers).ok_or_else(|| "a size or index is negative".to_owned())
    }

    /// The next element as numbers.
    pub(super) fn numbers(&mut self, precision: Precision) -> Result<Numbers, String> {
        let tag = self.tag()?;
        let element = element_of(tag.kind)?;
        let count = tag.bytes as usize / element.size();
        self.budget.take_elements(count, precision.size())?;
        let numbers = Numbers::read(&mut self.inner, count, element, self.big_endian, precision).map_err(damaged)?;
        let read = (count * element.size()) as u64;
        self.position += read;
        self.skip(tag.bytes - read)?;
        self.pad(tag)?;
        Ok(numbers)
    }

    /// Passes over `bytes` bytes.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<(), String> {
        let passed = std::io::copy(&mut (&mut self.inner).take(bytes), &mut std::io::sink()).map_err(damaged)?;
        self.position += passed;
        if passed == bytes { Ok(()) } else { Err("it is cut short".to_owned()) }
    }

    /// Elements fill whole groups of eight bytes, small ones the rest of their tag.
    fn pad(&mut self, tag: Tag) -> Result<(), String> {
        let padding = if tag.small { 4 - tag.bytes } else { tag.bytes.next_multiple_of(8) - tag.bytes };
        // the last element of a file may lack its padding
        self.skip(padding.min(self.left()))
    }

    /// Four bytes as a number.
    pub(super) fn word(&mut self) -> Result<u32, String> {
        let mut word = [0; 4];
        self.inner.read_exact(&mut word).map_err(damaged)?;
        self.position += 4;
        Ok(if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
    }
}

#[allow(clippy::needless_pass_by_value)]
fn damaged(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "it is cut short".to_owned(),
        _ => format!("it is damaged ({error})"),
    }
}

/// The storage types `mi...` of the format.
fn element_of(kind: u32) -> Result<Element, String> {
    Ok(match kind {
        1 => Element::I8,
        2 => Element::U8,
        3 => Element::I16,
        4 => Element::U16,
        5 => Element::I32,
        6 => Element::U32,
        7 => Element::F32,
        9 => Element::F64,
        12 => Element::I64,
        13 => Element::U64,
        other => return Err(format!("an element of type {other} where numbers were expected")),
    })
}
