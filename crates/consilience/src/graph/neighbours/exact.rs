//! Exact nearest neighbours by blocked matrix products: n^2 d / 2 work, n k memory, never an n x n matrix.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::kernels::{add_row, at_most, at_most_each};
use super::prepared::Prepared;
use super::shortlist::Shortlist;
use super::{Distance, NeighbourSearch, Neighbours};
use crate::matrix::Real;
use crate::{Result, Run};

/// Samples per block: two blocks of 500 features and their products stay in a core's cache.
const BLOCK: usize = 256;

/// Exact search. Every pair of blocks is multiplied once and serves both its sides. Candidates are short-listed by the
/// product formula in single precision, then measured again by differences in double precision. Where rounding could
/// have kept a nearer sample out of a short list, the search is made once more in double precision, and samples for which
/// even that is not enough are compared with all others by differences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exact;

impl NeighbourSearch for Exact {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        let count = count.min(distance.samples().saturating_sub(1));
        if count == 0 {
            return Ok(Neighbours::new(distance.samples(), 0, Vec::new(), Vec::new()));
        }
        // single precision finds the candidates of nearly all data at half the cost, and knows when it does not
        if let Ok(terms) = distance.prepare::<f32>(BLOCK) {
            let found = search_in(distance, &terms, count, run)?;
            if found.uncertain.is_empty() {
                return Ok(found.neighbours);
            }
        }
        let mut found = search_in(distance, &distance.prepare::<f64>(BLOCK)?, count, run)?;
        let measured: Vec<Vec<(f64, u32)>> =
            found.uncertain.par_iter().map(|&i| nearest_by_differences(distance, i, count)).collect();
        for (&i, row) in found.uncertain.iter().zip(&measured) {
            found.neighbours.replace(i, row);
        }
        Ok(found.neighbours)
    }
}

/// The outcome of a search in one precision.
struct Found {
    neighbours: Neighbours,
    /// Samples from whose short lists rounding may have kept a nearer one out.
    uncertain: Vec<usize>,
}

/// Sample `i` against all others, without the product formula.
fn nearest_by_differences(distance: &Distance<'_>, i: usize, count: usize) -> Vec<(f64, u32)> {
    let others = (0..distance.samples()).filter(|&j| j != i);
    nearest_first(others.map(|j| (distance.between(i, j), j as u32)).collect(), count)
}

fn nearest_first(mut measured: Vec<(f64, u32)>, count: usize) -> Vec<(f64, u32)> {
    measured.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    measured.truncate(count);
    measured
}

fn search_in<T: Real>(distance: &Distance<'_>, terms: &[Prepared<'_, T>], count: usize, run: &Run) -> Result<Found> {
    let n = distance.samples();
    let blocks = n.div_ceil(BLOCK);
    // some more than asked for: rounding in the product formula may misplace the last ones
    let keep = (count + count / 4 + 4).min(n - 1);
    let size = |block: usize| BLOCK.min(n - block * BLOCK);
    let lists: Vec<Mutex<Shortlist<T>>> = (0..blocks).map(|b| Mutex::new(Shortlist::new(size(b), keep))).collect();
    let pairs: Vec<(usize, usize)> = (0..blocks).flat_map(|gap| (0..blocks - gap).map(move |p| (p, p + gap))).collect();
    let done = AtomicUsize::new(0);
    pairs.par_iter().try_for_each_init(Scratch::<T>::default, |scratch, &(p, q)| {
        run.check()?;
        scratch.measure(terms, p, q, size(p) * size(q), size(q));
        offer_to_rows(&lists[p], scratch, p, q, size(q));
        if p != q {
            offer_to_columns(&lists[q], scratch, p, size(q));
        }
        run.progress(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
        Ok(())
    })?;
    Ok(refine(distance, terms, &lists, (count, keep)))
}

/// What a thread reuses from pair to pair.
#[derive(Default)]
struct Scratch<T> {
    distances: Vec<T>,
    term: Vec<T>,
    hits: Vec<u32>,
}

impl<T: Real> Scratch<T> {
    fn measure(&mut self, terms: &[Prepared<'_, T>], p: usize, q: usize, entries: usize, width: usize) {
        self.distances.resize(entries, T::default());
        for (number, term) in terms.iter().enumerate() {
            if number == 0 {
                term.fill(p, q, &mut self.distances);
                continue;
            }
            self.term.resize(entries, T::default());
            term.fill(p, q, &mut self.term);
            let rows = self.distances.chunks_exact_mut(width).zip(self.term.chunks_exact(width));
            rows.for_each(|(sum, row)| add_row(sum, row));
        }
    }
}

fn offer_to_rows<T: Real>(list: &Mutex<Shortlist<T>>, scratch: &mut Scratch<T>, p: usize, q: usize, width: usize) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    for (sample, row) in scratch.distances.chunks_exact(width).enumerate() {
        at_most(row, list.bound(sample), &mut scratch.hits);
        for &at in &scratch.hits {
            let candidate = q * BLOCK + at as usize;
            if candidate != p * BLOCK + sample && row[at as usize] <= list.bound(sample) {
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

/// Measures the short-listed pairs again by differences, and keeps the nearest.
fn refine<T: Real>(
    distance: &Distance<'_>,
    terms: &[Prepared<'_, T>],
    lists: &[Mutex<Shortlist<T>>],
    (count, keep): (usize, usize),
) -> Found {
    let n = distance.samples();
    let row = |i: usize| {
        let listed = lists[i / BLOCK].lock().unwrap_or_else(PoisonError::into_inner).nearest(i % BLOCK);
        // whoever is not listed seemed no nearer than the last of those who are
        let beyond = listed.iter().map(|(d, _)| d.to_f64()).fold(0.0, f64::max);
        let measured =
            nearest_first(listed.into_iter().map(|(_, j)| (distance.between(i, j as usize), j)).collect(), count);
        let rounding: f64 = terms.iter().map(|term| term.rounding(i)).sum();
        let last = measured.last().map_or(f64::INFINITY, |&(d, _)| d);
        // nobody is nearer than a duplicate
        (measured, keep >= n - 1 || last == 0.0 || beyond - rounding >= last)
    };
    let rows: Vec<(Vec<(f64, u32)>, bool)> = (0..n).into_par_iter().map(row).collect();
    let uncertain = (0..n).filter(|&i| !rows[i].1).collect();
    let samples = rows.iter().flat_map(|(row, _)| row).map(|&(_, j)| j).collect();
    let distances = rows.iter().flat_map(|(row, _)| row).map(|&(d, _)| d).collect();
    Found { neighbours: Neighbours::new(n, count, samples, distances), uncertain }
}

#[cfg(test)]
mod tests {
    use super::super::{Metric, Missing, Term, Weighting};
    use super::*;
    use crate::View;
    use crate::matrix::{Csr, Dense};

    fn wave(n: usize, d: usize, phase: f64) -> Dense<f64> {
        Dense::from_fn(n, d, |i, j| ((i * 31 + j * 17) as f64 * 0.37 + phase).sin() * (1.0 + j as f64))
    }

    fn naive(distance: &Distance<'_>, count: usize) -> Neighbours {
        let n = distance.samples();
        let mut rows = Vec::new();
        for i in 0..n {
            let mut row: Vec<_> = (0..n).filter(|&j| j != i).map(|j| (distance.between(i, j), j as u32)).collect();
            row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            rows.extend_from_slice(&row[..count]);
        }
        Neighbours::new(n, count, rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.0).collect())
    }

    #[test]
    fn equals_the_naive_search_for_every_kind_of_term() {
        let n = 2 * BLOCK + 37;
        let dense = View::new("dense", wave(n, 5, 0.0));
        let single = View::new("single", wave(n, 3, 1.0).cast::<f32>());
        let thin = Dense::from_fn(n, 40, |i, j| if (i * 7 + j * 3) % 11 == 0 { (i + j) as f64 } else { 0.0 });
        let sparse = View::new("sparse", Csr::from_dense(&thin).unwrap());
        let local = Term {
            view: &dense,
            metric: Metric::Euclidean,
            weighting: Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect()),
            missing: None,
        };
        let gone: Vec<bool> = (0..n).map(|i| i % 13 == 0).collect();
        let missing = Some(Missing { samples: &gone, neutral: 2.5 });
        let angle = Term { view: &sparse, metric: Metric::Cosine, weighting: Weighting::Uniform(3.0), missing };
        for distance in [
            Distance::within(&dense, Metric::Euclidean),
            Distance::within(&sparse, Metric::Euclidean),
            Distance::within(&sparse, Metric::Cosine),
            Distance::within(&dense, Metric::Cosine),
            Distance::sum([&dense, &single, &sparse], Metric::Euclidean),
            Distance::of(vec![local, angle]),
        ] {
            assert_eq!(Exact.search(&distance, 9, &Run::default()).unwrap(), naive(&distance, 9));
        }
    }

    #[test]
    fn data_far_from_the_origin_keep_their_neighbours_in_single_precision() {
        let far = Dense::from_fn(300, 4, |i, j| 1e4 + ((i * 13 + j * 7) % 97) as f32 * 0.25);
        let view = View::new("far", far);
        let distance = Distance::within(&view, Metric::Euclidean);
        assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
    }

    #[test]
    fn tight_groups_far_apart_are_beyond_single_precision_and_still_right() {
        // groups 1e5 apart, 1e-2 wide: in single precision everybody in a group is equally near
        let tight = Dense::from_fn(400, 3, |i, j| 1e5 * (i % 4) as f64 + 1e-4 * ((i * 37 + j * 11) % 101) as f64);
        let view = View::new("tight", tight);
        let distance = Distance::within(&view, Metric::Euclidean);
        let terms = distance.prepare::<f32>(BLOCK).unwrap();
        assert!(!search_in(&distance, &terms, 6, &Run::default()).unwrap().uncertain.is_empty());
        assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
    }

    #[test]
    fn duplicates_and_few_samples() {
        let view = View::new("same", Dense::<f32>::zeros(4, 2));
        let found = Exact.search(&Distance::within(&view, Metric::Euclidean), 20, &Run::default()).unwrap();
        assert_eq!(found.count(), 3);
        assert_eq!(found.of(2), (&[0, 1, 3][..], &[0.0; 3][..]));
    }

    #[test]
    fn huge_numbers_are_measured_or_refused() {
        let large = View::new("large", Dense::from_fn(10, 1, |i, _| 1e25 * i as f32));
        let distance = Distance::within(&large, Metric::Euclidean);
        assert_eq!(Exact.search(&distance, 1, &Run::default()).unwrap().of(9).0, [8]);
        let hopeless = View::new("hopeless", Dense::from_fn(10, 1, |i, _| 1e200 * i as f64));
        let error = Exact.search(&Distance::within(&hopeless, Metric::Euclidean), 1, &Run::default()).unwrap_err();
        assert!(error.to_string().contains("view `hopeless`"));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let view = View::new("v", wave(700, 6, 0.5).cast::<f32>());
        let search = || Exact.search(&Distance::within(&view, Metric::Euclidean), 10, &Run::default()).unwrap();
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool(1).install(search), pool(3).install(search));
    }
}
