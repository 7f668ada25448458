//! What a new sample is compared with: a view's reference samples, all or some of them.
//!
//! Where there are too many to compare it with all, some, evenly spread, are landmarks. A new sample is compared with what lies
//! around the landmark that is nearest to it by the joint distance of the views at hand. So the work per sample hardly grows
//! with the model, and all samples of a landmark are compared in one product.

use std::borrow::Cow;
use std::collections::HashSet;

use super::reference::{Reference, term};
use crate::neighbours::{Distance, Exact, NeighbourSearch, Neighbours, Spread, Term, Weighting};
use crate::{Result, Run, View};

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

/// Models with fewer samples are compared as a whole.
const MOST_COMPARED: usize = 4_096;
/// The samples around a landmark: its nearest ones, and those that have no nearer landmark.
const AROUND: usize = 1_024;
/// A landmark for so many samples.
const PER_LANDMARK: usize = 128;

pub(super) struct Surroundings {
    landmarks: Vec<usize>,
    /// The reference samples around every landmark, the nearest first: then a search soon knows who is too far.
    around: Vec<Vec<usize>>,
}

impl Surroundings {
    /// None where every sample can be compared with every other.
    pub(super) fn of(known: &[Known<'_>], run: &Run) -> Result<Option<Self>> {
        let samples = known.first().map_or(0, Known::samples);
        if samples <= MOST_COMPARED {
            return Ok(None);
        }
        let count = samples / PER_LANDMARK;
        let landmarks: Vec<usize> = (0..count).map(|i| i * samples / count).collect();
        let chosen: Vec<New> = known.iter().map(|known| known.as_new(&landmarks)).collect();
        let near = joint(known, &chosen, AROUND, run)?;
        let mut around: Vec<Vec<usize>> =
            (0..count).map(|i| near.of(i).0.iter().map(|&j| j as usize).collect()).collect();
        let there: Vec<HashSet<usize>> = around.iter().map(|members| members.iter().copied().collect()).collect();
        let all: Vec<usize> = (0..samples).collect();
        let mut cells = Self { landmarks, around: Vec::new() };
        for rows in all.chunks(MOST_COMPARED) {
            // a few at a time: nobody needs a second copy of the model
            let these: Vec<New> = known.iter().map(|known| known.as_new(rows)).collect();
            for (&sample, home) in rows.iter().zip(cells.homes(known, &these, rows.len(), run)?) {
                if !there[home].contains(&sample) {
                    around[home].push(sample);
                }
            }
        }
        cells.around = around;
        Ok(Some(cells))
    }

    /// The nearest landmark of every new sample.
    fn homes(&self, known: &[Known<'_>], new: &[New], count: usize, run: &Run) -> Result<Vec<usize>> {
        let landmarks: Vec<Known<'_>> =
            known.iter().filter_map(|known| Known::of(known.reference, Some(&self.landmarks))).collect();
        let found = joint(&landmarks, new, 1, run)?;
        Ok((0..count).map(|i| found.of(i).0.first().map_or(0, |&home| home as usize)).collect())
    }

    /// The new samples that are compared with the same reference samples, and with which.
    pub(super) fn groups(
        &self,
        known: &[Known<'_>],
        new: &[New],
        count: usize,
        run: &Run,
    ) -> Result<Vec<(&[usize], Vec<usize>)>> {
        let mut groups: Vec<(&[usize], Vec<usize>)> =
            self.around.iter().map(|members| (members.as_slice(), Vec::new())).collect();
        for (row, home) in self.homes(known, new, count, run)?.into_iter().enumerate() {
            groups[home].1.push(row);
        }
        groups.retain(|(_, rows)| !rows.is_empty());
        Ok(groups)
    }
}

/// The nearest of the known samples to the new ones by the joint distance.
fn joint(known: &[Known<'_>], new: &[New], count: usize, run: &Run) -> Result<Neighbours> {
    let (new, old) = known.iter().zip(new).map(|(known, new)| known.by_mean(new)).unzip();
    Exact.query(&Distance::of(new), &Distance::of(old), count, run)
}
