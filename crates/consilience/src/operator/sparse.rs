//! A square sparse matrix as an operator.

use multiversion::multiversion;
use rayon::prelude::*;

use super::{LinOp, OperatorData};
use crate::matrix::{Csr, Dense};

impl LinOp for Csr<f64> {
    fn size(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        multiply(self, x, out);
    }

    fn data(&self) -> Option<OperatorData> {
        Some(OperatorData::Sparse(self.clone()))
    }
}

/// Products with fewer multiplications are made by the calling thread: waking another costs more than it saves.
const MAX_SEQUENTIAL: usize = 1 << 20;
/// Rows of a product that one task makes; no sum crosses rows, so the number is free.
const TASK_ROWS: usize = 256;

/// `out = a x` for a sparse matrix of any shape: the rows of `out` are those of `a`, the rows of `x` its columns.
pub(crate) fn multiply(a: &Csr<f64>, x: &Dense<f64>, out: &mut Dense<f64>) {
    let width = x.cols();
    if a.nnz() * width < MAX_SEQUENTIAL {
        return multiply_rows(a, 0, x.data(), out.data_mut(), width);
    }
    out.data_mut().par_chunks_mut((width * TASK_ROWS).max(1)).enumerate().for_each(|(chunk, out)| {
        multiply_rows(a, chunk * TASK_ROWS, x.data(), out, width);
    });
}

/// Rows `first..` of the product, as many as fit `out`. Row-major blocks make every access to `x` a run of `width`;
/// usual widths are known to the compiler, which then keeps a row's sums in registers.
fn multiply_rows(a: &Csr<f64>, first: usize, x: &[f64], out: &mut [f64], width: usize) {
    macro_rules! by_width {
        ($($fixed:literal)+) => {
            match width {
                $($fixed => multiply_fixed::<$fixed>(a, first, x, out),)+
                _ => multiply_any(a, first, x, out, width),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 32);
}

#[multiversion(targets = "simd")]
fn multiply_fixed<const WIDTH: usize>(a: &Csr<f64>, first: usize, x: &[f64], out: &mut [f64]) {
    let (x, _) = x.as_chunks::<WIDTH>();
    for (i, out) in out.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        let mut sums = [0.0; WIDTH];
        let (columns, values) = a.row(first + i);
        for (&j, &value) in columns.iter().zip(values) {
            for (sum, x) in sums.iter_mut().zip(&x[j as usize]) {
                *sum += value * x;
            }
        }
        *out = sums;
    }
}

/// Columns whose sums are kept in registers at a time.
const PANEL: usize = 16;

#[multiversion(targets = "simd")]
fn multiply_any(a: &Csr<f64>, first: usize, x: &[f64], out: &mut [f64], width: usize) {
    let whole = width - width % PANEL;
    for (i, out) in out.chunks_exact_mut(width).enumerate() {
        let (columns, values) = a.row(first + i);
        let (panels, rest) = out.split_at_mut(whole);
        for (p, out) in panels.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
            let mut sums = [0.0; PANEL];
            for (&j, &value) in columns.iter().zip(values) {
                let from = j as usize * width + p * PANEL;
                for (sum, x) in sums.iter_mut().zip(&x[from..from + PANEL]) {
                    *sum += value * x;
                }
            }
            *out = sums;
        }
        rest.fill(0.0);
        for (&j, &value) in columns.iter().zip(values) {
            let row = &x[j as usize * width + whole..(j as usize + 1) * width];
            for (sum, x) in rest.iter_mut().zip(row) {
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

    #[test]
    fn every_width_gives_the_same_columns() {
        let edges = (0..60).map(|e: usize| (e * 7 % 20, (e * 11 % 20) as u32, 0.1 * e as f64)).collect();
        let a = Csr::from_entries(20, 20, edges).unwrap();
        let wide = Dense::from_fn(20, 40, |i, j| ((i * 3 + j * 5) % 7) as f64);
        let mut whole = Dense::zeros(20, 40);
        a.apply(&wide, &mut whole);
        for width in 1..40 {
            let mut out = Dense::zeros(20, width);
            a.apply(&wide.first_columns(width), &mut out);
            assert_eq!(out.data(), whole.first_columns(width).data());
        }
    }
}
