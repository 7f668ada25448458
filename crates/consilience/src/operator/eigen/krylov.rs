//! Block Lanczos with thick restart, in Rayleigh-Ritz form.
//!
//! The search space V grows by A times its newest block until it is full; then the Ritz pairs are looked at, the best
//! Ritz vectors are kept, and it grows on from their residuals, which span the next Krylov block. V is kept orthonormal
//! in full and V'AV is computed, not inferred, so that repeated eigenvalues (a graph of several components) and
//! clustered ones lose nothing to rounding. The block is as wide as the number of pairs wanted: an eigenvalue may be
//! repeated that often and none of its vectors is missed.

use std::ops::Range;

use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::basis::{Basis, orthonormalise};
use super::{EigenPairs, MOST_FURTHER, TopEigen, exact_enough};
use crate::matrix::{Dense, ROW_CHUNK, SymmetricEigen, gram, symmetric_eigen};
use crate::operator::LinOp;
use crate::{Result, Run};

/// Columns of the search space: room for several blocks between restarts.
pub(super) fn capacity(n: usize, count: usize) -> usize {
    (5 * count + 20).min(n)
}

pub(super) struct Search<'a> {
    operator: &'a dyn LinOp,
    options: &'a TopEigen,
    /// V, n x m.
    pub(super) basis: Basis,
    /// A V, n x m.
    image: Basis,
    /// V'AV, m x m.
    projected: Mat<f64>,
    products: usize,
}

/// A block that V is to grow by.
struct Next {
    /// n x b.
    block: Dense<f64>,
    /// V' times the block, m x b, where it is known: for A times the newest block it is the new part of V'AV.
    overlap: Option<Mat<f64>>,
}

/// What the search space says about the wanted pairs.
pub(super) struct Ritz {
    pub(super) eigen: SymmetricEigen,
    /// A x - a x for each wanted pair, n x count.
    residuals: Dense<f64>,
    /// Their lengths, relative to the largest eigenvalue.
    pub(super) lengths: Vec<f64>,
}

pub(super) fn solve(
    operator: &dyn LinOp,
    options: &TopEigen,
    start: Option<&Dense<f64>>,
    run: &Run,
) -> Result<EigenPairs> {
    let (n, count) = (operator.size(), options.count);
    let room = capacity(n, count);
    let mut search = Search::new(operator, options, room);
    let mut block = first_block(n, count, options.seed, start);
    if start.is_none() {
        block = search.damped(block);
    }
    let mut first = f64::NAN;
    loop {
        search.fill(block, room, run)?;
        if search.basis.used() < count {
            // a start with dependent columns: chance fills the gap
            block = first_block(n, count - search.basis.used(), options.seed ^ search.products as u64, None);
            continue;
        }
        let ritz = search.ritz(count)?;
        let worst = options.residual(&ritz.lengths);
        first = if first.is_nan() { worst } else { first };
        run.progress(share_of_digits(first, worst, options.tolerance), 100);
        let converged = worst <= options.tolerance;
        if converged || search.products >= options.max_products {
            return Ok(search.finish(&ritz, worst, converged));
        }
        // the wanted ones, and half as many again as a cushion against slow convergence
        block = search.restart(ritz, count + count / 2 + 4);
    }
}

/// How many of the digits between the first residual and the tolerance have been won, in percent.
pub(super) fn share_of_digits(first: f64, now: f64, tolerance: f64) -> usize {
    let digits = (first / tolerance).ln();
    if digits > 0.0 { (100.0 * (first / now).ln() / digits).clamp(0.0, 100.0) as usize } else { 100 }
}

/// `start` when there is one, filled up with random columns to the width of a block.
pub(super) fn first_block(n: usize, count: usize, seed: u64, start: Option<&Dense<f64>>) -> Dense<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let given = start.filter(|start| start.rows() == n);
    Dense::from_fn(n, count, |i, j| {
        let noise = rng.random_range(-1.0..=1.0);
        given.filter(|start| j < start.cols()).map_or(noise, |start| start.get(i, j))
    })
}

/// Plain products before the first block is made orthogonal. They damp what is not wanted, and cost much less than growing
/// the search space; many more would make the columns alike.
const DAMPING: usize = 6;

impl<'a> Search<'a> {
    pub(super) fn new(operator: &'a dyn LinOp, options: &'a TopEigen, room: usize) -> Self {
        let n = operator.size();
        let (basis, image) = (Basis::new(n, room), Basis::new(n, room));
        Self { operator, options, basis, image, projected: Mat::zeros(0, 0), products: 0 }
    }

    fn damped(&mut self, mut block: Dense<f64>) -> Dense<f64> {
        let mut image = Dense::zeros(block.rows(), block.cols());
        for _ in 0..DAMPING {
            self.operator.apply(&block, &mut image);
            let largest = image.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if !(largest > 0.0 && largest.is_finite()) {
                break;
            }
            block.data_mut().iter_mut().zip(image.data()).for_each(|(x, y)| *x = y / largest);
        }
        self.products += DAMPING;
        block
    }

    /// Grows V from `block` until there is no room for another one or A brings nothing new.
    pub(super) fn fill(&mut self, block: Dense<f64>, room: usize, run: &Run) -> Result<()> {
        let mut next = Next { block, overlap: None };
        // too few directions to answer with are never a reason to stop
        let unfinished =
            |search: &Self| search.products < search.options.max_products || search.basis.used() < search.options.count;
        while self.basis.used() + next.block.cols() <= room && unfinished(self) {
            run.check()?;
            match self.extend(next)? {
                Some(image) => next = image,
                None => break,
            }
        }
        Ok(())
    }

    /// Adds the directions of a block to V; gives A times them, or nothing when none was new.
    fn extend(&mut self, next: Next) -> Result<Option<Next>> {
        let block = orthonormalise(next.block, &self.basis, next.overlap)?;
        if block.cols() == 0 {
            return Ok(None);
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
        Ok(Some(Next { block: image, overlap: Some(side) }))
    }

    pub(super) fn ritz(&self, count: usize) -> Result<Ritz> {
        let eigen = symmetric_eigen(self.projected.as_ref())?;
        let count = count.min(eigen.values.len());
        let (residuals, lengths) = self.residuals(&eigen, 0..count);
        Ok(Ritz { eigen, residuals, lengths })
    }

    /// A x - a x for the pairs in `range`, n x their number, and their lengths relative to the largest eigenvalue.
    fn residuals(&self, eigen: &SymmetricEigen, range: Range<usize>) -> (Dense<f64>, Vec<f64>) {
        let count = range.len();
        let wanted = eigen.vectors.as_ref().subcols(range.start, count);
        let scaled = Mat::from_fn(wanted.nrows(), count, |i, j| wanted[(i, j)] * eigen.values[range.start + j]);
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
        (residuals, squares.iter().map(|square| square.sqrt() / largest).collect())
    }

    /// The eigenvalues after the first `count`, as far as the search space knows them already.
    fn further(&self, eigen: &SymmetricEigen, count: usize) -> Vec<f64> {
        let range = count..(count + MOST_FURTHER).min(eigen.values.len());
        if range.is_empty() {
            return Vec::new();
        }
        let (_, lengths) = self.residuals(eigen, range.clone());
        exact_enough(&eigen.values[range], &lengths)
    }

    /// Keeps the best Ritz vectors. Gives the block to grow on from: the residuals that are not yet small.
    pub(super) fn restart(&mut self, ritz: Ritz, kept: usize) -> Dense<f64> {
        let eigen = ritz.eigen;
        let kept = kept.min(eigen.values.len());
        let rotation = eigen.vectors.as_ref().subcols(0, kept);
        self.basis.rotate(rotation);
        self.image.rotate(rotation);
        self.projected = Mat::from_fn(kept, kept, |i, j| if i == j { eigen.values[i] } else { 0.0 });
        let open: Vec<usize> =
            (0..ritz.lengths.len()).filter(|&j| ritz.lengths[j] > self.options.tolerance_of(j)).collect();
        Dense::from_fn(ritz.residuals.rows(), open.len(), |i, j| ritz.residuals.get(i, open[j]))
    }

    fn finish(&self, ritz: &Ritz, residual: f64, converged: bool) -> EigenPairs {
        let count = ritz.lengths.len();
        let vectors = self.basis.combined(ritz.eigen.vectors.as_ref().subcols(0, count));
        let values = ritz.eigen.values[..count].to_vec();
        let further = self.further(&ritz.eigen, count);
        EigenPairs { values, vectors, residual, products: self.products, converged, further }
    }
}
