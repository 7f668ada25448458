//! Files, the digits, made-up data and corruption.

use std::path::PathBuf;

use consilience::datasets::Blobs;
use consilience::{Corruption, Error, View, Views};
use consilience_io::{Inputs, Labels, Loaded, ReadOptions, Transpose, chosen, read_with};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{GivenView, to_python_matrix, views};
use crate::error::to_python;
use crate::join::important;
use crate::watch::watched;

/// How files are to be read, as a dict of Python's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenOptions {
    id_column: Option<String>,
    label_column: Option<String>,
    drop_columns: Vec<String>,
    one_hot: Vec<String>,
    /// None is no file, an empty list all of them.
    transpose: Option<Vec<String>>,
    /// An empty list is every view that the file gives by itself.
    views: Vec<String>,
}

impl From<GivenOptions> for ReadOptions {
    fn from(given: GivenOptions) -> Self {
        let GivenOptions { id_column, label_column, drop_columns, one_hot, transpose, views } = given;
        let transpose = match transpose {
            None => Transpose::None,
            Some(files) if files.is_empty() => Transpose::All,
            Some(files) => Transpose::Files(files),
        };
        Self { id_column, label_column, drop_columns, one_hot, transpose, views, ..Self::default() }
    }
}

/// What a file holds.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf, options: GivenOptions) -> PyResult<Bound<'_, PyDict>> {
    let options: ReadOptions = options.into();
    let loaded = watched(py, None, None, move |_| {
        let mut loaded = read_with(&path, &options)?;
        loaded.views = chosen(loaded.views, &options.views, &loaded.entries)?;
        Ok(loaded)
    })?;
    loaded_to_python(py, &loaded)
}

/// What several files hold together, their samples matched by id.
#[pyfunction]
pub(crate) fn load<'py>(
    py: Python<'py>,
    files: Vec<PathBuf>,
    options: GivenOptions,
    truth: Option<PathBuf>,
    join: &str,
    missing: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let (join, missing) = (join.parse().map_err(to_python)?, missing.parse().map_err(to_python)?);
    let options: ReadOptions = options.into();
    let views = options.views.clone();
    let inputs = Inputs { files, options, views, truth, join, missing, ..Inputs::default() };
    let input = watched(py, None, None, move |_| inputs.load())?;
    let result = PyDict::new(py);
    result.set_item("views", views_to_python(py, input.views.iter())?)?;
    result.set_item("labels", input.truth.as_ref().map(|truth| labels_to_python(py, &truth.labels)))?;
    result.set_item("ids", input.ids.as_ref())?;
    result.set_item("notes", important(&input.notes))?;
    Ok(result)
}

/// The digits inside this module.
#[pyfunction]
pub(crate) fn digits(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    loaded_to_python(py, &consilience_io::digits().map_err(to_python)?)
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
    let noisy = watched(py, None, None, move |_| {
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
    result.set_item("notes", important(&loaded.notes))?;
    Ok(result)
}

/// Names, numbers and column names.
fn views_to_python<'py, 'v>(py: Python<'py>, views: impl Iterator<Item = &'v View>) -> PyResult<Bound<'py, PyList>> {
    let views = views.map(|view| {
        Ok((view.name.as_str(), to_python_matrix(py, &view.marked().map_err(to_python)?)?, view.features.clone()))
    });
    PyList::new(py, views.collect::<PyResult<Vec<_>>>()?)
}

/// Codes, and the names they stand for.
fn labels_to_python<'py>(py: Python<'py>, labels: &Labels) -> (Bound<'py, PyArray1<i64>>, Vec<String>) {
    let codes = labels.codes().iter().map(|&code| i64::from(code)).collect();
    (PyArray1::from_vec(py, codes), labels.names().to_vec())
}
