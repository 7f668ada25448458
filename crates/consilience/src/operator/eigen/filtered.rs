//! Subspace iteration with a Chebyshev filter, for many eigenpairs (Zhou, Saad, Tiago, Chelikowsky 2006).
//!
//! A polynomial of the operator that is small on the unwanted part of the spectrum and grows fast beyond it is applied to
//! a block a little wider than the number of pairs; then Rayleigh-Ritz. What a search space that grows block by block
//! spends on keeping hundreds of columns orthogonal, this spends on sparse products, which are cheap.

use faer::Mat;
use rayon::prelude::*;

use super::basis::{Basis, orthonormalise};
use super::krylov::{first_block, share_of_digits};
use super::{EigenPairs, MOST_FURTHER, TopEigen, exact_enough};
use crate::matrix::{Dense, ROW_CHUNK, cholesky_orthonormal, gram, multiply_small, symmetric_eigen};
use crate::operator::LinOp;
use crate::{Result, Run};

/// Degree of the polynomial: products between two looks at the Ritz pairs.
const DEGREE: usize = 10;
/// Steps of Lanczos' method for the lower end of the spectrum.
const LANCZOS_STEPS: usize = 10;

/// Columns of the block: those beyond the wanted pairs make the last wanted ones converge. Whole registers of them, since products
/// with a part of one cost as much.
pub(super) fn width(count: usize) -> usize {
    (count + count / 8 + 8).next_multiple_of(8)
}

pub(super) fn solve(
    operator: &dyn LinOp,
    options: &TopEigen,
    start: Option<&Dense<f64>>,
    run: &Run,
) -> Result<EigenPairs> {
    let n = operator.size();
    let lowest = lower_end(operator, options.seed)?;
    let mut products = LANCZOS_STEPS;
    let mut block = full_rank(first_block(n, width(options.count), options.seed, start), options.seed)?;
    let mut first = None;
    loop {
        run.check()?;
        let ritz = Ritz::new(operator, &block)?;
        products += 1;
        let residual = options.residual(&ritz.residuals(options.count));
        run.progress(share_of_digits(*first.get_or_insert(residual), residual, options.tolerance), 100);
        let converged = residual <= options.tolerance;
        if converged || products >= options.max_products {
            let count = options.count.min(ritz.values.len());
            let (values, vectors) = (ritz.values[..count].to_vec(), ritz.vectors.first_columns(count));
            let further = ritz.further(count);
            return Ok(EigenPairs { values, vectors, residual, products, converged, further });
        }
        block = full_rank(ritz.filtered(operator, lowest, run)?, options.seed ^ products as u64)?;
        products += DEGREE - 1;
    }
}

/// What a block says about the operator.
struct Ritz {
    /// Largest first.
    values: Vec<f64>,
    /// n x width, orthonormal.
    vectors: Dense<f64>,
    /// A times the vectors.
    image: Dense<f64>,
}

impl Ritz {
    /// `block` has orthonormal columns.
    fn new(operator: &dyn LinOp, block: &Dense<f64>) -> Result<Self> {
        let (n, width) = (block.rows(), block.cols());
        let (mut vectors, mut image) = (Dense::zeros(n, width), Dense::zeros(n, width));
        // the image of the block, and room for the rotated one
        operator.apply(block, &mut vectors);
        let small = gram(block.as_mat(), vectors.as_mat());
        let symmetric = Mat::from_fn(width, width, |i, j| 0.5 * (small[(i, j)] + small[(j, i)]));
        let eigen = symmetric_eigen(symmetric.as_ref())?;
        multiply_small(image.as_mat_mut(), vectors.as_mat(), eigen.vectors.as_ref());
        multiply_small(vectors.as_mat_mut(), block.as_mat(), eigen.vectors.as_ref());
        Ok(Self { values: eigen.values, vectors, image })
    }

    fn largest(&self) -> f64 {
        self.values.first().map_or(1.0, |x| x.abs().max(f64::MIN_POSITIVE))
    }

    /// `|A x - a x|` of each of the first `count` pairs, relative to the largest value.
    fn residuals(&self, count: usize) -> Vec<f64> {
        let mut squares = vec![0.0_f64; count.min(self.values.len())];
        for (image, vector) in self.image.iter_rows().zip(self.vectors.iter_rows()) {
            let entries = squares.iter_mut().zip(image).zip(vector).zip(&self.values);
            entries.for_each(|(((square, y), x), value)| *square += (y - value * x).powi(2));
        }
        squares.into_iter().map(|square| square.sqrt() / self.largest()).collect()
    }

    /// The eigenvalues after the first `count`, as far as the block knows them already.
    fn further(&self, count: usize) -> Vec<f64> {
        let residuals = self.residuals(count + MOST_FURTHER);
        exact_enough(&self.values[count..residuals.len()], &residuals[count..])
    }

    /// The polynomial of the operator, times the vectors. It is at most about 1 between `lowest` and the last Ritz value,
    /// and 1 at the largest after scaling.
    fn filtered(self, operator: &dyn LinOp, lowest: f64, run: &Run) -> Result<Dense<f64>> {
        let largest = self.largest();
        let last = self.values.last().copied().unwrap_or(0.0);
        // an interval of no length cannot be scaled to [-1, 1]
        let cut = last.max(lowest + 0.01 * (largest - lowest)).min(largest - 1e-3 * (largest - lowest));
        let (half, middle) = (0.5 * (cut - lowest), 0.5 * (cut + lowest));
        let first = half / (largest - middle);
        let mut scale = first;
        let (mut before, mut now) = (self.vectors, self.image);
        combine(&mut now, &before, &before, |image, x, _| (image - middle * x) * scale / half);
        let mut next = Dense::zeros(now.rows(), now.cols());
        for _ in 1..DEGREE {
            // products with many samples take their time
            run.check()?;
            let following = 1.0 / (2.0 / first - scale);
            operator.apply(&now, &mut next);
            combine(&mut next, &now, &before, |image, x, before| {
                (image - middle * x) * 2.0 * following / half - scale * following * before
            });
            (before, now, next) = (now, next, before);
            scale = following;
        }
        Ok(now)
    }
}

/// `out = f(out, first, second)`, entry by entry.
fn combine(out: &mut Dense<f64>, first: &Dense<f64>, second: &Dense<f64>, f: impl Fn(f64, f64, f64) -> f64 + Sync) {
    let chunk = ROW_CHUNK * out.cols().max(1);
    let chunks = out.data_mut().par_chunks_mut(chunk).zip(first.data().par_chunks(chunk));
    chunks.zip(second.data().par_chunks(chunk)).for_each(|((out, first), second)| {
        out.iter_mut().zip(first).zip(second).for_each(|((out, x), y)| *out = f(*out, *x, *y));
    });
}

/// Orthonormal columns, as many as the block has; chance fills up where columns are dependent.
fn full_rank(block: Dense<f64>, seed: u64) -> Result<Dense<f64>> {
    if let Some(basis) = cholesky_orthonormal(&block) {
        return Ok(basis);
    }
    let (n, width) = (block.rows(), block.cols());
    let mut basis = Basis::new(n, width);
    let mut next = block;
    for attempt in 0_u64.. {
        let found = orthonormalise(next, &basis, None)?;
        if found.cols() > 0 {
            basis.append(&found);
        }
        if basis.used() >= width || attempt > 4 {
            break;
        }
        next = first_block(n, width - basis.used(), seed.wrapping_add(attempt), None);
    }
    Ok(basis.combined(Mat::<f64>::identity(basis.used(), basis.used()).as_ref()))
}

/// A number that no eigenvalue is below: the least Ritz value of a short Krylov space, less the length of what it leaves.
fn lower_end(operator: &dyn LinOp, seed: u64) -> Result<f64> {
    let n = operator.size();
    let steps = LANCZOS_STEPS.min(n);
    let mut basis = Basis::new(n, steps);
    let mut next = first_block(n, 1, seed, None);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    while diagonal.len() < steps {
        let vector = orthonormalise(next, &basis, None)?;
        if vector.cols() == 0 {
            break;
        }
        basis.append(&vector);
        next = Dense::zeros(n, 1);
        operator.apply(&vector, &mut next);
        let overlap = gram(basis.columns(), next.as_mat());
        diagonal.push(overlap[(basis.used() - 1, 0)]);
        let left = next.data().iter().map(|x| x * x).sum::<f64>() - overlap.squared_norm_l2();
        beside.push(left.max(0.0).sqrt());
    }
    let m = diagonal.len();
    let small = Mat::from_fn(m, m, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    });
    let least = symmetric_eigen(small.as_ref())?.values.last().copied().unwrap_or(0.0);
    Ok(least - beside.last().copied().unwrap_or(0.0))
}
