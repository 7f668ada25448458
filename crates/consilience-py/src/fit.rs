//! One run of a method, from arrays to everything it found.

use std::sync::Arc;

use consilience::method::Findings;
use consilience::{Clustering, Settings, Views, cluster_observed};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::affinity::Operator;
use crate::array::{GivenView, to_array, views};
use crate::error::to_python;
use crate::watch::watched;

/// Clusters the views; returns what was found by the names of the estimators' attributes, without their underscores.
#[pyfunction]
#[pyo3(signature = (given, *, method, parameters, clusters, scale, seed, restarts, threads, memory, progress))]
#[allow(clippy::too_many_arguments)] // every one of them is an argument of the estimators
pub(crate) fn fit<'py>(
    py: Python<'py>,
    given: Vec<GivenView<'py>>,
    method: &str,
    parameters: Vec<(String, String)>,
    clusters: usize,
    scale: &str,
    seed: u64,
    restarts: usize,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    // settings first: a mistyped parameter must not wait for the data to be checked
    let prepared = settings(clusters, method, &parameters, scale)?;
    let settings = Settings { seed, restarts, threads, memory, ..prepared };
    let views = views(given)?;
    let found = watched(py, progress.as_ref(), move |run| cluster_observed(&Views::new(views)?, &settings, run))?;
    results(py, &found)
}

/// The settings that need reading; the numbers are the caller's to fill in.
pub(crate) fn settings(
    clusters: usize,
    method: &str,
    parameters: &[(String, String)],
    scale: &str,
) -> PyResult<Settings> {
    let mut settings = Settings::with_method(clusters, method, parameters).map_err(to_python)?;
    settings.scale = scale.parse().map_err(to_python)?;
    Ok(settings)
}

fn results<'py>(py: Python<'py>, found: &Clustering) -> PyResult<Bound<'py, PyDict>> {
    let labels: Vec<i64> = found.labels.iter().map(|&label| label as i64).collect();
    let weights: Vec<f64> = found.views.iter().map(|view| view.weight).collect();
    let results = PyDict::new(py);
    results.set_item("labels", PyArray1::from_vec(py, labels))?;
    results.set_item("embedding", to_array(py, &found.embedding)?)?;
    results.set_item("eigenvalues", PyArray1::from_slice(py, &found.eigenvalues))?;
    results.set_item("view_weights", PyArray1::from_vec(py, weights))?;
    results.set_item("affinity", Operator::new(Arc::clone(&found.affinity)))?;
    results.set_item("n_iter", found.stop.iterations)?;
    results.set_item("stop_reason", found.stop.reason)?;
    results.set_item("seconds", seconds(py, found)?)?;
    results.set_item("warnings", &found.warnings)?;
    add_findings(py, &results, &found.findings)?;
    Ok(results)
}

fn seconds<'py>(py: Python<'py>, found: &Clustering) -> PyResult<Bound<'py, PyDict>> {
    let spent = &found.seconds;
    let parts = [
        ("prepare", spent.load),
        ("graph", spent.graph),
        ("solve", spent.solve),
        ("assign", spent.assign),
        ("total", spent.total),
    ];
    let seconds = PyDict::new(py);
    parts.iter().try_for_each(|(name, value)| seconds.set_item(name, value))?;
    Ok(seconds)
}

fn add_findings(py: Python<'_>, results: &Bound<'_, PyDict>, findings: &Findings) -> PyResult<()> {
    let trace = PyDict::new(py);
    let column = |pick: fn(&consilience::method::TraceRow) -> f64| {
        PyArray1::from_vec(py, findings.trace.iter().map(pick).collect())
    };
    let iterations: Vec<i64> = findings.trace.iter().map(|row| row.iteration as i64).collect();
    trace.set_item("iteration", PyArray1::from_vec(py, iterations))?;
    trace.set_item("view", PyList::new(py, findings.trace.iter().map(|row| row.view.as_str()))?)?;
    trace.set_item("objective", column(|row| row.objective))?;
    trace.set_item("residual", column(|row| row.residual))?;
    trace.set_item("change", column(|row| row.change))?;
    results.set_item("trace", trace)?;
    let agreement = findings.agreement.as_ref().map(|found| (found.before.clone(), found.after.clone()));
    results.set_item("agreement", agreement)?;
    let corruption =
        findings.corruption.iter().map(|found| (found.view.as_str(), found.share, found.by_feature.clone()));
    results.set_item("corruption", PyList::new(py, corruption)?)
}
