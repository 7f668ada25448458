//! Blocks of samples compared with each other, and the short lists that they fill.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::exact::Comparison;
use super::kernels::{at_most, at_most_each};
use super::prepared::{BLOCK, Prepared, offset};
use super::shortlist::Shortlist;
use super::sums::Sum;
use super::{DistanceMetric, Term};
use crate::matrix::Real;
use crate::{Result, Run, View};

/// The short lists of a distance, by block of queries.
pub(super) type Lists<T> = Vec<Mutex<Shortlist<T>>>;

/// All that several distances between the same samples are made of, in one precision.
pub(super) struct Sweep<'a, T: Real> {
    /// Every view that is part of one of them: the queries, where they are not the reference, and the reference.
    views: Vec<(Option<Prepared<'a, T>>, Prepared<'a, T>)>,
    /// The distances, and how many are listed by each.
    sums: Vec<(Sum<'a, T>, usize)>,
    rows: usize,
    columns: usize,
    /// Whether rows and columns are the same samples: a pair of blocks then serves both.
    within: bool,
}

impl<'a, T: Real> Sweep<'a, T> {
    /// Of distances between the same queries and the same reference, of which there is one at least.
    pub(super) fn new(wanted: &[Comparison<'a>]) -> Result<Self> {
        let mut seen: Vec<(&View, &View, DistanceMetric)> = Vec::new();
        let (mut views, mut sums) = (Vec::new(), Vec::new());
        for comparison in wanted {
            let mut number = |(own, other): (&'a Term<'_>, &'a Term<'_>)| -> Result<usize> {
                let same = |(a, b, metric): &(&View, &View, DistanceMetric)| {
                    std::ptr::eq(*a, own.view) && std::ptr::eq(*b, other.view) && *metric == other.metric
                };
                if let Some(number) = seen.iter().position(same) {
                    return Ok(number);
                }
                let offset = offset(other.view, other.metric);
                let prepared = |term: &Term<'a>| Prepared::new(term.view, term.metric, offset.as_deref());
                views.push(((!comparison.within).then(|| prepared(own)).transpose()?, prepared(other)?));
                seen.push((own.view, other.view, other.metric));
                Ok(views.len() - 1)
            };
            let terms = comparison.queries.terms().iter().zip(comparison.reference.terms());
            let numbers = terms.map(&mut number).collect::<Result<Vec<_>>>()?;
            sums.push((Sum::new(comparison.queries, comparison.reference, &numbers), comparison.listed()));
        }
        let Comparison { queries, reference, within, .. } = wanted[0];
        Ok(Self { views, sums, rows: queries.samples(), columns: reference.samples(), within })
    }

    /// The short lists of every distance.
    pub(super) fn compare(&self, run: &Run) -> Result<Vec<Lists<T>>> {
        let size = |block: usize, samples: usize| BLOCK.min(samples - block * BLOCK);
        let (row_blocks, column_blocks) = (self.rows.div_ceil(BLOCK), self.columns.div_ceil(BLOCK));
        let pairs: Vec<(usize, usize)> = if self.within {
            (0..row_blocks).flat_map(|gap| (0..row_blocks - gap).map(move |p| (p, p + gap))).collect()
        } else {
            (0..column_blocks).flat_map(|q| (0..row_blocks).map(move |p| (p, q))).collect()
        };
        let list = |keep: usize| move |p| Mutex::new(Shortlist::new(size(p, self.rows), keep));
        let lists: Vec<Lists<T>> =
            self.sums.iter().map(|(_, keep)| (0..row_blocks).map(list(*keep)).collect()).collect();
        let done = AtomicUsize::new(0);
        pairs.par_iter().try_for_each_init(Scratch::<T>::default, |scratch, &(p, q)| {
            run.check()?;
            let pair =
                Pair { p, q, height: size(p, self.rows), width: size(q, self.columns), same: self.within && p == q };
            scratch.compare(self, pair);
            for ((sum, _), lists) in self.sums.iter().zip(&lists) {
                scratch.offer(sum, pair, &lists[p], (self.within && !pair.same).then(|| &lists[q]));
            }
            run.progress(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
            Ok(())
        })?;
        Ok(lists)
    }

    /// What the distances of query `i` by the distance `number` may be off by, up to distances of `beyond`.
    pub(super) fn rounding(&self, number: usize, i: usize, beyond: f64) -> f64 {
        let of = |view: usize| {
            let (queries, reference) = &self.views[view];
            reference.rounding(queries.as_ref().unwrap_or(reference), i)
        };
        self.sums[number].0.rounding(i, beyond, of)
    }
}

/// A block of rows and a block of columns.
#[derive(Clone, Copy)]
struct Pair {
    p: usize,
    q: usize,
    height: usize,
    width: usize,
    /// Whether they are the same samples: nobody is their own neighbour.
    same: bool,
}

/// What a thread reuses from pair to pair.
#[derive(Default)]
struct Scratch<T> {
    /// By view.
    compared: Vec<Vec<T>>,
    sums: Vec<T>,
    numbers: Vec<T>,
    hits: Vec<u32>,
}

impl<T: Real> Scratch<T> {
    /// Compares a pair of blocks in every view.
    fn compare(&mut self, sweep: &Sweep<'_, T>, pair: Pair) {
        self.compared.resize(sweep.views.len(), Vec::new());
        for ((queries, reference), out) in sweep.views.iter().zip(&mut self.compared) {
            out.resize(pair.height * pair.width, T::default());
            reference.fill(queries.as_ref().unwrap_or(reference), pair.p, pair.q, out);
        }
    }

    /// Fills the lists of a distance: those of the block of rows, and those of the block of columns where it has some.
    fn offer(
        &mut self,
        sum: &Sum<'_, T>,
        pair: Pair,
        rows: &Mutex<Shortlist<T>>,
        columns: Option<&Mutex<Shortlist<T>>>,
    ) {
        let Self { compared, sums, numbers, hits } = self;
        let distances: &[T] = if let Some(view) = sum.plain {
            &compared[view]
        } else {
            sums.resize(pair.height * pair.width, T::default());
            for (i, out) in sums.chunks_exact_mut(pair.width).enumerate() {
                let compared = |view: usize| &compared[view][i * pair.width..(i + 1) * pair.width];
                sum.add_up((pair.p * BLOCK + i, pair.q * BLOCK), compared, out, numbers);
            }
            sums
        };
        let mut list = rows.lock().unwrap_or_else(PoisonError::into_inner);
        for (sample, row) in distances.chunks_exact(pair.width).enumerate() {
            list.begin(sample, row, numbers);
            at_most(row, list.bound(sample), hits);
            for &at in hits.iter() {
                let itself = pair.same && at as usize == sample;
                if !itself && row[at as usize] <= list.bound(sample) {
                    list.offer(sample, row[at as usize], (pair.q * BLOCK) as u32 + at);
                }
            }
        }
        drop(list);
        let Some(columns) = columns else { return };
        let mut list = columns.lock().unwrap_or_else(PoisonError::into_inner);
        for (candidate, row) in distances.chunks_exact(pair.width).enumerate() {
            at_most_each(row, list.bounds(), hits);
            for &at in hits.iter() {
                list.offer(at as usize, row[at as usize], (pair.p * BLOCK + candidate) as u32);
            }
        }
    }
}
