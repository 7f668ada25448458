//! Views ready for graphs: counts compared by Hellinger distance, corrupted views split, missing samples marked.

use rayon::prelude::*;

use super::Slrmf;
use super::split::split;
use crate::denoise::{Replaced, find_replaced};
use crate::matrix::{Dense, Matrix, Real, for_matrix};
use crate::method::CorruptionFound;
use crate::parameters::choice;
use crate::run::Warning;
use crate::views::looks_like_counts;
use crate::{Result, Run, View, Views};

choice! {
    /// When a view is split into a low-rank part and sparse corruption.
    pub enum Robust {
        /// When the outlier test says that entries were replaced.
        Auto = "auto",
        /// Every dense view.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

/// A view as the graphs see it.
pub(super) struct PreparedView {
    pub(super) view: View,
    pub(super) facts: ViewFacts,
}

/// What is worth knowing of a view when its data are no longer needed.
pub(super) struct ViewFacts {
    pub(super) name: String,
    /// Counts: never negative and mostly zero.
    pub(super) is_counts: bool,
    /// Samples without features; empty when there are none.
    pub(super) missing: Vec<bool>,
    pub(super) corruption: CorruptionFound,
    /// What looks replaced.
    pub(super) replaced: Option<Replaced>,
}

impl ViewFacts {
    /// A view that was split because it was asked for is not called corrupted unless it looks so.
    pub(super) fn corruption_warning(&self) -> Option<Warning> {
        let Replaced { share, evidence } = self.replaced.clone()?;
        Some(Warning::CorruptedView { view: self.name.clone(), share, evidence: Some(evidence) })
    }
}

/// Every view prepared.
pub(super) fn prepare_all(method: &Slrmf, views: &Views, run: &Run) -> Result<Vec<PreparedView>> {
    let views: Vec<&View> = views.iter().collect();
    let prepared: Result<Vec<PreparedView>> = views.into_par_iter().map(|view| prepare(method, view, run)).collect();
    let mut prepared = prepared?;
    let asked = method.robust == Robust::Always;
    let corrupted = prepared.iter_mut().filter(|one| one.facts.replaced.is_some() || asked && !one.facts.is_counts);
    split(&mut corrupted.collect::<Vec<_>>(), run)?;
    Ok(prepared)
}

fn prepare(method: &Slrmf, view: &View, run: &Run) -> Result<PreparedView> {
    run.check()?;
    let mut prepared = PreparedView {
        view: view.clone(),
        facts: ViewFacts {
            name: view.name.clone(),
            is_counts: looks_like_counts(&view.data),
            missing: Vec::new(),
            corruption: CorruptionFound::none(&view.name, view.data.cols()),
            replaced: None,
        },
    };
    if prepared.facts.is_counts {
        if method.hellinger {
            prepared.view.data = hellinger(&view.data);
        }
        if method.missing_rows {
            let rows = zero_rows(&view.data);
            prepared.facts.missing = if rows.contains(&true) { rows } else { Vec::new() };
        }
        return Ok(prepared);
    }
    let dense = to_dense(&view.data);
    if method.robust != Robust::Never {
        prepared.facts.replaced = find_replaced(&dense, run)?;
    }
    prepared.view.data = dense.into();
    Ok(prepared)
}

/// Square roots, then unit rows: Euclidean distance is then Hellinger's, in which a frequent word cannot drown the others.
fn hellinger(data: &Matrix) -> Matrix {
    let mut roots = data.clone();
    fn root<T: Real>(values: &mut [T]) {
        values.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64().max(0.0).sqrt()));
    }
    fn unit<T: Real>(row: &mut [T]) {
        let length = row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
        }
    }
    for_matrix!(
        &mut roots,
        dense m => {
            root(m.data_mut());
            let width = m.cols().max(1);
            m.data_mut().chunks_exact_mut(width).for_each(unit);
        },
        sparse m => {
            root(m.values_mut());
            (0..m.rows()).for_each(|i| unit(m.row_values_mut(i)));
        },
    );
    roots
}

fn zero_rows(data: &Matrix) -> Vec<bool> {
    for_matrix!(
        data,
        dense m => m.iter_rows().map(|row| row.iter().all(|x| x.to_f64() == 0.0)).collect(),
        sparse m => (0..m.rows()).map(|i| m.row(i).1.iter().all(|x| x.to_f64() == 0.0)).collect(),
    )
}

pub(super) fn to_dense(data: &Matrix) -> Dense<f64> {
    match data {
        Matrix::DenseF64(m) => m.clone(),
        Matrix::DenseF32(m) => m.cast(),
        Matrix::SparseF32(m) => m.cast::<f64>().to_dense(),
        Matrix::SparseF64(m) => m.to_dense(),
    }
}
