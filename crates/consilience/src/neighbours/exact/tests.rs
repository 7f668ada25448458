//! The exact search against the naive one.

use super::super::{DistanceMetric, Shared, UnknownSamples, Weighting};
use super::*;
use crate::matrix::{Csr, Dense};

fn wave(n: usize, d: usize, phase: f64) -> Dense<f64> {
    Dense::from_fn(n, d, |i, j| ((i * 31 + j * 17) as f64 * 0.37 + phase).sin() * (1.0 + j as f64))
}

fn naive(distance: &Distance<'_>, count: usize) -> Neighbours {
    let n = distance.samples();
    let mut rows = Vec::new();
    for i in 0..n {
        let mut row: Vec<_> = (0..n).filter(|&j| j != i).map(|j| (distance.between(i, j), j as u32)).collect();
        row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        rows.extend_from_slice(&row[..count]);
    }
    Neighbours::new(n, count, n, rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.0).collect()).unwrap()
}

/// The same for samples that are not in the reference.
fn naive_query(queries: &Distance<'_>, reference: &Distance<'_>, count: usize) -> Neighbours {
    let lists: Vec<Vec<(f64, u32)>> = (0..queries.samples())
        .map(|i| {
            let all = (0..reference.samples()).map(|j| (queries.across(i, reference, j), j as u32));
            let mut all: Vec<_> = all.collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            all.truncate(count);
            all
        })
        .collect();
    let (distances, samples) = lists.iter().flatten().copied().unzip();
    Neighbours::new(queries.samples(), count, reference.samples(), samples, distances).unwrap()
}

#[test]
fn equals_the_naive_search_for_every_kind_of_term() {
    let n = 2 * BLOCK + 37;
    let dense = View::new("dense", wave(n, 5, 0.0));
    let single = View::new("single", wave(n, 3, 1.0).cast::<f32>());
    let thin = Dense::from_fn(n, 40, |i, j| if (i * 7 + j * 3) % 11 == 0 { (i + j) as f64 } else { 0.0 });
    let sparse = View::new("sparse", Csr::from_dense(&thin).unwrap());
    let local = Term {
        view: &dense,
        metric: DistanceMetric::Euclidean,
        weighting: Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect()),
        missing: None,
    };
    let gone: Vec<bool> = (0..n).map(|i| i % 13 == 0).collect();
    let missing = Some(UnknownSamples { samples: &gone, neutral: 2.5 });
    let (weighting, nothing) = (Weighting::Uniform(0.1), Some(UnknownSamples { samples: &gone, neutral: 0.0 }));
    let known = Term { view: &single, metric: DistanceMetric::Euclidean, weighting, missing: nothing };
    let angle = Term { view: &sparse, metric: DistanceMetric::Cosine, weighting: Weighting::Uniform(3.0), missing };
    let all = [
        Distance::within(&dense, DistanceMetric::Euclidean),
        Distance::within(&sparse, DistanceMetric::Euclidean),
        Distance::within(&sparse, DistanceMetric::Cosine),
        Distance::within(&dense, DistanceMetric::Cosine),
        Distance::sum([&dense, &single, &sparse], DistanceMetric::Euclidean),
        Distance::of(vec![local, angle]),
        Distance::of(vec![known]).over_shared(Shared::new(n, &[(1.0, Some(&gone)), (0.5, None)], 1.0)),
    ];
    let expected: Vec<Neighbours> = all.iter().enumerate().map(|(at, distance)| naive(distance, 6 + at)).collect();
    for (at, (distance, expected)) in all.iter().zip(&expected).enumerate() {
        assert_eq!(Exact.search(distance, 6 + at, &Run::default()).unwrap(), *expected);
    }
    // and all at once, in which a pair of samples is compared once in each view
    let wanted: Vec<_> = all.iter().enumerate().map(|(at, distance)| (distance, 6 + at)).collect();
    assert_eq!(Exact.search_all(&wanted, &Run::default()).unwrap(), expected);
}

#[test]
fn data_far_from_the_origin_keep_their_neighbours_in_single_precision() {
    let far = Dense::from_fn(300, 4, |i, j| 1e4 + ((i * 13 + j * 7) % 97) as f32 * 0.25);
    let view = View::new("far", far);
    let distance = Distance::within(&view, DistanceMetric::Euclidean);
    assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
}

#[test]
fn tight_groups_far_apart_are_beyond_single_precision_and_still_right() {
    // groups 1e5 apart, 1e-2 wide: in single precision everybody in a group is equally near
    let tight = Dense::from_fn(400, 3, |i, j| 1e5 * (i % 4) as f64 + 1e-4 * ((i * 37 + j * 11) % 101) as f64);
    let view = View::new("tight", tight);
    let distance = Distance::within(&view, DistanceMetric::Euclidean);
    let wanted = [Comparison { queries: &distance, reference: &distance, within: true, count: 6 }];
    let found = super::search(&wanted, &Sweep::<f32>::new(&wanted).unwrap(), &Run::default()).unwrap();
    assert!(!found[0].uncertain.is_empty());
    assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
}

#[test]
fn queries_equal_the_naive_search_whatever_their_storage() {
    let (n, m) = (2 * BLOCK + 37, BLOCK + 11);
    let dense =
        |n: usize, phase| View::new("dense", Dense::from_fn(n, 5, move |i, j| 1e3 + wave(n, 5, phase).get(i, j)));
    let thin = |n: usize, step: usize| {
        let filled = move |i: usize, j: usize| (i * step + j * 3).is_multiple_of(11);
        Dense::from_fn(n, 40, move |i, j| if filled(i, j) { (i % 17 + j) as f64 } else { 0.0 })
    };
    let (reference_a, queries_a) = (dense(n, 0.0), dense(m, 0.7));
    let reference_b = View::new("sparse", Csr::from_dense(&thin(n, 7)).unwrap());
    // the same view, but stored densely and in single precision
    let queries_b = View::new("sparse", thin(m, 5).cast::<f32>());
    let gone: Vec<bool> = (0..m).map(|i| i % 9 == 0).collect();
    let missing = Some(UnknownSamples { samples: &gone, neutral: 2.5 });
    let scales = |n: usize| Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect());
    let term = |view, weighting, missing| Term { view, metric: DistanceMetric::Euclidean, weighting, missing };
    for (queries, reference) in [
        (
            Distance::within(&queries_a, DistanceMetric::Euclidean),
            Distance::within(&reference_a, DistanceMetric::Euclidean),
        ),
        (Distance::within(&queries_b, DistanceMetric::Cosine), Distance::within(&reference_b, DistanceMetric::Cosine)),
        (
            Distance::of(vec![term(&queries_a, scales(m), None), term(&queries_b, Weighting::Uniform(2.0), missing)]),
            Distance::of(vec![term(&reference_a, scales(n), None), term(&reference_b, Weighting::Uniform(2.0), None)]),
        ),
        (
            Distance::of(vec![
                term(&queries_a, Weighting::Uniform(1.0), missing),
                term(&queries_a, Weighting::Uniform(0.5), None),
            ]),
            Distance::of(vec![
                term(&reference_a, Weighting::Uniform(1.0), None),
                term(&reference_a, Weighting::Uniform(0.5), None),
            ]),
        ),
    ] {
        let found = Exact.query(&queries, &reference, 9, &Run::default()).unwrap();
        let expected = naive_query(&queries, &reference, 9);
        for i in 0..m {
            assert_eq!(found.of(i).0, expected.of(i).0, "query {i}");
            let close = found.of(i).1.iter().zip(expected.of(i).1).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs());
            assert!(close, "query {i}");
        }
    }
    let short = View::new("dense", wave(m, 4, 0.0));
    let refused = Exact.query(
        &Distance::within(&short, DistanceMetric::Euclidean),
        &Distance::within(&reference_a, DistanceMetric::Euclidean),
        3,
        &Run::default(),
    );
    assert!(refused.unwrap_err().to_string().contains("view `dense`"));
}

#[test]
fn duplicates_and_few_samples() {
    let view = View::new("same", Dense::<f32>::zeros(4, 2));
    let found = Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), 20, &Run::default()).unwrap();
    assert_eq!(found.count(), 3);
    assert_eq!(found.of(2), (&[0, 1, 3][..], &[0.0; 3][..]));
}

#[test]
fn huge_numbers_are_measured_or_refused() {
    let large = View::new("large", Dense::from_fn(10, 1, |i, _| 1e25 * i as f32));
    let distance = Distance::within(&large, DistanceMetric::Euclidean);
    assert_eq!(Exact.search(&distance, 1, &Run::default()).unwrap().of(9).0, [8]);
    let hopeless = View::new("hopeless", Dense::from_fn(10, 1, |i, _| 1e200 * i as f64));
    let error = Exact.search(&Distance::within(&hopeless, DistanceMetric::Euclidean), 1, &Run::default()).unwrap_err();
    assert!(error.to_string().contains("view `hopeless`"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let view = View::new("v", wave(700, 6, 0.5).cast::<f32>());
    let search = || Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), 10, &Run::default()).unwrap();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(search), pool(3).install(search));
}

#[test]
fn only_those_within_rounding_of_the_last_are_measured_again() {
    let listed = || [(5.0_f32, 0), (1.0, 1), (3.1, 2), (2.0, 3), (3.0, 4), (3.2, 5)];
    let of = |rounding: f64, count: usize| {
        let mut listed = listed();
        let mut found: Vec<u32> = possible(&mut listed, count, rounding).iter().map(|&(_, sample)| sample).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(of(0.0, 3), [1, 3, 4]);
    assert_eq!(of(0.06, 3), [1, 2, 3, 4]);
    assert_eq!(of(f64::INFINITY, 3), [0, 1, 2, 3, 4, 5]);
    assert_eq!(of(0.0, 9), [0, 1, 2, 3, 4, 5]);
}
