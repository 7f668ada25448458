//! Row-major dense matrix, and where it keeps its numbers: memory of its own that clones share, or somebody else's (a
//! mapped file, a NumPy array).

use std::fmt;
use std::sync::Arc;

use super::Real;
use crate::{Error, Result};

/// A dense matrix, row after row. Cloning a shared one is free; writing to it copies.
#[derive(Debug, Clone)]
pub struct Dense<T> {
    rows: usize,
    cols: usize,
    data: Buffer<T>,
}

impl<T: Real> Dense<T> {
    /// A matrix from its numbers, row after row: a vector, or shared memory.
    ///
    /// # Errors
    /// When there are not exactly `rows * cols` numbers.
    pub fn new(rows: usize, cols: usize, data: impl Into<Buffer<T>>) -> Result<Self> {
        let data = data.into();
        let len = data.as_slice().len();
        if rows.checked_mul(cols) != Some(len) {
            return Err(Error::data(format!("a {rows} x {cols} matrix cannot hold {len} numbers")));
        }
        Ok(Self { rows, cols, data })
    }

    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![T::default(); rows * cols].into() }
    }

    /// Entry by entry.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        let data: Vec<T> = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        Self { rows, cols, data: data.into() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All numbers, row after row.
    pub fn data(&self) -> &[T] {
        self.data.as_slice()
    }

    /// Copies the numbers when they lie in memory of somebody else's.
    pub(super) fn detach(&mut self) {
        self.data.detach();
    }

    /// All numbers, to be written.
    pub fn data_mut(&mut self) -> &mut [T] {
        self.data.as_mut_slice()
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data()[i * self.cols..(i + 1) * self.cols]
    }

    /// The rows in order; a matrix without columns has none.
    pub fn iter_rows(&self) -> std::slice::ChunksExact<'_, T> {
        self.data().chunks_exact(self.cols.max(1))
    }

    /// The entry in row `i`, column `j`.
    pub fn get(&self, i: usize, j: usize) -> T {
        self.data()[i * self.cols + j]
    }

    /// The rows named by `rows`, in that order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let data: Vec<T> = rows.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
        Self { rows: rows.len(), cols: self.cols, data: data.into() }
    }

    /// The rows named by `rows`, in that order; a row of zeros where none is named.
    #[must_use]
    pub fn pick_rows(&self, rows: &[Option<usize>]) -> Self {
        let mut picked = Self::zeros(rows.len(), self.cols);
        for (out, row) in picked.data_mut().chunks_exact_mut(self.cols.max(1)).zip(rows) {
            row.iter().for_each(|&row| out.copy_from_slice(self.row(row)));
        }
        picked
    }

    /// The first `count` columns.
    #[must_use]
    pub fn first_columns(&self, count: usize) -> Self {
        let count = count.min(self.cols);
        let data: Vec<T> = self.iter_rows().flat_map(|row| row[..count].iter().copied()).collect();
        Self { rows: self.rows, cols: count, data: data.into() }
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        // square blocks, so that both sides stay in cache
        const BLOCK: usize = 32;
        let (rows, cols) = (self.rows, self.cols);
        let mut target = Self::zeros(cols, rows);
        // the shape of a damaged file may be 0 x 2^60: nothing to move, but a very long way to go
        if self.data().is_empty() {
            return target;
        }
        let (from, to) = (self.data(), target.data_mut());
        for top in (0..rows).step_by(BLOCK) {
            for left in (0..cols).step_by(BLOCK) {
                for i in top..(top + BLOCK).min(rows) {
                    for j in left..(left + BLOCK).min(cols) {
                        to[j * rows + i] = from[i * cols + j];
                    }
                }
            }
        }
        target
    }

    /// The same numbers in another precision.
    #[must_use]
    pub fn cast<U: Real>(&self) -> Dense<U> {
        let data: Vec<U> = self.data().iter().map(|x| U::from_f64(x.to_f64())).collect();
        Dense { rows: self.rows, cols: self.cols, data: data.into() }
    }
}

/// Memory that somebody else owns and that must not change while a matrix reads it.
pub trait SharedSlice<T>: Send + Sync {
    /// The numbers.
    fn as_slice(&self) -> &[T];
}

/// Numbers that clones share, whoever owns them. Writing to numbers that somebody else reads too copies them first.
#[derive(Clone)]
pub struct Buffer<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    /// Memory of our own.
    Owned(Arc<Vec<T>>),
    /// Read-only memory of somebody else, kept alive by this handle.
    Foreign(Arc<dyn SharedSlice<T>>),
}

impl<T: Copy> Buffer<T> {
    /// Numbers in memory of somebody else's.
    pub fn foreign(owner: Arc<dyn SharedSlice<T>>) -> Self {
        Self(Storage::Foreign(owner))
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(numbers) => numbers,
            Storage::Foreign(owner) => owner.as_slice(),
        }
    }

    /// Copies numbers that lie in memory of somebody else's, who may write to them later.
    pub fn detach(&mut self) {
        if let Storage::Foreign(owner) = &self.0 {
            self.0 = Storage::Owned(Arc::new(owner.as_slice().to_vec()));
        }
    }

    /// The numbers, to be written; those that others read too are copied first.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.detach();
        match &mut self.0 {
            Storage::Owned(numbers) => Arc::make_mut(numbers).as_mut_slice(),
            Storage::Foreign(_) => &mut [],
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(Storage::Owned(Arc::new(numbers)))
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Storage::Owned(_) => "Owned(..)",
            Storage::Foreign(_) => "Foreign(..)",
        })
    }
}

/// Takes the numbers over where they lie row after row, and copies them otherwise.
#[cfg(feature = "ndarray")]
impl<T: Real> From<ndarray::Array2<T>> for Dense<T> {
    fn from(array: ndarray::Array2<T>) -> Self {
        if !array.is_standard_layout() {
            return Self::from(array.view());
        }
        let (rows, cols) = array.dim();
        let (mut data, offset) = array.into_raw_vec_and_offset();
        data.drain(..offset.unwrap_or(0));
        data.truncate(rows * cols);
        Self { rows, cols, data: data.into() }
    }
}

#[cfg(feature = "ndarray")]
impl<T: Real> From<ndarray::ArrayView2<'_, T>> for Dense<T> {
    fn from(array: ndarray::ArrayView2<'_, T>) -> Self {
        let (rows, cols) = array.dim();
        let data: Vec<T> = array.iter().copied().collect();
        Self { rows, cols, data: data.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_must_match_the_numbers() {
        assert!(Dense::new(2, 3, vec![0.0_f64; 5]).is_err());
        assert!(Dense::new(usize::MAX, 2, vec![0.0_f64; 4]).is_err());
    }

    #[test]
    fn rows_columns_and_selection() {
        let m = Dense::from_fn(3, 2, |i, j| (10 * i + j) as f64);
        assert_eq!(m.row(1), [10.0, 11.0]);
        assert_eq!(m.select_rows(&[2, 0]).data(), [20.0, 21.0, 0.0, 1.0]);
        assert_eq!(m.first_columns(1).data(), [0.0, 10.0, 20.0]);
        assert_eq!(m.cast::<f32>().get(2, 1), 21.0_f32);
    }

    impl SharedSlice<f32> for [f32; 3] {
        fn as_slice(&self) -> &[f32] {
            self
        }
    }

    #[test]
    fn writing_to_foreign_numbers_copies_them() {
        let owner = Arc::new([1.0_f32, 2.0, 3.0]);
        let mut buffer = Buffer::foreign(owner.clone());
        buffer.as_mut_slice()[0] = 9.0;
        assert_eq!(buffer.as_slice(), [9.0, 2.0, 3.0]);
        assert_eq!(*owner, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn clones_share_until_one_of_them_is_written_to() {
        let first = Buffer::from(vec![1.0_f64, 2.0]);
        let mut second = first.clone();
        assert_eq!(first.as_slice().as_ptr(), second.as_slice().as_ptr());
        second.as_mut_slice()[1] = 7.0;
        assert_eq!((first.as_slice(), second.as_slice()), (&[1.0, 2.0][..], &[1.0, 7.0][..]));
        let place = second.as_slice().as_ptr();
        assert_eq!(second.as_mut_slice().as_ptr(), place, "what nobody else reads is written in place");
    }
}
