//! Every update of `derived` is where the gradient of the augmented Lagrangian vanishes.

use super::*;
use crate::matrix::frobenius_distance;

const ZERO: f64 = 1e-11;

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
        let moved = derived::solve_E(&mut state, TERMS.lambda1);
        assert!((moved - frobenius_distance(&before, &state.E)).abs() < 1e-12);
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
fn multipliers_move_by_mu_times_the_residuals() {
    with_problem(|mut state, others| {
        let before = (state.K1.clone(), state.K2.clone(), state.K3.clone());
        let residual = derived::update_multipliers(&mut state);
        assert!((frobenius_distance(&state.K1, &before.0) - state.mu * residual).abs() < 1e-12);
        let gap = minus(&state.U, &state.G);
        assert!((frobenius_distance(&state.K2, &before.1) - state.mu * frobenius(&gap)).abs() < 1e-12);
        // the Lagrangian's gradient in a multiplier is the residual itself
        let residual = gradient(&mut state, others, &TERMS, |s| &mut s.K3);
        let moved = minus(&state.K3, &before.2);
        assert!((inner(&moved, &residual) - state.mu * inner(&residual, &residual)).abs() < 1e-10);
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
        let order = align::best_order(&state.U, &others.sum);
        let unaligned = smooth_lagrangian(&state, others, &TERMS);
        state.reorder(&order);
        assert!(smooth_lagrangian(&state, others, &TERMS) <= unaligned + 1e-10);
    });
}
