//! The nearest candidates seen so far, for a block of samples.

use std::cmp::Ordering;

use super::kernels::least_of_groups;
use crate::matrix::Real;

/// Distances of which the least gives a first bound.
const GROUP: usize = 4;

/// Keeps the `keep` smallest candidates of every sample under the order (distance, sample). That order is total, so
/// what is kept does not depend on the order in which candidates come: threads may race without changing the result.
pub(super) struct Shortlist<T> {
    keep: usize,
    /// A candidate above its sample's bound is not among the nearest.
    bounds: Vec<T>,
    filled: Vec<usize>,
    /// Twice as many places as are kept: a full list is cut back at once, which costs constant time per candidate.
    places: Vec<(T, u32)>,
}

impl<T: Real> Shortlist<T> {
    pub(super) fn new(samples: usize, keep: usize) -> Self {
        Self {
            keep,
            bounds: vec![T::INFINITY; samples],
            filled: vec![0; samples],
            places: vec![(T::INFINITY, u32::MAX); samples * keep * 2],
        }
    }

    pub(super) fn bound(&self, sample: usize) -> T {
        self.bounds[sample]
    }

    pub(super) fn bounds(&self) -> &[T] {
        &self.bounds
    }

    /// Bounds a sample of which nothing is known yet by the first `row` of distances that it sees, in which its own may be: not
    /// all of them need then be offered. Of the least of every few distances, one more than are kept are no larger than the bound.
    pub(super) fn begin(&mut self, sample: usize, row: &[T], scratch: &mut Vec<T>) {
        if self.bounds[sample] < T::INFINITY || self.keep + 1 >= row.len() / GROUP {
            return;
        }
        least_of_groups::<T, GROUP>(row, scratch);
        let ascending = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        self.bounds[sample] = *scratch.select_nth_unstable_by(self.keep, ascending).1;
    }

    pub(super) fn offer(&mut self, sample: usize, distance: T, candidate: u32) {
        let width = 2 * self.keep;
        let list = &mut self.places[sample * width..(sample + 1) * width];
        let filled = &mut self.filled[sample];
        list[*filled] = (distance, candidate);
        *filled += 1;
        if *filled == width {
            list.select_nth_unstable_by(self.keep - 1, nearer);
            self.bounds[sample] = list[self.keep - 1].0;
            *filled = self.keep;
        }
    }

    /// The nearest candidates of `sample`, in any order.
    pub(super) fn nearest(&self, sample: usize) -> Vec<(T, u32)> {
        let start = sample * 2 * self.keep;
        let mut list = self.places[start..start + self.filled[sample]].to_vec();
        if list.len() > self.keep {
            list.select_nth_unstable_by(self.keep - 1, nearer);
            list.truncate(self.keep);
        }
        list
    }
}

/// Without branches on what comes first: half of the candidates do, at random, and a selection asks of nothing else.
pub(super) fn nearer<T: Real>(a: &(T, u32), b: &(T, u32)) -> Ordering {
    if (a.0 < b.0) | ((a.0 == b.0) & (a.1 < b.1)) {
        Ordering::Less
    } else if a == b {
        Ordering::Equal
    } else {
        Ordering::Greater
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_bound_keeps_what_belongs_to_the_nearest() {
        for (length, keep) in [(256, 12), (200, 40), (203, 3), (16, 4), (3, 2)] {
            let row: Vec<f32> = (0..length).map(|j| ((j * 37 + 11) % 101) as f32).collect();
            let mut list = Shortlist::new(1, keep);
            list.begin(0, &row, &mut Vec::new());
            let nearer = row.iter().filter(|&&d| d <= list.bound(0)).count();
            assert!(nearer > keep || list.bound(0) == f32::INFINITY, "{nearer} of {keep}");
            assert!(length < 200 || keep > 20 || nearer < length / 2, "{nearer} of {length} would be offered");
        }
    }

    #[test]
    fn the_nearest_stay_in_any_order_of_arrival() {
        let mut arrivals: Vec<(f64, u32)> = (0..50).map(|c| (f64::from(c * 7 % 10), c)).collect();
        for turn in 0..3 {
            arrivals.rotate_left(turn * 11);
            let mut list = Shortlist::new(1, 4);
            for &(distance, candidate) in &arrivals {
                if distance <= list.bound(0) {
                    list.offer(0, distance, candidate);
                }
            }
            let mut kept = list.nearest(0);
            kept.sort_by(nearer);
            assert_eq!(kept, [(0.0, 0), (0.0, 10), (0.0, 20), (0.0, 30)]);
        }
    }
}
