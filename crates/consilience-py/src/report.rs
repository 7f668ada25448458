//! A run made again, examined, and turned into one HTML page.

use consilience::data::Labels;
use consilience::examine::Examine;
use consilience::landmarks::Examinable;
use consilience::views::Resolved;
use consilience::{Error, Views, cluster_observed};
use consilience_report::{Subject, describe, page};
use pyo3::prelude::*;

use crate::array::{GivenView, views};
use crate::fit::Asked;
use crate::watch::watched;

/// What a page needs besides the run, as a dict of Python's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PageOptions {
    name: String,
    ids: Option<Vec<String>>,
    truth: Option<Vec<String>>,
    resamples: usize,
}

/// The page of the run that `fit` makes when it is asked the same.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    given: Vec<GivenView<'_>>,
    asked: Asked<'_>,
    options: PageOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (settings, missing, views) = (asked.settings()?, asked.missing()?, views(given)?);
    let PageOptions { name, ids, truth, resamples } = options;
    watched(py, progress.as_ref(), move |run| {
        let samples = views.first().map_or(0, |view| view.data.rows());
        let Resolved { views, kept, notes } = missing.resolve(views)?;
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
        found.record = found.record.with_source(None, ids, 0.0);
        found.record.notes = notes;
        if let Some(truth) = &truth {
            found.record = found.record.with_truth(truth.codes())?;
        }
        let Examinable { views, clustering, truth } = found.examinable(Some(views), truth)?;
        let asked = Examine { resamples, ..Examine::default() };
        let examination = asked.examine(&views, &clustering.record.settings, &clustering, run)?;
        let subject = Subject {
            name: &name,
            views: &views,
            clustering: &clustering,
            examination: &examination,
            truth: truth.as_ref(),
            metadata: None,
        };
        page(&[describe(&subject)?]).map_err(|error| Error::data(error.to_string()))
    })
}
