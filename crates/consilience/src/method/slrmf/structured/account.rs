//! What the run found, as data.

use rayon::prelude::*;

use super::Mixed;
use super::graphs::Judge;
use super::ground::Ground;
use super::solver::Solution;
use crate::Result;
use crate::matrix::Dense;
use crate::method::{Agreement, Findings, GraphFound};
use crate::metrics::pairwise_nmi;

pub(super) fn findings(
    judge: &Judge<'_>,
    ground: &Ground,
    winner: &Mixed,
    solution: Option<&Solution>,
    by_factors: bool,
) -> Result<Findings> {
    let graph = GraphFound {
        neighbours: ground.counts.clone(),
        joint_share: winner.joint_share,
        gap: winner.candidate.gap,
        by_factors,
    };
    let agreement = match solution {
        Some(solution) => Some(agreement(judge, ground, solution)?),
        None => None,
    };
    Ok(Findings {
        trace: solution.map(|solution| solution.trace.clone()).unwrap_or_default(),
        agreement,
        graph: Some(graph),
        corruption: ground.prepared.iter().map(|view| view.found.clone()).collect(),
    })
}

/// NMI between the views' labels: each view's own graph before, its nonnegative factor after.
fn agreement(judge: &Judge<'_>, ground: &Ground, solution: &Solution) -> Result<Agreement> {
    // for the account only: a few restarts are enough
    let quick = Judge { restarts: 3, ..*judge };
    let alone = ground.raw.par_iter().map(|graph| quick.labels(&quick.eigenvectors(graph, None)?.vectors));
    let alone: Vec<Vec<usize>> = alone.collect::<Result<_>>()?;
    let together: Vec<Vec<usize>> = solution.factors.iter().map(|factor| largest_entries(&factor.g)).collect();
    Ok(Agreement { before: pairwise_nmi(&alone)?, after: pairwise_nmi(&together)? })
}

/// The column with the largest entry of each row.
fn largest_entries(g: &Dense<f64>) -> Vec<usize> {
    let largest = |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    g.iter_rows().map(largest).collect()
}
