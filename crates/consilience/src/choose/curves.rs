//! What the graphs say about every number of clusters: eigenvalues, agreement of halves, agreement of views.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::metrics::{Contingency, ami};
use crate::null::{permuted, stream};
use crate::operator::{LinOp, TopEigen};
use crate::spectral::{KMeans, embed};
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

    /// For every number of clusters, how far two halves of the samples that are clustered apart agree, the mean of `splits`
    /// random ones.
    pub(super) fn stability(&self, splits: usize, run: &Run) -> Result<Vec<f64>> {
        let split = |number| self.halves_agree(number, run);
        let rounds: Vec<Vec<f64>> = (0..splits as u64).into_par_iter().map(split).collect::<Result<_>>()?;
        Ok(means(&rounds))
    }

    /// Labels of one half reach the other by the edges between them, and meet those that the other half found itself.
    fn halves_agree(&self, split: u64, run: &Run) -> Result<Vec<f64>> {
        run.check()?;
        let mut samples = permuted(self.graph.rows(), &mut stream(self.seed, 1 + split));
        let (here, there) = samples.split_at_mut(self.graph.rows() / 2);
        here.sort_unstable();
        there.sort_unstable();
        let found = |half: &[usize]| {
            let inside = Graph::new(between(self.graph, half, half)).normalised();
            let vectors = top(inside.as_ref(), *self.range.end(), self.seed, run)?.1;
            labels(&vectors, &self.range, RESTARTS[1], self.seed, run)
        };
        let (known, own) = (found(here)?, found(there)?);
        let bridge = between(self.graph, there, here);
        known.iter().zip(&own).map(|(known, own)| carried_agreement(&bridge, known, own)).collect()
    }

    /// For every number of clusters, how far each view's own clusters agree with `joint`, the mean over `views`. None when
    /// there is nothing to compare.
    pub(super) fn agreement(&self, views: &[&Csr<f64>], joint: &[Vec<usize>], run: &Run) -> Result<Option<Vec<f64>>> {
        if views.len() < 2 {
            return Ok(None);
        }
        let of_view = |graph: &&Csr<f64>| {
            run.check()?;
            let vectors = top(*graph, *self.range.end(), self.seed, run)?.1;
            let own = labels(&vectors, &self.range, RESTARTS[2], self.seed, run)?;
            // a sample without edges is one that the view does not know
            let known: Vec<usize> = (0..graph.rows()).filter(|&i| !graph.row(i).0.is_empty()).collect();
            let of_known = |labels: &[usize]| known.iter().map(|&i| labels[i]).collect::<Vec<usize>>();
            let agreement = |own: &[usize], joint: &[usize]| Contingency::new(&of_known(own), &of_known(joint));
            own.iter().zip(joint).map(|(own, joint)| Ok(ami(&agreement(own, joint)?))).collect()
        };
        let rows: Vec<Vec<f64>> = views.par_iter().map(of_view).collect::<Result<_>>()?;
        Ok(Some(means(&rows)))
    }
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
/// How far the labels `known` of one half, carried over the `bridge` to the other, agree with the labels that it has of its
/// `own`. Samples without an edge to the other half do not count.
fn carried_agreement(bridge: &Csr<f64>, known: &[usize], own: &[usize]) -> Result<f64> {
    let clusters = known.iter().max().map_or(0, |last| last + 1);
    let (mut carried, mut met) = (Vec::new(), Vec::new());
    let mut votes = vec![0.0_f64; clusters];
    for (row, &own) in own.iter().enumerate() {
        votes.fill(0.0);
        bridge.entries(row).for_each(|(column, weight)| votes[known[column]] += weight);
        // of equal votes the first: the order of labels, not of threads, decides
        let best =
            votes.iter().enumerate().fold((0, 0.0), |best, (at, &vote)| if vote > best.1 { (at, vote) } else { best });
        if best.1 > 0.0 {
            carried.push(best.0);
            met.push(own);
        }
    }
    if carried.is_empty() {
        return Ok(0.0);
    }
    Ok(ami(&Contingency::new(&carried, &met)?))
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
    fn halves_of_separate_blocks_agree_on_their_number_only() {
        let graph = blocks(4);
        let run = Run::default();
        let spectrum = Spectrum::new(&graph, &(2..=6), 1, &run).unwrap();
        assert!(spectrum.eigenvalues[3] > 0.999 && spectrum.eigenvalues[4] < 1e-6, "{:?}", spectrum.eigenvalues);
        let stability = spectrum.stability(5, &run).unwrap();
        assert!((stability[2] - 1.0).abs() < 1e-9, "{stability:?}");
        assert!(stability.iter().enumerate().all(|(at, &x)| at == 2 || x < 0.99), "{stability:?}");
        let labels = spectrum.labels(&run).unwrap();
        let agreement = spectrum.agreement(&[&graph, &graph], &labels, &run).unwrap().unwrap();
        assert!((agreement[2] - 1.0).abs() < 1e-9);
        assert!(spectrum.agreement(&[&graph], &labels, &run).unwrap().is_none());
    }

    #[test]
    fn labels_are_carried_over_edges_by_hand() {
        // rows 0 and 1 see cluster 0, row 2 sees cluster 1, row 3 sees nobody
        let bridge = Csr::from_entries(4, 3, vec![(0, 0, 1.0), (1, 1, 0.5), (1, 2, 0.1), (2, 2, 1.0)]).unwrap();
        assert!((carried_agreement(&bridge, &[0, 0, 1], &[1, 1, 0, 0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(carried_agreement(&Csr::from_entries(2, 2, vec![]).unwrap(), &[0, 1], &[0, 1]).unwrap(), 0.0);
    }
}
