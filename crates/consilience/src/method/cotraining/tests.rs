use proptest::prelude::*;

use super::*;
use crate::method::common::test_support::{GraphGolden, graph, graph_with_ring, matrix, projector_distance};

const SEED: u64 = 0;

/// U_v (n x m) of every graph after `iterations`.
fn train(graphs: &[Graph], clusters: usize, iterations: usize, projection: f64) -> (Vec<Dense<f64>>, Vec<TraceRow>) {
    let views: Vec<_> =
        (0..graphs.len()).map(|v| crate::View::new(v.to_string(), Dense::<f64>::zeros(graphs[v].len(), 1))).collect();
    let views = crate::Views::new(views).unwrap();
    let run = Run::default();
    let problem = Problem { seed: SEED, ..Problem::new(&views, clusters, &run) };
    let names: Vec<_> = views.iter().map(|view| view.name.as_str()).collect();
    let method = Cotraining { iterations, projection, ..Cotraining::default() };
    method.train(graphs, &names, &problem).unwrap()
}

#[test]
fn subspaces_after_one_two_and_ten_iterations_equal_numpys() {
    let golden = GraphGolden::read();
    for iterations in [1, 2, 10] {
        let (U, trace) = train(&golden.graphs, golden.number("clusters") as usize, iterations, 1.0);
        assert_eq!(trace.len(), 2 * iterations);
        for (v, U) in U.iter().enumerate() {
            let gap = projector_distance(U, &matrix(&golden.values["cotraining"][iterations.to_string()][v]));
            assert!(gap < 1e-6, "iteration {iterations}, view {v}: {gap:.1e}");
        }
    }
}

/// The top `m` eigenvectors of |D|^-1/2 sym(K B B') |D|^-1/2, with every n x n matrix written out; and the gap after them.
fn dense_route(K: &Graph, B: &Dense<f64>, m: usize) -> (Dense<f64>, f64) {
    let n = B.rows();
    let K = Mat::from_fn(n, n, |i, j| {
        let (columns, values) = K.weights().row(i);
        columns.iter().zip(values).filter(|(column, _)| **column as usize == j).map(|(_, value)| value).sum::<f64>()
    });
    let projected = &K * (B.as_mat() * B.as_mat().transpose());
    let S = 0.5 * (&projected + projected.transpose());
    let degree = |i: usize| (0..n).map(|j| S[(i, j)]).sum::<f64>().abs();
    let normalised = Mat::from_fn(n, n, |i, j| S[(i, j)] / (degree(i) * degree(j)).sqrt());
    let eigen = symmetric_eigen(normalised.as_ref()).unwrap();
    let gap = (eigen.values[m - 1] - eigen.values[m]) / eigen.values[0];
    (Dense::from_fn(n, m, |i, j| eigen.vectors[(i, j)]), gap)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn low_rank_route_equals_the_dense_one(
        edges in prop::collection::vec(prop::collection::vec((0..30_usize, 0..30_usize, 0.01..2.0), 60..90), 2..4),
        projection in prop_oneof![Just(1.0), Just(1.5)],
    ) {
        let graphs: Vec<_> = edges.iter().map(|edges| graph_with_ring(edges, 30)).collect();
        let m = Cotraining { projection, ..Cotraining::default() }.columns(3, 30);
        let mut U: Vec<_> = graphs.iter().map(|graph| own_eigenvectors(graph, m, SEED, &Run::default()).unwrap()).collect();
        for _ in 0..4 {
            let others = |v: usize| hstack(&(0..U.len()).filter(|&w| w != v).map(|w| &U[w]).collect::<Vec<_>>());
            let mut new = Vec::new();
            for (v, graph) in graphs.iter().enumerate() {
                let (dense, gap) = dense_route(graph, &others(v), m);
                let (vectors, _) = projected_eigenvectors(graph.weights(), &others(v), m).unwrap().unwrap();
                // eigenvectors of equal eigenvalues are not unique
                prop_assert!(gap < 1e-6 || projector_distance(&vectors, &dense) < 1e-12 / gap, "{}", projector_distance(&vectors, &dense));
                new.push(vectors);
            }
            U = new;
        }
    }
}

#[test]
fn no_iteration_leaves_every_view_its_own_eigenvectors() {
    let golden = GraphGolden::read();
    let (U, trace) = train(&golden.graphs, 3, 0, 1.0);
    assert!(trace.is_empty());
    for (U, graph) in U.iter().zip(&golden.graphs) {
        let own = TopEigen::new(3).solve(graph.normalised().as_ref(), None, &Run::default()).unwrap();
        assert!(projector_distance(U, &own.vectors) < 1e-6);
    }
}

/// Two views with the same two components: the projection on the other's eigenvectors leaves them where they are.
#[test]
fn equal_views_keep_their_components() {
    let same = graph(&[(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0), (2, 4, 1.0)], 5);
    let (U, trace) = train(&[same.clone(), same], 2, 3, 1.0);
    let components =
        Dense::from_fn(5, 2, |i, j| if (i < 2) == (j == 0) { [1.0 / 2.0_f64, 1.0 / 3.0][j].sqrt() } else { 0.0 });
    assert!(U.iter().all(|U| projector_distance(U, &components) < 1e-12));
    assert!(trace.iter().all(|row| row.change < 1e-7));
}

#[test]
fn similarities_without_information_leave_a_view_unchanged() {
    // no edge at all: K B = 0, no row sum, no eigenvalue
    let empty = graph(&[], 4);
    assert!(projected_eigenvectors(empty.weights(), &Dense::from_fn(4, 1, |_, _| 0.5), 1).unwrap().is_none());
    let (U, _) = train(&[empty.clone(), empty], 2, 3, 1.0);
    assert!(U.iter().all(|U| U.cols() == 2 && U.data().iter().all(|x| x.is_finite())));
}

#[test]
fn more_eigenvectors_than_samples_are_not_asked_for() {
    let (U, _) = train(&[graph_with_ring(&[], 6), graph_with_ring(&[(0, 3, 1.0)], 6)], 4, 2, 10.0);
    assert!(U.iter().all(|U| U.cols() <= 6 && U.data().iter().all(|x| x.is_finite())));
}
