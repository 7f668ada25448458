//! NumPy's `.npz`: a zip of `.npy` arrays, one per view; or one sparse matrix as scipy saves it.

use std::io::Read;

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::container::{self, Array, Content};
use super::guard::{MAX_INFLATION, guarded};
use super::npy::{read_content, read_header};
use super::source::Source;
use super::{Loaded, ReadOptions, sparse, view_from};
use consilience::{Error, Result};

/// Everything in `source`.
pub(super) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    guarded(source.path(), || unpack(source, options))
}

fn unpack(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let (path, len) = (source.path(), source.len());
    let damaged = |error| Error::format(path, format!("the zip archive is damaged: {error}"));
    let mut archive = ZipArchive::new(source.reader()).map_err(damaged)?;
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        check_method(&archive.by_index_raw(index).map_err(damaged)?).map_err(|what| Error::format(path, what))?;
        let mut entry = archive.by_index(index).map_err(damaged)?;
        if !entry.is_dir() {
            arrays.push(read_entry(source, &mut entry)?);
        }
    }
    if arrays.iter().any(|array| array.name == "format") && arrays.iter().any(|array| array.name == "shape") {
        let data = scipy_sparse(&arrays, len).map_err(|what| Error::format(path, format!("sparse matrix: {what}")))?;
        return Ok(Loaded { views: vec![view_from(source, source.name(), data)], ..Loaded::default() });
    }
    container::assemble(source, arrays, &options.views)
}

/// Other ways to compress are refused here, because opening such an entry would only say that it is not supported.
fn check_method(entry: &ZipFile<'_>) -> Result<(), String> {
    match entry.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => Ok(()),
        other => Err(format!("array `{}`: compressed with {other}, which NumPy does not write", array_name(entry))),
    }
}

fn array_name(entry: &ZipFile<'_>) -> String {
    entry.name().strip_suffix(".npy").unwrap_or(entry.name()).to_owned()
}

fn read_entry(source: &Source, entry: &mut ZipFile<'_>) -> Result<Array> {
    let name = array_name(entry);
    let wrong = |what: String| Error::format(source.path(), format!("array `{name}`: {what}"));
    // an archive can name its sizes freely, but no entry is larger than the archive
    let compressed = entry.compressed_size().min(source.len());
    let most = match entry.compression() {
        CompressionMethod::Stored => compressed,
        _ => compressed.saturating_mul(MAX_INFLATION),
    };
    let header = read_header(entry).map_err(&wrong)?;
    match header.extent() {
        Some((_, bytes)) if bytes as u64 <= most => {}
        _ => {
            let what = format!("its header promises the shape {:?}, but {compressed} bytes can hold", header.shape);
            return Err(wrong(format!("{what} at most {most} bytes")));
        }
    }
    source.budget.take(header.memory()).map_err(&wrong)?;
    let content = read_content(entry, &header).map_err(|source| wrong(format!("is damaged: {source}")))?;
    if !matches!(content, Content::Unreadable(_)) {
        check_end(entry).map_err(&wrong)?;
    }
    Ok(Array { name, shape: header.shape, fortran_order: header.fortran_order, content })
}

/// The archive's reader compares the checksum only where an entry ends, so it must be read to there.
fn check_end(entry: &mut ZipFile<'_>) -> Result<(), String> {
    match entry.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err("is damaged: more follows than its header promises".to_owned()),
        Err(error) => Err(format!("is damaged: {error}")),
    }
}

/// What `scipy.sparse.save_npz` wrote.
fn scipy_sparse(arrays: &[Array], file_len: u64) -> Result<consilience::matrix::Matrix, String> {
    let format = match &array(arrays, "format")?.content {
        Content::Text(names) => names.first().cloned().unwrap_or_default(),
        _ => return Err("its `format` is not text".to_owned()),
    };
    let [rows, cols] = indices(arrays, "shape")?[..] else { return Err("its `shape` has not 2 numbers".to_owned()) };
    let shape = sparse::Shape::new(rows, cols, file_len)?;
    let Content::Numbers(values) = &array(arrays, "data")?.content else {
        return Err("its `data` are not numbers".to_owned());
    };
    match format.as_str() {
        "csr" => sparse::from_rows(shape, &indices(arrays, "indptr")?, &indices(arrays, "indices")?, values),
        "csc" => sparse::from_columns(shape, &indices(arrays, "indptr")?, &indices(arrays, "indices")?, values),
        "coo" => sparse::from_coordinates(shape, &indices(arrays, "row")?, &indices(arrays, "col")?, values),
        other => Err(format!("the format `{other}` is not supported; save it with `.tocsr()`")),
    }
}

fn array<'a>(arrays: &'a [Array], name: &str) -> Result<&'a Array, String> {
    arrays.iter().find(|array| array.name == name).ok_or_else(|| format!("the array `{name}` is missing"))
}

/// An array of counts or places.
fn indices(arrays: &[Array], name: &str) -> Result<Vec<usize>, String> {
    match &array(arrays, name)?.content {
        Content::Numbers(numbers) => sparse::whole(&numbers.to_f64()).ok_or_else(|| format!("`{name}` is damaged")),
        _ => Err(format!("`{name}` holds no numbers")),
    }
}
