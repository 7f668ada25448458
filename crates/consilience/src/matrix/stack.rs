//! Matrices one under the other.

use super::{Csr, Dense, Matrix, Real};
use crate::{Error, Result};

impl Matrix {
    /// The rows of all `parts`, in their order.
    ///
    /// # Errors
    /// When there are none, or they are not stored alike or have not the same columns.
    pub fn stacked(parts: &[&Self]) -> Result<Self> {
        let Some(first) = parts.first() else { return Err(Error::data("no rows to put under each other")) };
        if parts.iter().any(|part| part.cols() != first.cols()) {
            return Err(Error::data("pieces of a matrix have different numbers of columns"));
        }
        macro_rules! same {
            ($kind:ident, $stack:ident) => {{
                let alike = parts.iter().filter_map(|part| if let Self::$kind(m) = part { Some(m) } else { None });
                let alike: Vec<_> = alike.collect();
                (alike.len() == parts.len()).then(|| $stack(&alike, first.cols())).transpose()?.map(Self::$kind)
            }};
        }
        let stacked = match first {
            Self::DenseF32(_) => same!(DenseF32, dense),
            Self::DenseF64(_) => same!(DenseF64, dense),
            Self::SparseF32(_) => same!(SparseF32, sparse),
            Self::SparseF64(_) => same!(SparseF64, sparse),
        };
        stacked.ok_or_else(|| Error::data("pieces of a matrix are not stored alike"))
    }
}

fn dense<T: Real>(parts: &[&Dense<T>], cols: usize) -> Result<Dense<T>> {
    let rows = parts.iter().map(|part| part.rows()).sum();
    let mut numbers = Vec::with_capacity(rows * cols);
    parts.iter().for_each(|part| numbers.extend_from_slice(part.data()));
    Dense::new(rows, cols, numbers)
}

fn sparse<T: Real>(parts: &[&Csr<T>], cols: usize) -> Result<Csr<T>> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for part in parts {
        let before = columns.len();
        starts.extend(part.indptr()[1..].iter().map(|start| before + start));
        columns.extend_from_slice(part.indices());
        values.extend_from_slice(part.values());
    }
    Csr::new(starts.len() - 1, cols, starts, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_in_order_and_kinds_do_not_mix() {
        let dense = |rows: usize, from: f64| Dense::from_fn(rows, 2, |i, j| from + (2 * i + j) as f64);
        let (a, b) = (Matrix::from(dense(2, 0.0)), Matrix::from(dense(1, 4.0)));
        let Matrix::DenseF64(both) = Matrix::stacked(&[&a, &b]).unwrap() else { panic!() };
        assert_eq!(both.data(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let sparse = |m: &Dense<f64>| Matrix::from(Csr::from_dense(m).unwrap());
        let Matrix::SparseF64(both) = Matrix::stacked(&[&sparse(&dense(2, 0.0)), &sparse(&dense(1, 4.0))]).unwrap()
        else {
            panic!()
        };
        assert_eq!(both.to_dense().data(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(Matrix::stacked(&[&a, &sparse(&dense(1, 4.0))]).is_err());
        assert!(Matrix::stacked(&[]).is_err());
    }
}
