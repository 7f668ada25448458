//! Squared distances between a few new samples and all known ones, view by view: every product is taken once, for all the
//! distances that are sums of them.

use std::cell::OnceCell;
use std::sync::{Mutex, OnceLock};

use super::exact::{Comparison, Found};
use super::kernels::at_most;
use super::prepared::{BLOCK, Prepared, offset};
use super::shortlist::Shortlist;
use super::sums::Sum;
use super::{Distance, DistanceMetric, Neighbours};
use crate::matrix::Real;
use crate::{Result, View};

const METRIC: DistanceMetric = DistanceMetric::Euclidean;

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
        let offset = offset(view, METRIC);
        let single = Prepared::new(view, METRIC, offset.as_deref()).ok();
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
        Prepared::new(view, METRIC, self.offset.as_deref())
    }
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
        let sum = Sum::new(comparison.queries, comparison.reference, views);
        let mut list = Shortlist::new(self.rows, comparison.listed());
        let (mut row, mut scratch, mut hits) = (vec![T::default(); BLOCK], Vec::new(), Vec::new());
        for first in (0..self.columns).step_by(BLOCK) {
            let width = BLOCK.min(self.columns - first);
            for i in 0..self.rows {
                let (row, start) = (&mut row[..width], self.rows * first + i * width);
                sum.add_up((i, first), |view| &self.squares[view][start..start + width], row, &mut scratch);
                at_most(row, list.bound(i), &mut hits);
                for &at in &hits {
                    if row[at as usize] <= list.bound(i) {
                        list.offer(i, row[at as usize], first as u32 + at);
                    }
                }
            }
        }
        let rounding = |i: usize, beyond| sum.rounding(i, beyond, |view| self.rounding[view][i]);
        comparison.refine(&vec![Mutex::new(list)], rounding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::matrix::{Csr, Dense};
    use crate::neighbours::{Exact, NeighbourSearch, Term, UnknownSamples, Weighting};

    fn wave(n: usize, d: usize, phase: f64) -> Dense<f64> {
        Dense::from_fn(n, d, |i, j| ((i * 31 + j * 17) as f64 * 0.37 + phase).sin() * (1.0 + j as f64))
    }

    fn thin(n: usize, step: usize) -> View {
        let filled = move |i: usize, j: usize| (i * step + j * 3).is_multiple_of(11);
        let dense = Dense::from_fn(n, 40, |i, j| if filled(i, j) { (i % 17 + j) as f64 } else { 0.0 });
        View::new("thin", Csr::from_dense(&dense).unwrap())
    }

    fn term<'a>(view: &'a View, weighting: Weighting, missing: Option<UnknownSamples<'a>>) -> Term<'a> {
        Term { view, metric: DistanceMetric::Euclidean, weighting, missing }
    }

    #[test]
    fn sums_of_shared_squares_find_what_the_exact_search_finds() {
        let (n, m) = (2 * BLOCK + 37, 61);
        let known = [View::new("wave", wave(n, 5, 0.0).cast::<f32>()), thin(n, 7)];
        let new = [View::new("wave", wave(m, 5, 0.7).cast::<f32>()), thin(m, 5)];
        let (gone, lost): (Vec<bool>, Vec<bool>) =
            ((0..n).map(|i| i % 13 == 0).collect(), (0..m).map(|i| i % 9 == 0).collect());
        let missing = |samples| Some(UnknownSamples { samples, neutral: 2.5 });
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
