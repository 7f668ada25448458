//! RMSC, "Robust Multi-View Spectral Clustering via Low-Rank and Sparse Decomposition": the paper's baseline RLRR.
//!
//! Every view is a random walk `T_i = D_i^-1 W_i` on its graph; the views' walks are one walk P of low rank plus sparse
//! errors. P's own spectral embedding is clustered. `docs/methods/rlrr.md` teaches it.

// the source's letters, capitals for matrices
#![allow(non_snake_case)]

mod solver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::solver::Schedule;
use super::common::{EIGEN_WORKSPACE, MEMORY_HINT, Precision, equal_weights, in_precision};
use super::{Consensus, CorruptionFound, Findings, Method, MethodInfo, Problem, Property};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Csr, Dense, Real, TASK_ROWS};
use crate::operator::DenseSymmetric;
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::{Result, Run, Stage};
use rayon::prelude::*;

pub(super) const INFO: MethodInfo = MethodInfo::of::<Rlrr>(
    "rlrr",
    "low-rank and sparse decomposition of random walks (RMSC)",
)
.summary(
    "Takes every view's graph for a random walk, and the walks for one walk of low rank plus sparse errors: edges \
              that only one view has are errors. The common walk is clustered. n x n by definition.",
)
.citation(
    "R. Xia, Y. Pan, L. Du, J. Yin. Robust Multi-View Spectral Clustering via Low-Rank and Sparse \
               Decomposition. AAAI 2014",
)
.cost("O(n^2 (V + r)) per iteration of about 35 while the rank r is small, else O(n^3)", "O(n^2 (V + 3))")
.properties(&[Property::Quadratic]);

/// Steps of the walk in search of its stationary distribution.
const MAX_STEPS: usize = 2000;
/// The distribution is stationary when it changes by less than this in a step.
const STEP_TOLERANCE: f64 = 1e-12;
/// A sample that the walk never visits still needs a root to divide by.
const MIN_SHARE: f64 = 1e-12;

parameters! {
    /// Robust multi-view spectral clustering by low-rank and sparse decomposition.
    pub struct Rlrr {
        /// Weight of the sparse errors, divided by the number of samples: 10 is .005 at 2000 samples. Less of it gives a walk of lower rank.
        lambda: f64 = 10.0, Bounds::at_least(0.0), "lambda n";
        /// First penalty. The schedule of penalties decides the result, not only the speed.
        mu0: f64 = 1e-3, Bounds::between(1e-12, 1e12), "mu";
        /// Growth of the penalty from iteration to iteration.
        rho: f64 = 1.9, Bounds::between(1.0, 100.0), "rho";
        /// Largest penalty.
        mu_max: f64 = 1e10, Bounds::between(1e-12, 1e15), "max_mu";
        /// Most iterations.
        max_iterations: usize = 100, Bounds::between(1.0, 100_000.0), "";
        /// Converged when no entry violates a constraint by more than this.
        tolerance: f64 = 1e-7, Bounds::at_least(0.0), "epsilon";
        /// Precision of the n x n matrices.
        precision: Precision = Precision::Double, Bounds::ANY, "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Rlrr {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let n = problem.views.samples();
        problem.memory.require(self.matrices(problem.views.len()), n, n, self.precision.width(), MEMORY_HINT)?;
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        problem.run.enter(Stage::Solve);
        in_precision!(self.precision, Float => self.decompose::<Float>(&graphs, problem))
    }
}

impl Rlrr {
    /// n x n matrices in the chosen precision: A for each view, P, Q and M, and the eigendecomposition of M.
    fn matrices(&self, views: usize) -> usize {
        views + 3 + EIGEN_WORKSPACE * 8 / self.precision.width()
    }

    /// The weight and the penalties for `n` samples. The errors' norm grows with n and the rank does not: a fixed weight
    /// would mean another balance for every n.
    fn schedule(&self, n: usize) -> Schedule {
        let Self { lambda, mu0, rho, mu_max, max_iterations, tolerance, .. } = *self;
        Schedule { lambda: lambda / n.max(1) as f64, mu0, rho, mu_max, max_iterations, tolerance }
    }

    fn decompose<F: Real>(&self, graphs: &[Graph], problem: &Problem<'_>) -> Result<Consensus> {
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let T: Vec<_> = graphs.iter().map(random_walk).collect();
        let result = solver::solve::<F>(&self.schedule(problem.views.samples()), &T, &names, problem.run)?;
        let shares = result.corrupted.iter().zip(&names);
        let corruption = shares
            // E_i is n x n: its entries belong to no feature
            .map(|(&share, name)| CorruptionFound {
                view: (*name).to_owned(),
                share,
                range: None,
                by_feature: Vec::new(),
                by_sample: Vec::new(),
            });
        let findings = Findings { trace: result.trace, corruption: corruption.collect(), ..Findings::default() };
        let affinity = Arc::new(affinity(result.P, problem.run)?);
        Ok(Consensus {
            termination: result.termination,
            findings,
            ..Consensus::direct(affinity, equal_weights(names.len())).with_graph(&self.graph)
        })
    }
}

/// `T = D^-1 W` (n x n, sparse). A vertex without edges has a zero row.
fn random_walk(graph: &Graph) -> Csr<f64> {
    let mut T = graph.weights().clone();
    for (i, degree) in graph.degrees().iter().enumerate().filter(|(_, degree)| **degree > 0.0) {
        T.row_values_mut(i).iter_mut().for_each(|x| *x /= degree);
    }
    T
}

/// The share of time that the walk `P` spends at every sample: `pi P = pi`, by power iteration of the lazy walk, so that a
/// walk of period 2 converges too.
fn stationary<F: Real>(P: &Dense<F>, run: &Run) -> Result<Vec<f64>> {
    let n = P.rows();
    let mut pi = vec![1.0 / n as f64; n];
    for _ in 0..MAX_STEPS {
        run.check()?;
        let chunks = P.data().par_chunks(TASK_ROWS * n).zip(pi.par_chunks(TASK_ROWS)).map(|(rows, pi)| {
            let mut sums = vec![0.0; n];
            for (row, share) in rows.chunks_exact(n).zip(pi) {
                sums.iter_mut().zip(row).for_each(|(sum, p)| *sum += share * p.to_f64());
            }
            sums
        });
        let chunks: Vec<Vec<f64>> = chunks.collect();
        let next = (0..n).map(|j| 0.5 * (pi[j] + chunks.iter().map(|chunk| chunk[j]).sum::<f64>()));
        let next: Vec<f64> = next.collect();
        let change: f64 = next.iter().zip(&pi).map(|(a, b)| (a - b).abs()).sum();
        if change < STEP_TOLERANCE {
            break;
        }
        pi = next;
    }
    Ok(pi)
}

/// `(Pi^1/2 P Pi^-1/2 + Pi^-1/2 P' Pi^1/2) / 2` (Zhou, Huang, Schoelkopf 2005), in the memory of P.
fn affinity<F: Real>(mut P: Dense<F>, run: &Run) -> Result<DenseSymmetric<F>> {
    let n = P.rows();
    let roots: Vec<f64> = stationary(&P, run)?.iter().map(|share| share.max(MIN_SHARE).sqrt()).collect();
    P.data_mut().par_chunks_mut(n).zip(&roots).for_each(|(row, root)| {
        row.iter_mut().zip(&roots).for_each(|(p, other)| *p = F::from_f64(p.to_f64() * root / other));
    });
    Ok(DenseSymmetric::symmetrised(P))
}
