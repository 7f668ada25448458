//! Compressed sparse rows.

use super::{Dense, Real};
use crate::{Error, Result};

/// A sparse matrix, row after row; the columns of a row rise strictly. At most 2^32 - 1 columns.
#[derive(Debug, Clone)]
pub struct Csr<T> {
    rows: usize,
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Csr<T> {
    /// A matrix from its three arrays: row `i` holds `values[starts[i]..starts[i + 1]]` in the columns at the same places.
    ///
    /// # Errors
    /// When the arrays contradict each other, a column is out of range, or a row's columns do not rise.
    pub fn new(rows: usize, cols: usize, starts: Vec<usize>, columns: Vec<u32>, values: Vec<T>) -> Result<Self> {
        let shape_fits = starts.len() == rows + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&values.len())
            && columns.len() == values.len()
            && starts.windows(2).all(|w| w[0] <= w[1])
            && u32::try_from(cols).is_ok();
        if !shape_fits {
            return Err(Error::data(format!("the arrays of a {rows} x {cols} sparse matrix contradict each other")));
        }
        for (i, w) in starts.windows(2).enumerate() {
            let row = &columns[w[0]..w[1]];
            if row.windows(2).any(|c| c[0] >= c[1]) || row.last().is_some_and(|&c| c as usize >= cols) {
                return Err(Error::data(format!("row {i} of a sparse matrix has columns out of range or order")));
            }
        }
        Ok(Self { rows, cols, starts, columns, values })
    }

    /// A matrix from entries in any order; entries at the same place are added.
    ///
    /// # Errors
    /// When an entry lies outside the matrix.
    pub fn from_entries(rows: usize, cols: usize, mut entries: Vec<(usize, u32, T)>) -> Result<Self> {
        if let Some((i, j, _)) = entries.iter().find(|(i, j, _)| *i >= rows || *j as usize >= cols) {
            return Err(Error::data(format!("entry ({i}, {j}) lies outside a {rows} x {cols} matrix")));
        }
        // stable: entries at one place are added in the order given, so sums are reproducible
        entries.sort_by_key(|&(i, j, _)| (i, j));
        let (mut starts, mut columns, mut values) = (vec![0; rows + 1], Vec::new(), Vec::<T>::new());
        let mut last = None;
        for (i, j, value) in entries {
            if last == Some((i, j)) {
                if let Some(sum) = values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((i, j));
            starts[i + 1] += 1;
            columns.push(j);
            values.push(value);
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        Self::new(rows, cols, starts, columns, values)
    }

    /// The entries of `dense` that are not zero.
    ///
    /// # Errors
    /// When there are more columns than an index can name.
    pub fn from_dense(dense: &Dense<T>) -> Result<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in dense.iter_rows() {
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != T::default()) {
                columns.push(j as u32);
                values.push(x);
            }
            starts.push(values.len());
        }
        starts.resize(dense.rows() + 1, 0);
        Self::new(dense.rows(), dense.cols(), starts, columns, values)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The columns and values of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// All stored values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All stored values, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The column of every stored value.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Where each row starts in [`Csr::values`], and the end of the last one.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The values of row `i`, to be changed in place.
    pub fn row_values_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// Rows and columns exchanged; linear in the stored entries.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.cols + 1];
        for &j in &self.columns {
            starts[j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            starts[j + 1] += starts[j];
        }
        let (mut columns, mut values) = (vec![0; self.stored()], vec![T::default(); self.stored()]);
        let mut next = starts.clone();
        for i in 0..self.rows {
            let (row_columns, row_values) = self.row(i);
            for (&j, &x) in row_columns.iter().zip(row_values) {
                let place = &mut next[j as usize];
                columns[*place] = i as u32;
                values[*place] = x;
                *place += 1;
            }
        }
        Self { rows: self.cols, cols: self.rows, starts, columns, values }
    }

    /// The union of two matrices of the same shape; `join` makes one number of the two at a place, 0 where there is none.
    ///
    /// # Errors
    /// When the shapes differ.
    pub fn merged(&self, other: &Self, join: impl Fn(T, T) -> T) -> Result<Self> {
        if (self.rows, self.cols) != (other.rows, other.cols) {
            return Err(Error::data("two sparse matrices of different shapes cannot be merged"));
        }
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.rows {
            let ((left, ours), (right, theirs)) = (self.row(i), other.row(i));
            let (mut p, mut q) = (0, 0);
            while p < left.len() || q < right.len() {
                let (a, b) = (left.get(p).copied().unwrap_or(u32::MAX), right.get(q).copied().unwrap_or(u32::MAX));
                let one = if a <= b { ours[p] } else { T::default() };
                columns.push(a.min(b));
                values.push(join(one, if b <= a { theirs[q] } else { T::default() }));
                p += usize::from(a <= b);
                q += usize::from(b <= a);
            }
            starts.push(values.len());
        }
        Self::new(self.rows, self.cols, starts, columns, values)
    }

    /// A square matrix over some of `size` items, as one over all of them: row and column `i` become `items[i]`. The
    /// items must rise.
    ///
    /// # Errors
    /// When the items do not rise or lie outside.
    pub fn spread(&self, items: &[usize], size: usize) -> Result<Self> {
        let mut starts = vec![0; size + 1];
        for (i, &item) in items.iter().enumerate().filter(|(_, item)| **item < size) {
            starts[item + 1] = self.row(i).0.len();
        }
        for i in 0..size {
            starts[i + 1] += starts[i];
        }
        let columns = self.columns.iter().map(|&j| items.get(j as usize).map_or(u32::MAX, |&item| item as u32));
        Self::new(size, size, starts, columns.collect(), self.values.clone())
    }

    /// The rows named by `rows`, in that order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for &i in rows {
            columns.extend_from_slice(self.row(i).0);
            values.extend_from_slice(self.row(i).1);
            starts.push(values.len());
        }
        Self { rows: rows.len(), cols: self.cols, starts, columns, values }
    }

    /// With every zero written out.
    #[must_use]
    pub fn to_dense(&self) -> Dense<T> {
        let mut dense = Dense::zeros(self.rows, self.cols);
        for i in 0..self.rows {
            let (columns, values) = self.row(i);
            let row = &mut dense.data_mut()[i * self.cols..(i + 1) * self.cols];
            columns.iter().zip(values).for_each(|(&j, &x)| row[j as usize] = x);
        }
        dense
    }

    /// The rows in `range`.
    #[must_use]
    pub fn slice_rows(&self, range: std::ops::Range<usize>) -> Self {
        let (from, to) = (self.starts[range.start], self.starts[range.end]);
        Self {
            rows: range.len(),
            cols: self.cols,
            starts: self.starts[range.start..=range.end].iter().map(|s| s - from).collect(),
            columns: self.columns[from..to].to_vec(),
            values: self.values[from..to].to_vec(),
        }
    }

    /// The same numbers in another precision.
    #[must_use]
    pub fn cast<U: Real>(&self) -> Csr<U> {
        Csr {
            rows: self.rows,
            cols: self.cols,
            starts: self.starts.clone(),
            columns: self.columns.clone(),
            values: self.values.iter().map(|x| U::from_f64(x.to_f64())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Csr<f64> {
        let dense = Dense::new(3, 3, vec![0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.0]);
        dense.and_then(|d| Csr::from_dense(&d)).unwrap()
    }

    #[test]
    fn rows_and_transpose() {
        let m = example();
        assert_eq!(m.row(0), (&[1, 2][..], &[1.0, 2.0][..]));
        assert_eq!(m.row(1), (&[][..], &[][..]));
        let t = m.transposed();
        assert_eq!(t.row(2), (&[0, 2][..], &[2.0, 4.0][..]));
        assert_eq!(t.transposed().values(), m.values());
    }

    #[test]
    fn entries_at_one_place_are_added() {
        let m = Csr::from_entries(2, 2, vec![(1, 0, 1.0), (0, 1, 2.0), (1, 0, 3.0)]).unwrap();
        assert_eq!((m.row(0).1, m.row(1).1), (&[2.0][..], &[4.0][..]));
        assert!(Csr::from_entries(2, 2, vec![(2, 0, 1.0)]).is_err());
    }

    #[test]
    fn merging_and_spreading_by_hand() {
        let other = Csr::from_entries(3, 3, vec![(0, 2, 10.0), (1, 1, 20.0)]).unwrap();
        let sum = example().merged(&other, |a, b| a + b).unwrap();
        assert_eq!(sum.row(0), (&[1, 2][..], &[1.0, 12.0][..]));
        assert_eq!(sum.row(1), (&[1][..], &[20.0][..]));
        let spread = example().spread(&[0, 2, 4], 5).unwrap();
        assert_eq!(spread.row(0), (&[2, 4][..], &[1.0, 2.0][..]));
        assert_eq!(spread.row(4), (&[0, 4][..], &[3.0, 4.0][..]));
        assert!(example().spread(&[0, 9, 4], 5).is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        assert!(Csr::new(1, 2, vec![0, 2], vec![1, 0], vec![1.0, 1.0]).is_err(), "columns fall");
        assert!(Csr::new(1, 2, vec![0, 1], vec![2], vec![1.0]).is_err(), "column out of range");
        assert!(Csr::new(1, 2, vec![0, 2], vec![0], vec![1.0]).is_err(), "lengths differ");
    }

    #[test]
    fn selections_and_dense_copies() {
        let m = example();
        assert_eq!(m.select_rows(&[2, 0]).to_dense().data(), [3.0, 0.0, 4.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn slices_keep_their_rows() {
        let slice = example().slice_rows(1..3);
        assert_eq!(slice.rows(), 2);
        assert_eq!(slice.row(1), (&[0, 2][..], &[3.0, 4.0][..]));
    }
}
