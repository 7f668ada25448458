//! Singular value thresholding of a tall matrix in single precision, as robust PCA needs it again and again.
//!
//! `D_t(M) = U max(S - t, 0) V' = M V max(1 - t/S, 0) V'`. The first iterations keep a few singular values, which are
//! searched for from the last vectors; later ones keep half of them and more, and then nothing is faster than all
//! eigenpairs of `M'M`. (Methods on n x n matrices have `method::common::SingularValueThreshold`, in double precision
//! and to a bound; here the data are noise by a tenth and single precision is exact enough.)

use faer::{Accum, Mat, MatMut, MatRef};
use rayon::prelude::*;

use crate::matrix::{Dense, TASK_ROWS, matmul, row_blocks_mut, symmetric_eigen};
use crate::operator::{EigenAbove, GramOperator, TopEigen};
use crate::{Result, Run};

/// Up to this many columns all eigenpairs are computed.
const MAX_DIRECT_COLUMNS: usize = 256;
/// A search is worth its while for fewer than one in so many singular values.
const SEARCHED_SHARE: usize = 10;
const MAX_PASSES: usize = 12;
/// Distance of a searched result from the exact one, relative to `t sqrt(rank)`.
const ACCURACY: f64 = 1e-5;
/// When so many singular values of so many are kept, it hardly matters which vectors they belong to.
const NEARLY_ALL: (usize, usize) = (9, 10);
/// Of the largest singular value alone.
const NORM_ACCURACY: f64 = 1e-4;
const MAX_PRODUCTS: usize = 60;

/// Thresholding of a matrix that changes from iteration to iteration, the threshold always falling.
#[derive(Default)]
pub(super) struct TallThreshold {
    /// Right singular vectors of the last result and some more, d x few.
    vectors: Option<Dense<f64>>,
    /// Too many singular values are above the threshold to be searched for, now and from now on.
    many: bool,
    /// All right singular vectors of the last full solution, d x d, when nearly all were kept.
    basis: Option<Mat<f32>>,
}

/// Singular values, those above a threshold or all, and the right singular vectors in the columns.
struct Leading {
    values: Vec<f64>,
    vectors: Mat<f32>,
}

impl TallThreshold {
    /// `out = D_threshold(m)`. When `settled` and nearly all singular values were kept, the singular vectors of the last
    /// full solution are taken for those of `m`: the factors of neighbouring values are nearly the same.
    pub(super) fn apply(
        &mut self,
        m: &Dense<f32>,
        threshold: f64,
        settled: bool,
        out: &mut Dense<f32>,
        run: &Run,
    ) -> Result<()> {
        run.check()?;
        if let Some(basis) = self.basis.as_ref().filter(|_| settled) {
            rebuild(m, &lengths(m, basis.as_ref()), basis.as_ref(), threshold, out);
            return Ok(());
        }
        let leading = match self.search(m, threshold, run)? {
            Some(found) => found,
            None => solve(m)?,
        };
        run.check()?;
        rebuild(m, &leading.values, leading.vectors.as_ref(), threshold, out);
        let above = leading.values.iter().filter(|value| **value > threshold).count();
        let whole = m.cols() > MAX_DIRECT_COLUMNS && above * NEARLY_ALL.1 >= m.cols() * NEARLY_ALL.0;
        self.basis = whole.then_some(leading.vectors);
        Ok(())
    }

    fn search(&mut self, m: &Dense<f32>, threshold: f64, run: &Run) -> Result<Option<Leading>> {
        if self.many || m.cols() <= MAX_DIRECT_COLUMNS {
            return Ok(None);
        }
        let start = self.vectors.take().unwrap_or_else(|| Dense::zeros(m.cols(), 0));
        let accuracy = ACCURACY * threshold * (start.cols().max(1) as f64).sqrt();
        let most = m.cols() / SEARCHED_SHARE;
        let search = EigenAbove { threshold: threshold * threshold, accuracy, most, passes: MAX_PASSES, seed: 0 };
        let Some(found) = search.solve(&GramOperator::new(m), &start, run)? else {
            self.many = true;
            return Ok(None);
        };
        let values: Vec<f64> = found.values.iter().map(|square| square.sqrt()).collect();
        let vectors = Mat::from_fn(m.cols(), values.len(), |i, j| found.vectors.get(i, j) as f32);
        self.vectors = Some(found.vectors);
        Ok(Some(Leading { values, vectors }))
    }
}

/// The largest singular value.
pub(super) fn spectral_norm(m: &Dense<f32>, run: &Run) -> Result<f64> {
    if m.cols() <= MAX_DIRECT_COLUMNS {
        let squares = symmetric_eigen(lower_gram(m).as_ref())?.values;
        return Ok(squares.first().map_or(0.0, |square| f64::from(square.max(0.0)).sqrt()));
    }
    let request = TopEigen { tolerance: NORM_ACCURACY, max_products: MAX_PRODUCTS, ..TopEigen::new(1) };
    let found = request.solve(&GramOperator::new(m), None, run)?;
    Ok(found.values.first().map_or(0.0, |square| square.max(0.0).sqrt()))
}

/// All singular values and vectors, through `m'm`.
fn solve(m: &Dense<f32>) -> Result<Leading> {
    let eigen = symmetric_eigen(lower_gram(m).as_ref())?;
    let values = eigen.values.iter().map(|square| f64::from(square.max(0.0)).sqrt()).collect();
    Ok(Leading { values, vectors: eigen.vectors })
}

/// `|m v|` for every column v of the basis.
fn lengths(m: &Dense<f32>, basis: MatRef<'_, f32>) -> Vec<f64> {
    let width = m.cols().max(1);
    let parts = m.data().par_chunks(TASK_ROWS * width).map(|rows| {
        let rows = MatRef::from_row_major_slice(rows, rows.len() / width, width);
        let mut image = Mat::zeros(rows.nrows(), basis.ncols());
        matmul(image.as_mut(), Accum::Replace, rows, basis, 1.0);
        let square = |j: usize| image.col(j).iter().map(|x: &f32| f64::from(x * x)).sum::<f64>();
        (0..basis.ncols()).map(square).collect::<Vec<f64>>()
    });
    let parts: Vec<Vec<f64>> = parts.collect();
    (0..basis.ncols()).map(|j| parts.iter().map(|part| part[j]).sum::<f64>().sqrt()).collect()
}

/// The lower triangle of `m'm`; blocks of rows in parallel, each by one thread.
fn lower_gram(m: &Dense<f32>) -> Mat<f32> {
    let all = MatRef::from_row_major_slice(m.data(), m.rows(), m.cols());
    let mut out = Mat::zeros(m.cols(), m.cols());
    row_blocks_mut(out.as_mut(), TASK_ROWS).into_par_iter().enumerate().for_each(|(chunk, out)| {
        let (first, width) = (chunk * TASK_ROWS, out.nrows());
        let end = first + width;
        matmul(
            out.subcols_mut(0, end),
            Accum::Replace,
            all.subcols(first, width).transpose(),
            all.subcols(0, end),
            1.0,
        );
    });
    out
}

/// `out = M V max(1 - t / S, 0) V'`: through the small matrix `V .. V'` when many values are kept, through `M V` when few.
fn rebuild(m: &Dense<f32>, values: &[f64], vectors: MatRef<'_, f32>, threshold: f64, out: &mut Dense<f32>) {
    let width = m.cols().max(1);
    let above: Vec<usize> = (0..values.len()).filter(|&j| values[j] > threshold).collect();
    let kept = above.len();
    let right = Mat::from_fn(m.cols(), kept, |i, r| vectors[(i, above[r])]);
    let right = right.as_ref();
    let factor = |r: usize| (1.0 - threshold / values[above[r]]) as f32;
    let scaled = Mat::from_fn(m.cols(), kept, |i, r| right[(i, r)] * factor(r));
    let whole = (2 * kept > m.cols()).then(|| {
        let mut whole = Mat::zeros(m.cols(), m.cols());
        row_blocks_mut(whole.as_mut(), TASK_ROWS).into_par_iter().enumerate().for_each(|(chunk, out)| {
            let rows = scaled.as_ref().subrows(chunk * TASK_ROWS, out.nrows());
            matmul(out, Accum::Replace, rows, right.transpose(), 1.0);
        });
        whole
    });
    let tasks = out.data_mut().par_chunks_mut(TASK_ROWS * width).zip(m.data().par_chunks(TASK_ROWS * width));
    tasks.for_each(|(out, rows)| {
        let rows = MatRef::from_row_major_slice(rows, rows.len() / width, width);
        let out = MatMut::from_row_major_slice_mut(out, rows.nrows(), width);
        match &whole {
            Some(whole) => matmul(out, Accum::Replace, rows, whole.as_ref(), 1.0),
            None => {
                let mut scores = Mat::zeros(rows.nrows(), kept);
                matmul(scores.as_mut(), Accum::Replace, rows, scaled.as_ref(), 1.0);
                matmul(out, Accum::Replace, scores.as_ref(), right.transpose(), 1.0);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Singular values that fall, in a matrix whose left and right vectors look random.
    fn falling(n: usize, d: usize, turn: f64) -> Dense<f32> {
        let wave = |i: usize, r: usize, by: f64| ((i * (r + 1)) as f64 * by + turn * r as f64).sin();
        Dense::from_fn(n, d, |i, j| {
            (0..30).map(|r| 0.8_f64.powi(r as i32) * wave(i, r, 0.7) * wave(j, r, 1.3)).sum::<f64>() as f32
        })
    }

    #[test]
    fn a_search_from_the_last_vectors_equals_the_full_solution() {
        let (n, d) = (400, 300);
        let mut memory = TallThreshold::default();
        for step in 0..3 {
            let m = falling(n, d, 0.01 * f64::from(step));
            let threshold = 20.0 * 0.7_f64.powi(step);
            let (mut searched, mut solved) = (Dense::zeros(n, d), Dense::zeros(n, d));
            memory.apply(&m, threshold, false, &mut searched, &Run::default()).unwrap();
            let all = solve(&m).unwrap();
            rebuild(&m, &all.values, all.vectors.as_ref(), threshold, &mut solved);
            let norm = solved.data().iter().map(|x| x * x).sum::<f32>().sqrt();
            let pairs = searched.data().iter().zip(solved.data());
            let gap = pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
            assert!(norm > 1.0 && gap < 1e-3 * norm, "{gap} of {norm}");
        }
        assert!(!memory.many);
    }
}
