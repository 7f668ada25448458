//! A run made again, examined, and kept with what a page of it shows.

use std::path::PathBuf;

use consilience::examine::{Examination, Examine};
use consilience::landmarks::Examinable;
use consilience::views::Resolved;
use consilience::{Clustering, Error, Result, Views, cluster_observed};
use consilience_io::{Labels, write_atomically};
use consilience_report::{Document, Subject, describe, page};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{GivenView, views, with_precomputed};
use crate::error::to_python;
use crate::fit::Asked;
use crate::watch::watched;

/// What an examination needs besides the run, as a dict of Python's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExamineOptions {
    name: String,
    ids: Option<Vec<String>>,
    truth: Option<Vec<String>>,
    resamples: usize,
    share: f64,
    /// What the fit found: the run that is made again must find the same.
    labels: Vec<usize>,
}

/// What was asked of a fit, and answered.
#[pyclass(frozen, module = "consilience._native")]
pub(crate) struct Examined {
    document: Document,
    examination: Examination,
}

#[pymethods]
impl Examined {
    /// The document that a page is drawn from, as JSON.
    fn document(&self) -> PyResult<String> {
        self.document.to_json().map_err(|error| to_python(Error::data(error.to_string())))
    }

    /// The page.
    fn page(&self) -> PyResult<String> {
        page(std::slice::from_ref(&self.document)).map_err(|error| to_python(Error::data(error.to_string())))
    }

    /// Writes the page to a file, whole or not at all.
    fn write_page(&self, path: PathBuf) -> PyResult<()> {
        let page = self.page()?;
        write_atomically(&path, |file| file.write_all(page.as_bytes())).map_err(to_python)
    }

    /// What is known of every sample, as columns.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (found, columns) = (&self.examination, PyDict::new(py));
        columns.set_item("confidence", PyArray1::from_slice(py, &found.confidence))?;
        if let Some(stability) = &found.stability {
            columns.set_item("stability", PyArray1::from_slice(py, &stability.by_sample))?;
        }
        columns.set_item("disagreement", PyArray1::from_slice(py, &found.disagreement))?;
        columns.set_item("doubt", PyArray1::from_slice(py, &found.doubt))?;
        Ok(columns)
    }
}

/// Examines the run that `fit` makes when it is asked the same.
#[pyfunction]
pub(crate) fn examine(
    py: Python<'_>,
    given: Vec<GivenView<'_>>,
    asked: Asked<'_>,
    options: ExamineOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<Examined> {
    let (settings, missing, precomputed) = (asked.settings()?, asked.missing()?, asked.precomputed()?);
    let views = views(given)?;
    let ExamineOptions { name, ids, truth, resamples, share, labels } = options;
    watched(py, progress.as_ref(), settings.threads, move |run| {
        let samples = views.first().map_or(0, |view| view.data.rows());
        let Resolved { views, kept, notes, .. } = missing.resolve(with_precomputed(views, &precomputed)?)?;
        // names and classes of all samples are those of the samples that are left, too
        let left = |names: Option<Vec<String>>| match (&kept, names) {
            (Some(kept), Some(names)) if names.len() == samples => {
                Some(kept.iter().map(|&i| names[i].clone()).collect())
            }
            (_, names) => names,
        };
        let (ids, truth) = (left(ids), left(truth));
        let views = Views::new(views)?;
        if let Some(ids) = ids.as_ref().filter(|ids| ids.len() != views.samples()) {
            return Err(Error::data(format!("there are {} ids for {} samples", ids.len(), views.samples())));
        }
        let truth = truth.map(|names| Labels::from_names(&names));
        let mut found = cluster_observed(&views, &settings, run)?;
        check_same(&found, &labels)?;
        found.record = found.record.with_source(ids, notes, 0.0);
        if let Some(truth) = &truth {
            found.record = found.record.with_truth(truth.codes())?;
        }
        let questions = Examine { resamples, share, ..Examine::default() };
        let Examinable { views, clustering, rows } = found.examinable(Some(views))?;
        let truth = match (truth, rows) {
            (Some(truth), Some(rows)) => Some(truth.select(&rows)?),
            (truth, _) => truth,
        };
        let again = &clustering.record.settings;
        let examination = questions.examine(&views, again, &clustering, run)?;
        let subject = Subject {
            name: &name,
            views: &views,
            clustering: &clustering,
            examination: &examination,
            truth: truth.as_ref(),
            metadata: None,
            origin: None,
        };
        Ok(Examined { document: describe(&subject)?, examination })
    })
}

/// An account of another run than the fit would be believed to be one of the fit.
fn check_same(found: &Clustering, labels: &[usize]) -> Result<()> {
    if found.record.labels == labels {
        return Ok(());
    }
    Err(Error::data_with_hint(
        "these views give other labels than the fit has: they are not the ones that were fitted",
        "pass the views of the fit, or fit again",
    ))
}
