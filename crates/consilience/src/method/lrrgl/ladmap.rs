//! The linearised alternating directions with a growing penalty that the source uses, on the same problem as
//! [`super::admm`] with the nuclear norm on Z itself: Z moves along its gradient and is thresholded.
//!
//! A penalty that grows fast freezes the iterate before it is optimal while every residual says that it has converged;
//! `rho` near 1 reaches the optimum in thousands of steps. One matrix stands for a variable and its multiplier:
//! `N = Z + Y_2 / mu` gives `G = max(N, 0)` and `Y_2 = mu min(N, 0)`; `K = X - XZ + Y_1 / mu` gives `E = soft(K, t)` and
//! `Y_1 = mu clip(K, t)`, `t = lambda1 / mu`.

use rayon::prelude::*;

use super::{Lrrgl, Representation, Terms, ViewData, smooth_objective};
use crate::matrix::{Dense, Real, TASK_ROWS, soft_threshold};
use crate::method::TraceRow;
use crate::method::common::SingularValueThreshold;
use crate::operator::{GramOperator, LinOp, TopEigen};
use crate::run::Termination;
use crate::{Result, Run};

/// n x n matrices of a view: Z and N. One more is shared.
pub(super) const MATRICES: usize = 2;
/// The step is shorter than the longest safe one by this factor.
const STEP_SAFETY: f64 = 1.02;

/// A view in the iteration. All matrices are transposed: row j belongs to sample j.
struct State<'a, F> {
    data: &'a ViewData<F>,
    /// n x n.
    Z: Dense<F>,
    /// `Z + Y_2 / mu`, n x n.
    N: Dense<F>,
    /// `X - XZ + Y_1 / mu`, n x d.
    K: Dense<F>,
    /// Largest eigenvalue of the Laplacian.
    laplacian_norm: f64,
    /// Largest eigenvalue of X'X.
    gram_norm: f64,
    svt: SingularValueThreshold,
}

/// Sums of squares over the entries of a pass, and `|E|_1`.
#[derive(Default, Clone, Copy)]
struct Sums {
    E: f64,
    E_gap: f64,
    G_gap: f64,
}

pub(super) fn solve<F: Real>(
    method: &Lrrgl,
    terms: Terms,
    data: &[ViewData<F>],
    run: &Run,
) -> Result<Representation<F>> {
    let mut states = data.iter().map(|view| State::new(view, run)).collect::<Result<Vec<_>>>()?;
    let n = data.first().map_or(0, ViewData::len);
    let mut M = Dense::zeros(n, n);
    let (mut trace, mut mu, mut last_mu) = (Vec::new(), method.mu0, method.mu0);
    let (mut iterations, mut converged) = (0, false);
    while iterations < method.max_iterations && !converged {
        iterations += 1;
        converged = true;
        for i in 0..states.len() {
            let eta = states[i].curvature(mu, terms, data.len());
            descend(&mut M, &states, i, terms, eta, (last_mu, mu), run)?;
            let state = &mut states[i];
            let thresholded = state.svt.apply(&M, 1.0 / eta, &mut state.Z, run)?;
            let sums = state.update(terms.lambda1, (last_mu, mu), run)?;
            let residual = state.data.relative(sums.E_gap).max(sums.G_gap.sqrt() / thresholded.norm.max(1.0));
            let change = thresholded.squared_change.sqrt() / thresholded.norm.max(1.0);
            converged &= residual.max(change) < method.tolerance;
            let others: Vec<&Dense<F>> = (0..data.len()).filter(|j| *j != i).map(|j| &states[j].Z).collect();
            let smooth = smooth_objective(&data[i], &states[i].Z, &others, sums.E, terms);
            let (view, objective) = (data[i].name.clone(), thresholded.nuclear_norm + smooth);
            trace.push(TraceRow { iteration: iterations, view, objective, residual, change });
        }
        (last_mu, mu) = (mu, (method.rho * mu).min(method.mu_max));
        run.progress(iterations, method.max_iterations);
    }
    let t = terms.lambda1 / last_mu;
    let (mut Z, mut E) = (Vec::new(), Vec::new());
    for mut state in states {
        state.K.data_mut().iter_mut().for_each(|k| *k = F::from_f64(soft_threshold(k.to_f64(), t)));
        Z.push(state.Z);
        E.push(state.K);
    }
    Ok(Representation { Z, E, trace, termination: Termination::after(iterations, converged) })
}

/// `M = Z - gradient / eta`, with the gradient of everything smooth in Z_i.
fn descend<F: Real>(
    M: &mut Dense<F>,
    states: &[State<'_, F>],
    i: usize,
    terms: Terms,
    eta: f64,
    (last_mu, mu): (f64, f64),
    run: &Run,
) -> Result<()> {
    let State { data, Z, N, K, .. } = &states[i];
    let others: Vec<&[F]> = (0..states.len()).filter(|j| *j != i).map(|j| states[j].Z.data()).collect();
    let (n, d, t) = (data.len(), data.features(), terms.lambda1 / last_mu);
    let (size, narrow) = (TASK_ROWS * n, TASK_ROWS * d.max(1));
    let matrices = M.data_mut().par_chunks_mut(size).zip(Z.data().par_chunks(size)).zip(N.data().par_chunks(size));
    let tasks = matrices.zip(K.data().par_chunks(narrow)).zip(data.rows.data().par_chunks(narrow)).enumerate();
    tasks.try_for_each_init(<(Vec<F>, Vec<f64>)>::default, |(thin, LZ), (task, ((((M, Z), N), K), X))| {
        run.check()?;
        thin.resize(X.len(), F::default());
        LZ.resize(n, 0.0);
        // R = X - XZ - E + Y_1 / mu
        F::product_transposed(thin, Z, data.columns.data(), n);
        for (r, (x, k)) in thin.iter_mut().zip(X.iter().zip(K)) {
            let k = k.to_f64();
            let held = k.clamp(-t, t) * last_mu / mu;
            *r = F::from_f64(x.to_f64() - r.to_f64() - soft_threshold(k, t) + held);
        }
        F::product_transposed(M, thin, data.rows.data(), d);
        for (row, (M, Z)) in M.chunks_exact_mut(n).zip(Z.chunks_exact(n)).enumerate() {
            data.apply_laplacian(Z, LZ);
            for (at, (m, z)) in M.iter_mut().zip(Z).enumerate() {
                let (z, copy) = (z.to_f64(), N[row * n + at].to_f64());
                let apart: f64 = others.iter().map(|other| z - other[task * size + row * n + at].to_f64()).sum();
                let clipped = mu * (z - copy.max(0.0)) + last_mu * copy.min(0.0);
                let gradient = 2.0 * terms.lambda2 * LZ[at] - mu * m.to_f64() + clipped + terms.beta * apart;
                *m = F::from_f64(z - gradient / eta);
            }
        }
        Ok(())
    })
}

impl<'a, F: Real> State<'a, F> {
    fn new(data: &'a ViewData<F>, run: &Run) -> Result<Self> {
        let (n, d) = (data.len(), data.features());
        let largest = |operator: &dyn LinOp| {
            let request = TopEigen { tolerance: 1e-3, ..TopEigen::new(1) };
            Ok::<f64, crate::Error>(request.solve(operator, None, run)?.values.first().map_or(0.0, |x| x.max(0.0)))
        };
        let (laplacian_norm, gram_norm) = (largest(&data.graph.laplacian())?, largest(&GramOperator::new(&data.rows))?);
        let (Z, N, K) = (Dense::zeros(n, n), Dense::zeros(n, n), Dense::zeros(n, d));
        Ok(Self { data, Z, N, K, laplacian_norm, gram_norm, svt: SingularValueThreshold::default() })
    }

    /// A bound on the curvature of everything smooth in Z: one over the step.
    fn curvature(&self, mu: f64, terms: Terms, views: usize) -> f64 {
        let agreement = terms.beta * (views - 1) as f64;
        STEP_SAFETY * (2.0 * terms.lambda2 * self.laplacian_norm + agreement + mu * (self.gram_norm + 1.0))
    }

    /// N and K from the new Z.
    fn update(&mut self, lambda1: f64, (last_mu, mu): (f64, f64), run: &Run) -> Result<Sums> {
        let Self { data, Z, N, K, .. } = self;
        let (n, d, old_t, t) = (data.len(), data.features(), lambda1 / last_mu, lambda1 / mu);
        let (size, narrow) = (TASK_ROWS * n, TASK_ROWS * d.max(1));
        let matrices = Z.data().par_chunks(size).zip(N.data_mut().par_chunks_mut(size));
        let tasks = matrices.zip(K.data_mut().par_chunks_mut(narrow)).zip(data.rows.data().par_chunks(narrow));
        let chunks = tasks.map_init(Vec::new, |XZ: &mut Vec<F>, (((Z, N), K), X)| {
            run.check()?;
            XZ.resize(X.len(), F::default());
            F::product_transposed(XZ, Z, data.columns.data(), n);
            let mut sums = Sums::default();
            for (k, (x, xz)) in K.iter_mut().zip(X.iter().zip(XZ.iter())) {
                let rest = x.to_f64() - xz.to_f64();
                let new = rest + k.to_f64().clamp(-old_t, old_t) * last_mu / mu;
                *k = F::from_f64(new);
                let E = soft_threshold(new, t);
                sums.E += E.abs();
                sums.E_gap += (rest - E).powi(2);
            }
            for (n, z) in N.iter_mut().zip(Z) {
                let new = z.to_f64() + n.to_f64().min(0.0) * last_mu / mu;
                *n = F::from_f64(new);
                sums.G_gap += (z.to_f64() - new.max(0.0)).powi(2);
            }
            Ok(sums)
        });
        let add = |a: Sums, b: Sums| Sums { E: a.E + b.E, E_gap: a.E_gap + b.E_gap, G_gap: a.G_gap + b.G_gap };
        Ok(chunks.collect::<Result<Vec<Sums>>>()?.into_iter().fold(Sums::default(), add))
    }
}
