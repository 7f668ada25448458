//! Row-major dense and compressed sparse matrices: rows are samples everywhere in this crate.
//!
//! ```
//! use consilience::matrix::{Csr, Dense};
//!
//! let dense = Dense::new(2, 3, vec![0.0, 5.0, 0.0, 1.0, 0.0, 2.0])?;
//! let sparse = Csr::from_dense(&dense)?;
//! assert_eq!((sparse.indptr(), sparse.indices(), sparse.nnz()), (&[0, 1, 3][..], &[1, 0, 2][..], 3));
//! let mut copy = dense.clone(); // shares the memory
//! copy.data_mut()[0] = 7.0; // and copies it here
//! assert_eq!((dense.get(0, 0), copy.get(0, 0)), (0.0, 7.0));
//! # Ok::<(), consilience::Error>(())
//! ```

mod csr;
mod decompose;
mod dense;
mod entries;
mod product;
mod real;
mod stack;

pub use csr::Csr;
pub(crate) use decompose::{
    SymmetricEigen, cholesky_orthonormal, invert_positive, orthonormal_columns, symmetric_eigen, symmetric_function,
};
#[doc(hidden)]
pub use dense::SharedSlice;
pub use dense::{Buffer, Dense};
pub(crate) use entries::{
    column_sums, evenly, fold, frobenius, frobenius_distance, median, median_in_place, project_to_simplex,
    soft_threshold, update_entries,
};
pub(crate) use product::{
    ROW_CHUNK, TASK_ROWS, add_product, from_mat, gram, gram_times, matmul, multiply_small, multiply_square,
    row_blocks_mut, square_gram, subtract_product,
};
pub use real::Real;

use crate::{Error, Result};

/// A matrix of samples in whatever form it came: precision and sparsity are kept, not converted.
#[derive(Debug, Clone)]
pub enum Matrix {
    /// Dense, single precision.
    DenseF32(Dense<f32>),
    /// Dense, double precision.
    DenseF64(Dense<f64>),
    /// Sparse, single precision.
    SparseF32(Csr<f32>),
    /// Sparse, double precision.
    SparseF64(Csr<f64>),
}

/// Runs the same generic code on whichever dense or sparse matrix is inside.
macro_rules! for_matrix {
    ($matrix:expr, dense $d:ident => $dense:expr, sparse $s:ident => $sparse:expr $(,)?) => {
        match $matrix {
            $crate::matrix::Matrix::DenseF32($d) => $dense,
            $crate::matrix::Matrix::DenseF64($d) => $dense,
            $crate::matrix::Matrix::SparseF32($s) => $sparse,
            $crate::matrix::Matrix::SparseF64($s) => $sparse,
        }
    };
}
pub(crate) use for_matrix;

impl Matrix {
    /// Number of samples.
    pub fn rows(&self) -> usize {
        for_matrix!(self, dense m => m.rows(), sparse m => m.rows())
    }

    /// Number of features.
    pub fn cols(&self) -> usize {
        for_matrix!(self, dense m => m.cols(), sparse m => m.cols())
    }

    /// Entries that are stored: all of a dense matrix, of a sparse one those that are not zero.
    pub fn stored(&self) -> usize {
        for_matrix!(self, dense m => m.data().len(), sparse m => m.nnz())
    }

    /// Bytes of memory that the numbers and their places take.
    pub fn memory(&self) -> u64 {
        let bytes = for_matrix!(
            self,
            dense m => size_of_val(m.data()),
            sparse m => size_of_val(m.values()) + size_of_val(m.indices()) + size_of_val(m.indptr()),
        );
        bytes as u64
    }

    /// Whether the matrix is stored sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::SparseF32(_) | Self::SparseF64(_))
    }

    /// The same numbers, stored sparse when at most a tenth of them are not zero: products are then faster.
    #[must_use]
    pub fn compacted(&self) -> Self {
        fn sparse<T: Real>(m: &Dense<T>) -> Option<Csr<T>> {
            let filled = m.data().iter().filter(|x| **x != T::default()).count();
            (filled * 10 <= m.data().len() && u32::try_from(m.cols()).is_ok()).then(|| Csr::from_nonzero(m))
        }
        for_matrix!(self, dense m => sparse(m).map_or_else(|| self.clone(), Into::into), sparse _m => self.clone())
    }

    /// The features that a comparison of two rows goes through: of sparse ones, those that a row has on average.
    pub(crate) fn features_per_row(&self) -> usize {
        for_matrix!(self, dense m => m.cols(), sparse m => m.nnz().div_ceil(m.rows().max(1)))
    }

    /// The rows named by `rows`, in that order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        for_matrix!(self, dense m => m.select_rows(rows).into(), sparse m => m.select_rows(rows).into())
    }

    /// The rows named by `rows`, in that order; a row of zeros where none is named.
    #[must_use]
    pub fn pick_rows(&self, rows: &[Option<usize>]) -> Self {
        for_matrix!(self, dense m => m.pick_rows(rows).into(), sparse m => m.pick_rows(rows).into())
    }

    /// The columns named by `columns`, in that order.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn select_columns(&self, columns: &[usize]) -> Result<Self> {
        if let Some(column) = columns.iter().find(|&&column| column >= self.cols()) {
            return Err(Error::data(format!("there is no column {column} in a matrix of {}", self.cols())));
        }
        Ok(for_matrix!(
            self,
            dense m => Dense::from_fn(m.rows(), columns.len(), |i, j| m.get(i, columns[j])).into(),
            sparse m => m.transposed().select_rows(columns).transposed().into(),
        ))
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        for_matrix!(self, dense m => m.transposed().into(), sparse m => m.transposed().into())
    }

    /// The same numbers, stored as `other` is: dense or sparse, in its precision. Shared where nothing has to change.
    #[must_use]
    pub fn stored_like(&self, other: &Self) -> Self {
        fn dense<T: Real>(m: &Matrix) -> Dense<T> {
            for_matrix!(m, dense m => m.cast(), sparse m => m.cast().to_dense())
        }
        fn sparse<T: Real>(m: &Matrix) -> Csr<T> {
            for_matrix!(m, dense m => Csr::from_nonzero(&m.cast()), sparse m => m.cast())
        }
        match other {
            _ if std::mem::discriminant(self) == std::mem::discriminant(other) => self.clone(),
            Self::DenseF32(_) => dense::<f32>(self).into(),
            Self::DenseF64(_) => dense::<f64>(self).into(),
            Self::SparseF32(_) => sparse::<f32>(self).into(),
            Self::SparseF64(_) => sparse::<f64>(self).into(),
        }
    }

    /// The same numbers in memory of our own, to be kept when whoever lent theirs may write to them again.
    #[must_use]
    pub(crate) fn detached(mut self) -> Self {
        // sparse matrices are copied on the way in
        for_matrix!(&mut self, dense m => m.detach(), sparse _m => {});
        self
    }

    /// The largest absolute value; 0 when there is none.
    pub(crate) fn largest(&self) -> f64 {
        fn of<T: Real>(values: &[T]) -> f64 {
            values.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max)
        }
        for_matrix!(self, dense m => of(m.data()), sparse m => of(m.values()))
    }

    /// How many rows differ; counting ends after one more than `most`.
    pub(crate) fn distinct_rows(&self, most: usize) -> usize {
        count_distinct((0..self.rows()).map(|i| self.row_key(i)), most)
    }

    /// Two sums of the entries of row `i`, plain and by place: equal for equal rows, however they are stored.
    pub(crate) fn row_sums_of(&self, i: usize) -> [f64; 2] {
        fn of<T: Real>(entries: impl Iterator<Item = (usize, T)>) -> [f64; 2] {
            entries.fold([0.0, 0.0], |[plain, placed], (j, x)| {
                let x = x.to_f64();
                [plain + x, placed + x * (1 + j % 1_009) as f64]
            })
        }
        for_matrix!(
            self,
            dense m => of(m.row(i).iter().copied().enumerate()),
            sparse m => of(m.row(i).0.iter().map(|&j| j as usize).zip(m.row(i).1.iter().copied())),
        )
    }

    /// Equal for equal rows, however they are stored.
    pub(crate) fn row_key(&self, i: usize) -> Vec<(u32, u64)> {
        let (columns, values) = self.row_entries(i);
        // a sparse matrix may store zeros
        columns.into_iter().zip(values).filter(|(_, x)| *x != 0.0).map(|(j, x)| (j, x.to_bits())).collect()
    }

    /// Columns and values of the entries of row `i` that are not zero (all that are stored, in a sparse matrix).
    pub fn row_entries(&self, i: usize) -> (Vec<u32>, Vec<f64>) {
        for_matrix!(
            self,
            dense m => m.row(i).iter().enumerate().map(|(j, x)| (j as u32, x.to_f64())).filter(|(_, x)| *x != 0.0).unzip(),
            sparse m => (m.row(i).0.to_vec(), m.row(i).1.iter().map(|x| x.to_f64()).collect()),
        )
    }

    /// The name of the element type: `f32` or `f64`.
    pub fn precision(&self) -> &'static str {
        match self {
            Self::DenseF32(_) | Self::SparseF32(_) => "f32",
            Self::DenseF64(_) | Self::SparseF64(_) => "f64",
        }
    }
}

macro_rules! from_matrices {
    ($($variant:ident $inside:ty),+) => {$(
        impl From<$inside> for Matrix {
            fn from(inside: $inside) -> Self {
                Self::$variant(inside)
            }
        }
    )+};
}
from_matrices!(DenseF32 Dense<f32>, DenseF64 Dense<f64>, SparseF32 Csr<f32>, SparseF64 Csr<f64>);

/// Arrays of the crate `ndarray` are matrices wherever one is taken.
#[cfg(feature = "ndarray")]
macro_rules! from_arrays {
    ($($variant:ident $float:ty),+) => {$(
        impl From<ndarray::Array2<$float>> for Matrix {
            fn from(array: ndarray::Array2<$float>) -> Self {
                Self::$variant(array.into())
            }
        }

        impl From<ndarray::ArrayView2<'_, $float>> for Matrix {
            fn from(array: ndarray::ArrayView2<'_, $float>) -> Self {
                Self::$variant(array.into())
            }
        }
    )+};
}
#[cfg(feature = "ndarray")]
from_arrays!(DenseF32 f32, DenseF64 f64);

/// How many of the keys differ; counting ends after one more than `most`.
pub(crate) fn count_distinct<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>, most: usize) -> usize {
    let mut seen = std::collections::HashSet::new();
    for key in keys {
        seen.insert(key);
        if seen.len() > most {
            break;
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_chosen_in_any_order_and_unknown_ones_refused() {
        let dense = Dense::from_fn(2, 3, |i, j| (3 * i + j) as f64);
        for m in [Matrix::from(Csr::from_nonzero(&dense)), Matrix::from(dense)] {
            let chosen = m.select_columns(&[2, 0]).unwrap();
            assert_eq!((chosen.cols(), chosen.row_entries(1).1), (2, vec![5.0, 3.0]));
            let error = m.select_columns(&[1, 3]).unwrap_err().to_string();
            assert_eq!(error, "there is no column 3 in a matrix of 3");
        }
    }
}
