//! R's matrices as the library's and back. R keeps columns together and the library rows, so numbers are copied once.

use consilience::matrix::{Csr, Dense, Matrix};
use consilience::run::Note;
use consilience::views::Precomputed;
use consilience::{Error, Result, View};
use extendr_api::prelude::*;

use crate::values::{field, text, texts};

/// Views as R hands them over, not yet checked (that takes time, and is done in a job), and which had columns of one name.
pub(crate) fn views(given: &List) -> Result<(Vec<View>, Vec<Note>)> {
    let mut views: Vec<View> = given.values().map(|view| one(&view)).collect::<Result<_>>()?;
    let notes = views.iter_mut().filter_map(View::tell_columns_apart).collect();
    Ok((views, notes))
}

/// A view: its `name`, its `numbers` (a matrix of doubles, or the slots of a `dgCMatrix`) of size `dim`, its `features`, what its
/// `kind` is, and the `rows` that are the samples of all views, NA where it lacks one.
fn one(given: &Robj) -> Result<View> {
    let given = given.as_list().ok_or_else(|| Error::data("the package's R code passed no view"))?;
    let (name, kind) = (text(&field(&given, "name")?)?, text(&field(&given, "kind")?)?);
    let view = View::new(name, matrix(&given)?).with_features(texts(&field(&given, "features")?));
    let view = if kind == "features" { view } else { view.precomputed(kind.parse::<Precomputed>()?)? };
    let rows = field(&given, "rows")?;
    let Some(rows) = rows.as_integer_slice() else { return Ok(view) };
    // NA is the least integer
    let rows: Vec<Option<usize>> =
        rows.iter().map(|&row| (row > 0).then_some((row as usize).wrapping_sub(1))).collect();
    if rows.iter().flatten().any(|row| *row >= view.data.rows()) {
        return Err(Error::data(format!("{} does not have so many rows", view.describe())));
    }
    view.aligned(&rows)
}

fn matrix(given: &List) -> Result<Matrix> {
    let (numbers, dim) = (field(given, "numbers")?, field(given, "dim")?);
    let &[rows, cols] = dim.as_integer_slice().unwrap_or_default() else {
        return Err(Error::data("the package's R code passed a matrix without its size"));
    };
    let (rows, cols) = (rows.max(0) as usize, cols.max(0) as usize);
    if let Some(numbers) = numbers.as_real_slice() {
        return Ok(Dense::new(cols, rows, numbers.to_vec())?.transposed().into());
    }
    let slots = numbers.as_list().ok_or_else(|| Error::data("the package's R code passed no numbers"))?;
    let (p, i, x) = (field(&slots, "p")?, field(&slots, "i")?, field(&slots, "x")?);
    let slots = (p.as_integer_slice(), i.as_integer_slice(), x.as_real_slice());
    let (Some(starts), Some(places), Some(values)) = slots else {
        return Err(Error::data("the package's R code passed a damaged sparse matrix"));
    };
    // columns one after the other are the rows of the turned matrix; what is negative becomes huge and is refused
    let starts = starts.iter().map(|&start| start as usize).collect();
    let places = places.iter().map(|&place| place as u32).collect();
    Ok(Csr::new(cols, rows, starts, places, values.to_vec())?.transposed().into())
}

/// A dense matrix as R's.
pub(crate) fn to_matrix(m: &Dense<f64>) -> Robj {
    RMatrix::new_matrix(m.rows(), m.cols(), |row, column| m.get(row, column)).into()
}

/// Any matrix as R takes it: a matrix, or the slots of a `dgCMatrix`.
pub(crate) fn to_any_matrix(m: &Matrix) -> Result<Robj> {
    Ok(match m {
        Matrix::DenseF64(m) => to_matrix(m),
        Matrix::DenseF32(m) => to_matrix(&m.cast()),
        Matrix::SparseF64(m) => to_slots(m),
        Matrix::SparseF32(m) => to_slots(&m.cast()),
    })
}

fn to_slots(m: &Csr<f64>) -> Robj {
    let turned = m.transposed();
    let starts: Vec<i32> = turned.indptr().iter().map(|&start| start as i32).collect();
    let places: Vec<i32> = turned.indices().iter().map(|&place| place as i32).collect();
    let dim = vec![m.rows() as i32, m.cols() as i32];
    list!(p = starts, i = places, x = turned.values().to_vec(), dim = dim).into()
}
