//! Squared distances between a few new samples and all known ones, view by view: every product is taken once, for all the
//! distances that are sums of them.

use std::cell::OnceCell;
use std::sync::{Mutex, OnceLock};

use super::exact::{Comparison, Found};
use super::kernels::{add_weighted_row, at_most};
use super::prepared::{Prepared, factors, offset};
use super::shortlist::Shortlist;
use super::sweep::BLOCK;
use super::{Distance, DistanceMetric, Missing, Neighbours, Term, Weighting};
use crate::matrix::Real;
use crate::{Result, View};

/// Known samples in one view, made ready for products.
pub(crate) struct Ready<'a> {
    view: &'a View,
    offset: Option<Vec<f64>>,
    /// None when the numbers are too large for single precision.
    single: Option<Prepared<'a, f32>>,
    double: OnceLock<Prepared<'a, f64>>,
}

impl<'a> Ready<'a> {
    pub(crate) fn new(view: &'a View) -> Self {
        let offset = offset(&plain(view));
        let single = Prepared::new(&plain(view), offset.as_deref(), BLOCK).ok();
        Self { view, offset, single, double: OnceLock::new() }
    }

    fn double(&self) -> Result<&Prepared<'a, f64>> {
        if let Some(prepared) = self.double.get() {
            return Ok(prepared);
        }
        let prepared = self.prepare(self.view)?;
        Ok(self.double.get_or_init(|| prepared))
    }

    /// A view of any samples, to be compared with these.
    fn prepare<'b, T: Real>(&self, view: &'b View) -> Result<Prepared<'b, T>> {
        Prepared::new(&plain(view), self.offset.as_deref(), BLOCK)
    }
}

fn plain(view: &View) -> Term<'_> {
    Term { view, metric: DistanceMetric::Euclidean, weighting: Weighting::Uniform(1.0), missing: None }
}

/// The squared distances of a few new samples from all known ones, in every view.
pub(crate) struct Squares<'a, 'k> {
    new: Vec<&'a View>,
    known: &'a [Ready<'k>],
    single: Option<Tiles<f32>>,
    /// Made when single precision is not enough.
    double: OnceCell<Tiles<f64>>,
}

impl<'a, 'k> Squares<'a, 'k> {
    /// Most new samples at a time, so that their distances stay small beside the data.
    pub(crate) fn most(known: &[Ready<'_>]) -> usize {
        const ENTRIES: usize = 4 << 20;
        let samples: usize = known.iter().map(|known| known.view.data.rows()).sum();
        (ENTRIES / samples.max(1)).clamp(16, BLOCK)
    }

    /// `new` are the views of at most [`Squares::most`] samples, stored as the known ones are.
    pub(crate) fn new(new: Vec<&'a View>, known: &'a [Ready<'k>]) -> Result<Self> {
        debug_assert!(new.iter().all(|view| view.data.rows() <= BLOCK));
        let known_single: Option<Vec<_>> = known.iter().map(|known| known.single.as_ref()).collect();
        let new_single = new.iter().zip(known).map(|(view, known)| known.prepare(view)).collect::<Result<Vec<_>>>();
        let single = known_single.zip(new_single.ok()).map(|(known, new)| Tiles::new(&new, &known));
        Ok(Self { new, known, single, double: OnceCell::new() })
    }

    fn double(&self) -> Result<&Tiles<f64>> {
        if let Some(tiles) = self.double.get() {
            return Ok(tiles);
        }
        let new: Vec<_> =
            self.new.iter().zip(self.known).map(|(view, known)| known.prepare(view)).collect::<Result<_>>()?;
        let known: Vec<_> = self.known.iter().map(Ready::double).collect::<Result<_>>()?;
        Ok(self.double.get_or_init(|| Tiles::new(&new, &known)))
    }

    /// The `count` nearest known samples of every new one by a sum of squared distances, whose terms are of these views, in
    /// this order.
    pub(crate) fn nearest(
        &self,
        views: &[usize],
        new: &Distance<'_>,
        known: &Distance<'_>,
        count: usize,
    ) -> Result<Neighbours> {
        let count = count.min(known.samples());
        let comparison = Comparison { queries: new, reference: known, within: false, count };
        if count == 0 {
            return Ok(Neighbours::unfilled(new.samples(), 0));
        }
        if let Some(tiles) = &self.single {
            let found = tiles.nearest(views, &comparison);
            if found.uncertain.is_empty() {
                return Ok(found.neighbours);
            }
        }
        Ok(comparison.settle(self.double()?.nearest(views, &comparison)))
    }
}

/// Squared distances in one precision.
struct Tiles<T> {
    rows: usize,
    columns: usize,
    /// By view, for every block of known samples: new samples x block.
    squares: Vec<Vec<T>>,
    /// By view, what those of every new sample may be off by.
    rounding: Vec<Vec<f64>>,
}

/// A term of the sum: what the squares of a view are multiplied by.
struct Factors<'a, T> {
    view: usize,
    new: (Vec<T>, Option<Missing<'a>>),
    known: (Vec<T>, Option<Missing<'a>>),
    /// The largest of the known ones'.
    largest: f64,
}

impl<T: Real> Tiles<T> {
    fn new(new: &[Prepared<'_, T>], known: &[&Prepared<'_, T>]) -> Self {
        let (rows, columns) = (new.first().map_or(0, Prepared::samples), known.first().map_or(0, |one| one.samples()));
        let fill = |(new, known): (&Prepared<'_, T>, &&Prepared<'_, T>)| {
            let mut squares = vec![T::default(); rows * columns];
            for (q, tile) in squares.chunks_mut((rows * BLOCK).max(1)).enumerate() {
                known.fill(new, 0, q, tile);
            }
            squares
        };
        let off =
            |(new, known): (&Prepared<'_, T>, &&Prepared<'_, T>)| (0..rows).map(|i| known.rounding(new, i)).collect();
        let squares = new.iter().zip(known).map(fill).collect();
        Self { rows, columns, squares, rounding: new.iter().zip(known).map(off).collect() }
    }

    fn nearest(&self, views: &[usize], comparison: &Comparison<'_>) -> Found {
        let terms = comparison.queries.terms().iter().zip(comparison.reference.terms());
        let terms: Vec<Factors<'_, T>> =
            views.iter().zip(terms).map(|(&view, pair)| Factors::new(view, pair)).collect();
        let mut list = Shortlist::new(self.rows, comparison.listed());
        let (mut sum, mut hits) = (vec![T::default(); BLOCK], Vec::new());
        for first in (0..self.columns).step_by(BLOCK) {
            let width = BLOCK.min(self.columns - first);
            for i in 0..self.rows {
                let sum = &mut sum[..width];
                sum.fill(T::default());
                for term in &terms {
                    let start = self.rows * first + i * width;
                    term.add(i, first, &self.squares[term.view][start..start + width], sum);
                }
                at_most(sum, list.bound(i), &mut hits);
                for &at in &hits {
                    if sum[at as usize] <= list.bound(i) {
                        list.offer(i, sum[at as usize], first as u32 + at);
                    }
                }
            }
        }
        let rounding = |i: usize, _| {
            terms.iter().map(|term| self.rounding[term.view][i] * term.new.0[i].to_f64() * term.largest).sum()
        };
        comparison.refine(&[Mutex::new(list)], rounding)
    }
}

impl<'a, T: Real> Factors<'a, T> {
    fn new(view: usize, (new, known): (&Term<'a>, &Term<'a>)) -> Self {
        let of = |term: &Term<'a>| (factors(&term.weighting, term.view.data.rows()), term.missing);
        let known: (Vec<T>, _) = of(known);
        let largest = known.0.iter().map(|x| x.to_f64()).fold(0.0, f64::max);
        Self { view, new: of(new), known, largest }
    }

    /// Adds the term between new sample `i` and a block of known ones.
    fn add(&self, i: usize, first: usize, squares: &[T], sum: &mut [T]) {
        let (known, factor) = (&self.known.0[first..first + squares.len()], self.new.0[i]);
        let Some(neutral) = self.known.1.or(self.new.1).map(|missing| T::from_f64(missing.neutral)) else {
            return add_weighted_row(sum, squares, factor, known);
        };
        if self.new.1.is_some_and(|missing| missing.samples[i]) {
            return sum.iter_mut().for_each(|sum| *sum += neutral);
        }
        let gone = |j: usize| self.known.1.is_some_and(|missing| missing.samples[first + j]);
        for (j, ((sum, &square), &other)) in sum.iter_mut().zip(squares).zip(known).enumerate() {
            *sum += if gone(j) { neutral } else { square * (factor * other) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::matrix::{Csr, Dense};
    use crate::neighbours::{Exact, NeighbourSearch};

    fn wave(n: usize, d: usize, phase: f64) -> Dense<f64> {
        Dense::from_fn(n, d, |i, j| ((i * 31 + j * 17) as f64 * 0.37 + phase).sin() * (1.0 + j as f64))
    }

    fn thin(n: usize, step: usize) -> View {
        let filled = move |i: usize, j: usize| (i * step + j * 3).is_multiple_of(11);
        let dense = Dense::from_fn(n, 40, |i, j| if filled(i, j) { (i % 17 + j) as f64 } else { 0.0 });
        View::new("thin", Csr::from_dense(&dense).unwrap())
    }

    fn term<'a>(view: &'a View, weighting: Weighting, missing: Option<Missing<'a>>) -> Term<'a> {
        Term { view, metric: DistanceMetric::Euclidean, weighting, missing }
    }

    #[test]
    fn sums_of_shared_squares_find_what_the_exact_search_finds() {
        let (n, m) = (2 * BLOCK + 37, 61);
        let known = [View::new("wave", wave(n, 5, 0.0).cast::<f32>()), thin(n, 7)];
        let new = [View::new("wave", wave(m, 5, 0.7).cast::<f32>()), thin(m, 5)];
        let (gone, lost): (Vec<bool>, Vec<bool>) =
            ((0..n).map(|i| i % 13 == 0).collect(), (0..m).map(|i| i % 9 == 0).collect());
        let missing = |samples| Some(Missing { samples, neutral: 2.5 });
        let scales = |n: usize| Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect());
        let ready: Vec<Ready<'_>> = known.iter().map(Ready::new).collect();
        let squares = Squares::new(new.iter().collect(), &ready).unwrap();
        for (views, of_new, of_known) in [
            (
                vec![0],
                vec![term(&new[0], Weighting::Uniform(1.0), None)],
                vec![term(&known[0], Weighting::Uniform(1.0), None)],
            ),
            (vec![1], vec![term(&new[1], scales(m), None)], vec![term(&known[1], scales(n), missing(&gone))]),
            (
                vec![0, 1],
                vec![term(&new[0], scales(m), missing(&lost)), term(&new[1], Weighting::Uniform(0.1), None)],
                vec![term(&known[0], scales(n), missing(&gone)), term(&known[1], Weighting::Uniform(0.1), None)],
            ),
        ] {
            let (of_new, of_known) = (Distance::of(of_new), Distance::of(of_known));
            let found = squares.nearest(&views, &of_new, &of_known, 9).unwrap();
            assert_eq!(found, Exact.query(&of_new, &of_known, 9, &Run::default()).unwrap());
        }
    }

    #[test]
    fn what_single_precision_cannot_tell_is_looked_at_again() {
        let tight = |n: usize, step: usize| {
            Dense::from_fn(n, 3, |i, j| 1e5 * (i % 4) as f64 + 1e-4 * ((i * step + j * 11) % 101) as f64)
        };
        let huge = Dense::from_fn(50, 2, |i, j| 1e25 * (1 + i * 7 % 50 + j) as f64);
        for (known, new) in [(tight(400, 37), tight(20, 41)), (huge.clone(), huge.select_rows(&[3, 8, 21]))] {
            let (known, new) = ([View::new("far", known)], View::new("far", new));
            let ready = [Ready::new(&known[0])];
            let squares = Squares::new(vec![&new], &ready).unwrap();
            let within = |view| Distance::within(view, DistanceMetric::Euclidean);
            let found = squares.nearest(&[0], &within(&new), &within(&known[0]), 6).unwrap();
            assert_eq!(found, Exact.query(&within(&new), &within(&known[0]), 6, &Run::default()).unwrap());
            assert!(squares.double.get().is_some());
        }
    }
}
