//! The derived updates: stationary points of the augmented Lagrangian, and golden values. `errata.rs` shows the errata of
//! the printed ones by numbers, `runs.rs` runs small data sets.

// clippy.toml allows it in tests, but does not count their helpers
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod errata;
mod runs;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::View;
use crate::matrix::{Csr, column_sums, frobenius_distance, from_mat, gram};
use crate::method::common::test_support::{golden, matrix};
use crate::operator::{ConjugateGradient, LinOp};
use crate::views::two_sided::TwoSided;

const EXACT: ConjugateGradient = ConjugateGradient { tolerance: 1e-14, max_iterations: 500 };
const TERMS: Terms = Terms { lambda1: 0.3, lambda2: 0.7, beta: 0.2 };
const SAMPLES: usize = 12;
const CLUSTERS: usize = 3;
/// A gradient of this size is zero.
const ZERO: f64 = 1e-11;
const BOTH: [AdmmUpdates; 2] = [AdmmUpdates::Printed, AdmmUpdates::Derived];

fn with_updates(updates: AdmmUpdates) -> SlrmfAdmm {
    SlrmfAdmm { updates, ..SlrmfAdmm::default() }
}

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
    let X = TwoSided::unscaled(&random(SAMPLES, features, rng).into());
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

/// The views of the small random problem: d_i = 5 and 7, and what view 1 and 2 agree with.
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
    let TwoSided::Dense(X) = X else { panic!("dense in these tests") };
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

#[test]
fn the_gradient_in_U_vanishes_after_its_update() {
    with_problem(|mut state, others| {
        let (U, info) = derived::solve_U(&state, others, &TERMS, &EXACT, &Run::default()).unwrap();
        assert!(info.converged && frobenius(&gradient(&mut state, others, &TERMS, |s| &mut s.U)) > 1.0);
        state.U = U;
        let left = frobenius(&gradient(&mut state, others, &TERMS, |s| &mut s.U));
        assert!(left < ZERO, "{left}");
    });
}

#[test]
fn the_gradient_in_D_vanishes_after_its_update() {
    with_problem(|mut state, others| {
        state.D = derived::solve_D(&state).unwrap();
        let left = frobenius(&gradient(&mut state, others, &TERMS, |s| &mut s.D));
        assert!(left < ZERO, "{left}");
    });
}

#[test]
fn E_fulfils_the_optimality_condition_of_the_soft_threshold() {
    with_problem(|mut state, others| {
        let before = state.E.clone();
        let change = derived::solve_E(&mut state, TERMS.lambda1);
        assert!((change - frobenius_distance(&before, &state.E)).abs() < 1e-12);
        let slope = gradient(&mut state, others, &TERMS, |s| &mut s.E);
        let zeros = state.E.data().iter().filter(|e| **e == 0.0).count();
        assert!(zeros > 0 && zeros < state.E.data().len(), "both cases must occur");
        for (e, slope) in state.E.data().iter().zip(slope.data()) {
            if *e == 0.0 {
                assert!(slope.abs() <= TERMS.lambda1 + ZERO);
            } else {
                assert!((slope + TERMS.lambda1 * e.signum()).abs() < ZERO);
            }
        }
    });
}

#[test]
fn G_fulfils_its_kkt_conditions() {
    with_problem(|mut state, others| {
        state.G = derived::solve_G(&state);
        let slope = gradient(&mut state, others, &TERMS, |s| &mut s.G);
        assert!(state.G.data().contains(&0.0), "the constraint must bind somewhere");
        for (g, slope) in state.G.data().iter().zip(slope.data()) {
            assert!(*g >= 0.0 && *slope > -ZERO && (g * slope).abs() < ZERO, "{g} {slope}");
        }
    });
}

#[test]
fn multipliers_change_by_mu_times_the_residuals() {
    with_problem(|mut state, others| {
        let before = (state.K1.clone(), state.K2.clone(), state.K3.clone());
        let residual = derived::update_multipliers(&mut state);
        assert!((frobenius_distance(&state.K1, &before.0) - state.mu * residual).abs() < 1e-12);
        let gap = minus(&state.U, &state.G);
        assert!((frobenius_distance(&state.K2, &before.1) - state.mu * frobenius(&gap)).abs() < 1e-12);
        // the Lagrangian's gradient in a multiplier is the residual itself
        let residual = gradient(&mut state, others, &TERMS, |s| &mut s.K3);
        let change = minus(&state.K3, &before.2);
        assert!((inner(&change, &residual) - state.mu * inner(&residual, &residual)).abs() < 1e-10);
    });
}

/// Numbering the clusters of a view anew changes nothing but its distance to the other views.
#[test]
fn reordering_leaves_all_but_the_agreement_term() {
    with_problem(|mut state, others| {
        let alone = Terms { beta: 0.0, ..TERMS };
        let before = smooth_lagrangian(&state, others, &alone);
        state.reorder(&[2, 0, 1]);
        assert!((smooth_lagrangian(&state, others, &alone) - before).abs() < 1e-10);
        let order = derived::best_order(&state.U, &others.sum);
        let unaligned = smooth_lagrangian(&state, others, &TERMS);
        state.reorder(&order);
        assert!(smooth_lagrangian(&state, others, &TERMS) <= unaligned + 1e-10);
    });
}

/// Made by scripts/make_admm_golden.py.
#[test]
fn one_sweep_equals_numpys() {
    let golden = golden(include_str!("../../../../tests/golden/admm.json"));
    let before = |name: &str| matrix(&golden["before"][name]);
    let weight = |name: &str| golden["weights"][name].as_f64().unwrap();
    let graph = Graph::new(Csr::from_dense(&before("W")).unwrap());
    let mut state = State {
        X: TwoSided::unscaled(&before("X").into()),
        graph: &graph,
        U: before("U"),
        D: before("D"),
        E: before("E"),
        G: before("G"),
        K1: before("K1"),
        K2: before("K2"),
        K3: before("K3"),
        mu: weight("mu"),
    };
    let terms = Terms { lambda1: weight("lambda1"), lambda2: weight("lambda2"), beta: weight("beta") };
    let others = Others { sum: before("other"), count: 1 };
    let change = derived::sweep(&mut state, &others, &terms, true, &EXACT, &Run::default()).unwrap();
    let State { U, D, E, G, K1, K2, K3, .. } = &state;
    for (name, ours) in [("U", U), ("D", D), ("E", E), ("G", G), ("K1", K1), ("K2", K2), ("K3", K3)] {
        let theirs = matrix(&golden["after"][name]);
        let gap = ours.data().iter().zip(theirs.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-9 && ours.rows() == theirs.rows(), "{name}: {gap}");
    }
    assert!((change.residual - golden["residual"].as_f64().unwrap()).abs() < 1e-9);
}
