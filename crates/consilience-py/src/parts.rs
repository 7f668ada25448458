//! Operators as tuples of arrays, which Python can pickle: `("sparse", ...)`, `("dense", ...)`,
//! `("low rank", ...)`, `("linear kernel", ...)`, `("sum", ...)`.

use std::sync::Arc;

use consilience::matrix::Matrix;
use consilience::operator::{LinOp, OperatorData};
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::array::{dense, matrix, to_array, to_sparse_parts};
use crate::error::to_python;

/// The tuple of an operator.
pub(crate) fn disassemble<'py>(py: Python<'py>, data: &OperatorData) -> PyResult<Bound<'py, PyAny>> {
    let tuple = match data {
        OperatorData::Sparse(table) => ("sparse", to_sparse_parts(py, table)?),
        OperatorData::Dense(matrix) => ("dense", to_array(py, matrix)?.into_any()),
        OperatorData::LowRank(factor) => ("low rank", to_array(py, factor)?.into_any()),
        OperatorData::LinearKernel { points, mean, scale } => {
            ("linear kernel", (to_array(py, points)?, mean.clone(), *scale).into_pyobject(py)?.into_any())
        }
        OperatorData::Copied { inner, of } => {
            ("copied", (disassemble(py, inner)?, of.clone()).into_pyobject(py)?.into_any())
        }
        OperatorData::Sum(terms) => {
            let terms = terms.iter().map(|(weight, part)| Ok((*weight, disassemble(py, part)?)));
            ("sum", PyList::new(py, terms.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
    };
    Ok(tuple.into_pyobject(py)?.into_any())
}

/// The operator of a tuple.
pub(crate) fn assemble(given: &Bound<'_, PyAny>) -> PyResult<Arc<dyn LinOp>> {
    parts(given)?.build().map_err(to_python)
}

fn parts(given: &Bound<'_, PyAny>) -> PyResult<OperatorData> {
    let (kind, content): (String, Bound<'_, PyAny>) = given.extract()?;
    match kind.as_str() {
        "sparse" => match matrix(&content)? {
            Matrix::SparseF64(table) => Ok(OperatorData::Sparse(table)),
            _ => Err(PyValueError::new_err("a sparse operator must hold double precision")),
        },
        "dense" => Ok(OperatorData::Dense(dense(content.cast::<PyArray2<f64>>()?)?)),
        "linear kernel" => {
            let (points, mean, scale): (Bound<'_, PyArray2<f64>>, Vec<f64>, f64) = content.extract()?;
            Ok(OperatorData::LinearKernel { points: dense(&points)?, mean, scale })
        }
        "low rank" => Ok(OperatorData::LowRank(dense(content.cast::<PyArray2<f64>>()?)?)),
        "copied" => {
            let (inner, of): (Bound<'_, PyAny>, Vec<usize>) = content.extract()?;
            Ok(OperatorData::Copied { inner: Box::new(parts(&inner)?), of })
        }
        "sum" => {
            let terms: Vec<(f64, Bound<'_, PyAny>)> = content.extract()?;
            let terms = terms.into_iter().map(|(weight, part)| Ok((weight, parts(&part)?)));
            Ok(OperatorData::Sum(terms.collect::<PyResult<_>>()?))
        }
        other => Err(PyValueError::new_err(format!("unknown operator `{other}`"))),
    }
}
