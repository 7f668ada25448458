//! One run of a method, from arrays to everything it found.

use std::path::PathBuf;
use std::sync::Arc;

use consilience::matrix::Matrix;
use consilience::memberships::Memberships;
use consilience::model::Draft;
use consilience::parameters::{Given, Value};
use consilience::settings::GivenWeights;
use consilience::views::{Missing, Precomputed};
use consilience::{Clustering, Error, MethodInfo, RunRecord, Settings, Views, cluster_observed};
use consilience_io::folder::{Existing, Files, Place};
use consilience_io::{Labels, SavedRun};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList};

use crate::affinity::Operator;
use crate::array::{GivenView, dense, kinds, matrix, to_array, to_sparse_parts, views_told, with_precomputed};
use crate::error::to_python;
use crate::join::important;
use crate::model::Model;
use crate::watch::watched;

/// What an estimator asks, as a dict of Python's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked<'py> {
    method: String,
    /// Names and values of the method's parameters.
    parameters: Vec<(String, Bound<'py, PyAny>)>,
    clusters: usize,
    /// Among which numbers of clusters the data choose, as the command line writes it.
    choose: Option<String>,
    scale: String,
    landmarks: String,
    seed: u64,
    restarts: usize,
    threads: Option<usize>,
    memory: Option<u64>,
    /// Weights that the user gives the views.
    weights: Option<Vec<(String, f64)>>,
    /// What becomes of missing values.
    missing: String,
    /// Views that are affinities or distances of the samples, and which.
    precomputed: Vec<(String, String)>,
}

impl Asked<'_> {
    /// What becomes of missing values.
    pub(crate) fn missing(&self) -> PyResult<Missing> {
        self.missing.parse().map_err(to_python)
    }

    /// Views that are affinities or distances of the samples.
    pub(crate) fn precomputed(&self) -> PyResult<Vec<(String, Precomputed)>> {
        kinds(&self.precomputed)
    }

    /// The settings of a run, checked but for what depends on the data.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let values: Vec<Value> = self.parameters.iter().map(|(_, value)| plain(value)).collect::<PyResult<_>>()?;
        let given = self.parameters.iter().zip(&values).map(|((name, _), value)| (name.as_str(), Given::Value(value)));
        let method = MethodInfo::named(&self.method).and_then(|info| info.from_given(given)).map_err(to_python)?;
        let weights = self.weights.clone().map(GivenWeights::new).transpose().map_err(to_python)?;
        let settings = Settings::new(self.clusters).shared_method(method).weights(weights);
        Ok(settings
            .choose(self.choose.as_deref().map(str::parse).transpose().map_err(to_python)?)
            .scale(self.scale.parse().map_err(to_python)?)
            .landmarks(self.landmarks.parse().map_err(to_python)?)
            .seed(self.seed)
            .restarts(self.restarts)
            .memory(self.memory)
            // a pool of its own for every run, also when all cores (0) are wanted: the shared one of a parent process does
            // not exist in a forked child
            .threads(self.threads.unwrap_or(0)))
    }
}

/// Clusters the views; returns what was found.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    given: Vec<GivenView<'py>>,
    asked: Asked<'py>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    // settings first: a mistyped parameter must not wait for the data to be checked
    let (settings, missing, precomputed) = (asked.settings()?, asked.missing()?, asked.precomputed()?);
    let (views, mut notes) = views_told(given)?;
    let (found, draft, kept) = watched(py, progress.as_ref(), settings.threads, move |run| {
        let resolved = missing.resolve(with_precomputed(views, &precomputed)?)?;
        let views = Views::new(resolved.views)?;
        let mut found = cluster_observed(&views, &settings, run)?;
        notes.extend(resolved.notes);
        found.record.notes = notes;
        let draft = Draft::new(&views, &found)?;
        Ok((found, draft, resolved.kept))
    })?;
    let notes = important(&found.record.notes);
    let results = results(py, found)?;
    results.set_item("model", Model::from(draft))?;
    results.set_item("kept", kept)?;
    results.set_item("notes", notes)?;
    Ok(results)
}

/// A Python value as records have it. What they have no word for (NaN, None, an object) is passed on as text, to be refused by
/// the parameter in its own words.
fn plain(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if let Ok(whole) = value.cast::<PyInt>()
        && let Ok(whole) = whole.extract::<i64>()
    {
        return Ok(whole.into());
    }
    if let Ok(number) = value.cast::<PyFloat>()
        && number.extract::<f64>()?.is_finite()
    {
        return Ok(number.extract::<f64>()?.into());
    }
    Ok(Value::Text(value.str()?.to_string()))
}

/// What was found: the record, and what it does not hold in this form.
pub(crate) fn results<'py>(py: Python<'py>, found: Clustering) -> PyResult<Bound<'py, PyDict>> {
    let Clustering { mut record, fitted, affinity, memberships, .. } = found;
    let labels: Vec<i64> = std::mem::take(&mut record.labels).into_iter().map(|label| label as i64).collect();
    let results = PyDict::new(py);
    results.set_item("labels", PyArray1::from_vec(py, labels))?;
    results.set_item("confidence", PyArray1::from_slice(py, memberships.confidence()))?;
    let shares = match memberships.matrix().map_err(to_python)? {
        Matrix::SparseF64(shares) => to_sparse_parts(py, &shares)?,
        Matrix::DenseF64(shares) => to_array(py, &shares)?.into_any(),
        other => return Err(to_python(Error::data(format!("memberships are not kept in {}", other.precision())))),
    };
    results.set_item("memberships", shares)?;
    results.set_item("embedding", to_array(py, &fitted.embedding)?)?;
    results.set_item("centres", to_array(py, &fitted.centres)?)?;
    results.set_item("affinity", Operator::new(Arc::clone(&affinity)))?;
    results.set_item("n_iter", record.termination.iterations())?;
    results.set_item("stop_reason", record.termination.to_string())?;
    let warnings = record.warnings.iter().map(|warning| (warning.kind(), warning.view(), warning.to_string()));
    results.set_item("warnings", PyList::new(py, warnings)?)?;
    results.set_item("record", json(&record)?)?;
    Ok(results)
}

fn json(record: &RunRecord) -> PyResult<String> {
    serde_json::to_string(record)
        .map_err(|error| to_python(Error::data(format!("the record cannot be written as JSON: {error}"))))
}

/// What a run folder is made of, as a dict of Python's. `record` is what [`fit`] returned, without its labels.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenRun<'py> {
    record: String,
    labels: PyReadonlyArray1<'py, i64>,
    embedding: Bound<'py, PyArray2<f64>>,
    memberships: Bound<'py, PyAny>,
    model: Py<Model>,
    ids: Option<Vec<String>>,
    truth: Option<Vec<String>>,
    threads: Option<usize>,
}

/// Writes the folder that `consilience cluster -o` writes.
#[pyfunction]
pub(crate) fn write_run(py: Python<'_>, folder: PathBuf, given: GivenRun<'_>, force: bool) -> PyResult<()> {
    let GivenRun { record, labels, embedding, memberships, model, ids, truth, threads } = given;
    let mut record: RunRecord = serde_json::from_str(&record)
        .map_err(|error| to_python(Error::data(format!("not the record of a run: {error}"))))?;
    record.labels = labels.as_slice()?.iter().map(|&label| label as usize).collect();
    record.ids = ids.clone();
    if let Some(truth) = truth {
        record = record.with_truth(Labels::from_names(&truth).codes()).map_err(to_python)?;
    }
    let existing = Existing::forced(force);
    // asked first: the answer does not wait for the model
    let mut place = Place::open(&folder, &[], existing, false).map_err(to_python)?;
    let model = (*model.get().ready(py, threads)?).clone().with_ids(ids).map_err(to_python)?;
    // that of affinities alone places nobody
    let model = model.check_predicts().is_ok().then_some(model);
    let memberships = Memberships::from_matrix(&matrix(&memberships)?, &record.labels).map_err(to_python)?;
    let embedding = dense(&embedding)?;
    let files = Files { embedding: &embedding, memberships: Some(&memberships), model: model.as_ref() };
    place.write(&SavedRun::from(record), &files).map_err(to_python)
}
