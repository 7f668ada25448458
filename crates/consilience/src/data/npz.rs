//! NumPy's `.npz`: a zip of `.npy` arrays, one per view; or one sparse matrix as scipy saves it.

use std::io::BufReader;
use std::path::Path;

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::container::{self, Array, Content};
use super::guard::{MAX_INFLATION, guarded};
use super::npy::{read_content, read_header};
use super::{Loaded, sparse, stem, view_from};
use crate::{Error, Result};

/// Everything in the file at `path`.
pub(super) fn read(path: &Path) -> Result<Loaded> {
    guarded(path, || unpack(path))
}

fn unpack(path: &Path) -> Result<Loaded> {
    let (file, len) = super::open(path)?;
    let damaged = |error| Error::format(path, format!("the zip archive is damaged: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        check_method(&archive.by_index_raw(index).map_err(damaged)?).map_err(|what| Error::format(path, what))?;
        let mut entry = archive.by_index(index).map_err(damaged)?;
        if !entry.is_dir() {
            arrays.push(read_entry(path, &mut entry, len)?);
        }
    }
    if arrays.iter().any(|array| array.name == "format") && arrays.iter().any(|array| array.name == "shape") {
        let data = scipy_sparse(&arrays, len).map_err(|what| Error::format(path, format!("sparse matrix: {what}")))?;
        return Ok(Loaded { views: vec![view_from(path, stem(path), data)], ..Loaded::default() });
    }
    container::assemble(path, arrays)
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

fn read_entry(path: &Path, entry: &mut ZipFile<'_>, file_len: u64) -> Result<Array> {
    let name = array_name(entry);
    let wrong = |what: String| Error::format(path, format!("array `{name}`: {what}"));
    // an archive can name its sizes freely, but no entry is larger than the archive
    let compressed = entry.compressed_size().min(file_len);
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
    let content = read_content(entry, &header).map_err(|source| wrong(format!("is damaged: {source}")))?;
    Ok(Array { name, shape: header.shape, fortran_order: header.fortran_order, content })
}

/// What `scipy.sparse.save_npz` wrote.
fn scipy_sparse(arrays: &[Array], file_len: u64) -> Result<crate::matrix::Matrix, String> {
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
