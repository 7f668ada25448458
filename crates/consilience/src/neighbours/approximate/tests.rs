//! The approximate search beside the exact one.

use super::super::{DistanceMetric, Missing, Shared, Term, Weighting};
use super::*;
use crate::View;
use crate::datasets::{Curves, MadeView};
use crate::matrix::{Csr, Dense};

/// Overlapping curved clusters in three views.
fn views(samples: usize) -> Vec<View> {
    let views = [20, 30, 10].map(MadeView::Dense).to_vec();
    let curves = Curves { samples, clusters: 8, views, separation: 4.0, seed: 1 };
    curves.generate().unwrap().0.iter().cloned().collect()
}

fn share_found(distance: &Distance<'_>, count: usize) -> f64 {
    let run = Run::default();
    let (found, exact) = (Approximate.search(distance, count, &run), Exact.search(distance, count, &run));
    let (found, exact) = (found.unwrap(), exact.unwrap());
    let hits: usize =
        (0..found.len()).map(|i| found.of(i).0.iter().filter(|sample| exact.of(i).0.contains(sample)).count()).sum();
    // what is estimated on a sample is about right
    let (share, told) = (hits as f64 / (found.len() * count) as f64, run.approximate_searches().unwrap());
    assert!(told.searches == 1 && (told.least_recall - share).abs() < 0.05, "{told:?} for {share}");
    share
}

#[test]
fn most_of_the_nearest_are_found_within_views_and_over_them() {
    let views = views(6000);
    for view in &views {
        let share = share_found(&Distance::within(view, DistanceMetric::Euclidean), 12);
        assert!(share > 0.95, "{}: {share}", view.name);
    }
    let scales = (0..6000).map(|i| 1.0 + (i % 3) as f64 * 0.2).collect();
    let local = Weighting::Local(scales);
    let term = |view, weighting| Term { view, metric: DistanceMetric::Euclidean, weighting, missing: None };
    let joint = Distance::of(vec![term(&views[0], local), term(&views[1], Weighting::Uniform(0.5))]);
    assert!(share_found(&joint, 12) > 0.95);
}

#[test]
fn sparse_counts_angles_and_missing_samples_too() {
    let n = 5000;
    let words = |i: usize, e: usize| ((i % 6) * 300 + (i * 7919 + e * e * 31) % 400) as u32;
    let entries = (0..n).flat_map(|i| (0..20).map(move |e| (i, words(i, e), 1.0 + (e % 3) as f32)));
    let mut seen = std::collections::HashSet::new();
    let entries = entries.filter(|(i, j, _)| seen.insert((*i, *j))).collect();
    let text = View::new("text", Csr::<f32>::from_entries(n, 3000, entries).unwrap());
    assert!(share_found(&Distance::within(&text, DistanceMetric::Cosine), 8) > 0.7);
    let views = views(n);
    let gone: Vec<bool> = (0..n).map(|i| i % 5 == 0).collect();
    let missing = Some(Missing { samples: &gone, neutral: 0.0 });
    let term =
        |view, missing| Term { view, metric: DistanceMetric::Euclidean, weighting: Weighting::Uniform(0.1), missing };
    let shared = Shared::new(n, &[(1.0, Some(&gone)), (1.0, None)], 1.0);
    let distance = Distance::of(vec![term(&views[0], missing), term(&views[1], None)]).over_shared(shared);
    assert!(share_found(&distance, 10) > 0.9);
}

#[test]
fn the_same_for_any_number_of_threads_and_distances_are_true() {
    let view = &views(5000)[1];
    let distance = Distance::within(view, DistanceMetric::Euclidean);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Approximate.search(&distance, 10, &Run::default()).unwrap())
    };
    let found = with(1);
    assert_eq!(found, with(3));
    for i in (0..5000).step_by(97) {
        let (samples, distances) = found.of(i);
        assert!(samples.iter().zip(distances).all(|(&j, &d)| j as usize != i && d == distance.between(i, j as usize)));
        assert!(distances.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn equal_samples_few_samples_and_long_rows() {
    let run = Run::default();
    let alike = View::new("alike", Dense::from_fn(5000, 3, |_, j| j as f64));
    let found = Approximate.search(&Distance::within(&alike, DistanceMetric::Euclidean), 5, &run).unwrap();
    assert!((0..5000).all(|i| found.of(i).1 == [0.0; 5] && !found.of(i).0.contains(&(i as u32))));
    let long = View::new("long", Dense::from_fn(4500, 2, |i, j| 1e25 * ((i * (j + 3)) % 701) as f64));
    let distance = Distance::within(&long, DistanceMetric::Euclidean);
    assert!(Approximate.search(&distance, 4, &run).unwrap().of(7).1.iter().all(|d| d.is_finite()));
    let few = View::new("few", Dense::from_fn(300, 2, |i, j| ((i * (j + 3)) % 71) as f64));
    let distance = Distance::within(&few, DistanceMetric::Euclidean);
    assert_eq!(Approximate.search(&distance, 4, &run).unwrap(), Exact.search(&distance, 4, &run).unwrap());
}

/// One sample more than fill the blocks, and neighbours that single precision cannot tell apart.
#[test]
fn a_long_line_of_samples_that_leave_one_alone_in_its_block() {
    let n = 20 * BLOCK + 1;
    let line = View::new("line", Dense::from_fn(n, 1, |i, _| 100.0 * ((i * 7919) % n) as f64));
    let found = Approximate.search(&Distance::within(&line, DistanceMetric::Euclidean), 2, &Run::default()).unwrap();
    let places = |i: usize| (i * 7919) % n;
    for i in (0..n).filter(|&i| (1..n - 1).contains(&places(i))) {
        assert_eq!(found.of(i).1, [1e4, 1e4], "{}", places(i));
    }
}

/// Distances by products and by differences are not the same number: nobody is listed twice all the same, in long lists too.
#[test]
fn nobody_is_a_neighbour_twice() {
    let view = &views(4500)[1];
    let found = Approximate.search(&Distance::within(view, DistanceMetric::Euclidean), 150, &Run::default()).unwrap();
    for i in 0..4500 {
        let distinct: std::collections::HashSet<&u32> = found.of(i).0.iter().collect();
        assert_eq!(distinct.len(), 150, "sample {i}");
    }
}

#[test]
fn noise_without_neighbourhoods_is_warned_of() {
    // in 60 directions at random nobody is near: cells say nothing about neighbours
    let noise = |i: usize, j: usize| {
        let mixed = ((i * 60 + j) as u64).wrapping_add(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as f64 / u64::MAX as f64
    };
    let view = View::new("noise", Dense::from_fn(40_000, 60, noise));
    let run = Run::default();
    Approximate.search(&Distance::within(&view, DistanceMetric::Euclidean), 10, &run).unwrap();
    assert!(run.approximate_searches().unwrap().least_recall < 0.9 && run.warned("approximate_neighbours"));
}

#[test]
fn a_cancelled_run_stops() {
    let view = &views(5000)[0];
    let cancel = crate::Cancel::default();
    cancel.cancel();
    let distance = Distance::within(view, DistanceMetric::Euclidean);
    let stopped = Approximate.search(&distance, 5, &Run::cancellable(cancel));
    assert!(matches!(stopped, Err(crate::Error::Cancelled)));
}
