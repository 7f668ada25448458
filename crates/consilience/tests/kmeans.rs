//! k-means against scikit-learn's, and for any number of threads.

// clippy.toml allows it in tests, but does not count their helpers
#![allow(clippy::unwrap_used)]

use consilience::matrix::Dense;
use consilience::spectral::{KMeans, KMeansFit};
use serde::Deserialize;

/// Made by scripts/make_kmeans_golden.py.
#[derive(Deserialize)]
struct Golden {
    touching: Blobs,
    overlapping: Blobs,
}

#[derive(Deserialize)]
struct Blobs {
    clusters: usize,
    /// Scikit-learn's with ten restarts, for one seed after the other.
    inertias: Vec<f64>,
    points: Vec<Vec<f64>>,
}

impl Golden {
    fn load() -> Self {
        serde_json::from_str(include_str!("golden/kmeans.json")).unwrap()
    }
}

impl Blobs {
    fn fit(&self, seed: u64) -> KMeansFit {
        let points = Dense::new(self.points.len(), self.points[0].len(), self.points.concat()).unwrap();
        KMeans { seed, ..KMeans::new(self.clusters) }.fit(&points).unwrap()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn inertia_is_not_above_scikit_learns() {
    let blobs = Golden::load().touching;
    let (ours, theirs) = (blobs.fit(0).inertia, blobs.inertias[0]);
    assert!(ours <= theirs * (1.0 + 1e-6), "inertia {ours}, scikit-learn's {theirs}");
}

#[test]
fn inertia_is_not_above_scikit_learns_over_many_seeds() {
    // where ten restarts do not find the optimum, one seed against one seed is luck: seeds differ by 2 percent here
    let blobs = Golden::load().overlapping;
    let ours = median((0..blobs.inertias.len() as u64).map(|seed| blobs.fit(seed).inertia).collect());
    let theirs = median(blobs.inertias);
    assert!(ours <= theirs * (1.0 + 1e-3), "median inertia {ours}, scikit-learn's {theirs}");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let blobs = Golden::load().overlapping;
    let fit_with = |threads: usize| -> KMeansFit {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| blobs.fit(7))
    };
    let (one, three) = (fit_with(1), fit_with(3));
    assert_eq!(one.labels, three.labels);
    assert_eq!(one.centres.data(), three.centres.data());
    assert_eq!((one.inertia, one.iterations, one.restart), (three.inertia, three.iterations, three.restart));
}
