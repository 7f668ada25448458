//! The graphs among which the clustered one is chosen: mixtures of the joint graph and the views' weighted graphs, and the
//! affinity of the factors.

use std::sync::Arc;

use rayon::prelude::*;

use super::GraphChoice;
use super::graphs::{ViewGraphs, weighted_graph};
use super::solver::{Solution, consensus_factor};
use crate::matrix::{Csr, Dense};
use crate::method::Problem;
use crate::method::common::orthonormal_indicator;
use crate::operator::{EigenPairs, LinOp, LowRank, TopEigen};
use crate::spectral::{KMeans, KMeansFit, embed};
use crate::{Result, Run};

/// Shares of the joint graph in the mixtures with the views' weighted graphs.
const JOINT_SHARES: [f64; 4] = [1.0, 0.7, 0.5, 0.0];
/// The factors' labels replace the chosen graph's when they cut it better by this share.
const MIN_IMPROVEMENT: f64 = 0.01;

/// From this many samples on, mixtures are solved one after the other.
const ONE_AT_A_TIME: usize = 10_000;

/// `Tr(F' N F)`.
pub(super) fn trace_form(factor: &Dense<f64>, operator: &dyn LinOp) -> f64 {
    let mut image = Dense::zeros(factor.rows(), factor.cols());
    operator.apply(factor, &mut image);
    factor.data().iter().zip(image.data()).map(|(x, y)| x * y).sum()
}

/// An affinity, its eigenvectors, the labels they give, and how discrete they are.
pub(super) struct SpectralCandidate {
    pub(super) operator: Arc<dyn LinOp>,
    pub(super) eigenvalues: Vec<f64>,
    /// n x k.
    pub(super) eigenvectors: Dense<f64>,
    /// The points that k-means saw, n x k.
    pub(super) embedding: Dense<f64>,
    pub(super) clusters: KMeansFit,
    /// Relaxation gap `1 - Tr(I'NI) / sum of the top eigenvalues`: 0 when the relaxation is already discrete.
    pub(super) gap: f64,
}

/// Spectral clustering of an affinity.
#[derive(Clone, Copy)]
pub(super) struct SpectralSolver<'a> {
    pub(super) clusters: usize,
    pub(super) restarts: usize,
    pub(super) seed: u64,
    pub(super) run: &'a Run,
}

impl<'a> SpectralSolver<'a> {
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        Self { clusters: problem.clusters, restarts: problem.restarts, seed: problem.seed, run: problem.run }
    }

    pub(super) fn eigenvectors(&self, operator: &dyn LinOp, start: Option<&Dense<f64>>) -> Result<EigenPairs> {
        TopEigen::for_labels(self.clusters, self.seed).solve(operator, start, self.run)
    }

    /// k-means on the embedding.
    pub(super) fn assign(&self, embedding: &Dense<f64>) -> Result<KMeansFit> {
        let kmeans = KMeans { restarts: self.restarts, seed: self.seed, ..KMeans::new(self.clusters) };
        kmeans.fit_observed(embedding, self.run)
    }

    fn candidate(&self, operator: Arc<dyn LinOp>, start: Option<&Dense<f64>>) -> Result<SpectralCandidate> {
        let EigenPairs { values: eigenvalues, vectors: eigenvectors, .. } =
            self.eigenvectors(operator.as_ref(), start)?;
        let embedding = embed(eigenvectors.clone());
        let clusters = self.assign(&embedding)?;
        let relaxed: f64 = eigenvalues.iter().sum();
        let discrete = trace_form(&orthonormal_indicator(&clusters.labels, self.clusters), operator.as_ref());
        let gap = if relaxed > 1e-12 { 1.0 - discrete / relaxed } else { f64::INFINITY };
        Ok(SpectralCandidate { operator, eigenvalues, eigenvectors, embedding, clusters, gap })
    }

    /// The clustering of the factors' consensus W = B B', when it cuts the chosen graph better than its own labels do.
    pub(super) fn improvement(&self, solution: &Solution, chosen: &Mixture) -> Result<Option<SpectralCandidate>> {
        let operator: Arc<dyn LinOp> = Arc::new(LowRank::normalised(consensus_factor(&solution.factors)));
        let candidate = self.candidate(operator, Some(&chosen.candidate.eigenvectors))?;
        let cut = |labels: &[usize]| trace_form(&orthonormal_indicator(labels, self.clusters), chosen.graph.as_ref());
        let better = cut(&candidate.clusters.labels) > (1.0 + MIN_IMPROVEMENT) * cut(&chosen.candidate.clusters.labels);
        Ok(better.then_some(candidate))
    }
}

/// A mixture of the joint graph J and the views' weighted graph A, and its spectral clustering.
pub(super) struct Mixture {
    /// N_a = a J + (1 - a) A, n x n.
    pub(super) graph: Arc<Csr<f64>>,
    /// a.
    pub(super) joint_share: f64,
    pub(super) candidate: SpectralCandidate,
}

impl Mixture {
    /// The mixtures among which `choice` lets the relaxation gap decide, smallest gap first.
    pub(super) fn all(
        choice: GraphChoice,
        spectral: &SpectralSolver<'_>,
        graphs: &ViewGraphs,
        weights: &[f64],
        start: &Dense<f64>,
    ) -> Result<Vec<Self>> {
        let views = weighted_graph(&graphs.per_view, weights)?;
        let shares: &[f64] = match choice {
            GraphChoice::Gap => &JOINT_SHARES,
            GraphChoice::Joint => &[1.0],
            GraphChoice::Views => &[0.0],
        };
        let mix = |&joint_share: &f64| {
            let graph = mixed_graph(joint_share, &graphs.joint, &views)?;
            let candidate = spectral.candidate(graph.clone(), Some(start))?;
            Ok(Self { graph, joint_share, candidate })
        };
        // small eigenproblems do not fill the cores; large ones do, and one search space at a time is enough memory
        let mut mixtures = if graphs.joint.rows() < ONE_AT_A_TIME {
            shares.par_iter().map(mix).collect::<Result<Vec<_>>>()?
        } else {
            shares.iter().map(mix).collect::<Result<Vec<_>>>()?
        };
        // stable: of equal gaps the earlier mixture wins
        mixtures.sort_by(|a, b| a.candidate.gap.total_cmp(&b.candidate.gap));
        Ok(mixtures)
    }
}

/// `share first + (1 - share) second`, or one of them alone.
fn mixed_graph(share: f64, first: &Arc<Csr<f64>>, second: &Arc<Csr<f64>>) -> Result<Arc<Csr<f64>>> {
    if share >= 1.0 {
        return Ok(Arc::clone(first));
    }
    if share <= 0.0 {
        return Ok(Arc::clone(second));
    }
    Ok(Arc::new(first.merged(second, |a, b| share * a + (1.0 - share) * b)?))
}
