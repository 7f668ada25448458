//! The affinity as an operator that Python can apply, store and send to another process.

use std::sync::Arc;

use consilience::matrix::Dense;
use consilience::operator::LinOp;
use consilience::split::{Split, finer, splits};
use numpy::PyArray2;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::{dense, to_array};
use crate::parts::{assemble, disassemble};
use crate::watch::watched;

/// A symmetric matrix that is kept as what it does to vectors.
#[pyclass(frozen, module = "consilience._native")]
pub(crate) struct Operator {
    operator: Arc<dyn LinOp>,
}

impl Operator {
    pub(crate) fn new(operator: Arc<dyn LinOp>) -> Self {
        Self { operator }
    }
}

#[pymethods]
impl Operator {
    /// Puts an operator together from its parts; see `parts`.
    #[new]
    fn from_parts(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(assemble(parts)?))
    }

    /// n.
    #[getter]
    fn size(&self) -> usize {
        self.operator.size()
    }

    /// The product with a C-contiguous n x b array.
    fn apply<'py>(&self, py: Python<'py>, block: &Bound<'py, PyArray2<f64>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let block = dense(block)?;
        if block.rows() != self.operator.size() {
            return Err(PyValueError::new_err(format!(
                "the affinity of {} samples cannot be applied to {} rows",
                self.operator.size(),
                block.rows()
            )));
        }
        let product = py.detach(|| {
            // threads of its own: the shared ones of a parent process do not exist in a forked child
            let pool = rayon::ThreadPoolBuilder::new().build()?;
            let mut product = Dense::zeros(block.rows(), block.cols());
            pool.install(|| self.operator.apply(&block, &mut product));
            Ok(product)
        });
        let product =
            product.map_err(|error: rayon::ThreadPoolBuildError| PyRuntimeError::new_err(error.to_string()))?;
        to_array(py, &product)
    }

    /// The labels of more clusters than the fit has: those whose split comes back best are split in two.
    fn split(&self, py: Python<'_>, labels: Vec<usize>, clusters: usize, seed: u64) -> PyResult<Vec<usize>> {
        if labels.len() != self.operator.size() {
            return Err(PyValueError::new_err("the affinity is of other samples than the labels"));
        }
        let operator = self.operator.clone();
        watched(py, None, None, move |run| {
            let k = labels.iter().max().map_or(0, |last| last + 1);
            let found: Vec<Split> = splits(operator.as_ref(), &labels, k, seed, run)?;
            finer(&labels, &found, clusters)
        })
    }

    /// The parts that it can be put together from again.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.operator.data() {
            Some(parts) => disassemble(py, &parts),
            None => Err(PyTypeError::new_err("this affinity cannot be taken apart")),
        }
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((this.get_type().into_any(), (this.get().parts(this.py())?,)))
    }
}
