//! The similarity network of a view: made of its features, or given.

use rayon::prelude::*;

use super::pattern::{Pattern, TASK_ROWS};
use crate::graph::most_alike;
use crate::matrix::Csr;
use crate::neighbours::{Distance, DistanceMetric, NeighbourSearch, Neighbours};
use crate::{Result, Run, View};

/// Scales below this share of the mean scale are raised to it: samples with many equal ones have none of their own.
const MIN_SCALE: f64 = 1e-6;
/// Distances beyond this many mean scales are all the same, and their squares stay finite.
const MAX_DISTANCE: f64 = 1e100;

/// `W` of a view.
pub(super) enum Network<'a> {
    /// By its features.
    Kernel(Kernel<'a>),
    /// As the view has it.
    Given(&'a Csr<f64>),
}

impl<'a> Network<'a> {
    /// The network of `view`, and its local kernel `S`, n x n.
    pub(super) fn of(
        view: &'a View,
        neighbours: usize,
        spread: f64,
        search: &dyn NeighbourSearch,
        run: &Run,
    ) -> Result<(Self, Csr<f64>)> {
        if let Some(weights) = view.affinity() {
            return Ok((Self::Given(weights), local_of_given(weights, neighbours)?));
        }
        let (kernel, S) = Kernel::new(view, neighbours, spread, search, run)?;
        Ok((Self::Kernel(kernel), S))
    }

    /// `W` on the lower triangle of `pattern`; zeros elsewhere, and for samples without a place in the view.
    pub(super) fn on(&self, pattern: &Pattern, places: &[Option<usize>], run: &Run) -> Result<Vec<f64>> {
        let mut W = vec![0.0; pattern.len()];
        pattern.tasks(&mut W).into_par_iter().enumerate().try_for_each(|(task, out)| {
            run.check()?;
            let (first, begin) = (task * TASK_ROWS, pattern.range(task * TASK_ROWS).start);
            for i in first..pattern.samples().min(first + TASK_ROWS) {
                for position in pattern.range(i) {
                    let j = pattern.indices()[position] as usize;
                    if j < i
                        && let (Some(i), Some(j)) = (places[i], places[j])
                    {
                        out[position - begin] = self.similarity(i, j);
                    }
                }
            }
            Ok(())
        })?;
        Ok(W)
    }

    /// `W(i, j)`.
    fn similarity(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Kernel(kernel) => kernel.weight(i, j, kernel.distance.between(i, j)),
            Self::Given(weights) => weights.get(i, j),
        }
    }
}

/// `S` of given similarities: every sample with the K others it is most alike, and with itself as much as with the first of
/// those.
fn local_of_given(weights: &Csr<f64>, neighbours: usize) -> Result<Csr<f64>> {
    let row = |i: usize| {
        let mut row = most_alike(weights, i, neighbours);
        let largest = row.first().map_or(1.0, |(_, weight)| *weight);
        row.push((i as u32, largest));
        row
    };
    rows_of_sum_one(weights.rows(), row)
}

/// A square matrix of these rows, each in rising order and divided by its sum.
fn rows_of_sum_one(n: usize, row: impl Fn(usize) -> Vec<(u32, f64)>) -> Result<Csr<f64>> {
    let scaled = (0..n).map(|i| {
        let mut row = row(i);
        row.sort_unstable_by_key(|&(j, _)| j);
        let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
        row.into_iter().map(move |(j, weight)| (j, weight / sum))
    });
    Csr::from_rows(n, scaled)
}

/// The similarity of two samples of a view (Wang et al. 2014, online methods):
/// `W(i, j) = exp(-rho^2 / (2 (mu eps)^2)) / eps`: the normal density of the distance `rho`, as the authors' programs
/// have it, with `eps = (mean_i + mean_j + rho) / 3`. Constant factors are left out: every use normalises.
pub(super) struct Kernel<'a> {
    distance: Distance<'a>,
    /// Mean distance of every sample to its K neighbours, in units of their mean.
    means: Vec<f64>,
    unit: f64,
    /// mu.
    spread: f64,
}

impl<'a> Kernel<'a> {
    /// The kernel of `view`, and its local kernel `S`, n x n.
    fn new(
        view: &'a View,
        neighbours: usize,
        spread: f64,
        search: &dyn NeighbourSearch,
        run: &Run,
    ) -> Result<(Self, Csr<f64>)> {
        let distance = Distance::within(view, DistanceMetric::Euclidean);
        let found = search.search(&distance, neighbours, run)?;
        let mean = |i| found.of(i).1.iter().map(|square| square.sqrt()).sum::<f64>() / found.count().max(1) as f64;
        let means: Vec<f64> = (0..found.len()).map(mean).collect();
        let unit = Some(means.iter().sum::<f64>() / means.len() as f64).filter(|unit| *unit > 0.0).unwrap_or(1.0);
        let means = means.into_iter().map(|mean| mean / unit).collect();
        let kernel = Self { distance, means, unit, spread };
        let S = kernel.local(&found)?;
        Ok((kernel, S))
    }

    /// `W(i, j)`, from the squared distance.
    pub(super) fn weight(&self, i: usize, j: usize, square: f64) -> f64 {
        let rho = (square.sqrt() / self.unit).min(MAX_DISTANCE);
        let eps = ((self.means[i] + self.means[j] + rho) / 3.0).max(MIN_SCALE);
        let z = rho / (self.spread * eps);
        (-0.5 * z * z).exp() / eps
    }

    /// `S`: `W` from every sample to itself and its K neighbours, rows of sum 1 (Eq. 3: the neighbours include the
    /// sample).
    fn local(&self, found: &Neighbours) -> Result<Csr<f64>> {
        let row = |i: usize| {
            let (samples, squares) = found.of(i);
            let others = samples.iter().zip(squares).map(|(&j, &square)| (j, self.weight(i, j as usize, square)));
            others.chain([(i as u32, self.weight(i, i, 0.0))]).collect()
        };
        rows_of_sum_one(found.len(), row)
    }
}
