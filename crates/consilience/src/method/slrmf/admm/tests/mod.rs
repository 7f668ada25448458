//! The updates against the Lagrangian, the slips of the printed ones, golden values, and small data sets.

// clippy.toml allows it in tests, but does not count their helpers
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod clusters;
mod golden;
mod slips;
mod stationary;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::pass::Others;
use super::state::{State, Terms};
use super::*;
use crate::matrix::{Csr, column_sums, frobenius, from_mat, gram, update_entries};
use crate::operator::LinOp;
use crate::views::samples::Samples;

const EXACT: ConjugateGradient = ConjugateGradient { tolerance: 1e-14, max_iterations: 500 };
const TERMS: Terms = Terms { lambda1: 0.3, lambda2: 0.7, beta: 0.2 };
const SAMPLES: usize = 12;
const CLUSTERS: usize = 3;

fn random(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Dense<f64> {
    Dense::from_fn(rows, cols, |_, _| rng.random_range(-1.0..1.0))
}

fn random_graph(rng: &mut ChaCha8Rng) -> Graph {
    let mut entries = Vec::new();
    for i in 0..SAMPLES {
        for j in (0..i).filter(|j| (i + j) % 3 != 0) {
            let w = rng.random_range(0.0..1.0);
            entries.extend([(i, j as u32, w), (j, i as u32, w)]);
        }
    }
    Graph::new(Csr::from_entries(SAMPLES, SAMPLES, entries).unwrap())
}

/// A view with random variables and multipliers.
fn random_state<'a>(features: usize, graph: &'a Graph, rng: &mut ChaCha8Rng) -> State<'a> {
    let X = Samples::unscaled(&random(SAMPLES, features, rng).into());
    let (n, d, k) = (SAMPLES, features, CLUSTERS);
    State {
        X,
        graph,
        U: random(n, k, rng),
        D: random(d, k, rng),
        E: random(n, d, rng),
        G: random(n, k, rng),
        K1: random(n, d, rng),
        K2: random(n, k, rng),
        K3: random(d, k, rng),
        mu: 0.9,
    }
}

/// The views of the small random problem: d_i = 5 and 7, and what view 1 and 2 learn from.
fn with_problem(check: impl Fn(State<'_>, &Others)) {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let graphs = [random_graph(&mut rng), random_graph(&mut rng)];
    let first = random_state(5, &graphs[0], &mut rng);
    let second = random_state(7, &graphs[1], &mut rng);
    let others = [&second, &first].map(|other| Others { sum: other.U.clone(), count: 1 });
    check(first, &others[0]);
    check(second, &others[1]);
}

fn inner(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
    column_sums(a, b, |x, y| x * y).iter().sum()
}

fn minus(a: &Dense<f64>, b: &Dense<f64>) -> Dense<f64> {
    let mut out = a.clone();
    update_entries(&mut out, b, |x, y, _| x - y);
    out
}

/// Eq. `argumented` without `lambda1 |E|_1`, written out term by term.
fn smooth_lagrangian(state: &State<'_>, others: &Others, terms: &Terms) -> f64 {
    let State { X, graph, U, D, E, G, K1, K2, K3, mu } = state;
    let Samples::Dense(X) = X else { panic!("dense in these tests") };
    let mut LU = Dense::zeros(U.rows(), U.cols());
    graph.laplacian().apply(U, &mut LU);
    let product = from_mat(&(U.as_mat() * D.as_mat().transpose()));
    let first = minus(&minus(X, &product), E);
    let second = minus(U, G);
    let third = minus(D, &from_mat(&gram(X.as_mat(), U.as_mat())));
    let apart = minus(U, &others.sum);
    0.5 * inner(U, U)
        + terms.lambda2 * inner(U, &LU)
        + 0.5 * terms.beta * inner(&apart, &apart)
        + inner(K1, &first)
        + inner(K2, &second)
        + inner(K3, &third)
        + 0.5 * mu * (inner(&first, &first) + inner(&second, &second) + inner(&third, &third))
}

/// Central differences in one variable. The smooth Lagrangian is quadratic in each, so the step may be large.
fn gradient(
    state: &mut State<'_>,
    others: &Others,
    terms: &Terms,
    variable: impl for<'a, 'b> Fn(&'a mut State<'b>) -> &'a mut Dense<f64>,
) -> Dense<f64> {
    let step = 0.1;
    let (rows, cols) = (variable(state).rows(), variable(state).cols());
    Dense::from_fn(rows, cols, |i, j| {
        let at = i * cols + j;
        let mut value = |shift: f64| {
            variable(state).data_mut()[at] += shift;
            smooth_lagrangian(state, others, terms)
        };
        let (up, down) = (value(step), value(-2.0 * step));
        variable(state).data_mut()[at] += step;
        (up - down) / (2.0 * step)
    })
}
