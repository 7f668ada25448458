//! Alternating directions with fixed penalties, which go to the optimum of the convex problem
//!
//! `min sum_i |J_i|_* + lambda1 |E_i|_1 + lambda2 tr(Z_i'L_iZ_i) + beta/2 sum_{j != i} |Z_i - Z_j|^2`
//! `subject to  X_i = X_i Z_i + E_i,  Z_i = J_i,  Z_i = G_i >= 0`.
//!
//! Z_i is one product with a matrix inverted once; J_i is singular value thresholding, G_i clips, E_i is soft
//! thresholding. With scaled multipliers y, one matrix stands for a variable and its multiplier where it can:
//! `N = Z + y_G` gives `G = max(N, 0)` and the new `y_G = min(N, 0)`; `K = X - XZ - y_E` gives `E = soft(K, t)` and
//! `y_E = -clip(K, t)`, `t = lambda1 / mu_x`, which is one over the parameter `mu_x`; `M = Z + y_J` and `J = D(M)` give
//! `y_J = M - J`.

use rayon::prelude::*;

use super::{Lrrgl, Representation, Terms, ViewData, smooth_objective};
use crate::matrix::{Dense, Real, TASK_ROWS, invert_positive, soft_threshold};
use crate::method::TraceRow;
use crate::method::common::{SingularValueThreshold, Thresholded};
use crate::run::Termination;
use crate::{Result, Run};

/// n x n matrices of a view: Z, J, M, N and the inverse.
pub(super) const MATRICES: usize = 5;

/// A view in the iteration. All matrices are transposed: row j belongs to sample j.
struct State<'a, F> {
    data: &'a ViewData<F>,
    /// n x n.
    Z: Dense<F>,
    /// The copy of low rank, n x n.
    J: Dense<F>,
    /// `Z + y_J`, n x n.
    M: Dense<F>,
    /// `Z + y_G`, n x n.
    N: Dense<F>,
    /// `X - XZ - y_E`, n x d.
    K: Dense<F>,
    /// `(mu_x X'X + 2 lambda2 L + (2 mu_z + beta (V - 1)) I)^-1`, n x n.
    inverse: Dense<F>,
    svt: SingularValueThreshold,
}

/// Sums of squares over the entries of a pass: of a variable, of the violation of its constraint, of its change; `E` is
/// `|E|_1`.
#[derive(Default, Clone, Copy)]
struct Sums {
    Z: f64,
    E: f64,
    E_gap: f64,
    G_gap: f64,
    E_change: f64,
    G_change: f64,
}

pub(super) fn solve<F: Real>(
    method: &Lrrgl,
    terms: Terms,
    data: &[ViewData<F>],
    run: &Run,
) -> Result<Representation<F>> {
    let mut states = Vec::with_capacity(data.len());
    for view in data {
        states.push(State::new(view, method, terms, data.len(), run)?);
    }
    let (mut trace, mut iterations, mut converged) = (Vec::new(), 0, false);
    while iterations < method.max_iterations && !converged {
        iterations += 1;
        let mut sums = Vec::with_capacity(states.len());
        for i in 0..states.len() {
            sums.push(pass(&mut states, i, method, terms, run)?);
        }
        let mut thresholded = Vec::with_capacity(states.len());
        // two at a time: an eigendecomposition keeps one core busy and takes memory of its own
        for pair in states.chunks_mut(2) {
            let step = |state: &mut State<'_, F>| state.svt.apply(&state.M, 1.0 / method.mu_z, &mut state.J, run);
            thresholded.extend(pair.par_iter_mut().map(step).collect::<Result<Vec<_>>>()?);
        }
        let rows =
            (0..states.len()).map(|i| states[i].trace_row(&states, i, iterations, terms, &sums[i], &thresholded[i]));
        let rows: Vec<TraceRow> = rows.collect();
        converged = rows.iter().all(|row| row.residual.max(row.change) < method.tolerance);
        trace.extend(rows);
        run.progress(iterations, method.max_iterations);
    }
    let (mut Z, mut E) = (Vec::new(), Vec::new());
    for State { mut N, mut K, .. } in states {
        N.data_mut().iter_mut().for_each(|x| *x = F::from_f64(x.to_f64().max(0.0)));
        K.data_mut().iter_mut().for_each(|x| *x = F::from_f64(soft_threshold(x.to_f64(), 1.0 / method.mu_x)));
        Z.push(N);
        E.push(K);
    }
    Ok(Representation { Z, E, trace, termination: Termination::after(iterations, converged) })
}

/// New Z of view `i`, and all that follows from it row by row: K (errors), N (clipped copy) and M.
fn pass<F: Real>(states: &mut [State<'_, F>], i: usize, method: &Lrrgl, terms: Terms, run: &Run) -> Result<Sums> {
    let (before, rest) = states.split_at_mut(i);
    let Some((state, after)) = rest.split_first_mut() else { return Ok(Sums::default()) };
    let State { data, Z, J, M, N, K, inverse, .. } = state;
    let others: Vec<&[F]> = before.iter().chain(after.iter()).map(|other| other.Z.data()).collect();
    let (n, d, mu_x, t) = (data.len(), data.features(), method.mu_x * terms.lambda1, 1.0 / method.mu_x);
    let (size, narrow) = (TASK_ROWS * n, TASK_ROWS * d.max(1));
    let matrices = Z.data_mut().par_chunks_mut(size).zip(J.data().par_chunks(size));
    let matrices = matrices.zip(M.data_mut().par_chunks_mut(size)).zip(N.data_mut().par_chunks_mut(size));
    let tasks = matrices.zip(K.data_mut().par_chunks_mut(narrow)).zip(data.rows.data().par_chunks(narrow));
    let chunks =
        tasks.enumerate().map_init(<(Vec<F>, Vec<F>)>::default, |(wide, thin), (task, (((((Z, J), M), N), K), X))| {
            run.check()?;
            wide.resize(Z.len(), F::default());
            thin.resize(X.len(), F::default());
            // R = mu_x X'(X - E - y_E) + mu_z (J - y_J + G - y_G) + beta sum_j Z_j
            for (r, (x, k)) in thin.iter_mut().zip(X.iter().zip(K.iter())) {
                let k = k.to_f64();
                *r = F::from_f64(mu_x * (x.to_f64() - k + 2.0 * k.clamp(-t, t)));
            }
            F::product_transposed(wide, thin, data.rows.data(), d);
            for (r, ((j, m), n)) in wide.iter_mut().zip(J.iter().zip(M.iter()).zip(N.iter())) {
                *r += F::from_f64(method.mu_z * (2.0 * j.to_f64() - m.to_f64() + n.to_f64().abs()));
            }
            for other in &others {
                let other = &other[task * size..];
                wide.iter_mut().zip(other).for_each(|(r, z)| *r += F::from_f64(terms.beta * z.to_f64()));
            }
            F::product_transposed(Z, wide, inverse.data(), n);
            F::product_transposed(thin, Z, data.columns.data(), n);
            let mut sums = Sums::default();
            update_errors(K, X, thin, t, &mut sums);
            update_copies(Z, J, M, N, &mut sums);
            Ok(sums)
        });
    let add = |a: Sums, b: Sums| Sums {
        Z: a.Z + b.Z,
        E: a.E + b.E,
        E_gap: a.E_gap + b.E_gap,
        G_gap: a.G_gap + b.G_gap,
        E_change: a.E_change + b.E_change,
        G_change: a.G_change + b.G_change,
    };
    Ok(chunks.collect::<Result<Vec<Sums>>>()?.into_iter().fold(Sums::default(), add))
}

/// `K = X - XZ - y_E`, on some rows.
fn update_errors<F: Real>(K: &mut [F], X: &[F], XZ: &[F], t: f64, sums: &mut Sums) {
    for (k, (x, xz)) in K.iter_mut().zip(X.iter().zip(XZ)) {
        let old = k.to_f64();
        let new = x.to_f64() - xz.to_f64() + old.clamp(-t, t);
        *k = F::from_f64(new);
        let E = soft_threshold(new, t);
        sums.E += E.abs();
        sums.E_gap += (new.clamp(-t, t) - old.clamp(-t, t)).powi(2);
        sums.E_change += (E - soft_threshold(old, t)).powi(2);
    }
}

/// `N = Z + y_G` and `M = Z + y_J`, on some rows.
fn update_copies<F: Real>(Z: &[F], J: &[F], M: &mut [F], N: &mut [F], sums: &mut Sums) {
    for ((z, j), (m, n)) in Z.iter().zip(J).zip(M.iter_mut().zip(N)) {
        let (z, old) = (z.to_f64(), n.to_f64());
        let new = z + old.min(0.0);
        *n = F::from_f64(new);
        *m = F::from_f64(z + m.to_f64() - j.to_f64());
        sums.Z += z * z;
        sums.G_gap += (new.min(0.0) - old.min(0.0)).powi(2);
        sums.G_change += (new.max(0.0) - old.max(0.0)).powi(2);
    }
}

impl<'a, F: Real> State<'a, F> {
    fn new(data: &'a ViewData<F>, method: &Lrrgl, terms: Terms, views: usize, run: &Run) -> Result<Self> {
        let (n, d) = (data.len(), data.features());
        let zeros = || Dense::zeros(n, n);
        let (Z, J, M, N) = (zeros(), zeros(), zeros(), zeros());
        let mut system = Dense::<f64>::zeros(n, n);
        let rows = data.rows.cast::<f64>();
        let tasks = system.data_mut().par_chunks_mut(TASK_ROWS * n).zip(rows.data().par_chunks(TASK_ROWS * d.max(1)));
        tasks.for_each(|(system, part)| f64::product_transposed(system, part, rows.data(), d));
        system.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut().for_each(|x| *x *= method.mu_x * terms.lambda1);
            data.graph.weights().entries(i).for_each(|(j, w)| row[j] -= 2.0 * terms.lambda2 * w);
            let own = 2.0 * method.mu_z + terms.beta * (views - 1) as f64;
            row[i] += own + 2.0 * terms.lambda2 * data.graph.degrees()[i];
        });
        run.check()?;
        invert_positive(&mut system)?;
        run.check()?;
        let K = Dense::zeros(n, d);
        Ok(Self { data, Z, J, M, N, K, inverse: system.cast(), svt: SingularValueThreshold::default() })
    }

    /// The iteration of view `i` for the trace.
    fn trace_row(
        &self,
        all: &[Self],
        i: usize,
        iteration: usize,
        terms: Terms,
        sums: &Sums,
        thresholded: &Thresholded,
    ) -> TraceRow {
        let Z_size = sums.Z.sqrt().max(1.0);
        let J_gap = self.distance_of_copy();
        let residual = (J_gap.max(sums.G_gap).sqrt() / Z_size).max(self.data.relative(sums.E_gap));
        let change =
            (thresholded.squared_change.max(sums.G_change).sqrt() / Z_size).max(self.data.relative(sums.E_change));
        let others: Vec<&Dense<F>> = (0..all.len()).filter(|j| *j != i).map(|j| &all[j].Z).collect();
        let objective = thresholded.nuclear_norm + smooth_objective(self.data, &self.Z, &others, sums.E, terms);
        TraceRow { iteration, view: self.data.name.clone(), objective, residual, change }
    }

    /// `|Z - J|^2`.
    fn distance_of_copy(&self) -> f64 {
        let size = TASK_ROWS * self.Z.cols().max(1);
        let gap = |(z, j): (&F, &F)| (z.to_f64() - j.to_f64()).powi(2);
        let chunks = self.Z.data().par_chunks(size).zip(self.J.data().par_chunks(size));
        chunks.map(|(Z, J)| Z.iter().zip(J).map(gap).sum::<f64>()).collect::<Vec<f64>>().iter().sum()
    }
}
