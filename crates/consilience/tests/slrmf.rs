//! What the default method does with the digits: its floor, and what must not change its labels.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use consilience::datasets::Blobs;
use consilience::matrix::Matrix;
use consilience::metrics::{self, Metric};
use consilience::{Clustering, Corruption, Scale, Settings, View, Views, cluster};
use consilience_io::digits as read_digits;

/// The digits' views and classes.
fn loaded() -> (Vec<View>, Vec<u32>) {
    let digits = read_digits().unwrap();
    (digits.views, digits.labels.unwrap().codes().to_vec())
}

/// The objective after every iteration.
fn objectives(trace: &[consilience::method::TraceRow]) -> Vec<f64> {
    let last = trace.last().map_or(0, |row| row.iteration);
    let of = |iteration| trace.iter().filter(|row| row.iteration == iteration).map(|row| row.objective).sum();
    (1..=last).map(of).collect()
}

/// Classes of the digits, and the clustering by the default settings after a change of their views.
fn digits(change: impl FnOnce(Vec<View>) -> Vec<View>, seed: u64) -> (Clustering, Vec<u32>) {
    let (views, truth) = loaded();
    let views = Views::new(change(views)).unwrap();
    let settings = Settings::new(10).seed(seed);
    (cluster(&views, &settings).unwrap(), truth)
}

#[test]
fn digits_meet_their_floor_and_the_objective_never_rises() {
    let (result, truth) = digits(|views| views, 0);
    let scores = metrics::score(&result.record.labels, &truth).unwrap();
    assert!(scores[Metric::Acc] >= 0.98 && scores[Metric::Nmi] >= 0.95, "{scores:?}");
    let findings = result.record.findings;
    assert!(objectives(&findings.trace).windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)));
    let agreement = findings.agreement.unwrap();
    assert!(agreement.after[0][1] > agreement.before[0][1], "the views learn from each other");
    let with_consensus = agreement.with_consensus.unwrap();
    assert!(with_consensus.after.iter().zip(&with_consensus.before).all(|(after, before)| after > before));
    let elsewhere: Vec<usize> = findings.disagreements.iter().map(|view| view.count).collect();
    assert!(elsewhere.len() == 2 && elsewhere.iter().all(|&count| count < 400), "{elsewhere:?}");
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
    let same = |change: fn(Vec<View>) -> Vec<View>, what: &str| {
        let (changed, _) = digits(change, 0);
        assert!(metrics::score(&changed.record.labels, &plain.record.labels).unwrap()[Metric::Acc] >= 0.999, "{what}");
        changed
    };
    same(|views| views.into_iter().rev().collect(), "order of views");
    same(
        |mut views| {
            let Matrix::DenseF64(m) = &mut views[0].data else { panic!() };
            m.data_mut().iter_mut().for_each(|x| *x *= 1000.0);
            views
        },
        "units of a view",
    );
    let doubled = same(
        |views| {
            let copies = views.iter().map(|view| view.clone().renamed(format!("{} again", view.name)));
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
fn the_order_of_samples_hardly_matters() {
    let (plain, _) = digits(|views| views, 0);
    let order: Vec<usize> = (0..2000).map(|i| (i * 1237 + 91) % 2000).collect();
    let permuted = digits(
        |mut views| {
            for view in &mut views {
                let Matrix::DenseF64(m) = &view.data else { panic!() };
                view.data = m.select_rows(&order).into();
            }
            views
        },
        0,
    );
    let expected: Vec<usize> = order.iter().map(|&i| plain.record.labels[i]).collect();
    let same = metrics::score(&permuted.0.record.labels, &expected).unwrap()[Metric::Acc];
    // k-means draws its starts by place: a few samples between two clusters may move
    assert!(same >= 0.995, "{same}");
}

#[test]
fn a_view_of_pure_noise_gets_no_weight() {
    let (plain, truth) = digits(|views| views, 0);
    let noise = Blobs { samples: 2000, clusters: 1, features: vec![60], separation: 0.0, seed: 9 };
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
    let (views, truth) = loaded();
    let views = Views::new(views).unwrap();
    let corruption = Corruption::default();
    let run = |robust: &str| {
        let mut settings = Settings::with_method(10, "slrmf", &[("robust".into(), robust.into())]).unwrap();
        settings.scale = Scale::Zscore;
        settings.corruption = Some(corruption);
        cluster(&views, &settings).unwrap()
    };
    let nmi = |labels: &[usize]| metrics::score(labels, &truth).unwrap()[Metric::Nmi];
    let (restored, plain) = (run("auto"), run("never"));
    assert!(nmi(&restored.record.labels) > 0.90 && nmi(&restored.record.labels) > nmi(&plain.record.labels) + 0.05);
    let found = &restored.record.findings.corruption;
    assert!(found.iter().all(|view| view.share > 0.1 && view.share < 0.4), "{:?}", found[0].share);
    assert!(restored.record.warnings.iter().any(|w| w.to_string().contains("look replaced")));
    assert!(plain.record.findings.corruption.iter().all(|view| view.share == 0.0));
}
