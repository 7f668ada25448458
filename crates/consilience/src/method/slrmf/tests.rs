use std::sync::Arc;

use proptest::prelude::*;

use super::candidates::trace_form;
use super::solver::{Factor, Terms, solve};
use super::*;
use crate::matrix::{Csr, Dense};
use crate::method::common::orthonormal_indicator;
use crate::method::common::test_support::{golden, graph, graph_with_ring, matrix, numbers};
use crate::metrics::Metric;
use crate::operator::{LinOp, TopEigen};
use crate::{Run, metrics};

const TERMS: Terms = Terms { lambda2: 0.7, beta: 0.2, gamma: 0.2, max_iterations: 40 };

fn objectives(solution: &solver::Solution) -> Vec<f64> {
    let last = solution.trace.last().map_or(0, |row| row.iteration);
    let of = |iteration| solution.trace.iter().filter(|row| row.iteration == iteration).map(|row| row.objective).sum();
    (1..=last).map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_objective_never_rises_on_random_graphs(
        first in prop::collection::vec((0..20_usize, 0..20_usize, 0.01..2.0), 20..60),
        second in prop::collection::vec((0..20_usize, 0..20_usize, 0.01..2.0), 20..60),
        labels in prop::collection::vec(0..3_usize, 20),
        weight in 0.1..0.9_f64,
        beta in 0.0..3.0_f64,
        gamma in 0.0..3.0_f64,
    ) {
        let mut labels = labels;
        labels[..3].copy_from_slice(&[0, 1, 2]);
        let target = orthonormal_indicator(&labels, 3);
        let factor = |name: &str, weight, graph: Arc<Csr<f64>>| {
            let vectors = TopEigen::new(3).solve(graph.as_ref(), None, &Run::default()).unwrap().vectors;
            Factor::new(name, weight, graph, &vectors, &target).unwrap()
        };
        let factors = vec![
            factor("a", weight, graph_with_ring(&first, 20).normalised()),
            factor("b", 1.0 - weight, graph_with_ring(&second, 20).normalised()),
        ];
        let solution = solve(factors, Terms { beta, gamma, ..TERMS }, &Run::default()).unwrap();
        let objectives = objectives(&solution);
        prop_assert!(objectives.windows(2).all(|w| w[1] <= w[0] + 1e-9 * w[0].abs().max(1.0)), "{objectives:?}");
        for factor in &solution.factors {
            let overlap = crate::matrix::gram(factor.u.as_mat(), factor.u.as_mat());
            prop_assert!((overlap - faer::Mat::<f64>::identity(3, 3)).norm_max() < 1e-8, "U'U = I");
            prop_assert!(factor.g.data().iter().all(|x| *x >= 0.0));
        }
    }
}

#[test]
fn the_trace_of_an_indicator_is_the_share_of_weight_inside_clusters() {
    // two separate edges: with the right labels Tr(I'NI) is 2, with crossed ones 0
    let normalised = graph(&[(0, 1, 1.0), (2, 3, 1.0)], 4).normalised();
    let value = |labels: &[usize]| trace_form(&orthonormal_indicator(labels, 2), normalised.as_ref() as &dyn LinOp);
    assert!((value(&[0, 0, 1, 1]) - 2.0).abs() < 1e-12);
    assert!(value(&[0, 1, 0, 1]).abs() < 1e-12);
}

/// Views, labels of the digits, and their labels by the default settings with a change.
fn digits(change: impl FnOnce(Vec<crate::View>) -> Vec<crate::View>, seed: u64) -> (crate::Clustering, Vec<u32>) {
    let digits = crate::data::digits().unwrap();
    let views = crate::Views::new(change(digits.views)).unwrap();
    let settings = crate::Settings { seed, ..crate::Settings::with_method(10, "slrmf", &[]).unwrap() };
    (crate::cluster(&views, &settings).unwrap(), digits.labels.unwrap().codes().to_vec())
}

#[test]
fn digits_meet_their_floor_and_the_objective_never_rises() {
    let (result, truth) = digits(|views| views, 0);
    let scores = metrics::score(&result.record.labels, &truth).unwrap();
    assert!(scores[Metric::Acc] >= 0.97 && scores[Metric::Nmi] >= 0.93, "{scores:?}");
    let rows = &result.record.findings.trace;
    let total = |iteration| rows.iter().filter(|r| r.iteration == iteration).map(|r| r.objective).sum::<f64>();
    let last = rows.last().unwrap().iteration;
    assert!((2..=last).all(|i| total(i) <= total(i - 1) * (1.0 + 1e-9)));
    let agreement = result.record.findings.agreement.unwrap();
    assert!(agreement.after[0][1] > agreement.before[0][1], "the views learn from each other");
}

#[test]
fn five_seeds_give_the_same_labels_up_to_one_percent() {
    let (first, _) = digits(|views| views, 0);
    for seed in 1..5 {
        let (other, _) = digits(|views| views, seed);
        assert!(
            metrics::score(&other.record.labels, &first.record.labels).unwrap()[Metric::Acc] >= 0.99,
            "seed {seed}"
        );
    }
}

#[test]
fn units_order_and_copies_of_views_change_nothing() {
    let (plain, _) = digits(|views| views, 0);
    let same = |change: fn(Vec<crate::View>) -> Vec<crate::View>, what: &str| {
        let (changed, _) = digits(change, 0);
        assert!(metrics::score(&changed.record.labels, &plain.record.labels).unwrap()[Metric::Acc] >= 0.999, "{what}");
        changed
    };
    same(|views| views.into_iter().rev().collect(), "order of views");
    same(
        |mut views| {
            let crate::matrix::Matrix::DenseF64(m) = &mut views[0].data else { panic!() };
            m.data_mut().iter_mut().for_each(|x| *x *= 1000.0);
            views
        },
        "units of a view",
    );
    let doubled = same(
        |views| {
            let copies = views.iter().map(|view| crate::View { name: format!("{} again", view.name), ..view.clone() });
            let copies: Vec<_> = copies.collect();
            views.into_iter().chain(copies).collect()
        },
        "copies of views",
    );
    assert!(
        (doubled.record.views[0].weight - 0.5 * plain.record.views[0].weight).abs() < 1e-9,
        "copies share the weight"
    );
}

#[test]
fn the_order_of_samples_changes_nothing() {
    let (plain, _) = digits(|views| views, 0);
    let order: Vec<usize> = (0..2000).map(|i| (i * 1237 + 91) % 2000).collect();
    let permuted = digits(
        |mut views| {
            for view in &mut views {
                let crate::matrix::Matrix::DenseF64(m) = &view.data else { panic!() };
                view.data = m.select_rows(&order).into();
            }
            views
        },
        0,
    );
    let expected: Vec<usize> = order.iter().map(|&i| plain.record.labels[i]).collect();
    assert!(metrics::score(&permuted.0.record.labels, &expected).unwrap()[Metric::Acc] >= 0.999);
}

#[test]
fn a_view_of_pure_noise_gets_no_weight() {
    let (plain, truth) = digits(|views| views, 0);
    let noise = crate::data::Blobs { samples: 2000, clusters: 1, features: vec![60], separation: 0.0, seed: 9 };
    let noise = noise.generate().unwrap().0.iter().next().unwrap().clone();
    let (noisy, _) = digits(|views| views.into_iter().chain([noise]).collect(), 0);
    let nmi = |labels: &[usize]| metrics::score(labels, &truth).unwrap()[Metric::Nmi];
    assert!(nmi(&noisy.record.labels) > nmi(&plain.record.labels) - 0.02);
    assert!(noisy.record.views[2].weight < 0.02, "{:?}", noisy.record.views);
    assert!(
        noisy.record.warnings.iter().any(|w| w.to_string().contains("does not support")),
        "{:?}",
        noisy.record.warnings
    );
}

#[test]
fn corrupted_digits_are_restored_and_the_corruption_is_reported() {
    let digits = crate::data::digits().unwrap();
    let views = crate::Views::new(digits.views).unwrap();
    let corruption = crate::Corruption::default();
    let run = |robust: &str| {
        let mut settings = crate::Settings::with_method(10, "slrmf", &[("robust".into(), robust.into())]).unwrap();
        settings.scale = crate::Scale::Zscore;
        settings.corruption = Some(corruption);
        crate::cluster(&views, &settings).unwrap()
    };
    let truth = digits.labels.unwrap();
    let nmi = |labels: &[usize]| metrics::score(labels, truth.codes()).unwrap()[Metric::Nmi];
    let (restored, plain) = (run("auto"), run("never"));
    assert!(nmi(&restored.record.labels) > 0.90 && nmi(&restored.record.labels) > nmi(&plain.record.labels) + 0.05);
    let found = &restored.record.findings.corruption;
    assert!(found.iter().all(|view| view.share > 0.1 && view.share < 0.4), "{:?}", found[0].share);
    assert!(restored.record.warnings.iter().any(|w| w.to_string().contains("looks corrupted")));
    assert!(plain.record.findings.corruption.iter().all(|view| view.share == 0.0));
}

/// What the numpy prototype computed on small arrays; made by `scripts/make_slrmf_golden.py`.
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

    fn graph(&self) -> Csr<f64> {
        use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
        let view = crate::View::new("golden", self.matrix("points"));
        let neighbours = self.0["neighbours"].as_u64().unwrap() as usize;
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        let found = Exact.search(&distance, neighbours + 1, &Run::default()).unwrap();
        graphs::multi_scale(&[&found], &[neighbours]).unwrap()
    }
}

fn nearly_equal(ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len());
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "differs by {worst}");
}

#[test]
fn graph_gap_and_robust_pca_equal_the_prototype() {
    let golden = Golden::load();
    let graph = golden.graph();
    nearly_equal(graph.to_dense().data(), golden.matrix("graph").data(), 1e-9);
    let labels: Vec<usize> = golden.list("labels").iter().map(|x| *x as usize).collect();
    let eigen = TopEigen::new(3).solve(&graph, None, &Run::default()).unwrap();
    let gap = 1.0 - trace_form(&orthonormal_indicator(&labels, 3), &graph) / eigen.values.iter().sum::<f64>();
    nearly_equal(&[gap], &[golden.0["gap"].as_f64().unwrap()], 1e-9);
    let found = crate::denoise::robust_pca(&golden.matrix("corrupted"), 1.5, &Run::default()).unwrap();
    nearly_equal(found.low_rank.data(), golden.matrix("clean").data(), 1e-6);
}

#[test]
fn the_factorisation_of_one_view_equals_the_prototype() {
    let golden = Golden::load();
    let labels: Vec<usize> = golden.list("labels").iter().map(|x| *x as usize).collect();
    let graph = Arc::new(golden.graph());
    let vectors =
        TopEigen { tolerance: 1e-12, ..TopEigen::new(3) }.solve(graph.as_ref(), None, &Run::default()).unwrap().vectors;
    let factor = Factor::new("golden", 1.0, graph, &vectors, &orthonormal_indicator(&labels, 3)).unwrap();
    let theirs = golden.list("trace");
    let terms = Terms { beta: 0.0, max_iterations: theirs.len(), ..TERMS };
    let solution = solve(vec![factor], terms, &Run::default()).unwrap();
    let ours = objectives(&solution);
    nearly_equal(&ours, &theirs[..ours.len()], 1e-8);
    assert!(ours.len() > 1);
    if ours.len() == theirs.len() {
        nearly_equal(solution.factors[0].g.data(), golden.matrix("positive").data(), 1e-6);
    }
}
