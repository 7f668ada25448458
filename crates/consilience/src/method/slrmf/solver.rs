//! Low-rank factors of the views that agree:
//!
//! min  sum_i w_i [ Tr(U_i' (I - N_i') U_i) + beta/2 |U_i U_i' - C C'|^2 ],    U_i' U_i = I,  C' C = I
//!
//! with N_i' the view's graph mixed with the joint one; one more factor is the joint graph's own. Agreement is one of
//! subspaces: |U U' - C C'|^2 = 2 (r - |C'U|^2) does not change when U is rotated, so no columns have to be matched (N9 of the
//! paper notes), and there may be more columns than clusters.
//!
//! With C fixed, U_i maximises Tr(U' M U), M = I + N_i' + beta C C'. M is never negative, so a block power step
//! U <- orth(M U) never lowers it; with the U_i fixed, C maximises Tr(C' S C), S = sum_i w_i U_i U_i', and again a block power
//! step never lowers it. The objective never rises. Cost per iteration: O(nnz r + n V r^2).

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use crate::matrix::{Csr, Dense, add_product, cholesky_orthonormal, gram, multiply_small, symmetric_eigen};
use crate::method::TraceRow;
use crate::method::common::{overlap, shared_directions, subspace_distance, weighted_hstack};
use crate::operator::{LinOp, LowRank};
use crate::run::Termination;
use crate::{Result, Run};

/// Block power steps of each U_i, and of C, per iteration.
const POWER_STEPS: usize = 2;
/// The iteration ends when the objective falls by less than this share.
const TOLERANCE: f64 = 1e-4;
/// An objective below this is nothing but rounding.
const ROUNDING: f64 = 1e-9;

/// One view in the solver, or the joint graph.
pub(super) struct Factor {
    pub(super) name: String,
    /// w_i.
    pub(super) weight: f64,
    /// N_i', n x n.
    pub(super) graph: Arc<Csr<f64>>,
    /// U_i, n x r, orthonormal columns.
    U: Dense<f64>,
    /// N_i' U_i, n x r.
    NU: Dense<f64>,
}

/// Consensus and factors at the end, and how the iteration went.
pub(super) struct Solution {
    pub(super) factors: Vec<Factor>,
    /// n x r, orthonormal columns.
    pub(super) C: Dense<f64>,
    pub(super) trace: Vec<TraceRow>,
    pub(super) termination: Termination,
}

impl Factor {
    /// A view with its start `U` (n x r, orthonormal columns).
    pub(super) fn new(name: &str, weight: f64, graph: Arc<Csr<f64>>, U: Dense<f64>) -> Self {
        let mut NU = Dense::zeros(U.rows(), U.cols());
        graph.apply(&U, &mut NU);
        Self { name: name.to_owned(), weight, graph, U, NU }
    }

    /// U_i, n x r.
    pub(super) fn U(&self) -> &Dense<f64> {
        &self.U
    }

    /// U <- orth((I + N' + beta C C') U), some times; how far the subspace moved.
    fn update(&mut self, C: &Dense<f64>, beta: f64, run: &Run) -> Result<f64> {
        let before = self.U.clone();
        for _ in 0..POWER_STEPS {
            // a step with many samples takes its time
            run.check()?;
            let inside = gram(C.as_mat(), self.U.as_mat());
            let MU = &mut self.NU;
            MU.data_mut().iter_mut().zip(self.U.data()).for_each(|(x, u)| *x += u);
            add_product(MU.as_mat_mut(), C.as_mat(), inside.as_ref(), beta);
            self.U = orthonormalised(MU)?;
            self.graph.apply(&self.U, &mut self.NU);
        }
        Ok(subspace_distance(&before, &self.U))
    }

    /// The view's term of the objective, with its weight.
    fn objective(&self, C: &Dense<f64>, beta: f64) -> f64 {
        let r = self.U.cols() as f64;
        let smooth: f64 = self.U.data().iter().zip(self.NU.data()).map(|(u, image)| u * image).sum();
        self.weight * (r - smooth + beta * (r - overlap(C, &self.U)))
    }
}

/// Alternates between the views' factors and the consensus, at most `max_iterations` times.
pub(super) fn solve(mut factors: Vec<Factor>, beta: f64, max_iterations: usize, run: &Run) -> Result<Solution> {
    let mut C = consensus(&factors)?;
    let mut objective: f64 = factors.iter().map(|factor| factor.objective(&C, beta)).sum();
    let mut trace = Vec::new();
    let (mut iterations, mut converged) = (0, false);
    while iterations < max_iterations && !converged {
        iterations += 1;
        // given C the views do not see each other
        let changes = factors.par_iter_mut().map(|factor| factor.update(&C, beta, run)).collect::<Result<Vec<_>>>()?;
        for _ in 0..POWER_STEPS {
            run.check()?;
            C = drawn_together(&factors, &C)?;
        }
        let objectives: Vec<f64> = factors.par_iter().map(|factor| factor.objective(&C, beta)).collect();
        let rows = factors.iter().zip(changes).zip(&objectives);
        trace.extend(rows.map(|((factor, change), &objective)| TraceRow {
            iteration: iterations,
            view: factor.name.clone(),
            objective,
            residual: subspace_distance(&factor.U, &C),
            change,
        }));
        let fall = objective - objectives.iter().sum::<f64>();
        objective -= fall;
        converged = fall <= TOLERANCE * objective.abs().max(ROUNDING);
        run.progress(iterations, max_iterations);
    }
    Ok(Solution { factors, C, trace, termination: Termination::after(iterations, converged) })
}

/// The top r left singular vectors of [sqrt(w_1) U_1, .., sqrt(w_V) U_V], n x r. Their squared singular values are at least
/// the largest weight, so nothing is lost by the way through the (V r) x (V r) Gram matrix.
fn consensus(factors: &[Factor]) -> Result<Dense<f64>> {
    let r = factors.first().map_or(0, |factor| factor.U.cols());
    let U: Vec<&Dense<f64>> = factors.iter().map(|factor| &factor.U).collect();
    let side_by_side = LowRank::new(weighted_hstack(&U, |i| factors[i].weight.sqrt()));
    Ok(shared_directions(&side_by_side, r)?.vectors)
}

/// orth(sum_i w_i U_i U_i' C), n x r: C nearer to what the factors share.
fn drawn_together(factors: &[Factor], C: &Dense<f64>) -> Result<Dense<f64>> {
    let mut sum = Dense::zeros(C.rows(), C.cols());
    for factor in factors {
        let inside = gram(factor.U.as_mat(), C.as_mat());
        add_product(sum.as_mat_mut(), factor.U.as_mat(), inside.as_ref(), factor.weight);
    }
    orthonormalised(&sum)
}

/// An orthonormal basis of the columns of A, n x r.
fn orthonormalised(A: &Dense<f64>) -> Result<Dense<f64>> {
    if let Some(basis) = cholesky_orthonormal(A) {
        return Ok(basis);
    }
    let root = inverse_root(&gram(A.as_mat(), A.as_mat()))?;
    let mut out = Dense::zeros(A.rows(), A.cols());
    multiply_small(out.as_mat_mut(), A.as_mat(), root.as_ref());
    Ok(out)
}

/// The rotation Q (r x r) that brings U Q nearest to C (both n x r).
pub(super) fn alignment(U: &Dense<f64>, C: &Dense<f64>) -> Result<Mat<f64>> {
    let overlap = gram(U.as_mat(), C.as_mat());
    let root = inverse_root(&(overlap.transpose() * &overlap))?;
    Ok(overlap * root)
}

/// S^-1/2 of a symmetric matrix; directions without length stay without.
fn inverse_root(S: &Mat<f64>) -> Result<Mat<f64>> {
    let eigen = symmetric_eigen(S.as_ref())?;
    let floor = 1e-14 * eigen.values.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let r = eigen.values.len();
    let scaled = Mat::from_fn(r, r, |i, j| eigen.vectors[(i, j)] / eigen.values[j].max(floor).sqrt());
    Ok(scaled * eigen.vectors.transpose())
}
