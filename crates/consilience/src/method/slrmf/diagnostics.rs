//! What a run reports besides the consensus: findings and warnings.

use rayon::prelude::*;

use super::candidates::{Mixture, SpectralSolver};
use super::graphs::ViewGraphs;
use super::solver::Solution;
use crate::method::common::argmax_rows;
use crate::method::{Agreement, Findings, GraphFound};
use crate::metrics::pairwise_nmi;
use crate::run::Warning;
use crate::spectral::embed;
use crate::{Result, Run};

/// A view with less than this share of an equal weight is warned of.
const LOW_WEIGHT: f64 = 0.05;
/// k-means restarts for the labels of single views, which only describe the run.
const RESTARTS: usize = 3;

pub(super) fn findings(
    spectral: &SpectralSolver<'_>,
    graphs: &ViewGraphs,
    chosen: &Mixture,
    solution: Option<&Solution>,
    by_factors: bool,
) -> Result<Findings> {
    let graph = GraphFound {
        neighbours: graphs.neighbour_counts.clone(),
        joint_share: chosen.joint_share,
        gap: chosen.candidate.gap,
        by_factors,
    };
    let agreement = match solution {
        Some(solution) => Some(agreement(spectral, graphs, solution)?),
        None => None,
    };
    Ok(Findings {
        trace: solution.map(|solution| solution.trace.clone()).unwrap_or_default(),
        agreement,
        graph: Some(graph),
        corruption: graphs.views.iter().map(|view| view.corruption.clone()).collect(),
    })
}

/// NMI between the views' labels: by each view's own graph before, by its nonnegative factor after.
fn agreement(spectral: &SpectralSolver<'_>, graphs: &ViewGraphs, solution: &Solution) -> Result<Agreement> {
    let spectral = SpectralSolver { restarts: RESTARTS, ..*spectral };
    let own = graphs.unsmoothed.par_iter().map(|graph| {
        let embedding = embed(spectral.eigenvectors(graph, None)?.vectors);
        Ok(spectral.assign(&embedding)?.labels)
    });
    let own: Vec<Vec<usize>> = own.collect::<Result<_>>()?;
    let agreed: Vec<Vec<usize>> = solution.factors.iter().map(|factor| argmax_rows(&factor.g)).collect();
    Ok(Agreement { before: pairwise_nmi(&own)?, after: pairwise_nmi(&agreed)? })
}

/// Warns of corrupted views, of samples that a view does not know, and of views that hardly count.
pub(super) fn warn(graphs: &ViewGraphs, weights: &[f64], run: &Run) {
    for (view, weight) in graphs.views.iter().zip(weights) {
        let name = &view.name;
        if view.corruption.share > 0.0 {
            run.warn(Warning::CorruptedView { view: name.clone(), share: view.corruption.share });
        }
        let missing = view.missing.iter().filter(|missing| **missing).count();
        if missing > 0 {
            run.warn(Warning::MissingSamples { view: name.clone(), samples: missing });
        }
        if weights.len() > 1 && *weight < LOW_WEIGHT / weights.len() as f64 {
            run.warn(Warning::UnsupportedView { view: name.clone(), weight: *weight });
        }
    }
}
