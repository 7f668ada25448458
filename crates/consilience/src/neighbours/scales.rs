//! How far samples are from each other: in the mean, and around each of them.

use super::Neighbours;
use crate::matrix::{Matrix, Real, for_matrix};

/// The mean squared distance over ordered pairs of different samples: twice the mean squared distance to the centre, times
/// n / (n - 1). Zero when there is no spread.
pub(crate) fn mean_square_distance(data: &Matrix) -> f64 {
    let n = data.rows() as f64;
    let mut centre = vec![0.0; data.cols()];
    let mut square = 0.0;
    let mut add = |j: usize, x: f64| {
        centre[j] += x / n;
        square += x * x / n;
    };
    for_matrix!(
        data,
        dense m => m.iter_rows().for_each(|row| row.iter().enumerate().for_each(|(j, x)| add(j, x.to_f64()))),
        sparse m => m.indices().iter().zip(m.values()).for_each(|(&j, x)| add(j as usize, x.to_f64())),
    );
    let spread = square - centre.iter().map(|x| x * x).sum::<f64>();
    // the difference of two large sums: what is left of equal ones is rounding
    if spread > 1e-12 * square { 2.0 * spread * n / (n - 1.0) } else { 0.0 }
}

/// How far the samples of a view are from each other; a view in which all are the same has none, and says nothing.
#[derive(Debug, Clone)]
pub struct Spread {
    /// The mean squared distance of two samples.
    pub mean: f64,
    /// The local scale of every sample; 1 for those that the view does not know.
    pub scales: Vec<f64>,
    /// The squared distance to the tenth neighbour that hardly any sample exceeds.
    pub usual: f64,
}

/// The neighbour that tells how far a sample is from what is known, and the share of the samples that are nearer to theirs.
pub(crate) const FAR_NEIGHBOUR: usize = 10;
const USUAL: f64 = 0.99;
/// No local scale is below this part of the root of the mean squared distance.
const LEAST_SCALE: f64 = 1e-6;

impl Spread {
    /// The neighbour whose distance is a sample's local scale.
    pub(crate) const LOCAL_NEIGHBOUR: usize = 20;

    /// Of the samples `known`, of `samples` in all, from their neighbours among each other: [`Spread::LOCAL_NEIGHBOUR`] of them at
    /// least, where there are so many.
    pub(crate) fn new(samples: usize, known: &[usize], mean: f64, found: &Neighbours) -> Self {
        let scales = scales_of(samples, known, found.local_scales(Self::LOCAL_NEIGHBOUR, least_scale(mean)));
        let usual = usual_distance(found.local_scales(FAR_NEIGHBOUR, 0.0).map(|scale| scale * scale).collect());
        Self { mean, scales, usual }
    }

    /// The local scale of a sample whose squared distance to the neighbour that sets it is known.
    pub(crate) fn scale(&self, square: f64) -> f64 {
        square.sqrt().max(least_scale(self.mean))
    }
}

/// The least local scale where the mean squared distance is this.
pub(crate) fn least_scale(mean: f64) -> f64 {
    LEAST_SCALE * mean.sqrt()
}

/// The scales of all samples, from those of the samples `known`; 1 for the others.
pub(crate) fn scales_of(samples: usize, known: &[usize], scales: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all = vec![1.0; samples];
    known.iter().zip(scales).for_each(|(&sample, scale)| all[sample] = scale);
    all
}

/// The squared distance that hardly any of these exceeds; there is one at least.
pub(crate) fn usual_distance(mut squares: Vec<f64>) -> f64 {
    let at = (squares.len().saturating_sub(1) as f64 * USUAL) as usize;
    *squares.select_nth_unstable_by(at, f64::total_cmp).1
}

impl Neighbours {
    /// The distance of every query to its `nth` neighbour (from 1), or to the last where there are fewer; no squares any
    /// more, and never below `floor`.
    pub(crate) fn local_scales(&self, nth: usize, floor: f64) -> impl Iterator<Item = f64> {
        (0..self.len()).map(move |i| {
            let distances = self.of(i).1;
            let at = distances.get(nth - 1).or(distances.last()).copied().unwrap_or(0.0);
            at.sqrt().max(floor)
        })
    }
}
