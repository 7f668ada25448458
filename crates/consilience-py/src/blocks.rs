//! A run by landmarks in functions without state, for samples that lie in blocks on several machines: which samples are read
//! first, what they make, where the samples of a block belong.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use consilience::landmarks::{cluster_first, read_first};
use consilience::run::Warning;
use consilience::{Error, Result, View, Views};
use consilience_io::model as saved;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::array::{GivenView, views};
use crate::fit::{Asked, results};
use crate::model::placed;
use crate::watch::watched;

/// The rows, rising, of the samples that a run of `n` reads first; None when all samples are compared with all.
#[pyfunction]
pub(crate) fn rows_read_first<'py>(
    py: Python<'py>,
    n: usize,
    asked: Asked<'py>,
) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
    let settings = asked.settings()?;
    let rows = watched(py, None, settings.threads, move |_| Ok(read_first(n, &settings)))?;
    Ok(rows.map(|rows| PyArray1::from_iter(py, rows.into_iter().map(|row| row as i64))))
}

/// Clusters the landmarks of `n` samples, of which `given` are those that are read first. As `fit`, with the bytes of the
/// model and the rows of the landmarks; nobody is placed, and clusters are in the model's order.
#[pyfunction]
pub(crate) fn fit_first<'py>(
    py: Python<'py>,
    n: usize,
    given: Vec<GivenView<'py>>,
    asked: Asked<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (settings, views) = (asked.settings()?, views(given)?);
    let (found, rows, model) = watched(py, None, settings.threads, move |run| {
        let mut found = cluster_first(n, Views::new(views)?, &settings, run)?;
        let made =
            found.landmarks.take().ok_or_else(|| Error::data("a run without landmarks cannot be made in parts"))?;
        let bytes = saved::to_bytes(&made.model)?;
        Ok((found, made.rows, bytes))
    })?;
    let by_landmarks = found.record.by_landmarks.clone();
    let results = results(py, found)?;
    results.set_item("model", PyBytes::new(py, &model))?;
    results.set_item("landmarks", PyArray1::from_iter(py, rows.into_iter().map(|row| row as i64)))?;
    let tried = by_landmarks.map(|made| (made.means, made.tried));
    let (means, tried) = tried.unwrap_or_default();
    results.set_item("means", means)?;
    results.set_item("tried", tried.into_iter().map(|trial| (trial.count, trial.agreement)).collect::<Vec<_>>())?;
    Ok(results)
}

/// Where the samples of a block belong, by the bytes of a model: as `Model.predict`, and how many samples each view does not
/// know. All blocks that a process places at a time share its `threads`.
#[pyfunction]
pub(crate) fn place<'py>(
    py: Python<'py>,
    model: &[u8],
    given: Vec<GivenView<'py>>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (bytes, views) = (model.to_vec(), views(given)?);
    let (found, absent, width) = watched(py, None, Some(1), move |run| {
        shared_threads(threads)?.install(|| {
            let (model, views) = (saved::from_bytes(&bytes)?, Views::new(views)?);
            let absent: Vec<usize> = views.iter().map(View::absences).collect();
            Ok((model.predict(&views, run)?, absent, model.embedding().cols()))
        })
    })?;
    let result = placed(py, found, width)?;
    result.set_item("absent", absent)?;
    Ok(result)
}

/// The words for samples that a view does not know, counted over all blocks: kind, view and sentence.
#[pyfunction]
pub(crate) fn missing_samples(view: String, samples: usize) -> (&'static str, String, String) {
    let warning = Warning::MissingSamples { view: view.clone(), samples };
    (warning.kind(), view, warning.to_string())
}

/// The threads that all blocks of this process share: a worker places several blocks at a time, and a pool for each of them
/// would be more threads than it was given.
fn shared_threads(threads: usize) -> Result<Arc<ThreadPool>> {
    // a forked child has none of its parent's threads
    type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;
    static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| Error::data(format!("{threads} threads could not be started: {error}")))?);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}
