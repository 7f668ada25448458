//! Blocks of distances, and the short lists that they fill.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::kernels::{add_row, at_most, at_most_each, sums_to_means};
use super::prepared::Prepared;
use super::shortlist::Shortlist;
use super::{Distance, Shared};
use crate::matrix::{Dense, Real};
use crate::{Result, Run};

/// Samples per block: two blocks of 500 features and their products stay in a core's cache.
pub(super) const BLOCK: usize = 256;

/// The terms of both sides in one precision.
pub(super) struct Sides<'a, T: Real> {
    /// None when they are the reference.
    queries: Option<Vec<Prepared<'a, T>>>,
    pub(super) reference: Vec<Prepared<'a, T>>,
    pub(super) shared: Option<SharedSides<T>>,
}

/// What pairs share, in one precision: see [`Shared`].
pub(super) struct SharedSides<T> {
    /// None when they are the reference.
    queries: Option<Dense<T>>,
    pub(super) reference: Dense<T>,
    pub(super) prior: f64,
}

impl<'a, T: Real> Sides<'a, T> {
    /// The queries are the `reference` itself without `queries`.
    pub(super) fn new(queries: Option<&'a Distance<'_>>, reference: &'a Distance<'_>) -> Result<Self> {
        let shared = reference.shared().map(|shared| SharedSides {
            queries: queries.and_then(Distance::shared).map(Shared::roots),
            reference: shared.roots(),
            prior: shared.prior(),
        });
        let own = queries.map(|queries| queries.prepare(reference, reference, BLOCK)).transpose()?;
        Ok(Self { queries: own, reference: reference.prepare(queries.unwrap_or(reference), reference, BLOCK)?, shared })
    }

    pub(super) fn queries(&self) -> &[Prepared<'a, T>] {
        self.queries.as_ref().unwrap_or(&self.reference)
    }

    /// What the distances of query `i` may be off by, up to distances of `beyond`.
    pub(super) fn rounding(&self, i: usize, beyond: f64) -> f64 {
        let terms = self.reference.iter().zip(self.queries());
        let rounding: f64 = terms.map(|(reference, queries)| reference.rounding(queries, i)).sum();
        // a mean over what is shared divides by the prior at least, and adds some roundings of its own
        self.shared.as_ref().map_or(rounding, |shared| {
            rounding / shared.prior + 8.0 * T::EPSILON * shared.reference.cols() as f64 * (1.0 + beyond)
        })
    }
}

/// Which blocks are compared, and how many of the nearest are kept of every row.
pub(super) struct Sweep<'a, 'b, T: Real> {
    pub(super) sides: &'a Sides<'b, T>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether rows and columns are the same samples: then nobody is their own neighbour, and a pair of blocks serves both.
    pub(super) within: bool,
    pub(super) keep: usize,
}

impl<T: Real> Sweep<'_, '_, T> {
    /// The short lists of every block of rows after the `pairs` (block of rows, block of columns) were compared.
    pub(super) fn compare(&self, pairs: &[(usize, usize)], run: &Run) -> Result<Vec<Mutex<Shortlist<T>>>> {
        let size = |block: usize, samples: usize| BLOCK.min(samples - block * BLOCK);
        let blocks = 0..self.rows.div_ceil(BLOCK);
        let lists: Vec<_> = blocks.map(|p| Mutex::new(Shortlist::new(size(p, self.rows), self.keep))).collect();
        let done = AtomicUsize::new(0);
        pairs.par_iter().try_for_each_init(Scratch::<T>::default, |scratch, &(p, q)| {
            run.check()?;
            let width = size(q, self.columns);
            scratch.measure(self.sides, (p, q), size(p, self.rows) * width, width);
            offer_to_rows(&lists[p], scratch, (p, q), width, self.within);
            if self.within && p != q {
                offer_to_columns(&lists[q], scratch, p, width);
            }
            run.progress(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
            Ok(())
        })?;
        Ok(lists)
    }
}

/// What a thread reuses from pair to pair.
#[derive(Default)]
struct Scratch<T> {
    distances: Vec<T>,
    term: Vec<T>,
    hits: Vec<u32>,
    least: Vec<T>,
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
        list.begin(sample, row, &mut scratch.least);
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
