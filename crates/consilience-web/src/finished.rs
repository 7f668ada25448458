//! A run from its files to everything that can be taken away of it.

use std::path::Path;

use consilience::examine::{Examine, MOST_MARKERS};
use consilience::landmarks::Examinable;
use consilience::markers::markers;
use consilience::matrix::Dense;
use consilience::memberships::Memberships;
use consilience::model::Model;
use consilience::plan::Plan;
use consilience::run::Seconds;
use consilience::{Clustering, Error, MemoryLimit, Result, Run, RunRecord, Views, cluster_planned};
use consilience_io::folder::{Files, REPORT_DATA, REPORT_PAGE, zipped};
use consilience_io::{AboutSamples, Origin, SavedRun, Truth, write_labels};
use consilience_report::{Document, Subject, describe, page};
use serde::Serialize;

use crate::asked::Fit;
use crate::told::{Told, told_notes};

/// The folder in the archive, and what its report is called.
const NAME: &str = "run";

/// A finished run.
pub(crate) struct Finished {
    run: SavedRun,
    embedding: Dense<f64>,
    memberships: Memberships,
    /// None of affinities alone, which say nothing of other samples.
    model: Option<Model>,
    truth: Option<Truth>,
    /// What is examined, until it is.
    unexamined: Option<(Clustering, Views)>,
    report: Option<Document>,
}

/// What the page says of a run before it is examined.
#[derive(Serialize)]
pub(crate) struct ToldRun<'a> {
    n: usize,
    k: usize,
    method: &'a str,
    labels: &'a [usize],
    confidence: &'a [f64],
    ids: Option<&'a [String]>,
    views: Vec<(&'a str, usize, f64)>,
    /// Heights of the tree's joins: fewer clusters can be had without a new fit.
    heights: Vec<f64>,
    scores: Option<Vec<(&'static str, f64)>>,
    chosen: Option<Vec<String>>,
    notes: Vec<Told>,
    warnings: Vec<Told>,
    model: bool,
    seconds: &'a Seconds,
    landmarks: Option<usize>,
}

impl Finished {
    pub(crate) fn fit(fit: &Fit, run: &Run) -> Result<Self> {
        // settings first: a mistyped parameter must not wait for a large file
        let settings = fit.settings()?;
        let input = fit.inputs.load()?;
        // what does not fit into memory is made by landmarks or refused, with numbers, instead of being tried
        let settings = settings.memory(MemoryLimit::new(None).bytes());
        let plan = Plan::of(&input.views, &settings)?;
        let mut found = cluster_planned(&input.views, &settings, &plan, run)?;
        found.record = found.record.with_source(input.ids.clone(), input.notes.clone(), 0.0);
        if let Some(truth) = &input.truth {
            found.record = found.record.with_truth(truth.labels.codes())?;
        }
        found.record.markers = match &found.landmarks {
            Some(marks) => markers(&marks.views, &marks.clustering.record.labels, MOST_MARKERS)?,
            None => markers(&input.views, &found.record.labels, MOST_MARKERS)?,
        };
        let model = match &found.landmarks {
            _ if found.record.views.iter().all(|view| view.affinity) => None,
            Some(marks) => Some(marks.model.clone()),
            None => Some(Model::new(&input.views, &found, &run.nested())?),
        };
        let origin = Some(Origin::now(&fit.inputs, &[]));
        Ok(Self {
            run: SavedRun { record: found.record.clone(), inputs: Some(fit.inputs.clone()), origin },
            embedding: found.fitted.embedding.clone(),
            memberships: found.memberships.clone(),
            model,
            truth: input.truth,
            unexamined: Some((found, input.views)),
            report: None,
        })
    }

    pub(crate) fn record(&self) -> &RunRecord {
        &self.run.record
    }

    pub(crate) fn model(&self) -> Result<&Model> {
        let none = || Error::data("affinities and distances alone make no model: they say nothing of other samples");
        self.model.as_ref().ok_or_else(none)
    }

    pub(crate) fn told(&self) -> ToldRun<'_> {
        let record = self.record();
        let scores = record.scores.as_ref();
        ToldRun {
            n: record.n,
            k: record.settings.clusters,
            method: record.settings.method.info().id,
            labels: &record.labels,
            confidence: self.memberships.confidence(),
            ids: record.ids.as_deref(),
            views: record.views.iter().map(|view| (view.name.as_str(), view.d, view.weight)).collect(),
            heights: record.tree.joins.iter().map(|join| join.height).collect(),
            scores: scores.map(|scores| scores.iter().map(|(metric, score)| (metric.title(), score)).collect()),
            chosen: record.choice.as_ref().and_then(|choice| {
                let first = choice.candidates.first().filter(|_| choice.clusters() > 1)?;
                Some(first.evidence.iter().map(ToString::to_string).collect())
            }),
            notes: told_notes(&record.notes),
            warnings: record.warnings.iter().map(Told::warning).collect(),
            model: self.model.is_some(),
            seconds: &record.seconds,
            landmarks: record.by_landmarks.as_ref().map(|landmarks| landmarks.count),
        }
    }

    /// Examines the run, once.
    pub(crate) fn examine(&mut self, about: Option<&Path>, run: &Run) -> Result<()> {
        // a table that does not fit does not wait for the runs
        let table = about.map(AboutSamples::read).transpose()?;
        let record = self.record();
        let mut metadata = table.map(|table| table.of(record.ids.as_deref(), record.n)).transpose()?;
        let Some((clustering, views)) = self.unexamined.take() else { return Ok(()) };
        let Examinable { views, clustering, rows } = clustering.examinable(Some(views.compacted()))?;
        let mut truth = self.truth.as_ref().map(|truth| truth.labels.clone());
        if let Some(rows) = &rows {
            truth = truth.map(|truth| truth.select(rows)).transpose()?;
            metadata = metadata.map(|metadata| metadata.select(rows));
        }
        let settings = &clustering.record.settings;
        let examination = Examine::default().examine(&views, settings, &clustering, run)?;
        self.report = Some(describe(&Subject {
            name: NAME,
            views: &views,
            clustering: &clustering,
            examination: &examination,
            truth: truth.as_ref(),
            metadata: metadata.as_ref(),
            origin: self.run.origin.as_ref(),
        })?);
        Ok(())
    }

    pub(crate) fn labels(&self) -> Result<Vec<u8>> {
        let (record, mut table) = (self.record(), Vec::new());
        let written =
            write_labels(&mut table, record.ids.as_deref(), &record.labels, Some(self.memberships.confidence()));
        written.map_err(|source| Error::writing(Path::new("labels.csv"), source))?;
        Ok(table)
    }

    fn report(&self) -> Result<&Document> {
        self.report.as_ref().ok_or_else(|| Error::data("the run has not been examined yet"))
    }

    pub(crate) fn page(&self) -> Result<Vec<u8>> {
        let made = page(std::slice::from_ref(self.report()?));
        made.map(String::into_bytes).map_err(|error| Error::data(error.to_string()))
    }

    pub(crate) fn document(&self) -> Result<Vec<u8>> {
        let made = self.report()?.to_json();
        made.map(String::into_bytes).map_err(|error| Error::data(error.to_string()))
    }

    /// The run's folder, with its report when there is one.
    pub(crate) fn zipped(&self) -> Result<Vec<u8>> {
        let (embedding, memberships) = (&self.embedding, Some(&self.memberships));
        let files = Files { embedding, memberships, model: self.model.as_ref() };
        let report = match &self.report {
            Some(_) => vec![(REPORT_DATA, self.document()?), (REPORT_PAGE, self.page()?)],
            None => Vec::new(),
        };
        let report: Vec<_> = report.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        zipped(NAME, &self.run, &files, &report)
    }
}
