//! Readings: ways from the same graphs to labels. None is the best for all data (columns beyond the k-th buy balance, rows of unit
//! length mind sizes), so the one is kept that comes back best when half of the samples are left out. Refits are made on what the
//! graphs have among the half; nothing is searched again.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

use std::sync::Arc;

use rayon::prelude::*;

use super::labels::{ConsensusSpace, LEAST_EIGENVALUE};
use super::solver::{self, Factor, Solution};
use super::{Slrmf, view_starts};
use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::method::{Labelling, Problem, ReadingFound, Readings};
use crate::operator::{EigenPairs, TopEigen, inverse_roots};
use crate::parameters::choice;
use crate::spectral::{KMeans, embed};
use crate::stability::{Refits, halves, refits, returned};
use crate::{Result, Run};

choice! {
    /// How labels are read from the graphs.
    pub enum Reading {
        /// The one that comes back best when half of the samples are left out.
        Auto = "auto",
        /// Factors that agree, with columns beyond the k-th; prefers clusters of like size.
        Factors = "factors",
        /// The first k eigenvectors of the views' graphs together, rows of unit length.
        Rank = "rank",
        /// The normalised cut of the same graph: does not mind sizes.
        Cut = "cut",
        /// The first k eigenvectors of the joint graph.
        Joint = "joint",
        /// The normalised cut of a graph of many neighbours that nothing was smoothed in; for features that are mostly noise.
        Plain = "plain",
    }
}

/// The readings of the factorised graphs, the factors first.
const FACTORISED: [Reading; 4] = [Reading::Factors, Reading::Rank, Reading::Cut, Reading::Joint];
/// The factors are left for another reading that is better by so much, and that for the plain one in the same way: smooth cuts come back
/// easily, and a few refits tell smaller differences from chance no better than a coin.
const MARGIN: f64 = 0.04;
/// k-means restarts of a refit.
const RESTARTS: usize = 3;
/// Residual of the eigenvectors of a refit: its labels are counted, not kept.
const REFIT_TOLERANCE: f64 = 1e-3;
const TOLERANCE: f64 = 1e-4;
/// Products with the graph for them: where the k-th eigenvalue has close followers, a turn among these changes few labels.
const MOST_PRODUCTS: usize = 300;
const REFIT_PRODUCTS: usize = 100;
/// A half must have so many samples for every cluster.
const LEAST_PER_CLUSTER: usize = 2;

/// The graphs that labels are read from, n x n and normalised.
pub(super) struct Sources {
    /// N_i' and the joint graph, with their names and weights.
    pub(super) factors: Vec<(String, f64, Arc<Csr<f64>>)>,
    /// W = sum_i w_i N_i'.
    pub(super) W: Arc<Csr<f64>>,
    /// J.
    pub(super) joint: Arc<Csr<f64>>,
    /// The graph of many neighbours by the views as they came.
    pub(super) plain: Arc<Csr<f64>>,
    /// Whether distances carry so little that graphs need more neighbours than usual: then the plain graph is worth a look.
    pub(super) noisy: bool,
    /// How often every sample occurs.
    pub(super) counts: Vec<f64>,
}

/// Eigenvectors that a reading used (n x any): where a refit starts.
type Start = Dense<f64>;

impl Sources {
    pub(super) fn new(
        factors: Vec<(String, f64, Arc<Csr<f64>>)>,
        joint: Arc<Csr<f64>>,
        plain: Arc<Csr<f64>>,
        (noisy, counts): (bool, Vec<f64>),
    ) -> Result<Self> {
        let graphs: Vec<Graph> = factors.iter().map(|(_, _, graph)| Graph::new(graph.as_ref().clone())).collect();
        let weighted = factors.iter().map(|(_, weight, _)| *weight).zip(&graphs);
        let W = Arc::new(Graph::weighted_sum(weighted)?.weights().clone());
        Ok(Self { factors, W, joint, plain, noisy, counts })
    }

    /// What they have among some of the samples.
    fn among(&self, sample: &[usize]) -> Result<Self> {
        let items: Vec<Option<usize>> = sample.iter().copied().map(Some).collect();
        let among = |graph: &Arc<Csr<f64>>| Graph::new(graph.pick(&items, &items)).normalised();
        let joint = among(&self.joint);
        // the joint graph is one of the factors, too
        let part = |graph: &Arc<Csr<f64>>| if Arc::ptr_eq(graph, &self.joint) { joint.clone() } else { among(graph) };
        let factors = self.factors.iter().map(|(name, weight, graph)| (name.clone(), *weight, part(graph))).collect();
        let counts = sample.iter().map(|&i| self.counts[i]).collect();
        Self::new(factors, joint, among(&self.plain), (self.noisy, counts))
    }

    /// The graph that a reading is of.
    pub(super) fn affinity(&self, reading: Reading) -> Arc<Csr<f64>> {
        match reading {
            Reading::Joint => self.joint.clone(),
            Reading::Plain => self.plain.clone(),
            _ => self.W.clone(),
        }
    }
}

/// Makes readings of k clusters.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) method: &'a Slrmf,
    pub(super) problem: &'a Problem<'a>,
    pub(super) restarts: usize,
    pub(super) tolerance: f64,
    pub(super) products: usize,
    pub(super) run: &'a Run,
}

impl<'a> Reader<'a> {
    pub(super) fn new(method: &'a Slrmf, problem: &'a Problem<'a>) -> Self {
        Self {
            method,
            problem,
            restarts: problem.restarts,
            tolerance: TOLERANCE,
            products: MOST_PRODUCTS,
            run: problem.run,
        }
    }

    /// The factors of the sources that agree. The eigenvectors of the joint graph (n x r) are where those of the views start.
    pub(super) fn factorise(&self, sources: &Sources, joint: &Dense<f64>) -> Result<Solution> {
        let starts = view_starts(sources, joint, (self.tolerance, self.problem.seed), self.run)?;
        let factors = sources.factors.iter().zip(starts);
        let factors =
            factors.map(|((name, weight, graph), start)| Factor::new(name, *weight, graph.clone(), start)).collect();
        solver::solve(factors, self.method.beta, self.method.max_iterations, self.run)
    }

    /// The labels of factors.
    pub(super) fn of_factors(&self, sources: &Sources, solution: &Solution) -> Result<(Labelling, ConsensusSpace)> {
        let space = ConsensusSpace::new(solution, &sources.W, self.problem.clusters, self.method.exponent)?;
        let labelling = space.cluster(&solution.C, &self.kmeans(), &sources.counts, self.run)?;
        Ok((labelling, space))
    }

    fn kmeans(&self) -> KMeans {
        KMeans { restarts: self.restarts, seed: self.problem.seed, ..KMeans::new(self.problem.clusters) }
    }

    /// A reading of graphs, and the eigenvectors that it used; the search for them begins at `start` (n x any).
    pub(super) fn read(
        &self,
        reading: Reading,
        sources: &Sources,
        start: Option<&Start>,
    ) -> Result<(Labelling, Start)> {
        match reading {
            Reading::Auto | Reading::Factors => {
                let joint =
                    self.top(&sources.joint, self.method.rank(sources.joint.rows(), self.problem.clusters), start)?;
                let solution = self.factorise(sources, &joint.vectors)?;
                Ok((self.of_factors(sources, &solution)?.0, joint.vectors))
            }
            Reading::Rank => {
                let found = self.top(&sources.W, self.problem.clusters, start)?;
                let points = embed(self.raised(&found.vectors, &found.values));
                self.labelled(points, &sources.counts, &found).map(|labelling| (labelling, found.vectors))
            }
            Reading::Joint => {
                let found = self.top(&sources.joint, self.problem.clusters, start)?;
                let points = embed(found.vectors.first_columns(self.problem.clusters));
                self.labelled(points, &sources.counts, &found).map(|labelling| (labelling, found.vectors))
            }
            Reading::Cut => self.cut(&sources.W, &sources.counts, true, start),
            Reading::Plain => self.cut(&sources.plain, &sources.counts, false, start),
        }
    }

    /// The normalised cut: rows of D^-1/2 U with weights d, in which every merge of two components costs the same.
    fn cut(
        &self,
        graph: &Arc<Csr<f64>>,
        counts: &[f64],
        raised: bool,
        start: Option<&Start>,
    ) -> Result<(Labelling, Start)> {
        let graph = Graph::new(graph.as_ref().clone());
        let roots = inverse_roots(graph.degrees(), 1e-12);
        let found = self.top(&graph.normalised(), self.problem.clusters, start)?;
        let mut points = if raised { self.raised(&found.vectors, &found.values) } else { found.vectors.clone() };
        let width = points.cols().max(1);
        for (row, root) in points.data_mut().chunks_exact_mut(width).zip(&roots) {
            row.iter_mut().for_each(|x| *x *= root);
        }
        let weights: Vec<f64> = graph.degrees().iter().zip(counts).map(|(degree, count)| degree * count).collect();
        let labelling = self.labelled(points, &weights, &found)?;
        Ok((labelling, found.vectors))
    }

    fn top(&self, graph: &Arc<Csr<f64>>, count: usize, start: Option<&Start>) -> Result<EigenPairs> {
        let (tolerance, max_products) = (self.tolerance, self.products);
        let request = TopEigen { tolerance, max_products, ..TopEigen::for_labels(count, self.problem.seed) };
        request.solve(graph.as_ref(), start, self.run)
    }

    /// Every column times its eigenvalue to the power of `exponent`.
    fn raised(&self, vectors: &Dense<f64>, values: &[f64]) -> Dense<f64> {
        let heights: Vec<f64> =
            values.iter().map(|value| value.max(LEAST_EIGENVALUE).powf(self.method.exponent)).collect();
        Dense::from_fn(vectors.rows(), vectors.cols(), |i, j| vectors.get(i, j) * heights[j])
    }

    fn labelled(&self, points: Dense<f64>, weights: &[f64], found: &EigenPairs) -> Result<Labelling> {
        let fit = self.kmeans().fit_weighted(&points, weights, self.run)?;
        let eigenvalues = found.known_values();
        Ok(Labelling { labels: fit.labels, embedding: points, centres: fit.centres, eigenvalues })
    }

    /// A reading of all samples, and refits of it on halves of them.
    fn tried(&self, reading: Reading, halves: &[Half], whole: (Labelling, Start)) -> Result<Tried> {
        let (labelling, start) = whole;
        let quick = Self { restarts: RESTARTS, tolerance: REFIT_TOLERANCE, products: REFIT_PRODUCTS, ..*self };
        let refit = |half: &Half| {
            let begin = start.select_rows(&half.sample);
            Ok(quick.read(reading, &half.sources, Some(&begin))?.0.labels)
        };
        let refits: Vec<Vec<usize>> = halves.par_iter().map(refit).collect::<Result<_>>()?;
        let k = self.problem.clusters;
        let back = halves.iter().zip(&refits).map(|(half, found)| returned(&labelling.labels, &half.sample, found, k));
        let returned = back.collect::<Result<_>>()?;
        Ok(Tried { reading, labelling, refits, returned })
    }

    /// The reading that is asked for, or the one that comes back best. `factors` are the labels of the factors and the joint
    /// graph's eigenvectors (n x r).
    pub(super) fn choose(&self, sources: &Sources, factors: Labelling, joint: &Dense<f64>) -> Result<Kept> {
        let (n, k) = (sources.W.rows(), self.problem.clusters);
        let asked = self.method.reading;
        let enough = n / 2 >= LEAST_PER_CLUSTER * k && k > 1;
        let read = |reading: Reading, factors: Option<Labelling>| match (reading, factors) {
            (Reading::Factors, Some(labelling)) => Ok((labelling, joint.clone())),
            (_, _) => self.read(reading, sources, Some(joint)),
        };
        if !enough {
            let reading = if asked == Reading::Auto { Reading::Factors } else { asked };
            return Ok(Kept::untried(reading, read(reading, Some(factors))?.0));
        }
        let half = |sample: Vec<usize>| Ok(Half { sources: sources.among(&sample)?, sample });
        let halves: Vec<Half> =
            halves(n, refits(n), self.problem.seed).into_par_iter().map(half).collect::<Result<_>>()?;
        let mut factors = Some(factors);
        let candidates: Vec<Reading> = match asked {
            Reading::Auto => FACTORISED.into_iter().chain(sources.noisy.then_some(Reading::Plain)).collect(),
            one => vec![one],
        };
        let total = candidates.len();
        let mut tried = Vec::new();
        for (done, reading) in candidates.into_iter().enumerate() {
            let whole = read(reading, if reading == Reading::Factors { factors.take() } else { None })?;
            tried.push(self.tried(reading, &halves, whole)?);
            self.run.progress(done + 1, total);
        }
        let best = best(&tried);
        let found = tried.iter().map(|one| ReadingFound { reading: one.reading.to_string(), returned: one.returned() });
        let found: Vec<ReadingFound> = found.collect();
        let Tried { reading, labelling, refits, .. } = tried.swap_remove(best);
        let affinity = sources.affinity(reading);
        let mut counts = Refits::new(&labelling.labels, k, affinity.as_ref());
        halves.iter().zip(&refits).try_for_each(|(half, found)| counts.add(&half.sample, found))?;
        let (stability, memberships) = counts.finish(0.5);
        let readings = Readings { kept: reading.to_string(), tried: found, stability: Some(stability) };
        Ok(Kept { reading, labelling, readings, memberships: Some(memberships) })
    }
}

/// A random half of the samples and the graphs among them.
struct Half {
    sample: Vec<usize>,
    sources: Sources,
}

/// A reading and its refits.
struct Tried {
    reading: Reading,
    labelling: Labelling,
    refits: Vec<Vec<usize>>,
    /// What came back in each refit.
    returned: Vec<f64>,
}

impl Tried {
    fn returned(&self) -> f64 {
        mean(&self.returned)
    }
}

/// The reading that is kept.
pub(super) struct Kept {
    pub(super) reading: Reading,
    pub(super) labelling: Labelling,
    pub(super) readings: Readings,
    /// n x k, rows sum to 1; unknown without refits.
    pub(super) memberships: Option<Dense<f64>>,
}

impl Kept {
    /// Without refits: there are too few samples for the clusters.
    fn untried(reading: Reading, labelling: Labelling) -> Self {
        let readings = Readings { kept: reading.to_string(), tried: Vec::new(), stability: None };
        Self { reading, labelling, readings, memberships: None }
    }
}

/// The place of the one to keep: the first, unless another is better by a margin; and the plain one only when it is better by a margin than
/// that.
fn best(tried: &[Tried]) -> usize {
    let (plain, others): (Vec<usize>, Vec<usize>) =
        (0..tried.len()).partition(|&at| tried[at].reading == Reading::Plain);
    let better = |best: usize, at: usize| if tried[at].returned() > tried[best].returned() { at } else { best };
    let most = |places: &[usize]| places.iter().copied().reduce(better);
    let rounds = [others.get(..1), others.get(1..), Some(plain.as_slice())];
    let clearly = |kept: usize, at: usize| {
        if tried[at].returned() > tried[kept].returned() + MARGIN { at } else { kept }
    };
    rounds.into_iter().flatten().filter_map(most).reduce(clearly).unwrap_or(0)
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(reading: Reading, returned: f64) -> Tried {
        let labelling = Labelling {
            labels: Vec::new(),
            embedding: Dense::zeros(0, 0),
            centres: Dense::zeros(0, 0),
            eigenvalues: Vec::new(),
        };
        Tried { reading, labelling, refits: Vec::new(), returned: vec![returned; 4] }
    }

    #[test]
    fn few_samples_are_refitted_more_often() {
        assert_eq!([30, 400, 1_000, 2_000, 50_000].map(refits), [16, 16, 8, 4, 4]);
    }

    #[test]
    fn the_factors_are_left_for_what_comes_back_clearly_better() {
        let kept = |rank: f64, cut: f64, plain: f64| {
            let [rank, cut] = [tried(Reading::Rank, rank), tried(Reading::Cut, cut)];
            best(&[tried(Reading::Factors, 0.7), rank, cut, tried(Reading::Plain, plain)])
        };
        assert_eq!([kept(0.1, 0.73, 0.73), kept(0.75, 0.76, 0.1), kept(0.76, 0.75, 0.1)], [0, 2, 1]);
        assert_eq!([kept(0.1, 0.8, 0.83), kept(0.1, 0.8, 0.85), kept(0.1, 0.1, 0.75)], [2, 3, 3]);
        assert_eq!(best(&[tried(Reading::Plain, 0.1)]), 0, "asked for");
    }
}
