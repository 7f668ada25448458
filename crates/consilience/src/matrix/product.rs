//! Products of tall matrices, in parallel over fixed row chunks so that sums do not depend on the number of threads.

use faer::traits::RealField;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::{Dense, Real};

/// `out = factor a b`, or added to it, on the calling thread.
pub(crate) fn matmul<T: RealField>(out: MatMut<'_, T>, accum: Accum, a: MatRef<'_, T>, b: MatRef<'_, T>, factor: T) {
    faer::linalg::matmul::matmul(out, accum, a, b, factor, Par::Seq);
    release_wide_registers();
}

/// Tells the processor that nothing is in the upper parts of its vector registers. faer's kernels leave them as they are, and on
/// some processors ordinary arithmetic that follows must then keep them: logarithms take 25 times as long.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn release_wide_registers() {
    if std::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instruction, and no caller keeps anything in these parts of the registers across a call
        unsafe { std::arch::x86_64::_mm256_zeroupper() }
    }
}

/// Other processors have no such registers.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn release_wide_registers() {}

/// Rows handled by one task; a sum over rows has at most [`MOST_PARTS`] parts.
pub(crate) const ROW_CHUNK: usize = 1024;
const MOST_PARTS: usize = 64;
/// A product of fewer multiplications is made in one piece: waking another thread costs more than it saves.
const ONE_PIECE: usize = 1 << 23;

/// Rows per task of a product with `work` multiplications; depends on the shape only, never on the number of threads.
fn chunk_rows(n: usize, work: usize) -> usize {
    if work < ONE_PIECE { n.max(1) } else { ROW_CHUNK.max(n.div_ceil(MOST_PARTS)) }
}

impl Dense<f64> {
    /// The same memory as faer sees it.
    pub(crate) fn as_mat(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(self.data(), self.rows(), self.cols())
    }

    /// The same memory as faer sees it, to be written.
    pub(crate) fn as_mat_mut(&mut self) -> MatMut<'_, f64> {
        let (rows, cols) = (self.rows(), self.cols());
        MatMut::from_row_major_slice_mut(self.data_mut(), rows, cols)
    }
}

/// A result of faer's in our own layout; for small ones.
pub(crate) fn from_mat(mat: &Mat<f64>) -> Dense<f64> {
    Dense::from_fn(mat.nrows(), mat.ncols(), |i, j| mat[(i, j)])
}

/// `a' b`, with `a` n x p and `b` n x q tall.
pub(crate) fn gram(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let chunk = chunk_rows(a.nrows(), a.nrows() * a.ncols() * b.ncols());
    let parts: Vec<Mat<f64>> = (0..a.nrows().div_ceil(chunk))
        .into_par_iter()
        .map(|part| {
            let from = part * chunk;
            let rows = chunk.min(a.nrows() - from);
            let mut out = Mat::zeros(a.ncols(), b.ncols());
            let (a, b) = (a.subrows(from, rows), b.subrows(from, rows));
            matmul(out.as_mut(), Accum::Replace, a.transpose(), b, 1.0);
            out
        })
        .collect();
    parts.into_iter().reduce(|sum, part| sum + part).unwrap_or_else(|| Mat::zeros(a.ncols(), b.ncols()))
}

/// `out = a c`, with `a` tall and `c` small.
pub(crate) fn multiply_small(out: MatMut<'_, f64>, a: MatRef<'_, f64>, c: MatRef<'_, f64>) {
    product_into(out, Accum::Replace, a, c, 1.0);
}

/// `out -= a c`, with `a` tall and `c` small.
pub(crate) fn subtract_product(out: MatMut<'_, f64>, a: MatRef<'_, f64>, c: MatRef<'_, f64>) {
    product_into(out, Accum::Add, a, c, -1.0);
}

/// `out += factor a c`, with `a` tall and `c` small.
pub(crate) fn add_product(out: MatMut<'_, f64>, a: MatRef<'_, f64>, c: MatRef<'_, f64>, factor: f64) {
    product_into(out, Accum::Add, a, c, factor);
}

fn product_into(out: MatMut<'_, f64>, accum: Accum, a: MatRef<'_, f64>, c: MatRef<'_, f64>, factor: f64) {
    let chunk = chunk_rows(a.nrows(), a.nrows() * a.ncols() * c.ncols());
    if chunk >= a.nrows() {
        return matmul(out, accum, a, c, factor);
    }
    row_blocks_mut(out, chunk).into_par_iter().enumerate().for_each(|(block, out)| {
        let a = a.subrows(block * chunk, out.nrows());
        matmul(out, accum, a, c, factor);
    });
}

/// Blocks of `rows` rows, for threads to share.
pub(crate) fn row_blocks_mut<T>(m: MatMut<'_, T>, rows: usize) -> Vec<MatMut<'_, T>> {
    let (mut blocks, mut rest) = (Vec::with_capacity(m.nrows().div_ceil(rows)), m);
    while rest.nrows() > rows {
        let (block, below) = rest.split_at_row_mut(rows);
        blocks.push(block);
        rest = below;
    }
    blocks.push(rest);
    blocks
}

/// Rows of an n x n matrix that one task handles: enough for a fast product, few enough to keep several threads busy.
pub(crate) const TASK_ROWS: usize = 256;

/// `out = m x` for an n x n matrix `m` of any precision; sums are made in double precision.
pub(crate) fn multiply_square<T: Real>(m: &Dense<T>, x: &Dense<f64>, out: &mut Dense<f64>) {
    let (depth, width) = (m.cols().max(1), x.cols().max(1));
    let tasks = out.data_mut().par_chunks_mut(TASK_ROWS * width).zip(m.data().par_chunks(TASK_ROWS * depth));
    tasks.for_each_init(Vec::new, |scratch, (out, rows)| {
        let rows = MatRef::from_row_major_slice(T::widened(rows, scratch), rows.len() / depth, depth);
        let out = MatMut::from_row_major_slice_mut(out, rows.nrows(), width);
        matmul(out, Accum::Replace, rows, x.as_mat(), 1.0);
    });
}

/// Parts of the sum in [`gram_times`].
const GRAM_PARTS: usize = 8;

/// `out = m' (m x)` for a table `m` of any precision, in one pass over it; sums are made in double precision.
pub(crate) fn gram_times<T: Real>(m: &Dense<T>, x: &Dense<f64>, out: &mut Dense<f64>) {
    let (depth, width) = (m.cols().max(1), x.cols().max(1));
    let part_rows = m.rows().div_ceil(GRAM_PARTS).max(TASK_ROWS.min(m.rows())).max(1);
    let parts = m.data().par_chunks(part_rows * depth).map_init(Vec::new, |scratch, part| {
        let mut sum = vec![0.0; depth * width];
        for rows in part.chunks(TASK_ROWS * depth) {
            let rows = MatRef::from_row_major_slice(T::widened(rows, scratch), rows.len() / depth, depth);
            let mut image = vec![0.0; rows.nrows() * width];
            let mut image = MatMut::from_row_major_slice_mut(&mut image, rows.nrows(), width);
            matmul(image.as_mut(), Accum::Replace, rows, x.as_mat(), 1.0);
            let sum = MatMut::from_row_major_slice_mut(&mut sum, depth, width);
            matmul(sum, Accum::Add, rows.transpose(), image.as_ref(), 1.0);
        }
        sum
    });
    let parts: Vec<Vec<f64>> = parts.collect();
    out.data_mut().par_chunks_mut(width * ROW_CHUNK).enumerate().for_each(|(chunk, out)| {
        let first = chunk * width * ROW_CHUNK;
        for (at, out) in out.iter_mut().enumerate() {
            *out = parts.iter().map(|part| part[first + at]).sum();
        }
    });
}

/// The lower triangle of `m' m` for a table `m` of any precision, written out.
pub(crate) fn square_gram<T: Real>(m: &Dense<T>) -> Mat<f64> {
    let n = m.cols();
    let mut out = Mat::zeros(n, n);
    let blocks = row_blocks_mut(out.as_mut(), TASK_ROWS);
    blocks.into_par_iter().enumerate().for_each_init(Vec::new, |scratch, (chunk, mut out)| {
        let first = chunk * TASK_ROWS;
        let (width, end) = (out.nrows(), first + out.nrows());
        for rows in m.data().chunks(TASK_ROWS * n.max(1)) {
            let rows = MatRef::from_row_major_slice(T::widened(rows, scratch), rows.len() / n, n);
            let left = rows.subcols(first, width).transpose();
            matmul(out.as_mut().subcols_mut(0, end), Accum::Add, left, rows.subcols(0, end), 1.0);
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn tables_in_both_precisions_equal_whole_products() {
        let m = Dense::from_fn(700, 600, |i, j| ((i * 7 + j * 3) % 11) as f64 - 4.0);
        let x = Dense::from_fn(600, 5, |i, j| ((i * 5 + j) % 13) as f64);
        let (whole, gram) = (m.as_mat() * x.as_mat(), m.as_mat().transpose() * m.as_mat());
        let mut out = Dense::zeros(700, 5);
        multiply_square(&m, &x, &mut out);
        assert_eq!((out.as_mat() - &whole).norm_max(), 0.0);
        multiply_square(&m.cast::<f32>(), &x, &mut out);
        assert_eq!((out.as_mat() - &whole).norm_max(), 0.0);
        let mut out = Dense::zeros(600, 5);
        gram_times(&m.cast::<f32>(), &x, &mut out);
        assert_eq!((out.as_mat() - &gram * x.as_mat()).norm_max(), 0.0);
        let lower = square_gram(&m);
        assert!((0..600).all(|i| (0..=i).all(|j| lower[(i, j)] == gram[(i, j)])));
    }

    #[test]
    fn chunked_products_equal_whole_ones() {
        let a = Mat::from_fn(9000, 40, |i, j| ((i * 7 + j * 3) % 11) as f64);
        let b = Mat::from_fn(9000, 30, |i, j| ((i * 5 + j) % 13) as f64);
        let whole = a.transpose() * &b;
        assert!((gram(a.as_ref(), b.as_ref()) - &whole).norm_max() < 1e-6);
        let c = Mat::from_fn(40, 30, |i, j| (i + 2 * j) as f64);
        let mut out = Mat::zeros(9000, 30);
        multiply_small(out.as_mut(), a.as_ref(), c.as_ref());
        assert!((&out - &a * &c).norm_max() < 1e-7);
        subtract_product(out.as_mut(), a.as_ref(), c.as_ref());
        assert_eq!(out.norm_max(), 0.0);
        add_product(out.as_mut(), a.as_ref(), c.as_ref(), 2.0);
        assert!((&out - 2.0 * (&a * &c)).norm_max() < 1e-7);
    }
}
