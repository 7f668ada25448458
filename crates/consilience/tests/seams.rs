//! What can be plugged in from outside, and what is refused at the door: a neighbour search, parameters, records.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use consilience::datasets::Blobs;
use consilience::method::{REGISTRY, Slrmf};
use consilience::neighbours::{Distance, Exact, NeighbourSearch, Neighbours};
use consilience::{Result, Run, RunRecord, Settings, Views, cluster};

/// Every pair measured by differences, with public API alone; counts how often it is asked.
#[derive(Default)]
struct Naive {
    searches: Arc<AtomicUsize>,
}

impl Naive {
    fn nearest(
        count: usize,
        candidates: impl Iterator<Item = usize>,
        distance: impl Fn(usize) -> f64,
    ) -> Vec<(f64, u32)> {
        let mut all: Vec<(f64, u32)> = candidates.map(|j| (distance(j), j as u32)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(count);
        all
    }

    fn collect(rows: &[Vec<(f64, u32)>], reference: usize) -> Result<Neighbours> {
        let count = rows.first().map_or(0, Vec::len);
        let (distances, samples) = rows.iter().flatten().copied().unzip();
        Neighbours::new(rows.len(), count, reference, samples, distances)
    }
}

impl NeighbourSearch for Naive {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        run.check()?;
        let n = distance.samples();
        let row = |i| Self::nearest(count, (0..n).filter(|&j| j != i), |j| distance.between(i, j));
        Self::collect(&(0..n).map(row).collect::<Vec<_>>(), n)
    }

    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        run.check()?;
        let n = reference.samples();
        let row = |i| Self::nearest(count, 0..n, |j| queries.across(i, reference, j));
        Self::collect(&(0..queries.samples()).map(row).collect::<Vec<_>>(), n)
    }
}

fn blobs() -> Views {
    Blobs { samples: 150, clusters: 3, features: vec![5, 8], separation: 6.0, seed: 11 }.generate().unwrap().0
}

#[test]
fn every_method_uses_the_search_it_is_given_and_finds_the_same() {
    let views = blobs();
    for info in REGISTRY {
        let settings = Settings::with_method(3, info.id, &[]).unwrap();
        let naive = Naive::default();
        let searches = Arc::clone(&naive.searches);
        let (exact, plugged) =
            (cluster(&views, &settings).unwrap(), cluster(&views, &settings.neighbours(naive)).unwrap());
        assert_eq!(exact.record.labels, plugged.record.labels, "{}", info.id);
        assert_eq!(exact.fitted.embedding.data(), plugged.fitted.embedding.data(), "{}", info.id);
        let uses_neighbours = exact.record.graph.is_some();
        assert_eq!(searches.load(Ordering::Relaxed) > 0, uses_neighbours, "{}: a search of its own", info.id);
    }
}

/// The exact search; counts how often all pairs of some samples are compared.
struct Counted(Arc<AtomicUsize>);

impl NeighbourSearch for Counted {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Exact.search(distance, count, run)
    }

    fn search_all(&self, wanted: &[(&Distance<'_>, usize)], run: &Run) -> Result<Vec<Neighbours>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Exact.search_all(wanted, run)
    }

    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Exact.query(queries, reference, count, run)
    }
}

#[test]
fn samples_of_two_views_are_compared_four_times_at_most() {
    let blobs = Blobs { samples: 700, clusters: 3, features: vec![5, 8], separation: 6.0, seed: 11 };
    let (views, _) = blobs.generate().unwrap();
    let searches = Arc::new(AtomicUsize::new(0));
    let found = cluster(&views, &Settings::new(3).neighbours(Counted(searches.clone()))).unwrap();
    let searches = searches.load(Ordering::Relaxed);
    assert!((1..=4).contains(&searches), "{searches} searches");
    // a model of it has all that it would search for
    let measured: Vec<&str> = found.fitted.spreads.keys().map(String::as_str).collect();
    assert_eq!(measured, ["view1", "view2"]);
}

#[test]
fn wrong_neighbours_are_refused() {
    let new = |samples: Vec<u32>, distances: Vec<f64>| Neighbours::new(2, 2, 4, samples, distances);
    assert!(new(vec![1, 2, 0, 2], vec![1.0, 2.0, 1.0, 1.0]).is_ok());
    assert!(new(vec![1, 2, 0], vec![1.0, 2.0, 1.0, 1.0]).is_err(), "too few");
    assert!(new(vec![1, 4, 0, 2], vec![1.0, 2.0, 1.0, 1.0]).is_err(), "outside");
    assert!(new(vec![1, 2, 0, 2], vec![2.0, 1.0, 1.0, 1.0]).is_err(), "not sorted");
    assert!(new(vec![1, 2, 0, 2], vec![1.0, f64::NAN, 1.0, 1.0]).is_err(), "not a number");
}

#[test]
fn parameters_built_in_rust_are_refused_as_their_text_is() {
    let views = blobs();
    let built = Settings::new(3).method(Slrmf { local_neighbour: 0, ..Slrmf::default() });
    let refused = cluster(&views, &built).err().unwrap().to_string();
    let text = Settings::with_method(3, "slrmf", &[("local_neighbour".to_owned(), "0".to_owned())]).err().unwrap();
    assert_eq!(refused, text.to_string());
    for info in REGISTRY {
        for row in (info.parameters)().iter().filter(|row| row.bounds.is_some_and(|bounds| bounds.min > 0.0)) {
            let error = info.from_text(&[(row.name.to_owned(), "0".to_owned())]).err();
            assert!(error.is_some(), "{}: {} = 0 lies outside its bounds", info.id, row.name);
        }
    }
}

#[test]
fn the_record_of_every_method_is_read_back_and_makes_the_run_again() {
    let views = blobs();
    for info in REGISTRY {
        let found = cluster(&views, &Settings::with_method(3, info.id, &[]).unwrap().seed(5)).unwrap();
        let text = serde_json::to_string(&found.record).unwrap();
        let read: RunRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text, "{}", info.id);
        assert_eq!(cluster(&views, &read.settings).unwrap().record.labels, found.record.labels, "{}", info.id);
    }
}
