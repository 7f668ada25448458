//! Reproducible is not good: data without clusters are not called good, and clear clusters are not called doubtful.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod structure_kinds;

use std::ops::Range;

use consilience::examine::{Examine, Level, Verdict};
use consilience::{Run, Settings, Views, cluster};
use rayon::prelude::*;
use structure_kinds::{CLUSTERED, STRUCTURELESS};

/// The most that may be misjudged.
const TOLERATED: f64 = 0.05;

fn level(views: &Views, k: usize, resamples: usize) -> Level {
    let settings = Settings::new(k);
    let found = cluster(views, &settings).unwrap();
    let asked = Examine { resamples, leave_out: false, ..Examine::default() };
    Verdict::new(&found, &asked.examine(views, &settings, &found, &Run::default()).unwrap()).level
}

/// Every kind, number of samples, number of clusters (without clusters, with them) and seed; how many were judged wrongly, and of
/// how many.
fn misjudged(sizes: &[usize], numbers: [&[usize]; 2], seeds: Range<u64>, resamples: usize) -> [(usize, usize); 2] {
    let cases: Vec<(usize, u64)> = sizes.iter().flat_map(|&n| seeds.clone().map(move |seed| (n, seed))).collect();
    let judged = cases.into_par_iter().flat_map_iter(|(n, seed)| of_seed(n, numbers, seed, resamples));
    let judged: Vec<(usize, bool, String)> = judged.collect();
    let mut counts = [(0, 0); 2];
    for (which, wrong, what) in judged {
        counts[which].0 += usize::from(wrong);
        counts[which].1 += 1;
        if wrong {
            eprintln!("misjudged: {what}");
        }
    }
    counts
}

/// Whether it has clusters, whether it was judged wrongly, and what it is.
fn of_seed(n: usize, numbers: [&[usize]; 2], seed: u64, resamples: usize) -> Vec<(usize, bool, String)> {
    let mut judged = Vec::new();
    for (kind, make) in STRUCTURELESS {
        for &k in numbers[0] {
            let wrong = level(&make(n, seed), k, resamples) == Level::Good;
            judged.push((0, wrong, format!("{kind}, {n} samples, k = {k}, seed {seed}: good")));
        }
    }
    for (kind, make) in CLUSTERED {
        for &k in numbers[1] {
            let wrong = level(&make(n, k, seed), k, resamples) == Level::Doubtful;
            judged.push((1, wrong, format!("{kind}, {n} samples, k = {k}, seed {seed}: doubtful")));
        }
    }
    judged
}

fn check(counts: [(usize, usize); 2]) {
    let share = |(wrong, all): (usize, usize)| wrong as f64 / all as f64;
    eprintln!(
        "without clusters: {} of {} good; with: {} of {} doubtful",
        counts[0].0, counts[0].1, counts[1].0, counts[1].1
    );
    assert!(counts.into_iter().map(share).all(|wrong| wrong <= TOLERATED), "{counts:?}");
}

#[test]
fn a_few_of_every_kind_are_judged_rightly() {
    check(misjudged(&[90], [&[3], &[4]], 0..1, 2));
}

#[test]
#[ignore = "takes minutes: 20 seeds of every kind"]
fn twenty_seeds_of_every_kind_are_judged_rightly() {
    check(misjudged(&[100, 200, 400], [&[2, 3, 5], &[2, 4, 6]], 0..20, 5));
}
