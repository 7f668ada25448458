//! The printed updates: Algorithm 1 as it stands, errata and all. Each is marked with its number in docs/paper-notes.md.

use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::state::{Change, Others, State, Terms, indicator_power, over_residual};
use crate::Result;
use crate::matrix::{
    Dense, add_product, frobenius_distance, gram, multiply_small, soft_threshold, symmetric_eigen, update_entries,
};
use crate::spectral::KMeans;
use crate::views::two_sided::sum_of_samples;

/// "initialize E_i[0] with sparse noise as 20% entries corrupted with uniformly distributed noise over [-5,5]".
const NOISE_SHARE: f64 = 0.2;
const NOISE_AMPLITUDE: f64 = 5.0;

/// k-means starts inside the iteration: the points are nearly k distinct ones, so few are enough.
const RESTARTS: usize = 4;

/// A row's divisor this near zero would make the row infinite.
const MIN_DIVISOR: f64 = 1e-9;

/// `E[0]`, n x d_i.
pub(super) fn noise(E: &mut Dense<f64>, seed: u64, view: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(view as u64 + 1);
    let entries = E.data().len();
    let mut positions = sample(&mut rng, entries, (NOISE_SHARE * entries as f64).round() as usize).into_vec();
    positions.sort_unstable();
    let data = E.data_mut();
    positions.into_iter().for_each(|at| data[at] = NOISE_AMPLITUDE * rng.random_range(-1.0..=1.0));
}

/// One pass over the variables of a view in the printed order. N4: `D` stays what it was at the start.
pub(super) fn sweep(state: &mut State<'_>, others: &Others, terms: &Terms, robust: bool, seed: u64) -> Result<Change> {
    let rows = update_rows(state, others, terms)?;
    let U = exclusive(&rows, seed)?;
    // N12: what follows is printed with U[k], E[k] and G[k], the values from before this pass
    let E_change = update_E_and_K1(state, terms.lambda1, robust);
    let G_before = update_G_and_K(state);
    let U_before = std::mem::replace(&mut state.U, U);
    Ok(Change {
        residual: residual(state),
        U: frobenius_distance(&state.U, &U_before),
        G: frobenius_distance(&state.G, &G_before),
        E: E_change,
    })
}

/// Eq. `uil`, all rows at once: they are independent of each other as printed, and share the eigenvectors of `D'D`.
///
/// `U(l,:) = (T(l,:) + beta sum_j U_j(l,:)) ((1 + mu + s_l) I + D'D)^-1`, with
/// `T = X K3 + mu (G - E D) - K2 - K1 D` and `s_l = sum_k (2 lambda2 L(k,l) - mu (X X')(k,l))`.
///
/// N1: `- mu X X'` holds only after putting `X U` for `D`. N2: the rows of `L` sum to zero, so lambda2 drops out.
/// N3: the sign of `K1 D` is flipped; `beta (|V| - 1)` and the mu of `D'D` are missing.
pub(super) fn update_rows(state: &State<'_>, others: &Others, terms: &Terms) -> Result<Dense<f64>> {
    let State { X, D, E, G, K1, K2, K3, mu, graph, .. } = state;
    let mut T = others.sum.clone();
    update_entries(&mut T, K2, |sum, K2, _| terms.beta * sum - K2);
    update_entries(&mut T, G, |T, G, _| T + mu * G);
    X.add_times(&mut T, K3, 1.0);
    add_product(T.as_mat_mut(), E.as_mat(), D.as_mat(), -mu);
    add_product(T.as_mat_mut(), K1.as_mat(), D.as_mat(), -1.0);

    let eigen = symmetric_eigen(gram(D.as_mat(), D.as_mat()).as_ref())?;
    let mut TQ = Dense::zeros(T.rows(), T.cols());
    multiply_small(TQ.as_mat_mut(), T.as_mat(), eigen.vectors.as_ref());
    // sum_k (X X')(k,l) is the product of sample l with the sum of all samples
    let mut overlaps = Dense::zeros(X.count(), 1);
    X.add_times(&mut overlaps, &sum_of_samples(X), 1.0);
    let width = TQ.cols().max(1);
    for (l, row) in TQ.data_mut().chunks_exact_mut(width).enumerate() {
        let column_of_L = graph.degrees()[l] - graph.weights().row(l).1.iter().sum::<f64>();
        let s = 2.0 * terms.lambda2 * column_of_L - mu * overlaps.get(l, 0);
        row.iter_mut().zip(&eigen.values).for_each(|(x, w)| *x /= away_from_zero(1.0 + mu + s + w));
    }
    multiply_small(T.as_mat_mut(), TQ.as_mat(), eigen.vectors.as_ref().transpose());
    Ok(T)
}

fn away_from_zero(divisor: f64) -> f64 {
    if divisor.abs() < MIN_DIVISOR { MIN_DIVISOR.copysign(divisor) } else { divisor }
}

/// The remark after Eq. `uil`: "perform a K-means clustering over it to assign each data object to one cluster
/// exclusively. Then normalized each column".
fn exclusive(U: &Dense<f64>, seed: u64) -> Result<Dense<f64>> {
    let k = U.cols();
    let kmeans = KMeans { restarts: RESTARTS, seed, ..KMeans::new(k) };
    Ok(indicator_power(&kmeans.fit(U)?.labels, k, 0.5))
}

/// `E[k+1] = soft(X - U[k] D' + K1[k] / mu, lambda1 / mu)` and `K1[k+1] = K1[k] + mu (X - U[k] D' - E[k])`.
/// Gives the norm of the change of `E`.
fn update_E_and_K1(state: &mut State<'_>, lambda1: f64, robust: bool) -> f64 {
    let State { X, U, D, E, K1, mu, .. } = state;
    let (mu, t) = (*mu, lambda1 / *mu);
    let squared_change = over_residual(X, (U, D), E, K1, |r, e, k| {
        let new = if robust { soft_threshold(r + *k / mu, t) } else { 0.0 };
        *k += mu * (r - *e);
        let step = new - *e;
        *e = new;
        step * step
    });
    squared_change.sqrt()
}

/// N5: `G[k+1] = U[k] + K2[k] / mu`, without `G >= 0`; `K2[k+1]` with `G[k]`; `K3[k+1]`, which starts from an unnamed
/// value (N4; ours is 0). Gives `G[k]`.
fn update_G_and_K(state: &mut State<'_>) -> Dense<f64> {
    let State { X, U, D, G, K2, K3, mu, .. } = state;
    let mu = *mu;
    let mut G_new = U.clone();
    update_entries(&mut G_new, K2, |U, K2, _| U + K2 / mu);
    update_entries(K2, U, |K2, U, _| K2 + mu * U);
    update_entries(K2, G, |K2, G, _| K2 - mu * G);
    update_entries(K3, D, |K3, D, _| K3 + mu * D);
    update_entries(K3, &X.transposed_times(U), |K3, XU, _| K3 - mu * XU);
    std::mem::replace(G, G_new)
}

/// `|X - U D' - E|` after the pass.
fn residual(state: &mut State<'_>) -> f64 {
    let State { X, U, D, E, K1, .. } = state;
    over_residual(X, (U, D), E, K1, |r, e, _| (r - *e) * (r - *e)).sqrt()
}
