//! Exact nearest neighbours by blocked matrix products: n^2 d / 2 work, n k memory, never an n x n matrix.

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

#[cfg(test)]
mod tests {
    use super::super::{DistanceMetric, Missing, Weighting};
    use super::*;
    use crate::matrix::Csr;

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
        Neighbours::new(n, count, n, rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.0).collect()).unwrap()
    }

    /// The same for samples that are not in the reference.
    fn naive_query(queries: &Distance<'_>, reference: &Distance<'_>, count: usize) -> Neighbours {
        let lists: Vec<Vec<(f64, u32)>> = (0..queries.samples())
            .map(|i| {
                let all = (0..reference.samples()).map(|j| (queries.across(i, reference, j), j as u32));
                let mut all: Vec<_> = all.collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                all.truncate(count);
                all
            })
            .collect();
        let (distances, samples) = lists.iter().flatten().copied().unzip();
        Neighbours::new(queries.samples(), count, reference.samples(), samples, distances).unwrap()
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
            metric: DistanceMetric::Euclidean,
            weighting: Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect()),
            missing: None,
        };
        let gone: Vec<bool> = (0..n).map(|i| i % 13 == 0).collect();
        let missing = Some(Missing { samples: &gone, neutral: 2.5 });
        let (weighting, nothing) = (Weighting::Uniform(0.1), Some(Missing { samples: &gone, neutral: 0.0 }));
        let known = Term { view: &single, metric: DistanceMetric::Euclidean, weighting, missing: nothing };
        let angle = Term { view: &sparse, metric: DistanceMetric::Cosine, weighting: Weighting::Uniform(3.0), missing };
        for distance in [
            Distance::within(&dense, DistanceMetric::Euclidean),
            Distance::within(&sparse, DistanceMetric::Euclidean),
            Distance::within(&sparse, DistanceMetric::Cosine),
            Distance::within(&dense, DistanceMetric::Cosine),
            Distance::sum([&dense, &single, &sparse], DistanceMetric::Euclidean),
            Distance::of(vec![local, angle]),
            Distance::of(vec![known]).over_shared(Shared::new(n, &[(1.0, Some(&gone)), (0.5, None)], 1.0)),
        ] {
            assert_eq!(Exact.search(&distance, 9, &Run::default()).unwrap(), naive(&distance, 9));
        }
    }

    #[test]
    fn data_far_from_the_origin_keep_their_neighbours_in_single_precision() {
        let far = Dense::from_fn(300, 4, |i, j| 1e4 + ((i * 13 + j * 7) % 97) as f32 * 0.25);
        let view = View::new("far", far);
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
    }

    #[test]
    fn tight_groups_far_apart_are_beyond_single_precision_and_still_right() {
        // groups 1e5 apart, 1e-2 wide: in single precision everybody in a group is equally near
        let tight = Dense::from_fn(400, 3, |i, j| 1e5 * (i % 4) as f64 + 1e-4 * ((i * 37 + j * 11) % 101) as f64);
        let view = View::new("tight", tight);
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        let comparison = Comparison { queries: &distance, reference: &distance, within: true, count: 6 };
        let found = comparison.search(&comparison.prepare::<f32>().unwrap(), &Run::default()).unwrap();
        assert!(!found.uncertain.is_empty());
        assert_eq!(Exact.search(&distance, 6, &Run::default()).unwrap(), naive(&distance, 6));
    }

    #[test]
    fn queries_equal_the_naive_search_whatever_their_storage() {
        let (n, m) = (2 * BLOCK + 37, BLOCK + 11);
        let dense =
            |n: usize, phase| View::new("dense", Dense::from_fn(n, 5, move |i, j| 1e3 + wave(n, 5, phase).get(i, j)));
        let thin = |n: usize, step: usize| {
            let filled = move |i: usize, j: usize| (i * step + j * 3).is_multiple_of(11);
            Dense::from_fn(n, 40, move |i, j| if filled(i, j) { (i % 17 + j) as f64 } else { 0.0 })
        };
        let (reference_a, queries_a) = (dense(n, 0.0), dense(m, 0.7));
        let reference_b = View::new("sparse", Csr::from_dense(&thin(n, 7)).unwrap());
        // the same view, but stored densely and in single precision
        let queries_b = View::new("sparse", thin(m, 5).cast::<f32>());
        let gone: Vec<bool> = (0..m).map(|i| i % 9 == 0).collect();
        let missing = Some(Missing { samples: &gone, neutral: 2.5 });
        let scales = |n: usize| Weighting::Local((0..n).map(|i| 1.0 + (i % 5) as f64).collect());
        let term = |view, weighting, missing| Term { view, metric: DistanceMetric::Euclidean, weighting, missing };
        for (queries, reference) in [
            (
                Distance::within(&queries_a, DistanceMetric::Euclidean),
                Distance::within(&reference_a, DistanceMetric::Euclidean),
            ),
            (
                Distance::within(&queries_b, DistanceMetric::Cosine),
                Distance::within(&reference_b, DistanceMetric::Cosine),
            ),
            (
                Distance::of(vec![
                    term(&queries_a, scales(m), None),
                    term(&queries_b, Weighting::Uniform(2.0), missing),
                ]),
                Distance::of(vec![
                    term(&reference_a, scales(n), None),
                    term(&reference_b, Weighting::Uniform(2.0), None),
                ]),
            ),
            (
                Distance::of(vec![
                    term(&queries_a, Weighting::Uniform(1.0), missing),
                    term(&queries_a, Weighting::Uniform(0.5), None),
                ]),
                Distance::of(vec![
                    term(&reference_a, Weighting::Uniform(1.0), None),
                    term(&reference_a, Weighting::Uniform(0.5), None),
                ]),
            ),
        ] {
            let found = Exact.query(&queries, &reference, 9, &Run::default()).unwrap();
            let expected = naive_query(&queries, &reference, 9);
            for i in 0..m {
                assert_eq!(found.of(i).0, expected.of(i).0, "query {i}");
                let close = found.of(i).1.iter().zip(expected.of(i).1).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs());
                assert!(close, "query {i}");
            }
        }
        let short = View::new("dense", wave(m, 4, 0.0));
        let refused = Exact.query(
            &Distance::within(&short, DistanceMetric::Euclidean),
            &Distance::within(&reference_a, DistanceMetric::Euclidean),
            3,
            &Run::default(),
        );
        assert!(refused.unwrap_err().to_string().contains("view `dense`"));
    }

    #[test]
    fn duplicates_and_few_samples() {
        let view = View::new("same", Dense::<f32>::zeros(4, 2));
        let found = Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), 20, &Run::default()).unwrap();
        assert_eq!(found.count(), 3);
        assert_eq!(found.of(2), (&[0, 1, 3][..], &[0.0; 3][..]));
    }

    #[test]
    fn huge_numbers_are_measured_or_refused() {
        let large = View::new("large", Dense::from_fn(10, 1, |i, _| 1e25 * i as f32));
        let distance = Distance::within(&large, DistanceMetric::Euclidean);
        assert_eq!(Exact.search(&distance, 1, &Run::default()).unwrap().of(9).0, [8]);
        let hopeless = View::new("hopeless", Dense::from_fn(10, 1, |i, _| 1e200 * i as f64));
        let error =
            Exact.search(&Distance::within(&hopeless, DistanceMetric::Euclidean), 1, &Run::default()).unwrap_err();
        assert!(error.to_string().contains("view `hopeless`"));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let view = View::new("v", wave(700, 6, 0.5).cast::<f32>());
        let search = || Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), 10, &Run::default()).unwrap();
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool(1).install(search), pool(3).install(search));
    }
}
