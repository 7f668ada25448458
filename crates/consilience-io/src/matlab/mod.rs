//! MATLAB files of both kinds, v5 and v7.3: variables in, views and labels out.
//!
//! Samples may be the rows of a MATLAB matrix or its columns, and nothing in the file says which; how this is decided is
//! below.

mod assemble;
#[cfg(feature = "mat")]
mod stream;
#[cfg(feature = "mat")]
mod v5;
#[cfg(feature = "hdf5")]
pub(super) mod v73;

#[cfg(feature = "mat")]
pub(super) use v5::read as read_v5;

use super::numbers::Numbers;
use super::sparse;
use consilience::Result;
use consilience::matrix::Matrix;

/// How deep cells, structs and groups may lie inside each other.
pub(super) const MAX_NESTING: usize = 16;

/// A MATLAB variable, as far as views and labels need it.
#[derive(Debug)]
enum Variable {
    /// Numbers, column after column.
    Dense { rows: usize, cols: usize, numbers: Numbers },
    /// A sparse matrix, already turned: its rows are MATLAB's columns.
    Sparse { turned: Matrix },
    /// The rows of a char array.
    Text(Vec<String>),
    /// A cell array, column after column.
    Cell(Vec<Variable>),
    /// The fields of a struct; those of a struct array follow each other.
    Struct(Vec<(String, Variable)>),
    /// Numbers that cannot be a view, and why.
    Unreadable(String),
    /// Functions, objects, empty arrays.
    Nothing,
}

impl Variable {
    /// Rows and columns as MATLAB counts them.
    fn size(&self) -> Option<(usize, usize)> {
        match self {
            Self::Dense { rows, cols, .. } => Some((*rows, *cols)),
            Self::Sparse { turned } => Some((turned.cols(), turned.rows())),
            _ => None,
        }
    }

    /// More than one row and more than one column of numbers. What is less is a list or a remark.
    fn is_matrix(&self) -> bool {
        self.size().is_some_and(|(rows, cols)| rows > 1 && cols > 1)
    }

    /// One row or one column of numbers.
    fn is_vector(&self) -> bool {
        self.size().is_some_and(|(rows, cols)| rows.min(cols) == 1)
    }
}

/// For every size (rows, columns), whether the columns are the samples.
///
/// The number of samples is the number of labels where there are labels, else the one dimension that all matrices
/// share. What stays undecided (a single matrix, square ones) goes with the matrices that are decided, else rows are
/// samples.
fn columns_are_samples(sizes: &[(usize, usize)], labels: Option<usize>) -> Vec<bool> {
    let shared = || {
        let in_all = |n: usize| sizes.iter().all(|&(rows, cols)| rows == n || cols == n);
        let &(rows, cols) = sizes.first()?;
        match (in_all(rows), in_all(cols)) {
            (true, false) => Some(rows),
            (false, true) => Some(cols),
            _ => None,
        }
    };
    let known = labels.filter(|&n| sizes.iter().any(|&(rows, cols)| rows == n || cols == n));
    let Some(n) = known.or_else(shared) else { return vec![false; sizes.len()] };
    let by_columns = |&(rows, cols): &(usize, usize)| rows != n && cols == n;
    let by_rows = |&(rows, cols): &(usize, usize)| rows == n && cols != n;
    let square_follows_columns = sizes.iter().any(by_columns) && !sizes.iter().any(by_rows);
    sizes.iter().map(|size| by_columns(size) || (*size == (n, n) && square_follows_columns)).collect()
}

/// The matrix with samples as rows. MATLAB keeps columns together, so samples that are columns need no copying.
fn samples_as_rows(variable: Variable, columns_are_samples: bool) -> Result<Option<Matrix>> {
    Ok(match (variable, columns_are_samples) {
        (Variable::Dense { rows, cols, numbers }, true) => Some(numbers.into_row_major(cols, rows)?),
        (Variable::Dense { rows, cols, numbers }, false) => Some(numbers.into_column_major(rows, cols)?),
        (Variable::Sparse { turned }, true) => Some(turned),
        (Variable::Sparse { turned }, false) => Some(sparse::transposed(&turned)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::columns_are_samples;

    #[test]
    fn labels_decide_first() {
        assert_eq!(columns_are_samples(&[(5, 20), (20, 7)], Some(20)), [true, false]);
        assert_eq!(columns_are_samples(&[(20, 20), (5, 20)], Some(20)), [true, true], "the square one follows");
        assert_eq!(columns_are_samples(&[(20, 20), (20, 5)], Some(20)), [false, false]);
    }

    #[test]
    fn then_the_shared_dimension_then_rows() {
        assert_eq!(columns_are_samples(&[(1703, 203), (230, 203)], None), [true, true]);
        assert_eq!(columns_are_samples(&[(203, 1703), (203, 230)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(10, 4)], None), [false]);
        assert_eq!(columns_are_samples(&[(6, 4), (6, 4)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(6, 4), (3, 2)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(6, 4)], Some(9)), [false], "labels of other samples decide nothing");
    }
}
