//! One view of what is compared: reference samples, all or some of them, and new ones.

use std::borrow::Cow;

use super::reference::{Reference, term};
use crate::View;
use crate::neighbours::{Neighbours, Spread, Term, Weighting};

/// Reference samples in one view that says something.
pub(super) struct Known<'a> {
    pub(super) reference: &'a Reference,
    pub(super) spread: &'a Spread,
    pub(super) view: View,
    missing: Cow<'a, [bool]>,
    scales: Cow<'a, [f64]>,
    /// How many the view knows.
    present: usize,
    /// See [`Spread::neutral`].
    neutral: f64,
}

/// New samples in the same view.
pub(super) struct New {
    pub(super) view: View,
    pub(super) missing: Vec<bool>,
}

impl New {
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let view = self.view.with_data(self.view.data.select_rows(rows));
        Self { view, missing: rows.iter().map(|&i| self.missing[i]).collect() }
    }
}

impl<'a> Known<'a> {
    /// The reference samples `rows`, or all; none in a view without spread.
    pub(super) fn of(reference: &'a Reference, rows: Option<&[usize]>) -> Option<Self> {
        let spread = reference.spread.as_ref()?;
        let (view, missing, scales): (View, Cow<'_, [bool]>, Cow<'_, [f64]>) = match rows {
            None => (reference.view.clone(), Cow::Borrowed(&reference.missing), Cow::Borrowed(&spread.scales)),
            Some(rows) => (
                reference.view.with_data(reference.view.data.select_rows(rows)),
                rows.iter().map(|&i| reference.missing[i]).collect(),
                rows.iter().map(|&i| spread.scales[i]).collect(),
            ),
        };
        let present = missing.iter().filter(|missing| !**missing).count();
        Some(Self { reference, spread, view, missing, scales, present, neutral: spread.neutral() })
    }

    /// How many there are.
    pub(super) fn samples(&self) -> usize {
        self.missing.len()
    }

    /// The same as new samples.
    pub(super) fn as_new(&self, rows: &[usize]) -> New {
        let view = self.view.with_data(self.view.data.select_rows(rows));
        New { view, missing: rows.iter().map(|&i| self.missing[i]).collect() }
    }

    /// How many the view knows.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// The distance within the view: of new samples and of these, where those that it does not know are beyond everybody.
    pub(super) fn own<'b>(&'b self, new: &'b New) -> (Term<'b>, Term<'b>) {
        let plain = |view, missing| term(view, Weighting::Uniform(1.0), missing, f64::INFINITY);
        (plain(&new.view, &[]), plain(&self.view, &self.missing))
    }

    /// The view's part of the joint distance by means: of new samples and of these.
    pub(super) fn by_mean<'b>(&'b self, new: &'b New) -> (Term<'b>, Term<'b>) {
        (self.spread.by_mean(&new.view, &new.missing), self.spread.by_mean(&self.view, &self.missing))
    }

    /// The view's part of the joint distance by local scales. Those of new samples follow from their own neighbours.
    pub(super) fn by_scales<'b>(&'b self, new: &'b New, own: &Neighbours) -> (Term<'b>, Term<'b>) {
        let scales = (0..new.missing.len()).map(|i| self.spread.scale(nth(own, i, Spread::LOCAL_NEIGHBOUR))).collect();
        (
            term(&new.view, Weighting::Local(scales), &new.missing, self.neutral),
            term(&self.view, Weighting::Local(self.scales.to_vec()), &self.missing, self.neutral),
        )
    }
}

/// The distance to the `nth` neighbour (from 1), or the last.
pub(super) fn nth(found: &Neighbours, i: usize, nth: usize) -> f64 {
    let distances = found.of(i).1;
    distances.get(nth - 1).or(distances.last()).copied().unwrap_or(0.0)
}
