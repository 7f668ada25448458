//! Runs by landmarks.

use super::*;
use crate::datasets::{Blobs, Curves, MadeView};
use crate::method::{Average, KmeansBaseline};
use crate::{View, cluster, cluster_observed};

fn curves(samples: usize) -> Curves {
    let views = vec![MadeView::Dense(12), MadeView::Dense(20), MadeView::Counts(300)];
    Curves { samples, clusters: 5, views, separation: 6.0, seed: 4 }
}

/// The same samples in pieces of any size.
struct InPieces<'a>(&'a Views, usize);

impl SampleSource for InPieces<'_> {
    fn count(&self) -> usize {
        self.0.samples()
    }

    fn some(&mut self, rows: &[usize], _: &Run) -> Result<Views> {
        self.0.select(rows)
    }

    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        let rows: Vec<usize> = (0..self.0.samples()).collect();
        rows.chunks(self.1).try_for_each(|piece| take(&self.0.select(piece)?, run))
    }
}

#[test]
fn landmarks_find_what_all_samples_find_for_any_pieces_and_threads() {
    let (views, truth) = curves(4_000).generate().unwrap();
    let settings = Settings::new(5).landmarks(Landmarks::Count(600));
    let found = cluster(&views, &settings).unwrap();
    assert!(score(&found.record.labels, &truth).unwrap()[Metric::Nmi] > 0.97);
    let confidence = found.memberships.confidence();
    assert!(confidence.len() == 4_000 && confidence.iter().all(|share| (0.0..=1.0).contains(share)));
    assert_eq!((found.fitted.embedding.rows(), found.record.n), (4_000, 4_000));
    assert_eq!(found.record.settings.landmarks, Landmarks::Count(600));
    let alone = settings.clone().threads(1);
    for size in [97, 999, 4_000] {
        let again = cluster_pieces(&mut InPieces(&views, size), &alone, &Run::default()).unwrap();
        assert_eq!(again.record.labels, found.record.labels, "in pieces of {size}");
        assert_eq!(again.fitted.embedding.data(), found.fitted.embedding.data());
    }
    let model = Model::new(&views, &found, &Run::default()).unwrap();
    assert_eq!(model.predict(&views, &Run::default()).unwrap().labels, found.record.labels, "all of them");
}

#[test]
fn labels_are_numbered_by_first_appearance_and_so_is_everything_else() {
    let (views, _) = curves(900).generate().unwrap();
    let found = cluster(&views, &Settings::new(5).landmarks(Landmarks::Count(200))).unwrap();
    let mut again = found.record.labels.clone();
    assert_eq!(number_by_first_appearance(&mut again), [0, 1, 2, 3, 4]);
    assert_eq!(found.fitted.nearest_centres(&found.fitted.embedding).unwrap(), found.record.labels);
    let landmarks = found.landmarks.as_ref().unwrap();
    let same = landmarks.rows.iter().zip(&landmarks.clustering.record.labels);
    let same = same.filter(|(row, label)| found.record.labels[**row] == **label).count();
    assert!(same > 190, "{same} of 200 landmarks have one label");
}

#[test]
fn every_method_can_use_landmarks_and_unknown_samples_are_counted_over_all() {
    let (views, truth) = curves(1_500).generate().unwrap();
    let absent: Vec<bool> = (0..1_500).map(|i| i % 10 == 3).collect();
    let mut known: Vec<View> = views.iter().cloned().collect();
    known[0] = known[0].with_absent(&absent).unwrap();
    let views = Views::new(known).unwrap();
    let settings = Settings::new(5).method(Average::default()).landmarks(Landmarks::Count(400));
    let found = cluster(&views, &settings).unwrap();
    assert!(score(&found.record.labels, &truth).unwrap()[Metric::Nmi] > 0.9);
    let expected = Warning::MissingSamples { view: "view1".to_owned(), samples: 150 };
    assert!(found.record.warnings.contains(&expected), "{:?}", found.record.warnings);
}

#[test]
fn what_is_examined_are_the_landmarks() {
    let (views, _) = curves(700).generate().unwrap();
    let found = cluster(&views, &Settings::new(5).landmarks(Landmarks::Count(150))).unwrap();
    let rows = found.landmarks.as_ref().unwrap().rows.clone();
    let part = found.examinable(None).unwrap();
    assert_eq!((part.views.samples(), part.clustering.record.labels.len()), (150, 150));
    assert_eq!(part.rows.as_ref(), Some(&rows));
    let told: Vec<String> = part.clustering.record.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| told.contains("150 of 700 samples were clustered in full")), "{told:?}");
    assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn noise_is_refused_and_auto_leaves_few_samples_alone() {
    let (views, _) = curves(300).generate().unwrap();
    let settings = Settings::new(5).corruption(crate::Corruption::default());
    let error = cluster(&views, &settings.clone().landmarks(Landmarks::Count(50))).err().unwrap();
    assert!(error.to_string().contains("landmarks are only some of them"), "{error}");
    assert!(cluster(&views, &settings).unwrap().record.by_landmarks.is_none());
}

#[test]
fn the_number_of_landmarks_grows_until_more_change_little() {
    let blobs = Blobs { samples: 12_000, clusters: 5, features: vec![4, 6], separation: 30.0, seed: 1 };
    let (views, _) = blobs.generate().unwrap();
    let samples = &mut { &views };
    let settings = Settings::new(5).method(KmeansBaseline::default());
    let drawn = Drawn { most: 12_000, ..Drawn::new(samples, &settings, &Run::default()).unwrap() };
    let chosen = drawn.choose(&settings, &Run::default()).unwrap();
    let counts: Vec<usize> = chosen.tried.iter().map(|trial| trial.count).collect();
    assert_eq!(counts, [5_000, 10_000], "clear clusters do not need more");
    assert!(chosen.tried[0].agreement.is_none() && chosen.tried[1].agreement.unwrap() > SETTLED);
}

#[test]
fn cancelled_runs_stop() {
    let (views, _) = curves(300).generate().unwrap();
    let cancel = crate::Cancel::default();
    cancel.cancel();
    let settings = Settings::new(5).landmarks(Landmarks::Count(50));
    let error = cluster_observed(&views, &settings, &Run::cancellable(cancel)).err().unwrap();
    assert!(matches!(error, Error::Cancelled));
}
