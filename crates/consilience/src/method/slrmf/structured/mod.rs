//! SLRMF as a product: the paper's four ideas (low-rank factor, sparse corruption, manifold term per view, iterated
//! agreement) in a scale-free form that has no parameter to tune per data set. `docs/methods/slrmf.md` teaches it.

mod graphs;
mod lists;
mod prepare;
mod solver;

use std::sync::Arc;

use rayon::prelude::*;

pub use prepare::Robust;

use super::Slrmf;
use crate::graph::Graph;
use crate::matrix::{Csr, Dense};
use crate::method::{Agreement, Consensus, Findings, Problem, Stop};
use crate::metrics::{Contingency, nmi};
use crate::operator::{LinOp, LowRank};
use crate::parameters::choice;
use crate::{Result, Stage};
use graphs::{
    Candidate, Judge, indicator, joint_graph, mixture, scales_around, trace_of, view_graph, view_quality,
    weighted_graph,
};
use lists::{Lists, smooth};
use prepare::{Preparation, Prepared};
use solver::{Factor, Solution, Terms, consensus_factor};

/// Shares of the joint graph in the mixtures with the views' weighted graphs.
const MIXTURES: [f64; 4] = [1.0, 0.7, 0.5, 0.0];
/// Share of a view's own graph in the manifold term; the rest is the chosen joint graph.
const OWN_SHARE: f64 = 0.1;
/// The solver's labels replace the chosen graph's when they cut it better by this share.
const CLEARLY_BETTER: f64 = 0.01;
const RESTARTS: usize = 10;

choice! {
    /// Which graph is clustered.
    pub enum GraphChoice {
        /// The mixture of joint and view graphs with the smallest relaxation gap.
        #[default]
        Gap = "gap",
        /// The joint graph of fused distances.
        Joint = "joint",
        /// The weighted mean of the views' graphs.
        Views = "views",
    }
}

choice! {
    /// How views are weighted.
    pub enum ViewWeights {
        /// By how well a view's own graph supports the joint eigenvectors.
        #[default]
        Quality = "quality",
        /// All the same.
        Equal = "equal",
    }
}

/// Everything made from the views before the choice of a graph.
struct Ground {
    prepared: Vec<Prepared>,
    /// N_i before smoothing, n x n: for the quality of views only, since smoothing plants the consensus in every view.
    raw: Vec<Csr<f64>>,
    /// N_i, n x n.
    own: Vec<Arc<Csr<f64>>>,
    /// J, n x n.
    joint: Arc<Csr<f64>>,
}

pub(super) fn solve(method: &Slrmf, problem: &Problem<'_>) -> Result<Consensus> {
    let run = problem.run;
    run.enter(Stage::Graph);
    let ground = ground(method, problem)?;
    run.enter(Stage::Solve);
    let judge = Judge { clusters: problem.clusters, restarts: RESTARTS, seed: problem.seed, run };
    if problem.clusters == 1 || problem.clusters == problem.views.samples() {
        let weights = vec![1.0 / problem.views.len() as f64; problem.views.len()];
        return Ok(Consensus::direct(ground.joint, weights));
    }
    let first = judge.eigenvectors(ground.joint.as_ref(), None)?;
    let weights = view_weights(method, &ground, &first.vectors);
    let mut candidates = candidates(method, &judge, &ground, &weights, &first.vectors)?;
    // stable: of equal gaps the earlier mixture wins
    candidates.sort_by(|(a, _), (b, _)| a.gap.total_cmp(&b.gap));
    if method.max_iterations == 0 {
        let (winner, _) = candidates.swap_remove(0);
        return answer(winner, weights, Stop::DIRECT, findings(&ground, None, None));
    }
    let solution = best_start(method, &judge, &ground, &weights, &candidates)?;
    let agreement = agreement(&judge, &ground, &solution)?;
    let (winner, _) = candidates.swap_remove(0);
    let learned = learned_labels(&judge, &solution, &winner)?;
    let found = findings(&ground, Some(agreement), Some(&solution));
    answer(learned.unwrap_or(winner), weights, solution.stop, found)
}

fn ground(method: &Slrmf, problem: &Problem<'_>) -> Result<Ground> {
    let preparation =
        Preparation { robust: method.robust, hellinger: method.hellinger, missing_rows: method.missing_rows };
    let mut prepared = preparation.apply(problem.views, problem.run)?;
    let n = problem.views.samples();
    let mut lists = Lists::find(&prepared, method.local_neighbour, problem.run)?;
    let count = if method.neighbours == 0 { lists.neighbour_count() } else { method.neighbours as f64 };
    let counts = scales_around(count, method.multi_scale);
    let graphs = |lists: &Lists| -> Result<Vec<Csr<f64>>> {
        lists.own.iter().map(|own| view_graph(own.as_ref(), &counts, n)).collect()
    };
    let raw = graphs(&lists)?;
    if method.smoothing > 0.0 && prepared.iter().any(|view| !view.is_counts) {
        smooth(&mut prepared, &lists, method.smoothing)?;
        lists = Lists::find(&prepared, method.local_neighbour, problem.run)?;
    }
    let own = graphs(&lists)?.into_iter().map(Arc::new).collect();
    let joint = Arc::new(joint_graph(&lists, &counts)?);
    Ok(Ground { prepared, raw, own, joint })
}

fn view_weights(method: &Slrmf, ground: &Ground, joint: &Dense<f64>) -> Vec<f64> {
    let equal = vec![1.0 / ground.raw.len() as f64; ground.raw.len()];
    if method.view_weights == ViewWeights::Equal {
        return equal;
    }
    let views = ground.raw.iter().zip(&ground.prepared);
    let quality: Vec<f64> = views.map(|(graph, view)| view_quality(joint, graph, &view.missing)).collect();
    let total: f64 = quality.iter().sum();
    if total > 0.0 { quality.iter().map(|q| q / total).collect() } else { equal }
}

fn candidates(
    method: &Slrmf,
    judge: &Judge<'_>,
    ground: &Ground,
    weights: &[f64],
    start: &Dense<f64>,
) -> Result<Vec<(Candidate, Arc<Csr<f64>>)>> {
    let views = weighted_graph(&ground.own, weights)?;
    let shares: &[f64] = match method.choice {
        GraphChoice::Gap => &MIXTURES,
        GraphChoice::Joint => &[1.0],
        GraphChoice::Views => &[0.0],
    };
    let candidate = |&share: &f64| {
        let graph = mixture(share, &ground.joint, &views)?;
        Ok((judge.candidate(graph.clone(), Some(start))?, graph))
    };
    shares.par_iter().map(candidate).collect()
}

/// The solver from the labels of the best candidates; the lowest objective wins.
fn best_start(
    method: &Slrmf,
    judge: &Judge<'_>,
    ground: &Ground,
    weights: &[f64],
    candidates: &[(Candidate, Arc<Csr<f64>>)],
) -> Result<Solution> {
    let (winner, chosen) = &candidates[0];
    let terms = Terms {
        lambda2: method.lambda2,
        beta: method.beta,
        gamma: method.gamma,
        max_iterations: method.max_iterations,
    };
    let view = |own: &Arc<Csr<f64>>| {
        let mixed = own.merged(chosen, |own, joint| OWN_SHARE * own + (1.0 - OWN_SHARE) * joint)?;
        let graph = Graph::new(mixed).normalised();
        let eigen = judge.eigenvectors(graph.as_ref(), Some(&winner.eigen.vectors))?;
        Ok((graph, eigen.vectors))
    };
    let views = ground.own.par_iter().map(view).collect::<Result<Vec<_>>>()?;
    let mut best: Option<Solution> = None;
    for (candidate, _) in candidates.iter().take(method.starts) {
        let target = indicator(&candidate.labels, judge.clusters);
        let factors = views.iter().zip(&ground.prepared).zip(weights).map(|(((graph, vectors), prepared), &weight)| {
            Factor::new(&prepared.view.name, weight, graph.clone(), vectors, &target)
        });
        let solution = solver::solve(factors.collect::<Result<_>>()?, terms, judge.run)?;
        if best.as_ref().is_none_or(|best| solution.objective < best.objective) {
            best = Some(solution);
        }
    }
    best.ok_or_else(|| crate::Error::data("the solver was given no start"))
}

/// The clustering of the factors' consensus W = B B', when it cuts the chosen graph clearly better than its own labels.
fn learned_labels(judge: &Judge<'_>, solution: &Solution, winner: &Candidate) -> Result<Option<Candidate>> {
    let operator: Arc<dyn LinOp> = Arc::new(LowRank::normalised(consensus_factor(&solution.factors)));
    let learned = judge.candidate(operator, Some(&winner.eigen.vectors))?;
    let cut = |labels: &[usize]| trace_of(&indicator(labels, judge.clusters), winner.operator.as_ref());
    let better = cut(&learned.labels) > (1.0 + CLEARLY_BETTER) * cut(&winner.labels);
    Ok(better.then_some(learned))
}

/// NMI between the views' labels: each view's own graph before, its nonnegative factor after.
fn agreement(judge: &Judge<'_>, ground: &Ground, solution: &Solution) -> Result<Agreement> {
    let alone = ground.raw.par_iter().map(|graph| judge.labels(&judge.eigenvectors(graph, None)?.vectors));
    let alone: Vec<Vec<usize>> = alone.collect::<Result<_>>()?;
    let together: Vec<Vec<usize>> = solution.factors.iter().map(|factor| largest_entries(&factor.g)).collect();
    let table = |labels: &[Vec<usize>]| -> Result<Vec<Vec<f64>>> {
        let row = |a: &Vec<usize>| labels.iter().map(|b| Ok(nmi(&Contingency::new(a, b)?))).collect();
        labels.iter().map(row).collect()
    };
    Ok(Agreement { before: table(&alone)?, after: table(&together)? })
}

fn largest_entries(g: &Dense<f64>) -> Vec<usize> {
    let largest = |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    g.iter_rows().map(largest).collect()
}

fn findings(ground: &Ground, agreement: Option<Agreement>, solution: Option<&Solution>) -> Findings {
    Findings {
        trace: solution.map(|solution| solution.trace.clone()).unwrap_or_default(),
        agreement,
        corruption: ground.prepared.iter().map(|view| view.found.clone()).collect(),
    }
}

fn answer(chosen: Candidate, view_weights: Vec<f64>, stop: Stop, findings: Findings) -> Result<Consensus> {
    Ok(Consensus { affinity: chosen.operator, eigen: Some(chosen.eigen), view_weights, stop, findings })
}
