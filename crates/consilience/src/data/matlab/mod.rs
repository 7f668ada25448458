//! MATLAB files of both kinds, v5 and v7.3: variables in, views and labels out.

mod assemble;
mod orient;
mod stream;
mod v5;
pub(super) mod v73;

pub(super) use v5::read as read_v5;

use super::numbers::Numbers;
use crate::matrix::Matrix;

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
