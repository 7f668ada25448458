//! Affinities from distances that somebody else has measured, with the weights that graphs have by default.

use crate::Result;
use crate::matrix::{Csr, median};

/// The neighbour whose distance is a sample's local scale (Zelnik-Manor and Perona), in graphs of features too.
pub(crate) const LOCAL_SCALE_NEIGHBOUR: usize = 7;
/// Neighbours of each sample, as in graphs of features.
const NEIGHBOURS: usize = 20;
/// No local scale is below this share of the usual one.
const LEAST_SCALE: f64 = 1e-6;

/// Gaussian weights `exp(-d_ij^2 / (s_i s_j))` of every sample's nearest neighbours, `s_i` the distance to the 7th of them, n x n.
/// `lists` are the others that each sample knows, with their distances, none negative. Where two samples know each other, both
/// directions are there; where one knows the other, the weight counts for both.
pub(crate) fn weights_of_distances(lists: &[Vec<(u32, f64)>]) -> Result<Csr<f64>> {
    let nearest: Vec<Vec<(u32, f64)>> = lists.iter().map(|list| nearest(list)).collect();
    let scale = |list: &Vec<(u32, f64)>| list.get(LOCAL_SCALE_NEIGHBOUR - 1).or(list.last()).map_or(0.0, |(_, d)| *d);
    let scales: Vec<f64> = nearest.iter().map(scale).collect();
    let floor = (LEAST_SCALE * median(scales.clone())).max(f64::MIN_POSITIVE);
    let weight = |i: usize, j: u32, d: f64| {
        // one after the other: the square of a large distance need not be a number
        let (a, b) = (d / scales[i].max(floor), d / scales[j as usize].max(floor));
        if d > 0.0 { (-a * b).exp() } else { 1.0 }
    };
    let rows = nearest.iter().enumerate();
    let entries = rows.flat_map(|(i, list)| list.iter().map(move |&(j, d)| (i, j, d)));
    let directed =
        Csr::from_entries(lists.len(), lists.len(), entries.map(|(i, j, d)| (i, j, weight(i, j, d))).collect())?;
    directed.merged(&directed.transposed(), |there, back| if there > 0.0 { there } else { back })
}

/// The nearest of a sample's others, nearest first; of equally near ones the first.
fn nearest(list: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut sorted = list.to_vec();
    sorted.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    sorted.truncate(NEIGHBOURS);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphSettings;
    use crate::matrix::Dense;
    use crate::neighbours::{Distance, DistanceMetric, Exact};
    use crate::{Run, View};

    #[test]
    fn distances_of_features_give_the_graph_of_the_features() {
        let points = Dense::from_fn(60, 3, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64);
        let view = View::new("x", points);
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        let others = |i: usize| (0..60).filter(move |&j| j != i);
        let lists: Vec<Vec<(u32, f64)>> =
            (0..60).map(|i| others(i).map(|j| (j as u32, distance.between(i, j).sqrt())).collect()).collect();
        let given = weights_of_distances(&lists).unwrap().to_dense();
        let made = GraphSettings::default().build(&distance, &Exact, &Run::default()).unwrap().weights().to_dense();
        let worst = given.data().iter().zip(made.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
    }

    #[test]
    fn lists_of_any_length_and_equal_samples() {
        let weights = weights_of_distances(&[vec![(1, 0.0)], vec![(0, 0.0), (2, 2.0)], vec![]]).unwrap();
        assert_eq!(weights.row(0), (&[1][..], &[1.0][..]));
        // 2 is known to 1 only, at its own scale; 2 has none
        assert_eq!(weights.row(2).0, [1]);
    }
}
