//! Reproducible is not enough: data without clusters are not called clusters, and clear clusters are.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod structure_kinds;

use std::collections::BTreeMap;
use std::ops::Range;

use consilience::examine::{Examine, State, Verdict};
use consilience::{Run, Settings, Views, cluster};
use rayon::prelude::*;
use structure_kinds::{CLUSTERED, STRUCTURELESS};

/// The most that may be misjudged; of 90 samples cut in three, 30 a piece, a border is seen less surely.
const TOLERATED: f64 = 0.05;
const TOLERATED_OF_FEW: f64 = 0.1;

/// Data of one kind, and the number of clusters that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    clustered: bool,
    kind: &'static str,
    samples: usize,
    k: usize,
}

impl Case {
    fn is_misjudged(self, state: State) -> bool {
        let called_clusters = matches!(state, State::Separate | State::Touching);
        called_clusters != self.clustered
    }
}

/// For every case how many seeds were given each state.
type Judged = BTreeMap<Case, [usize; 5]>;

fn state(views: &Views, k: usize, resamples: usize) -> State {
    let settings = Settings::new(k);
    let found = cluster(views, &settings).unwrap();
    let asked = Examine { resamples, leave_out: false, ..Examine::default() };
    Verdict::new(&found, &asked.examine(views, &settings, &found, &Run::default()).unwrap()).state
}

/// Every kind, number of samples, number of clusters (without clusters, with them) and seed.
fn judged(sizes: &[usize], numbers: [&[usize]; 2], seeds: Range<u64>, resamples: usize) -> Judged {
    let cases: Vec<(usize, u64)> = sizes.iter().flat_map(|&n| seeds.clone().map(move |seed| (n, seed))).collect();
    let states = cases.into_par_iter().flat_map_iter(|(n, seed)| of_seed(n, numbers, seed, resamples));
    let states: Vec<(Case, State)> = states.collect();
    let mut counts = Judged::new();
    for (case, state) in states {
        counts.entry(case).or_default()[state as usize] += 1;
    }
    counts
}

fn of_seed(samples: usize, numbers: [&[usize]; 2], seed: u64, resamples: usize) -> Vec<(Case, State)> {
    let mut judged = Vec::new();
    let mut judge = |case: Case, views: &Views| {
        let state = state(views, case.k, resamples);
        if case.is_misjudged(state) {
            eprintln!("{state:?}: {case:?}, seed {seed}");
        }
        judged.push((case, state));
    };
    for (kind, make) in STRUCTURELESS {
        let views = make(samples, seed);
        numbers[0].iter().for_each(|&k| judge(Case { clustered: false, kind, samples, k }, &views));
    }
    for (kind, make) in CLUSTERED {
        numbers[1].iter().for_each(|&k| judge(Case { clustered: true, kind, samples, k }, &make(samples, k, seed)));
    }
    judged
}

/// Of the cases with clusters, or of those without, how many were misjudged, and how many there are.
fn misjudged(judged: &Judged, clustered: bool) -> (usize, usize) {
    let of_case = |(case, counts): (&Case, &[usize; 5])| {
        let called_clusters = counts[State::Separate as usize] + counts[State::Touching as usize];
        let all = counts.iter().sum::<usize>();
        (if case.clustered { all - called_clusters } else { called_clusters }, all)
    };
    let cases = judged.iter().filter(|(case, _)| case.clustered == clustered).map(of_case);
    cases.fold((0, 0), |(wrong, all), case| (wrong + case.0, all + case.1))
}

fn check(judged: &Judged, tolerated: f64) {
    for clustered in [false, true] {
        let (wrong, all) = misjudged(judged, clustered);
        eprintln!("{} clusters: {wrong} of {all} misjudged", if clustered { "with" } else { "without" });
        assert!(wrong as f64 <= tolerated * all as f64, "{judged:#?}");
    }
}

#[test]
fn a_few_of_every_kind_are_judged_rightly() {
    check(&judged(&[90], [&[3], &[4]], 0..1, 2), TOLERATED_OF_FEW);
}

#[test]
#[ignore = "takes minutes: five seeds of every kind"]
fn five_seeds_of_every_kind_are_judged_rightly() {
    check(&judged(&[100, 200, 400], [&[2, 3, 5], &[2, 4, 6]], 0..5, 5), TOLERATED);
}
