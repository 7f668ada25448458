//! Row-major dense matrix.

use super::{Buffer, Real};
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
}
