//! How alike two samples are in a view, for all pairs of a few samples. Far pairs speak as well as near ones, so views of a
//! hundred samples whose clusters overlap are seen to agree where their nearest neighbours do not show it.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::View;
use crate::matrix::Dense;
use crate::neighbours::{Distance, DistanceMetric};

/// Views agree when they do so more than under each of these permutations of the samples: by chance one time in a thousand,
/// whatever the distribution. It is heavy-tailed where a view has few features, so its deviation would say little.
const PERMUTATIONS: u64 = 999;
/// A stream of random numbers that nothing else of this seed uses begins here.
const FIRST_STREAM: u64 = 1 << 32;

/// Of the samples of a view (n x n, centred): cosines of their features, seen from the mean, or the weights of an affinity.
/// Cosines, because a few samples far out would outweigh all others.
pub(super) struct Likeness(Dense<f64>);

impl Likeness {
    pub(super) fn new(view: &View) -> Self {
        let n = view.data.rows();
        let mut alike = Dense::zeros(n, n);
        if let Some(weights) = view.affinity() {
            for i in 0..n {
                let (columns, weights) = weights.row(i);
                columns.iter().zip(weights).for_each(|(&j, &w)| alike.data_mut()[i * n + j as usize] = w);
            }
        } else {
            alike = cosines(view);
        }
        // how a sample is like itself says nothing, and stays where it is under every permutation
        (0..n).for_each(|i| alike.data_mut()[i * n + i] = 0.0);
        Self(centred(alike))
    }

    /// Whether this and another view of the same samples agree more than permuted ones.
    pub(super) fn agrees(&self, other: &Self, seed: u64) -> bool {
        let order: Vec<usize> = (0..self.0.rows()).collect();
        let observed = self.shared(other, &order);
        // most views that do not agree are known by the first few
        !(0..PERMUTATIONS).into_par_iter().any(|draw| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(FIRST_STREAM + draw);
            let mut order = order.clone();
            order.shuffle(&mut rng);
            self.shared(other, &order) >= observed
        })
    }

    /// The sum over pairs of the products of their likeness here and there; sample `i` here is `order[i]` there.
    fn shared(&self, other: &Self, order: &[usize]) -> f64 {
        let row = |(i, mine): (usize, &[f64])| {
            let theirs = other.0.row(order[i]);
            mine.iter().zip(order).map(|(here, &place)| here * theirs[place]).sum::<f64>()
        };
        self.0.iter_rows().enumerate().map(row).sum()
    }
}

/// From squared distances: centred they are -2 times the products of the centred features, dense or sparse.
fn cosines(view: &View) -> Dense<f64> {
    let n = view.data.rows();
    let distance = Distance::within(view, DistanceMetric::Euclidean);
    let above = |i: usize| (0..n).map(|j| if j > i { distance.between(i, j) } else { 0.0 }).collect::<Vec<_>>();
    let above: Vec<Vec<f64>> = (0..n).into_par_iter().map(above).collect();
    let products = centred(Dense::from_fn(n, n, |i, j| -0.5 * above[i.min(j)][i.max(j)]));
    let length = |i: usize| products.get(i, i).max(0.0).sqrt();
    Dense::from_fn(n, n, |i, j| {
        let lengths = length(i) * length(j);
        if lengths > 0.0 { products.get(i, j) / lengths } else { 0.0 }
    })
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
    use crate::matrix::Csr;

    #[test]
    fn cosines_are_seen_from_the_mean() {
        // the mean is (1, 1): directions (-1, 0), (1, 0), (0, 2), (0, -2), however long
        let view = View::new("v", Dense::new(4, 2, vec![0.0, 1.0, 2.0, 1.0, 1.0, 3.0, 1.0, -1.0]).unwrap());
        let expected = [[1.0, -1.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0], [0.0, 0.0, -1.0, 1.0]];
        let found = cosines(&view);
        for (i, row) in expected.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                assert!((found.get(i, j) - value).abs() < 1e-12, "{i} {j}: {}", found.get(i, j));
            }
        }
        let entries = [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 1.0), (2, 0, 1.0), (2, 1, 3.0), (3, 0, 1.0), (3, 1, -1.0)];
        let sparse = View::new("v", Csr::from_entries(4, 2, entries.to_vec()).unwrap());
        let same = cosines(&sparse);
        assert!(found.data().iter().zip(same.data()).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_sample_at_the_mean_is_like_nobody() {
        let view = View::new("v", Dense::new(3, 1, vec![-1.0, 0.0, 1.0]).unwrap());
        assert_eq!(cosines(&view).row(1), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn agreement_needs_more_than_every_permutation() {
        let view = |shift: usize| View::new("v", Dense::from_fn(40, 1, |i, _| ((i * 7 + shift) % 40) as f64));
        let (a, b) = (Likeness::new(&view(0)), Likeness::new(&view(0)));
        assert!(a.agrees(&b, 1));
        // the same numbers, ten places on: half of the pairs are on the same side as before
        assert!(!a.agrees(&Likeness::new(&view(10)), 1));
        let nobody = Likeness::new(&View::new("same", Dense::from_fn(40, 1, |_, _| 3.0)));
        assert!(!a.agrees(&nobody, 1), "nothing is no more than nothing");
    }
}
