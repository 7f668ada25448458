use super::points::squared_distance;
use super::*;

fn column(values: &[f64]) -> Dense<f64> {
    Dense::new(values.len(), 1, values.to_vec()).unwrap()
}

/// A grid of points that looks random but is the same everywhere.
fn scattered(rows: usize, cols: usize) -> Dense<f64> {
    Dense::from_fn(rows, cols, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64 / 100.0)
}

/// Labels are the nearest of the returned centres, and the inertia is theirs.
fn assert_whole(fit: &KMeansFit, points: &Dense<f64>) {
    let mut inertia = 0.0;
    for (row, &label) in points.iter_rows().zip(&fit.labels) {
        let own = squared_distance(row, fit.centres.row(label));
        let nearest = fit.centres.iter_rows().map(|centre| squared_distance(row, centre)).fold(f64::INFINITY, f64::min);
        assert!(own <= nearest + 1e-9);
        inertia += own;
    }
    assert!((fit.inertia - inertia).abs() <= 1e-9 * (1.0 + inertia));
}

#[test]
fn three_groups_by_hand() {
    let points = column(&[10.0, 0.0, 1.0, 11.0, 5.0, 12.0]);
    let fit = KMeans::new(3).fit(&points).unwrap();
    assert_eq!(fit.labels, [0, 1, 1, 0, 2, 0]);
    assert_eq!(fit.centres.data(), [11.0, 0.5, 5.0]);
    assert!((fit.inertia - 2.5).abs() < 1e-12);
    assert_whole(&fit, &points);
}

#[test]
fn one_cluster_is_the_mean() {
    let points = column(&[1.0, 2.0, 6.0]);
    let fit = KMeans::new(1).fit(&points).unwrap();
    assert_eq!((fit.labels.as_slice(), fit.restart), (&[0, 0, 0][..], 0));
    assert!((fit.centres.get(0, 0) - 3.0).abs() < 1e-12 && (fit.inertia - 14.0).abs() < 1e-12);
}

#[test]
fn a_weight_counts_as_so_many_copies() {
    let (points, weights) = (column(&[0.0, 2.0, 10.0, 13.0]), [3.0, 1.0, 1.0, 2.0]);
    let copies = column(&[0.0, 0.0, 0.0, 2.0, 10.0, 13.0, 13.0]);
    let (few, many) = (
        KMeans::new(2).fit_weighted(&points, &weights, &Run::default()).unwrap(),
        KMeans::new(2).fit(&copies).unwrap(),
    );
    assert_eq!((few.labels.as_slice(), few.centres.data()), (&[0, 0, 1, 1][..], &[0.5, 12.0][..]));
    assert!((few.centres.data() == many.centres.data()) && (few.inertia - many.inertia).abs() < 1e-12);
    assert!(KMeans::new(2).fit_weighted(&points, &[1.0, 1.0, 1.0, -1.0], &Run::default()).is_err());
    assert!(KMeans::new(2).fit_weighted(&points, &[1.0], &Run::default()).is_err());
}

#[test]
fn as_many_clusters_as_points() {
    let points = scattered(40, 3);
    let fit = KMeans::new(40).fit(&points).unwrap();
    assert_eq!(fit.labels, (0..40).collect::<Vec<_>>());
    assert!(fit.inertia < 1e-20);
}

#[test]
fn fewer_distinct_points_than_clusters() {
    let points = Dense::from_fn(30, 2, |i, _| (i % 3) as f64 * 0.1);
    let fit = KMeans::new(7).fit(&points).unwrap();
    assert_eq!(fit.labels, (0..30).map(|i| i % 3).collect::<Vec<_>>());
    assert_eq!((fit.centres.rows(), fit.iterations), (7, 1));
    assert!(fit.inertia < 1e-20);
    let equal = KMeans::new(4).fit(&Dense::from_fn(9, 2, |_, _| 0.3)).unwrap();
    assert_eq!(equal.labels, [0; 9]);
}

#[test]
fn every_run_is_whole_and_uses_every_cluster() {
    let points = scattered(300, 4);
    for (seed, max_iterations) in [(0, 300), (1, 2), (2, 1)] {
        let fit = KMeans { seed, max_iterations, restarts: 2, ..KMeans::new(20) }.fit(&points).unwrap();
        assert_whole(&fit, &points);
        assert!(fit.iterations <= max_iterations);
        assert_eq!(fit.labels.iter().max(), Some(&19));
    }
}

#[test]
fn an_offset_changes_nothing() {
    let points = scattered(200, 3);
    let far = Dense::from_fn(200, 3, |i, j| points.get(i, j) + 1e7);
    let (here, there) = (KMeans::new(6).fit(&points).unwrap(), KMeans::new(6).fit(&far).unwrap());
    assert_eq!(here.labels, there.labels);
}

#[test]
fn equal_restarts_keep_the_first_and_seeds_differ() {
    let two = column(&[0.0, 0.0, 9.0, 9.0]);
    assert_eq!(KMeans::new(2).fit(&two).unwrap().restart, 0);
    let one_run = |seed| KMeans { seed, restarts: 1, ..KMeans::new(20) }.fit(&scattered(300, 4)).unwrap().inertia;
    assert_eq!(one_run(1), one_run(1));
    assert_ne!(one_run(1), one_run(2));
}

#[test]
fn empty_clusters_get_different_points() {
    // two of three centres start where no point is nearest
    let points = Points::new(&column(&[0.0, 1.0, 2.0, 10.0, 10.0, 40.0]), vec![1.0; 6]).unwrap();
    let centres = points.moved_back(&[0.0; 3]).iter().zip([0.0, 1e3, 1e3]).map(|(mean, to)| to - mean).collect();
    let run =
        lloyd::run(&points, centres, &Limits { iterations: 100, squared_shift: 0.0 }, &crate::Run::default()).unwrap();
    let mut labels = run.labels;
    number_by_first_appearance(&mut labels);
    assert_eq!(labels, [0, 0, 0, 1, 1, 2]);
    assert!((run.inertia - 2.0).abs() < 1e-12);
}

#[test]
fn repair_takes_from_the_largest_error_and_leaves_means_right() {
    let points = Points::new(&column(&[-7.0, -5.0, -1.0, 1.0, 6.0, 6.0]), vec![1.0; 6]).unwrap();
    let (mut labels, mut sizes) = (vec![0, 0, 1, 1, 1, 1], vec![2, 4, 0, 0]);
    let mut centres = vec![-6.0, 3.0, 77.0, 77.0];
    repair::fill_empty(&points, &mut labels, &mut sizes, &mut centres);
    // -1 is farthest from 3; then {1, 6, 6} has the largest error and 1 is farthest from its mean
    assert_eq!((labels, sizes), (vec![0, 0, 2, 3, 1, 1], vec![2, 2, 1, 1]));
    assert_eq!(centres, [-6.0, 6.0, -1.0, 1.0]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let points = column(&[1.0, 2.0]);
    let message = |means: KMeans, points: &Dense<f64>| means.fit(points).unwrap_err().to_string();
    assert_eq!(message(KMeans::new(3), &points), "k = 3 clusters were asked for, but there are only 2 points");
    assert_eq!(message(KMeans::new(0), &points), "k = 0 clusters were asked for, but there must be at least 1");
    assert!(message(KMeans::new(1), &Dense::zeros(4, 0)).starts_with("4 points without coordinates"));
    assert!(message(KMeans::new(1), &column(&[1.0, f64::NAN])).starts_with("points must be finite"));
    assert!(message(KMeans::new(1), &column(&[1.0, 1e200])).starts_with("points must be finite"));
    assert!(message(KMeans { restarts: 0, ..KMeans::new(1) }, &points).contains("`restarts`"));
    assert!(message(KMeans { max_iterations: 0, ..KMeans::new(1) }, &points).contains("`max_iterations`"));
    assert!(message(KMeans { tolerance: f64::NAN, ..KMeans::new(1) }, &points).contains("`tolerance`"));
}

#[test]
fn a_cancelled_run_stops_inside() {
    let cancel = crate::Cancel::default();
    cancel.cancel();
    let run = crate::Run::cancellable(cancel);
    let error = KMeans::new(3).fit_observed(&scattered(50, 2), &run).unwrap_err();
    assert!(matches!(error, crate::Error::Cancelled));
}
