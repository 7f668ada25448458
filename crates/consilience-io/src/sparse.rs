//! Sparse matrices from the arrays that files keep them in, none of which is to be trusted.

use super::guard::max_implicit;
use super::numbers::Numbers;
use consilience::matrix::{Csr, Matrix, Real};

/// A shape that a file of the given size can mean in earnest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    rows: usize,
    cols: usize,
}

impl Shape {
    /// Checks the shape against the length of its file.
    pub(super) fn new(rows: usize, cols: usize, file_len: u64) -> Result<Self, String> {
        let most = max_implicit(file_len);
        if rows as u64 > most || cols as u64 > most {
            return Err(format!("a file of {file_len} bytes claims a sparse matrix of {rows} x {cols}"));
        }
        Ok(Self { rows, cols })
    }

    #[cfg(feature = "hdf5")]
    pub(super) fn rows(self) -> usize {
        self.rows
    }

    #[cfg(feature = "hdf5")]
    pub(super) fn cols(self) -> usize {
        self.cols
    }
}

/// Compressed rows: row `i` holds the entries `indptr[i]..indptr[i + 1]`; `indices` are their columns.
pub(super) fn from_rows(shape: Shape, indptr: &[usize], indices: &[usize], values: &Numbers) -> Result<Matrix, String> {
    Ok(match values {
        Numbers::F32(values) => compressed(shape, indptr, indices, values)?.into(),
        Numbers::F64(values) => compressed(shape, indptr, indices, values)?.into(),
        integers => return from_rows(shape, indptr, indices, &integers.clone().into_floats()?),
    })
}

/// Compressed columns; `indices` are rows.
pub(super) fn from_columns(
    shape: Shape,
    indptr: &[usize],
    indices: &[usize],
    values: &Numbers,
) -> Result<Matrix, String> {
    let turned = Shape { rows: shape.cols, cols: shape.rows };
    Ok(transposed(&from_rows(turned, indptr, indices, values)?))
}

/// Entry by entry.
pub(super) fn from_coordinates(
    shape: Shape,
    rows: &[usize],
    columns: &[usize],
    values: &Numbers,
) -> Result<Matrix, String> {
    if rows.len() != columns.len() || rows.len() != values.len() {
        return Err(format!("{} rows, {} columns and {} values", rows.len(), columns.len(), values.len()));
    }
    Ok(match values {
        Numbers::F32(values) => entries(shape, rows, columns, values)?.into(),
        Numbers::F64(values) => entries(shape, rows, columns, values)?.into(),
        integers => return from_coordinates(shape, rows, columns, &integers.clone().into_floats()?),
    })
}

/// Rows and columns of a sparse matrix exchanged; dense matrices do not come here.
pub(super) fn transposed(matrix: &Matrix) -> Matrix {
    match matrix {
        Matrix::SparseF32(sparse) => sparse.transposed().into(),
        Matrix::SparseF64(sparse) => sparse.transposed().into(),
        dense => dense.clone(),
    }
}

/// Numbers that are all whole and not negative.
pub(super) fn whole(numbers: &[f64]) -> Option<Vec<usize>> {
    let one = |&x: &f64| (x >= 0.0 && x.fract() == 0.0 && x < 9e15).then_some(x as usize);
    numbers.iter().map(one).collect()
}

fn compressed<T: Real>(shape: Shape, indptr: &[usize], indices: &[usize], values: &[T]) -> Result<Csr<T>, String> {
    let Shape { rows, cols } = shape;
    // MATLAB and scipy may keep room for more entries than there are
    let nnz = indptr.last().copied().unwrap_or(0);
    let fits = indptr.len() == rows + 1
        && indptr[0] == 0
        && indptr.is_sorted()
        && nnz <= indices.len()
        && nnz <= values.len()
        && indices[..nnz].iter().all(|&j| j < cols);
    if !fits {
        return Err(format!("its arrays contradict its shape, {rows} x {cols}"));
    }
    let rises = |w: &[usize]| indices[w[0]..w[1]].windows(2).all(|pair| pair[0] < pair[1]);
    if !indptr.windows(2).all(rises) {
        let of_entry: Vec<usize> = indptr.windows(2).enumerate().flat_map(|(i, w)| vec![i; w[1] - w[0]]).collect();
        return entries(shape, &of_entry, &indices[..nnz], &values[..nnz]);
    }
    let narrow = indices[..nnz].iter().map(|&j| j as u32).collect();
    Csr::new(rows, cols, indptr.to_vec(), narrow, values[..nnz].to_vec()).map_err(|error| error.to_string())
}

fn entries<T: Real>(shape: Shape, rows: &[usize], columns: &[usize], values: &[T]) -> Result<Csr<T>, String> {
    let column = |&j: &usize| u32::try_from(j).unwrap_or(u32::MAX);
    let entries = rows.iter().zip(columns).zip(values).map(|((&i, j), &x)| (i, column(j), x)).collect();
    Csr::from_entries(shape.rows, shape.cols, entries).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_out_of_order_are_sorted_and_repeats_added() {
        let shape = Shape::new(2, 3, 0).unwrap();
        let values = Numbers::F64(vec![1.0, 2.0, 4.0, 8.0]);
        let Matrix::SparseF64(m) = from_rows(shape, &[0, 3, 4], &[2, 0, 2, 1], &values).unwrap() else {
            unreachable!()
        };
        assert_eq!(m.row(0), (&[0, 2][..], &[2.0, 5.0][..]));
        assert_eq!(m.row(1), (&[1][..], &[8.0][..]));
    }

    #[test]
    fn lies_are_refused() {
        assert!(Shape::new(1 << 40, 3, 1000).is_err());
        let shape = Shape::new(2, 3, 0).unwrap();
        let values = Numbers::F32(vec![1.0; 4]);
        for (indptr, indices) in [(&[0, 5, 4][..], [0; 4]), (&[0, 4], [0; 4]), (&[0, 2, 4], [0, 1, 2, 3])] {
            assert!(from_rows(shape, indptr, &indices, &values).is_err());
        }
    }
}
