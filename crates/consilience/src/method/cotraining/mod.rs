//! Co-training for spectral clustering: every view's similarities are projected on the eigenvectors of the others.
//!
//! Algorithm 1 of the paper: S = sym(K B B') with B = [U_w, w != v] (n x r), then the top eigenvectors of
//! |D|^-1/2 S |D|^-1/2. S has rank 2r at most, S = (K B B' + B (K B)') / 2. With an orthonormal basis Q of the columns of
//! [P, R] = |D|^-1/2 [K B, B] its eigenvectors are Q times those of the small Q' |D|^-1/2 S |D|^-1/2 Q. Exact, in O(n r) memory.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::common::{equal_weights, hstack, mean_projector, shared_directions, subspace_distance};
use super::{Consensus, Findings, Method, MethodInfo, Problem, Property, Solved, TraceRow};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Csr, Dense, ROW_CHUNK, column_sums, gram, multiply_small, orthonormal_columns, symmetric_eigen};
use crate::operator::{TopEigen, inverse_roots, multiply_sparse};
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::run::{Termination, Warning};
use crate::spectral::embed;
use crate::{Result, Run, Stage};
use faer::Mat;
use rayon::prelude::*;

pub(super) const INFO: MethodInfo = MethodInfo::of::<Cotraining>("cotraining", "co-training of spectral clusterings")
    .summary(
        "Projects every view's similarities on the other views' eigenvectors and takes eigenvectors again, a fixed \
              number of times.",
    )
    .citation("A. Kumar, H. Daume III. A co-training approach for multi-view spectral clustering. ICML 2011")
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(V^2 n k (s + V k)) per iteration",
        "O(n (V s + V k)); no n x n matrix",
    )
    .properties(&[Property::Affinities]);

parameters! {
    /// Co-training of spectral clusterings.
    pub struct Cotraining {
        /// How often the views learn from each other. With two views even and odd numbers differ: see the method's page.
        iterations: usize = 10, Bounds::between(0.0, 10_000.0), "iter";
        /// Eigenvectors on which similarities are projected, as a multiple of the number of clusters.
        projection: f64 = 1.0, Bounds::between(1.0, 10.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

/// A row sum below this share of the largest is none: dividing by its root would only blow up rounding errors.
const MIN_DEGREE_SHARE: f64 = 1e-12;
/// An eigenvalue below this share of the largest is zero; its vector is any vector.
const MIN_EIGENVALUE_SHARE: f64 = 1e-12;

impl Method for Cotraining {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        if let [only] = graphs.as_slice() {
            // no other view to learn from: plain spectral clustering
            return Ok(Consensus::direct(only.normalised(), vec![1.0]).with_graph(&self.graph));
        }
        problem.run.enter(Stage::Solve);
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let (U, trace) = self.train(&graphs, &names, problem)?;
        let U: Vec<_> = U.iter().map(|U| U.first_columns(problem.clusters)).collect();
        let U: Vec<_> = U.iter().collect();
        let affinity = Arc::new(mean_projector(&U));
        let eigenvalues = shared_directions(&affinity, problem.clusters)?.known_values();
        Ok(Consensus {
            solved: Solved::Embedding { points: embed(hstack(&U)), eigenvalues },
            termination: Termination::IterationLimit { iterations: self.iterations },
            findings: Findings { trace, ..Findings::default() },
            ..Consensus::direct(affinity, equal_weights(U.len())).with_graph(&self.graph)
        })
    }
}

impl Cotraining {
    /// m, the columns of every U_v: ceil(projection k), n at most.
    fn columns(&self, k: usize, n: usize) -> usize {
        ((self.projection * k as f64).ceil() as usize).min(n)
    }

    /// Every view's U_v (n x m) after the last iteration.
    fn train(
        &self,
        graphs: &[Graph],
        names: &[&str],
        problem: &Problem<'_>,
    ) -> Result<(Vec<Dense<f64>>, Vec<TraceRow>)> {
        let run = problem.run;
        let m = self.columns(problem.clusters, graphs.first().map_or(0, Graph::len));
        let own = |graph| own_eigenvectors(graph, m, problem.seed, run);
        let mut U = graphs.iter().map(own).collect::<Result<Vec<_>>>()?;
        let mut trace = Vec::new();
        for iteration in 1..=self.iterations {
            // all views at once (Jacobi), always from the original similarities K_v
            let mut new = Vec::with_capacity(U.len());
            for (v, graph) in graphs.iter().enumerate() {
                run.check()?;
                let others: Vec<_> = (0..U.len()).filter(|&w| w != v).map(|w| &U[w]).collect();
                let found = projected_eigenvectors(graph.weights(), &hstack(&others), m)?;
                // similarities without a positive eigenvalue carry no information: the view keeps its eigenvectors
                let (vectors, objective) = found.unwrap_or_else(|| (U[v].clone(), 0.0));
                let change = subspace_distance(&U[v], &vectors);
                trace.push(TraceRow { iteration, view: names[v].to_owned(), objective, residual: 0.0, change });
                new.push(vectors);
            }
            U = new;
            run.progress(iteration, self.iterations);
        }
        Ok((U, trace))
    }
}

/// The top m eigenvectors of a view's own normalised graph, n x m.
fn own_eigenvectors(graph: &Graph, m: usize, seed: u64, run: &Run) -> Result<Dense<f64>> {
    let request = TopEigen { seed, ..TopEigen::new(m) };
    let found = request.solve(graph.normalised().as_ref(), None, run)?;
    if !found.converged {
        let detail = format!("a view's eigenvectors are not exact: residual {:.1e}", found.residual);
        run.warn(Warning::not_converged(detail));
    }
    Ok(found.vectors)
}

/// The eigenvectors of the `wanted` largest positive eigenvalues of |D|^-1/2 sym(K B B') |D|^-1/2, n x `wanted` (fewer
/// where there are fewer), and the sum of those eigenvalues; nothing when there is none.
fn projected_eigenvectors(K: &Csr<f64>, B: &Dense<f64>, wanted: usize) -> Result<Option<(Dense<f64>, f64)>> {
    let (n, r) = (B.rows(), B.cols());
    let mut KB = Dense::zeros(n, r);
    multiply_sparse(K, B, &mut KB);
    let both = scaled(&KB, B, &row_sums(&KB, B));
    let (P, R) = both.as_ref().split_at_col(r);
    let Q = orthonormal_columns(both.as_ref(), wanted);
    if Q.ncols() == 0 {
        return Ok(None);
    }
    // Q'P and Q'R, (columns of Q) x r
    let (QP, QR) = (gram(Q.as_ref(), P), gram(Q.as_ref(), R));
    let half = &QP * QR.transpose();
    let eigen = symmetric_eigen((0.5 * (&half + half.transpose())).as_ref())?;
    let largest = eigen.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let kept = eigen.values.iter().take(wanted).take_while(|&&value| value > MIN_EIGENVALUE_SHARE * largest).count();
    if kept == 0 {
        return Ok(None);
    }
    let mut U = Dense::zeros(n, kept);
    multiply_small(U.as_mat_mut(), Q.as_ref(), eigen.vectors.as_ref().subcols(0, kept));
    Ok(Some((U, eigen.values[..kept].iter().sum())))
}

/// The sizes of the row sums of S. S has negative entries, and whole rows may be negative (the paper does not say what
/// then; its authors' code takes the absolute value).
fn row_sums(KB: &Dense<f64>, B: &Dense<f64>) -> Vec<f64> {
    // S 1 = (KB (B'1) + B (KB'1)) / 2
    let (of_B, of_KB) = (column_sums(B, B, |x, _| x), column_sums(KB, KB, |x, _| x));
    let width = B.cols().max(1);
    let rows = KB.data().par_chunks(width).zip(B.data().par_chunks(width)).with_min_len(ROW_CHUNK);
    let dot = |row: &[f64], sums: &[f64]| row.iter().zip(sums).map(|(x, sum)| x * sum).sum::<f64>();
    rows.map(|(KB, B)| (0.5 * (dot(KB, &of_B) + dot(B, &of_KB))).abs()).collect()
}

/// `[P, R] = |D|^-1/2 [KB, B]`, n x 2r; a sample without a row sum has a zero row.
fn scaled(KB: &Dense<f64>, B: &Dense<f64>, degrees: &[f64]) -> Mat<f64> {
    let scale = inverse_roots(degrees, MIN_DEGREE_SHARE);
    let r = B.cols();
    Mat::from_fn(B.rows(), 2 * r, |i, j| scale[i] * if j < r { KB.get(i, j) } else { B.get(i, j - r) })
}
