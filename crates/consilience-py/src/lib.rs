//! What Rust gives to the Python package `consilience`. Everything that makes it feel like Python (estimators, input in
//! its many forms, docstrings) is Python, in `python/consilience`; this crate hands over numbers and catches signals.

// PyO3 hands arguments over by value
#![allow(clippy::needless_pass_by_value)]

mod affinity;
mod array;
mod blocks;
mod data;
mod error;
mod examination;
mod fit;
mod hints;
mod join;
mod markers;
mod metrics;
mod model;
mod parts;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use consilience::MethodInfo;
    use consilience::method::REGISTRY;
    use pyo3::prelude::*;
    use serde_json::json;

    #[pymodule_export]
    use crate::affinity::Operator;
    #[pymodule_export]
    use crate::array::address;
    #[pymodule_export]
    use crate::blocks::{fit_first, missing_samples, place, rows_read_first};
    #[pymodule_export]
    use crate::data::{corrupt, digits, load, make_blobs, read};
    #[pymodule_export]
    use crate::examination::{Examined, examine};
    #[pymodule_export]
    use crate::fit::{fit, write_run};
    #[pymodule_export]
    use crate::join::join;
    #[pymodule_export]
    use crate::markers::markers;
    #[pymodule_export]
    use crate::metrics::score;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The registry as JSON: what the classes are generated from.
    #[pyfunction]
    fn methods() -> String {
        json!(REGISTRY.iter().map(MethodInfo::describe).collect::<Vec<_>>()).to_string()
    }
}
