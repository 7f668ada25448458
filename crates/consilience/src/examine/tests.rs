use super::*;
use crate::data::Blobs;
use crate::{Error, View, cluster};

fn blobs(features: Vec<usize>) -> Views {
    Blobs { samples: 120, clusters: 3, features, separation: 12.0, seed: 4 }.generate().unwrap().0
}

fn examined(views: &Views, settings: &Settings) -> (Clustering, Examination) {
    let clustering = cluster(views, settings).unwrap();
    let examination = Examine::default().examine(views, settings, &clustering, &Run::default()).unwrap();
    (clustering, examination)
}

/// Numbers without any clusters in them.
fn noise(n: usize) -> View {
    View::new("noise", Dense::from_fn(n, 4, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64))
}

#[test]
fn clear_clusters_are_certain() {
    let views = blobs(vec![5, 6]);
    let (clustering, examination) = examined(&views, &Settings::new(3).unwrap());
    let stability = examination.stability.as_ref().unwrap();
    assert!(stability.mean == 1.0 && stability.by_cluster == [1.0; 3], "{stability:?}");
    assert!(examination.confidence.iter().all(|&confidence| confidence > 0.9));
    assert!(examination.internal > 0.8 && examination.inside.iter().all(|&share| share > 0.9));
    assert!(examination.disagreement.iter().all(|&share| share == 0.0));
    assert!(examination.views.iter().all(|view| view.own_nmi > 0.99 && !view.hurts && view.without.is_some()));
    let verdict = Verdict::new(&clustering, &examination);
    assert_eq!(verdict.level, Level::Good);
    assert!(verdict.headline.contains("stable: runs on part of the samples agree with it on 100 %"));
}

#[test]
fn a_view_of_noise_is_found_out() {
    let mut views: Vec<View> = blobs(vec![5, 6]).iter().cloned().collect();
    views.push(noise(120));
    let settings = Settings::with_method(3, "average", &[]).unwrap();
    let (clustering, examination) = examined(&Views::new(views).unwrap(), &settings);
    let [good, _, bad] = &examination.views[..] else { panic!() };
    assert!(good.own_nmi > 0.8 && bad.own_nmi < 0.3, "{} {}", good.own_nmi, bad.own_nmi);
    assert!(!good.hurts && bad.hurts);
    let words = Verdict::new(&clustering, &examination).sentences.join(" ");
    assert!(words.contains("View `noise` may hurt") && words.contains("hardly agree"), "{words}");
}

#[test]
fn degenerate_runs_are_examined_too() {
    let views = blobs(vec![5, 6]);
    let (one, examination) = examined(&views, &Settings::new(1).unwrap());
    assert!(examination.confidence.iter().all(|&confidence| confidence == 1.0));
    assert!(Verdict::new(&one, &examination).headline.contains("One cluster"));

    let tiny = Views::new(vec![View::new("a", Dense::from_fn(5, 2, |i, j| (i * (j + 1)) as f64))]).unwrap();
    let (tiny, examination) = examined(&tiny, &Settings::new(4).unwrap());
    assert!(examination.stability.is_none() && examination.views[0].without.is_none());
    assert_eq!(Verdict::new(&tiny, &examination).level, Level::Doubtful);

    let name = views.iter().next().unwrap().name.clone();
    let settings = Settings::with_method(3, "single", &[("view".to_owned(), name)]).unwrap();
    let (_, examination) = examined(&views, &settings);
    assert!(examination.views[0].without.is_none() && examination.views[1].without.is_some());
}

#[test]
fn examinations_repeat_and_can_be_stopped() {
    let (views, settings) = (blobs(vec![5, 6]), Settings::new(3).unwrap());
    let (clustering, first) = examined(&views, &settings);
    let (_, second) = examined(&views, &settings);
    assert!(first.layout.data() == second.layout.data() && first.confidence == second.confidence);
    assert_eq!(first.stability, second.stability);

    struct Silent;
    impl crate::Observer for Silent {}
    let cancel = crate::Cancel::default();
    cancel.cancel();
    let run = Run::new(std::sync::Arc::new(Silent), cancel);
    let stopped = Examine::default().examine(&views, &settings, &clustering, &run);
    assert!(matches!(stopped, Err(Error::Cancelled)));
}
