//! A growing set of orthonormal columns, stored row by row with room for all of them.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::Result;
use crate::matrix::{Dense, ROW_CHUNK, gram, multiply_small, subtract_product, symmetric_eigen};

/// Directions shorter than this share of the longest are dropped as linearly dependent.
const DEPENDENT: f64 = 1e-10;

/// Columns `0..used` of an n x capacity matrix.
pub(super) struct Basis {
    rows: usize,
    capacity: usize,
    used: usize,
    data: Vec<f64>,
}

impl Basis {
    pub(super) fn new(rows: usize, capacity: usize) -> Self {
        Self { rows, capacity, used: 0, data: vec![0.0; rows * capacity] }
    }

    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// The columns in use.
    pub(super) fn columns(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice_with_stride(&self.data, self.rows, self.used, self.capacity)
    }

    /// The last `count` columns in use.
    pub(super) fn last(&self, count: usize) -> MatRef<'_, f64> {
        self.columns().subcols(self.used - count, count)
    }

    pub(super) fn append(&mut self, block: &Dense<f64>) {
        let (from, to) = (self.used, self.used + block.cols());
        let rows = self.data.par_chunks_mut(self.capacity * ROW_CHUNK);
        rows.zip(block.data().par_chunks(block.cols() * ROW_CHUNK)).for_each(|(rows, block_rows)| {
            for (row, new) in rows.chunks_exact_mut(self.capacity).zip(block_rows.chunks_exact(to - from)) {
                row[from..to].copy_from_slice(new);
            }
        });
        self.used = to;
    }

    /// `columns * rotation`, n x (columns of the rotation).
    pub(super) fn combined(&self, rotation: MatRef<'_, f64>) -> Dense<f64> {
        let mut out = Dense::zeros(self.rows, rotation.ncols());
        multiply_small(out.as_mat_mut(), self.columns(), rotation);
        out
    }

    /// Replaces the columns by their combinations.
    pub(super) fn rotate(&mut self, rotation: MatRef<'_, f64>) {
        let rotated = self.combined(rotation);
        self.used = 0;
        self.append(&rotated);
    }
}

/// A pass that leaves at least this much of every column has made it as orthogonal as the others are (Daniel, Gragg,
/// Kaufman, Stewart). With less left, whatever error the basis has would grow from block to block.
const CLEAN_PASS: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Makes the columns of `block` orthonormal and orthogonal to `against`; dependent ones are dropped. `known_overlap` is
/// `against' block` where the caller has it already.
///
/// Twice is enough, and once where little is taken away (Giraud et al.). A column that a pass all but wipes out was
/// dependent: what is left of it is rounding noise, which may well lie in the span again.
pub(super) fn orthonormalise(
    mut block: Dense<f64>,
    against: &Basis,
    mut known_overlap: Option<Mat<f64>>,
) -> Result<Dense<f64>> {
    for least_left in [DEPENDENT, 0.5] {
        let mut clean = true;
        if against.used() > 0 && block.cols() > 0 {
            let before = column_lengths(&block);
            let overlap = known_overlap.take().unwrap_or_else(|| gram(against.columns(), block.as_mat()));
            subtract_product(block.as_mat_mut(), against.columns(), overlap.as_ref());
            let left = column_lengths(&block);
            clean = (0..before.len()).all(|j| left[j] > CLEAN_PASS * before[j]);
            let keep: Vec<usize> = (0..before.len()).filter(|&j| left[j] > least_left * before[j]).collect();
            if keep.len() < before.len() {
                block = Dense::from_fn(block.rows(), keep.len(), |i, j| block.get(i, keep[j]));
            }
        }
        let (whitened, well_conditioned) = whiten(&block)?;
        block = whitened;
        if clean && well_conditioned {
            break;
        }
    }
    Ok(block)
}

fn column_lengths(block: &Dense<f64>) -> Vec<f64> {
    let mut squares = vec![0.0; block.cols()];
    for row in block.iter_rows() {
        squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// Orthonormal columns with the same span, through the eigenvectors of the Gram matrix of the unit columns, and whether
/// they are orthonormal to the last digits.
fn whiten(block: &Dense<f64>) -> Result<(Dense<f64>, bool)> {
    let width = block.cols();
    if width == 0 {
        return Ok((block.clone(), true));
    }
    let overlap = gram(block.as_mat(), block.as_mat());
    let length = |j: usize| if overlap[(j, j)] > 0.0 { overlap[(j, j)].sqrt() } else { 1.0 };
    let unit = Mat::from_fn(width, width, |i, j| overlap[(i, j)] / (length(i) * length(j)));
    let eigen = symmetric_eigen(unit.as_ref())?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let kept = eigen.values.iter().take_while(|&&x| x > DEPENDENT * largest && x > 0.0).count();
    let rotation = Mat::from_fn(width, kept, |i, j| eigen.vectors[(i, j)] / (length(i) * eigen.values[j].sqrt()));
    let mut out = Dense::zeros(block.rows(), kept);
    if kept > 0 {
        multiply_small(out.as_mat_mut(), block.as_mat(), rotation.as_ref());
    }
    let least = eigen.values.get(kept.saturating_sub(1)).copied().unwrap_or(0.0);
    Ok((out, least > 1e-4 * largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_columns_are_dropped_and_the_rest_is_orthonormal() {
        let block = Dense::from_fn(50, 4, |i, j| match j {
            0 => (i as f64).sin(),
            1 => (i as f64).cos() * 1e6,
            2 => 1.0,
            _ => (i as f64).sin() + 2.0,
        });
        let mut basis = Basis::new(50, 8);
        basis.append(&orthonormalise(block, &Basis::new(50, 8), None).unwrap());
        assert_eq!(basis.used(), 3);
        let more = orthonormalise(Dense::from_fn(50, 2, |i, j| ((i * (j + 2)) % 7) as f64), &basis, None).unwrap();
        basis.append(&more);
        let overlap = gram(basis.columns(), basis.columns());
        assert!((overlap - Mat::<f64>::identity(5, 5)).norm_max() < 1e-12);
    }
}
