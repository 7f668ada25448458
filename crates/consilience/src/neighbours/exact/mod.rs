//! Exact nearest neighbours by blocked matrix products: n^2 d / 2 work, n k memory, never an n x n matrix.

#[cfg(test)]
mod tests;

use std::sync::PoisonError;

use rayon::prelude::*;

use super::prepared::BLOCK;
use super::shortlist::nearer;
use super::sweep::{Lists, Sweep};
use super::{Distance, NeighbourSearch, Neighbours, Term};
use crate::matrix::Real;
use crate::{Result, Run, View};

/// Exact search. Among the samples themselves every pair of blocks is multiplied once, serves both its sides, and all the distances
/// that are searched at once. Candidates are short-listed by the product formula in single precision, then measured again by
/// differences in double precision. Where rounding could have kept a nearer sample out of a short list, the search is made once
/// more in double precision, and samples for which even that is not enough are compared with all others by differences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exact;

impl NeighbourSearch for Exact {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        Ok(self.search_all(&[(distance, count)], run)?.swap_remove(0))
    }

    fn search_all(&self, wanted: &[(&Distance<'_>, usize)], run: &Run) -> Result<Vec<Neighbours>> {
        if wanted.windows(2).any(|pair| pair[0].0.samples() != pair[1].0.samples()) {
            return wanted.iter().map(|&(distance, count)| self.search(distance, count, run)).collect();
        }
        let wanted = wanted.iter().map(|&(distance, count)| {
            let count = count.min(distance.samples().saturating_sub(1));
            Comparison { queries: distance, reference: distance, within: true, count }
        });
        find(&wanted.collect::<Vec<_>>(), run)
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
        Ok(find(&[Comparison { queries, reference, within: false, count }], run)?.swap_remove(0))
    }
}

/// Who is compared with whom, by which distance.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) queries: &'a Distance<'a>,
    pub(super) reference: &'a Distance<'a>,
    /// Whether both are the same samples: then nobody is their own neighbour, and pairs are compared once only.
    pub(super) within: bool,
    pub(super) count: usize,
}

/// The outcome of a search in one precision.
pub(super) struct Found {
    pub(super) neighbours: Neighbours,
    /// Queries from whose short lists rounding may have kept a nearer sample out.
    pub(super) uncertain: Vec<usize>,
}

/// The neighbours by several distances between the same queries and the same reference.
fn find(wanted: &[Comparison<'_>], run: &Run) -> Result<Vec<Neighbours>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    // single precision finds the candidates of nearly all data at half the cost, and knows when it does not
    let mut found: Vec<Option<Neighbours>> = match Sweep::<f32>::new(wanted) {
        Ok(sweep) => {
            let certain = |found: Found| found.uncertain.is_empty().then_some(found.neighbours);
            search(wanted, &sweep, run)?.into_iter().map(certain).collect()
        }
        Err(_) => vec![None; wanted.len()],
    };
    let open: Vec<usize> = (0..wanted.len()).filter(|&at| found[at].is_none()).collect();
    if !open.is_empty() {
        let again: Vec<Comparison<'_>> = open.iter().map(|&at| wanted[at]).collect();
        let twice = search(&again, &Sweep::<f64>::new(&again)?, run)?;
        for ((at, comparison), one) in open.into_iter().zip(again).zip(twice) {
            found[at] = Some(comparison.settle(one));
        }
    }
    Ok(found.into_iter().flatten().collect())
}

fn search<T: Real>(wanted: &[Comparison<'_>], sweep: &Sweep<'_, T>, run: &Run) -> Result<Vec<Found>> {
    let lists = sweep.compare(run)?;
    let each = wanted.iter().zip(&lists).enumerate();
    Ok(each.map(|(at, (one, lists))| one.refine(lists, |i, beyond| sweep.rounding(at, i, beyond))).collect())
}

impl Comparison<'_> {
    /// Compares uncertain queries with all others by differences.
    pub(super) fn settle(&self, mut found: Found) -> Neighbours {
        let measured = found.uncertain.par_iter().map(|&i| self.nearest(0..self.reference.samples(), i));
        let measured: Vec<Vec<(f64, u32)>> = measured.collect();
        for (&i, row) in found.uncertain.iter().zip(&measured) {
            found.neighbours.replace(i, row);
        }
        found.neighbours
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

    /// How many are short-listed: some more than asked for, since rounding in the product formula may misplace the last ones.
    pub(super) fn listed(&self) -> usize {
        (self.count + self.count / 4 + 4).min(self.others())
    }

    /// Measures the short-listed pairs again by differences, and keeps the nearest. `rounding` is what the distances of a query
    /// may be off by, when the last that is listed seemed so far away.
    pub(super) fn refine<T: Real>(&self, lists: &Lists<T>, rounding: impl Fn(usize, f64) -> f64 + Sync) -> Found {
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
