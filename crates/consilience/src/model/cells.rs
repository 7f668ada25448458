//! Which reference samples a new one is compared with, when there are too many to compare it with all of them.
//!
//! Some reference samples, evenly spread, are landmarks. A new sample is compared with what lies around the landmark that is
//! nearest to it by the joint distance of the views at hand. So the work per sample hardly grows with the model, and all
//! samples of a landmark are compared in one product.

use std::collections::HashSet;

use super::known::{Known, New};
use crate::neighbours::{Distance, Exact, NeighbourSearch, Neighbours};
use crate::{Result, Run};

/// Models with fewer samples are compared as a whole.
const MOST_COMPARED: usize = 4_096;
/// The samples around a landmark: its nearest ones, and those that have no nearer landmark.
const AROUND: usize = 1_024;
/// A landmark for so many samples.
const PER_LANDMARK: usize = 128;

pub(super) struct Cells {
    landmarks: Vec<usize>,
    /// The reference samples around every landmark, the nearest first: then a search soon knows who is too far.
    around: Vec<Vec<usize>>,
}

impl Cells {
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
