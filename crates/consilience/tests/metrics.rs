//! Scores against scikit-learn's, and what must hold of them for any labels.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use consilience::metrics::Metric;
use consilience::metrics::{Contingency, Scores, accuracy, ari, fscore, nmi, purity, score};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    predicted: Vec<usize>,
    truth: Vec<u32>,
    acc: f64,
    nmi: f64,
    ari: f64,
    purity: f64,
    fscore: f64,
}

fn in_order(scores: Scores) -> [f64; 5] {
    [scores[Metric::Acc], scores[Metric::Nmi], scores[Metric::Ari], scores[Metric::Purity], scores[Metric::Fscore]]
}

fn assert_close(ours: [f64; 5], expected: [f64; 5], what: &str) {
    for (place, name) in ["acc", "nmi", "ari", "purity", "fscore"].iter().enumerate() {
        let (a, b) = (ours[place], expected[place]);
        assert!((a - b).abs() <= 1e-12, "{what}: {name} is {a}, expected {b}");
    }
}

#[test]
fn equal_to_scikit_learn() {
    // made by scripts/make_metric_golden.py
    let golden: Golden = serde_json::from_str(include_str!("golden/metrics.json")).unwrap();
    assert!(golden.cases.len() >= 30);
    for case in golden.cases {
        let ours = in_order(score(&case.predicted, &case.truth).unwrap());
        assert_close(ours, [case.acc, case.nmi, case.ari, case.purity, case.fscore], &case.name);
    }
}

/// Two labellings of the same samples, with up to `k` labels each.
fn labellings(k: usize) -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (1..=k, 1..=k, 1..60_usize).prop_flat_map(|(clusters, classes, n)| {
        (prop::collection::vec(0..clusters, n), prop::collection::vec(0..classes, n))
    })
}

/// Most samples right over all ways to give the rows from `row` on different columns, or none.
fn brute_force(counts: &[[u64; 6]; 6], row: usize, taken: &mut [bool; 6]) -> u64 {
    if row == 6 {
        return 0;
    }
    let mut best = brute_force(counts, row + 1, taken);
    for column in 0..6 {
        if !taken[column] {
            taken[column] = true;
            best = best.max(counts[row][column] + brute_force(counts, row + 1, taken));
            taken[column] = false;
        }
    }
    best
}

proptest! {
    #[test]
    fn accuracy_is_the_best_of_all_assignments((predicted, truth) in labellings(6)) {
        let mut counts = [[0; 6]; 6];
        for (&row, &column) in predicted.iter().zip(&truth) {
            counts[row][column] += 1;
        }
        let right = brute_force(&counts, 0, &mut [false; 6]);
        let table = Contingency::new(&predicted, &truth).unwrap();
        prop_assert_eq!(accuracy(&table), right as f64 / predicted.len() as f64);
    }

    #[test]
    fn order_of_samples_and_names_of_labels_do_not_matter(
        (predicted, truth) in labellings(9),
        order in Just((0..60_usize).collect::<Vec<_>>()).prop_shuffle(),
        names in Just((100..109_i64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let order: Vec<usize> = order.into_iter().filter(|&i| i < predicted.len()).collect();
        let moved: Vec<i64> = order.iter().map(|&i| names[predicted[i]]).collect();
        let moved_truth: Vec<usize> = order.iter().map(|&i| 8 - truth[i]).collect();
        let expected = in_order(score(&predicted, &truth).unwrap());
        assert_close(in_order(score(&moved, &moved_truth).unwrap()), expected, "renamed and reordered");
    }

    #[test]
    fn all_but_purity_are_symmetric((predicted, truth) in labellings(9)) {
        let mut there = in_order(score(&predicted, &truth).unwrap());
        let mut back = in_order(score(&truth, &predicted).unwrap());
        (there[3], back[3]) = (0.0, 0.0);
        assert_close(there, back, "exchanged");
    }

    #[test]
    fn a_clustering_is_perfect_against_itself((predicted, _) in labellings(9)) {
        assert_close(in_order(score(&predicted, &predicted).unwrap()), [1.0; 5], "itself");
    }

    #[test]
    fn scores_stay_within_their_bounds((predicted, truth) in labellings(9)) {
        let table = Contingency::new(&predicted, &truth).unwrap();
        for share in [accuracy(&table), nmi(&table), purity(&table), fscore(&table)] {
            prop_assert!((0.0..=1.0 + 1e-12).contains(&share));
        }
        prop_assert!((-0.5..=1.0).contains(&ari(&table)));
        prop_assert!(accuracy(&table) <= purity(&table));
    }
}
