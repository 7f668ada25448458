//! The graphs: neighbour lists within each view and by distances fused over all views, the number of neighbours, one
//! smoothing step, and the weights of the views.

use std::sync::Arc;

use super::candidates::trace_form;
use super::prepare::{PreparedView, ViewFacts, prepare_all};
use super::{Slrmf, ViewWeights};
use crate::Result;
use crate::graph::{Bandwidth, Graph, Weights, adaptive};
use crate::matrix::{Csr, Dense, Matrix, Real, for_matrix, median};
use crate::method::Problem;
use crate::method::common::equal_weights;
use crate::neighbours::{Distance, DistanceMetric, Missing, Neighbours, Term, Weighting};
use crate::operator::LinOp;
use crate::run::GraphRecord;

/// No graph has more neighbours than this.
const MAX_NEIGHBOURS: usize = 40;
/// A joint graph needs at least this contrast; below it, more neighbours would only add noise.
const MIN_CONTRAST: f64 = 0.05;
/// Joint neighbours towards which a sample moves when views are smoothed.
const SMOOTHING_NEIGHBOURS: usize = 5;

/// Prepared views and their graphs.
pub(super) struct ViewGraphs {
    pub(super) views: Vec<ViewFacts>,
    /// Numbers of neighbours at which the graphs are made.
    pub(super) neighbour_counts: Vec<usize>,
    /// N_i before smoothing, n x n: for the quality of views only, since smoothing plants the consensus in every view.
    pub(super) unsmoothed: Vec<Csr<f64>>,
    /// N_i, n x n.
    pub(super) per_view: Vec<Arc<Csr<f64>>>,
    /// J, n x n.
    pub(super) joint: Arc<Csr<f64>>,
}

impl ViewGraphs {
    pub(super) fn build(method: &Slrmf, problem: &Problem<'_>) -> Result<Self> {
        let mut views = prepare_all(method, problem.views, problem.run)?;
        let n = problem.views.samples();
        let mut lists = NeighbourLists::find(&views, method.local_neighbour, problem)?;
        let count = if method.neighbours == 0 { lists.neighbour_count() } else { method.neighbours as f64 };
        let neighbour_counts = counts_around(count, method.multi_scale);
        let graphs = |lists: &NeighbourLists| -> Result<Vec<Csr<f64>>> {
            lists.per_view.iter().map(|list| view_graph(list.as_ref(), &neighbour_counts, n)).collect()
        };
        let unsmoothed = graphs(&lists)?;
        if method.smoothing > 0.0 && views.iter().any(|view| !view.is_counts) {
            smooth(&mut views, lists, method.smoothing)?;
            lists = NeighbourLists::find(&views, method.local_neighbour, problem)?;
        }
        let views = views.into_iter().map(|view| view.facts).collect();
        let per_view = graphs(&lists)?.into_iter().map(Arc::new).collect();
        let joint = Arc::new(multi_scale(&[&lists.mean_scaled, &lists.locally_scaled], &neighbour_counts)?);
        Ok(Self { views, neighbour_counts, unsmoothed, per_view, joint })
    }

    /// w, by how well the views' graphs support the joint eigenvectors (n x k); they sum to 1.
    pub(super) fn view_weights(&self, rule: ViewWeights, joint: &Dense<f64>) -> Vec<f64> {
        let equal = equal_weights(self.unsmoothed.len());
        if rule == ViewWeights::Equal {
            return equal;
        }
        let views = self.unsmoothed.iter().zip(&self.views);
        let quality: Vec<f64> = views.map(|(graph, view)| view_quality(joint, graph, &view.missing)).collect();
        let total: f64 = quality.iter().sum();
        if total > 0.0 { quality.iter().map(|q| q / total).collect() } else { equal }
    }

    /// How the graphs were made.
    pub(super) fn record(&self) -> GraphRecord {
        let (weights, metric) = (Weights::Adaptive, DistanceMetric::Euclidean);
        GraphRecord { neighbours: self.neighbour_counts.clone(), weights, metric }
    }
}

/// How well a view's own graph supports the joint eigenvectors F (n x k): 1 fully, 0 as chance would. Only samples that
/// the view knows count.
fn view_quality(factor: &Dense<f64>, graph: &Csr<f64>, missing: &[bool]) -> f64 {
    let k = factor.cols() as f64;
    let known = |i: usize| !missing.get(i).copied().unwrap_or(false);
    let rows = factor.iter_rows().enumerate().filter(|(i, _)| known(*i));
    let squared_norm: f64 = rows.flat_map(|(_, row)| row).map(|x| x * x).sum();
    if squared_norm <= 0.0 {
        return 0.0;
    }
    let support = k * trace_form(factor, graph) / squared_norm;
    if k > 1.0 { ((support - 1.0) / (k - 1.0)).max(0.0) } else { support.max(0.0) }
}

/// The numbers of neighbours around `count` at which graphs are made.
fn counts_around(count: f64, several: bool) -> Vec<usize> {
    let factors: &[f64] = if several { &[0.7, 1.0, 1.4] } else { &[1.0] };
    factors.iter().map(|factor| ((factor * count).round() as usize).clamp(3, MAX_NEIGHBOURS)).collect()
}

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
fn view_graph(list: Option<&ViewNeighbours>, counts: &[usize], n: usize) -> Result<Csr<f64>> {
    match list {
        Some(list) => multi_scale(&[&list.found], counts)?.spread(&list.present, n),
        None => Csr::from_entries(n, n, Vec::new()),
    }
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

/// The neighbours of a view's samples among those it knows.
struct ViewNeighbours {
    found: Neighbours,
    /// The samples that the view knows; `found` counts within them.
    present: Vec<usize>,
}

/// All neighbour lists.
struct NeighbourLists {
    /// Per view; none when it has no spread or no samples.
    per_view: Vec<Option<ViewNeighbours>>,
    /// By the mean of the views' squared distances, each divided by its mean.
    mean_scaled: Neighbours,
    /// By the mean of the views' squared distances, each divided by the local scales of both samples.
    locally_scaled: Neighbours,
}

impl NeighbourLists {
    fn find(views: &[PreparedView], local_neighbour: usize, problem: &Problem<'_>) -> Result<Self> {
        let (mut per_view, mut mean_terms, mut local_terms) = (Vec::new(), Vec::new(), Vec::new());
        let mut constant = 0.0;
        for prepared in views {
            let Some((list, mean)) = view_neighbours(prepared, problem)? else {
                per_view.push(None);
                constant += 1.0;
                continue;
            };
            let scales = local_scales(prepared, &list, local_neighbour, 1e-6 * mean.sqrt());
            let middle = median(list.present.iter().map(|&i| scales[i]).collect());
            let missing = |neutral| {
                (!prepared.facts.missing.is_empty()).then_some(Missing { samples: &prepared.facts.missing, neutral })
            };
            let term = |weighting, neutral| Term {
                view: &prepared.view,
                metric: DistanceMetric::Euclidean,
                weighting,
                missing: missing(neutral),
            };
            mean_terms.push(term(Weighting::Uniform(1.0 / mean), 1.0));
            local_terms.push(term(Weighting::Local(scales), mean / (middle * middle)));
            per_view.push(Some(list));
        }
        let n = views.first().map_or(0, |prepared| prepared.view.data.rows());
        // views without a graph add the same to every distance: no order changes, and none is measured
        let search = |terms: Vec<Term<'_>>| -> Result<Neighbours> {
            if terms.is_empty() {
                return placeholder_neighbours(n);
            }
            problem.neighbours.search(&Distance::of(terms), MAX_NEIGHBOURS + 1, problem.run)
        };
        let (mean_scaled, locally_scaled) = (search(mean_terms)?, search(local_terms)?);
        let count = views.len() as f64;
        Ok(Self {
            per_view,
            mean_scaled: mean_scaled.map_distances(|d| (d + constant) / count),
            locally_scaled: locally_scaled.map_distances(|d| (d + constant) / count),
        })
    }

    /// How many neighbours the graphs should have. Where the 10th neighbour is hardly nearer than any other sample (1 is
    /// the mean distance), distances carry little and more of them must be averaged.
    fn neighbour_count(&self) -> f64 {
        let list = &self.mean_scaled;
        let tenth = (0..list.len()).filter_map(|i| list.of(i).1.get(9).or(list.of(i).1.last()).copied()).collect();
        let contrast = (1.0 - median(tenth)).max(MIN_CONTRAST);
        let n = list.len() as f64;
        f64::max(10.0, 5.0 / contrast).min(n.sqrt().max(3.0))
    }
}

/// The nearest among the samples that the view knows, and the mean squared distance of two of them.
fn view_neighbours(prepared: &PreparedView, problem: &Problem<'_>) -> Result<Option<(ViewNeighbours, f64)>> {
    let n = prepared.view.data.rows();
    let present: Vec<usize> = (0..n).filter(|&i| !prepared.facts.missing.get(i).copied().unwrap_or(false)).collect();
    if present.len() < 3 {
        return Ok(None);
    }
    let known = if present.len() == n {
        prepared.view.clone()
    } else {
        prepared.view.with_data(prepared.view.data.select_rows(&present))
    };
    let mean = mean_square_distance(&known.data);
    if mean <= 0.0 {
        return Ok(None);
    }
    let distance = Distance::within(&known, DistanceMetric::Euclidean);
    let found = problem.neighbours.search(&distance, MAX_NEIGHBOURS + 1, problem.run)?;
    Ok(Some((ViewNeighbours { found, present }, mean)))
}

/// Over ordered pairs of different samples: twice the mean squared distance to the centre, times n / (n - 1).
fn mean_square_distance(data: &Matrix) -> f64 {
    let n = data.rows() as f64;
    let mut centre = vec![0.0; data.cols()];
    let mut square = 0.0;
    let mut add = |j: usize, x: f64| {
        centre[j] += x / n;
        square += x * x / n;
    };
    for_matrix!(
        data,
        dense m => m.iter_rows().for_each(|row| row.iter().enumerate().for_each(|(j, x)| add(j, x.to_f64()))),
        sparse m => m.indices().iter().zip(m.values()).for_each(|(&j, x)| add(j as usize, x.to_f64())),
    );
    let spread = square - centre.iter().map(|x| x * x).sum::<f64>();
    // the difference of two large sums: what is left of equal ones is rounding
    if spread > 1e-12 * square { 2.0 * spread * n / (n - 1.0) } else { 0.0 }
}

/// The distance to the neighbour that sets a sample's scale; 1 for samples the view does not know (never used).
fn local_scales(prepared: &PreparedView, list: &ViewNeighbours, neighbour: usize, floor: f64) -> Vec<f64> {
    let mut scales = vec![1.0; prepared.view.data.rows()];
    for (place, &sample) in list.present.iter().enumerate() {
        let distances = list.found.of(place).1;
        let at = distances.get(neighbour - 1).or(distances.last()).copied().unwrap_or(0.0);
        scales[sample] = at.sqrt().max(floor);
    }
    scales
}

/// Lists without any information: the samples in the order of their numbers, all at the same distance.
fn placeholder_neighbours(n: usize) -> Result<Neighbours> {
    let count = (MAX_NEIGHBOURS + 1).min(n.saturating_sub(1));
    let samples = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).take(count).map(|j| j as u32)).collect();
    Neighbours::new(n, count, n, samples, vec![0.0; n * count])
}

/// One step of smoothing of the views that are not counts: each sample moves towards its neighbours in the joint graph.
/// Noise that the views do not share averages out; what they share stays.
/// The lists are not needed after it, and large.
fn smooth(views: &mut [PreparedView], lists: NeighbourLists, strength: f64) -> Result<()> {
    let walk = adaptive(&lists.mean_scaled, SMOOTHING_NEIGHBOURS)?;
    let walk = walk.merged(&adaptive(&lists.locally_scaled, SMOOTHING_NEIGHBOURS)?, |a, b| 0.5 * (a + b))?;
    drop(lists);
    for prepared in views.iter_mut().filter(|prepared| !prepared.is_counts) {
        let Matrix::DenseF64(z) = &prepared.view.data else { continue };
        let mut smoothed: Dense<f64> = Dense::zeros(z.rows(), z.cols());
        walk.apply(z, &mut smoothed);
        let entries = smoothed.data_mut().iter_mut().zip(z.data());
        entries.for_each(|(smoothed, z)| *smoothed = (1.0 - strength) * z + strength * *smoothed);
        prepared.view.data = smoothed.into();
    }
    Ok(())
}
