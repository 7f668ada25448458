//! Edge weights from neighbour distances.

use super::neighbours::Neighbours;
use crate::Result;
use crate::matrix::Csr;
use crate::parameters::choice;

choice! {
    /// What an edge weighs.
    pub enum Weights {
        /// `exp(-d^2 / ..)`, the paper's Eq. `gaussian`; an edge exists when either end has the other as a neighbour.
        #[default]
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
        #[default]
        SelfTuning = "self_tuning",
        /// `2 s^2` with `s` the median distance to the neighbours.
        Median = "median",
    }
}

/// The neighbour whose distance is a sample's own scale.
const LOCAL_SCALE_NEIGHBOUR: usize = 7;

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
    pub(super) fn edges(self, found: &Neighbours, neighbours: usize, bandwidth: Bandwidth) -> Result<Csr<f64>> {
        let edges = neighbours.min(found.count());
        match self {
            Self::Gaussian => gaussian(found, edges, bandwidth),
            Self::Adaptive => mean_of_directions(found, edges, |i| adaptive_row(found.of(i).1, edges)),
            Self::Binary => mean_of_directions(found, edges, |_| vec![1.0; edges]),
        }
    }
}

fn gaussian(found: &Neighbours, edges: usize, bandwidth: Bandwidth) -> Result<Csr<f64>> {
    let n = found.len();
    let widths = match bandwidth {
        Bandwidth::SelfTuning => local_scales(found),
        Bandwidth::Median => vec![(2.0 * median_square(found, edges)).sqrt(); n],
    };
    let weight = |i: usize, (&j, &square): (&u32, &f64)| {
        let width = widths[i] * widths[j as usize];
        // duplicates of each other, at distance zero, belong together whatever the width
        let weight = if square > 0.0 { (-square / width.max(f64::MIN_POSITIVE)).exp() } else { 1.0 };
        // the same number from both ends, so either direction may stand for both
        [(i, j, weight), (j as usize, i as u32, weight)]
    };
    let entries =
        (0..n).flat_map(|i| found.of(i).0.iter().zip(found.of(i).1).take(edges).flat_map(move |e| weight(i, e)));
    symmetric(n, entries.collect(), |a, _| a)
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

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// `(d_(k+1) - d_j) / (k d_(k+1) - sum d)`: the rows sum to 1. Equal distances weigh the same.
fn adaptive_row(squares: &[f64], edges: usize) -> Vec<f64> {
    let beyond = squares.get(edges).or(squares.last()).copied().unwrap_or(0.0);
    let sum: f64 = squares[..edges].iter().map(|d| beyond - d).sum();
    if sum > 1e-12 * beyond {
        squares[..edges].iter().map(|d| (beyond - d) / sum).collect()
    } else {
        vec![1.0 / edges as f64; edges]
    }
}

fn mean_of_directions(found: &Neighbours, edges: usize, row: impl Fn(usize) -> Vec<f64>) -> Result<Csr<f64>> {
    let n = found.len();
    let mut entries = Vec::with_capacity(2 * n * edges);
    for i in 0..n {
        for (&j, weight) in found.of(i).0.iter().zip(row(i)) {
            entries.extend([(i, j, 0.5 * weight), (j as usize, i as u32, 0.5 * weight)]);
        }
    }
    symmetric(n, entries, |a, b| a + b)
}

/// A matrix from entries that come at most twice at a place; `join` makes one of two.
fn symmetric(n: usize, mut entries: Vec<(usize, u32, f64)>, join: impl Fn(f64, f64) -> f64) -> Result<Csr<f64>> {
    entries.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    entries.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 = join(kept.2, next.2);
        }
        same
    });
    Csr::from_entries(n, n, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four samples on a line at 0, 1, 3, 7; two neighbours each, with squared distances.
    fn line() -> Neighbours {
        Neighbours::new(2, vec![1, 2, 0, 2, 1, 0, 2, 1], vec![1.0, 9.0, 1.0, 4.0, 4.0, 9.0, 16.0, 36.0])
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
        let same = Neighbours::new(2, vec![1, 2, 0, 2, 0, 1, 0, 1], vec![0.0; 8]);
        for weights in [Weights::Gaussian, Weights::Adaptive, Weights::Binary] {
            for bandwidth in [Bandwidth::SelfTuning, Bandwidth::Median] {
                let graph = weights.edges(&same, 2, bandwidth).unwrap();
                assert_eq!(graph.transposed().values(), graph.values());
                assert!(graph.values().iter().all(|w| w.is_finite() && *w > 0.0));
            }
        }
    }
}
