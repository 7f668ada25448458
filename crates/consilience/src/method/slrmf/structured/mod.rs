//! SLRMF as a product: the paper's four ideas (low-rank factor, sparse corruption, manifold term per view, iterated
//! agreement) in a scale-free form that has no parameter to tune per data set. `docs/methods/slrmf.md` teaches it.

mod account;
mod factorise;
mod graphs;
mod ground;
mod lists;
mod prepare;
mod solver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

pub use prepare::Robust;

use super::Slrmf;
use crate::matrix::{Csr, Dense};
use crate::method::{Consensus, Problem, Stop};
use crate::parameters::choice;
use crate::{Result, Stage};
use graphs::{Candidate, Judge, mixture, weighted_graph};
use ground::Ground;

/// Shares of the joint graph in the mixtures with the views' weighted graphs.
const MIXTURES: [f64; 4] = [1.0, 0.7, 0.5, 0.0];
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

/// A mixture of graphs and what it gives.
struct Mixed {
    /// N_a = a J + (1 - a) A, n x n.
    graph: Arc<Csr<f64>>,
    /// a.
    joint_share: f64,
    candidate: Candidate,
}

pub(super) fn solve(method: &Slrmf, problem: &Problem<'_>) -> Result<Consensus> {
    let run = problem.run;
    run.enter(Stage::Graph);
    let ground = Ground::build(method, problem)?;
    run.enter(Stage::Solve);
    if problem.clusters == 1 || problem.clusters == problem.views.samples() {
        let weights = vec![1.0 / problem.views.len() as f64; problem.views.len()];
        return Ok(Consensus::direct(ground.joint, weights));
    }
    let judge = Judge { clusters: problem.clusters, restarts: RESTARTS, seed: problem.seed, run };
    let first = judge.eigenvectors(ground.joint.as_ref(), None)?;
    let weights = ground.view_weights(method.view_weights, &first.vectors);
    let mut mixtures = mixtures(method, &judge, &ground, &weights, &first.vectors)?;
    // stable: of equal gaps the earlier mixture wins
    mixtures.sort_by(|a, b| a.candidate.gap.total_cmp(&b.candidate.gap));

    let (mut stop, mut solution, mut learned) = (Stop::DIRECT, None, None);
    if method.max_iterations > 0 {
        let found = factorise::factorise(method, &judge, &ground, &weights, &mixtures)?;
        learned = factorise::clearly_better(&judge, &found, &mixtures[0])?;
        stop = found.stop.clone();
        solution = Some(found);
    }
    let findings = account::findings(&judge, &ground, &mixtures[0], solution.as_ref(), learned.is_some())?;
    ground.warn(&weights, run);
    let chosen = learned.unwrap_or_else(|| mixtures.swap_remove(0).candidate);
    Ok(Consensus {
        affinity: chosen.operator,
        eigen: Some(chosen.eigen),
        embedding: None,
        view_weights: weights,
        stop,
        findings,
    })
}

/// The graphs among which the choice is made, each with its eigenvectors, labels and gap.
fn mixtures(
    method: &Slrmf,
    judge: &Judge<'_>,
    ground: &Ground,
    weights: &[f64],
    start: &Dense<f64>,
) -> Result<Vec<Mixed>> {
    let views = weighted_graph(&ground.own, weights)?;
    let shares: &[f64] = match method.choice {
        GraphChoice::Gap => &MIXTURES,
        GraphChoice::Joint => &[1.0],
        GraphChoice::Views => &[0.0],
    };
    let mix = |&joint_share: &f64| {
        let graph = mixture(joint_share, &ground.joint, &views)?;
        let candidate = judge.candidate(graph.clone(), Some(start))?;
        Ok(Mixed { graph, joint_share, candidate })
    };
    shares.par_iter().map(mix).collect()
}
