//! Scores.

use consilience::metrics;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::to_python;

/// All five scores of predicted labels against true ones.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    predicted: PyReadonlyArray1<'py, i64>,
    truth: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let scores = metrics::score(predicted.as_slice()?, truth.as_slice()?).map_err(to_python)?;
    let result = PyDict::new(py);
    result.set_item("accuracy", scores.acc)?;
    result.set_item("nmi", scores.nmi)?;
    result.set_item("ari", scores.ari)?;
    result.set_item("purity", scores.purity)?;
    result.set_item("fscore", scores.fscore)?;
    Ok(result)
}
