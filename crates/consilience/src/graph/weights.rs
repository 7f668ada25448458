//! Edge weights from neighbour distances.

use crate::matrix::{Csr, median};
use crate::neighbours::Neighbours;
use crate::views::LOCAL_SCALE_NEIGHBOUR;
use crate::{Result, choice};

choice! {
    /// What an edge weighs.
    pub enum Weights {
        /// `exp(-d^2 / ..)`, the paper's Eq. `gaussian`; an edge exists when either end has the other as a neighbour.
        Gaussian = "gaussian",
        /// `(d_(k+1) - d_j) / sum`: the closed form of adaptive neighbours, without a width to tune; the mean of both directions.
        Adaptive = "adaptive",
        /// 1 for a neighbour; the mean of both directions.
        Binary = "binary",
    }
}

choice! {
    /// The width of Gaussian weights.
    pub enum Bandwidth {
        /// `s_i s_j` with `s_i` the distance to the 7th neighbour (Zelnik-Manor and Perona).
        SelfTuning = "self_tuning",
        /// `2 s^2` with `s` the median distance to the neighbours.
        Median = "median",
    }
}

impl Weights {
    /// How many neighbours must be known to weigh `neighbours` edges.
    pub(super) fn neighbours_needed(self, neighbours: usize, bandwidth: Bandwidth) -> usize {
        match (self, bandwidth) {
            (Self::Adaptive, _) => neighbours + 1,
            (Self::Gaussian, Bandwidth::SelfTuning) => neighbours.max(LOCAL_SCALE_NEIGHBOUR),
            _ => neighbours,
        }
    }

    /// The symmetric weights of the `neighbours` nearest edges, n x n.
    pub(crate) fn edges(self, found: &Neighbours, neighbours: usize, bandwidth: Bandwidth) -> Result<Csr<f64>> {
        let edges = neighbours.min(found.count());
        match self {
            Self::Gaussian => gaussian(found, edges, bandwidth),
            Self::Adaptive => both_ways(&adaptive(found, edges)?, mean),
            Self::Binary => both_ways(&directed(found, edges, |_| vec![1.0; edges])?, mean),
        }
    }
}

fn gaussian(found: &Neighbours, edges: usize, bandwidth: Bandwidth) -> Result<Csr<f64>> {
    let n = found.len();
    let widths = match bandwidth {
        Bandwidth::SelfTuning => local_scales(found),
        Bandwidth::Median => vec![(2.0 * median_square(found, edges)).sqrt(); n],
    };
    let weight = |i: usize, j: u32, square: f64| {
        let width = widths[i] * widths[j as usize];
        // duplicates of each other, at distance zero, belong together whatever the width
        if square > 0.0 { (-square / width.max(f64::MIN_POSITIVE)).exp() } else { 1.0 }
    };
    let row = |i: usize| {
        let (samples, squares) = found.of(i);
        samples.iter().zip(squares).take(edges).map(|(&j, &square)| weight(i, j, square)).collect()
    };
    // both directions weigh the same, so the larger is the one that exists
    both_ways(&directed(found, edges, row)?, f64::max)
}

/// A directed graph and its reverse in one; `join` makes one weight of the two directions, 0 where there is none.
fn both_ways(directed: &Csr<f64>, join: fn(f64, f64) -> f64) -> Result<Csr<f64>> {
    directed.merged(&directed.transposed(), join)
}

/// Adaptive weights from every sample to its nearest `edges` neighbours; each row sums to 1.
pub(crate) fn adaptive(found: &Neighbours, edges: usize) -> Result<Csr<f64>> {
    let edges = edges.min(found.count());
    directed(found, edges, |i| adaptive_row(found.of(i).1, edges))
}

fn mean(there: f64, back: f64) -> f64 {
    0.5 * (there + back)
}

/// The distance to the 7th neighbour (or the last there is); never quite zero next to the other samples' scales.
fn local_scales(found: &Neighbours) -> Vec<f64> {
    let place = LOCAL_SCALE_NEIGHBOUR.min(found.count()).saturating_sub(1);
    let scales: Vec<f64> = (0..found.len()).map(|i| found.of(i).1.get(place).map_or(0.0, |d| d.sqrt())).collect();
    let floor = 1e-6 * median(scales.clone());
    scales.into_iter().map(|s| s.max(floor)).collect()
}

fn median_square(found: &Neighbours, edges: usize) -> f64 {
    let distances = (0..found.len()).flat_map(|i| found.of(i).1[..edges].iter().map(|d| d.sqrt())).collect();
    median(distances).powi(2)
}

/// `(d_(k+1) - d_j) / (k d_(k+1) - sum d)`: the rows sum to 1. Equal distances weigh the same.
/// The weights of a sample's neighbours by their distances, of which the last is where weights end; alone it counts in full.
pub(crate) fn adaptive_weights(squares: &[f64]) -> Vec<f64> {
    adaptive_row(squares, squares.len().saturating_sub(1).max(squares.len().min(1)))
}

fn adaptive_row(squares: &[f64], edges: usize) -> Vec<f64> {
    let beyond = squares.get(edges).or(squares.last()).copied().unwrap_or(0.0);
    let sum: f64 = squares[..edges].iter().map(|d| beyond - d).sum();
    // ties and duplicates leave nothing to tell neighbours apart by
    if sum > 1e-9 * edges as f64 * beyond {
        squares[..edges].iter().map(|d| (beyond - d) / sum).collect()
    } else {
        vec![1.0 / edges as f64; edges]
    }
}

/// A graph with an edge from every sample to each of its nearest `edges` neighbours.
fn directed(found: &Neighbours, edges: usize, weights: impl Fn(usize) -> Vec<f64>) -> Result<Csr<f64>> {
    let n = found.len();
    let (mut columns, mut values) = (Vec::with_capacity(n * edges), Vec::with_capacity(n * edges));
    for i in 0..n {
        let mut row: Vec<(u32, f64)> = found.of(i).0.iter().copied().zip(weights(i)).collect();
        row.sort_unstable_by_key(|&(j, _)| j);
        columns.extend(row.iter().map(|&(j, _)| j));
        values.extend(row.iter().map(|&(_, weight)| weight));
    }
    Csr::new(n, n, (0..=n).map(|i| i * edges).collect(), columns, values)
}

/// The `count` samples that sample `i` is most alike in a graph (n x n), with their weights; of equals the first.
pub(crate) fn most_alike(weights: &Csr<f64>, i: usize, count: usize) -> Vec<(u32, f64)> {
    let (columns, values) = weights.row(i);
    let mut row: Vec<(u32, f64)> = columns.iter().copied().zip(values.iter().copied()).collect();
    row.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.truncate(count);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four samples on a line at 0, 1, 3, 7; two neighbours each, with squared distances.
    fn line() -> Neighbours {
        Neighbours::new(4, 2, 4, vec![1, 2, 0, 2, 1, 0, 2, 1], vec![1.0, 9.0, 1.0, 4.0, 4.0, 9.0, 16.0, 36.0]).unwrap()
    }

    #[test]
    fn gaussian_edges_join_by_either_end() {
        let graph = Weights::Gaussian.edges(&line(), 1, Bandwidth::SelfTuning).unwrap();
        // scales: the last known neighbour, 3, 2, 3, 6
        assert_eq!(graph.row(0), (&[1][..], &[(-1.0_f64 / 6.0).exp()][..]));
        assert_eq!(graph.row(2), (&[1, 3][..], &[(-4.0_f64 / 6.0).exp(), (-16.0_f64 / 18.0).exp()][..]));
    }

    #[test]
    fn adaptive_rows_sum_to_one() {
        assert_eq!(adaptive_row(&[1.0, 4.0, 9.0], 2), [8.0 / 13.0, 5.0 / 13.0]);
        assert_eq!(adaptive_row(&[4.0, 4.0, 4.0], 2), [0.5, 0.5]);
        assert_eq!(adaptive_row(&[0.0, 0.0, 0.0], 2), [0.5, 0.5]);
    }

    #[test]
    fn binary_edges_are_the_mean_of_both_directions() {
        let graph = Weights::Binary.edges(&line(), 1, Bandwidth::Median).unwrap();
        assert_eq!(graph.row(1), (&[0, 2][..], &[1.0, 0.5][..]));
    }

    #[test]
    fn every_kind_is_symmetric_and_survives_duplicates() {
        let same = Neighbours::new(4, 2, 4, vec![1, 2, 0, 2, 0, 1, 0, 1], vec![0.0; 8]).unwrap();
        for weights in [Weights::Gaussian, Weights::Adaptive, Weights::Binary] {
            for bandwidth in [Bandwidth::SelfTuning, Bandwidth::Median] {
                let graph = weights.edges(&same, 2, bandwidth).unwrap();
                assert_eq!(graph.transposed().values(), graph.values());
                assert!(graph.values().iter().all(|w| w.is_finite() && *w > 0.0));
            }
        }
    }
}
