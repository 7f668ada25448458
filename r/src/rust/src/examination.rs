//! A run made again and examined, as the document that every page and picture is drawn from.

use std::path::Path;

use consilience::examine::Examine;
use consilience::landmarks::Examinable;
use consilience::views::Resolved;
use consilience::{Clustering, Error, Result, Run, Settings, Views, cluster_observed};
use consilience_io::{Labels, write_atomically};
use consilience_report::{Document, Subject, describe, page};
use extendr_api::prelude::*;

use crate::arguments::{asked, ids};
use crate::error::answered;
use crate::job::begin;
use crate::matrices::views;
use crate::values::{count, field, labels, number, of_json, text, texts, to_labels};

/// What an examination needs besides the run.
struct Options {
    name: String,
    ids: Option<Vec<String>>,
    truth: Option<Vec<String>>,
    questions: Examine,
    /// What the fit found: the run that is made again must find the same.
    labels: Vec<usize>,
}

impl Options {
    fn of(given: &List) -> Result<Self> {
        let resamples = count(&field(given, "resamples")?).unwrap_or(0);
        let leave_out = field(given, "leave_out")?.as_bool().unwrap_or(true);
        let share = number(&field(given, "share")?).unwrap_or(Examine::default().share);
        Ok(Self {
            name: text(&field(given, "name")?)?,
            ids: ids(given)?,
            truth: texts(&field(given, "truth")?),
            questions: Examine { resamples, share, leave_out },
            labels: labels(&field(given, "labels")?)?,
        })
    }
}

/// Begins to examine the run that `fit` makes when it is asked the same.
#[extendr]
fn examine(given: List, arguments: List, options: List) -> Robj {
    answered(|| {
        let ((settings, missing), (views, _), options) = (asked(&arguments)?, views(&given)?, Options::of(&options)?);
        Ok(begin(settings.threads.unwrap_or(0), move |run| {
            let Resolved { views, notes, .. } = missing.resolve(views)?;
            let views = Views::new(views)?;
            let mut found = cluster_observed(&views, &settings, run)?;
            check_same(&found, &options.labels)?;
            found.record = found.record.with_source(options.ids.clone(), notes, 0.0);
            let (document, rows) = examined(views, found, &options, &settings, run)?;
            Ok(Box::new(move || {
                let json = document.to_json().map_err(|error| Error::data(error.to_string()))?;
                let tree: serde_json::Value =
                    serde_json::from_str(&json).map_err(|error| Error::data(error.to_string()))?;
                let rows = rows.map_or(Robj::from(()), |rows| to_labels(&rows));
                Ok(list!(json = json, document = of_json(&tree)?, rows = rows).into())
            }))
        }))
    })
}

/// The document, and the rows of the samples in it where it is of landmarks.
fn examined(
    views: Views,
    mut found: Clustering,
    options: &Options,
    settings: &Settings,
    run: &Run,
) -> Result<(Document, Option<Vec<usize>>)> {
    let truth = options.truth.as_ref().map(|names| Labels::from_names(names));
    if let Some(truth) = &truth {
        found.record = found.record.with_truth(truth.codes())?;
    }
    let Examinable { views, clustering, rows } = found.examinable(Some(views))?;
    let truth = match (truth, &rows) {
        (Some(truth), Some(rows)) => Some(truth.select(rows)?),
        (truth, _) => truth,
    };
    // a number that was chosen is part of the record's settings
    let again = clustering.record.settings.clone().threads(settings.threads);
    let examination = options.questions.examine(&views, &again, &clustering, run)?;
    let subject = Subject {
        name: &options.name,
        views: &views,
        clustering: &clustering,
        examination: &examination,
        truth: truth.as_ref(),
        metadata: None,
        origin: None,
    };
    Ok((describe(&subject)?, rows))
}

/// An account of another run than the fit would be believed to be one of the fit.
fn check_same(found: &Clustering, labels: &[usize]) -> Result<()> {
    if found.record.labels == labels {
        return Ok(());
    }
    Err(Error::data_with_hint(
        "these views give other labels than the fit has: they are not the ones that were fitted",
        "give the views of the fit as x =, or fit again",
    ))
}

/// Writes the page of a document, whole or not at all.
#[extendr]
fn write_page(json: &str, path: &str) -> Robj {
    answered(|| {
        let of_report = |error: consilience_report::Error| Error::data(error.to_string());
        let page = page(&[Document::read(json).map_err(of_report)?]).map_err(of_report)?;
        write_atomically(Path::new(path), |file| file.write_all(page.as_bytes()))?;
        Ok(true.into())
    })
}

extendr_module! {
    mod examination;
    fn examine;
    fn write_page;
}
