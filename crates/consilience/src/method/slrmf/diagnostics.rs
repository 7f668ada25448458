//! What a run reports besides the consensus: findings and warnings.

use rayon::prelude::*;

use super::graphs::ViewGraphs;
use super::labels::ConsensusSpace;
use super::prepare::ViewFacts;
use super::solver::Solution;
use super::{ROUGH_PRODUCTS, Slrmf, over_views};
use crate::matrix::Dense;
use crate::method::{Agreement, ConsensusAgreement, Disagreement, Findings, Labelling, Problem};
use crate::metrics::pairwise_nmi_of_known;
use crate::operator::TopEigen;
use crate::run::Warning;
use crate::spectral::{KMeans, embed};
use crate::{Result, Run};

/// A view with less than this share of an equal weight is warned of.
const LOW_WEIGHT: f64 = 0.05;
/// k-means restarts for the labels of single views, which only describe the run.
const RESTARTS: usize = 3;
/// Tolerance of the eigenvectors behind them.
const TOLERANCE: f64 = 1e-2;

/// What is found without factors.
pub(super) fn preparation(views: &[ViewFacts]) -> Findings {
    let corruption = views.iter().filter_map(|view| view.corruption.clone()).collect();
    Findings { corruption, ..Findings::default() }
}

/// Trace, agreement of the views, and the samples they would have put elsewhere. `own` are the labels of the views' own
/// graphs.
pub(super) fn findings(
    views: &[ViewFacts],
    mut own: Vec<Vec<Option<usize>>>,
    (space, solution, labelling): (&ConsensusSpace, Solution, &Labelling),
) -> Result<Findings> {
    // the joint graph's factor comes last and is no view
    let factors = solution.factors[..views.len()].par_iter();
    let agreed: Vec<Vec<usize>> =
        factors.map(|factor| space.view_labels(factor, &solution.C, &labelling.centres)).collect::<Result<_>>()?;
    let disagreements = agreed.iter().zip(views).map(|(labels, view)| {
        let known = |i: &usize| !view.missing.get(*i).copied().unwrap_or(false);
        let elsewhere = (0..labels.len()).filter(|&i| labels[i] != labelling.labels[i]);
        let samples: Vec<usize> = elsewhere.filter(known).collect();
        Disagreement { view: view.name.clone(), count: samples.len(), samples }
    });
    let disagreements = disagreements.collect();
    let consensus: Vec<Option<usize>> = labelling.labels.iter().copied().map(Some).collect();
    let mut agreed: Vec<Vec<Option<usize>>> =
        agreed.iter().zip(views).map(|(labels, view)| view.of_known(labels)).collect();
    own.push(consensus.clone());
    agreed.push(consensus);
    let (before, before_with) = split_last(pairwise_nmi_of_known(&own)?);
    let (after, after_with) = split_last(pairwise_nmi_of_known(&agreed)?);
    let with_consensus = Some(ConsensusAgreement { before: before_with, after: after_with });
    Ok(Findings {
        trace: solution.trace,
        agreement: Some(Agreement { before, after, with_consensus }),
        disagreements,
        ..preparation(views)
    })
}

/// The labels of every view's own graph, before it learned from the others; none for samples that it came without. `joint`
/// (n x r) are the joint graph's eigenvectors.
pub(super) fn own_labels(
    problem: &Problem<'_>,
    graphs: &ViewGraphs,
    joint: &Dense<f64>,
) -> Result<Vec<Vec<Option<usize>>>> {
    let mut eigen = TopEigen { tolerance: TOLERANCE, ..TopEigen::for_labels(problem.clusters, problem.seed) };
    if joint.rows() > Slrmf::LARGE {
        eigen.max_products = ROUGH_PRODUCTS;
    }
    let kmeans = KMeans { restarts: RESTARTS, seed: problem.seed, ..KMeans::new(problem.clusters) };
    over_views(joint.rows(), graphs.unsmoothed.len(), |i| {
        let points = embed(eigen.solve(&graphs.unsmoothed[i], Some(joint), problem.run)?.vectors);
        let view = &graphs.views[i];
        let known: Vec<usize> = (0..points.rows()).filter(|&sample| !view.lacks(sample)).collect();
        if known.len() == points.rows() {
            return Ok(view.of_known(&kmeans.fit_observed(&points, problem.run)?.labels));
        }
        let mut labels = vec![None; points.rows()];
        if known.len() >= problem.clusters {
            let found = kmeans.fit_observed(&points.select_rows(&known), problem.run)?.labels;
            known.iter().zip(found).for_each(|(&sample, label)| labels[sample] = Some(label));
        }
        Ok(labels)
    })
}

/// A square table without its last row and column, and that column.
fn split_last(mut table: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<f64>) {
    table.pop();
    let last = table.iter_mut().filter_map(Vec::pop).collect();
    (table, last)
}

/// Warns of corrupted views, of samples that a view does not know, and of views that hardly count.
pub(super) fn warn(graphs: &ViewGraphs, weights: &[f64], run: &Run) {
    for (view, weight) in graphs.views.iter().zip(weights) {
        let name = &view.name;
        if let Some(warning) = view.corruption_warning() {
            run.warn(warning);
        }
        let missing = view.missing.iter().filter(|missing| **missing).count();
        // a view that knows nobody does not vary, and what a view came without is said already
        if missing > 0 && missing < view.missing.len() && !view.incomplete {
            run.warn(Warning::MissingSamples { view: name.clone(), samples: missing });
        }
        if weights.len() > 1 && *weight < LOW_WEIGHT / weights.len() as f64 {
            run.warn(Warning::UnsupportedView { view: name.clone(), weight: *weight });
        }
    }
}
