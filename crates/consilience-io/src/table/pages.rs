//! The page headers of a Parquet file, checked before the parser sees them.
//!
//! The parser takes memory for a page, its dictionary and its strings as their headers claim them, and a failed
//! allocation ends the process. So every header (a struct in Thrift's compact protocol) is walked through first.
//!
//! It is done by hand because the parquet crate (60.1) leaves no other place for the check. Its `PageHeader` is private;
//! `peek_next_page` tells rows and levels but no sizes; `get_next_page` has already reserved the unpacked size by the time
//! a page can be looked at; and the sizes in the footer are not held against those of the pages. Decoding in small
//! batches bounds what comes out of a page, not the page.

use std::io::{BufReader, Read};

use parquet::basic::{Compression, Type as Physical};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use crate::guard::MAX_INFLATION;
use crate::source::{Source, SourceReader};

/// A page of this size may be packed into next to nothing: zstd has no bound as deflate has.
const SMALL_PAGE: u64 = 32 << 20;
const DEEPEST_HEADER: usize = 8;
/// Encodings of strings that say only inside the page how many there are.
const DELTA_STRINGS: [i64; 2] = [6, 7];

/// What a header says of its page.
#[derive(Debug, Default)]
struct Page {
    unpacked: i64,
    packed: i64,
    values: i64,
    is_dictionary: bool,
    encoding: i64,
}

/// Checks every page of every column.
pub(super) fn check(source: &Source, metadata: &ParquetMetaData) -> Result<(), String> {
    for group in metadata.row_groups() {
        for chunk in group.columns() {
            let (start, len) = chunk.byte_range();
            let limits = Limits {
                rows: group.num_rows(),
                is_packed: chunk.compression() != Compression::UNCOMPRESSED,
                entry: smallest_entry(chunk),
            };
            let named = |what: String| format!("column `{}`: {what}", chunk.column_path().string());
            check_chunk(source, start, len, &limits).map_err(named)?;
        }
    }
    Ok(())
}

/// What the pages of a column can hold at most.
struct Limits {
    rows: i64,
    is_packed: bool,
    /// The fewest bytes that an entry of a dictionary takes.
    entry: i64,
}

/// Strings carry their length in four bytes; half floats and decimals may be shorter than that.
fn smallest_entry(chunk: &ColumnChunkMetaData) -> i64 {
    match chunk.column_type() {
        Physical::FIXED_LEN_BYTE_ARRAY => i64::from(chunk.column_descr().type_length()).max(1),
        _ => 4,
    }
}

fn check_chunk(source: &Source, start: u64, len: u64, limits: &Limits) -> Result<(), String> {
    let mut header = Header { reader: BufReader::new(source.reader_at(start)), left: len };
    while header.left > 0 {
        let mut page = Page::default();
        header.structure(0, 0, &mut page)?;
        page.check(limits)?;
        header.skip(page.packed as u64)?;
    }
    Ok(())
}

impl Page {
    fn check(&self, limits: &Limits) -> Result<(), String> {
        let Self { unpacked, packed, values, .. } = *self;
        let most = match u64::try_from(packed) {
            Ok(bytes) if limits.is_packed => SMALL_PAGE.max(bytes.saturating_mul(MAX_INFLATION)),
            Ok(bytes) => bytes,
            Err(_) => 0,
        };
        if packed < 0 || u64::try_from(unpacked).map_or(true, |bytes| bytes > most) {
            return Err(format!("a page claims to unpack {packed} bytes to {unpacked}"));
        }
        let most = if self.is_dictionary { unpacked / limits.entry } else { limits.rows };
        if values < 0 || values > most {
            return Err(format!("a page claims {values} values where there can be {most}"));
        }
        if DELTA_STRINGS.contains(&self.encoding) {
            return Err("strings in a delta encoding are not supported; write it with dictionary encoding".to_owned());
        }
        Ok(())
    }

    /// Takes note of the number in field `id` of the struct that is field `parent` of the header, 0 for itself.
    fn note(&mut self, parent: i64, id: i64, value: i64) {
        match (parent, id) {
            (0, 2) => self.unpacked = value,
            (0, 3) => self.packed = value,
            // data page, dictionary page, data page of version 2
            (5 | 7 | 8, 1) => {
                self.values = value;
                self.is_dictionary = parent == 7;
            }
            (5, 2) | (8, 4) => self.encoding = value,
            _ => {}
        }
    }
}

/// A reader of Thrift's compact protocol that keeps nothing but what [`Page`] notes.
struct Header {
    reader: BufReader<SourceReader>,
    /// Bytes left of the column.
    left: u64,
}

impl Header {
    fn structure(&mut self, parent: i64, depth: usize, page: &mut Page) -> Result<(), String> {
        if depth > DEEPEST_HEADER {
            return Err("a page header is damaged: it nests without end".to_owned());
        }
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = match head >> 4 {
                0 => zigzag(self.varint()?),
                step => id.saturating_add(i64::from(step)),
            };
            match head & 0xf {
                4..=6 => {
                    let value = zigzag(self.varint()?);
                    // only the header itself and the structs in it are of interest
                    if depth <= 1 {
                        page.note(parent, id, value);
                    }
                }
                12 => self.structure(id, depth + 1, page)?,
                other => self.pass(other, depth, page)?,
            }
        }
    }

    /// Passes over a value of no interest.
    fn pass(&mut self, kind: u8, depth: usize, page: &mut Page) -> Result<(), String> {
        match kind {
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let len = self.varint()?;
                self.skip(len)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // true and false take a byte each inside a list; every element takes at least one
                let kind = if matches!(head & 0xf, 1 | 2) { 3 } else { head & 0xf };
                (0..count.min(self.left + 1)).try_for_each(|_| match kind {
                    12 => self.structure(-1, depth + 1, page),
                    9..=11 => Err("a page header is damaged: it holds lists of lists".to_owned()),
                    kind => self.pass(kind, depth, page),
                })
            }
            _ => Err(format!("a page header is damaged: it holds a value of type {kind}")),
        }
    }

    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        self.left = self.left.checked_sub(1).ok_or("a page header is cut short")?;
        self.reader.read_exact(&mut byte).map_err(|_| "a page header is cut short")?;
        Ok(byte[0])
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a page header is damaged: a number has no end".to_owned())
    }

    fn skip(&mut self, bytes: u64) -> Result<(), String> {
        let left = self.left;
        self.left =
            left.checked_sub(bytes).ok_or_else(|| format!("a page claims {bytes} bytes where {left} are left"))?;
        self.reader.seek_relative(bytes as i64).map_err(|error| error.to_string())
    }
}

fn zigzag(code: u64) -> i64 {
    (code >> 1) as i64 ^ -((code & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header as pyarrow writes it: type 0, sizes 80 and 40, data page of 10 values, plain.
    fn header(unpacked: &[u8], values: &[u8]) -> Vec<u8> {
        [&[0x15, 0, 0x15], unpacked, &[0x15, 80, 0x2c, 0x15], values, &[0x15, 0, 0, 0]].concat()
    }

    fn outcome(header: &[u8]) -> Result<(), String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [header, &[0; 40]].concat()).unwrap();
        let limits = Limits { rows: 10, is_packed: true, entry: 4 };
        check_chunk(&Source::open(file.path(), None).unwrap(), 0, header.len() as u64 + 40, &limits)
    }

    #[test]
    fn honest_headers_pass_and_boasting_ones_do_not() {
        assert_eq!(outcome(&header(&[0xa0, 1], &[20])), Ok(()));
        let huge = [0xfe, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(outcome(&header(&huge, &[20])).unwrap_err(), "a page claims to unpack 40 bytes to 2147483647");
        assert_eq!(
            outcome(&header(&[80], &huge)).unwrap_err(),
            "a page claims 2147483647 values where there can be 10"
        );
        assert!(outcome(&[0x8c; 30]).is_err());
        assert!(outcome(&[0x1c; 30]).unwrap_err().contains("nests"));
    }
}
