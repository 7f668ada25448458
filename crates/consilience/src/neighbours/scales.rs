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
