//! A run made again, examined, and turned into one HTML page.

use consilience::data::Labels;
use consilience::examine::Examine;
use consilience::{Error, Settings, Views, cluster_observed, metrics};
use consilience_report::{Subject, describe, page};
use pyo3::prelude::*;

use crate::array::{GivenView, views};
use crate::fit::settings;
use crate::watch::watched;

/// The page of the run that `fit` makes with the same arguments.
#[pyfunction]
#[pyo3(signature = (given, *, method, parameters, clusters, scale, seed, restarts, threads, memory, progress, name,
                    ids, truth, resamples))]
#[allow(clippy::too_many_arguments)] // those of `fit`, and what a page needs besides
pub(crate) fn report(
    py: Python<'_>,
    given: Vec<GivenView<'_>>,
    method: &str,
    parameters: Vec<(String, String)>,
    clusters: usize,
    scale: &str,
    seed: u64,
    restarts: usize,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
    name: String,
    ids: Option<Vec<String>>,
    truth: Option<Vec<String>>,
    resamples: usize,
) -> PyResult<String> {
    let prepared = settings(clusters, method, &parameters, scale)?;
    let settings = Settings { seed, restarts, threads, memory, ..prepared };
    let views = views(given)?;
    watched(py, progress.as_ref(), move |run| {
        let views = Views::new(views)?;
        let truth = truth.map(|names| Labels::from_names(&names));
        let found = cluster_observed(&views, &settings, run)?;
        let scores = truth.as_ref().map(|truth| metrics::score(&found.labels, truth.codes())).transpose()?;
        if let Some(ids) = ids.as_ref().filter(|ids| ids.len() != views.samples()) {
            return Err(Error::data(format!("there are {} ids for {} samples", ids.len(), views.samples())));
        }
        let examination = Examine { resamples, ..Examine::default() }.examine(&views, &settings, &found, run)?;
        let document = describe(&Subject {
            name: &name,
            views: &views,
            clustering: &found,
            record: &found.record(scores, 0.0),
            examination: &examination,
            ids: ids.as_deref(),
            truth: truth.as_ref(),
        })?;
        page(&[&document.to_string()]).map_err(|error| Error::data(error.to_string()))
    })
}
