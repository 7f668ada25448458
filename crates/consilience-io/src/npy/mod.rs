//! NumPy's `.npy`: one array.

mod header;

use std::io::{BufReader, Read, Seek};

pub(super) use header::write_header;
use header::{Header, Kind};

use super::container::{Array, Content};
use super::labels::is_label_name;
use super::numbers::{Element, Numbers};
use super::source::{Source, SourceReader};
use super::stream::{PIECE, Stream};
use super::{Labels, Loaded, ReadOptions, view_from};
use consilience::matrix::Matrix;
use consilience::{Error, Result};

/// NumPy's own headers are a few hundred bytes; one of a megabyte is damage.
const LONGEST_HEADER: usize = 1 << 20;

const NOT_NUMBERS: &str = "holds text, Python objects, complex numbers or dates";

/// The array in `source`: labels when the file is called so, else a view.
pub(super) fn read(source: &Source) -> Result<Loaded> {
    if is_label_name(source.name()) {
        return Ok(Loaded { labels: Some(read_labels(source)?), ..Loaded::default() });
    }
    Ok(Loaded { views: vec![view_from(source, source.name(), read_matrix(source)?)], ..Loaded::default() })
}

/// The rows of the array in `source`, a piece at a time; none when they do not lie one after the other.
pub(super) fn stream(source: Source, _: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
    let wrong = |what: String| Error::format(source.path(), what);
    let mut reader = source.reader();
    let header = read_header(&mut reader).map_err(wrong)?;
    let start = reader.stream_position().map_err(|error| Error::reading(source.path(), error))?;
    let held = source.len().saturating_sub(start);
    let fits = header.extent().is_some_and(|(_, bytes)| bytes as u64 <= held);
    let (&[_, cols], Kind::Number(_)) = (header.shape.as_slice(), header.kind) else { return Ok(None) };
    // what is wrong is told by whoever reads it whole
    if !fits || header.fortran_order || cols == 0 || is_label_name(source.name()) {
        return Ok(None);
    }
    Ok(Some(Box::new(Rows { source, header, start, next: 0 })))
}

/// The rows of a matrix, some at a time.
struct Rows {
    source: Source,
    header: Header,
    /// Where the numbers begin.
    start: u64,
    /// The next row.
    next: usize,
}

impl Rows {
    fn row_bytes(&self) -> usize {
        self.header.kind.size() * self.header.shape[1]
    }
}

impl Stream for Rows {
    fn next(&mut self) -> Result<Option<Loaded>> {
        let (&[rows, cols], Kind::Number(element)) = (self.header.shape.as_slice(), self.header.kind) else {
            return Ok(None);
        };
        let count = (PIECE / self.row_bytes().max(1)).max(1).min(rows - self.next);
        if count == 0 {
            return Ok(None);
        }
        let position = self.start + self.next as u64 * self.row_bytes() as u64;
        let mut reader = BufReader::new(self.source.reader_at(position));
        let numbers = Numbers::read(&mut reader, count * cols, element, self.header.big_endian, element.precision());
        let numbers = numbers.map_err(|error| Error::reading(self.source.path(), error))?;
        self.next += count;
        let data = numbers.into_row_major(count, cols)?;
        Ok(Some(Loaded { views: vec![view_from(&self.source, self.source.name(), data)], ..Loaded::default() }))
    }

    /// There are none, and the header says how many rows there are.
    fn next_ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let rows = self.header.shape[0] - self.next;
        self.next = self.header.shape[0];
        Ok((rows > 0).then_some((rows, None)))
    }

    fn rewind(&mut self) {
        self.next = 0;
    }

    fn progress(&self) -> (u64, u64) {
        (self.start + self.next as u64 * self.row_bytes() as u64, self.source.len())
    }
}

/// The array in `source` as labels, whatever the file is called.
pub(super) fn read_labels(source: &Source) -> Result<Labels> {
    let (mut reader, header) = open_array(source)?;
    let content = read_content(&mut reader, &header).map_err(|error| Error::reading(source.path(), error))?;
    let name = source.name().to_owned();
    Array { name, shape: header.shape, fortran_order: header.fortran_order, content }.labels(source.path())
}

fn read_matrix(source: &Source) -> Result<Matrix> {
    let (mut reader, header) = open_array(source)?;
    let wrong = |what: String| Error::format(source.path(), what);
    let &[rows, cols] = header.shape.as_slice() else {
        return Err(wrong(format!("holds an array of shape {:?}; a view has 2 dimensions", header.shape)));
    };
    let Kind::Number(element) = header.kind else {
        return Err(wrong(format!("{NOT_NUMBERS}; a view is a matrix of real numbers")));
    };
    let numbers = read_numbers(&mut reader, &header, element).map_err(|error| Error::reading(source.path(), error))?;
    let matrix = match header.fortran_order {
        true => numbers.into_column_major(rows, cols),
        false => numbers.into_row_major(rows, cols),
    };
    matrix.map_err(|error| wrong(error.to_string()))
}

/// Checks that the file can hold what its header promises, and stops before the data.
fn open_array(source: &Source) -> Result<(BufReader<SourceReader>, Header)> {
    let wrong = |what: String| Error::format(source.path(), what);
    let mut reader = source.reader();
    let header = read_header(&mut reader).map_err(wrong)?;
    let offset = reader.stream_position().map_err(|error| Error::reading(source.path(), error))?;
    let held = source.len().saturating_sub(offset);
    match header.extent() {
        Some((_, bytes)) if bytes as u64 <= held => {}
        _ => {
            let what =
                format!("its header promises an array of shape {:?}, but only {held} bytes follow", header.shape);
            return Err(wrong(what));
        }
    }
    source.budget.take(header.memory()).map_err(wrong)?;
    Ok((reader, header))
}

/// Reads everything before the data; what is wrong comes back in words.
pub(super) fn read_header(reader: &mut dyn Read) -> Result<Header, String> {
    let short = |_| "the header is cut short".to_owned();
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(short)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("not a .npy array: its first bytes are not those of NumPy".to_owned());
    }
    let len = match start[6] {
        1 => {
            let mut len = [0; 2];
            reader.read_exact(&mut len).map_err(short)?;
            usize::from(u16::from_le_bytes(len))
        }
        2 | 3 => {
            let mut len = [0; 4];
            reader.read_exact(&mut len).map_err(short)?;
            u32::from_le_bytes(len) as usize
        }
        version => return Err(format!("version {version} of the .npy format is not known")),
    };
    if len > LONGEST_HEADER {
        return Err(format!("its header claims to be {len} bytes long"));
    }
    let mut text = vec![0; len];
    reader.read_exact(&mut text).map_err(short)?;
    Header::parse(&String::from_utf8_lossy(&text))
}

/// Reads the data that follow `header`.
pub(super) fn read_content(reader: &mut dyn Read, header: &Header) -> std::io::Result<Content> {
    let too_large = || std::io::Error::new(std::io::ErrorKind::InvalidData, "its shape overflows");
    let (count, bytes) = header.extent().ok_or_else(too_large)?;
    match header.kind {
        Kind::Number(element) => read_numbers(reader, header, element).map(Content::Numbers),
        Kind::Other => Ok(Content::Unreadable(NOT_NUMBERS.to_owned())),
        Kind::Text { width: 0, .. } => Ok(Content::Text(vec![String::new(); count.min(1 << 20)])),
        Kind::Text { unicode, .. } => {
            let mut raw = Vec::new();
            reader.take(bytes as u64).read_to_end(&mut raw)?;
            if raw.len() != bytes {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let cells = raw.chunks_exact(header.kind.size());
            Ok(Content::Text(cells.map(|cell| text_cell(cell, unicode, header.big_endian)).collect()))
        }
    }
}

fn read_numbers(reader: &mut dyn Read, header: &Header, element: Element) -> std::io::Result<Numbers> {
    let too_large = || std::io::Error::new(std::io::ErrorKind::InvalidData, "its shape overflows");
    let (count, _) = header.extent().ok_or_else(too_large)?;
    Numbers::read(reader, count, element, header.big_endian, element.precision())
}

/// One string of fixed width, padded with zeros.
fn text_cell(cell: &[u8], unicode: bool, big_endian: bool) -> String {
    if !unicode {
        return String::from_utf8_lossy(cell).trim_end_matches('\0').to_owned();
    }
    let code = |raw: &[u8; 4]| if big_endian { u32::from_be_bytes(*raw) } else { u32::from_le_bytes(*raw) };
    let characters = cell.as_chunks::<4>().0.iter().map(code).take_while(|&code| code != 0);
    characters.map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
