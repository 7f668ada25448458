//! Exact nearest neighbours by blocked matrix products: n^2 d / 2 work, n k memory, never an n x n matrix.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::shortlist::{Shortlist, nearer};
use super::sweep::{BLOCK, Sides, Sweep};
use super::{Distance, NeighbourSearch, Neighbours, Term};
use crate::matrix::Real;
use crate::{Result, Run, View};

/// Exact search. Among the samples themselves every pair of blocks is multiplied once and serves both its sides.
/// Candidates are short-listed by the product formula in single precision, then measured again by differences in double
/// precision. Where rounding could have kept a nearer sample out of a short list, the search is made once more in double
/// precision, and samples for which even that is not enough are compared with all others by differences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exact;

impl NeighbourSearch for Exact {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        let count = count.min(distance.samples().saturating_sub(1));
        Comparison { queries: distance, reference: distance, within: true, count }.find(run)
    }

    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        queries.check_queries(reference)?;
        // products need both sides in one form
        let terms = queries.terms().iter().zip(reference.terms());
        let views = terms.map(|(own, other)| own.view.with_data(own.view.data.stored_like(&other.view.data)));
        let views: Vec<View> = views.collect();
        let terms = queries.terms().iter().zip(&views).map(|(term, view)| Term { view, ..term.clone() });
        let queries = &Distance::of(terms.collect()).over_shared(queries.shared().cloned());
        let count = count.min(reference.samples());
        Comparison { queries, reference, within: false, count }.find(run)
    }
}

/// Who is compared with whom.
pub(super) struct Comparison<'a> {
    pub(super) queries: &'a Distance<'a>,
    pub(super) reference: &'a Distance<'a>,
    /// Whether both are the same samples: then nobody is their own neighbour, and pairs need to be measured once only.
    pub(super) within: bool,
    pub(super) count: usize,
}

/// The outcome of a search in one precision.
pub(super) struct Found {
    pub(super) neighbours: Neighbours,
    /// Queries from whose short lists rounding may have kept a nearer sample out.
    pub(super) uncertain: Vec<usize>,
}

impl Comparison<'_> {
    fn find(&self, run: &Run) -> Result<Neighbours> {
        if self.count == 0 {
            return Ok(Neighbours::unfilled(self.queries.samples(), 0));
        }
        // single precision finds the candidates of nearly all data at half the cost, and knows when it does not
        if let Ok(sides) = self.prepare::<f32>() {
            let found = self.search(&sides, run)?;
            if found.uncertain.is_empty() {
                return Ok(found.neighbours);
            }
        }
        Ok(self.settle(self.search(&self.prepare::<f64>()?, run)?))
    }

    /// Compares uncertain queries with all others by differences.
    pub(super) fn settle(&self, mut found: Found) -> Neighbours {
        let measured = found.uncertain.par_iter().map(|&i| self.nearest(0..self.reference.samples(), i));
        let measured: Vec<Vec<(f64, u32)>> = measured.collect();
        for (&i, row) in found.uncertain.iter().zip(&measured) {
            found.neighbours.replace(i, row);
        }
        found.neighbours
    }

    fn prepare<T: Real>(&self) -> Result<Sides<'_, T>> {
        Sides::new((!self.within).then_some(self.queries), self.reference)
    }

    /// The nearest of the `candidates` to query `i`, measured by differences.
    fn nearest(&self, candidates: impl Iterator<Item = usize>, i: usize) -> Vec<(f64, u32)> {
        let others = candidates.filter(|&j| !self.within || i != j);
        let mut measured: Vec<(f64, u32)> =
            others.map(|j| (self.queries.across(i, self.reference, j), j as u32)).collect();
        measured.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        measured.truncate(self.count);
        // all samples were measured where a short list was not enough
        measured.shrink_to_fit();
        measured
    }

    /// How many others a query has.
    fn others(&self) -> usize {
        self.reference.samples() - usize::from(self.within)
    }

    fn search<T: Real>(&self, sides: &Sides<'_, T>, run: &Run) -> Result<Found> {
        let (rows, columns) = (self.queries.samples(), self.reference.samples());
        let (row_blocks, column_blocks) = (rows.div_ceil(BLOCK), columns.div_ceil(BLOCK));
        let keep = self.listed();
        let pairs: Vec<(usize, usize)> = if self.within {
            (0..row_blocks).flat_map(|gap| (0..row_blocks - gap).map(move |p| (p, p + gap))).collect()
        } else {
            (0..column_blocks).flat_map(|q| (0..row_blocks).map(move |p| (p, q))).collect()
        };
        let lists = Sweep { sides, rows, columns, within: self.within, keep }.compare(&pairs, run)?;
        Ok(self.refine(&lists, |i, beyond| sides.rounding(i, beyond)))
    }

    /// How many are short-listed: some more than asked for, since rounding in the product formula may misplace the last ones.
    pub(super) fn listed(&self) -> usize {
        (self.count + self.count / 4 + 4).min(self.others())
    }

    /// Measures the short-listed pairs again by differences, and keeps the nearest. `rounding` is what the distances of a query
    /// may be off by, when the last that is listed seemed so far away.
    pub(super) fn refine<T: Real>(
        &self,
        lists: &[Mutex<Shortlist<T>>],
        rounding: impl Fn(usize, f64) -> f64 + Sync,
    ) -> Found {
        let all_are_listed = self.listed() >= self.others();
        let mut found = Neighbours::unfilled(self.queries.samples(), self.count);
        let certain = found.rows_mut().enumerate().map(|(i, (samples, distances))| {
            let mut listed = lists[i / BLOCK].lock().unwrap_or_else(PoisonError::into_inner).nearest(i % BLOCK);
            // whoever is not listed seemed no nearer than the last of those who are
            let beyond = listed.iter().map(|(d, _)| d.to_f64()).fold(0.0, f64::max);
            let rounding = rounding(i, beyond);
            let possible = possible(&mut listed, self.count, rounding);
            let measured = self.nearest(possible.iter().map(|&(_, j)| j as usize), i);
            samples.iter_mut().zip(&measured).for_each(|(sample, &(_, j))| *sample = j);
            distances.iter_mut().zip(&measured).for_each(|(distance, &(d, _))| *distance = d);
            let last = measured.last().map_or(f64::INFINITY, |&(d, _)| d);
            // nobody is nearer than a duplicate
            all_are_listed || last == 0.0 || beyond - rounding >= last
        });
        let certain: Vec<bool> = certain.collect();
        let uncertain = (0..certain.len()).filter(|&i| !certain[i]).collect();
        Found { neighbours: found, uncertain }
    }
}

/// Those of the `listed` that may be among the nearest `count`, when each distance may be off by `rounding`.
fn possible<T: Real>(listed: &mut [(T, u32)], count: usize, rounding: f64) -> &[(T, u32)] {
    if listed.len() <= count {
        return listed;
    }
    let last = listed.select_nth_unstable_by(count - 1, nearer).1.0.to_f64();
    let mut possible = count;
    for at in count..listed.len() {
        if listed[at].0.to_f64() <= last + 2.0 * rounding {
            listed.swap(possible, at);
            possible += 1;
        }
    }
    &listed[..possible]
}
