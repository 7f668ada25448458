//! Views ready for graphs: counts compared by Hellinger distance, corrupted views split, missing samples marked.

use rayon::prelude::*;

use super::Slrmf;
use super::graphs::MAX_NEIGHBOURS;
use super::split::split;
use crate::denoise::{Replaced, ReplacedShare, find_replaced};
use crate::graph::most_alike;
use crate::matrix::{Csr, Dense, Matrix};
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
        /// Every view that is not sparse counts.
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
    /// Counts, or given affinities: never negative and mostly zero.
    pub(super) mostly_zero: bool,
    /// Samples that the view does not know, or of which it has nothing but zeros; empty when there are none.
    pub(super) missing: Vec<bool>,
    /// Whether the view came without some samples.
    pub(super) incomplete: bool,
    /// What was split off; none of a view without features.
    pub(super) corruption: Option<CorruptionFound>,
    /// What looks replaced.
    pub(super) replaced: Option<Replaced>,
    /// Whether samples are compared as a model compares them: scaled, counts by Hellinger's distance, nothing split off.
    pub(super) usual: bool,
}

impl ViewFacts {
    /// Of a view without features.
    pub(super) fn of_affinity(view: &View) -> Self {
        Self {
            name: view.name.clone(),
            // as sparse, and never negative: compared as counts are, and not smoothed
            mostly_zero: true,
            missing: view.absent().map(<[bool]>::to_vec).unwrap_or_default(),
            incomplete: view.absent().is_some(),
            corruption: None,
            replaced: None,
            usual: false,
        }
    }

    /// Whether the view knows the sample.
    pub(super) fn knows(&self, sample: usize) -> bool {
        !self.missing.get(sample).copied().unwrap_or(false)
    }

    /// Whether the view came without the sample.
    pub(super) fn lacks(&self, sample: usize) -> bool {
        self.incomplete && !self.knows(sample)
    }

    /// Labels without those of samples that the view came without.
    pub(super) fn of_known(&self, labels: &[usize]) -> Vec<Option<usize>> {
        labels.iter().enumerate().map(|(sample, &label)| (!self.lacks(sample)).then_some(label)).collect()
    }

    /// A view that was split because it was asked for is not called corrupted unless it looks so.
    pub(super) fn corruption_warning(&self) -> Option<Warning> {
        let Replaced { share, evidence } = self.replaced.clone()?;
        Some(Warning::CorruptedView {
            view: self.name.clone(),
            share,
            range: Some(ReplacedShare::range(share)),
            evidence: Some(evidence),
        })
    }
}

/// Every view prepared.
pub(super) fn prepare_all(method: &Slrmf, views: &Views, run: &Run) -> Result<Vec<PreparedView>> {
    let views: Vec<&View> = views.iter().collect();
    let prepared: Result<Vec<PreparedView>> = views.into_par_iter().map(|view| prepare(method, view, run)).collect();
    let mut prepared = prepared?;
    let asked = method.robust == Robust::Always;
    let corrupted = prepared.iter_mut().filter(|one| one.facts.replaced.is_some() || asked && !one.facts.mostly_zero);
    split(&mut corrupted.collect::<Vec<_>>(), run)?;
    Ok(prepared)
}

fn prepare(method: &Slrmf, view: &View, run: &Run) -> Result<PreparedView> {
    run.check()?;
    if let Some(weights) = view.affinity() {
        let data = hellinger(&neighbour_profiles(weights)?.into());
        return Ok(PreparedView { view: View::new(view.name.clone(), data), facts: ViewFacts::of_affinity(view) });
    }
    let known = view.known();
    let mut prepared = PreparedView {
        view: view.clone(),
        facts: ViewFacts {
            name: view.name.clone(),
            mostly_zero: looks_like_counts(&known.data),
            missing: view.absent().map(<[bool]>::to_vec).unwrap_or_default(),
            incomplete: view.absent().is_some(),
            corruption: Some(CorruptionFound::none(&view.name, view.data.cols())),
            replaced: None,
            usual: true,
        },
    };
    if prepared.facts.mostly_zero {
        prepared.facts.usual = method.hellinger;
        if method.hellinger {
            prepared.view.data = hellinger(&view.data);
        }
        // the rows of samples that the view does not know are zeros too
        let rows = zero_rows(&view.data);
        prepared.facts.missing = if rows.contains(&true) { rows } else { Vec::new() };
        return Ok(prepared);
    }
    if method.robust != Robust::Never {
        prepared.facts.replaced = find_replaced(&to_dense(&known.data), run)?;
    }
    prepared.view.data = to_dense(&view.data).into();
    Ok(prepared)
}

/// Every sample by whom it is alike, itself first of all: two samples are near in a graph when they are alike to the same ones. n x
/// n, rows of sum 1.
fn neighbour_profiles(weights: &Csr<f64>) -> Result<Csr<f64>> {
    let n = weights.rows();
    let mut entries = Vec::new();
    for i in 0..n {
        let mut row = most_alike(weights, i, MAX_NEIGHBOURS);
        row.push((i as u32, row.first().map_or(1.0, |(_, largest)| *largest)));
        let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
        entries.extend(row.into_iter().map(|(j, weight)| (i, j, weight / sum)));
    }
    Csr::from_entries(n, n, entries)
}

pub(super) fn to_dense(data: &Matrix) -> Dense<f64> {
    match data {
        Matrix::DenseF64(m) => m.clone(),
        Matrix::DenseF32(m) => m.cast(),
        Matrix::SparseF32(m) => m.cast::<f64>().to_dense(),
        Matrix::SparseF64(m) => m.to_dense(),
    }
}
