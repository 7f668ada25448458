//! What the graphs say about every number of clusters: eigenvalues, what comes back in halves, agreement of views.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::metrics::{Contingency, ami};
use crate::operator::{LinOp, TopEigen};
use crate::spectral::{KMeans, embed};
use crate::stability::{halves, returned};
use crate::{Result, Run};

/// Residual of eigenvectors that are only clustered and compared.
const TOLERANCE: f64 = 1e-3;
/// Restarts of k-means on all samples, on a half of them, and on one view.
const RESTARTS: [usize; 3] = [4, 2, 1];

/// One eigen-solve for the most clusters serves all numbers of them.
pub(crate) struct Spectrum<'a> {
    graph: &'a Csr<f64>,
    range: RangeInclusive<usize>,
    seed: u64,
    /// One more than the most clusters, falling.
    pub(super) eigenvalues: Vec<f64>,
    vectors: Dense<f64>,
}

impl<'a> Spectrum<'a> {
    /// Of a normalised graph, n x n.
    pub(crate) fn new(graph: &'a Csr<f64>, range: &RangeInclusive<usize>, seed: u64, run: &Run) -> Result<Self> {
        let found = top(graph, range.end() + 1, seed, run)?;
        let eigenvalues = found.0.iter().map(|value| value.clamp(0.0, 1.0)).collect();
        Ok(Self { graph, range: range.clone(), seed, eigenvalues, vectors: found.1 })
    }

    /// The clusters of all samples, for every number of them.
    pub(crate) fn labels(&self, run: &Run) -> Result<Vec<Vec<usize>>> {
        labels(&self.vectors, &self.range, RESTARTS[0], self.seed, run)
    }

    /// For every number of clusters, how much of `whole` comes back in `count` random halves of the samples that are clustered again
    /// on what the graph has among them.
    pub(super) fn returned(&self, whole: &[Vec<usize>], count: usize, run: &Run) -> Result<Vec<f64>> {
        let refit = |half: Vec<usize>| {
            run.check()?;
            let inside = Graph::new(between(self.graph, &half, &half)).normalised();
            let vectors = top(inside.as_ref(), *self.range.end(), self.seed, run)?.1;
            let found = labels(&vectors, &self.range, RESTARTS[1], self.seed, run)?;
            let numbers = self.range.clone().zip(whole).zip(&found);
            numbers.map(|((k, whole), found)| returned(whole, &half, found, k)).collect()
        };
        let rounds = halves(self.graph.rows(), count, self.seed).into_par_iter().map(refit);
        Ok(means(&rounds.collect::<Result<Vec<Vec<f64>>>>()?))
    }
}

/// For each of `views` and every number of clusters, how far its own clusters agree with the `joint` ones.
pub(super) fn agreement(
    views: &[&Csr<f64>],
    joint: &[Vec<usize>],
    range: &RangeInclusive<usize>,
    seed: u64,
    run: &Run,
) -> Result<Vec<Vec<f64>>> {
    let of_view = |graph: &&Csr<f64>| {
        run.check()?;
        let vectors = top(*graph, *range.end(), seed, run)?.1;
        let own = labels(&vectors, range, RESTARTS[2], seed, run)?;
        // a sample without edges is one that the view does not know
        let known: Vec<usize> = (0..graph.rows()).filter(|&i| !graph.row(i).0.is_empty()).collect();
        let of_known = |labels: &[usize]| known.iter().map(|&i| labels[i]).collect::<Vec<usize>>();
        let agreement = |own: &[usize], joint: &[usize]| Contingency::new(&of_known(own), &of_known(joint));
        own.iter().zip(joint).map(|(own, joint)| Ok(ami(&agreement(own, joint)?))).collect()
    };
    views.par_iter().map(of_view).collect()
}

fn top(graph: &dyn LinOp, count: usize, seed: u64, run: &Run) -> Result<(Vec<f64>, Dense<f64>)> {
    let eigen = TopEigen { tolerance: TOLERANCE, ..TopEigen::for_labels(count, seed) }.solve(graph, None, run)?;
    Ok((eigen.values, eigen.vectors))
}

/// k-means of the first k columns, rows of unit length, for every k.
fn labels(
    vectors: &Dense<f64>,
    range: &RangeInclusive<usize>,
    restarts: usize,
    seed: u64,
    run: &Run,
) -> Result<Vec<Vec<usize>>> {
    let of = |k: usize| {
        let kmeans = KMeans { restarts, seed, ..KMeans::new(k) };
        Ok(kmeans.fit_observed(&embed(vectors.first_columns(k)), run)?.labels)
    };
    range.clone().into_par_iter().map(of).collect()
}

/// The edges from `rows` to `columns`.
pub(crate) fn between(graph: &Csr<f64>, rows: &[usize], columns: &[usize]) -> Csr<f64> {
    let [rows, columns] = [rows, columns].map(|items| items.iter().map(|&item| Some(item)).collect::<Vec<_>>());
    graph.pick(&rows, &columns)
}

/// Column means of rows of equal length.
pub(super) fn means(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of ten samples, all tied to each other inside.
    fn blocks(count: usize) -> Csr<f64> {
        let pairs = (0..10 * count).flat_map(|i| (i / 10 * 10..i / 10 * 10 + 10).map(move |j| (i, j as u32, 0.1)));
        Csr::from_entries(10 * count, 10 * count, pairs.collect()).unwrap()
    }

    #[test]
    fn separate_blocks_come_back_by_their_number_only() {
        let graph = blocks(4);
        let run = Run::default();
        let spectrum = Spectrum::new(&graph, &(2..=6), 1, &run).unwrap();
        assert!(spectrum.eigenvalues[3] > 0.999 && spectrum.eigenvalues[4] < 1e-6, "{:?}", spectrum.eigenvalues);
        let labels = spectrum.labels(&run).unwrap();
        let stability = spectrum.returned(&labels, 6, &run).unwrap();
        assert!((stability[2] - 1.0).abs() < 1e-9, "{stability:?}");
        assert!(stability.iter().enumerate().all(|(at, &x)| at == 2 || x < 0.99), "{stability:?}");
        let agreement = agreement(&[&graph, &graph], &labels, &(2..=6), 1, &run).unwrap();
        assert!(agreement.len() == 2 && agreement.iter().all(|view| (view[2] - 1.0).abs() < 1e-9), "{agreement:?}");
    }
}
