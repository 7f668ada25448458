//! MATLAB v5 (`save`, `save -v7`, `scipy.io.savemat`).
//!
//! Our own reader: it never takes memory for what a file claims, only for what it sends.

use std::io::{BufReader, Read};

use flate2::read::ZlibDecoder;

use super::assemble;
use super::stream::Stream;
use super::{MAX_NESTING, Variable};
use crate::guard::MAX_INFLATION;
use crate::numbers::Precision;
use crate::source::{Source, SourceReader};
use crate::{Loaded, sparse};
use consilience::{Error, Result};

const HEADER: u64 = 128;
const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
const COMPLEX: u32 = 0x0800;

/// Everything in `source`.
pub(crate) fn read(source: &Source) -> Result<Loaded> {
    let (path, len) = (source.path(), source.len());
    let mut file = source.reader();
    let mut header = [0; HEADER as usize];
    file.read_exact(&mut header).map_err(|source| Error::reading(path, source))?;
    let big_endian = header[126] == b'M';
    let mut stream = Stream::new(file, big_endian, len.saturating_sub(HEADER), &source.budget);
    let mut variables = Vec::new();
    while !stream.is_finished() {
        let found = top_level(&mut stream, len).map_err(|what| {
            let place = HEADER + stream.position;
            Error::format(path, format!("variable {} (near byte {place}): {what}", variables.len() + 1))
        })?;
        variables.extend(found);
    }
    assemble(source, variables)
}

/// One variable of the file, compressed or not; none for what MATLAB keeps for itself.
fn top_level(
    stream: &mut Stream<'_, BufReader<SourceReader>>,
    file_len: u64,
) -> Result<Option<(String, Variable)>, String> {
    let tag = stream.tag()?;
    let found = match tag.kind {
        MATRIX => matrix(stream, tag.bytes, 0, file_len)?,
        COMPRESSED => {
            let (big_endian, budget) = (stream.big_endian, stream.budget);
            let mut packed = stream.hand_over(tag.bytes);
            let most = tag.bytes.saturating_mul(MAX_INFLATION);
            let mut unpacked = Stream::new(ZlibDecoder::new(&mut packed), big_endian, most, budget);
            let inner = unpacked.tag()?;
            if inner.kind != MATRIX {
                return Err(format!("an element of type {} where a variable was expected", inner.kind));
            }
            let found = matrix(&mut unpacked, inner.bytes, 0, file_len)?;
            // whatever the decoder did not need still belongs to this element
            std::io::copy(&mut packed, &mut std::io::sink()).map_err(|error| error.to_string())?;
            found
        }
        other => return Err(format!("an element of type {other} where a variable was expected")),
    };
    Ok(Some(found).filter(|(name, _)| !name.is_empty()))
}

/// One array with its name; `bytes` is the size its tag gave.
fn matrix<R: Read>(
    stream: &mut Stream<'_, R>,
    bytes: u64,
    depth: usize,
    file_len: u64,
) -> Result<(String, Variable), String> {
    if bytes == 0 {
        return Ok((String::new(), Variable::Nothing));
    }
    if depth > MAX_NESTING {
        return Err(format!("cells and structs lie more than {MAX_NESTING} deep inside each other"));
    }
    let end = stream.position + bytes;
    let flags = flags(stream)?;
    let class = flags & 0xff;
    if class == 17 {
        // an object of a newer kind: its layout is nobody's business
        stream.skip(end.saturating_sub(stream.position))?;
        return Ok((String::new(), Variable::Nothing));
    }
    let dims = stream.integers()?;
    let name = text(stream)?;
    let told = |what: String| if name.is_empty() { what } else { format!("`{name}`: {what}") };
    let variable = content(stream, class, flags & COMPLEX != 0, &dims, depth, file_len).map_err(told)?;
    // what was not looked at, and a check that nothing was read beyond the array
    let rest =
        end.checked_sub(stream.position).ok_or_else(|| told("its parts are larger than it claims".to_owned()))?;
    stream.skip(rest)?;
    Ok((name, variable))
}

fn flags<R: Read>(stream: &mut Stream<'_, R>) -> Result<u32, String> {
    let tag = stream.tag()?;
    let raw = stream.bytes(tag)?;
    let word = raw.first_chunk::<4>().ok_or("its flags are cut short")?;
    Ok(if stream.big_endian { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) })
}

fn text<R: Read>(stream: &mut Stream<'_, R>) -> Result<String, String> {
    let tag = stream.tag()?;
    Ok(String::from_utf8_lossy(&stream.bytes(tag)?).trim_end_matches('\0').to_owned())
}

fn content<R: Read>(
    stream: &mut Stream<'_, R>,
    class: u32,
    complex: bool,
    dims: &[usize],
    depth: usize,
    file_len: u64,
) -> Result<Variable, String> {
    let count = dims.iter().try_fold(1_usize, |product, &n| product.checked_mul(n)).ok_or("its size overflows")?;
    let precision = match class {
        1 => return cell(stream, count, depth, file_len),
        2 => return structure(stream, count, depth, file_len),
        4 => return characters(stream, dims),
        5 | 6 | 12..=15 => Precision::Double,
        7..=11 => Precision::Single,
        // function handles and objects: passed over by the caller
        _ => return Ok(Variable::Nothing),
    };
    if complex {
        return Ok(Variable::Unreadable("is complex; a view is a matrix of real numbers".to_owned()));
    }
    let &[rows, cols] = dims else {
        return Ok(Variable::Unreadable(format!("has the size {dims:?}; a view has 2 dimensions")));
    };
    if count == 0 {
        return Ok(Variable::Nothing);
    }
    if class == 5 {
        return sparse_matrix(stream, rows, cols, file_len);
    }
    // once more, to turn it so that samples are rows
    stream.budget.take_elements(count, precision.size())?;
    let numbers = stream.numbers(precision)?;
    if numbers.len() != count {
        return Err(format!("it claims to be {rows} x {cols} but holds {} numbers", numbers.len()));
    }
    Ok(Variable::Dense { rows, cols, numbers })
}

fn sparse_matrix<R: Read>(
    stream: &mut Stream<'_, R>,
    rows: usize,
    cols: usize,
    file_len: u64,
) -> Result<Variable, String> {
    let shape = sparse::Shape::new(cols, rows, file_len)?;
    let indices = stream.integers()?;
    let indptr = stream.integers()?;
    let values = stream.numbers(Precision::Double)?;
    Ok(Variable::Sparse { turned: sparse::from_rows(shape, &indptr, &indices, &values)? })
}

fn cell<R: Read>(stream: &mut Stream<'_, R>, count: usize, depth: usize, file_len: u64) -> Result<Variable, String> {
    fits(stream, count)?;
    let mut members = Vec::new();
    for _ in 0..count {
        members.push(member(stream, depth, file_len)?);
    }
    Ok(Variable::Cell(members))
}

fn structure<R: Read>(
    stream: &mut Stream<'_, R>,
    count: usize,
    depth: usize,
    file_len: u64,
) -> Result<Variable, String> {
    let width = stream.integers()?.first().copied().filter(|&width| width > 0).ok_or("its fields have no names")?;
    let tag = stream.tag()?;
    let names = stream.bytes(tag)?;
    let names =
        names.chunks_exact(width).map(|name| String::from_utf8_lossy(name).split('\0').next().map(str::to_owned));
    let names: Vec<String> = names.map(Option::unwrap_or_default).collect();
    fits(stream, count.saturating_mul(names.len()))?;
    let mut fields = Vec::new();
    for _ in 0..count {
        for name in &names {
            fields.push((name.clone(), member(stream, depth, file_len)?));
        }
    }
    Ok(Variable::Struct(fields))
}

/// Every member has at least a tag of eight bytes.
fn fits<R: Read>(stream: &Stream<'_, R>, count: usize) -> Result<(), String> {
    let left = stream.left();
    if count as u64 > left / 8 {
        return Err(format!("it claims {count} members where at most {left} bytes are left"));
    }
    Ok(())
}

fn member<R: Read>(stream: &mut Stream<'_, R>, depth: usize, file_len: u64) -> Result<Variable, String> {
    let tag = stream.tag()?;
    if tag.kind != MATRIX {
        return Err(format!("an element of type {} where a member was expected", tag.kind));
    }
    Ok(matrix(stream, tag.bytes, depth + 1, file_len)?.1)
}

/// A char array, kept column after column in one of several encodings.
fn characters<R: Read>(stream: &mut Stream<'_, R>, dims: &[usize]) -> Result<Variable, String> {
    let tag = stream.tag()?;
    let raw = stream.bytes(tag)?;
    let order = |pair: &[u8; 2]| if stream.big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let all: Vec<char> = match tag.kind {
        4 | 17 => char::decode_utf16(raw.as_chunks::<2>().0.iter().map(order))
            .map(|code| code.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
        _ => String::from_utf8_lossy(&raw).chars().collect(),
    };
    let rows = dims.first().copied().unwrap_or(0).min(all.len());
    Ok(Variable::Text((0..rows).map(|row| all.iter().skip(row).step_by(rows).collect()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), (data.len() as u32).to_le_bytes()].concat();
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    /// An array of the given class and size; `content` comes after its name.
    fn array(class: u32, dims: [i32; 2], name: &str, content: &[u8]) -> Vec<u8> {
        let flags = element(6, &[class.to_le_bytes(), [0; 4]].concat());
        let dims = element(5, &[dims[0].to_le_bytes(), dims[1].to_le_bytes()].concat());
        element(MATRIX, &[flags, dims, element(1, name.as_bytes()), content.to_vec()].concat())
    }

    fn message(variable: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mat");
        let mut header = vec![b' '; 124];
        header.extend_from_slice(b"\x00\x01IM");
        std::fs::write(&path, [&header, variable].concat()).unwrap();
        read(&Source::open(&path, None).unwrap())
            .map(|loaded| format!("{:?}", loaded.views.len()))
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn sizes_are_checked_before_they_are_believed() {
        let numbers = element(9, &[0; 48]);
        assert_eq!(message(&array(6, [2, 3], "X", &numbers)), "1");
        assert!(message(&array(6, [2, 4], "X", &numbers)).contains("`X`: it claims to be 2 x 4 but holds 6 numbers"));
        assert!(message(&array(6, [-2, 3], "X", &numbers)).contains("negative"));
        assert!(
            message(&array(1, [1 << 30, 1 << 30], "X", &numbers))
                .contains("`X`: it claims 1152921504606846976 members")
        );
        assert!(message(&array(5, [1 << 30, 3], "X", &numbers)).contains("claims a sparse matrix of 3 x 1073741824"));
        let mut lying = array(6, [2, 3], "X", &numbers);
        lying[4..8].copy_from_slice(&[0xff; 4]);
        assert!(message(&lying).contains("claims 4294967295 bytes where at most"));
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested =
            (0..5000).fold(array(6, [1, 1], "", &element(9, &[0; 8])), |inner, _| array(1, [1, 1], "c", &inner));
        assert!(message(&nested).contains("deep inside each other"));
    }
}
