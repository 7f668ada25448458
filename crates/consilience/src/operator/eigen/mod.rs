//! The largest eigenvalues of a symmetric operator.

mod above;
mod basis;
mod filtered;
mod krylov;

pub(crate) use above::EigenAbove;
use faer::Mat;

use super::LinOp;
use crate::matrix::{Dense, symmetric_eigen};
use crate::run::Warning;
use crate::{Result, Run};

/// Below this size the operator is written out and solved directly: exact, and faster than iterating.
const DIRECT_SIZE: usize = 192;

/// From this many pairs on, a filtered block is iterated instead of a search space grown: sparse products cost less than keeping
/// so many columns orthogonal. Of few pairs the last often have close followers, which a search space tells apart sooner.
const MANY: usize = 10;
/// Eigenvalues that lie close together are told apart by a search space, which takes over after this many products with a block;
/// but not for this many pairs, of which it would be too large.
const PATIENCE: usize = 200;
const TOO_MANY: usize = 40;
/// From this many numbers in a vector on, a block is filtered for any number of pairs: a search space of several blocks then no
/// longer fits into the memory near the processor, where the products of a sparse graph do with less.
const LONG: usize = 50_000;

/// How exact rough pairs are.
const ROUGH: f64 = 1e-2;

/// Most eigenvalues past the wanted ones that an answer has, and how exact they are at least: they only show where the
/// eigenvalues drop.
pub(crate) const MOST_FURTHER: usize = 5;
const FURTHER_TOLERANCE: f64 = 1e-2;

/// Asks for the eigenvectors of the `count` largest eigenvalues.
#[derive(Debug, Clone, Copy)]
pub struct TopEigen {
    /// How many.
    pub count: usize,
    /// A pair `(a, x)` is accepted when `|A x - a x|` is at most this, relative to the largest eigenvalue.
    pub tolerance: f64,
    /// The last so many of them need be no more exact than 0.01: directions beyond the clusters, that no gap sets apart from those
    /// that follow, so that they would be what takes longest.
    pub rough: usize,
    /// Products of the operator with a block of vectors after which the best pairs so far are returned.
    pub max_products: usize,
    /// Seed of the first block.
    pub seed: u64,
}

impl TopEigen {
    /// The `count` largest, to 1e-8.
    pub fn new(count: usize) -> Self {
        Self { count, tolerance: 1e-8, rough: 0, max_products: 3000, seed: 0 }
    }

    /// The `count` largest, as exactly as labels need them: to 1e-6.
    pub fn for_labels(count: usize, seed: u64) -> Self {
        Self { tolerance: 1e-6, seed, ..Self::new(count) }
    }

    /// Finds them. `start` (n x any) is where the search begins: the old answer, when the operator has changed a little.
    ///
    /// # Errors
    /// When the run is cancelled or the operator gives numbers that are not finite. Not converging is no error: see
    /// [`EigenPairs::converged`].
    pub fn solve(&self, operator: &dyn LinOp, start: Option<&Dense<f64>>, run: &Run) -> Result<EigenPairs> {
        let n = operator.size();
        let count = self.count.min(n);
        // a search space that reaches n holds an n x n matrix anyway
        let mut pairs = if n <= DIRECT_SIZE || krylov::capacity(n, count) == n {
            direct(operator, count)?
        } else {
            TopEigen { count, ..*self }.iterate(operator, start, run)?
        };
        fix_signs(&mut pairs.vectors);
        Ok(pairs)
    }

    fn iterate(&self, operator: &dyn LinOp, start: Option<&Dense<f64>>, run: &Run) -> Result<EigenPairs> {
        let n = operator.size();
        if self.count < MANY && n < LONG {
            return krylov::solve(operator, self, start, run);
        }
        let patience = if self.count >= TOO_MANY || n >= LONG { self.max_products } else { PATIENCE };
        let first = TopEigen { max_products: patience.min(self.max_products), ..*self };
        let found = filtered::solve(operator, &first, start, run)?;
        if found.converged || found.products >= self.max_products {
            return Ok(found);
        }
        let rest = TopEigen { max_products: self.max_products - found.products, ..*self };
        let pairs = krylov::solve(operator, &rest, Some(&found.vectors), run)?;
        Ok(EigenPairs { products: found.products + pairs.products, ..pairs })
    }

    /// What the residual of pair `j` may be.
    fn tolerance_of(&self, j: usize) -> f64 {
        if j + self.rough < self.count { self.tolerance } else { self.tolerance.max(ROUGH) }
    }

    /// The largest residual of the pairs that are not rough, or that of a rough one that is not even that exact.
    fn residual(&self, lengths: &[f64]) -> f64 {
        let counts = |(j, length): &(usize, &f64)| j + self.rough < self.count || **length > self.tolerance_of(*j);
        lengths.iter().enumerate().filter(counts).map(|(_, length)| *length).fold(0.0, f64::max)
    }

    /// As [`TopEigen::solve`], and warns when the pairs are not within the tolerance.
    ///
    /// # Errors
    /// As [`TopEigen::solve`].
    pub fn solve_or_warn(&self, operator: &dyn LinOp, start: Option<&Dense<f64>>, run: &Run) -> Result<EigenPairs> {
        let eigen = self.solve(operator, start, run)?;
        if !eigen.converged {
            run.warn(Warning::InexactEigenvectors {
                residual: eigen.residual,
                tolerance: self.tolerance,
                products: eigen.products,
            });
        }
        Ok(eigen)
    }
}

/// Eigenvalues in falling order and their eigenvectors, with their residual.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EigenPairs {
    /// Eigenvalues, largest first.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors in the columns at the same places (n x count); the largest entry of each is positive.
    pub vectors: Dense<f64>,
    /// The largest `|A x - a x|`, relative to the largest eigenvalue, of pairs that are not meant to be rough.
    pub residual: f64,
    /// Products of the operator with a block of vectors.
    pub products: usize,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
    /// The eigenvalues that follow, as far as they came of themselves: to 0.01, relative to the largest.
    pub further: Vec<f64>,
}

impl EigenPairs {
    /// All eigenvalues that are known, largest first.
    pub fn known_values(&self) -> Vec<f64> {
        self.values.iter().chain(&self.further).copied().collect()
    }
}

/// The values whose residuals are small enough to be shown, up to the first that is not.
fn exact_enough(values: &[f64], residuals: &[f64]) -> Vec<f64> {
    let exact = values.iter().zip(residuals).take_while(|(_, residual)| **residual <= FURTHER_TOLERANCE);
    exact.map(|(value, _)| *value).collect()
}

fn direct(operator: &dyn LinOp, count: usize) -> Result<EigenPairs> {
    let n = operator.size();
    let identity = Dense::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    let mut matrix = Dense::zeros(n, n);
    operator.apply(&identity, &mut matrix);
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (matrix.get(i, j) + matrix.get(j, i)));
    let eigen = symmetric_eigen(symmetric.as_ref())?;
    Ok(EigenPairs {
        values: eigen.values[..count].to_vec(),
        vectors: Dense::from_fn(n, count, |i, j| eigen.vectors[(i, j)]),
        residual: 0.0,
        products: 1,
        converged: true,
        further: eigen.values[count..].iter().take(MOST_FURTHER).copied().collect(),
    })
}

/// An eigenvector's sign is arbitrary; ours makes its largest entry positive, so that files compare equal.
fn fix_signs(vectors: &mut Dense<f64>) {
    let width = vectors.cols();
    let mut largest = vec![0.0_f64; width];
    for row in vectors.iter_rows() {
        for (largest, &x) in largest.iter_mut().zip(row) {
            // strictly, by a margin: two entries of equal size and unequal sign must not flip by rounding
            if x.abs() > largest.abs() * (1.0 + 1e-6) {
                *largest = x;
            }
        }
    }
    for row in vectors.data_mut().chunks_exact_mut(width.max(1)) {
        row.iter_mut().zip(&largest).for_each(|(x, largest)| *x *= largest.signum());
    }
}

#[cfg(test)]
mod tests;
