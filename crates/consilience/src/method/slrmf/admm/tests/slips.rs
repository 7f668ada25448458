//! The slips of the printed updates, each shown by a number.

use super::*;
use crate::data::Blobs;
use crate::matrix::frobenius_distance;
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
fn n4_d_never_moves_as_printed() {
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

/// N11: G, K1, K2 and K3 start at zero and D'D is no larger than 1, so nothing in Eq. `uil` but the other views is of any
/// size: after the first pass the first view has forgotten itself.
#[test]
fn n11_the_first_pass_copies_the_other_view() {
    let (good, truth) =
        Blobs { samples: 120, clusters: 3, features: vec![8], separation: 40.0, seed: 2 }.generate().unwrap();
    let (other, _) =
        Blobs { samples: 120, clusters: 3, features: vec![8], separation: 40.0, seed: 9 }.generate().unwrap();
    let named = |views: &Views, name: &str| View { name: name.to_owned(), ..views.iter().next().unwrap().clone() };
    // two views with unrelated clusters: the last one wins, whichever it is
    for (order, last_is_good) in
        [([(&other, "other"), (&good, "good")], true), ([(&good, "good"), (&other, "other")], false)]
    {
        let views = Views::new(order.map(|(views, name)| named(views, name)).to_vec()).unwrap();
        let admm = Admm { max_iterations: 1, ..Admm::new(Variant::Printed) };
        let result = clusters::solve(&admm, &views, 3);
        for U in &result.U {
            let acc = score(&account::labels_of(U), &truth).unwrap().acc;
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
    let count = |variant| Admm::new(variant).others(&states, 0, &[true, false]).count;
    assert_eq!((count(Variant::Printed), count(Variant::Derived)), (0, 1));
}
