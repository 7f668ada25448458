//! Matrices that stay in their file: the operating system brings in the pages that are looked at.

use std::fs::File;
use std::io::BufReader;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use crate::data::numbers::Element;
use crate::matrix::{Buffer, Dense, Matrix, Real, SharedSlice};
use crate::{Error, Result};

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
pub(super) fn matrix(
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
        Element::F32 => dense::<f32>(map, offset, rows, cols),
        _ => dense::<f64>(map, offset, rows, cols),
    }
}

fn dense<T: Real + Pod>(map: Mmap, offset: usize, rows: usize, cols: usize) -> Result<Option<Matrix>>
where
    Matrix: From<Dense<T>>,
{
    let mapped = Mapped::<T> { map, offset, bytes: rows * cols * size_of::<T>(), element: PhantomData };
    // old writers did not align the data; then the slice comes out empty and the numbers must be copied
    if mapped.as_slice().len() != rows * cols {
        return Ok(None);
    }
    Ok(Some(Dense::new(rows, cols, Buffer::Shared(Arc::new(mapped)))?.into()))
}
