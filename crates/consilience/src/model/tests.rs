//! Models: what they predict for the samples they were made of and for others.

use super::Model;
use crate::datasets::Blobs;
use crate::matrix::Dense;
use crate::method::REGISTRY;
use crate::metrics::{Metric, score};
use crate::{Clustering, Error, Run, Settings, View, Views, cluster};

fn blobs(samples: usize, seed: u64) -> (Views, Vec<usize>) {
    Blobs { samples, clusters: 3, features: vec![5, 8], separation: 10.0, seed }.generate().unwrap()
}

fn fitted(views: &Views, settings: &Settings) -> (Clustering, Model) {
    let found = cluster(views, settings).unwrap();
    let model = Model::new(views, &found, &Run::default()).unwrap();
    (found, model)
}

/// Every row of `views` that is named.
fn rows(views: &Views, rows: &[usize]) -> Views {
    Views::new(views.iter().map(|view| view.with_data(view.data.select_rows(rows))).collect()).unwrap()
}

#[test]
fn every_method_gives_its_own_samples_their_labels() {
    let (views, _) = blobs(120, 1);
    for info in REGISTRY {
        let (found, model) = fitted(&views, &Settings::with_method(3, info.id, &[]).unwrap());
        let again = model.predict(&views, &Run::default()).unwrap();
        let same = again.labels.iter().zip(&found.record.labels).filter(|(a, b)| a == b).count();
        assert!(same >= 119, "{}: {same} of 120", info.id);
    }
}

#[test]
fn samples_unlike_anything_are_said_to_be() {
    let (views, _) = blobs(150, 2);
    let (_, model) = fitted(&views, &Settings::new(3));
    let far =
        views.iter().map(|view| view.with_data(Dense::from_fn(20, view.data.cols(), |i, j| 90.0 + (i * j) as f64)));
    let found = model.predict(&Views::new(far.collect()).unwrap(), &Run::default()).unwrap();
    assert!(found.unlike.iter().all(|x| *x) && found.distance.iter().all(|d| *d > 2.0));
    assert!(found.warnings.iter().any(|w| w.kind() == "unlike_the_model"), "{:?}", found.warnings);
}

#[test]
fn a_column_that_never_varied_says_nothing_of_new_samples() {
    let data = |n: usize, constant: f64| {
        Dense::from_fn(n, 3, |i, j| if j == 2 { constant } else { (i % 2 * 9 + i * (j + 3) % 5) as f64 })
    };
    let views = |n, constant| Views::new(vec![View::new("v", data(n, constant))]).unwrap();
    let (_, model) = fitted(&views(50, 1.0), &Settings::new(2));
    let (same, other) = (views(10, 1.0), views(10, 700.0));
    let (same, other) =
        (model.predict(&same, &Run::default()).unwrap(), model.predict(&other, &Run::default()).unwrap());
    assert_eq!((same.labels, same.distance), (other.labels, other.distance));
}

#[test]
fn features_are_matched_by_name() {
    let named = |order: &[&str], view: &Views| {
        let columns = ["a", "b", "c"];
        let data = Dense::from_fn(view.samples(), order.len(), |i, j| {
            let place = columns.iter().position(|c| *c == order[j]);
            place.map_or(7.0, |place| view.iter().next().unwrap().data.row_entries(i).1[place])
        });
        let features = Some(order.iter().map(|&name| name.to_owned()).collect());
        Views::new(vec![View::new("v", data).with_features(features)]).unwrap()
    };
    let one = Blobs { samples: 60, clusters: 2, features: vec![3], separation: 9.0, seed: 3 }.generate().unwrap().0;
    let (found, model) = fitted(&named(&["a", "b", "c"], &one), &Settings::new(2));
    let again = model.predict(&named(&["c", "more", "a", "b"], &one), &Run::default()).unwrap();
    assert_eq!(again.labels, found.record.labels);
    assert!(again.warnings.iter().any(|w| w.to_string().contains("`more`")), "{:?}", again.warnings);
    let refused = model.predict(&named(&["a", "b"], &one), &Run::default()).unwrap_err().to_string();
    assert!(refused.contains("lacks 1 of the 3 features") && refused.contains("`c`"), "{refused}");
    let unnamed = Views::new(vec![View::new("v", Dense::<f64>::zeros(2, 4))]).unwrap();
    assert!(model.predict(&unnamed, &Run::default()).unwrap_err().to_string().contains("4 features"));
    let other = Views::new(vec![View::new("w", Dense::<f64>::zeros(2, 3))]).unwrap();
    assert!(matches!(model.predict(&other, &Run::default()), Err(Error::Unknown { .. })));
}

#[test]
fn views_go_by_name_then_by_features_then_by_place() {
    let (views, _) = blobs(60, 8);
    let (_, model) = fitted(&views, &Settings::new(3));
    let renamed = |names: [&str; 2]| {
        let both = views.iter().zip(names).map(|(view, name)| view.clone().renamed(name));
        Views::new(both.collect()).unwrap()
    };
    let names = |views: &Views| views.iter().map(|view| view.name.clone()).collect::<Vec<_>>();
    let known = names(&views);
    let (found, notes) = model.recognise(&views).unwrap();
    assert_eq!((names(&found), notes.len()), (known.clone(), 0));
    let (found, notes) = model.recognise(&renamed(["new_a", "new_b"])).unwrap();
    assert_eq!(names(&found), known);
    assert!(notes[0].contains("by its place"), "{notes:?}");
    let half = renamed([&known[0], "stranger"]);
    assert!(matches!(model.recognise(&half), Err(Error::Unknown { .. })));
    let featured = |names: [&str; 2]| {
        let both = views.iter().zip(names).enumerate().map(|(at, (view, name))| {
            let features = (0..view.data.cols()).map(|j| format!("{at}/{j}")).collect();
            view.clone().renamed(name).with_features(Some(features))
        });
        Views::new(both.collect()).unwrap()
    };
    let (_, model) = fitted(&featured(["a", "b"]), &Settings::new(3));
    let swapped = featured(["x", "y"]);
    let swapped = Views::new(swapped.iter().rev().cloned().collect()).unwrap();
    let (found, notes) = model.recognise(&swapped).unwrap();
    assert_eq!(names(&found), ["b", "a"]);
    assert!(notes[0].contains("by its features"), "{notes:?}");
}

/// A model that is too large to compare every sample with: 5,000 samples in two views.
fn large() -> (Views, Clustering, Model) {
    let blobs = Blobs { samples: 5000, clusters: 6, features: vec![4, 6], separation: 5.0, seed: 11 };
    let views = blobs.generate().unwrap().0;
    let (found, model) = fitted(&views, &Settings::with_method(6, "kmeans", &[]).unwrap());
    (views, found, model)
}

#[test]
fn large_models_know_their_own_samples_and_place_others_as_an_exact_search_does() {
    let (views, found, model) = large();
    let again = model.predict(&views, &Run::default()).unwrap();
    let same = |a: &[usize], b: &[usize]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    assert!(same(&again.labels, &found.record.labels) >= 4950);
    // other samples of the same clusters, in both views and in one
    let (new, truth) =
        Blobs { samples: 400, clusters: 6, features: vec![4, 6], separation: 5.0, seed: 11 }.generate().unwrap();
    let placed = model.predict(&new, &Run::default()).unwrap();
    assert!(score(&placed.labels, &truth).unwrap()[Metric::Acc] > 0.9);
    let one = Views::new(vec![new.iter().next().unwrap().clone()]).unwrap();
    assert_eq!(model.predict(&one, &Run::default()).unwrap().labels.len(), 400);
}

#[test]
fn pieces_and_threads_change_nothing() {
    let (views, _, model) = large();
    let whole = model.predict(&views, &Run::default()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let mut placing = model.placing();
    let (mut labels, mut positions, mut confidence) = (Vec::new(), Vec::new(), Vec::new());
    for first in (0..5000).step_by(1700) {
        let piece = rows(&views, &(first..(first + 1700).min(5000)).collect::<Vec<_>>());
        let found = pool.install(|| placing.place(&piece, &Run::default())).unwrap();
        labels.extend(found.labels);
        positions.extend(found.positions);
        confidence.extend(found.confidence);
    }
    assert_eq!((labels, positions, confidence), (whole.labels, whole.positions, whole.confidence));
    let other = Views::new(vec![views.iter().next().unwrap().clone()]).unwrap();
    let refused = placing.place(&other, &Run::default()).unwrap_err().to_string();
    assert!(refused.contains("do not have the same views"), "{refused}");
}
