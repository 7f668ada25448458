//! Views that are affinities or distances instead of features: what every method makes of them, and what the rest of the library
//! leaves alone.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use consilience::choose::KRange;
use consilience::datasets::Blobs;
use consilience::examine::Examine;
use consilience::graph::GraphSettings;
use consilience::markers::markers;
use consilience::matrix::{Dense, Matrix};
use consilience::method::{Property, REGISTRY};
use consilience::metrics::{Metric, score};
use consilience::model::Model;
use consilience::neighbours::{Distance, DistanceMetric, Exact};
use consilience::settings::Landmarks;
use consilience::views::Precomputed;
use consilience::{Run, Scale, Settings, View, Views, cluster};
use consilience_io::digits;
use consilience_io::model::{from_bytes, to_bytes};

fn blobs() -> (Vec<View>, Vec<usize>) {
    let (views, truth) =
        Blobs { samples: 160, clusters: 3, features: vec![6, 9, 7], separation: 12.0, seed: 7 }.generate().unwrap();
    (views.iter().cloned().collect(), truth)
}

/// The neighbour graph of a view, given as a view.
fn graph_of(view: &View, settings: &GraphSettings) -> View {
    let distance = Distance::within(view, DistanceMetric::Euclidean);
    let graph = settings.build(&distance, &Exact, &Run::default()).unwrap();
    View::new(view.name.clone(), graph.weights().clone()).precomputed(Precomputed::Affinity).unwrap()
}

/// All distances within a view, given as a view.
fn distances_of(view: &View) -> View {
    let (distance, n) = (Distance::within(view, DistanceMetric::Euclidean), view.data.rows());
    let all = Dense::from_fn(n, n, |i, j| distance.between(i, j).sqrt());
    View::new(view.name.clone(), all).precomputed(Precomputed::Distance).unwrap()
}

fn agreement(a: &[usize], b: &[usize]) -> f64 {
    score(a, b).unwrap()[Metric::Acc]
}

/// The second view as a graph, the third as distances.
fn mixed() -> (Views, Vec<usize>) {
    let (mut views, truth) = blobs();
    views[1] = graph_of(&views[1], &GraphSettings::default());
    views[2] = distances_of(&views[2]);
    (Views::new(views).unwrap(), truth)
}

#[test]
fn methods_that_start_from_graphs_use_them_and_the_others_refuse_by_name() {
    let (views, truth) = mixed();
    let graphs_only = Views::new(views.iter().skip(1).cloned().collect()).unwrap();
    let mut able = 0;
    for info in REGISTRY {
        let settings = Settings::with_method(3, info.id, &[]).unwrap();
        if !info.has(Property::Affinities) {
            let error = cluster(&views, &settings).err().unwrap();
            let told =
                format!("`{}` works on features, and view `view2` has none: it is an affinity of the samples", info.id);
            assert_eq!(error.to_string(), told);
            assert!(error.hint().unwrap().text().unwrap().starts_with("these can use affinities: slrmf, "));
            continue;
        }
        able += 1;
        for views in [&views, &graphs_only] {
            let found = cluster(views, &settings).unwrap_or_else(|error| panic!("{}: {error}", info.id));
            assert_eq!(agreement(&found.record.labels, &truth), 1.0, "{}", info.id);
            let kinds: Vec<bool> = found.record.views.iter().map(|view| view.affinity).collect();
            assert_eq!(kinds, views.iter().map(View::is_affinity).collect::<Vec<_>>());
            assert!(found.record.findings.corruption.iter().all(|found| found.view == "view1"));
        }
        assert!(cluster(&graphs_only, &settings).unwrap().record.graph.is_none(), "{}: nothing was made", info.id);
    }
    assert_eq!(able, 7);
}

#[test]
fn a_given_graph_is_the_graph_that_the_method_would_make() {
    let (views, _) = blobs();
    let scaled = Views::new(views).unwrap().scaled(Scale::Zscore).unwrap();
    let graphs: Vec<View> = scaled.iter().map(|view| graph_of(view, &GraphSettings::default())).collect();
    for method in ["average", "maasc", "comvsc", "cotraining"] {
        let settings = Settings::with_method(3, method, &[]).unwrap().scale(Scale::None);
        let made = cluster(&scaled, &settings).unwrap();
        let given = cluster(&Views::new(graphs.clone()).unwrap(), &settings).unwrap();
        assert_eq!(made.record.labels, given.record.labels, "{method}");
        let values = made.record.eigenvalues.iter().zip(&given.record.eigenvalues);
        let apart = values.map(|(made, given)| (made - given).abs()).fold(0.0, f64::max);
        // given weights are divided by the largest, and this method weighs views by the sizes of their weights
        assert!(apart < 1e-6 || method == "maasc", "{method}: {apart}");
    }
}

#[test]
fn the_digits_with_the_better_view_as_a_graph() {
    let digits = digits().unwrap();
    let truth: Vec<usize> = digits.labels.unwrap().codes().iter().map(|&code| code as usize).collect();
    let scaled = Views::new(digits.views).unwrap().scaled(Scale::Zscore).unwrap();
    let mut views: Vec<View> = scaled.iter().cloned().collect();
    views[1] = graph_of(&views[1], &GraphSettings { neighbours: 10, ..GraphSettings::default() });
    let with_graph = Views::new(views).unwrap();
    let nmi = |views: &Views, method: &str| {
        let settings = Settings::with_method(10, method, &[]).unwrap();
        score(&cluster(views, &settings).unwrap().record.labels, &truth).unwrap()[Metric::Nmi]
    };
    // a graph of ten neighbours says less than features: 0.95 with those; each view alone has 0.62 and 0.87
    assert!(nmi(&with_graph, "slrmf") > 0.86, "{}", nmi(&with_graph, "slrmf"));
    for method in ["snf", "average"] {
        let (features, graph) = (nmi(&scaled, method), nmi(&with_graph, method));
        assert!(graph > features - 0.03, "{method}: {features} by features, {graph} with a graph");
    }
}

#[test]
fn given_weights_order_and_incomplete_views() {
    let (views, truth) = mixed();
    let turned = Views::new(views.iter().rev().cloned().collect()).unwrap();
    let settings = Settings::new(3);
    let (plain, other) = (cluster(&views, &settings).unwrap(), cluster(&turned, &settings).unwrap());
    let weights: Vec<f64> = other.record.views.iter().rev().map(|view| view.weight).collect();
    let same = plain.record.views.iter().zip(weights).all(|(view, weight)| (view.weight - weight).abs() < 1e-6);
    assert!(same, "{:?}", other.record.views);
    // a sample that a graph does not know
    let lacking = |place: usize| {
        let mut lacking: Vec<View> = views.iter().cloned().collect();
        let absent: Vec<bool> = (0..160).map(|i| i % 9 == 4).collect();
        lacking[place] = lacking[place].with_absent(&absent).unwrap();
        Views::new(lacking).unwrap()
    };
    for info in REGISTRY.iter().filter(|info| info.has(Property::Affinities) && info.has(Property::Incomplete)) {
        let settings =
            Settings::with_method(3, info.id, &[("view".into(), "view1".into())][..usize::from(info.id == "single")]);
        let found = cluster(&lacking(1), &settings.unwrap()).unwrap();
        assert!(agreement(&found.record.labels, &truth) > 0.95, "{}", info.id);
    }
    // and one that only graphs know
    let found = cluster(&lacking(0), &settings).unwrap();
    assert!(agreement(&found.record.labels, &truth) > 0.95);
}

#[test]
fn shuffled_affinities_are_warned_of_and_asymmetry_is_said() {
    let (views, _) = mixed();
    let warned = |views: &Views, kind: &str| {
        cluster(views, &Settings::new(3)).unwrap().record.warnings.iter().any(|warning| warning.kind() == kind)
    };
    assert!(!warned(&views, "unrelated_view") && !warned(&views, "averaged_affinity"));
    let order: Vec<usize> = (0..160).map(|i| (i * 37 + 11) % 160).collect();
    let mut several: Vec<View> = views.iter().cloned().collect();
    several[1] = Views::new(vec![several[1].clone()]).unwrap().select(&order).unwrap().iter().next().unwrap().clone();
    assert!(warned(&Views::new(several).unwrap(), "unrelated_view"));

    let mut several: Vec<View> = views.iter().cloned().collect();
    let Matrix::SparseF64(weights) = &several[1].data else { panic!() };
    let mut weights = weights.clone();
    weights.row_values_mut(0).iter_mut().for_each(|weight| *weight *= 0.5);
    several[1] = View::new("view2", weights).precomputed(Precomputed::Affinity).unwrap();
    assert!(warned(&Views::new(several).unwrap(), "averaged_affinity"));
}

#[test]
fn reports_markers_and_the_number_of_clusters_go_by_the_features() {
    let (views, truth) = mixed();
    let found = cluster(&views, &Settings::new(3)).unwrap();
    let asked = Examine { resamples: 2, ..Examine::default() };
    let examined = asked.examine(&views, &Settings::new(3), &found, &Run::default()).unwrap();
    assert!(examined.structure.is_some() && examined.views.len() == 3);
    assert!(!examined.markers.is_empty() && examined.markers.iter().all(|marker| marker.view == "view1"));
    let chosen = cluster(&views, &Settings::new(1).choose(Some(KRange::Auto))).unwrap();
    assert_eq!(agreement(&chosen.record.labels, &truth), 1.0);

    let graphs = Views::new(views.iter().skip(1).cloned().collect()).unwrap();
    let found = cluster(&graphs, &Settings::new(3)).unwrap();
    let examined = asked.examine(&graphs, &Settings::new(3), &found, &Run::default()).unwrap();
    assert!(examined.structure.is_none() && examined.stability.unwrap().mean > 0.9);
    assert!(markers(&graphs, &found.record.labels, 5).unwrap().is_empty());
    let error = cluster(&graphs, &Settings::new(1).choose(Some(KRange::Auto))).err().unwrap();
    assert!(error.to_string().contains("chosen by features") && error.hint().is_some());
}

#[test]
fn models_know_the_features_only_and_landmarks_need_them() {
    let (views, truth) = mixed();
    let found = cluster(&views, &Settings::new(3)).unwrap();
    let model = Model::new(&views, &found, &Run::default()).unwrap();
    let model = from_bytes(&to_bytes(&model).unwrap()).unwrap();
    assert_eq!(model.view_names().collect::<Vec<_>>(), ["view1"]);
    let features = Views::new(vec![views.named("view1").unwrap().clone()]).unwrap();
    assert_eq!(agreement(&model.predict(&features, &Run::default()).unwrap().labels, &truth), 1.0);
    assert!(model.predict(&views, &Run::default()).is_err(), "an affinity is not a view of new samples");

    let graphs = Views::new(views.iter().skip(1).cloned().collect()).unwrap();
    let found = cluster(&graphs, &Settings::new(3)).unwrap();
    let model = Model::new(&graphs, &found, &Run::default()).unwrap();
    let again = from_bytes(&to_bytes(&model).unwrap()).unwrap();
    assert_eq!(again.labels(), found.record.labels);
    let error = again.predict(&features, &Run::default()).unwrap_err();
    assert!(error.to_string().contains("say nothing of new samples"), "{error}");

    let error = cluster(&views, &Settings::new(3).landmarks(Landmarks::Count(50))).err().unwrap();
    assert!(error.to_string().starts_with("samples are placed among landmarks by their features, and view `view2`"));
}
