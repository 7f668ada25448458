//! The features that set clusters apart.

use consilience::markers::markers as find;
use consilience::views::{Missing, Resolved};
use consilience::{Error, Views};
use pyo3::prelude::*;
use serde_json::json;

use crate::array::{GivenView, kinds, views, with_precomputed};
use crate::error::to_python;
use crate::watch::watched;

/// Every marker as JSON, as a record keeps them.
#[pyfunction]
pub(crate) fn markers(
    py: Python<'_>,
    given: Vec<GivenView<'_>>,
    labels: Vec<usize>,
    missing: &str,
    features: usize,
    precomputed: Vec<(String, String)>,
) -> PyResult<String> {
    let (missing, views): (Missing, _) = (missing.parse().map_err(to_python)?, views(given)?);
    let precomputed = kinds(&precomputed)?;
    watched(py, None, None, move |_| {
        let Resolved { views, .. } = missing.resolve(with_precomputed(views, &precomputed)?)?;
        let views = Views::new(views)?;
        if views.samples() != labels.len() {
            let what = format!("there are {} samples, but the fit has {} labels", views.samples(), labels.len());
            return Err(Error::data_with_hint(what, "give the views that the estimator was fitted on"));
        }
        Ok(json!(find(&views, &labels, features)?).to_string())
    })
}
