//! One view of what is compared: reference samples, all or some of them, and new ones.

use std::borrow::Cow;

use super::reference::{LOCAL_NEIGHBOUR, Reference, Spread};
use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch, Neighbours, Term};
use crate::{Result, Run, View};

/// Reference samples in one view that says something.
pub(super) struct Known<'a> {
    pub(super) reference: &'a Reference,
    pub(super) spread: &'a Spread,
    view: View,
    missing: Cow<'a, [bool]>,
    scales: Cow<'a, [f64]>,
    /// Those that the view knows, and their view.
    present: Vec<usize>,
    present_view: View,
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
        let Some(rows) = rows else {
            return Some(Self {
                reference,
                spread,
                view: reference.view.clone(),
                missing: Cow::Borrowed(&reference.missing),
                scales: Cow::Borrowed(&spread.scales),
                present: reference.known(),
                present_view: reference.known_view(),
            });
        };
        let view = reference.view.with_data(reference.view.data.select_rows(rows));
        let missing: Vec<bool> = rows.iter().map(|&i| reference.missing[i]).collect();
        let present: Vec<usize> = (0..rows.len()).filter(|&i| !missing[i]).collect();
        let present_view =
            if present.len() == rows.len() { view.clone() } else { view.with_data(view.data.select_rows(&present)) };
        let scales: Vec<f64> = rows.iter().map(|&i| spread.scales[i]).collect();
        let (missing, scales) = (Cow::Owned(missing), Cow::Owned(scales));
        Some(Self { reference, spread, view, missing, scales, present, present_view })
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

    /// The neighbours of new samples within the view, among those that it knows; their numbers count these.
    pub(super) fn own(&self, new: &New, count: usize, run: &Run) -> Result<Neighbours> {
        let within = |view| Distance::within(view, DistanceMetric::Euclidean);
        Exact.query(&within(&new.view), &within(&self.present_view), count, run)
    }

    /// The sample that is meant by its number among those that the view knows.
    pub(super) fn present(&self, number: u32) -> usize {
        self.present[number as usize]
    }

    /// The view's part of the joint distance by means: of new samples and of these.
    pub(super) fn by_mean<'b>(&'b self, new: &'b New) -> (Term<'b>, Term<'b>) {
        (self.spread.by_mean(&new.view, &new.missing), self.spread.by_mean(&self.view, &self.missing))
    }

    /// The view's part of the joint distance by local scales. Those of new samples follow from their own neighbours.
    pub(super) fn by_scales<'b>(&'b self, new: &'b New, own: &Neighbours) -> (Term<'b>, Term<'b>) {
        let scales = (0..new.missing.len()).map(|i| self.spread.scale(nth(own, i, LOCAL_NEIGHBOUR))).collect();
        let known = self.scales.to_vec();
        (
            self.spread.by_scales(&new.view, scales, &new.missing),
            self.spread.by_scales(&self.view, known, &self.missing),
        )
    }
}

/// The distance to the `nth` neighbour (from 1), or the last.
pub(super) fn nth(found: &Neighbours, i: usize, nth: usize) -> f64 {
    let distances = found.of(i).1;
    distances.get(nth - 1).or(distances.last()).copied().unwrap_or(0.0)
}
