//! Scores.

use consilience::metrics::{self, Metric};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::to_python;

/// All scores of predicted labels against true ones, by name.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    predicted: PyReadonlyArray1<'py, i64>,
    truth: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let scores = metrics::score(predicted.as_slice()?, truth.as_slice()?).map_err(to_python)?;
    let result = PyDict::new(py);
    for (metric, value) in scores.iter() {
        // what scikit-learn's users search for
        let name = if metric == Metric::Acc { "accuracy" } else { metric.name() };
        result.set_item(name, value)?;
    }
    Ok(result)
}
