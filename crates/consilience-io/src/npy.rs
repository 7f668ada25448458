//! NumPy's `.npy`: one array.

use std::io::{self, BufReader, Read, Seek, Write};

use consilience::matrix::Matrix;
use consilience::{Error, Result};

use super::container::{Array, Content};
use super::labels::is_label_name;
use super::numbers::{Element, Numbers};
use super::source::{PIECE, Source, SourceReader, Stream};
use super::{Labels, Loaded, ReadOptions, view_from};

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

/// What the elements of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Element),
    /// Strings of `width` characters: four bytes each (`U`) or one (`S`).
    Text {
        width: usize,
        unicode: bool,
    },
    /// Python objects, complex numbers, dates: nothing that a view or labels could be made of.
    Other,
}

impl Kind {
    /// Bytes of one element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Number(element) => element.size(),
            Self::Text { width, unicode } => width * if unicode { 4 } else { 1 },
            Self::Other => 0,
        }
    }
}

/// A header, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) big_endian: bool,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// Parses the dictionary, which is a Python literal of a fixed form; what is wrong comes back in words.
    fn parse(text: &str) -> Result<Self, String> {
        let descr = value_of(text, "descr")?;
        let descr = descr
            .strip_prefix(['\'', '"'])
            .and_then(|rest| rest.split(['\'', '"']).next())
            .ok_or("a structured array (a table of named fields) is not a matrix")?;
        let (kind, big_endian) = element_type(descr);
        let fortran_order = match value_of(text, "fortran_order")? {
            value if value.starts_with("True") => true,
            value if value.starts_with("False") => false,
            _ => return Err("the header's `fortran_order` is neither True nor False".to_owned()),
        };
        Ok(Self { kind, big_endian, fortran_order, shape: shape(value_of(text, "shape")?)? })
    }

    /// Number of elements and of bytes, unless they overflow.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        let count = self.shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))?;
        Some((count, count.checked_mul(self.kind.size())?))
    }

    /// Bytes of memory that the array takes, which are more than its bytes in the file where it is kept in another type or
    /// must be transposed.
    pub(crate) fn memory(&self) -> u64 {
        let (count, bytes) = self.extent().unwrap_or((usize::MAX, usize::MAX));
        let each = match self.kind {
            Kind::Number(element) => element.precision().size() * if self.fortran_order { 2 } else { 1 },
            Kind::Text { .. } => size_of::<String>(),
            Kind::Other => 0,
        };
        let text = if matches!(self.kind, Kind::Text { .. }) { bytes as u64 } else { 0 };
        (count as u64).saturating_mul(each as u64).saturating_add(text.saturating_mul(2))
    }
}

/// The text after `'key':`.
fn value_of<'a>(text: &'a str, key: &str) -> Result<&'a str, String> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|key| text.split_once(key.as_str()).map(|(_, after)| after.trim_start()));
    let value = after.and_then(|after| after.strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| format!("the header has no `{key}`"))
}

fn element_type(descr: &str) -> (Kind, bool) {
    let (order, name) = match descr.strip_prefix(['<', '>', '|', '=']) {
        Some(name) => (descr.as_bytes()[0], name),
        None => (b'|', descr),
    };
    let element = match name {
        "b1" | "?" => Element::Bool,
        "i1" => Element::I8,
        "u1" => Element::U8,
        "i2" => Element::I16,
        "u2" => Element::U16,
        "i4" => Element::I32,
        "u4" => Element::U32,
        "i8" => Element::I64,
        "u8" => Element::U64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => {
            let unicode = name.starts_with('U');
            let width = name.strip_prefix(['U', 'S', 'a']).and_then(|width| width.parse().ok());
            // a word of a megabyte is damage, and the product with four must not overflow
            let kind =
                width.filter(|&width| width <= 1 << 20).map_or(Kind::Other, |width| Kind::Text { width, unicode });
            return (kind, order == b'>');
        }
    };
    (Kind::Number(element), order == b'>')
}

/// `(3, 4)`, `(3,)`, `()`; Python 2 wrote `3L`.
fn shape(value: &str) -> Result<Vec<usize>, String> {
    let inside = value.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let inside = inside.ok_or("the header's `shape` is not a tuple")?;
    let sizes = inside.split(',').map(|size| size.trim().trim_end_matches('L')).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().map_err(|_| format!("the header's `shape` holds `{size}`"))).collect()
}

/// Writes what comes before the elements of an array in C order, of the type that NumPy calls `descr`.
pub(crate) fn write_header(writer: &mut dyn Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    let sizes: String = shape.iter().map(|size| format!("{size},")).collect();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // ten bytes come before the header; NumPy starts the data at a multiple of 64, after a line break
    let padding = (10 + header.len() + 1).next_multiple_of(64) - (10 + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(header.len() as u16).to_le_bytes())?;
    writer.write_all(header.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_headers() {
        let header = Header::parse("{'descr': '>f4', 'fortran_order': True, 'shape': (3, 4), }  \n").unwrap();
        assert_eq!(header.kind, Kind::Number(Element::F32));
        assert!(header.big_endian && header.fortran_order);
        assert_eq!((header.shape.clone(), header.extent()), (vec![3, 4], Some((12, 48))));
        let old = Header::parse("{\"shape\": (7L,), \"fortran_order\": False, \"descr\": \"<U5\"}").unwrap();
        assert_eq!((old.kind.size(), old.shape), (20, vec![7]));
    }

    #[test]
    fn damage_is_named() {
        let error = |text| Header::parse(text).unwrap_err();
        assert_eq!(error("{'fortran_order': False}"), "the header has no `descr`");
        assert!(error("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}").contains("structured"));
        let kind = |descr| {
            Header::parse(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}")).unwrap().kind
        };
        assert_eq!(["|O", "<c16", "<U99999999"].map(kind), [Kind::Other; 3]);
        assert!(error("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}").contains("`-3`"));
    }
}
