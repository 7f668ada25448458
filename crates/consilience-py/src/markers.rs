//! The features that set clusters apart, as columns.

use std::collections::BTreeMap;

use consilience::markers::{Marker, markers as find};
use consilience::views::{Missing, Resolved};
use consilience::{Error, Views};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{GivenView, kinds, views, with_precomputed};
use crate::error::to_python;
use crate::watch::watched;

/// A list for every column: `cluster`, `view`, `feature`, `auc`, `inside`, `outside`, `p`.
#[pyfunction]
pub(crate) fn markers<'py>(
    py: Python<'py>,
    given: Vec<GivenView<'_>>,
    labels: Vec<usize>,
    missing: &str,
    features: usize,
    precomputed: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyDict>> {
    let (missing, views): (Missing, _) = (missing.parse().map_err(to_python)?, views(given)?);
    let precomputed = kinds(&precomputed)?;
    let found: Vec<Marker> = watched(py, None, None, move |_| {
        let Resolved { views, .. } = missing.resolve(with_precomputed(views, &precomputed)?)?;
        let views = Views::new(views)?;
        if views.samples() != labels.len() {
            let what = format!("there are {} samples, but the fit has {} labels", views.samples(), labels.len());
            return Err(Error::data_with_hint(what, "give the views that the estimator was fitted on"));
        }
        find(&views, &labels, features)
    })?;
    let numbers: BTreeMap<&str, Vec<f64>> = [
        ("auc", found.iter().map(|marker| marker.auc).collect()),
        ("inside", found.iter().map(|marker| marker.inside).collect()),
        ("outside", found.iter().map(|marker| marker.outside).collect()),
        ("p", found.iter().map(|marker| marker.p).collect()),
    ]
    .into();
    let columns = PyDict::new(py);
    columns.set_item("cluster", found.iter().map(|marker| marker.cluster).collect::<Vec<_>>())?;
    columns.set_item("view", found.iter().map(|marker| marker.view.as_str()).collect::<Vec<_>>())?;
    columns.set_item("feature", found.iter().map(|marker| marker.feature.as_str()).collect::<Vec<_>>())?;
    for (name, column) in numbers {
        columns.set_item(name, column)?;
    }
    Ok(columns)
}
