//! The features of new samples in the order of the model's: by name where both have names, by number otherwise.

use std::collections::HashMap;

use crate::matrix::{Csr, Dense, Matrix, Real};
use crate::run::Warning;
use crate::{Error, Result, Run, View};

/// So many names are given as examples.
const EXAMPLES: usize = 3;

/// The data of `view` with the columns that `known` has, in its order. Other columns are left out, and `run` is told.
///
/// # Errors
/// When features are missing, or their names are not distinct.
pub(super) fn matched(view: &View, known: &View, run: &Run) -> Result<Matrix> {
    let (Some(given), Some(wanted)) = (&view.features, &known.features) else {
        return by_number(view, known);
    };
    if given == wanted {
        return Ok(view.data.clone());
    }
    let mut places = HashMap::new();
    for (place, name) in given.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some() {
            let what = format!("{} has more than one feature called `{name}`", view.describe());
            return Err(Error::data_with_hint(what, "features are matched by name: names must be distinct"));
        }
    }
    let missing: Vec<&str> = wanted.iter().map(String::as_str).filter(|name| !places.contains_key(name)).collect();
    if !missing.is_empty() {
        let what = format!(
            "{} lacks {} of the {} features that the model was fitted on: {}",
            view.describe(),
            missing.len(),
            wanted.len(),
            examples(&missing)
        );
        return Err(Error::data_with_hint(what, "new samples need every feature of the fit, by the same names"));
    }
    let order: Vec<usize> = wanted.iter().map(|name| places[name.as_str()]).collect();
    let ignored = given.len() - wanted.len();
    if ignored > 0 {
        let known: std::collections::HashSet<&str> = wanted.iter().map(String::as_str).collect();
        let extra: Vec<&str> = given.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
        run.warn(Warning::UnknownFeatures { view: view.name.clone(), count: ignored, examples: examples(&extra) });
    }
    Ok(columns(&view.data, &order))
}

fn by_number(view: &View, known: &View) -> Result<Matrix> {
    if view.data.cols() == known.data.cols() {
        return Ok(view.data.clone());
    }
    let what = format!(
        "{} has {} features, and the model was fitted on {}",
        view.describe(),
        view.data.cols(),
        known.data.cols()
    );
    Err(Error::data_with_hint(
        what,
        "new samples need the features of the fit, in the same order where they have no names",
    ))
}

fn examples(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(EXAMPLES).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > EXAMPLES { ", .." } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The columns named by `order`.
fn columns(data: &Matrix, order: &[usize]) -> Matrix {
    fn dense<T: Real>(m: &Dense<T>, order: &[usize]) -> Dense<T> {
        Dense::from_fn(m.rows(), order.len(), |i, j| m.get(i, order[j]))
    }
    fn sparse<T: Real>(m: &Csr<T>, order: &[usize]) -> Csr<T> {
        // by columns the choice is one of rows
        m.transposed().select_rows(order).transposed()
    }
    match data {
        Matrix::DenseF32(m) => dense(m, order).into(),
        Matrix::DenseF64(m) => dense(m, order).into(),
        Matrix::SparseF32(m) => sparse(m, order).into(),
        Matrix::SparseF64(m) => sparse(m, order).into(),
    }
}
