//! Multi-scale graphs, the quality of views, and the choice among mixtures of graphs.

use std::sync::Arc;

use super::lists::{Lists, MOST_NEIGHBOURS, OwnList};
use crate::graph::neighbours::Neighbours;
use crate::graph::{Bandwidth, Graph, Weights};
use crate::matrix::{Csr, Dense};
use crate::operator::{EigenPairs, LinOp, TopEigen};
use crate::spectral::{KMeans, embed};
use crate::{Result, Run};

/// The mean over `counts` of the normalised sum of the lists' adaptive-neighbour graphs, n x n sparse.
pub(super) fn multi_scale(lists: &[&Neighbours], counts: &[usize]) -> Result<Csr<f64>> {
    let mut total: Option<Csr<f64>> = None;
    for &count in counts {
        let mut sum: Option<Csr<f64>> = None;
        for list in lists {
            let graph = Weights::Adaptive.edges(list, count, Bandwidth::SelfTuning)?;
            sum = Some(match sum {
                Some(sum) => sum.merged(&graph, |a, b| a + b)?,
                None => graph,
            });
        }
        let Some(sum) = sum else { continue };
        let scaled = Graph::new(sum).normalised();
        total = Some(match total {
            Some(total) => total.merged(&scaled, |a, b| a + b)?,
            None => scaled.as_ref().clone(),
        });
    }
    let mut total = match total {
        Some(total) => total,
        None => Csr::from_entries(0, 0, Vec::new())?,
    };
    total.values_mut().iter_mut().for_each(|x| *x /= counts.len() as f64);
    Ok(total)
}

/// The graph of one view over all samples; rows of samples it does not know are empty.
pub(super) fn view_graph(list: Option<&OwnList>, counts: &[usize], n: usize) -> Result<Csr<f64>> {
    match list {
        Some(list) => multi_scale(&[&list.found], counts)?.spread(&list.present, n),
        None => Csr::from_entries(n, n, Vec::new()),
    }
}

/// The numbers of neighbours around `count` at which graphs are made.
pub(super) fn scales_around(count: f64, several: bool) -> Vec<usize> {
    let factors: &[f64] = if several { &[0.7, 1.0, 1.4] } else { &[1.0] };
    factors.iter().map(|factor| ((factor * count).round() as usize).clamp(3, MOST_NEIGHBOURS)).collect()
}

/// J, of both fused lists.
pub(super) fn joint_graph(lists: &Lists, counts: &[usize]) -> Result<Csr<f64>> {
    multi_scale(&[&lists.mean_scaled, &lists.locally_scaled], counts)
}

/// `Tr(F' N F)`.
pub(super) fn trace_of(factor: &Dense<f64>, operator: &dyn LinOp) -> f64 {
    let mut image = Dense::zeros(factor.rows(), factor.cols());
    operator.apply(factor, &mut image);
    factor.data().iter().zip(image.data()).map(|(x, y)| x * y).sum()
}

/// How well a view's own graph supports the joint eigenvectors F (n x k): 1 fully, 0 as chance would. A view is judged
/// only on the samples it knows.
pub(super) fn view_quality(factor: &Dense<f64>, graph: &Csr<f64>, missing: &[bool]) -> f64 {
    let k = factor.cols() as f64;
    let known = |i: usize| !missing.get(i).copied().unwrap_or(false);
    let rows = factor.iter_rows().enumerate().filter(|(i, _)| known(*i));
    let size: f64 = rows.flat_map(|(_, row)| row).map(|x| x * x).sum();
    if size <= 0.0 {
        return 0.0;
    }
    let support = k * trace_of(factor, graph) / size;
    if k > 1.0 { ((support - 1.0) / (k - 1.0)).max(0.0) } else { support.max(0.0) }
}

/// A graph, its eigenvectors, the labels they give, and how discrete they are.
pub(super) struct Candidate {
    pub(super) operator: Arc<dyn LinOp>,
    pub(super) eigen: EigenPairs,
    pub(super) labels: Vec<usize>,
    /// `1 - Tr(I'NI) / sum of the top eigenvalues`: 0 when the relaxation is already discrete.
    pub(super) gap: f64,
}

/// What turns a graph into a candidate.
pub(super) struct Judge<'a> {
    pub(super) clusters: usize,
    pub(super) restarts: usize,
    pub(super) seed: u64,
    pub(super) run: &'a Run,
}

impl Judge<'_> {
    pub(super) fn eigenvectors(&self, operator: &dyn LinOp, start: Option<&Dense<f64>>) -> Result<EigenPairs> {
        TopEigen::for_labels(self.clusters, self.seed).solve(operator, start, self.run)
    }

    pub(super) fn labels(&self, vectors: &Dense<f64>) -> Result<Vec<usize>> {
        let kmeans = KMeans { restarts: self.restarts, seed: self.seed, ..KMeans::new(self.clusters) };
        Ok(kmeans.fit_observed(&embed(vectors), self.run)?.labels)
    }

    pub(super) fn candidate(&self, operator: Arc<dyn LinOp>, start: Option<&Dense<f64>>) -> Result<Candidate> {
        let eigen = self.eigenvectors(operator.as_ref(), start)?;
        let labels = self.labels(&eigen.vectors)?;
        let relaxed: f64 = eigen.values.iter().sum();
        let discrete = trace_of(&indicator(&labels, self.clusters), operator.as_ref());
        let gap = if relaxed > 1e-12 { 1.0 - discrete / relaxed } else { f64::INFINITY };
        Ok(Candidate { operator, eigen, labels, gap })
    }
}

/// I, n x k: columns are clusters, scaled to unit length.
pub(super) fn indicator(labels: &[usize], clusters: usize) -> Dense<f64> {
    let mut sizes = vec![0.0_f64; clusters];
    labels.iter().for_each(|&label| sizes[label] += 1.0);
    Dense::from_fn(labels.len(), clusters, |i, j| if labels[i] == j { 1.0 / sizes[j].sqrt() } else { 0.0 })
}

/// `a first + (1 - a) second`, or one of them alone.
pub(super) fn mixture(share: f64, first: &Arc<Csr<f64>>, second: &Arc<Csr<f64>>) -> Result<Arc<Csr<f64>>> {
    if share >= 1.0 {
        return Ok(Arc::clone(first));
    }
    if share <= 0.0 {
        return Ok(Arc::clone(second));
    }
    Ok(Arc::new(first.merged(second, |a, b| share * a + (1.0 - share) * b)?))
}

/// A: the views' graphs with their weights, normalised.
pub(super) fn weighted_graph(graphs: &[Arc<Csr<f64>>], weights: &[f64]) -> Result<Arc<Csr<f64>>> {
    let mut sum = match graphs.first() {
        Some(first) => first.as_ref().clone(),
        None => Csr::from_entries(0, 0, Vec::new())?,
    };
    sum.values_mut().iter_mut().for_each(|x| *x *= weights.first().copied().unwrap_or(0.0));
    for (graph, &weight) in graphs.iter().zip(weights).skip(1) {
        sum = sum.merged(graph, |a, b| a + weight * b)?;
    }
    Ok(Graph::new(sum).normalised())
}
