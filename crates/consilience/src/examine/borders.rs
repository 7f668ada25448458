//! Is there a valley between two clusters: are the samples less dense where the clusters meet than inside both of them?
//!
//! A continuum that is cut has as many samples at the cut as within the pieces; clusters have fewer. Density is taken along the way
//! from one cluster's middle to the border and on to the other's middle: two straight parts, so that a curve is followed around its
//! bend. The way is made of some of the samples and asked of others, since a way through many features finds a gap in any samples
//! that it was made of.

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::matrix::{Csr, Dense};
use crate::null::{permuted, stream};

/// Where two clusters meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Border {
    /// The clusters; the first has the smaller number.
    pub clusters: (usize, usize),
    /// The weight of the ties between them over the weight of those that cross the inside of the thinner one.
    pub leak: f64,
    /// How dense the samples are at the border, relative to the inside of the sparser cluster: 1 without a valley. None where there are
    /// too few samples to say.
    pub density: Option<f64>,
}

/// Samples are split so often in three: those that the way's directions come from, those its origin comes from, and those asked.
const SPLITS: u64 = 4;
const PARTS: usize = 3;
/// The samples of a cluster that lie at a border: this share of it, those with most of their ties across.
const AT_BORDER: f64 = 0.2;
/// Clusters of fewer samples have no density.
const LEAST: usize = 9;
/// The border is so wide on either side, and the inside of a cluster so far from it, in distances of its median sample from the border.
const WIDTH: f64 = 0.3;
const INSIDE: (f64, f64) = (0.6, 1.4);

/// Where samples are, what ties them (n x n) and which cluster they are in.
pub(super) struct Placed<'a> {
    pub(super) points: &'a Dense<f64>,
    pub(super) graph: &'a Csr<f64>,
    pub(super) labels: &'a [usize],
    pub(super) seed: u64,
}

impl Placed<'_> {
    /// The density at the border between clusters `a` and `b` relative to the inside of the sparser one. None when there are too few samples, or the clusters lie within each other.
    pub(super) fn density(&self, a: usize, b: usize) -> Option<f64> {
        let members =
            |cluster: usize| -> Vec<usize> { (0..self.labels.len()).filter(|&i| self.labels[i] == cluster).collect() };
        let sides = [members(a), members(b)];
        if sides.iter().any(|side| side.len() < LEAST) {
            return None;
        }
        let at_border = [self.nearest(&sides[0], b), self.nearest(&sides[1], a)];
        let distances = self.distances(&sides, &at_border);
        let middles = distances.each_ref().map(|along| median(along));
        if middles.iter().any(|middle| *middle <= 0.0) {
            return None;
        }
        let within = |along: &[f64], low: f64, high: f64| {
            along.iter().filter(|distance| (low..high).contains(*distance)).count() as f64
        };
        // samples of one cluster may lie beyond the border, with the other
        let found = |side: usize| within(&distances[side], -WIDTH * middles[1 - side], WIDTH * middles[side]);
        let inside = |side: usize| {
            let (low, high) = (INSIDE.0 * middles[side], INSIDE.1 * middles[side]);
            (within(&distances[side], low, high) + within(&distances[1 - side], -high, -low) + 0.5) / (high - low)
        };
        let counted = found(0) + found(1);
        let expected = inside(0).min(inside(1)) * WIDTH * (middles[0] + middles[1]);
        Some((counted + 0.5) / expected)
    }

    /// Of the samples of a cluster those with most of their ties to `other`, marked.
    fn nearest(&self, members: &[usize], other: usize) -> Vec<bool> {
        let own = members.first().map_or(other, |&i| self.labels[i]);
        let across = |i: usize| {
            let (columns, weights) = self.graph.row(i);
            let (mut there, mut here) = (0.0, 0.0);
            for (&j, weight) in columns.iter().zip(weights) {
                match self.labels[j as usize] {
                    label if label == other => there += weight,
                    label if label == own => here += weight,
                    _ => {}
                }
            }
            if there > 0.0 { there / (there + here) } else { 0.0 }
        };
        let shares: Vec<f64> = members.iter().map(|&i| across(i)).collect();
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|&x, &y| shares[y].total_cmp(&shares[x]).then(x.cmp(&y)));
        let count = ((AT_BORDER * members.len() as f64).round() as usize).max(PARTS);
        let mut marked = vec![false; members.len()];
        order.into_iter().take(count).filter(|&at| shares[at] > 0.0).for_each(|at| marked[at] = true);
        marked
    }

    /// How far the samples of both sides lie from the border along the way to their own cluster's middle, the mean over the splits:
    /// below 0 is beyond the border.
    fn distances(&self, sides: &[Vec<usize>; 2], at_border: &[Vec<bool>; 2]) -> [Vec<f64>; 2] {
        let mut sums = [vec![0.0; sides[0].len()], vec![0.0; sides[1].len()]];
        for split in 0..SPLITS {
            let mut rng = stream(self.seed, split);
            let parts = [0, 1].map(|side: usize| parts(&at_border[side], &mut rng));
            let mean = |side: usize, part: usize, border: bool| {
                let chosen = |at: &usize| parts[side][*at] == part && (!border || at_border[side][*at]);
                let rows: Vec<usize> = (0..sides[side].len()).filter(chosen).map(|at| sides[side][at]).collect();
                if rows.is_empty() { self.mean(&sides[side]) } else { self.mean(&rows) }
            };
            let middle = |part: usize| between(&mean(0, part, true), &mean(1, part, true));
            for part in 0..PARTS {
                let (origin, turn) = (middle((part + 1) % PARTS), middle(part));
                for side in 0..2 {
                    let way: Vec<f64> = mean(side, part, false).iter().zip(&turn).map(|(x, y)| x - y).collect();
                    let length = way.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                    let asked = (part + 2) % PARTS;
                    for (at, &i) in sides[side].iter().enumerate().filter(|(at, _)| parts[side][*at] == asked) {
                        let along = self.points.row(i).iter().zip(&origin).zip(&way).map(|((x, o), w)| (x - o) * w);
                        sums[side][at] += along.sum::<f64>() / length;
                    }
                }
            }
        }
        sums.iter_mut().flatten().for_each(|sum| *sum /= SPLITS as f64);
        sums
    }

    fn mean(&self, rows: &[usize]) -> Vec<f64> {
        let mut mean = vec![0.0; self.points.cols()];
        for &i in rows {
            mean.iter_mut().zip(self.points.row(i)).for_each(|(sum, x)| *sum += x);
        }
        mean.iter_mut().for_each(|sum| *sum /= rows.len().max(1) as f64);
        mean
    }
}

/// A part for every sample of a cluster; those at the border are spread evenly, too.
fn parts(at_border: &[bool], rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order = permuted(at_border.len(), rng);
    order.sort_by_key(|&at| at_border[at]);
    let mut parts = vec![0; at_border.len()];
    order.into_iter().enumerate().for_each(|(place, at)| parts[at] = place % PARTS);
    parts
}

fn between(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| f64::midpoint(*a, *b)).collect()
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples on a line, each tied to the next, in two clusters that meet at 0.
    fn density(mut places: Vec<f64>) -> Option<f64> {
        places.sort_by(f64::total_cmp);
        let n = places.len();
        let edges = (1..n).flat_map(|i| [(i - 1, i as u32, 1.0), (i, i as u32 - 1, 1.0)]);
        let graph = Csr::from_entries(n, n, edges.collect()).unwrap();
        let labels: Vec<usize> = places.iter().map(|x| usize::from(*x > 0.0)).collect();
        let points = Dense::new(n, 1, places).unwrap();
        Placed { points: &points, graph: &graph, labels: &labels, seed: 1 }.density(0, 1)
    }

    #[test]
    fn a_line_has_no_valley_and_two_heaps_have_one() {
        let line = (0..200).map(|i| f64::from(i) / 100.0 - 0.995);
        let flat = density(line.collect()).unwrap();
        assert!((0.8..1.25).contains(&flat), "{flat}");
        // nine in ten around -1 and 1, the rest spread between
        let heap = |middle: f64| (0..90).map(move |i| middle + (f64::from(i) - 44.5) / 150.0);
        let between = (0..20).map(|i| f64::from(i) / 20.0 - 0.475);
        let valley = density(heap(-1.0).chain(heap(1.0)).chain(between).collect()).unwrap();
        assert!(valley < 0.4, "{valley}");
        assert_eq!(density(vec![-2.0, -1.0, 1.0, 2.0]), None);
    }
}
