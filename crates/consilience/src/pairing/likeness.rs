//! How alike two samples are in a view, for all pairs of a few samples. Far pairs speak as well as near ones: views of a hundred
//! samples whose clusters overlap agree on what is far, and views of many clusters or of curves on what is near.

use rayon::prelude::*;

use crate::View;
use crate::matrix::{Csr, Dense, frobenius};
use crate::neighbours::{Distance, DistanceMetric};
use crate::null::Permutations;
use crate::views::hellinger;

/// What varies less than this is the same but for rounding.
const ROUNDING: f64 = 1e-9;

/// Of the samples of a view (n x n, centred) the sum of two tables, which count the same: how alike the samples are (the cosines of their
/// features, seen from the mean, or the weights of an affinity), and how near in order (the logarithms of their ranks as neighbours).
/// Cosines, because a few samples far out would outweigh all others.
pub(super) struct Likeness(Dense<f64>);

impl Likeness {
    /// Of counts by the angle of their roots. None of samples that the view does not tell apart.
    pub(super) fn new(view: &View, counts: bool) -> Option<Self> {
        let (alike, nearness) = match view.affinity().map(Csr::to_dense) {
            Some(weights) => (weights.clone(), weights),
            None if counts => of_features(&view.with_data(hellinger(&view.data))),
            None => of_features(view),
        };
        let (alike, order) = (evened(alike), evened(nearness_in_order(&nearness)));
        let entry = |i, j| alike.as_ref().map_or(0.0, |m| m.get(i, j)) + order.as_ref().map_or(0.0, |m| m.get(i, j));
        let n = view.data.rows();
        (alike.is_some() || order.is_some()).then(|| Self(Dense::from_fn(n, n, entry)))
    }

    /// Whether this and another view of the same samples agree more than permuted ones.
    pub(super) fn agrees(&self, other: &Self, seed: u64) -> bool {
        let statistic = |orders: &[Vec<usize>]| self.shared(other, &orders[0]);
        Permutations { samples: self.0.rows(), views: 1, seed, statistic }.agree()
    }

    /// The sum over pairs of the products of their likeness here and there; sample `i` here is `order[i]` there.
    fn shared(&self, other: &Self, order: &[usize]) -> f64 {
        let row = |(i, mine): (usize, &[f64])| {
            let theirs = other.0.row(order[i]);
            mine[..i].iter().zip(order).map(|(here, &place)| here * theirs[place]).sum::<f64>()
        };
        self.0.iter_rows().enumerate().map(row).sum()
    }
}

/// Cosines seen from the mean, and nearness: the negative of squared distances. Centred these are twice the products of the centred
/// features, dense or sparse.
fn of_features(view: &View) -> (Dense<f64>, Dense<f64>) {
    let n = view.data.rows();
    let distance = Distance::within(view, DistanceMetric::Euclidean);
    let above = |i: usize| (0..n).map(|j| if j > i { -distance.between(i, j) } else { 0.0 }).collect::<Vec<_>>();
    let above: Vec<Vec<f64>> = (0..n).into_par_iter().map(above).collect();
    let nearness = Dense::from_fn(n, n, |i, j| above[i.min(j)][i.max(j)]);
    let products = centred(nearness.clone());
    let length = |i: usize| products.get(i, i).max(0.0).sqrt();
    let cosine = |i, j| {
        let lengths = length(i) * length(j);
        if lengths > 0.0 { products.get(i, j) / lengths } else { 0.0 }
    };
    (Dense::from_fn(n, n, cosine), nearness)
}

/// The negative logarithm of every sample's place among the neighbours of every other, 0 for the last; equal ones have their mean
/// place, or views of many equal samples would agree by the order of the rows.
fn nearness_in_order(nearness: &Dense<f64>) -> Dense<f64> {
    let n = nearness.rows();
    let mut places = Dense::zeros(n, n);
    places.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, places)| {
        let row = nearness.row(i);
        let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        order.sort_unstable_by(|&a, &b| row[b].total_cmp(&row[a]));
        let mut first = 0;
        for equal in order.chunk_by(|&a, &b| row[a] == row[b]) {
            let place = first as f64 + (equal.len() + 1) as f64 / 2.0;
            equal.iter().for_each(|&j| places[j] = -(place / (n - 1) as f64).ln());
            first += equal.len();
        }
    });
    Dense::from_fn(n, n, |i, j| places.get(i, j) + places.get(j, i))
}

/// Centred and of length 1; none where all pairs are the same. How a sample is like itself says nothing.
fn evened(mut table: Dense<f64>) -> Option<Dense<f64>> {
    let n = table.rows();
    (0..n).for_each(|i| table.data_mut()[i * n + i] = 0.0);
    let size = frobenius(&table);
    let mean = table.data().iter().sum::<f64>() / (n * (n - 1)) as f64;
    (0..n).for_each(|i| table.data_mut()[i * n + i] = mean);
    let mut table = centred(table);
    let length = frobenius(&table);
    table.data_mut().iter_mut().for_each(|x| *x /= length);
    (length > ROUNDING * size).then_some(table)
}

/// Less the means of its rows and columns; of a symmetric matrix.
fn centred(mut matrix: Dense<f64>) -> Dense<f64> {
    let n = matrix.rows();
    let means: Vec<f64> = matrix.iter_rows().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for (place, entry) in matrix.data_mut().iter_mut().enumerate() {
        *entry += mean - means[place / n] - means[place % n];
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_seen_from_the_mean() {
        // the mean is (1, 1): directions (-1, 0), (1, 0), (0, 2), (0, -2), however long
        let view = View::new("v", Dense::new(4, 2, vec![0.0, 1.0, 2.0, 1.0, 1.0, 3.0, 1.0, -1.0]).unwrap());
        let expected = [[1.0, -1.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0], [0.0, 0.0, -1.0, 1.0]];
        let found = of_features(&view).0;
        for (i, row) in expected.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                assert!((found.get(i, j) - value).abs() < 1e-12, "{i} {j}: {}", found.get(i, j));
            }
        }
        let entries = [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 1.0), (2, 0, 1.0), (2, 1, 3.0), (3, 0, 1.0), (3, 1, -1.0)];
        let sparse = View::new("v", Csr::from_entries(4, 2, entries.to_vec()).unwrap());
        let same = of_features(&sparse).0;
        assert!(found.data().iter().zip(same.data()).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_sample_at_the_mean_is_like_nobody() {
        let view = View::new("v", Dense::new(3, 1, vec![-1.0, 0.0, 1.0]).unwrap());
        assert_eq!(of_features(&view).0.row(1), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn places_among_neighbours_by_hand() {
        // from 0 the others are 1, 2 and 2 away, from 1 they are 1, 1 and 3
        let nearness =
            [[0.0, -1.0, -2.0, -2.0], [-1.0, 0.0, -1.0, -3.0], [-2.0, -1.0, 0.0, -1.0], [-2.0, -3.0, -1.0, 0.0]];
        let found = nearness_in_order(&Dense::from_fn(4, 4, |i, j| nearness[i][j]));
        let sum = |a: f64, b: f64| -(a / 3.0).ln() - (b / 3.0).ln();
        for ((i, j), expected) in [((0, 1), sum(1.0, 1.5)), ((0, 2), sum(2.5, 3.0)), ((1, 3), sum(3.0, 3.0))] {
            assert!((found.get(i, j) - expected).abs() < 1e-12 && found.get(i, j) == found.get(j, i), "{i} {j}");
        }
    }

    /// 60 samples, every one its own number, in the order of multiples of `step`.
    fn line(step: usize, place: impl Fn(f64) -> f64) -> Option<Likeness> {
        Likeness::new(&View::new("v", Dense::from_fn(60, 1, |i, _| place((i * step % 61) as f64 - 30.0))), false)
    }

    #[test]
    fn agreement_is_seen_in_what_is_near_and_in_what_is_far() {
        let straight = line(7, |x| x).unwrap();
        assert!(straight.agrees(&line(7, |x| -x).unwrap(), 1));
        // as far from the mean on either side: no correlation, but the same neighbours
        assert!(straight.agrees(&line(7, f64::abs).unwrap(), 1));
        assert!(!straight.agrees(&line(25, |x| x * x * x).unwrap(), 1));
    }

    #[test]
    fn samples_that_are_not_told_apart_are_compared_with_nothing() {
        assert!(line(7, |_| 3.0).is_none());
        // as far from each other as from all others
        assert!(
            Likeness::new(&View::new("v", Dense::from_fn(40, 40, |i, j| f64::from(u8::from(i == j)))), false).is_none()
        );
    }
}
