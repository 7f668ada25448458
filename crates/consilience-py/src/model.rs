//! Models: what a fit leaves for new samples, in Python's hands.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use consilience::model::{self, Draft, Prediction};
use consilience::views::Missing;
use consilience::{Error, Result, Run, Views};
use consilience_io::folder::model_file;
use consilience_io::model as saved;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::json;

use crate::array::{GivenView, to_array, views};
use crate::error::to_python;
use crate::join::important;
use crate::watch::watched;

/// A model, or what becomes one when it is first needed.
enum Held {
    Draft(Box<Draft>),
    Ready(Arc<model::Model>),
}

/// What places new samples. Its distances are measured once, by whoever needs them first.
#[pyclass(frozen, module = "consilience._native")]
pub(crate) struct Model {
    held: Arc<Mutex<Held>>,
}

impl From<Draft> for Model {
    fn from(draft: Draft) -> Self {
        Self { held: Arc::new(Mutex::new(Held::Draft(Box::new(draft)))) }
    }
}

impl From<model::Model> for Model {
    fn from(model: model::Model) -> Self {
        Self { held: Arc::new(Mutex::new(Held::Ready(Arc::new(model)))) }
    }
}

/// Does `work` in threads of its own: the shared ones of a parent process do not exist in a forked child.
pub(crate) fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| Error::data(format!("threads could not be started: {error}")))?.install(work)
}

/// The model that is held, measured where it is not yet. Whoever else needs it waits.
fn measured(held: &Mutex<Held>, run: &Run) -> Result<Arc<model::Model>> {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    let model = match &*held {
        Held::Ready(model) => return Ok(Arc::clone(model)),
        // a clone shares the numbers: a cancelled measurement leaves the draft as it was
        Held::Draft(draft) => Arc::new((**draft).clone().measured(run)?),
    };
    *held = Held::Ready(Arc::clone(&model));
    Ok(model)
}

impl Model {
    /// The model, measured where it is not yet.
    pub(crate) fn ready(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Arc<model::Model>> {
        let held = Arc::clone(&self.held);
        watched(py, None, threads, move |run| measured(&held, run))
    }
}

#[pymethods]
impl Model {
    /// A model from its bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(saved::from_bytes(bytes).map_err(to_python)?.into())
    }

    /// A model from its file, or from the folder of its run.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(watched(py, None, None, move |_| saved::load(&model_file(&path)?))?.into())
    }

    /// The bytes of the file, under these ids.
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: Option<Vec<String>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let model = (*self.ready(py, threads)?).clone().with_ids(ids).map_err(to_python)?;
        Ok(PyBytes::new(py, &saved::to_bytes(&model).map_err(to_python)?))
    }

    /// Writes the file, under these ids, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf, ids: Option<Vec<String>>, threads: Option<usize>) -> PyResult<()> {
        let model = (*self.ready(py, threads)?).clone().with_ids(ids).map_err(to_python)?;
        model.check_predicts().map_err(to_python)?;
        watched(py, None, threads, move |_| saved::save(&model, &path))
    }

    /// The same model, its clusters in another order: the new number 0 is for what was cluster `order[0]`.
    fn reordered(&self, py: Python<'_>, order: Vec<usize>) -> PyResult<Self> {
        let model = (*self.ready(py, None)?).clone();
        Ok(model.reordered(&order).map_err(to_python)?.into())
    }

    /// Where new samples belong. Those that are left out because values are missing have no label: -1.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        given: Vec<GivenView<'py>>,
        missing: &str,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (held, views) = (Arc::clone(&self.held), views(given)?);
        let missing: Missing = missing.parse().map_err(to_python)?;
        let (found, width, left, notes) = watched(py, progress.as_ref(), threads, move |run| {
            let model = measured(&held, run)?;
            let samples = views.first().map_or(0, |view| view.data.rows());
            let resolved = match missing {
                // the features are those of the fit, and none can be left out
                Missing::DropFeatures => Missing::Refuse.resolve(views)?,
                _ => missing.resolve(views)?,
            };
            let found = model.predict(&Views::new(resolved.views)?, run)?;
            Ok((found, model.embedding().cols(), resolved.kept.map(|kept| (kept, samples)), resolved.notes))
        })?;
        let found = match left {
            Some((kept, samples)) => among(&found, &kept, samples, width),
            None => found,
        };
        let result = placed(py, found, width)?;
        result.set_item("notes", important(&notes))?;
        Ok(result)
    }

    /// What the file says of the fit: settings, views, labels, ids and embedding.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = self.ready(py, None)?;
        let facts = PyDict::new(py);
        facts.set_item("settings", json!(model.settings()).to_string())?;
        let views = model.views().map(|(view, weight)| (&view.name, view.data.cols(), weight, view.features.as_ref()));
        facts.set_item("views", PyList::new(py, views.collect::<Vec<_>>())?)?;
        facts.set_item("labels", PyArray1::from_iter(py, model.labels().iter().map(|&label| label as i64)))?;
        facts.set_item("ids", model.ids())?;
        facts.set_item("embedding", to_array(py, model.embedding())?)?;
        Ok(facts)
    }
}

/// No cluster, as a label.
const NOWHERE: usize = usize::MAX;

/// What was found of the samples that were `kept`, among all of them: nothing is known of the others.
fn among(found: &Prediction, kept: &[usize], samples: usize, width: usize) -> Prediction {
    let mut all = found.clone();
    all.labels = vec![NOWHERE; samples];
    all.confidence = vec![0.0; samples];
    all.distance = vec![f64::NAN; samples];
    all.unlike = vec![true; samples];
    all.positions = vec![f64::NAN; samples * width];
    for (i, &at) in kept.iter().enumerate() {
        all.labels[at] = found.labels[i];
        all.confidence[at] = found.confidence[i];
        all.distance[at] = found.distance[i];
        all.unlike[at] = found.unlike[i];
        all.positions[at * width..(at + 1) * width].copy_from_slice(&found.positions[i * width..(i + 1) * width]);
    }
    all
}

/// Where samples belong, as a dict of Python's.
pub(crate) fn placed(py: Python<'_>, found: Prediction, width: usize) -> PyResult<Bound<'_, PyDict>> {
    let samples = found.labels.len();
    let positions: Bound<'_, PyArray2<f64>> = PyArray1::from_vec(py, found.positions).reshape([samples, width])?;
    let result = PyDict::new(py);
    result.set_item(
        "labels",
        PyArray1::from_iter(py, found.labels.into_iter().map(|label| if label == NOWHERE { -1 } else { label as i64 })),
    )?;
    result.set_item("confidence", PyArray1::from_vec(py, found.confidence))?;
    result.set_item("distance", PyArray1::from_vec(py, found.distance))?;
    result.set_item("unlike", PyArray1::from_vec(py, found.unlike))?;
    result.set_item("embedding", positions)?;
    let warnings = found.warnings.iter().map(|warning| (warning.kind(), warning.view(), warning.to_string()));
    result.set_item("warnings", PyList::new(py, warnings.collect::<Vec<_>>())?)?;
    Ok(result)
}
