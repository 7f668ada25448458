//! The run by landmarks: some samples clustered in full, means of them, a place for everybody.

use std::collections::BTreeMap;

use super::SampleSource;
use super::drawn;
use crate::labels::number_by_first_appearance;
use crate::matrix::Dense;
use crate::memberships::Memberships;
use crate::metrics::{Metric, score};
use crate::model::{Clustering, Fitted, LandmarkFit, Model, new_numbers};
use crate::pipeline::{cluster_all, in_pool};
use crate::record::{LandmarkRecord, RunRecord, Trial, peak_memory_mb};
use crate::run::{Instant, Seconds, Stage, Warning};
use crate::settings::Landmarks;
use crate::{Error, Hint, Result, Run, Settings, Views};

/// The first number of landmarks that is tried.
const FIRST: usize = 5_000;
/// The last one, for views of up to [`NARROW`] features in all; the neighbour search grows with the features.
const MOST_LANDMARKS: usize = 20_000;
const NARROW: usize = 1_000;
/// Twice as many landmarks are not tried when those there are agree with half of them as far as this.
const SETTLED: f64 = 0.98;
/// Samples by which numbers of landmarks are compared.
const JUDGES: usize = 5_000;
/// Means of landmarks that samples are compared with, for every cluster and in all: few enough to compare with all.
const MEANS_PER_CLUSTER: usize = 100;
const MEANS: std::ops::RangeInclusive<usize> = 2_048..=4_096;

/// What can be examined of a clustering: all of it, or the landmarks.
pub struct Examinable {
    /// The views.
    pub views: Views,
    /// The clustering of the same samples.
    pub clustering: Clustering,
    /// Which samples these are, when they are not all.
    pub rows: Option<Vec<usize>>,
}

impl Clustering {
    /// What can be examined: the samples that were clustered in full. Without landmarks these are all, of which `views`
    /// are.
    ///
    /// # Errors
    /// When there are neither views nor landmarks.
    pub fn examinable(self, views: Option<Views>) -> Result<Examinable> {
        let Some(landmarks) = self.landmarks else {
            let views = views.ok_or_else(|| Error::data("a clustering is examined with its views"))?;
            return Ok(Examinable { views, clustering: Self { landmarks: None, ..self }, rows: None });
        };
        let LandmarkFit { rows, views, mut clustering, .. } = *landmarks;
        let mut whole = self.record;
        let (shown, n) = (rows.len(), whole.n);
        let detail =
            format!("a run by landmarks: {shown} of {n} samples were clustered in full, and only these are shown");
        whole.warnings.push(Warning::Other { view: None, detail });
        let part = clustering.record;
        clustering.record = RunRecord {
            n: shown,
            ids: whole.ids.map(|ids| rows.iter().filter_map(|&row| ids.get(row).cloned()).collect()),
            labels: part.labels,
            findings: part.findings,
            // what is done again is done in full
            settings: part.settings,
            ..whole
        };
        Ok(Examinable { views, clustering, rows: Some(rows) })
    }
}

/// Clusters samples that come in pieces, by landmarks.
///
/// # Errors
/// As [`crate::cluster_observed`], and when the samples cannot be read.
pub fn cluster_pieces(samples: &mut dyn SampleSource, settings: &Settings, run: &Run) -> Result<Clustering> {
    settings.method.parameters().check()?;
    in_pool(settings.threads, || fit(samples, settings, run))
}

/// The clustering of all samples.
pub(crate) fn fit(samples: &mut dyn SampleSource, settings: &Settings, run: &Run) -> Result<Clustering> {
    if settings.corruption.is_some() {
        return Err(Error::data_with_hint(
            "noise is put on the samples that are clustered, and landmarks are only some of them",
            Hint::LandmarksOff { without: "the noise" },
        ));
    }
    run.enter(Stage::Prepare);
    let drawn = Drawn::new(samples, settings, run)?;
    run.leave();
    let chosen = drawn.choose(settings, run)?;
    run.enter(Stage::Assign);
    let placed = Placed::all(samples, &chosen.model, run)?;
    let (mut seconds, warnings) = run.finish();
    seconds.add(&chosen.seconds);
    chosen.finished(placed, seconds, warnings)
}

/// Samples that may become landmarks.
struct Drawn {
    /// The first to be drawn first.
    order: Vec<usize>,
    /// The same, rising.
    rows: Vec<usize>,
    /// Their views.
    views: Views,
    /// How many are landmarks at most, and whether that was asked for.
    most: usize,
    given: bool,
}

/// Landmarks, clustered.
struct Chosen {
    rows: Vec<usize>,
    views: Views,
    clustering: Clustering,
    model: Model,
    tried: Vec<Trial>,
    /// What all trials took.
    seconds: Seconds,
}

/// The number of landmarks that was asked for, and the samples that may become some, the first to be drawn first.
pub(super) fn candidates(n: usize, settings: &Settings) -> (Option<usize>, Vec<usize>) {
    let given = if let Landmarks::Count(count) = settings.landmarks { Some(count) } else { None };
    (given, drawn(n, given.unwrap_or(MOST_LANDMARKS + JUDGES), settings.seed))
}

impl Drawn {
    fn new(samples: &mut dyn SampleSource, settings: &Settings, run: &Run) -> Result<Self> {
        let (given, order) = candidates(samples.count(), settings);
        let mut rows = order.clone();
        rows.sort_unstable();
        let views = samples.some(&rows, run)?;
        let features = views.iter().map(|view| view.data.features_per_row()).sum();
        let most = given.unwrap_or_else(|| most_landmarks(features)).min(order.len());
        Ok(Self { order, rows, views, most, given: given.is_some() })
    }

    /// As many landmarks as were asked for, or as it takes: twice as many until that changes little.
    fn choose(&self, settings: &Settings, run: &Run) -> Result<Chosen> {
        let mut settings = Settings { threads: None, landmarks: Landmarks::Off, ..settings.clone() };
        let mut count = if self.given { self.most } else { FIRST.min(self.most) };
        let (mut before, mut choice): (Option<Chosen>, _) = (None, None);
        loop {
            let mut now = self.trial(count, &settings, run)?;
            // the number of clusters is chosen once
            choice = choice.or_else(|| now.clustering.record.choice.clone());
            settings = Settings { clusters: now.clustering.record.settings.clusters, choose: None, ..settings };
            let agreement = before.as_ref().map(|before| self.agreement(before, &now, run)).transpose()?;
            if let Some(before) = before {
                now.tried = before.tried;
                now.seconds.add(&before.seconds);
            }
            now.tried.push(Trial { count, agreement });
            if count >= self.most || agreement.is_some_and(|agreement| agreement >= SETTLED) {
                now.clustering.record.choice = choice;
                if self.given {
                    now.tried.clear();
                }
                return Ok(now);
            }
            before = Some(now);
            count = (2 * count).min(self.most);
        }
    }

    fn trial(&self, count: usize, settings: &Settings, run: &Run) -> Result<Chosen> {
        let mut rows = self.order[..count].to_vec();
        rows.sort_unstable();
        let views = self.views.select(&self.places(&rows))?;
        let clustering = cluster_all(&views, settings, &run.inner())?;
        let warnings = clustering.record.warnings.iter().filter(|warning| is_of_all(warning));
        warnings.for_each(|warning| run.warn(warning.clone()));
        let means = means(clustering.record.settings.clusters);
        let started = Instant::now();
        let model = Model::new(&views, &clustering, &run.nested())?.condensed(means, &run.nested())?;
        let mut seconds = clustering.record.seconds;
        seconds.assign += started.elapsed().as_secs_f64();
        seconds.total += started.elapsed().as_secs_f64();
        Ok(Chosen { rows, views, clustering, model, tried: Vec::new(), seconds })
    }

    /// How far two numbers of landmarks agree about samples that are landmarks of neither, where there are some.
    fn agreement(&self, before: &Chosen, now: &Chosen, run: &Run) -> Result<f64> {
        let from = if now.rows.len() < self.order.len() { now.rows.len() } else { before.rows.len() };
        let mut judges = self.order[from..self.order.len().min(from + JUDGES)].to_vec();
        judges.sort_unstable();
        let views = self.views.select(&self.places(&judges))?;
        let labels = |chosen: &Chosen| Ok::<_, Error>(chosen.model.predict(&views, &run.nested())?.labels);
        Ok(score(&labels(before)?, &labels(now)?)?[Metric::Nmi])
    }

    /// Where samples, rising, are among those that were drawn.
    fn places(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|row| self.rows.partition_point(|other| other < row)).collect()
    }
}

/// Warnings that count the samples of a view are of the landmarks, not of all; clusters get other numbers.
fn is_of_all(warning: &Warning) -> bool {
    !matches!(warning, Warning::MissingSamples { .. } | Warning::RatherOne { .. })
}

/// The most landmarks that are tried of samples with so many features: the work of their neighbour search is bounded.
pub(crate) fn most_landmarks(features: usize) -> usize {
    (MOST_LANDMARKS as f64 * (NARROW as f64 / features.max(NARROW) as f64).sqrt()) as usize
}

/// Means of landmarks that samples are compared with.
pub(crate) fn means(clusters: usize) -> usize {
    (MEANS_PER_CLUSTER * clusters).clamp(*MEANS.start(), *MEANS.end())
}

/// Where all samples lie.
struct Placed {
    labels: Vec<usize>,
    positions: Vec<f64>,
    /// Row by row, in the model's order of the clusters.
    memberships: Memberships,
}

impl Placed {
    fn all(samples: &mut dyn SampleSource, model: &Model, run: &Run) -> Result<Self> {
        let (n, width) = (samples.count(), model.embedding().cols());
        let positions = Vec::with_capacity(n * width);
        let clusters = model.centres().rows();
        let memberships = Memberships::with_room(n, clusters);
        let mut placed = Self { labels: Vec::with_capacity(n), positions, memberships };
        let mut placing = model.placing();
        let mut absent: Vec<(String, usize)> = Vec::new();
        samples.each(run, &mut |views, run| {
            let found = placing.place(views, run)?;
            let rows = found.memberships.chunks_exact(clusters.max(1)).zip(&found.labels);
            rows.for_each(|(shares, &label)| placed.memberships.push(shares, label));
            placed.labels.extend(found.labels);
            placed.positions.extend(found.positions);
            absent.resize(views.len(), (String::new(), 0));
            for (view, absent) in views.iter().zip(&mut absent) {
                *absent = (view.name.clone(), absent.1 + view.absences());
            }
            Ok(())
        })?;
        for (view, samples) in absent.into_iter().filter(|(_, samples)| *samples > 0) {
            run.warn(Warning::MissingSamples { view, samples });
        }
        Ok(placed)
    }
}

impl Chosen {
    fn finished(self, placed: Placed, seconds: Seconds, warnings: Vec<Warning>) -> Result<Clustering> {
        let model = self.model;
        let Placed { mut labels, positions, memberships } = placed;
        let n = labels.len();
        let mut order = number_by_first_appearance(&mut labels);
        // clusters that nobody is in come last
        order.extend((0..model.centres().rows()).filter(|cluster| !order.contains(cluster)).collect::<Vec<_>>());
        let model = model.reordered(&order)?;
        let numbers = new_numbers(&order);
        let memberships =
            if labels.is_empty() { memberships } else { memberships.joined(&numbers, order.len(), &labels)? };
        let mut clustering = self.clustering;
        clustering.reorder(&order);
        let count = self.rows.len();
        let mut record = RunRecord {
            n,
            labels,
            seconds,
            warnings,
            peak_rss_mb: peak_memory_mb(),
            by_landmarks: Some(LandmarkRecord { count, means: model.samples(), tried: self.tried }),
            ..clustering.record.clone()
        };
        record.settings.landmarks = Landmarks::Count(count);
        for disagreement in &mut record.findings.disagreements {
            disagreement.samples.iter_mut().for_each(|sample| *sample = self.rows[*sample]);
        }
        let width = model.embedding().cols();
        let fitted = Fitted {
            scalers: clustering.fitted.scalers.clone(),
            embedding: Dense::new(n, width, positions)?,
            centres: model.centres().clone(),
            spreads: BTreeMap::new(),
        };
        let affinity = clustering.affinity.clone();
        let landmarks = Some(Box::new(LandmarkFit { rows: self.rows, views: self.views, clustering, model }));
        Ok(Clustering { record, fitted, affinity, memberships, landmarks })
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
