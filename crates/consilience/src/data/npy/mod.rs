//! NumPy's `.npy`: one array. Matrices of floats in C order are used where they lie, through a memory map.

mod header;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use header::{Header, Kind};

use super::container::{Array, Content};
use super::labels::is_label_name;
use super::numbers::{Element, Numbers};
use super::{Labels, Loaded, stem, view_from};
use crate::matrix::{Buffer, Dense, Matrix, Real, SharedSlice};
use crate::{Error, Result};

/// NumPy's own headers are a few hundred bytes; one of a megabyte is damage.
const LONGEST_HEADER: usize = 1 << 20;

const NOT_NUMBERS: &str = "holds text, Python objects, complex numbers or dates";

/// The array in the file at `path`: labels when the file is called so, else a view.
pub(super) fn read(path: &Path) -> Result<Loaded> {
    let name = stem(path);
    if is_label_name(&name) {
        return Ok(Loaded { labels: Some(read_labels(path)?), ..Loaded::default() });
    }
    Ok(Loaded { views: vec![view_from(path, name, read_matrix(path)?)], ..Loaded::default() })
}

/// The array in the file at `path` as labels, whatever the file is called.
pub(super) fn read_labels(path: &Path) -> Result<Labels> {
    let (mut file, header, _) = open_array(path)?;
    let content = read_content(&mut file, &header).map_err(|source| Error::reading(path, source))?;
    let name = stem(path);
    Array { name, shape: header.shape, fortran_order: header.fortran_order, content }.labels(path)
}

fn read_matrix(path: &Path) -> Result<Matrix> {
    let (mut file, header, offset) = open_array(path)?;
    let shape_error =
        || Error::format(path, format!("holds an array of shape {:?}; a view has 2 dimensions", header.shape));
    let &[rows, cols] = header.shape.as_slice() else { return Err(shape_error()) };
    let Kind::Number(element) = header.kind else {
        return Err(Error::format(path, format!("{NOT_NUMBERS}; a view is a matrix of real numbers")));
    };
    let as_it_lies = !header.fortran_order && !header.big_endian && matches!(element, Element::F32 | Element::F64);
    if as_it_lies && let Some(matrix) = mapped_matrix(path, &file, offset, rows, cols, element)? {
        return Ok(matrix);
    }
    let numbers = read_numbers(&mut file, &header, element).map_err(|source| Error::reading(path, source))?;
    if header.fortran_order { numbers.into_column_major(rows, cols) } else { numbers.into_row_major(rows, cols) }
}

/// Opens the file, checks that it can hold what its header promises, and stops before the data.
fn open_array(path: &Path) -> Result<(BufReader<File>, Header, u64)> {
    let io = |source| Error::reading(path, source);
    let (file, len) = super::open(path)?;
    let mut file = BufReader::new(file);
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

/// The part of a mapped file that holds `T`s.
struct Mapped<T> {
    map: Mmap,
    offset: usize,
    bytes: usize,
    element: PhantomData<T>,
}

impl<T: Pod + Send + Sync> SharedSlice<T> for Mapped<T> {
    fn as_slice(&self) -> &[T] {
        let bytes = self.map.get(self.offset..self.offset + self.bytes).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }
}

/// The `rows` x `cols` numbers at `offset`, where they lie; none when this machine cannot use them as they are.
fn mapped_matrix(
    path: &Path,
    file: &BufReader<File>,
    offset: u64,
    rows: usize,
    cols: usize,
    element: Element,
) -> Result<Option<Matrix>> {
    // the file's numbers are little-endian; an empty matrix has nothing to map
    if cfg!(target_endian = "big") || rows == 0 || cols == 0 {
        return Ok(None);
    }
    // SAFETY: a map is sound as long as nobody changes the file under it. Nothing in this process does; that another
    // process might is the usual price of mapping, the same that NumPy's `mmap_mode="r"` pays.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(file.get_ref()) }.map_err(|source| Error::reading(path, source))?;
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    match element {
        Element::F32 => mapped_dense::<f32>(map, offset, rows, cols),
        _ => mapped_dense::<f64>(map, offset, rows, cols),
    }
}

fn mapped_dense<T: Real + Pod>(map: Mmap, offset: usize, rows: usize, cols: usize) -> Result<Option<Matrix>>
where
    Matrix: From<Dense<T>>,
{
    let mapped = Mapped::<T> { map, offset, bytes: rows * cols * size_of::<T>(), element: PhantomData };
    // old writers did not align the data; then the slice comes out empty and the numbers must be copied
    if mapped.as_slice().len() != rows * cols {
        return Ok(None);
    }
    Ok(Some(Dense::new(rows, cols, Buffer::foreign(Arc::new(mapped)))?.into()))
}
