//! What every method of the registry must do. A new method is tested here by being in the registry.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use consilience::datasets::Blobs;
use consilience::matrix::{Dense, Matrix};
use consilience::method::{Property, REGISTRY};
use consilience::model::Model;
use consilience::{Clustering, Corruption, CorruptionMode, Error, Hint, Run, Settings, View, Views, cluster, metrics};

fn settings(method: &str, clusters: usize) -> Settings {
    Settings::with_method(clusters, method, &[]).unwrap()
}

fn run(method: &str, clusters: usize, views: &Views) -> Clustering {
    cluster(views, &settings(method, clusters)).unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// Runs `check` for every method, with its id for messages.
fn for_every_method(check: impl Fn(&str)) {
    for info in REGISTRY {
        check(info.id);
    }
}

fn blobs(samples: usize, clusters: usize) -> (Views, Vec<usize>) {
    Blobs { samples, clusters, features: vec![6, 9], separation: 12.0, seed: 7 }.generate().unwrap()
}

fn agreement(a: &[usize], b: &[usize]) -> f64 {
    metrics::score(a, b).unwrap()[consilience::metrics::Metric::Acc]
}

/// The same views with every matrix changed.
fn changed(views: &Views, change: impl Fn(&Dense<f64>) -> Dense<f64>) -> Views {
    let new = views.iter().map(|view| match &view.data {
        Matrix::DenseF64(m) => View::new(view.name.clone(), change(m)),
        _ => panic!("the synthetic views are dense f64"),
    });
    Views::new(new.collect()).unwrap()
}

#[test]
fn separable_blobs_are_exactly_right() {
    let (views, truth) = blobs(240, 4);
    for_every_method(|method| {
        let result = run(method, 4, &views);
        assert_eq!(agreement(&result.record.labels, &truth), 1.0, "{method}");
        assert!(result.fitted.embedding.rows() == 240 && result.fitted.embedding.cols() >= 1, "{method}");
        assert!(
            (result.record.views.iter().map(|view| view.weight).sum::<f64>() - 1.0).abs() < 1e-9,
            "{method}: weights"
        );
    });
}

#[test]
fn eigenvalues_go_past_the_number_of_clusters() {
    // small enough to be written out, and large enough to be searched
    for samples in [150, 400] {
        let (views, _) = blobs(samples, 3);
        for_every_method(|method| {
            let values = run(method, 3, &views).record.eigenvalues;
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1] - 1e-3), "{method}: {values:?}");
            match method {
                "kmeans" => assert!(values.is_empty(), "it needs none: {values:?}"),
                // it solves again from where it was, and has little else at hand
                "maasc" => assert!(values.len() >= 3, "{values:?}"),
                "slrmf_admm" => assert!(values.len() >= 3, "its affinity is of rank k: {values:?}"),
                _ => assert!(values.len() > 3, "{method}: {values:?}"),
            }
        });
    }
}

#[test]
fn whoever_ends_by_its_limit_says_so() {
    let blobs = Blobs { samples: 120, clusters: 4, features: vec![6, 9], separation: 2.0, seed: 7 };
    let (views, _) = blobs.generate().unwrap();
    let mut limited = 0;
    for info in REGISTRY.iter().filter(|info| (info.parameters)().iter().any(|row| row.name == "max_iterations")) {
        for set in [&[][..], &[("max_iterations".to_owned(), "1".to_owned())][..]] {
            let found = cluster(&views, &Settings::with_method(4, info.id, set).unwrap()).unwrap().record;
            let ended = !found.termination.is_converged();
            let warned = found.warnings.iter().any(|warning| warning.kind() == "not_converged");
            assert!(warned >= ended, "{}: {set:?}", info.id);
            // the default of a budget is as far as labels need: an early stop by design is no limit
            if info.has(Property::Budget) {
                assert_eq!((warned, ended), (!set.is_empty(), !set.is_empty()), "{}: {:?}", info.id, found.termination);
            }
            limited += usize::from(ended);
        }
    }
    assert!(limited >= 3, "or nothing was tested");
}

#[test]
fn models_give_their_own_samples_their_labels() {
    // clusters that touch, so that some samples lie between two of them
    let blobs = Blobs { samples: 300, clusters: 4, features: vec![6, 9], separation: 3.5, seed: 7 };
    let (views, _) = blobs.generate().unwrap();
    for_every_method(|method| {
        let result = run(method, 4, &views);
        let model = Model::new(&views, &result, &Run::default()).unwrap();
        let model = consilience_io::model::from_bytes(&consilience_io::model::to_bytes(&model).unwrap()).unwrap();
        let again = model.predict(&views, &Run::default()).unwrap();
        let same = again.labels.iter().zip(&result.record.labels).filter(|(a, b)| a == b).count();
        assert!(same >= 297, "{method}: {same} of 300");
    });
}

#[test]
fn labels_are_canonical() {
    let (views, _) = blobs(120, 3);
    for_every_method(|method| {
        let labels = run(method, 3, &views).record.labels;
        let mut next = 0;
        for label in labels {
            assert!(label <= next, "{method}: label {label} before {next}");
            next = next.max(label + 1);
        }
    });
}

#[test]
fn the_same_seed_gives_the_same_result_on_any_number_of_threads() {
    let (views, _) =
        Blobs { samples: 300, clusters: 5, features: vec![5, 8], separation: 2.0, seed: 1 }.generate().unwrap();
    for_every_method(|method| {
        let with_threads = |threads| {
            let settings = settings(method, 5).threads(threads).seed(3);
            let result = cluster(&views, &settings).unwrap();
            (result.record.labels, result.fitted.embedding.data().to_vec())
        };
        let one = with_threads(1);
        assert!(one == with_threads(1) && one == with_threads(3), "{method}");
    });
}

#[test]
fn permuted_samples_permute_labels() {
    let (views, _) = blobs(150, 3);
    let order: Vec<usize> = (0..150).map(|i| (i * 67 + 13) % 150).collect();
    let permuted = changed(&views, |m| m.select_rows(&order));
    for_every_method(|method| {
        let (plain, moved) = (run(method, 3, &views).record.labels, run(method, 3, &permuted).record.labels);
        let expected: Vec<usize> = order.iter().map(|&i| plain[i]).collect();
        assert_eq!(agreement(&moved, &expected), 1.0, "{method}");
    });
}

#[test]
fn duplicates_stay_together() {
    let (views, _) = blobs(90, 3);
    let twice: Vec<usize> = (0..180).map(|i| i % 90).collect();
    let doubled = changed(&views, |m| m.select_rows(&twice));
    for_every_method(|method| {
        let labels = run(method, 3, &doubled).record.labels;
        assert!((0..90).all(|i| labels[i] == labels[i + 90]), "{method}");
    });
}

#[test]
fn samples_that_are_all_the_same_are_survived() {
    let same = Views::new(vec![View::new("a", Dense::<f64>::zeros(30, 3)), View::new("b", Dense::<f64>::zeros(30, 2))]);
    let same = same.unwrap();
    for_every_method(|method| assert_eq!(run(method, 2, &same).record.labels.len(), 30, "{method}"));
}

#[test]
fn constant_columns_change_nothing() {
    let (views, truth) = blobs(120, 3);
    let padded = changed(&views, |m| {
        Dense::from_fn(
            m.rows(),
            m.cols() + 2,
            |i, j| if j < m.cols() { m.get(i, j) } else { 1e9 * (j - m.cols()) as f64 },
        )
    });
    for_every_method(|method| assert_eq!(agreement(&run(method, 3, &padded).record.labels, &truth), 1.0, "{method}"));
}

#[test]
fn samples_that_are_zero_in_a_view_are_survived() {
    let (views, _) = blobs(120, 3);
    let mut given: Vec<View> = views.iter().cloned().collect();
    let Matrix::DenseF64(first) = &given[0].data else { panic!("the synthetic views are dense f64") };
    given[0] =
        View::new("gaps", Dense::from_fn(120, first.cols(), |i, j| if i % 10 == 0 { 0.0 } else { first.get(i, j) }));
    let gaps = Views::new(given).unwrap();
    for_every_method(|method| {
        let found = run(method, 3, &gaps);
        assert_eq!(found.record.clusters_found(), 3, "{method}");
        assert!(found.fitted.embedding.data().iter().all(|x| x.is_finite()), "{method}");
    });
}

#[test]
fn one_cluster_and_as_many_clusters_as_samples() {
    let (views, _) = blobs(40, 4);
    for_every_method(|method| {
        assert_eq!(run(method, 1, &views).record.labels, vec![0; 40], "{method}");
        assert_eq!(run(method, 40, &views).record.labels, (0..40).collect::<Vec<_>>(), "{method}");
    });
}

#[test]
fn few_samples_one_view_and_many_views() {
    let tiny = Views::new(vec![View::new("a", Dense::from_fn(5, 2, |i, j| (i * (j + 1)) as f64))]).unwrap();
    let features: Vec<usize> = (2..12).collect();
    let (many, truth) = Blobs { samples: 90, clusters: 3, features, separation: 12.0, seed: 2 }.generate().unwrap();
    for_every_method(|method| {
        assert_eq!(run(method, 2, &tiny).record.labels.len(), 5, "{method}");
        assert_eq!(agreement(&run(method, 3, &many).record.labels, &truth), 1.0, "{method}");
    });
}

#[test]
fn a_single_sample_is_a_cluster() {
    let lonely = Views::new(vec![View::new("a", Dense::from_fn(1, 3, |_, j| j as f64))]).unwrap();
    for_every_method(|method| assert_eq!(run(method, 1, &lonely).record.labels, [0], "{method}"));
}

#[test]
fn impossible_numbers_of_clusters_are_refused() {
    let (views, _) = blobs(30, 3);
    for_every_method(|method| {
        for k in [0, 31] {
            let error = cluster(&views, &settings(method, k)).err().unwrap();
            assert!(matches!(error, Error::Clusters { .. }), "{method}: {error}");
        }
    });
}

#[test]
fn missing_values_never_reach_a_method() {
    let mut broken = Dense::<f64>::zeros(10, 2);
    broken.data_mut()[7] = f64::NAN;
    assert!(Views::new(vec![View::new("a", broken)]).is_err());
}

#[test]
fn precision_and_sparsity_do_not_change_the_answer() {
    let (views, truth) = blobs(150, 3);
    let single = views.iter().map(|view| match &view.data {
        Matrix::DenseF64(m) => View::new(view.name.clone(), m.cast::<f32>()),
        _ => panic!(),
    });
    let single = Views::new(single.collect()).unwrap();
    let sparse = views.iter().map(|view| match &view.data {
        Matrix::DenseF64(m) => View::new(view.name.clone(), consilience::matrix::Csr::from_dense(m).unwrap()),
        _ => panic!(),
    });
    let sparse = Views::new(sparse.collect()).unwrap();
    for_every_method(|method| {
        assert_eq!(agreement(&run(method, 3, &single).record.labels, &truth), 1.0, "{method} f32");
        assert_eq!(agreement(&run(method, 3, &sparse).record.labels, &truth), 1.0, "{method} sparse");
    });
}

#[test]
fn cancelling_stops_every_method() {
    use consilience::{Cancel, Observer, Run, cluster_observed};
    struct Silent;
    impl Observer for Silent {}
    let (views, _) = blobs(60, 3);
    for_every_method(|method| {
        let cancel = Cancel::default();
        cancel.cancel();
        let run = Run::new(std::sync::Arc::new(Silent), cancel);
        assert!(matches!(cluster_observed(&views, &settings(method, 3), &run), Err(Error::Cancelled)), "{method}");
    });
}

/// Views of which each has lost a third of the samples, and what is true.
fn incomplete() -> (Views, Vec<usize>) {
    let (views, truth) =
        Blobs { samples: 240, clusters: 3, features: vec![6, 9, 7], separation: 12.0, seed: 7 }.generate().unwrap();
    let loss = Corruption { fraction: 0.3, mode: CorruptionMode::Lose, ..Corruption::default() };
    (views.corrupted(&loss).unwrap(), truth)
}

#[test]
fn incomplete_views_are_clustered_or_refused_by_name() {
    let (views, truth) = incomplete();
    for info in REGISTRY {
        if !info.has(Property::Incomplete) {
            let error = cluster(&views, &settings(info.id, 3)).err().unwrap();
            assert!(error.to_string().starts_with(&format!("`{}` needs every sample", info.id)), "{error}");
            let Some(Hint::CompleteSamples { able }) = error.hint() else { panic!("{error:?}") };
            assert_eq!(able[..3], ["slrmf", "snf", "average"]);
            continue;
        }
        let found = run(info.id, 3, &views);
        assert!(found.fitted.embedding.data().iter().all(|x| x.is_finite()), "{}", info.id);
        let warned = found.record.warnings.iter().filter(|warning| warning.kind() == "missing_samples").count();
        assert_eq!(warned, 3, "{}", info.id);
        // who knows one view knows two thirds of the samples; the others put every sample right
        let first = views.iter().next().unwrap();
        let judged: Vec<usize> = if info.id == "single" { first.present() } else { (0..240).collect() };
        let pick = |labels: &[usize]| judged.iter().map(|&i| labels[i]).collect::<Vec<usize>>();
        let right = agreement(&pick(&found.record.labels), &pick(&truth));
        assert!(right > if info.id == "kmeans" { 0.8 } else { 0.99 }, "{}: {right}", info.id);
    }
}

/// What stands in the rows of samples that a view does not know must not matter.
#[test]
fn rows_of_lost_samples_are_never_looked_at() {
    let (views, _) = incomplete();
    let filled = |x: f64| {
        let again = views.iter().map(|view| {
            let Matrix::DenseF64(m) = &view.data else { panic!("the synthetic views are dense f64") };
            let data = Dense::from_fn(240, m.cols(), |i, j| if view.is_absent(i) { x } else { m.get(i, j) });
            View::new(view.name.clone(), data).with_absent(view.absent().unwrap()).unwrap()
        });
        Views::new(again.collect()).unwrap()
    };
    for info in REGISTRY.iter().filter(|info| info.has(Property::Incomplete)) {
        let labels = |views: &Views| run(info.id, 3, views).record.labels;
        assert_eq!(labels(&filled(1e6)), labels(&filled(f64::NAN)), "{}", info.id);
    }
}
