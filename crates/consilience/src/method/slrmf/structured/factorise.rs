//! From the chosen graph to factors, and back to labels when the factors know better.

use std::sync::Arc;

use rayon::prelude::*;

use super::graphs::{Candidate, Judge, indicator, trace_of};
use super::ground::Ground;
use super::solver::{self, Factor, Solution, Terms, consensus_factor};
use super::{Mixed, Slrmf};
use crate::graph::Graph;
use crate::matrix::Csr;
use crate::operator::{LinOp, LowRank};
use crate::{Error, Result};

/// Share of a view's own graph in its manifold term; the rest is the chosen graph.
const OWN_SHARE: f64 = 0.1;
/// The factors' labels replace the chosen graph's when they cut it better by this share.
const CLEARLY_BETTER: f64 = 0.01;

/// Solves for the factors from the labels of the best mixtures; the lowest objective wins.
pub(super) fn factorise(
    method: &Slrmf,
    judge: &Judge<'_>,
    ground: &Ground,
    weights: &[f64],
    mixtures: &[Mixed],
) -> Result<Solution> {
    let terms = Terms {
        lambda2: method.lambda2,
        beta: method.beta,
        gamma: method.gamma,
        max_iterations: method.max_iterations,
    };
    let winner = &mixtures[0];
    let view = |own: &Arc<Csr<f64>>| {
        let mixed = own.merged(&winner.graph, |own, joint| OWN_SHARE * own + (1.0 - OWN_SHARE) * joint)?;
        let graph = Graph::new(mixed).normalised();
        let eigen = judge.eigenvectors(graph.as_ref(), Some(&winner.candidate.eigen.vectors))?;
        Ok((graph, eigen.vectors))
    };
    let views = ground.own.par_iter().map(view).collect::<Result<Vec<_>>>()?;
    let mut best: Option<Solution> = None;
    for start in mixtures.iter().take(method.starts) {
        let target = indicator(&start.candidate.labels, judge.clusters);
        let factors = views.iter().zip(&ground.prepared).zip(weights).map(|(((graph, vectors), prepared), &weight)| {
            Factor::new(&prepared.view.name, weight, graph.clone(), vectors, &target)
        });
        let solution = solver::solve(factors.collect::<Result<_>>()?, terms, judge.run)?;
        if best.as_ref().is_none_or(|best| solution.objective < best.objective) {
            best = Some(solution);
        }
    }
    best.ok_or_else(|| Error::data("the factorisation was given no start"))
}

/// The clustering of the factors' consensus W = B B', when it cuts the chosen graph clearly better than its own labels.
pub(super) fn clearly_better(judge: &Judge<'_>, solution: &Solution, winner: &Mixed) -> Result<Option<Candidate>> {
    let operator: Arc<dyn LinOp> = Arc::new(LowRank::normalised(consensus_factor(&solution.factors)));
    let learned = judge.candidate(operator, Some(&winner.candidate.eigen.vectors))?;
    let cut = |labels: &[usize]| trace_of(&indicator(labels, judge.clusters), winner.graph.as_ref());
    let better = cut(&learned.labels) > (1.0 + CLEARLY_BETTER) * cut(&winner.candidate.labels);
    Ok(better.then_some(learned))
}
