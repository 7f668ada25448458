//! Do the views know of each other? Their graphs share edges, or only as many as chance would have it.

use serde::{Deserialize, Serialize};

use super::Permutations;
use crate::matrix::Csr;

/// Views agree when their graphs share this many standard deviations more weight than permuted views'.
const LEAST_DEVIATIONS: f64 = 4.0;

/// How much weight the views' graphs have on the same edges, against views whose samples are permuted independently.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// Times as much as permuted views have.
    pub ratio: f64,
    /// Standard deviations above permuted views.
    pub deviations: f64,
}

impl Overlap {
    /// Whether the views share more than permuted ones would.
    pub fn beyond_chance(&self) -> bool {
        self.deviations >= LEAST_DEVIATIONS
    }
}

/// Of the views' graphs (n x n each); none for fewer than two.
pub(crate) fn overlap(views: &[&Csr<f64>], seed: u64) -> Option<Overlap> {
    let samples = views.first().filter(|_| views.len() > 1)?.rows();
    let statistic = |orders: &[Vec<usize>]| shared_weight(views, orders);
    let test = Permutations { samples, views: views.len(), seed, statistic };
    let (observed, (mean, deviation)) = (test.observed(), test.mean_and_deviation());
    let (ratio, deviations) = if mean > 0.0 && deviation > 0.0 {
        (observed / mean, (observed - mean) / deviation)
    } else {
        // nothing varies: graphs without edges, or with all of them
        (1.0, 0.0)
    };
    Some(Overlap { ratio, deviations })
}

/// The sum over pairs of views of the products of their weights, edge by edge; sample `i` of a view counts as
/// `orders[view][i]`. The views' sum, squared, less their squares: linear in the edges for any number of views.
fn shared_weight(views: &[&Csr<f64>], orders: &[Vec<usize>]) -> f64 {
    let n = views[0].rows();
    let mut back = vec![vec![0; n]; views.len()];
    for (back, order) in back.iter_mut().zip(orders) {
        order.iter().enumerate().for_each(|(sample, &place)| back[place] = sample);
    }
    let (mut row, mut touched) = (vec![0.0_f64; n], Vec::new());
    let mut total = 0.0;
    for place in 0..n {
        for ((graph, order), back) in views.iter().zip(orders).zip(&back) {
            let (columns, weights) = graph.row(back[place]);
            for (&column, &weight) in columns.iter().zip(weights) {
                let at = order[column as usize];
                if at == place || weight == 0.0 {
                    continue;
                }
                if row[at] == 0.0 {
                    touched.push(at);
                }
                row[at] += weight;
                total -= weight * weight;
            }
        }
        for at in touched.drain(..) {
            total += row[at] * row[at];
            row[at] = 0.0;
        }
    }
    total / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize, step: usize) -> Csr<f64> {
        let edges = (0..n).flat_map(|i| [(i, ((i + step) % n) as u32, 1.0), ((i + step) % n, i as u32, 1.0)]);
        Csr::from_entries(n, n, edges.collect()).unwrap()
    }

    #[test]
    fn shared_weight_by_hand() {
        let a = Csr::from_entries(3, 3, vec![(0, 1, 2.0), (1, 0, 2.0), (1, 1, 9.0)]).unwrap();
        let b = Csr::from_entries(3, 3, vec![(0, 1, 3.0), (1, 0, 3.0), (1, 2, 1.0), (2, 1, 1.0)]).unwrap();
        let order = vec![0, 1, 2];
        assert_eq!(shared_weight(&[&a, &b], &[order.clone(), order.clone()]), 12.0);
        // b's samples 0 and 2 change places: its edge of weight 1 meets a's
        assert_eq!(shared_weight(&[&a, &b], &[order, vec![2, 1, 0]]), 4.0);
    }

    #[test]
    fn equal_graphs_overlap_and_unrelated_ones_do_not() {
        let graph = ring(200, 1);
        let same = overlap(&[&graph, &graph], 1).unwrap();
        assert!(same.deviations > 20.0 && same.ratio > 10.0, "{same:?}");
        // steps of 1 and of 70 have no edge in common
        let other = overlap(&[&graph, &ring(200, 70)], 1).unwrap();
        assert!(other.deviations < 1.0, "{other:?}");
        assert!(overlap(&[&graph], 1).is_none());
        let empty = Csr::from_entries(200, 200, vec![]).unwrap();
        assert_eq!(overlap(&[&graph, &empty], 1), Some(Overlap { ratio: 1.0, deviations: 0.0 }));
    }
}
