//! A square sparse matrix as an operator.

use multiversion::multiversion;
use rayon::prelude::*;

use super::LinOp;
use crate::matrix::{Csr, Dense};

impl LinOp for Csr<f64> {
    fn size(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        multiply(self, x, out);
    }
}

/// Rows of a product that one task makes; no sum crosses rows, so the number is free.
const TASK_ROWS: usize = 256;
/// Columns whose sums are kept in registers.
const LANES: usize = 8;

/// `out = a x` for a sparse matrix of any shape: the rows of `out` are those of `a`, the rows of `x` its columns.
pub(crate) fn multiply(a: &Csr<f64>, x: &Dense<f64>, out: &mut Dense<f64>) {
    let width = x.cols();
    out.data_mut().par_chunks_mut((width * TASK_ROWS).max(1)).enumerate().for_each(|(chunk, out)| {
        multiply_rows(a, chunk * TASK_ROWS, x.data(), out, width);
    });
}

/// Rows `first..` of the product, as many as fit `out`. Row-major blocks make every access to `x` a run of `width`.
#[multiversion(targets = "simd")]
fn multiply_rows(matrix: &Csr<f64>, first: usize, x: &[f64], out: &mut [f64], width: usize) {
    for (i, out) in out.chunks_exact_mut(width).enumerate() {
        let (columns, values) = matrix.row(first + i);
        let mut lanes = out.chunks_exact_mut(LANES);
        let mut from = 0;
        for out in &mut lanes {
            let mut sums = [0.0; LANES];
            for (&j, &value) in columns.iter().zip(values) {
                let start = j as usize * width + from;
                for (sum, x) in sums.iter_mut().zip(&x[start..start + LANES]) {
                    *sum += value * x;
                }
            }
            out.copy_from_slice(&sums);
            from += LANES;
        }
        let rest = lanes.into_remainder();
        rest.fill(0.0);
        for (&j, &value) in columns.iter().zip(values) {
            let start = j as usize * width + from;
            for (sum, x) in rest.iter_mut().zip(&x[start..]) {
                *sum += value * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_by_hand() {
        let a = Csr::from_entries(3, 3, vec![(0, 1, 2.0), (1, 0, 2.0), (2, 2, 5.0)]).unwrap();
        let x = Dense::new(3, 2, vec![1.0, 10.0, 2.0, 20.0, 3.0, 30.0]).unwrap();
        let mut out = Dense::zeros(3, 2);
        a.apply(&x, &mut out);
        assert_eq!(out.data(), [4.0, 40.0, 2.0, 20.0, 15.0, 150.0]);
    }
}
