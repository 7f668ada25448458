//! Exact nearest neighbours by blocked matrix products: n^2 d / 2 work, n k memory, never an n x n matrix.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::kernels::{add_row, at_most, at_most_each, sums_to_means};
use super::prepared::Prepared;
use super::shortlist::Shortlist;
use super::{Distance, NeighbourSearch, Neighbours, Shared, Term};
use crate::matrix::{Dense, Real};
use crate::{Result, Run, View};

/// Samples per block: two blocks of 500 features and their products stay in a core's cache.
const BLOCK: usize = 256;

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
struct Comparison<'a> {
    queries: &'a Distance<'a>,
    reference: &'a Distance<'a>,
    /// Whether both are the same samples: then nobody is their own neighbour, and pairs need to be measured once only.
    within: bool,
    count: usize,
}

/// The terms of both sides in one precision.
struct Sides<'a, T: Real> {
    /// None when they are the reference.
    queries: Option<Vec<Prepared<'a, T>>>,
    reference: Vec<Prepared<'a, T>>,
    shared: Option<SharedSides<T>>,
}

/// What pairs share, in one precision: see [`Shared`].
struct SharedSides<T> {
    /// None when they are the reference.
    queries: Option<Dense<T>>,
    reference: Dense<T>,
    prior: f64,
}

impl<'a, T: Real> Sides<'a, T> {
    fn queries(&self) -> &[Prepared<'a, T>] {
        self.queries.as_ref().unwrap_or(&self.reference)
    }
}

/// The outcome of a search in one precision.
struct Found {
    neighbours: Neighbours,
    /// Queries from whose short lists rounding may have kept a nearer sample out.
    uncertain: Vec<usize>,
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
        let mut found = self.search(&self.prepare::<f64>()?, run)?;
        let measured = found.uncertain.par_iter().map(|&i| self.nearest(0..self.reference.samples(), i));
        let measured: Vec<Vec<(f64, u32)>> = measured.collect();
        for (&i, row) in found.uncertain.iter().zip(&measured) {
            found.neighbours.replace(i, row);
        }
        Ok(found.neighbours)
    }

    fn prepare<T: Real>(&self) -> Result<Sides<'_, T>> {
        let reference = self.reference.prepare(self.queries, self.reference, BLOCK)?;
        let queries =
            if self.within { None } else { Some(self.queries.prepare(self.reference, self.reference, BLOCK)?) };
        let shared = self.reference.shared().map(|shared| SharedSides {
            queries: self.queries.shared().filter(|_| !self.within).map(Shared::roots),
            reference: shared.roots(),
            prior: shared.prior(),
        });
        Ok(Sides { queries, reference, shared })
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
        // some more than asked for: rounding in the product formula may misplace the last ones
        let keep = (self.count + self.count / 4 + 4).min(self.others());
        let size = |block: usize, samples: usize| BLOCK.min(samples - block * BLOCK);
        let lists: Vec<Mutex<Shortlist<T>>> =
            (0..row_blocks).map(|p| Mutex::new(Shortlist::new(size(p, rows), keep))).collect();
        let pairs: Vec<(usize, usize)> = if self.within {
            (0..row_blocks).flat_map(|gap| (0..row_blocks - gap).map(move |p| (p, p + gap))).collect()
        } else {
            (0..column_blocks).flat_map(|q| (0..row_blocks).map(move |p| (p, q))).collect()
        };
        let done = AtomicUsize::new(0);
        pairs.par_iter().try_for_each_init(Scratch::<T>::default, |scratch, &(p, q)| {
            run.check()?;
            let width = size(q, columns);
            scratch.measure(sides, (p, q), size(p, rows) * width, width);
            offer_to_rows(&lists[p], scratch, (p, q), width, self.within);
            if self.within && p != q {
                offer_to_columns(&lists[q], scratch, p, width);
            }
            run.progress(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
            Ok(())
        })?;
        Ok(self.refine(sides, &lists, keep))
    }

    /// Measures the short-listed pairs again by differences, and keeps the nearest.
    fn refine<T: Real>(&self, sides: &Sides<'_, T>, lists: &[Mutex<Shortlist<T>>], keep: usize) -> Found {
        let mut found = Neighbours::unfilled(self.queries.samples(), self.count);
        let certain = found.rows_mut().enumerate().map(|(i, (samples, distances))| {
            let listed = lists[i / BLOCK].lock().unwrap_or_else(PoisonError::into_inner).nearest(i % BLOCK);
            // whoever is not listed seemed no nearer than the last of those who are
            let beyond = listed.iter().map(|(d, _)| d.to_f64()).fold(0.0, f64::max);
            let measured = self.nearest(listed.into_iter().map(|(_, j)| j as usize), i);
            samples.iter_mut().zip(&measured).for_each(|(sample, &(_, j))| *sample = j);
            distances.iter_mut().zip(&measured).for_each(|(distance, &(d, _))| *distance = d);
            let terms = sides.reference.iter().zip(sides.queries());
            let rounding: f64 = terms.map(|(reference, queries)| reference.rounding(queries, i)).sum();
            // a mean over what is shared divides by the prior at least, and adds some roundings of its own
            let rounding = sides.shared.as_ref().map_or(rounding, |shared| {
                rounding / shared.prior + 8.0 * T::EPSILON * shared.reference.cols() as f64 * (1.0 + beyond)
            });
            let last = measured.last().map_or(f64::INFINITY, |&(d, _)| d);
            // nobody is nearer than a duplicate
            keep >= self.others() || last == 0.0 || beyond - rounding >= last
        });
        let certain: Vec<bool> = certain.collect();
        let uncertain = (0..certain.len()).filter(|&i| !certain[i]).collect();
        Found { neighbours: found, uncertain }
    }
}

/// What a thread reuses from pair to pair.
#[derive(Default)]
struct Scratch<T> {
    distances: Vec<T>,
    term: Vec<T>,
    hits: Vec<u32>,
}

impl<T: Real> Scratch<T> {
    fn measure(&mut self, sides: &Sides<'_, T>, (p, q): (usize, usize), entries: usize, width: usize) {
        self.distances.resize(entries, T::default());
        for (number, (reference, queries)) in sides.reference.iter().zip(sides.queries()).enumerate() {
            if number == 0 {
                reference.fill(queries, p, q, &mut self.distances);
                continue;
            }
            self.term.resize(entries, T::default());
            reference.fill(queries, p, q, &mut self.term);
            let rows = self.distances.chunks_exact_mut(width).zip(self.term.chunks_exact(width));
            rows.for_each(|(sum, row)| add_row(sum, row));
        }
        if let Some(shared) = &sides.shared {
            self.take_means(shared, (p, q), width);
        }
    }

    /// Sums become means over what the pairs share.
    fn take_means(&mut self, shared: &SharedSides<T>, (p, q): (usize, usize), width: usize) {
        let views = shared.reference.cols();
        let block =
            |roots: &'_ Dense<T>, at: usize| (at * BLOCK * views)..((at + 1) * BLOCK * views).min(roots.data().len());
        let queries = shared.queries.as_ref().unwrap_or(&shared.reference);
        self.term.resize(self.distances.len(), T::default());
        let (rows, columns) = (block(queries, p), block(&shared.reference, q));
        T::product_transposed(&mut self.term, &queries.data()[rows], &shared.reference.data()[columns], views);
        let prior = T::from_f64(shared.prior);
        let rows = self.distances.chunks_exact_mut(width).zip(self.term.chunks_exact(width));
        rows.for_each(|(sums, shared)| sums_to_means(sums, shared, prior));
    }
}

fn offer_to_rows<T: Real>(
    list: &Mutex<Shortlist<T>>,
    scratch: &mut Scratch<T>,
    (p, q): (usize, usize),
    width: usize,
    within: bool,
) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    for (sample, row) in scratch.distances.chunks_exact(width).enumerate() {
        at_most(row, list.bound(sample), &mut scratch.hits);
        for &at in &scratch.hits {
            let candidate = q * BLOCK + at as usize;
            let is_other = !within || candidate != p * BLOCK + sample;
            if is_other && row[at as usize] <= list.bound(sample) {
                list.offer(sample, row[at as usize], candidate as u32);
            }
        }
    }
}

fn offer_to_columns<T: Real>(list: &Mutex<Shortlist<T>>, scratch: &mut Scratch<T>, p: usize, width: usize) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    for (candidate, row) in scratch.distances.chunks_exact(width).enumerate() {
        at_most_each(row, list.bounds(), &mut scratch.hits);
        for &at in &scratch.hits {
            list.offer(at as usize, row[at as usize], (p * BLOCK + candidate) as u32);
        }
    }
}
