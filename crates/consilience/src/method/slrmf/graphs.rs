//! The graphs: neighbour lists within each view and by distances fused over all views, the number of neighbours, one
//! smoothing step, and the weights of the views.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::prepare::{PreparedView, ViewFacts, prepare_all};
use super::rare::rare_groups;
use super::readings::Sources;
use super::searches::{Searches, ViewNeighbours};
use super::{JOINT_FACTOR, Slrmf, ViewWeights};
use crate::Result;
use crate::graph::GraphRecord;
use crate::graph::{Bandwidth, Graph, Weights, adaptive};
use crate::matrix::{Csr, Dense, Matrix, ROW_CHUNK, median};
use crate::method::Problem;
use crate::method::common::equal_weights;
use crate::neighbours::{DistanceMetric, Neighbours, Spread};
use crate::operator::LinOp;
use crate::run::Warning;

/// No graph has more neighbours than this.
pub(super) const MAX_NEIGHBOURS: usize = 40;
/// Nor fewer than this, where there are as many.
const LEAST_NEIGHBOURS: usize = 3;
/// A graph has so many where distances carry far.
const USUAL_NEIGHBOURS: f64 = 10.0;
/// Graphs are made at these multiples of their number of neighbours and averaged: weights then fall off more softly.
const SCALES: [f64; 3] = [0.7, 1.0, 1.4];
/// The neighbour whose distance tells how far the joint distances carry.
const CONTRAST_NEIGHBOUR: usize = 10;
/// A joint graph needs at least this contrast; below it, more neighbours would only add noise.
const MIN_CONTRAST: f64 = 0.05;
/// The own graph of a view of sparse counts counts for this much of a dense one's: two short rows are near by the chance of a
/// shared word, and such views are not smoothed either.
const COUNTS_SHARE: f64 = 0.6;
/// Joint neighbours towards which a sample moves when views are smoothed.
const SMOOTHING_NEIGHBOURS: usize = 6;

/// A sample that a view hardly finds neighbours for does not move in it.
const LEAST_KNOWN: f64 = 1e-6;

/// Prepared views and their graphs.
pub(super) struct ViewGraphs {
    pub(super) views: Vec<ViewFacts>,
    /// Numbers of neighbours at which the graphs are made.
    pub(super) neighbours: Vec<usize>,
    /// Whether distances carry so little that a graph needs more neighbours than usual.
    pub(super) noisy: bool,
    /// N_i before smoothing, n x n: for the quality of views only, since smoothing plants the consensus in every view.
    pub(super) unsmoothed: Vec<Csr<f64>>,
    /// N_i, n x n.
    pub(super) per_view: Vec<Arc<Csr<f64>>>,
    /// J, n x n.
    pub(super) joint: Arc<Csr<f64>>,
    /// By the joint distances of the views as they came, with as many neighbours as any graph has, n x n.
    pub(super) plain: Arc<Csr<f64>>,
    /// How far samples are from each other, by view, where a model has the same use of it.
    /// Few samples that are near each other and far from all others.
    pub(super) rare: Vec<Vec<usize>>,
    pub(super) spreads: BTreeMap<String, Spread>,
}

impl ViewGraphs {
    pub(super) fn build(method: &Slrmf, problem: &Problem<'_>) -> Result<Self> {
        let mut views = prepare_all(method, problem.views, problem.run)?;
        let weights = problem.relative_weights();
        let search = Searches { local_neighbour: method.local_neighbour, problem, weights };
        let smoothing = method.smoothing > 0.0 && views.iter().any(|view| !view.facts.mostly_zero);
        let first = MAX_NEIGHBOURS + 1;
        let n = problem.views.samples();
        let usual = method.local_neighbour.max(Spread::LOCAL_NEIGHBOUR);
        let (mut mean_scaled, mut own) = search.mean_scaled_and_own(&views, (first, usual))?;
        let count = if method.neighbours == 0 { neighbour_count(&mean_scaled) } else { method.neighbours as f64 };
        let noisy = count > USUAL_NEIGHBOURS;
        let counts = counts_around(count, n);
        let most = counts.iter().max().map_or(0, |most| most + 1);
        let rare = rare_groups(&mean_scaled);
        if !problem.run.is_nested() {
            warn_of_near_copies(&mean_scaled, problem);
        }
        // before the views are smoothed: nothing in it was learned from other samples
        let plain = Weights::Gaussian.edges(&mean_scaled, MAX_NEIGHBOURS, Bandwidth::SelfTuning)?;
        let plain = Graph::new(plain).normalised();
        if most > usual {
            // where distances carry little, and a graph needs more neighbours than scales do
            own = search.own(&views, most)?;
        }
        let spread = |(view, own): (&PreparedView, &Option<ViewNeighbours>)| {
            let own = own.as_ref().filter(|_| view.facts.usual)?;
            Some((view.facts.name.clone(), own.spread(n)))
        };
        let spreads = views.iter().zip(&own).filter_map(spread).collect();
        let graphs = |own: &[Option<ViewNeighbours>]| -> Result<Vec<Csr<f64>>> {
            own.iter().map(|list| view_graph(list.as_ref(), &counts, n)).collect()
        };
        let mut unsmoothed = graphs(&own)?;
        if smoothing {
            let locally_scaled = search.locally_scaled(&views, &own, SMOOTHING_NEIGHBOURS + 1)?;
            smooth(&mut views, &mean_scaled, &locally_scaled, method.smoothing)?;
            (mean_scaled, own) = search.mean_scaled_and_own(&views, (most, most.max(method.local_neighbour)))?;
        }
        let locally_scaled = search.locally_scaled(&views, &own, most)?;
        let joint = Arc::new(multi_scale(&[&mean_scaled, &locally_scaled], &counts)?);
        let views = views.into_iter().map(|view| view.facts).collect();
        let mut per_view = if smoothing { graphs(&own)? } else { unsmoothed.clone() };
        for (place, view) in problem.views.iter().enumerate() {
            if let Some(weights) = view.affinity() {
                // given, so not made; its samples are compared for the joint graph only
                let given = Graph::new(weights.clone()).normalised();
                (unsmoothed[place], per_view[place]) = (given.as_ref().clone(), given.as_ref().clone());
            }
        }
        let per_view = per_view.into_iter().map(Arc::new).collect();
        Ok(Self { views, neighbours: counts, noisy, unsmoothed, per_view, joint, plain, rare, spreads })
    }

    /// What labels are read from: N_i' = normalised(share N_i + (1 - share) J), n x n, of every view, with the views' weights; J,
    /// and the plain graph. The joint graph also carries the samples that the view does not know.
    pub(super) fn into_sources(
        self,
        method: &Slrmf,
        weights: &[f64],
        counts: Vec<f64>,
    ) -> Result<(Vec<ViewFacts>, Sources)> {
        let Self { views, per_view, joint, plain, noisy, .. } = self;
        let mixed = |((own, view), weight): ((Arc<Csr<f64>>, &ViewFacts), &f64)| {
            let share = if view.mostly_zero { COUNTS_SHARE * method.own_share } else { method.own_share };
            let mixed = own.merged(&joint, |own, joint| share * own + (1.0 - share) * joint)?;
            Ok((view.name.clone(), (1.0 - method.joint_share) * weight, Graph::new(mixed).normalised()))
        };
        let mut factors = per_view.into_iter().zip(&views).zip(weights).map(mixed).collect::<Result<Vec<_>>>()?;
        if method.joint_share > 0.0 {
            factors.push((JOINT_FACTOR.to_owned(), method.joint_share, joint.clone()));
        }
        Ok((views, Sources::new(factors, joint, plain, (noisy, counts))?))
    }

    /// How well the views' graphs support the joint eigenvectors (n x k).
    pub(super) fn qualities(&self, joint: &Dense<f64>) -> Vec<f64> {
        let views = self.unsmoothed.iter().zip(&self.views);
        views.map(|(graph, view)| view_quality(joint, graph, view)).collect()
    }

    /// w, by the squares of the views' qualities; they sum to 1.
    pub(super) fn view_weights(&self, rule: ViewWeights, qualities: &[f64]) -> Vec<f64> {
        let total: f64 = qualities.iter().map(|q| q * q).sum();
        if rule == ViewWeights::Equal || total <= 0.0 {
            return equal_weights(self.unsmoothed.len());
        }
        qualities.iter().map(|q| q * q / total).collect()
    }

    /// How the graphs were made.
    pub(super) fn record(&self) -> GraphRecord {
        let (weights, metric) = (Weights::Adaptive, DistanceMetric::Euclidean);
        GraphRecord { neighbours: self.neighbours.clone(), weights, metric }
    }
}

/// `Tr(F' N F)`.
fn trace_form(factor: &Dense<f64>, operator: &dyn LinOp) -> f64 {
    let mut image = Dense::zeros(factor.rows(), factor.cols());
    operator.apply(factor, &mut image);
    factor.data().iter().zip(image.data()).map(|(x, y)| x * y).sum()
}

/// How well a view's own graph supports the joint eigenvectors F (n x k): 1 fully, 0 as chance would. Only samples that
/// the view knows count.
fn view_quality(factor: &Dense<f64>, graph: &Csr<f64>, view: &ViewFacts) -> f64 {
    let k = factor.cols() as f64;
    let rows = factor.iter_rows().enumerate().filter(|(i, _)| view.knows(*i));
    let squared_norm: f64 = rows.flat_map(|(_, row)| row).map(|x| x * x).sum();
    if squared_norm <= 0.0 {
        return 0.0;
    }
    let support = k * trace_form(factor, graph) / squared_norm;
    if k > 1.0 { ((support - 1.0) / (k - 1.0)).max(0.0) } else { support.max(0.0) }
}

/// A sample is a near copy when its nearest ones are so many times nearer than the next one, in squared distance.
const NEAR_COPY: f64 = 100.0;
/// Worth a word are this share of the samples, and so many for every cluster: a small cluster that is far from all others is none.
const NEAR_COPIES: f64 = 0.1;
const NEAR_COPIES_PER_CLUSTER: usize = 4 * MAX_NEIGHBOURS;

/// Repeated measurements fill each other's neighbour lists.
fn warn_of_near_copies(found: &Neighbours, problem: &Problem<'_>) {
    let is_near_copy = |i: &usize| found.of(*i).1.windows(2).any(|pair| pair[1] > NEAR_COPY * pair[0]);
    let samples = (0..found.len()).filter(is_near_copy).count();
    let least = (NEAR_COPIES * found.len() as f64) as usize;
    if samples > least.max(1)
        && samples > problem.clusters * NEAR_COPIES_PER_CLUSTER.min(found.len() / (2 * problem.clusters))
    {
        problem.run.warn(Warning::NearCopies { samples });
    }
}

/// The numbers of neighbours around `count` at which graphs of n samples are made.
fn counts_around(count: f64, n: usize) -> Vec<usize> {
    let most = MAX_NEIGHBOURS.min(n.saturating_sub(1)).max(1);
    let rounded = SCALES.map(|scale| ((scale * count).round() as usize).clamp(LEAST_NEIGHBOURS.min(most), most));
    let mut counts = rounded.to_vec();
    counts.dedup();
    counts
}

/// The mean over `counts`, of which there is one at least, of the normalised sum of the lists' adaptive-neighbour graphs, n x n sparse.
pub(super) fn multi_scale(lists: &[&Neighbours], counts: &[usize]) -> Result<Csr<f64>> {
    let at = |count: usize| -> Result<Csr<f64>> {
        let graphs = lists.iter().map(|list| Weights::Adaptive.edges(list, count, Bandwidth::SelfTuning));
        Ok(Graph::new(sum(graphs)?).normalised().as_ref().clone())
    };
    let mut mean = sum(counts.iter().map(|&count| at(count)))?;
    mean.values_mut().iter_mut().for_each(|x| *x /= counts.len() as f64);
    Ok(mean)
}

/// The sum of graphs, added in order; no more than two are held.
fn sum(mut graphs: impl Iterator<Item = Result<Csr<f64>>>) -> Result<Csr<f64>> {
    let first = graphs.next().unwrap_or_else(|| Csr::from_entries(0, 0, Vec::new()))?;
    graphs.try_fold(first, |sum, graph| sum.merged(&graph?, |a, b| a + b))
}

/// The graph of one view over all samples; rows of samples it does not know are empty.
fn view_graph(list: Option<&ViewNeighbours>, counts: &[usize], n: usize) -> Result<Csr<f64>> {
    match list {
        Some(list) => multi_scale(&[&list.found], counts)?.spread(&list.present, n),
        None => Csr::from_entries(n, n, Vec::new()),
    }
}

/// How many neighbours the graphs should have, by the joint distances. Where the 10th neighbour is hardly nearer than any
/// other sample (1 is the mean distance), distances carry little and more of them must be averaged.
fn neighbour_count(mean_scaled: &Neighbours) -> f64 {
    let n = mean_scaled.len();
    let tenth = |i: usize| mean_scaled.of(i).1[..CONTRAST_NEIGHBOUR.min(mean_scaled.count())].last().copied();
    let contrast = (1.0 - median((0..n).filter_map(tenth).collect())).max(MIN_CONTRAST);
    f64::max(USUAL_NEIGHBOURS, 5.0 / contrast).min((n as f64).sqrt().max(3.0))
}

/// One step of smoothing of the views that are not counts: each sample moves towards its neighbours in the joint graph.
/// Noise that the views do not share averages out; what they share stays.
fn smooth(
    views: &mut [PreparedView],
    mean_scaled: &Neighbours,
    locally_scaled: &Neighbours,
    strength: f64,
) -> Result<()> {
    let walk = adaptive(mean_scaled, SMOOTHING_NEIGHBOURS)?;
    let walk = walk.merged(&adaptive(locally_scaled, SMOOTHING_NEIGHBOURS)?, |a, b| 0.5 * (a + b))?;
    for prepared in views.iter_mut().filter(|prepared| !prepared.facts.mostly_zero) {
        let missing = prepared.facts.incomplete.then_some(prepared.facts.missing.as_slice());
        if let Matrix::DenseF64(z) = &prepared.view.data {
            prepared.view.data = smoothed(z, &walk, missing, strength).into();
        }
    }
    Ok(())
}

/// Every row moved by `strength` towards the mean of its neighbours, or of those that the view knows; samples that it does not
/// know stay where they are.
fn smoothed(z: &Dense<f64>, walk: &Csr<f64>, missing: Option<&[bool]>, strength: f64) -> Dense<f64> {
    let width = z.cols().max(1);
    let mut out = Dense::zeros(z.rows(), z.cols());
    out.data_mut().par_chunks_mut(width * ROW_CHUNK).enumerate().for_each(|(chunk, rows)| {
        let mut mean = vec![0.0; width];
        for (place, row) in rows.chunks_exact_mut(width).enumerate() {
            let i = chunk * ROW_CHUNK + place;
            let (columns, weights) = walk.row(i);
            let is_known = |j: u32| missing.is_none_or(|missing| !missing[j as usize]);
            let known: f64 = columns.iter().zip(weights).filter(|(j, _)| is_known(**j)).map(|(_, w)| w).sum();
            if missing.is_some() && (!is_known(i as u32) || known < LEAST_KNOWN) {
                row.copy_from_slice(z.row(i));
                continue;
            }
            mean.fill(0.0);
            // the rows of samples that the view does not know are zeros
            for (&j, &weight) in columns.iter().zip(weights) {
                mean.iter_mut().zip(z.row(j as usize)).for_each(|(mean, x)| *mean += weight * x);
            }
            let divide = if missing.is_some() { known } else { 1.0 };
            let entries = row.iter_mut().zip(z.row(i)).zip(&mean);
            entries.for_each(|((out, z), mean)| {
                *out = (1.0 - strength) * z + strength * (mean / divide);
            });
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_neighbours_are_those_there_are() {
        assert_eq!(counts_around(10.0, 100), [7, 10, 14]);
        // at least three, at most forty, never more than other samples; and no graph twice
        assert_eq!(counts_around(1.0, 100), [3]);
        assert_eq!(counts_around(40.0, 100), [28, 40]);
        assert_eq!(counts_around(100.0, 8), [7]);
        assert_eq!(counts_around(3.0, 3), [2]);
    }
}
