//! Views ready for graphs: counts compared by Hellinger distance, corrupted views split, missing samples marked.

use rayon::prelude::*;

use super::Slrmf;
use super::split::split;
use crate::denoise::{Replaced, find_replaced};
use crate::matrix::{Dense, Matrix};
use crate::method::CorruptionFound;
use crate::parameters::choice;
use crate::run::Warning;
use crate::views::{hellinger, looks_like_counts, zero_rows};
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
    /// Samples that the view does not know, or of which it has nothing but zeros; empty when there are none.
    pub(super) missing: Vec<bool>,
    /// Whether the view came without some samples.
    pub(super) incomplete: bool,
    pub(super) corruption: CorruptionFound,
    /// What looks replaced.
    pub(super) replaced: Option<Replaced>,
}

impl ViewFacts {
    /// Whether the view came without the sample.
    pub(super) fn lacks(&self, sample: usize) -> bool {
        self.incomplete && self.missing.get(sample).copied().unwrap_or(false)
    }

    /// Labels without those of samples that the view came without.
    pub(super) fn of_known(&self, labels: &[usize]) -> Vec<Option<usize>> {
        labels.iter().enumerate().map(|(sample, &label)| (!self.lacks(sample)).then_some(label)).collect()
    }

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
    let known = view.known();
    let mut prepared = PreparedView {
        view: view.clone(),
        facts: ViewFacts {
            name: view.name.clone(),
            is_counts: looks_like_counts(&known.data),
            missing: view.absent().map(<[bool]>::to_vec).unwrap_or_default(),
            incomplete: view.absent().is_some(),
            corruption: CorruptionFound::none(&view.name, view.data.cols()),
            replaced: None,
        },
    };
    if prepared.facts.is_counts {
        if method.hellinger {
            prepared.view.data = hellinger(&view.data);
        }
        if method.missing_rows {
            // the rows of samples that the view does not know are zeros too
            let rows = zero_rows(&view.data);
            prepared.facts.missing = if rows.contains(&true) { rows } else { Vec::new() };
        }
        return Ok(prepared);
    }
    if method.robust != Robust::Never {
        prepared.facts.replaced = find_replaced(&to_dense(&known.data), run)?;
    }
    prepared.view.data = to_dense(&view.data).into();
    Ok(prepared)
}

pub(super) fn to_dense(data: &Matrix) -> Dense<f64> {
    match data {
        Matrix::DenseF64(m) => m.clone(),
        Matrix::DenseF32(m) => m.cast(),
        Matrix::SparseF32(m) => m.cast::<f64>().to_dense(),
        Matrix::SparseF64(m) => m.to_dense(),
    }
}
