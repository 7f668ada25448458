//! Is there anything to find? Whether the clusters are apart in the data, or pieces of something that goes on.
//!
//! Reproducible is not enough: a gradient is cut at the same places again and again. What tells a cluster from a piece is the
//! gap around it. Here a cluster is apart when the edges that leave it, in the joint graph of the views, weigh clearly less
//! than those that cross its own inside. The inside is crossed along its slowest direction (the second eigenvector of its
//! part of the graph), where it is thinnest. A piece of a gradient, of a cloud or of a cube has as much at its
//! borders as within; of clusters the borders are empty.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::borders::{Border, Placed};
use crate::choose::{Spectrum, between};
use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::memory::MemoryLimit;
use crate::method::{PlainGraphs, Problem, plain_graphs};
use crate::null::{Clouds, Overlap, drawn, overlap, side_by_side, stream};
use crate::operator::TopEigen;
use crate::{Clustering, CorruptionMode, Result, Run, Settings, View, Views};

/// More samples than this, or than [`SAMPLES_PER_CLUSTER`] for every cluster, are represented by that many of them.
const MOST_SAMPLES: usize = 2000;
const SAMPLES_PER_CLUSTER: usize = 30;
/// Of views with more features than this in all, fewer samples: clouds are dense, and every pair of their samples is compared in
/// every feature.
const FEATURES: usize = 300;
/// Clouds without clusters that the borders are compared with: until the mean of their logarithms is known this well, within these bounds.
const NULL_ERROR: f64 = 0.08;
const NULLS: (usize, usize) = (3, 8);
/// There is a gap between clusters when the ties between them are at most this share of what crosses the inside of the thinner one.
/// Chance gaps in a line of a hundred samples leave 0.2 and more (`tests/structure.rs`).
pub(super) const GAP: f64 = 0.15;
/// A cluster of one or two samples has no inside; numbers end here.
const MOST_LEAK: f64 = 100.0;
/// Residual of eigenvectors that only put samples in order, and how many of them are asked.
const TOLERANCE: f64 = 1e-4;
const DIRECTIONS: usize = 3;

/// How far the clusters are apart in the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// For every cluster, the weight of the edges that leave it over the weight of those that cross its inside: 0 for an island,
    /// about 1 or more for a piece of a whole. None for a cluster without samples among those asked.
    pub leaks: Vec<Option<f64>>,
    /// The share of samples whose cluster has a gap around it.
    pub apart: f64,
    /// Where clusters meet: all pairs without a gap between them.
    pub borders: Vec<Border>,
    /// How dense samples are at a typical border, relative to the insides beside it: the geometric mean. None without borders that have
    /// enough samples.
    pub density: Option<f64>,
    /// The same of clouds without clusters that have the variances and covariances of the data, cut into as many pieces. None where the
    /// clusters have no borders.
    pub null: Option<NullDensity>,
    /// Samples that were asked; fewer than there are when there are many.
    pub samples: usize,
    /// Whether the views know of each other; none for one view.
    pub overlap: Option<Overlap>,
}

/// The density at the borders between pieces of clouds without clusters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NullDensity {
    /// The geometric mean over the clouds.
    pub density: f64,
    /// Where that mean lies with 95 % confidence.
    pub interval: (f64, f64),
    /// Number of clouds.
    pub clouds: usize,
}

/// Measures the clusters of `clustering` in the data. Unknown for one cluster, or when the clusters are as many as the samples.
pub(super) fn structure(
    views: &Views,
    settings: &Settings,
    clustering: &Clustering,
    run: &Run,
) -> Result<Option<Structure>> {
    let (labels, k) = (&clustering.record.labels, clustering.record.clusters_found());
    let features: usize = views.iter().map(|view| view.data.cols().min(Clouds::MOST_FEATURES)).sum();
    let asked = asked(views.samples(), features, k, settings.seed);
    if k < 2 || asked.len() < 2 * k || asked.len() < 4 {
        return Ok(None);
    }
    let labels: Vec<usize> = asked.iter().map(|&i| labels[i]).collect();
    let Some((views, weights)) = compared(views, settings, clustering, &asked)? else { return Ok(None) };
    let nested = run.nested();
    let problem = Problem {
        views: &views,
        clusters: k,
        seed: settings.seed,
        restarts: settings.restarts,
        counts: None,
        weights: weights.as_deref(),
        neighbours: settings.neighbour_search(),
        memory: MemoryLimit::new(settings.memory),
        run: &nested,
    };
    let PlainGraphs { joint, per_view } = plain_graphs(&problem)?;
    let per_view: Vec<&Csr<f64>> = per_view.iter().map(AsRef::as_ref).filter(|graph| graph.nnz() > 0).collect();
    let crossings = Crossings::new(&joint, &labels, k, settings.seed, &nested)?;
    let borders = borders(&problem, &joint, &labels, &crossings)?;
    let density = mean_log(&borders);
    let null = density.map(|_| null_density(&problem, run)).transpose()?.flatten();
    let leaks = crossings.leaks();
    let apart = share_apart(&leaks, &labels);
    let overlap = overlap(&per_view, settings.seed);
    let density = density.map(f64::exp);
    Ok(Some(Structure { leaks, apart, borders, density, null, samples: labels.len(), overlap }))
}

/// All pairs of clusters without a gap between them.
fn borders(problem: &Problem<'_>, graph: &Csr<f64>, labels: &[usize], crossings: &Crossings) -> Result<Vec<Border>> {
    let points = side_by_side(problem.views, problem.weights)?;
    let placed = Placed { points: &points, graph, labels, seed: problem.seed };
    let pairs = (0..problem.clusters).flat_map(|a| (a + 1..problem.clusters).map(move |b| (a, b)));
    let near: Vec<((usize, usize), f64)> = pairs
        .map(|(a, b)| ((a, b), crossings.leak_between(a, b).max(crossings.leak_between(b, a))))
        .filter(|(_, leak)| *leak > GAP)
        .collect();
    Ok(near
        .into_par_iter()
        .map(|(clusters, leak)| Border { clusters, leak, density: placed.density(clusters.0, clusters.1) })
        .collect())
}

/// The mean logarithm of the densities that are known.
fn mean_log(borders: &[Border]) -> Option<f64> {
    let logs: Vec<f64> = borders.iter().filter_map(|border| border.density).map(f64::ln).collect();
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

/// What clouds without clusters have at their borders; none when they have none.
fn null_density(problem: &Problem<'_>, run: &Run) -> Result<Option<NullDensity>> {
    let clouds = Clouds::new(problem.views, problem.seed, problem.run)?;
    let mut logs: Vec<f64> = Vec::new();
    for draw in 0..NULLS.1 {
        run.check()?;
        let cloud = clouds.draw(problem.seed.wrapping_add(draw as u64))?;
        let problem = Problem { views: &cloud, ..*problem };
        let graph = plain_graphs(&problem)?.joint;
        let k = problem.clusters;
        let pieces = Spectrum::new(&graph, &(k..=k), problem.seed, problem.run)?.labels(problem.run)?.remove(0);
        let crossings = Crossings::new(&graph, &pieces, k, problem.seed, problem.run)?;
        logs.extend(mean_log(&borders(&problem, &graph, &pieces, &crossings)?));
        if draw + 1 >= NULLS.0 && standard_error(&logs).is_some_and(|error| error <= NULL_ERROR) {
            break;
        }
    }
    let Some(error) = standard_error(&logs) else { return Ok(None) };
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let interval = ((mean - 1.96 * error).exp(), (mean + 1.96 * error).exp());
    Ok(Some(NullDensity { density: mean.exp(), interval, clouds: logs.len() }))
}

/// Of the mean of some numbers; none of fewer than two.
fn standard_error(numbers: &[f64]) -> Option<f64> {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (numbers.len() > 1).then(|| (variance / count).sqrt())
}

/// The samples that are asked, rising.
fn asked(n: usize, features: usize, k: usize, seed: u64) -> Vec<usize> {
    let work = (FEATURES as f64 / features.max(FEATURES) as f64).sqrt();
    let most = ((MOST_SAMPLES as f64 * work) as usize).max(SAMPLES_PER_CLUSTER * k);
    drawn(n, most, &mut stream(seed, 0))
}

/// The views as the method saw them, scaled and with the noise that was asked for, and the weights it gave them. Views that
/// counted for nothing are left out: the clusters are not made of them. Affinities are left out too, since there is no cloud
/// without clusters to compare them with; unknown when nothing is left that knows every sample.
fn compared(
    views: &Views,
    settings: &Settings,
    clustering: &Clustering,
    asked: &[usize],
) -> Result<Option<(Views, Option<Vec<f64>>)>> {
    let lost = settings.corruption.filter(|corruption| corruption.mode == CorruptionMode::Lose);
    let mut seen = clustering.fitted.scale(&lost.map_or_else(|| Ok(views.clone()), |loss| views.corrupted(&loss))?)?;
    if let Some(noise) = settings.corruption.filter(|corruption| corruption.mode != CorruptionMode::Lose) {
        seen = seen.corrupted(&noise)?;
    }
    let seen = seen.select(asked)?;
    let weights = clustering.record.views.iter().map(|view| view.weight);
    let counted = seen.iter().zip(weights).filter(|(view, weight)| *weight > 0.0 && !view.is_affinity());
    let counted: Vec<(&View, f64)> = counted.collect();
    // samples that only the others know need them
    let all = || (!seen.has_affinities()).then(|| (seen.clone(), None));
    match counted.as_slice() {
        // what the only view does not know cannot be compared: such samples have no edges
        [] => Ok(all()),
        counted => {
            let total: f64 = counted.iter().map(|(_, weight)| weight).sum();
            let weights = counted.iter().map(|(_, weight)| weight / total).collect();
            let views = Views::new(counted.iter().map(|(view, _)| (*view).clone()).collect());
            Ok(views.map_or_else(|_| all(), |views| Some((views, Some(weights)))))
        }
    }
}

/// What ties clusters to each other, and what crosses them inside.
struct Crossings {
    /// k x k: the weight of the edges between clusters.
    cuts: Dense<f64>,
    /// The weight that crosses the inside of every cluster; none for a cluster without samples.
    inside: Vec<Option<f64>>,
}

impl Crossings {
    fn new(graph: &Csr<f64>, labels: &[usize], k: usize, seed: u64, run: &Run) -> Result<Self> {
        let mut cuts = Dense::zeros(k, k);
        for (i, &a) in labels.iter().enumerate() {
            let (columns, weights) = graph.row(i);
            for (&j, weight) in columns.iter().zip(weights) {
                let b = labels[j as usize];
                if a != b {
                    cuts.data_mut()[a * k + b] += weight;
                }
            }
        }
        let mut members = vec![Vec::new(); k];
        labels.iter().enumerate().for_each(|(i, &label)| members[label].push(i));
        let crossed = |samples: &Vec<usize>| match samples.as_slice() {
            [] => Ok(None),
            samples => crossing(graph, samples, seed, run).map(Some),
        };
        Ok(Self { cuts, inside: members.iter().map(crossed).collect::<Result<_>>()? })
    }

    /// What ties a cluster to another, against what crosses the inside of the thinner one.
    fn leak_between(&self, a: usize, b: usize) -> f64 {
        let (Some(a_inside), Some(b_inside)) = (self.inside[a], self.inside[b]) else { return 0.0 };
        share(self.cuts.get(a, b), a_inside.min(b_inside))
    }

    /// For every cluster, what leaves it against what crosses its inside, and against the inside of every cluster it leaks into.
    fn leaks(&self) -> Vec<Option<f64>> {
        let k = self.inside.len();
        let leak = |a: usize| {
            let out: f64 = self.cuts.row(a).iter().sum();
            let most = |inside: f64| (0..k).map(|b| self.leak_between(a, b)).fold(share(out, inside), f64::max);
            self.inside[a].map(most)
        };
        (0..k).map(leak).collect()
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if part <= 0.0 { 0.0 } else { (part / whole.max(f64::MIN_POSITIVE)).min(MOST_LEAK) }
}

/// The weight of edges within `samples` that the thickest cut across their slowest direction crosses. A direction in which only
/// a few samples stick out says nothing about the rest, so the next ones are asked too, and the thinnest of them counts.
fn crossing(graph: &Csr<f64>, samples: &[usize], seed: u64, run: &Run) -> Result<f64> {
    run.check()?;
    if samples.len() < 3 {
        return Ok(0.0);
    }
    let inside = between(graph, samples, samples);
    let normalised = Graph::new(inside.clone()).normalised();
    let eigen = TopEigen { tolerance: TOLERANCE, ..TopEigen::for_labels(1 + DIRECTIONS, seed) };
    let vectors = eigen.solve(normalised.as_ref(), None, run)?.vectors;
    let along = |direction: usize| thickest_cut(&inside, |i| vectors.get(i, direction) / vectors.get(i, 0));
    Ok((1..vectors.cols()).map(along).fold(f64::INFINITY, f64::min).min(f64::MAX))
}

/// Of the cuts between samples in the order of `position`, the most weight that one crosses.
fn thickest_cut(graph: &Csr<f64>, position: impl Fn(usize) -> f64) -> f64 {
    let n = graph.rows();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| position(a).total_cmp(&position(b)).then(a.cmp(&b)));
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(at, &sample)| place[sample] = at);
    // an edge is crossed by every cut between its ends
    let mut change = vec![0.0; n];
    for i in 0..n {
        let (columns, weights) = graph.row(i);
        for (&j, weight) in columns.iter().zip(weights) {
            let (from, to) = (place[i], place[j as usize]);
            if from < to {
                change[from] += weight;
                change[to] -= weight;
            }
        }
    }
    let (mut crossed, mut most) = (0.0_f64, 0.0_f64);
    for step in change {
        crossed += step;
        most = most.max(crossed);
    }
    most
}

fn share_apart(leaks: &[Option<f64>], labels: &[usize]) -> f64 {
    let apart = labels.iter().filter(|&&label| leaks[label].is_some_and(|leak| leak <= GAP)).count();
    apart as f64 / labels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of `n` samples, each tied to the next.
    fn path(n: usize) -> Csr<f64> {
        let edges = (1..n).flat_map(|i| [(i - 1, i as u32, 1.0), (i, i as u32 - 1, 1.0)]);
        Csr::from_entries(n, n, edges.collect()).unwrap()
    }

    #[test]
    fn the_thickest_cut_by_hand() {
        // in their order every cut crosses one edge; 0 2 1 3 is crossed by up to three
        assert_eq!(thickest_cut(&path(4), |i| i as f64), 1.0);
        assert_eq!(thickest_cut(&path(4), |i| [0.0, 2.0, 1.0, 3.0][i]), 3.0);
    }

    #[test]
    fn pieces_of_a_path_leak_and_islands_do_not() {
        let labels: Vec<usize> = (0..12).map(|i| i / 4).collect();
        let run = Run::default();
        let leaks = |graph: &Csr<f64>, k| Crossings::new(graph, &labels, k, 0, &run).unwrap().leaks();
        let found = leaks(&path(12), 3);
        // the ends are left by one edge, the middle by two; inside every cut crosses one
        assert_eq!(found, [Some(1.0), Some(2.0), Some(1.0)]);
        assert_eq!(share_apart(&found, &labels), 0.0);

        let inside =
            (0..12).flat_map(|i| (i / 4 * 4..i / 4 * 4 + 4).filter(move |j| *j != i).map(move |j| (i, j as u32, 1.0)));
        let islands = Csr::from_entries(12, 12, inside.collect()).unwrap();
        let found = leaks(&islands, 4);
        assert_eq!(found, [Some(0.0), Some(0.0), Some(0.0), None]);
        assert_eq!(share_apart(&found, &labels), 1.0);
    }
}
