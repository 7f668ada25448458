//! NumPy arrays to matrices and back. A C-contiguous array of floats is read where it lies.

use std::sync::Arc;

use consilience::matrix::{Buffer, Csr, Dense, Matrix, Real, SharedSlice};
use consilience::run::Note;
use consilience::views::Precomputed;
use consilience::{Result, View};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::to_python;

/// The numbers of a NumPy array, kept alive by a reference to it.
struct Borrowed<T> {
    first: *const T,
    len: usize,
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read, and the reference in `_owner` keeps it until the last matrix is gone. That another
// Python thread could write to the array meanwhile is the usual price of sharing memory with NumPy: the numbers would be
// wrong, as in any NumPy function that releases the interpreter.
#[allow(unsafe_code)]
unsafe impl<T: Send> Send for Borrowed<T> {}
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Borrowed<T> {}

impl<T: Send + Sync> SharedSlice<T> for Borrowed<T> {
    fn as_slice(&self) -> &[T] {
        // SAFETY: `first` and `len` come from NumPy's own account of a contiguous, aligned array that is still alive
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.first, self.len)
        }
    }
}

/// A view as Python hands it over: its name, its numbers, and the names of its columns.
pub(crate) type GivenView<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>);

/// Views from what Python gave, not yet checked: that takes time, and is done where Ctrl-C is seen.
pub(crate) fn views(given: Vec<GivenView<'_>>) -> PyResult<Vec<View>> {
    views_told(given).map(|(views, _)| views)
}

/// The same, and which of them had columns of the same name.
pub(crate) fn views_told(given: Vec<GivenView<'_>>) -> PyResult<(Vec<View>, Vec<Note>)> {
    let view =
        |(name, numbers, features): GivenView<'_>| Ok(View::new(name, matrix(&numbers)?).with_features(features));
    let mut views: Vec<View> = given.into_iter().map(view).collect::<PyResult<_>>()?;
    let notes = views.iter_mut().filter_map(View::tell_columns_apart).collect();
    Ok((views, notes))
}

/// Views of which some, by name, are affinities or distances of the samples.
pub(crate) fn with_precomputed(views: Vec<View>, named: &[(String, Precomputed)]) -> Result<Vec<View>> {
    let kind = |view: &View| named.iter().find(|(name, _)| *name == view.name).map(|(_, kind)| *kind);
    views
        .into_iter()
        .map(|view| match kind(&view) {
            Some(kind) => view.precomputed(kind),
            None => Ok(view),
        })
        .collect()
}

/// Names of views and what their numbers are, as Python says it.
pub(crate) fn kinds(given: &[(String, String)]) -> PyResult<Vec<(String, Precomputed)>> {
    let kind = |(name, kind): &(String, String)| Ok((name.clone(), kind.parse().map_err(to_python)?));
    given.iter().map(kind).collect()
}

/// A matrix from a C-contiguous array of floats, or from the parts of a sparse one.
pub(crate) fn matrix(given: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    if let Ok(array) = given.cast::<PyArray2<f64>>() {
        return Ok(dense(array)?.into());
    }
    if let Ok(array) = given.cast::<PyArray2<f32>>() {
        return Ok(dense(array)?.into());
    }
    let (values, indices, indptr, shape): SparseParts<'_> = given.extract()?;
    if let Ok(values) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(sparse(&values, &indices, &indptr, shape)?.into());
    }
    Ok(sparse(&values.extract::<PyReadonlyArray1<'_, f32>>()?, &indices, &indptr, shape)?.into())
}

/// Values, indices, indptr, shape.
type SparseParts<'py> = (Bound<'py, PyAny>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, i64>, (usize, usize));

/// The array's own memory as a matrix.
pub(crate) fn dense<T: Element + Real>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Dense<T>> {
    if !array.is_c_contiguous() || !array.data().is_aligned() {
        return Err(PyTypeError::new_err("the binding takes aligned C-contiguous arrays only"));
    }
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    if rows * cols == 0 {
        return Dense::new(rows, cols, Vec::new()).map_err(to_python);
    }
    let borrowed =
        Borrowed { first: array.data().cast_const(), len: rows * cols, _owner: array.clone().into_any().unbind() };
    Dense::new(rows, cols, Buffer::foreign(Arc::new(borrowed))).map_err(to_python)
}

fn sparse<T: Element + Real>(
    values: &PyReadonlyArray1<'_, T>,
    indices: &PyReadonlyArray1<'_, u32>,
    indptr: &PyReadonlyArray1<'_, i64>,
    (rows, cols): (usize, usize),
) -> PyResult<Csr<T>> {
    // a negative start becomes a huge one, which `Csr::new` refuses
    let indptr = indptr.as_slice()?.iter().map(|&start| start as usize).collect();
    Csr::new(rows, cols, indptr, indices.as_slice()?.to_vec(), values.as_slice()?.to_vec()).map_err(to_python)
}

/// A dense matrix as a NumPy array of its own.
pub(crate) fn to_array<'py, T: Element + Real>(py: Python<'py>, m: &Dense<T>) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_slice(py, m.data()).reshape([m.rows(), m.cols()])
}

/// A matrix as Python takes it: an array, or the parts of a sparse matrix.
pub(crate) fn to_python_matrix<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    match matrix {
        Matrix::DenseF32(m) => Ok(to_array(py, m)?.into_any()),
        Matrix::DenseF64(m) => Ok(to_array(py, m)?.into_any()),
        Matrix::SparseF32(m) => to_sparse_parts(py, m),
        Matrix::SparseF64(m) => to_sparse_parts(py, m),
    }
}

/// Values, indices, indptr, shape: the arguments of SciPy's `csr_matrix`.
pub(crate) fn to_sparse_parts<'py, T: Element + Real>(py: Python<'py>, m: &Csr<T>) -> PyResult<Bound<'py, PyAny>> {
    let indptr: Vec<i64> = m.indptr().iter().map(|&start| start as i64).collect();
    let parts = (
        PyArray1::from_slice(py, m.values()),
        PyArray1::from_slice(py, m.indices()),
        PyArray1::from_vec(py, indptr),
        (m.rows(), m.cols()),
    );
    Ok(parts.into_pyobject(py)?.into_any())
}

/// Where Rust would read the numbers of a dense array: equal to the array's own address when nothing is copied.
#[pyfunction]
pub(crate) fn address(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(match matrix(given)? {
        Matrix::DenseF32(m) => m.data().as_ptr() as usize,
        Matrix::DenseF64(m) => m.data().as_ptr() as usize,
        Matrix::SparseF32(m) => m.values().as_ptr() as usize,
        Matrix::SparseF64(m) => m.values().as_ptr() as usize,
    })
}
