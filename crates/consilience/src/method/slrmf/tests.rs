// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

use std::sync::Arc;

use proptest::prelude::*;

use super::solver::{Factor, Solution, solve};
use super::*;
use crate::matrix::Csr;
use crate::method::common::subspace_distance;
use crate::method::common::test_support::{golden, graph_with_ring, matrix, numbers};
use crate::metrics::Metric;
use crate::{Run, metrics};

/// The objective after every iteration.
fn objectives(trace: &[crate::method::TraceRow]) -> Vec<f64> {
    let last = trace.last().map_or(0, |row| row.iteration);
    let of = |iteration| trace.iter().filter(|row| row.iteration == iteration).map(|row| row.objective).sum();
    (1..=last).map(of).collect()
}

fn factor(name: &str, weight: f64, graph: Arc<Csr<f64>>, rank: usize) -> Factor {
    let vectors = TopEigen::new(rank).solve(graph.as_ref(), None, &Run::default()).unwrap().vectors;
    Factor::new(name, weight, graph, vectors)
}

/// Two pairs of samples joined by an edge each, every vertex also to itself: N has the eigenvalues 1, 1, 0, 0.
fn two_pairs(first: (usize, usize), second: (usize, usize)) -> Arc<Csr<f64>> {
    let entries = [first, second].into_iter().flat_map(|(i, j)| [(i, j), (j, i), (i, i), (j, j)]);
    Arc::new(Csr::from_entries(4, 4, entries.map(|(i, j)| (i, j as u32, 0.5)).collect()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_objective_never_rises_on_random_graphs(
        first in prop::collection::vec((0..20_usize, 0..20_usize, 0.01..2.0), 20..60),
        second in prop::collection::vec((0..20_usize, 0..20_usize, 0.01..2.0), 20..60),
        weight in 0.0..1.0_f64,
        beta in 0.0..20.0_f64,
        rank in 1..7_usize,
    ) {
        let factors = vec![
            factor("a", weight, graph_with_ring(&first, 20).normalised(), rank),
            factor("b", 1.0 - weight, graph_with_ring(&second, 20).normalised(), rank),
        ];
        let solution = solve(factors, beta, 40, &Run::default()).unwrap();
        let objectives = objectives(&solution.trace);
        prop_assert!(objectives.windows(2).all(|w| w[1] <= w[0] + 1e-9 * w[0].abs().max(1.0)), "{objectives:?}");
        let bases = solution.factors.iter().map(Factor::U).chain([&solution.C]);
        for U in bases {
            let overlap = crate::matrix::gram(U.as_mat(), U.as_mat());
            prop_assert!((overlap - faer::Mat::<f64>::identity(rank, rank)).norm_max() < 1e-8, "orthonormal columns");
        }
    }
}

#[test]
fn one_view_is_its_own_consensus() {
    let graph = two_pairs((0, 1), (2, 3));
    let Solution { factors, C, trace, termination } =
        solve(vec![factor("a", 1.0, graph, 2)], 4.0, 15, &Run::default()).unwrap();
    assert_eq!(termination, crate::Termination::Converged { iterations: 1 });
    assert!(subspace_distance(factors[0].U(), &C) < 1e-7 && trace[0].objective.abs() < 1e-12, "{trace:?}");
}

#[test]
fn views_that_contradict_each_other_by_hand() {
    // pairs 01, 23 against pairs 02, 13: both know (1,1,1,1)/2, and each has one more direction with eigenvalue 1
    let views = || vec![factor("a", 0.6, two_pairs((0, 1), (2, 3)), 2), factor("b", 0.4, two_pairs((0, 2), (1, 3)), 2)];
    // without agreement both stay: C is the heavier view, b is off it by one of two directions
    let apart = solve(views(), 0.0, 15, &Run::default()).unwrap();
    assert!(objectives(&apart.trace).iter().all(|objective| objective.abs() < 1e-12));
    assert!(subspace_distance(&apart.C, apart.factors[0].U()) < 1e-7);
    assert!((apart.trace[1].residual - 0.5_f64.sqrt()).abs() < 1e-12);
    // b's direction is orthogonal to C: no power step can turn it, so b pays beta times one direction, 0.4 * 4
    let tied = solve(views(), 4.0, 15, &Run::default()).unwrap();
    assert!((objectives(&tied.trace)[0] - 1.6).abs() < 1e-12);
}

#[test]
fn the_rank_is_never_below_the_number_of_clusters_nor_near_all_samples() {
    let method = Slrmf::default();
    assert_eq!((method.rank(100, 10), method.rank(10, 7), method.rank(10, 9)), (14, 8, 9));
}

/// Two moons, and a ring in a ring, seen from two sides: what follows the k-th eigenvector are waves along them, by which they must
/// not be cut.
#[test]
fn clusters_that_are_long_or_rings_are_kept_whole() {
    let noise =
        |i: usize, j: usize| 0.1 * ((43_758.545_3 * ((i * 7919 + j * 104_729) as f64).sin()).rem_euclid(1.0) - 0.5);
    let place = |i: usize| std::f64::consts::PI * (i / 2) as f64 / 200.0;
    let moon = |i: usize| {
        let (sin, cos) = place(i).sin_cos();
        if i.is_multiple_of(2) { [cos, sin] } else { [1.0 - cos, 0.5 - sin] }
    };
    let ring = |i: usize| {
        let ((sin, cos), radius) = ((2.0 * place(i)).sin_cos(), 1.0 - 0.5 * (i % 2) as f64);
        [radius * cos, radius * sin]
    };
    let truth: Vec<u32> = (0..400).map(|i| i % 2).collect();
    for shape in [&moon as &dyn Fn(usize) -> [f64; 2], &ring] {
        let first = Dense::from_fn(400, 2, |i, j| shape(i)[j] + noise(i, j));
        let turned = Dense::from_fn(400, 3, |i, j| {
            let [x, y] = shape(i);
            [x + 0.5 * y, x - y, y][j] + noise(i, j + 2)
        });
        let views =
            crate::Views::new(vec![crate::View::new("plane", first), crate::View::new("turned", turned)]).unwrap();
        let labels = crate::cluster(&views, &crate::Settings::new(2)).unwrap().record.labels;
        assert_eq!(metrics::score(&labels, &truth).unwrap()[Metric::Acc], 1.0);
    }
}

/// Clean clusters in so many views.
fn blobs(samples: usize, clusters: usize, features: &[usize], seed: u64) -> Vec<crate::View> {
    let blobs = crate::datasets::Blobs { samples, clusters, features: features.to_vec(), separation: 8.0, seed };
    blobs.generate().unwrap().0.iter().cloned().collect()
}

fn run(views: Vec<crate::View>, k: usize, parameters: &[(&str, &str)]) -> crate::RunRecord {
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let settings = crate::Settings::with_method(k, "slrmf", &parameters).unwrap();
    crate::cluster(&crate::Views::new(views).unwrap(), &settings).unwrap().record
}

#[test]
fn what_a_view_would_have_put_elsewhere_is_said_though_its_factor_agrees() {
    let mut views = blobs(240, 4, &[8, 9, 7], 3);
    // the first eight samples of the third view change places with eight of other clusters
    let labels = run(views.clone(), 4, &[]).labels;
    let others: Vec<usize> =
        (0..8).map(|i| (8..240).find(|&j| j % 8 == i && labels[j] != labels[i]).unwrap()).collect();
    let mut order: Vec<usize> = (0..240).collect();
    others.iter().enumerate().for_each(|(i, &j)| order.swap(i, j));
    views[2] = views[2].with_data(views[2].data.select_rows(&order));
    views.extend(blobs(240, 1, &[12], 5).into_iter().map(|view| view.renamed("noise")));
    let record = run(views, 4, &[]);
    assert_eq!(metrics::score(&record.labels, &labels).unwrap()[Metric::Acc], 1.0);
    let elsewhere: Vec<usize> = record.findings.disagreements.iter().map(|view| view.count).collect();
    assert!(elsewhere[0] == 0 && elsewhere[1] == 0 && elsewhere[3] > 100, "{elsewhere:?}");
    // and hardly any beside them
    let found = &record.findings.disagreements[2].samples;
    assert!((0..8).chain(others).all(|moved| found.contains(&moved)) && found.len() < 20, "{found:?}");
}

#[test]
fn a_handful_of_samples_keeps_its_clusters() {
    // the second eigenvalue of three samples can be below zero
    for third in [9.0, 10.0, 11.0] {
        let view = |name: &str, shift: f64| {
            let rows = [[0.0, 0.1], [0.3, shift], [third, 10.0 + shift]];
            crate::View::new(name, Dense::from_fn(3, 2, |i, j| rows[i][j]))
        };
        assert_eq!(run(vec![view("a", 0.2), view("b", -0.1)], 2, &[]).labels, [0, 0, 1], "{third}");
    }
}

#[test]
fn one_cluster_tells_of_corruption_too() {
    let corrupted = |k: usize| {
        let views = crate::Views::new(blobs(200, 2, &[20, 30], 1)).unwrap().scaled(crate::Scale::Zscore).unwrap();
        let noisy = views.corrupted(&crate::Corruption { fraction: 0.1, ..crate::Corruption::default() }).unwrap();
        run(noisy.iter().cloned().collect(), k, &[])
    };
    for k in [1, 2] {
        let record = corrupted(k);
        let said = record.warnings.iter().filter(|warning| warning.kind() == "corrupted_view").count();
        assert_eq!((said, record.findings.corruption.len()), (2, 2), "k = {k}");
        assert!(record.findings.corruption.iter().all(|view| view.share > 0.05));
    }
}

#[test]
fn clean_views_that_are_split_on_request_are_not_called_corrupted() {
    let record = run(blobs(300, 3, &[30], 4), 3, &[("robust", "always")]);
    assert!(
        record.findings.corruption.iter().all(|view| view.share == 0.0),
        "{:?}",
        record.findings.corruption[0].share
    );
}

/// What the numpy prototypes computed on small arrays; made by `scripts/make_slrmf_golden.py`.
struct Golden(serde_json::Value);

impl Golden {
    fn load() -> Self {
        Self(golden(include_str!("../../../tests/golden/slrmf.json")))
    }

    fn matrix(&self, name: &str) -> Dense<f64> {
        matrix(&self.0[name])
    }

    fn list(&self, name: &str) -> Vec<f64> {
        numbers(&self.0[name])
    }
}

fn nearly_equal(ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len());
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "differs by {worst}");
}

#[test]
fn graph_and_robust_pca_equal_the_prototype() {
    use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
    let golden = Golden::load();
    let view = crate::View::new("golden", golden.matrix("points"));
    let neighbours = golden.0["neighbours"].as_u64().unwrap() as usize;
    let distance = Distance::within(&view, DistanceMetric::Euclidean);
    let found = Exact.search(&distance, neighbours + 1, &Run::default()).unwrap();
    let graph = graphs::multi_scale(&[&found], &[neighbours]).unwrap();
    nearly_equal(graph.to_dense().data(), golden.matrix("graph").data(), 1e-9);
    let found = crate::denoise::robust_pca(&golden.matrix("corrupted"), 1.5, &Run::default()).unwrap();
    nearly_equal(found.low_rank.data(), golden.matrix("clean").data(), 1e-4);
}

#[test]
fn a_whole_run_equals_the_prototype() {
    let golden = Golden::load();
    let views = golden.0["views"].as_array().unwrap().iter().enumerate();
    let views = views.map(|(i, view)| crate::View::new(format!("v{i}"), matrix(view))).collect();
    let parameters = [
        ("robust", "never".to_owned()),
        ("reading", "factors".to_owned()),
        ("max_iterations", golden.0["iterations"].to_string()),
    ];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value));
    let settings = crate::Settings::with_method(4, "slrmf", &parameters).unwrap();
    let result = crate::cluster(&crate::Views::new(views).unwrap(), &settings).unwrap();
    let record = &result.record;
    let counts: Vec<f64> = record.graph.as_ref().unwrap().neighbours.iter().map(|&count| count as f64).collect();
    assert_eq!(counts, golden.list("neighbour_counts"));
    let weights: Vec<f64> = record.views.iter().map(|view| view.weight).collect();
    nearly_equal(&weights, &golden.list("weights"), 1e-8);
    nearly_equal(&objectives(&record.findings.trace), &golden.list("trace"), 1e-8);
    // the sign of an embedding's column is arbitrary: compare inner products
    let inner = |points: &Dense<f64>| points.as_mat() * points.as_mat().transpose();
    let (ours, theirs) = (inner(&result.fitted.embedding), inner(&golden.matrix("embedding")));
    assert!((&ours - &theirs).norm_max() < 1e-6, "{}", (&ours - &theirs).norm_max());
    let labels: Vec<usize> = golden.list("labels").iter().map(|x| *x as usize).collect();
    assert_eq!(metrics::score(&record.labels, &labels).unwrap()[Metric::Acc], 1.0);
    let agreement = record.findings.agreement.as_ref().unwrap().with_consensus.as_ref().unwrap();
    assert_eq!((agreement.before.len(), agreement.after.len()), (3, 3));
}
