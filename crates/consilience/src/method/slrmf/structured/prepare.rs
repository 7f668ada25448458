//! Views ready for graphs: counts compared by Hellinger distance, corrupted views split, missing samples marked.

use rayon::prelude::*;

use crate::matrix::{Dense, Matrix, Real, for_matrix};
use crate::method::CorruptionFound;
use crate::parameters::choice;
use crate::views::looks_like_counts;
use crate::views::robust::{outlier_share, split};
use crate::{Result, Run, View, Views};

/// Corrupted above this estimate of the share of wrong entries. Clean views stay below .008, views with 5 % of their
/// entries replaced lie above .013.
const CORRUPTED: f64 = 0.012;
/// Weight of the sparse part in the split, times 1/sqrt(max(n, d)).
const SPLIT_WEIGHT: f64 = 1.5;

choice! {
    /// When a view is split into a low-rank part and sparse corruption.
    pub enum Robust {
        /// When the outlier test says that it is corrupted.
        #[default]
        Auto = "auto",
        /// Every dense view.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

/// A view as the graphs see it.
pub(super) struct Prepared {
    pub(super) view: View,
    /// Samples without features; empty when there are none.
    pub(super) missing: Vec<bool>,
    /// Counts: never negative and mostly zero.
    pub(super) is_counts: bool,
    pub(super) found: CorruptionFound,
}

/// What is done to views before graphs are made.
#[derive(Clone, Copy)]
pub(super) struct Preparation {
    pub(super) robust: Robust,
    pub(super) hellinger: bool,
    pub(super) missing_rows: bool,
}

impl Preparation {
    pub(super) fn apply(self, views: &Views, run: &Run) -> Result<Vec<Prepared>> {
        let views: Vec<&View> = views.iter().collect();
        views.into_par_iter().map(|view| self.prepare(view, run)).collect()
    }

    fn prepare(self, view: &View, run: &Run) -> Result<Prepared> {
        run.check()?;
        let mut prepared = Prepared {
            view: view.clone(),
            missing: Vec::new(),
            is_counts: looks_like_counts(&view.data),
            found: CorruptionFound::none(&view.name, view.data.cols()),
        };
        if prepared.is_counts {
            if self.hellinger {
                prepared.view.data = hellinger(&view.data);
            }
            if self.missing_rows {
                let rows = zero_rows(&view.data);
                prepared.missing = if rows.contains(&true) { rows } else { Vec::new() };
            }
            return Ok(prepared);
        }
        let dense = to_dense(&view.data);
        let corrupted = match self.robust {
            Robust::Auto => outlier_share(&dense, run)? > CORRUPTED,
            Robust::Always => true,
            Robust::Never => false,
        };
        if corrupted {
            let parts = split(&dense, SPLIT_WEIGHT, run)?;
            prepared.found = CorruptionFound::of(&view.name, &parts.corruption);
            prepared.view.data = parts.clean.into();
        } else {
            prepared.view.data = dense.into();
        }
        Ok(prepared)
    }
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
