//! What a run reports besides the consensus: findings and warnings.

use rayon::prelude::*;

use super::graphs::ViewGraphs;
use super::labels::ConsensusSpace;
use super::prepare::ViewFacts;
use super::readings::Kept;
use super::solver::{Factor, Solution};
use super::{ROUGH_PRODUCTS, Slrmf, over_views};
use crate::graph::most_alike;
use crate::matrix::{Csr, Dense};
use crate::method::{Agreement, ConsensusAgreement, Disagreement, Findings, Labelling, Problem, TraceRow};
use crate::metrics::pairwise_nmi_of_known;
use crate::operator::TopEigen;
use crate::run::Warning;
use crate::spectral::{KMeans, embed};
use crate::{Result, Run};

/// A view with less than this share of an equal weight is warned of.
const LOW_WEIGHT: f64 = 0.05;
/// A view shows the clusters by itself when its graph supports the joint eigenvectors so well: 1 is fully, 0 as chance would.
const SHOWN: f64 = 0.5;
/// k-means restarts for the labels of single views, which only describe the run.
const RESTARTS: usize = 3;
/// Tolerance of the eigenvectors behind them.
const TOLERANCE: f64 = 1e-2;
/// Neighbours within a view that say where it would put a sample.
const VOTERS: usize = 10;

/// What a view says by itself, from its own graph before it learned from the others.
pub(super) struct OwnAccount {
    /// Its own clusters; none for samples that it came without.
    labels: Vec<Option<usize>>,
    /// The nearest samples of each, at most [`VOTERS`], one after the other, and where those of a sample begin.
    voters: Vec<u32>,
    first_voter: Vec<usize>,
}

impl OwnAccount {
    fn new(labels: Vec<Option<usize>>, graph: &Csr<f64>) -> Self {
        let (mut voters, mut first_voter) = (Vec::new(), vec![0]);
        for i in 0..graph.rows() {
            voters.extend(most_alike(graph, i, VOTERS).into_iter().map(|(j, _)| j));
            first_voter.push(voters.len());
        }
        Self { labels, voters, first_voter }
    }

    /// The samples that more of their neighbours would put into some other cluster than into their own. (Not those that the view's
    /// factor has elsewhere: agreement draws every factor to the consensus, that of a view of noise too.)
    fn elsewhere(&self, labels: &[usize], clusters: usize) -> Vec<usize> {
        let mut votes = vec![0_usize; clusters];
        let is_elsewhere = |i: &usize| {
            votes.fill(0);
            let voters = &self.voters[self.first_voter[*i]..self.first_voter[*i + 1]];
            voters.iter().for_each(|&j| votes[labels[j as usize]] += 1);
            votes.iter().any(|&other| other > votes[labels[*i]])
        };
        (0..labels.len()).filter(is_elsewhere).collect()
    }
}

/// What is found without factors.
pub(super) fn preparation(views: &[ViewFacts]) -> Findings {
    let corruption = views.iter().filter_map(|view| view.corruption.clone()).collect();
    Findings { corruption, ..Findings::default() }
}

/// Where every view's factor puts the samples; none for those that the view came without.
pub(super) fn after(
    views: &[ViewFacts],
    space: &ConsensusSpace,
    solution: &Solution,
    labelling: &Labelling,
) -> Result<Vec<Vec<Option<usize>>>> {
    // the joint graph's factor comes last and is no view
    let factors = solution.factors[..views.len()].par_iter().zip(views);
    let known = |(factor, view): (&Factor, &ViewFacts)| {
        Ok(view.of_known(&space.view_labels(factor, &solution.C, &labelling.centres)?))
    };
    factors.map(known).collect()
}

/// Trace, agreement of the views, the samples they would have put elsewhere, and what the readings were.
pub(super) fn findings(
    views: &[ViewFacts],
    own: Vec<OwnAccount>,
    mut agreed: Vec<Vec<Option<usize>>>,
    trace: Vec<TraceRow>,
    kept: &Kept,
) -> Result<Findings> {
    let labelling = &kept.labelling;
    let disagreements = own.iter().zip(views).map(|(account, view)| {
        let samples = account.elsewhere(&labelling.labels, labelling.centres.rows());
        Disagreement { view: view.name.clone(), count: samples.len(), samples }
    });
    let disagreements = disagreements.collect();
    let consensus: Vec<Option<usize>> = labelling.labels.iter().copied().map(Some).collect();
    let mut own: Vec<_> = own.into_iter().map(|account| account.labels).collect();
    own.push(consensus.clone());
    agreed.push(consensus);
    let (before, before_with) = split_last(pairwise_nmi_of_known(&own)?);
    let (after, after_with) = split_last(pairwise_nmi_of_known(&agreed)?);
    let with_consensus = Some(ConsensusAgreement { before: before_with, after: after_with });
    Ok(Findings {
        trace,
        readings: Some(kept.readings.clone()),
        agreement: Some(Agreement { before, after, with_consensus }),
        disagreements,
        ..preparation(views)
    })
}

/// What every view says by itself. `joint` (n x r) are the joint graph's eigenvectors.
pub(super) fn own_accounts(problem: &Problem<'_>, graphs: &ViewGraphs, joint: &Dense<f64>) -> Result<Vec<OwnAccount>> {
    let mut eigen = TopEigen { tolerance: TOLERANCE, ..TopEigen::for_labels(problem.clusters, problem.seed) };
    if joint.rows() > Slrmf::LARGE {
        eigen.max_products = ROUGH_PRODUCTS;
    }
    over_views(joint.rows(), graphs.unsmoothed.len(), |i| {
        let graph = &graphs.unsmoothed[i];
        let points = embed(eigen.solve(graph, Some(joint), problem.run)?.vectors);
        Ok(OwnAccount::new(own_labels(problem, &points, &graphs.views[i])?, graph))
    })
}

/// The clusters of `points` (n x k), those of a view's own graph; none for samples that the view came without.
fn own_labels(problem: &Problem<'_>, points: &Dense<f64>, view: &ViewFacts) -> Result<Vec<Option<usize>>> {
    let kmeans = KMeans { restarts: RESTARTS, seed: problem.seed, ..KMeans::new(problem.clusters) };
    let known: Vec<usize> = (0..points.rows()).filter(|&sample| !view.lacks(sample)).collect();
    if known.len() == points.rows() {
        return Ok(view.of_known(&kmeans.fit_observed(points, problem.run)?.labels));
    }
    let mut labels = vec![None; points.rows()];
    if known.len() >= problem.clusters {
        let found = kmeans.fit_observed(&points.select_rows(&known), problem.run)?.labels;
        known.iter().zip(found).for_each(|(&sample, label)| labels[sample] = Some(label));
    }
    Ok(labels)
}

/// A square table without its last row and column, and that column.
fn split_last(mut table: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<f64>) {
    table.pop();
    let last = table.iter_mut().filter_map(Vec::pop).collect();
    (table, last)
}

/// The views that hardly count although another shows the clusters by itself: clusters that are seen only jointly need views that
/// show nothing by themselves.
fn unsupporting(weights: &[f64], qualities: &[f64]) -> Vec<bool> {
    let is_shown = qualities.iter().any(|quality| *quality >= SHOWN);
    weights.iter().map(|weight| is_shown && *weight < LOW_WEIGHT / weights.len() as f64).collect()
}

/// Warns of corrupted views, of samples that a view does not know, and of views that do not support the others.
pub(super) fn warn(graphs: &ViewGraphs, weights: &[f64], qualities: &[f64], run: &Run) {
    let unsupporting = unsupporting(weights, qualities);
    for ((view, weight), unsupporting) in graphs.views.iter().zip(weights).zip(unsupporting) {
        let name = &view.name;
        if let Some(warning) = view.corruption_warning() {
            run.warn(warning);
        }
        let missing = view.missing.iter().filter(|missing| **missing).count();
        // a view that knows nobody does not vary, and what a view came without is said already
        if missing > 0 && missing < view.missing.len() && !view.incomplete {
            run.warn(Warning::MissingSamples { view: name.clone(), samples: missing });
        }
        if unsupporting {
            run.warn(Warning::UnsupportedView { view: name.clone(), weight: *weight });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_that_hardly_counts_is_told_where_another_shows_the_clusters() {
        assert_eq!(unsupporting(&[0.99, 0.01], &[0.9, 0.09]), [false, true]);
        assert_eq!(unsupporting(&[0.99, 0.01], &[0.3, 0.03]), [false, false], "seen only jointly");
        assert_eq!(unsupporting(&[0.9, 0.1], &[0.9, 0.3]), [false, false]);
        assert_eq!(unsupporting(&[1.0], &[]), [false]);
    }

    #[test]
    fn neighbours_say_where_a_view_would_put_a_sample() {
        // 0-1-2 and 3-4 are together in this view; in the consensus 2 is with 3 and 4, and 5 has no neighbours
        let edges = [(0, 1), (0, 2), (1, 2), (3, 4)].into_iter().flat_map(|(i, j)| [(i, j, 1.0), (j, i, 1.0)]);
        let graph = Csr::from_entries(6, 6, edges.map(|(i, j, w)| (i, j as u32, w)).collect()).unwrap();
        let account = OwnAccount::new(vec![None; 6], &graph);
        assert_eq!(account.elsewhere(&[0, 0, 1, 1, 1, 1], 2), [2]);
        // 0 and 1 have one neighbour of each cluster: no reason to move
        assert_eq!(account.elsewhere(&[0, 0, 0, 1, 1, 0], 2), [0_usize; 0]);
    }
}
