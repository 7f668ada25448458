//! The inexact augmented Lagrangian of Algorithm 1:
//!
//! `min |Q|_* + lambda sum_i |E_i|_1  subject to  T_i = P + E_i, P = Q, P >= 0, P 1 = 1`.
//!
//! Two matrices stand for four. With `A_i = T_i - P - Y_i / mu` the new error and multiplier are `E_i = soft(A_i, t)` and
//! `Y_i = -mu clip(A_i, t)`, `t = lambda / mu`: A_i is kept, E_i and Y_i are computed from it. In the same way
//! `Z = mu (M - Q)` after `Q = D_{1/mu}(M)` of `M = P + Z / mu`.

use rayon::prelude::*;

use crate::matrix::{Csr, Dense, Real, TASK_ROWS, project_to_simplex, soft_threshold};
use crate::method::TraceRow;
use crate::method::common::{SingularValueThreshold, Thresholded};
use crate::run::{Termination, Warning};
use crate::{Result, Run};

/// The weight, and the penalties: they decide the result.
pub(super) struct Schedule {
    pub(super) lambda: f64,
    pub(super) mu0: f64,
    pub(super) rho: f64,
    pub(super) mu_max: f64,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
}

pub(super) struct Decomposition<F> {
    /// The common walk, n x n: rows are not negative and sum to 1.
    pub(super) P: Dense<F>,
    /// Share of the entries of each E_i that are not zero.
    pub(super) corrupted: Vec<f64>,
    /// The rows of an iteration add up to the objective: each view has its own errors and an equal part of `|Q|_*`.
    pub(super) trace: Vec<TraceRow>,
    pub(super) termination: Termination,
}

/// The matrices, all n x n.
struct State<F> {
    A: Vec<Dense<F>>,
    P: Dense<F>,
    Q: Dense<F>,
    M: Dense<F>,
}

/// What a pass over a view's errors found: sums and maxima over the entries.
#[derive(Default, Clone, Copy)]
struct Errors {
    /// `|E|_1`.
    absolute: f64,
    /// Entries that are not zero.
    nonzero: f64,
    /// The largest violation of `T = P + E`.
    violation: f64,
}

pub(super) fn solve<F: Real>(
    schedule: &Schedule,
    T: &[Csr<f64>],
    names: &[&str],
    run: &Run,
) -> Result<Decomposition<F>> {
    let n = T.first().map_or(0, Csr::rows);
    let zeros = || Dense::<F>::zeros(n, n);
    let mut state = State { A: T.iter().map(|_| zeros()).collect(), P: zeros(), Q: zeros(), M: zeros() };
    let (mut svt, mut trace, mut corrupted) = (SingularValueThreshold::default(), Vec::new(), vec![0.0; T.len()]);
    let (mut mu, mut last_mu, mut iterations, mut converged) = (schedule.mu0, schedule.mu0, 0, false);
    while iterations < schedule.max_iterations && !converged {
        iterations += 1;
        run.check()?;
        gather(&mut state, T, schedule.lambda, (last_mu, mu));
        update_walk(&mut state, T.len(), last_mu / mu);
        let mut errors = Vec::with_capacity(T.len());
        for (A, T) in state.A.iter_mut().zip(T) {
            run.check()?;
            errors.push(update_errors(A, T, &state.P, schedule.lambda, (last_mu, mu)));
        }
        let thresholded = svt.apply(&state.M, 1.0 / mu, &mut state.Q, run)?;
        let gap = largest_gap(&state.P, &state.Q);
        converged = errors.iter().fold(gap, |most, view| most.max(view.violation)) < schedule.tolerance;
        trace.extend(trace_rows(iterations, names, &errors, &thresholded, gap, schedule.lambda));
        corrupted = errors.iter().map(|view| view.nonzero / (n * n) as f64).collect();
        (last_mu, mu) = (mu, (schedule.rho * mu).min(schedule.mu_max));
        run.progress(iterations, schedule.max_iterations);
    }
    if !converged {
        let residual = trace.iter().rev().take(T.len()).fold(0.0_f64, |most, row| most.max(row.residual));
        run.warn(Warning::not_converged(format!(
            "rlrr stopped at its limit of {iterations} iterations with a constraint violated by {residual:.1e} (asked for {:.0e})",
            schedule.tolerance
        )));
    }
    Ok(Decomposition { P: state.P, corrupted, trace, termination: Termination::after(iterations, converged) })
}

/// The errors and the multiplier over `mu` that an entry `a` of A_i stands for; A_i was made with `last_mu`.
fn error_and_multiplier(a: f64, lambda: f64, (last_mu, mu): (f64, f64)) -> (f64, f64) {
    let t = lambda / last_mu;
    (soft_threshold(a, t), -a.clamp(-t, t) * last_mu / mu)
}

/// `P = Q - Z / mu + sum_i (T_i - E_i - Y_i / mu)`, not yet a walk.
fn gather<F: Real>(state: &mut State<F>, T: &[Csr<f64>], lambda: f64, mus: (f64, f64)) {
    let State { A, P, Q, M } = state;
    let (n, ratio) = (P.cols().max(1), mus.0 / mus.1);
    let size = TASK_ROWS * n;
    let tasks = P.data_mut().par_chunks_mut(size).zip(Q.data().par_chunks(size)).zip(M.data().par_chunks(size));
    tasks.enumerate().for_each(|(task, ((P, Q), M))| {
        for (p, (q, m)) in P.iter_mut().zip(Q.iter().zip(M)) {
            *p = F::from_f64(q.to_f64() - (m.to_f64() - q.to_f64()) * ratio);
        }
        for A in A.iter() {
            for (p, a) in P.iter_mut().zip(&A.data()[task * size..]) {
                let (e, y) = error_and_multiplier(a.to_f64(), lambda, mus);
                *p = F::from_f64(p.to_f64() - e - y);
            }
        }
        for (i, row) in P.chunks_exact_mut(n).enumerate() {
            for T in T {
                T.entries(task * TASK_ROWS + i).for_each(|(j, t)| row[j] += F::from_f64(t));
            }
        }
    });
}

/// `P`: the mean of what was gathered, projected to walks row by row. `M = P + Z / mu`.
fn update_walk<F: Real>(state: &mut State<F>, views: usize, ratio: f64) {
    let n = state.P.cols().max(1);
    let rows = state.P.data_mut().par_chunks_mut(n).zip(state.M.data_mut().par_chunks_mut(n));
    rows.zip(state.Q.data().par_chunks(n)).for_each(|((P, M), Q)| {
        P.iter_mut().for_each(|p| *p = F::from_f64(p.to_f64() / (views + 1) as f64));
        project_to_simplex(P);
        for (p, (m, q)) in P.iter().zip(M.iter_mut().zip(Q)) {
            *m = F::from_f64(p.to_f64() + (m.to_f64() - q.to_f64()) * ratio);
        }
    });
}

/// `A = T - P - Y / mu`, from which the new E and Y are computed.
fn update_errors<F: Real>(A: &mut Dense<F>, T: &Csr<f64>, P: &Dense<F>, lambda: f64, mus: (f64, f64)) -> Errors {
    let n = P.cols().max(1);
    let size = TASK_ROWS * n;
    let tasks = A.data_mut().par_chunks_mut(size).zip(P.data().par_chunks(size)).enumerate();
    let chunks = tasks.map_init(Vec::new, |walk, (task, (A, P))| {
        let mut found = Errors::default();
        for (i, (A, P)) in A.chunks_exact_mut(n).zip(P.chunks_exact(n)).enumerate() {
            walk.clear();
            walk.resize(n, 0.0);
            T.entries(task * TASK_ROWS + i).for_each(|(j, t)| walk[j] = t);
            for (a, (p, t)) in A.iter_mut().zip(P.iter().zip(walk.iter())) {
                let (_, y) = error_and_multiplier(a.to_f64(), lambda, mus);
                let new = t - p.to_f64() - y;
                *a = F::from_f64(new);
                let e = soft_threshold(new, lambda / mus.1);
                found.absolute += e.abs();
                found.nonzero += f64::from(u8::from(e != 0.0));
                found.violation = found.violation.max((p.to_f64() + e - t).abs());
            }
        }
        found
    });
    let add = |sum: Errors, chunk: Errors| Errors {
        absolute: sum.absolute + chunk.absolute,
        nonzero: sum.nonzero + chunk.nonzero,
        violation: sum.violation.max(chunk.violation),
    };
    chunks.collect::<Vec<_>>().into_iter().fold(Errors::default(), add)
}

fn largest_gap<F: Real>(P: &Dense<F>, Q: &Dense<F>) -> f64 {
    let size = TASK_ROWS * P.cols().max(1);
    let gap = |(p, q): (&F, &F)| (p.to_f64() - q.to_f64()).abs();
    let chunks = P.data().par_chunks(size).zip(Q.data().par_chunks(size));
    chunks.map(|(P, Q)| P.iter().zip(Q).map(gap).fold(0.0, f64::max)).reduce(|| 0.0, f64::max)
}

fn trace_rows(
    iteration: usize,
    names: &[&str],
    errors: &[Errors],
    thresholded: &Thresholded,
    gap: f64,
    lambda: f64,
) -> Vec<TraceRow> {
    let views = names.len() as f64;
    let row = |(name, view): (&&str, &Errors)| TraceRow {
        iteration,
        view: (*name).to_owned(),
        objective: lambda * view.absolute + thresholded.nuclear_norm / views,
        residual: view.violation.max(gap),
        change: thresholded.squared_change.sqrt() / thresholded.norm.max(f64::MIN_POSITIVE),
    };
    names.iter().zip(errors).map(row).collect()
}
