//! Files, the digits, made-up data and corruption.

use std::path::PathBuf;

use consilience::data::{Blobs, Labels, Loaded, ReadOptions, chosen, read_with};
use consilience::{Corruption, Error, View, Views};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{GivenView, to_python_matrix, views};
use crate::error::to_python;
use crate::watch::watched;

/// What a file holds.
#[pyfunction]
pub(crate) fn read<'py>(
    py: Python<'py>,
    path: PathBuf,
    id_column: Option<String>,
    label_column: Option<String>,
    views: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let views = views.unwrap_or_default();
    let options = ReadOptions { id_column, label_column, views, ..ReadOptions::default() };
    let loaded = watched(py, None, move |_| {
        let mut loaded = read_with(&path, &options)?;
        loaded.views = chosen(loaded.views, &options.views, &loaded.entries)?;
        Ok(loaded)
    })?;
    loaded_to_python(py, &loaded)
}

/// The digits inside this module.
#[pyfunction]
pub(crate) fn digits(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    loaded_to_python(py, &consilience::data::digits().map_err(to_python)?)
}

/// Gaussian clusters in several views: the views, and the cluster of every sample.
#[pyfunction]
pub(crate) fn make_blobs<'py>(
    py: Python<'py>,
    samples: usize,
    clusters: usize,
    features: Vec<usize>,
    separation: f64,
    seed: u64,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyArray1<i64>>)> {
    let blobs = Blobs { samples, clusters, features, separation, seed };
    let (views, truth) = py.detach(|| blobs.generate()).map_err(to_python)?;
    let truth = truth.into_iter().map(|label| label as i64).collect();
    Ok((views_to_python(py, views.iter())?, PyArray1::from_vec(py, truth)))
}

/// The views, scaled and then with noise in them.
#[pyfunction]
pub(crate) fn corrupt<'py>(
    py: Python<'py>,
    given: Vec<GivenView<'py>>,
    scale: &str,
    fraction: f64,
    mode: &str,
    amplitude: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyList>> {
    let (scale, mode) = (scale.parse().map_err(to_python)?, mode.parse().map_err(to_python)?);
    let (views, corruption) = (views(given)?, Corruption { fraction, mode, seed, amplitude });
    let noisy = watched(py, None, move |_| {
        // threads of its own: the shared ones of a parent process do not exist in a forked child
        let pool = rayon::ThreadPoolBuilder::new().build();
        let pool = pool.map_err(|error| Error::data(format!("threads could not be started: {error}")))?;
        pool.install(|| Views::new(views)?.scaled(scale)?.corrupted(&corruption))
    })?;
    views_to_python(py, noisy.iter())
}

fn loaded_to_python<'py>(py: Python<'py>, loaded: &Loaded) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("views", views_to_python(py, loaded.views.iter())?)?;
    result.set_item("labels", loaded.labels.as_ref().map(|labels| labels_to_python(py, labels)))?;
    result.set_item("ids", loaded.ids.as_ref())?;
    Ok(result)
}

/// Names, numbers and column names.
fn views_to_python<'py, 'v>(py: Python<'py>, views: impl Iterator<Item = &'v View>) -> PyResult<Bound<'py, PyList>> {
    let views = views.map(|view| Ok((view.name.as_str(), to_python_matrix(py, &view.data)?, view.features.clone())));
    PyList::new(py, views.collect::<PyResult<Vec<_>>>()?)
}

/// Codes, and the names they stand for.
fn labels_to_python<'py>(py: Python<'py>, labels: &Labels) -> (Bound<'py, PyArray1<i64>>, Vec<String>) {
    let codes = labels.codes().iter().map(|&code| i64::from(code)).collect();
    (PyArray1::from_vec(py, codes), labels.names().to_vec())
}
