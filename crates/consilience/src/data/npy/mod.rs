//! NumPy's `.npy`: one array. Matrices of floats in C order are used where they lie, through a memory map.

mod header;
mod mapped;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

pub(super) use header::{Header, Kind};

use super::container::{Array, Content};
use super::numbers::{Element, Numbers};
use crate::matrix::Matrix;
use crate::{Error, Result};

/// NumPy's own headers are a few hundred bytes; one of a megabyte is damage.
const LONGEST_HEADER: usize = 1 << 20;

const NOT_NUMBERS: &str = "holds text, Python objects, complex numbers or dates";

/// The matrix in the file at `path`.
pub(super) fn read_matrix(path: &Path) -> Result<Matrix> {
    let (mut file, header, offset) = open(path)?;
    let shape_error =
        || Error::format(path, format!("holds an array of shape {:?}; a view has 2 dimensions", header.shape));
    let &[rows, cols] = header.shape.as_slice() else { return Err(shape_error()) };
    let Kind::Number(element) = header.kind else {
        return Err(Error::format(path, format!("{NOT_NUMBERS}; a view is a matrix of real numbers")));
    };
    let as_it_lies = !header.fortran_order && !header.big_endian && matches!(element, Element::F32 | Element::F64);
    if as_it_lies && let Some(matrix) = mapped::matrix(path, &file, offset, rows, cols, element)? {
        return Ok(matrix);
    }
    let numbers = read_numbers(&mut file, &header, element).map_err(|source| Error::reading(path, source))?;
    if header.fortran_order { numbers.into_column_major(rows, cols) } else { numbers.into_row_major(rows, cols) }
}

/// The array in the file at `path`, of any number of dimensions.
pub(super) fn read_array(path: &Path) -> Result<Array> {
    let (mut file, header, _) = open(path)?;
    let content = read_content(&mut file, &header).map_err(|source| Error::reading(path, source))?;
    Ok(Array { name: super::stem(path), shape: header.shape, fortran_order: header.fortran_order, content })
}

/// Opens the file, checks that it can hold what its header promises, and stops before the data.
fn open(path: &Path) -> Result<(BufReader<File>, Header, u64)> {
    let io = |source| Error::reading(path, source);
    let mut file = BufReader::new(File::open(path).map_err(io)?);
    let len = file.get_ref().metadata().map_err(io)?.len();
    let header = read_header(&mut file).map_err(|what| Error::format(path, what))?;
    let offset = file.stream_position().map_err(io)?;
    let held = len.saturating_sub(offset);
    match header.extent() {
        Some((_, bytes)) if bytes as u64 <= held => {}
        _ => {
            let what =
                format!("its header promises an array of shape {:?}, but only {held} bytes follow", header.shape);
            return Err(Error::format(path, what));
        }
    }
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    Ok((file, header, offset))
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
