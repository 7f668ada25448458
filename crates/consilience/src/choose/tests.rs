//! The whole choice on data whose answer is known.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::datasets::Blobs;
use crate::matrix::Dense;
use crate::{Settings, View, cluster};

fn chosen(views: &Views, range: KRange) -> (usize, KChoice) {
    let record = cluster(views, &Settings::choosing(range).seed(3)).unwrap().record;
    (record.settings.clusters, record.choice.unwrap())
}

#[test]
fn well_separated_clusters_are_counted() {
    for (clusters, features) in [(2, vec![5]), (3, vec![4, 6]), (7, vec![10, 5])] {
        let blobs = Blobs { samples: 40 * clusters, clusters, features, separation: 16.0, seed: clusters as u64 };
        let (k, choice) = chosen(&blobs.generate().unwrap().0, KRange::Auto);
        assert_eq!((k, choice.answer.as_ref()), (clusters, Some(&Answer::Clusters { clusters })), "{choice:#?}");
        assert_eq!(choice.candidates[0].k, clusters);
    }
}

/// Few samples: parts of a cluster hold together nearly as well as clusters would elsewhere.
#[test]
fn three_clusters_of_forty_are_three() {
    let mut three = 0;
    for seed in 0..10 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut at = |row: usize, step: f64, width: f64| step * (row % 3) as f64 + width * normal(&mut rng);
        let a = Dense::from_fn(120, 2, |row, column| at(row, [5.0, -4.0][column], 1.0));
        let b = Dense::from_fn(120, 3, |row, column| at(row, [3.0, 0.0, 1.0][column], [1.0, 1.0, 0.3][column]));
        let views = Views::new(vec![View::new("a", a), View::new("b", b)]).unwrap();
        three += usize::from(chosen(&views, KRange::Auto).0 == 3);
    }
    assert_eq!(three, 10);
}

/// Box and Muller's.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[test]
fn one_gaussian_has_no_structure() {
    let views = Blobs { samples: 150, clusters: 1, features: vec![3], separation: 1.0, seed: 1 }.generate().unwrap().0;
    let found = cluster(&views, &Settings::choosing(KRange::Auto)).unwrap().record;
    assert_eq!((found.settings.clusters, found.clusters_found()), (1, 1));
    assert!(
        found.warnings.iter().any(|warning| matches!(warning, Warning::NoStructure { .. })),
        "{:?}",
        found.warnings
    );
    assert!(found.choice.unwrap().overlap.is_none());
}

#[test]
fn views_that_do_not_know_of_each_other_are_asked_one_by_one() {
    let blobs = |seed| Blobs { samples: 150, clusters: 3, features: vec![5], separation: 14.0, seed };
    let view = |seed, name: &str| {
        let views = blobs(seed).generate().unwrap().0;
        View::new(name, views.iter().next().unwrap().data.clone())
    };
    let (noise, other) = (View::new("noise", random(150, 5)), View::new("other", random(150, 6)));
    let found = |views: Vec<View>| chosen(&Views::new(views).unwrap(), KRange::Between(2, 10)).1.answer.unwrap();
    let alone = vec![("a".to_owned(), 3), ("b".to_owned(), 3)];
    assert_eq!(found(vec![view(1, "a"), view(2, "b")]), Answer::ViewsDisagree { alone, clusters: 9 });
    assert_eq!(found(vec![view(1, "a"), noise.clone()]), Answer::OneView { view: "a".into(), clusters: 3 });
    let none = found(vec![other, noise]);
    assert!(matches!(&none, Answer::NoStructure { reason } if reason.contains("views do not agree")), "{none}");
}

fn random(n: usize, seed: u64) -> Dense<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Dense::from_fn(n, 5, |_, _| rng.random::<f64>())
}

/// Half of the samples are shifted in one view by more than the clusters are apart.
#[test]
fn a_batch_in_one_view_is_a_disagreement() {
    let blobs = Blobs { samples: 180, clusters: 3, features: vec![6, 8], separation: 12.0, seed: 4 };
    let views = blobs.generate().unwrap().0;
    let mut views: Vec<View> = views.iter().cloned().collect();
    let shifted = |data: &crate::matrix::Matrix| {
        let known =
            crate::matrix::for_matrix!(data, dense m => m.cast::<f64>(), sparse m => m.cast::<f64>().to_dense());
        Dense::from_fn(180, known.cols(), |i, j| known.get(i, j) + if i % 2 == 0 { 12.0 } else { 0.0 })
    };
    views[0] = View::new("shifted", shifted(&views[0].data));
    let (k, choice) = chosen(&Views::new(views).unwrap(), KRange::Auto);
    let Some(Answer::ViewsDisagree { alone, clusters }) = choice.answer else { panic!("{choice:#?}") };
    assert_eq!(alone, [("shifted".to_owned(), 6), ("view2".to_owned(), 3)]);
    assert_eq!((clusters, k), (6, 6));
}

#[test]
fn a_range_without_the_number_says_what_the_data_say() {
    let blobs = Blobs { samples: 160, clusters: 4, features: vec![5, 6], separation: 14.0, seed: 3 };
    let views = blobs.generate().unwrap().0;
    for (range, outside) in
        [(KRange::Between(5, 8), true), (KRange::Between(2, 3), true), (KRange::Between(3, 6), false)]
    {
        let (k, choice) = chosen(&views, range);
        let expected = Answer::OutsideRange { asked: range.to_string(), clusters: 4 };
        assert_eq!(choice.answer, Some(if outside { expected } else { Answer::Clusters { clusters: 4 } }), "{range}");
        assert_eq!((k, choice.candidates[0].k), (4, 4));
    }
}

/// 150, 40 and 4 samples: graphs tie the four to strangers.
#[test]
fn a_rare_kind_counts() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let cluster = |i: usize| if i < 4 { 2 } else { usize::from(i < 44) };
    let mut view = |name: &str, d: usize| {
        View::new(name, Dense::from_fn(194, d, |i, j| normal(&mut rng) + if j == cluster(i) { 9.0 } else { 0.0 }))
    };
    let views = Views::new(vec![view("a", 6), view("b", 8)]).unwrap();
    let (k, choice) = chosen(&views, KRange::Auto);
    assert_eq!((k, choice.answer.as_ref()), (3, Some(&Answer::Clusters { clusters: 3 })), "{:#?}", choice.candidates);
    assert!(choice.candidates[0].evidence[0].starts_with("4 samples are near each other"), "{:?}", choice.candidates);
}

#[test]
fn repeated_samples_are_named() {
    let blobs = Blobs { samples: 60, clusters: 3, features: vec![5, 6], separation: 14.0, seed: 8 };
    let rows: Vec<usize> = (0..60).flat_map(|i| [i; 5]).collect();
    let (k, choice) = chosen(&blobs.generate().unwrap().0.select(&rows).unwrap(), KRange::Auto);
    assert_eq!((k, choice.answer), (3, Some(Answer::Replicates { distinct: 60, clusters: 3 })));
}

#[test]
fn samples_that_are_all_alike_are_one_cluster() {
    let views = Views::new(vec![View::new("a", Dense::from_fn(30, 2, |_, _| 1.0))]).unwrap();
    let (k, choice) = chosen(&views, KRange::Auto);
    let answer = choice.answer.unwrap();
    assert!(k == 1 && choice.curves.is_empty() && answer.to_string().contains("told apart"), "{answer}");
}

#[test]
fn one_view_is_asked_when_the_method_looks_at_one() {
    let blobs = Blobs { samples: 120, clusters: 3, features: vec![5, 6], separation: 14.0, seed: 9 };
    let views = blobs.generate().unwrap().0;
    let settings = Settings::with_method(1, "single", &[("view".into(), "view2".into())]).unwrap();
    let found = cluster(&views, &settings.choose(KRange::Auto)).unwrap().record;
    assert!(found.choice.as_ref().unwrap().overlap.is_none() && found.settings.clusters == 3);
}

#[test]
fn the_choice_depends_on_the_seed_and_not_on_threads() {
    let blobs = Blobs { samples: 200, clusters: 4, features: vec![3, 4], separation: 5.0, seed: 5 };
    let views = blobs.generate().unwrap().0;
    let with = |threads| cluster(&views, &Settings::choosing(KRange::Auto).threads(threads)).unwrap().record;
    let (one, three) = (with(1), with(3));
    assert_eq!((one.choice, one.labels), (three.choice, three.labels));
}

#[test]
fn the_record_keeps_the_choice_and_makes_the_fit_again() {
    let blobs = Blobs { samples: 100, clusters: 3, features: vec![4, 4], separation: 12.0, seed: 6 };
    let views = blobs.generate().unwrap().0;
    let record = cluster(&views, &Settings::choosing("2-6".parse().unwrap())).unwrap().record;
    let json = serde_json::to_string(&record).unwrap();
    let again: crate::RunRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(again.choice, record.choice);
    assert_eq!(again.choice.as_ref().unwrap().curves.len(), 5);
    let repeated = cluster(&views, &again.settings).unwrap().record;
    assert!(repeated.labels == record.labels && repeated.choice.is_none());
}
