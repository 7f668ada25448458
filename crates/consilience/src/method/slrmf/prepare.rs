//! Views ready for graphs: counts compared by Hellinger distance, corrupted views split, missing samples marked.

use rayon::prelude::*;

use super::Slrmf;
use crate::denoise::{Replaced, find_replaced, replaced_share, robust_pca};
use crate::matrix::{Dense, Matrix, Real, for_matrix};
use crate::method::CorruptionFound;
use crate::parameters::choice;
use crate::run::Warning;
use crate::views::looks_like_counts;
use crate::{Result, Run, View, Views};

/// Weight of the sparse part in robust PCA, times 1/sqrt(max(n, d)): how it falls with the share of replaced entries, and its
/// bounds. With the weight that is right for a few of them, half of the entries cannot be split off.
const SPARSE_WEIGHT: f64 = 2.0;
const FALL_WITH_SHARE: f64 = 2.0;
const WEIGHTS: (f64, f64) = (0.85, 1.5);

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
    /// What looks replaced, in a view that was split.
    replaced: Option<Replaced>,
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
    views.into_par_iter().map(|view| prepare(method, view, run)).collect()
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
    let mut replaced = if method.robust == Robust::Never { None } else { find_replaced(&dense, run)? };
    if replaced.is_some() || method.robust == Robust::Always {
        let mut share = replaced_share(&dense, run)?;
        if let Some(replaced) = &mut replaced {
            // columns of few levels leave nothing in most entries to tell a shelf from
            share = if share > 0.0 { share } else { replaced.share };
            replaced.share = share;
        }
        prepared.facts.replaced = replaced;
        let weight = (SPARSE_WEIGHT - FALL_WITH_SHARE * share).clamp(WEIGHTS.0, WEIGHTS.1);
        let found = robust_pca(&dense, weight, run)?;
        prepared.facts.corruption = CorruptionFound::largest(&view.name, &found.sparse, share);
        prepared.view.data = found.low_rank.into();
    } else {
        prepared.view.data = dense.into();
    }
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

fn to_dense(data: &Matrix) -> Dense<f64> {
    match data {
        Matrix::DenseF64(m) => m.clone(),
        Matrix::DenseF32(m) => m.cast(),
        Matrix::SparseF32(m) => m.cast::<f64>().to_dense(),
        Matrix::SparseF64(m) => m.to_dense(),
    }
}
