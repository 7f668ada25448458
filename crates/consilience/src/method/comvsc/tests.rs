use proptest::prelude::*;

use super::*;
use crate::graph::Graph;
use crate::method::common::test_support::{GraphGolden, graph, graph_with_ring, matrix, projector_distance};

fn solver(scheme: ComvscScheme, lambda: f64, clusters: usize) -> BlockAscent {
    BlockAscent { scheme, lambda, max_iterations: 30, tolerance: 1e-6, clusters, seed: 0 }
}

fn solve(solver: &BlockAscent, graphs: &[Graph], run: &Run) -> Solution {
    let named = graphs.iter().enumerate().map(|(v, graph)| (v.to_string(), graph.normalised()));
    solver.solve(named.collect(), run).unwrap()
}

/// The objective after every iteration.
fn objectives(solution: &Solution) -> Vec<f64> {
    let last = solution.trace.last().map_or(0, |row| row.iteration);
    let of = |iteration| solution.trace.iter().filter(|row| row.iteration == iteration).map(|row| row.objective).sum();
    (1..=last).map(of).collect()
}

#[test]
fn subspaces_of_both_schemes_equal_numpys() {
    let golden = GraphGolden::read();
    let iterations = golden.number("iterations") as usize;
    for (scheme, name) in [(ComvscScheme::Pairwise, "pairwise"), (ComvscScheme::Centroid, "centroid")] {
        let solver = solver(scheme, golden.number("lambda"), golden.number("clusters") as usize);
        let solver = BlockAscent { max_iterations: iterations, tolerance: 0.0, ..solver };
        let solution = solve(&solver, &golden.graphs, &Run::default());
        for (v, view) in solution.views.iter().enumerate() {
            let gap = projector_distance(view.U(), &matrix(&golden.values[name][v]));
            assert!(gap < 1e-6, "{name}, view {v}: {gap:.1e}");
        }
        if scheme == ComvscScheme::Centroid {
            let U: Vec<_> = solution.views.iter().map(ViewSpectrum::U).collect();
            let centre = shared_directions(&mean_projector(&U), solver.clusters).unwrap().vectors;
            let gap = projector_distance(&centre, &matrix(&golden.values["centre"]));
            assert!(gap < 1e-6, "U*: {gap:.1e}");
        }
    }
}

fn edges(n: usize, count: usize) -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
    prop::collection::vec((0..n, 0..n, 0.01..2.0), count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn the_objective_never_falls_on_random_graphs(
        // the operator is written out for few samples and iterated for many
        (n, first, second, third) in prop_oneof![Just(20_usize), Just(210)]
            .prop_flat_map(|n| (Just(n), edges(n, 3 * n), edges(n, 3 * n), edges(n, 3 * n))),
        lambda in 0.0..2.0_f64,
        centroid in any::<bool>(),
    ) {
        let scheme = if centroid { ComvscScheme::Centroid } else { ComvscScheme::Pairwise };
        let solver = BlockAscent { tolerance: 0.0, max_iterations: 12, ..solver(scheme, lambda, 3) };
        let graphs = [graph_with_ring(&first, n), graph_with_ring(&second, n), graph_with_ring(&third, n)];
        let solution = solve(&solver, &graphs, &Run::default());
        let objectives = objectives(&solution);
        prop_assert!(objectives.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs().max(1.0)), "{objectives:?}");
        // the objective of the trace is that of the definition
        let by_definition: f64 = solution.views.iter().zip(&graphs).map(|(view, graph)| {
            let mut image = Dense::zeros(n, 3);
            graph.normalised().apply(view.U(), &mut image);
            view.U().data().iter().zip(image.data()).map(|(u, image)| u * image).sum::<f64>()
        }).sum();
        let U: Vec<_> = solution.views.iter().map(ViewSpectrum::U).collect();
        let agreement: f64 = match scheme {
            ComvscScheme::Centroid => shared_directions(&mean_projector(&U), 3).unwrap().values.iter().sum::<f64>() * 3.0,
            ComvscScheme::Pairwise => [(0, 1), (0, 2), (1, 2)].map(|(v, w)| overlap(U[v], U[w])).iter().sum(),
        };
        let last = *objectives.last().unwrap();
        prop_assert!((last - by_definition - lambda * agreement).abs() < 1e-9 * last.abs().max(1.0));
    }
}

#[test]
fn without_agreement_every_view_keeps_its_own_eigenvectors() {
    let golden = GraphGolden::read();
    for scheme in [ComvscScheme::Pairwise, ComvscScheme::Centroid] {
        let solver = solver(scheme, 0.0, 3);
        let solution = solve(&solver, &golden.graphs, &Run::default());
        assert_eq!(solution.termination, Termination::Converged { iterations: 1 });
        for (view, graph) in solution.views.iter().zip(&golden.graphs) {
            let own = solver.request().solve(graph.normalised().as_ref(), None, &Run::default()).unwrap();
            assert!(projector_distance(view.U(), &own.vectors) < 1e-6);
        }
    }
}

#[test]
fn a_warm_start_changes_nothing_but_the_number_of_products() {
    let golden = GraphGolden::read();
    let solver = solver(ComvscScheme::Pairwise, 0.3, 3);
    let solution = solve(&solver, &golden.graphs, &Run::default());
    let view = &solution.views[0];
    let operator = view.operator(&solver.drawn_to(0, &solution.views, None), solver.lambda);
    let solve = |start| solver.request().solve(&operator, start, &Run::default()).unwrap();
    let (cold, warm) = (solve(None), solve(Some(view.U())));
    assert!(cold.converged && warm.converged && projector_distance(&cold.vectors, &warm.vectors) < 1e-6);
    assert!(warm.products < cold.products, "{} against {}", warm.products, cold.products);
}

#[test]
fn agreement_draws_the_views_together() {
    let golden = GraphGolden::read();
    let apart = |lambda| {
        let solution = solve(&solver(ComvscScheme::Pairwise, lambda, 3), &golden.graphs, &Run::default());
        projector_distance(solution.views[0].U(), solution.views[1].U())
    };
    let (free, drawn, tied) = (apart(0.0), apart(0.1), apart(10.0));
    assert!(free > drawn && drawn > tied && tied < 0.2, "{free} {drawn} {tied}");
}

/// Two disjoint edges, in the other view with other weights: both views have the same subspace.
#[test]
fn two_pairs_by_hand() {
    let graphs = [graph(&[(0, 1, 1.0), (2, 3, 1.0)], 4), graph(&[(0, 1, 1.0), (2, 3, 2.0)], 4)];
    let solution = solve(&solver(ComvscScheme::Pairwise, 0.05, 2), &graphs, &Run::default());
    // both subspaces are spanned by the indicators of {0, 1} and {2, 3}: 2 + 2 + 0.05 * 2
    assert!((objectives(&solution).last().unwrap() - 4.1).abs() < 1e-12);
    assert!(projector_distance(solution.views[0].U(), solution.views[1].U()) < 1e-12);
}

#[test]
fn a_run_that_is_cut_short_is_reported() {
    let golden = GraphGolden::read();
    let run = Run::default();
    let cut = BlockAscent { max_iterations: 1, ..solver(ComvscScheme::Pairwise, 0.5, 3) };
    assert!(!solve(&cut, &golden.graphs, &run).termination.is_converged());
    assert!(run.finish().1[0].to_string().starts_with("co-regularisation has not converged"));
    let run = Run::default();
    assert!(solve(&solver(ComvscScheme::Pairwise, 0.05, 3), &golden.graphs, &run).termination.is_converged());
    assert_eq!(run.finish().1, Vec::new());
}
