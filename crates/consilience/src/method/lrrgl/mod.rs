//! LRRGL, "Iterative Views Agreement: An Iterative Low-Rank based Structured Optimization Method to Multi-View Spectral
//! Clustering": every view represents its samples by each other, with low rank and smoothly on its graph, and the views'
//! representations are drawn towards each other. `docs/methods/lrrgl.md` teaches it.
//!
//! In the source samples are columns: X_i is d_i x n and column j of Z_i (n x n) says how sample j is made of the others.
//! Here samples are rows, so X_i, E_i and Z_i are kept transposed: row j of a matrix belongs to sample j, and all steps
//! but one work row by row.

// the source's letters, capitals for matrices
#![allow(non_snake_case)]

mod admm;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::common::{EIGEN_WORKSPACE, MEMORY_HINT, Precision, equal_weights, in_precision};
use super::{Consensus, CorruptionFound, Findings, Method, MethodInfo, Problem, Property, TraceRow};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Csr, Dense, Real, TASK_ROWS, for_matrix};
use crate::operator::DenseSymmetric;
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::run::{Termination, Warning};
use crate::{Result, Run, Stage, View};
use rayon::prelude::*;

pub(super) const INFO: MethodInfo =
    MethodInfo::of::<Lrrgl>("lrrgl", "low-rank representation with graph Laplacian and views that agree")
    .summary("Every view represents its samples by each other, with low rank, smoothly on its own graph and without sparse \
              errors; the representations are drawn towards each other, and their mean is clustered. n x n by definition.")
    .citation("Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang, S. Pan. Iterative Views Agreement: An Iterative Low-Rank Based \
               Structured Optimization Method to Multi-View Spectral Clustering. IJCAI 2016")
    .cost(
        "O(V n^3) per iteration of 30",
        "O(V n^2): 5 V matrices, and 24 in double precision during the eigendecompositions of two views",
    )
    .properties(&[Property::Quadratic]);

parameters! {
    /// Low-rank representation with graph Laplacian and iterated agreement of views.
    pub struct Lrrgl {
        /// Weight of the sparse errors, divided by the number of samples: 4 is .002 at 2000 samples.
        lambda1: f64 = 4.0, Bounds::at_least(0.0), "lambda_1 n";
        /// Weight of smoothness on the view's graph.
        lambda2: f64 = 0.7, Bounds::at_least(0.0), "lambda_2";
        /// Weight of the agreement of views.
        beta: f64 = 0.2, Bounds::at_least(0.0), "beta";
        /// Entries below this share of their sample's length are no affinity.
        tau: f64 = 1e-3, Bounds::between(0.0, 1.0), "tau";
        /// Most iterations; the default stops near the optimum, where clusters no longer change much.
        max_iterations: usize = 30, Bounds::between(1.0, 100_000.0), "";
        /// Converged when every constraint is violated, and every matrix changed, by less than this share of its norm.
        tolerance: f64 = 1e-3, Bounds::at_least(0.0), "epsilon";
        /// Penalty of the errors' constraint, in units of lambda_1: an entry is an error once it is off by 1 / mu_x.
        mu_x: f64 = 10.0, Bounds::between(1e-9, 1e9), "";
        /// Penalty of the copies of Z.
        mu_z: f64 = 2.0, Bounds::between(1e-9, 1e9), "";
        /// Precision of the n x n matrices.
        precision: Precision = Precision::Double, Bounds::ANY, "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

/// Weights of the objective, as the source has them.
#[derive(Debug, Clone, Copy)]
struct Terms {
    lambda1: f64,
    lambda2: f64,
    beta: f64,
}

/// What the solver returns.
struct Representation<F> {
    /// Z_i' of every view, n x n: row j is how sample j is made of the others.
    Z: Vec<Dense<F>>,
    /// E_i' of every view, n x d_i.
    E: Vec<Dense<F>>,
    trace: Vec<TraceRow>,
    termination: Termination,
}

impl Method for Lrrgl {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let n = problem.views.samples();
        let features = problem.views.iter().map(|view| view.data.cols()).sum();
        let matrices = self.matrices(problem.views.len(), n, features);
        problem.memory.require(matrices, n, n, self.precision.width(), MEMORY_HINT)?;
        in_precision!(self.precision, Float => self.represent::<Float>(problem))
    }
}

impl Lrrgl {
    /// n x n matrices in the chosen precision: those of the solver, four of the size of each view (twice the view, the
    /// errors, a draft), and the eigendecompositions of two views at a time.
    fn matrices(&self, views: usize, n: usize, features: usize) -> usize {
        let workspace = EIGEN_WORKSPACE * 8 / self.precision.width();
        admm::MATRICES * views + workspace * views.min(2) + (4 * features).div_ceil(n.max(1))
    }

    fn represent<F: Real>(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let (views, run) = (problem.views, problem.run);
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        let data: Vec<_> = views.iter().zip(graphs).map(|(view, graph)| ViewData::<F>::new(view, graph)).collect();
        run.enter(Stage::Solve);
        let lambda1 = self.lambda1 / views.samples() as f64;
        let terms = Terms { lambda1, lambda2: self.lambda2, beta: self.beta };
        let found = admm::solve(self, terms, &data, run)?;
        self.warn_if_not_converged(&found, run);
        let corruption = views.iter().zip(&found.E).map(|(view, E)| CorruptionFound::of(&view.name, E)).collect();
        let findings = Findings { trace: found.trace, corruption, ..Findings::default() };
        Ok(Consensus {
            termination: found.termination,
            findings,
            ..Consensus::direct(Arc::new(affinity(found.Z, self.tau)), equal_weights(views.len()))
                .with_graph(&self.graph)
        })
    }

    fn warn_if_not_converged<F>(&self, found: &Representation<F>, run: &Run) {
        let last = found.trace.iter().filter(|row| row.iteration == found.termination.iterations());
        let residual = last.fold(0.0_f64, |most, row| most.max(row.residual));
        if residual > self.tolerance {
            run.warn(Warning::not_converged(format!(
                "lrrgl stopped at its limit of {} iterations with a constraint violated by {residual:.1e} of its size (asked for {:.0e}): not the optimum",
                found.termination.iterations(), self.tolerance
            )));
        }
    }
}

/// A view as the solver needs it: dense, in the precision of the n x n matrices.
struct ViewData<F> {
    name: String,
    /// X', n x d.
    rows: Dense<F>,
    /// X, d x n.
    columns: Dense<F>,
    /// |X|.
    norm: f64,
    graph: Graph,
}

impl<F: Real> ViewData<F> {
    fn new(view: &View, graph: Graph) -> Self {
        let rows: Dense<F> = for_matrix!(&view.data, dense m => m.cast(), sparse m => Csr::to_dense(m).cast());
        let norm = rows.data().iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
        Self { name: view.name.clone(), columns: rows.transposed(), rows, norm, graph }
    }

    /// n.
    fn len(&self) -> usize {
        self.rows.rows()
    }

    /// d.
    fn features(&self) -> usize {
        self.rows.cols()
    }

    /// A number relative to |X|; a view of zeros violates nothing.
    fn relative(&self, square: f64) -> f64 {
        square.sqrt() / self.norm.max(f64::MIN_POSITIVE)
    }

    /// `out = L z` for the Laplacian L of the view's graph and one row `z` of a matrix.
    fn apply_laplacian(&self, z: &[F], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let near: f64 = self.graph.weights().entries(i).map(|(j, w)| w * z[j].to_f64()).sum();
            *out = self.graph.degrees()[i] * z[i].to_f64() - near;
        }
    }
}

/// A view's term of the objective without the nuclear norm: `lambda1 |E|_1 + lambda2 tr(Z'LZ) + beta/2 sum_j |Z - Z_j|^2`.
/// `error` is `|E|_1`.
fn smooth_objective<F: Real>(data: &ViewData<F>, Z: &Dense<F>, others: &[&Dense<F>], error: f64, terms: Terms) -> f64 {
    let n = Z.cols().max(1);
    let size = TASK_ROWS * n;
    let chunks = Z.data().par_chunks(size).enumerate().map(|(task, Z)| {
        let mut LZ = vec![0.0; n];
        let mut roughness = 0.0;
        for z in Z.chunks_exact(n) {
            data.apply_laplacian(z, &mut LZ);
            roughness += z.iter().zip(&LZ).map(|(z, Lz)| z.to_f64() * Lz).sum::<f64>();
        }
        let apart = |other: &&Dense<F>| {
            let gap = |(a, b): (&F, &F)| (a.to_f64() - b.to_f64()).powi(2);
            Z.iter().zip(&other.data()[task * size..]).map(gap).sum::<f64>()
        };
        terms.lambda2 * roughness + 0.5 * terms.beta * others.iter().map(apart).sum::<f64>()
    });
    terms.lambda1 * error + chunks.collect::<Vec<f64>>().iter().sum::<f64>()
}

/// The mean over the views of `(|Z| + |Z|')/2` with every sample's entries scaled to unit length and those below `tau`
/// dropped; no sample is near itself; normalised. In the memory of the first matrix.
fn affinity<F: Real>(Z: Vec<Dense<F>>, tau: f64) -> DenseSymmetric<F> {
    let n = Z.first().map_or(1, Dense::rows).max(1);
    let share = 1.0 / Z.len() as f64;
    let shares = |row: &mut [F]| {
        let length = row.iter().map(|z| z.to_f64().powi(2)).sum::<f64>().sqrt();
        let unit = if length > 0.0 { 1.0 / length } else { 0.0 };
        row.iter_mut().for_each(|z| {
            let size = z.to_f64().abs() * unit;
            *z = F::from_f64(if size < tau { 0.0 } else { share * size });
        });
    };
    let mut sum: Option<Dense<F>> = None;
    for mut Z in Z {
        Z.data_mut().par_chunks_mut(n).for_each(shares);
        match &mut sum {
            None => sum = Some(Z),
            Some(sum) => sum.data_mut().iter_mut().zip(Z.data()).for_each(|(sum, z)| *sum += *z),
        }
    }
    let mut sum = sum.unwrap_or_else(|| Dense::zeros(0, 0));
    (0..sum.rows()).for_each(|i| sum.data_mut()[i * n + i] = F::default());
    DenseSymmetric::symmetrised(sum).normalised()
}
