//! The errata of the printed updates, each shown by a number.

use super::*;
use crate::datasets::Blobs;
use crate::metrics::{Contingency, nmi, score};

#[test]
fn n1_n3_the_printed_rows_are_not_stationary() {
    with_problem(|mut state, others| {
        state.U = printed::update_rows(&state, others, &TERMS).unwrap();
        assert!(frobenius(&gradient(&mut state, others, &TERMS, |s| &mut s.U)) > 1.0);
    });
}

#[test]
fn n2_lambda2_has_no_effect_as_printed() {
    with_problem(|state, others| {
        let strong = Terms { lambda2: 70.0, ..TERMS };
        let rows = |terms| printed::update_rows(&state, others, terms).unwrap();
        assert_eq!(rows(&TERMS).data(), rows(&strong).data());
        let right = |terms| derived::solve_U(&state, others, terms, &EXACT, &Run::default()).unwrap().0;
        assert!(frobenius_distance(&right(&TERMS), &right(&strong)) > 0.1);
    });
}

#[test]
fn n4_d_never_changes_as_printed() {
    with_problem(|mut state, others| {
        let D = state.D.clone();
        printed::sweep(&mut state, others, &TERMS, true, 0).unwrap();
        assert_eq!(state.D.data(), D.data());
    });
}

#[test]
fn n5_g_has_negative_entries_as_printed() {
    with_problem(|mut state, others| {
        printed::sweep(&mut state, others, &TERMS, true, 0).unwrap();
        assert!(state.G.data().iter().any(|g| *g < 0.0));
        assert!(derived::solve_G(&state).data().iter().all(|g| *g >= 0.0));
    });
}

/// Eq. `NMI` as printed, n missing in the logarithm.
fn printed_nmi(table: &Contingency) -> f64 {
    let n = table.samples() as f64;
    let shared = |cell: &crate::metrics::Cell| {
        let outer = (table.row_sums()[cell.row] * table.column_sums()[cell.column]) as f64;
        cell.count as f64 * (cell.count as f64 / outer).ln()
    };
    let entropy = |sizes: &[u64]| sizes.iter().map(|&m| m as f64 * (m as f64 / n).ln()).sum::<f64>();
    let top: f64 = table.cells().iter().map(shared).sum();
    top / (entropy(table.row_sums()) * entropy(table.column_sums())).sqrt()
}

#[test]
fn n8_the_printed_nmi_is_negative() {
    let truth = [0, 0, 0, 1, 1, 1, 2, 2, 2];
    for (predicted, right) in [(truth, 1.0), ([0, 0, 1, 1, 1, 2, 2, 2, 0], f64::NAN)] {
        let table = Contingency::new(&predicted, &truth).unwrap();
        assert!(printed_nmi(&table) < 0.0, "{}", printed_nmi(&table));
        assert!((0.0..=1.0).contains(&nmi(&table)) && (right.is_nan() || (nmi(&table) - right).abs() < 1e-12));
    }
}

/// N11: G, K1, K2 and K3 start at zero and D'D is no larger than 1, so nothing in Eq. `uil` but the other views is
/// of any size: after the first pass the first view has forgotten itself.
#[test]
fn n11_the_first_pass_copies_the_other_view() {
    let (good, truth) =
        Blobs { samples: 120, clusters: 3, features: vec![8], separation: 40.0, seed: 2 }.generate().unwrap();
    let (other, _) =
        Blobs { samples: 120, clusters: 3, features: vec![8], separation: 40.0, seed: 9 }.generate().unwrap();
    let named = |views: &Views, name: &str| views.iter().next().unwrap().clone().renamed(name);
    // two views with unrelated clusters: the last one wins, whichever it is
    for (order, last_is_good) in
        [([(&other, "other"), (&good, "good")], true), ([(&good, "good"), (&other, "other")], false)]
    {
        let views = Views::new(order.map(|(views, name)| named(views, name)).to_vec()).unwrap();
        let method = SlrmfAdmm { max_iterations: 1, ..with_updates(AdmmUpdates::Printed) };
        let result = runs::solve(&method, &views, 3);
        for U in &result.U {
            let acc = score(&argmax_rows(U), &truth).unwrap()[crate::metrics::Metric::Acc];
            assert_eq!(acc == 1.0, last_is_good, "{acc}");
        }
    }
}

/// N13: as printed, a view that has converged is gone for the others.
#[test]
fn n13_converged_views_are_forgotten_as_printed() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let graph = random_graph(&mut rng);
    let states = [random_state(5, &graph, &mut rng), random_state(5, &graph, &mut rng)];
    let count = |updates| with_updates(updates).others(&states, 0, &[true, false]).count;
    assert_eq!(BOTH.map(count), [0, 1]);
}

/// N12: the printed indices take the multiplier's step with the old U and the old E.
#[test]
fn n12_multipliers_follow_the_values_before_the_pass_as_printed() {
    with_problem(|mut state, others| {
        let TwoSided::Dense(X) = &state.X else { panic!() };
        let product = from_mat(&(state.U.as_mat() * state.D.as_mat().transpose()));
        let mut expected = state.K1.clone();
        update_entries(&mut expected, &minus(&minus(X, &product), &state.E), |K1, gap, _| K1 + state.mu * gap);
        printed::sweep(&mut state, others, &TERMS, true, 0).unwrap();
        assert!(frobenius_distance(&state.K1, &expected) < 1e-12);
    });
}

/// N15: with D fixed and lambda1 / mu = 2000, nothing can take up the rest of X.
#[test]
fn n15_the_printed_iteration_cannot_converge() {
    let blobs = Blobs { samples: 90, clusters: 3, features: vec![6, 8], separation: 12.0, seed: 5 };
    let result = runs::solve(
        &SlrmfAdmm { max_iterations: 30, ..with_updates(AdmmUpdates::Printed) },
        &blobs.generate().unwrap().0,
        3,
    );
    assert_eq!(result.termination, Termination::IterationLimit { iterations: 30 });
    assert!(result.findings.trace.iter().all(|row| row.residual > 0.1));
    assert!(result.findings.corruption.iter().all(|found| found.share == 0.0));
}

/// N18: `|U U'|_* = |U|^2`, not half of it.
#[test]
fn n18_the_nuclear_norm_is_the_whole_square() {
    let U = random(SAMPLES, CLUSTERS, &mut ChaCha8Rng::seed_from_u64(4));
    let eigen = crate::matrix::symmetric_eigen((U.as_mat() * U.as_mat().transpose()).as_ref()).unwrap();
    let nuclear: f64 = eigen.values.iter().map(|x| x.abs()).sum();
    assert!((nuclear - frobenius(&U).powi(2)).abs() < 1e-10);
}

/// N19: Eq. `object` counts every pair of views twice, Eq. `argumented` once.
#[test]
fn n19_the_objective_pulls_twice_as_hard_as_the_lagrangian() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let U: Vec<_> = (0..3).map(|_| random(SAMPLES, CLUSTERS, &mut rng)).collect();
    let square = |a: &Dense<f64>, b: &Dense<f64>| frobenius_distance(a, b).powi(2);
    let of_view = |U: &[Dense<f64>], i: usize| (0..3).map(|j| 0.5 * square(&U[i], &U[j])).sum::<f64>();
    let shifted = |shift: f64| {
        let mut U = U.clone();
        U[0].data_mut()[5] += shift;
        U
    };
    let slope = |f: &dyn Fn(&[Dense<f64>]) -> f64| (f(&shifted(0.1)) - f(&shifted(-0.1))) / 0.2;
    let (whole, own) = (slope(&|U| (0..3).map(|i| of_view(U, i)).sum()), slope(&|U| of_view(U, 0)));
    assert!((whole - 2.0 * own).abs() < 1e-10 && own.abs() > 1e-3);
}
