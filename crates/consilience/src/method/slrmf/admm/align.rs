//! N9: the clusters of different views come in different order, so their columns are matched before they are compared.
//!
//! By assignment, not by rotation: a rotated indicator is no longer one, and `G >= 0` would fight the rotation.

use crate::matrix::{Dense, gram};
use crate::metrics::{Cell, pairing};

/// The assignment counts in whole numbers; overlaps are rounded to this many parts of the largest.
const PARTS: f64 = (1_u64 << 40) as f64;

/// Which column of `U` (n x k) comes to which place, so that it overlaps most with that column of `target` (n x k).
pub(super) fn best_order(U: &Dense<f64>, target: &Dense<f64>) -> Vec<usize> {
    let k = U.cols();
    let overlap = gram(U.as_mat(), target.as_mat());
    let largest = overlap.norm_max();
    let mut cells = Vec::with_capacity(k * k);
    for row in 0..k {
        for column in 0..k {
            let count = (overlap[(row, column)] / largest.max(f64::MIN_POSITIVE) * PARTS).round();
            if count >= 1.0 {
                cells.push(Cell { row, column, count: count as u64 });
            }
        }
    }
    let places = pairing(k, k, &cells);
    let mut order = vec![usize::MAX; k];
    places.iter().enumerate().for_each(|(row, place)| place.iter().for_each(|&j| order[j] = row));
    // columns that overlap with nothing that is left keep their order
    let mut left = (0..k).filter(|&row| places[row].is_none());
    order.iter_mut().filter(|row| **row == usize::MAX).for_each(|row| *row = left.next().unwrap_or(0));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffled_columns_find_their_places_and_strangers_take_the_rest() {
        let labels = [0, 0, 1, 1, 2, 2, 3, 3];
        let column = |j: usize| move |l: usize| if labels[l] == j { 1.0 } else { 0.0 };
        let target = Dense::from_fn(8, 4, |l, j| column(j)(l));
        let U = Dense::from_fn(8, 4, |l, j| column([2, 0, 3, 1][j])(l));
        assert_eq!(best_order(&U, &target), [1, 3, 0, 2]);
        let half_empty = Dense::from_fn(8, 4, |l, j| if j < 2 { U.get(l, j) } else { 0.0 });
        assert_eq!(best_order(&half_empty, &target), [1, 2, 0, 3]);
    }
}
