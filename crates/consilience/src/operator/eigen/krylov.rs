//! Block Lanczos with thick restart, in Rayleigh-Ritz form.
//!
//! The search space V grows by the residuals of the wanted Ritz vectors, which span the next Krylov block; when it is
//! full, the best Ritz vectors are kept and it grows on. V is kept orthonormal in full and V'AV is computed, not
//! inferred, so that repeated eigenvalues (a graph of several components) and clustered ones lose nothing to rounding.

use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::basis::{Basis, orthonormalise};
use super::{EigenPairs, TopEigen};
use crate::matrix::{Dense, ROW_CHUNK, SymmetricEigen, gram, symmetric_eigen};
use crate::operator::LinOp;
use crate::{Result, Run};

/// Columns of the search space: room for several blocks between restarts.
pub(super) fn capacity(n: usize, count: usize) -> usize {
    (4 * count + 24).min(n)
}

struct Search<'a> {
    operator: &'a dyn LinOp,
    options: &'a TopEigen,
    /// V, n x m.
    basis: Basis,
    /// A V, n x m.
    image: Basis,
    /// V'AV, m x m.
    projected: Mat<f64>,
    products: usize,
}

/// What the search space says about the wanted pairs.
struct Ritz {
    eigen: SymmetricEigen,
    /// A x - a x for each wanted pair, n x count.
    residuals: Dense<f64>,
    /// Their lengths, relative to the largest eigenvalue.
    lengths: Vec<f64>,
}

pub(super) fn solve(
    operator: &dyn LinOp,
    options: &TopEigen,
    start: Option<&Dense<f64>>,
    run: &Run,
) -> Result<EigenPairs> {
    let (n, count) = (operator.size(), options.count);
    let room = capacity(n, count);
    let mut search = Search {
        operator,
        options,
        basis: Basis::new(n, room),
        image: Basis::new(n, room),
        projected: Mat::zeros(0, 0),
        products: 0,
    };
    search.extend(first_block(n, count, options.seed, start))?;
    loop {
        run.check()?;
        let ritz = search.ritz(count)?;
        let worst = ritz.lengths.iter().copied().fold(0.0, f64::max);
        let converged = worst <= options.tolerance;
        let stuck = search.products >= options.max_products;
        if converged || stuck || !search.grow(ritz)? {
            return search.finish(count, worst, converged);
        }
    }
}

/// `start` when there is one, filled up with random columns to the width of a block.
fn first_block(n: usize, count: usize, seed: u64, start: Option<&Dense<f64>>) -> Dense<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let given = start.filter(|start| start.rows() == n);
    Dense::from_fn(n, count, |i, j| {
        let noise = rng.random_range(-1.0..=1.0);
        given.filter(|start| j < start.cols()).map_or(noise, |start| start.get(i, j))
    })
}

impl Search<'_> {
    /// Adds the directions of `block` to V; false when it brings nothing new.
    fn extend(&mut self, block: Dense<f64>) -> Result<bool> {
        let block = orthonormalise(block, &self.basis)?;
        if block.cols() == 0 {
            return Ok(false);
        }
        let mut image = Dense::zeros(block.rows(), block.cols());
        self.operator.apply(&block, &mut image);
        self.products += 1;
        self.basis.append(&block);
        self.image.append(&image);
        let (m, new) = (self.basis.used(), block.cols());
        let side = gram(self.basis.columns(), self.image.last(new));
        let old = &self.projected;
        let kept = m - new;
        self.projected = Mat::from_fn(m, m, |i, j| match (i < kept, j < kept) {
            (true, true) => old[(i, j)],
            (true, false) => side[(i, j - kept)],
            (false, true) => side[(j, i - kept)],
            (false, false) => 0.5 * (side[(i, j - kept)] + side[(j, i - kept)]),
        });
        Ok(true)
    }

    fn ritz(&self, count: usize) -> Result<Ritz> {
        let eigen = symmetric_eigen(self.projected.as_ref())?;
        let count = count.min(eigen.values.len());
        let wanted = eigen.vectors.as_ref().subcols(0, count);
        let scaled = Mat::from_fn(wanted.nrows(), count, |i, j| wanted[(i, j)] * eigen.values[j]);
        let mut residuals = self.image.combined(wanted);
        let vectors = self.basis.combined(scaled.as_ref());
        let width = count * ROW_CHUNK;
        residuals.data_mut().par_chunks_mut(width).zip(vectors.data().par_chunks(width)).for_each(|(r, x)| {
            r.iter_mut().zip(x).for_each(|(r, x)| *r -= x);
        });
        let largest = eigen.values.first().map_or(1.0, |x| x.abs().max(f64::MIN_POSITIVE));
        let mut squares = vec![0.0; count];
        for row in residuals.iter_rows() {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        let lengths = squares.iter().map(|square| square.sqrt() / largest).collect();
        Ok(Ritz { eigen, residuals, lengths })
    }

    /// Grows V by the residuals that are not yet small, after a restart when there is no room.
    fn grow(&mut self, ritz: Ritz) -> Result<bool> {
        let open: Vec<usize> = (0..ritz.lengths.len()).filter(|&j| ritz.lengths[j] > self.options.tolerance).collect();
        let block = Dense::from_fn(ritz.residuals.rows(), open.len(), |i, j| ritz.residuals.get(i, open[j]));
        if self.basis.used() + block.cols() > capacity(self.operator.size(), self.options.count) {
            self.restart(&ritz.eigen);
        }
        self.extend(block)
    }

    /// Keeps the best Ritz vectors: the wanted ones, and half as many again as a cushion against slow convergence.
    fn restart(&mut self, eigen: &SymmetricEigen) {
        let count = self.options.count;
        let kept = (count + count / 2 + 8).min(eigen.values.len());
        let rotation = eigen.vectors.as_ref().subcols(0, kept);
        self.basis.rotate(rotation);
        self.image.rotate(rotation);
        self.projected = Mat::from_fn(kept, kept, |i, j| if i == j { eigen.values[i] } else { 0.0 });
    }

    fn finish(&self, count: usize, residual: f64, converged: bool) -> Result<EigenPairs> {
        let eigen = symmetric_eigen(self.projected.as_ref())?;
        let vectors = self.basis.combined(eigen.vectors.as_ref().subcols(0, count));
        Ok(EigenPairs { values: eigen.values[..count].to_vec(), vectors, residual, products: self.products, converged })
    }
}
