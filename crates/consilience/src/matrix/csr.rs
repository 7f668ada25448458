//! Compressed sparse rows.

use std::sync::Arc;

use super::{Dense, Real};
use crate::{Error, Result};

/// A sparse matrix, row after row; the columns of a row rise strictly. At most 2^32 - 1 columns. Clones share their arrays
/// until they are written to, so a rescaled copy does not repeat the pattern.
#[derive(Debug, Clone)]
pub struct Csr<T> {
    rows: usize,
    cols: usize,
    indptr: Arc<Vec<usize>>,
    indices: Arc<Vec<u32>>,
    values: Arc<Vec<T>>,
}

impl<T: Real> Csr<T> {
    /// A matrix from its three arrays: row `i` holds `values[indptr[i]..indptr[i + 1]]` in the columns at the same places.
    ///
    /// # Errors
    /// When the arrays contradict each other, a column is out of range, or a row's columns do not rise.
    pub fn new(rows: usize, cols: usize, indptr: Vec<usize>, indices: Vec<u32>, values: Vec<T>) -> Result<Self> {
        let shape_fits = indptr.len() == rows + 1
            && indptr.first() == Some(&0)
            && indptr.last() == Some(&values.len())
            && indices.len() == values.len()
            && indptr.windows(2).all(|w| w[0] <= w[1])
            && u32::try_from(cols).is_ok();
        if !shape_fits {
            return Err(Error::data(format!("the arrays of a {rows} x {cols} sparse matrix contradict each other")));
        }
        for (i, w) in indptr.windows(2).enumerate() {
            let row = &indices[w[0]..w[1]];
            if row.windows(2).any(|c| c[0] >= c[1]) || row.last().is_some_and(|&c| c as usize >= cols) {
                return Err(Error::data(format!("row {i} of a sparse matrix has columns out of range or order")));
            }
        }
        Ok(Self::from_arrays(rows, cols, indptr, indices, values))
    }

    /// From arrays that are known to fit.
    fn from_arrays(rows: usize, cols: usize, indptr: Vec<usize>, indices: Vec<u32>, values: Vec<T>) -> Self {
        Self { rows, cols, indptr: Arc::new(indptr), indices: Arc::new(indices), values: Arc::new(values) }
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
        let (mut indptr, mut indices, mut values) = (vec![0; rows + 1], Vec::new(), Vec::<T>::new());
        let mut last = None;
        for (i, j, value) in entries {
            if last == Some((i, j)) {
                if let Some(sum) = values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((i, j));
            indptr[i + 1] += 1;
            indices.push(j);
            values.push(value);
        }
        for i in 0..rows {
            indptr[i + 1] += indptr[i];
        }
        Self::new(rows, cols, indptr, indices, values)
    }

    /// A matrix from its rows: columns, rising, with their values.
    ///
    /// # Errors
    /// When a row's columns do not rise or are out of range.
    pub fn from_rows<R: IntoIterator<Item = (u32, T)>>(cols: usize, rows: impl IntoIterator<Item = R>) -> Result<Self> {
        let (indptr, indices, values) = gathered(rows);
        Self::new(indptr.len() - 1, cols, indptr, indices, values)
    }

    /// The entries of `dense` that are not zero.
    ///
    /// # Errors
    /// When there are more columns than an index can name.
    pub fn from_dense(dense: &Dense<T>) -> Result<Self> {
        match u32::try_from(dense.cols()) {
            Ok(_) => Ok(Self::from_nonzero(dense)),
            Err(_) => Err(Error::data(format!("{} columns are too many for a sparse matrix", dense.cols()))),
        }
    }

    /// The same for a matrix whose columns an index can name.
    pub(crate) fn from_nonzero(dense: &Dense<T>) -> Self {
        let nonzero = |row| {
            let entries = dense.row(row).iter().enumerate().map(|(j, &x)| (j as u32, x));
            entries.filter(|(_, x)| *x != T::default())
        };
        let (indptr, indices, values) = gathered((0..dense.rows()).map(nonzero));
        Self::from_arrays(dense.rows(), dense.cols(), indptr, indices, values)
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
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// The columns and values of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The stored entries of row `i`: column and value.
    pub fn entries(&self, i: usize) -> impl Iterator<Item = (usize, T)> {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&j, &x)| (j as usize, x))
    }

    /// The entry in row `i`, column `j`; 0 where none is stored.
    pub fn get(&self, i: usize, j: usize) -> T {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or(T::default(), |at| values[at])
    }

    /// All stored values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All stored values, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.values).as_mut_slice()
    }

    /// The column of every stored value.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Where each row indptr in [`Csr::values`], and the end of the last one.
    pub fn indptr(&self) -> &[usize] {
        &self.indptr
    }

    /// The values of row `i`, to be changed in place.
    pub fn row_values_mut(&mut self, i: usize) -> &mut [T] {
        &mut Arc::make_mut(&mut self.values)[self.indptr[i]..self.indptr[i + 1]]
    }

    /// Rows and columns exchanged; linear in the stored entries.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut indptr = vec![0; self.cols + 1];
        for &j in self.indices.iter() {
            indptr[j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            indptr[j + 1] += indptr[j];
        }
        let (mut indices, mut values) = (vec![0; self.nnz()], vec![T::default(); self.nnz()]);
        let mut next = indptr.clone();
        for i in 0..self.rows {
            for (j, x) in self.entries(i) {
                let place = &mut next[j];
                indices[*place] = i as u32;
                values[*place] = x;
                *place += 1;
            }
        }
        Self::from_arrays(self.cols, self.rows, indptr, indices, values)
    }

    /// The union of two matrices of the same shape; `join` makes one number of the two at a place, 0 where there is none.
    ///
    /// # Errors
    /// When the shapes differ.
    pub fn merged(&self, other: &Self, join: impl Fn(T, T) -> T) -> Result<Self> {
        if (self.rows, self.cols) != (other.rows, other.cols) {
            return Err(Error::data("two sparse matrices of different shapes cannot be merged"));
        }
        // most often the patterns overlap
        let room = self.values.len().max(other.values.len());
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::with_capacity(room), Vec::with_capacity(room));
        for i in 0..self.rows {
            let ((left, ours), (right, theirs)) = (self.row(i), other.row(i));
            let (mut p, mut q) = (0, 0);
            while p < left.len() || q < right.len() {
                let (a, b) = (left.get(p).copied().unwrap_or(u32::MAX), right.get(q).copied().unwrap_or(u32::MAX));
                let one = if a <= b { ours[p] } else { T::default() };
                indices.push(a.min(b));
                values.push(join(one, if b <= a { theirs[q] } else { T::default() }));
                p += usize::from(a <= b);
                q += usize::from(b <= a);
            }
            indptr.push(values.len());
        }
        Self::new(self.rows, self.cols, indptr, indices, values)
    }

    /// A square matrix over some of `size` items, as one over all of them: row and column `i` become `items[i]`. The
    /// items must rise.
    ///
    /// # Errors
    /// When the items do not rise or lie outside.
    pub fn spread(&self, items: &[usize], size: usize) -> Result<Self> {
        let mut indptr = vec![0; size + 1];
        for (i, &item) in items.iter().enumerate().filter(|(_, item)| **item < size) {
            indptr[item + 1] = self.row(i).0.len();
        }
        for i in 0..size {
            indptr[i + 1] += indptr[i];
        }
        let indices = self.indices.iter().map(|&j| items.get(j as usize).map_or(u32::MAX, |&item| item as u32));
        Self::new(size, size, indptr, indices.collect(), self.values.to_vec())
    }

    /// The rows named by `rows`, in that order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        self.pick_rows(&rows.iter().map(|&row| Some(row)).collect::<Vec<_>>())
    }

    /// The rows named by `rows`, in that order; an empty row where none is named.
    #[must_use]
    pub fn pick_rows(&self, rows: &[Option<usize>]) -> Self {
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            if let Some(row) = *row {
                indices.extend_from_slice(self.row(row).0);
                values.extend_from_slice(self.row(row).1);
            }
            indptr.push(values.len());
        }
        Self::from_arrays(rows.len(), self.cols, indptr, indices, values)
    }

    /// The rows and columns that are named, a column at most once, in that order; an empty row or column where none is named.
    #[must_use]
    pub fn pick(&self, rows: &[Option<usize>], columns: &[Option<usize>]) -> Self {
        let mut places = vec![None; self.cols];
        for (place, column) in columns.iter().enumerate().filter_map(|(place, column)| Some((place, (*column)?))) {
            places[column] = Some(place as u32);
        }
        let row = |row: &Option<usize>| {
            let entries = row.iter().flat_map(|&row| self.entries(row));
            let mut row: Vec<(u32, T)> = entries.filter_map(|(j, x)| Some((places[j]?, x))).collect();
            row.sort_unstable_by_key(|&(j, _)| j);
            row
        };
        let (indptr, indices, values) = gathered(rows.iter().map(row));
        Self::from_arrays(rows.len(), columns.len(), indptr, indices, values)
    }

    /// With every zero written out.
    #[must_use]
    pub fn to_dense(&self) -> Dense<T> {
        let mut dense = Dense::zeros(self.rows, self.cols);
        for i in 0..self.rows {
            let row = &mut dense.data_mut()[i * self.cols..(i + 1) * self.cols];
            self.entries(i).for_each(|(j, x)| row[j] = x);
        }
        dense
    }

    /// The rows in `range`.
    #[must_use]
    pub fn slice_rows(&self, range: std::ops::Range<usize>) -> Self {
        let (from, to) = (self.indptr[range.start], self.indptr[range.end]);
        let indptr = self.indptr[range.start..=range.end].iter().map(|start| start - from).collect();
        let (indices, values) = (self.indices[from..to].to_vec(), self.values[from..to].to_vec());
        Self::from_arrays(range.len(), self.cols, indptr, indices, values)
    }

    /// The same numbers in another precision.
    #[must_use]
    pub fn cast<U: Real>(&self) -> Csr<U> {
        Csr {
            rows: self.rows,
            cols: self.cols,
            indptr: Arc::clone(&self.indptr),
            indices: Arc::clone(&self.indices),
            values: Arc::new(self.values.iter().map(|x| U::from_f64(x.to_f64())).collect()),
        }
    }
}

/// The arrays of a matrix of these rows.
fn gathered<T, R: IntoIterator<Item = (u32, T)>>(rows: impl IntoIterator<Item = R>) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        for (j, x) in row {
            indices.push(j);
            values.push(x);
        }
        indptr.push(values.len());
    }
    (indptr, indices, values)
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
    fn a_part_by_hand() {
        let chain = Csr::from_entries(3, 3, vec![(0, 1, 5.0), (1, 0, 5.0), (1, 2, 7.0), (2, 1, 7.0)]).unwrap();
        let items = [Some(2), None, Some(1)];
        assert_eq!(chain.pick(&items, &items).to_dense().data(), [0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
        assert_eq!(chain.pick(&[Some(0), Some(2)], &[Some(1)]).to_dense().data(), [5.0, 7.0]);
        assert_eq!((chain.get(1, 2), chain.get(0, 2)), (7.0, 0.0));
    }

    #[test]
    fn slices_keep_their_rows() {
        let slice = example().slice_rows(1..3);
        assert_eq!(slice.rows(), 2);
        assert_eq!(slice.row(1), (&[0, 2][..], &[3.0, 4.0][..]));
    }
}
