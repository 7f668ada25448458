//! The points, centred, with what every distance needs of them.

use std::ops::Range;

use crate::matrix::{Dense, Real};
use crate::{Error, Result};

/// Rows per product: with a handful of centres the distances of a chunk stay in the cache.
const CHUNK: usize = 256;

/// Points moved to mean zero: distances by products lose the digits that a common offset takes up.
pub(super) struct Points {
    data: Vec<f64>,
    cols: usize,
    /// How much every point counts.
    weights: Vec<f64>,
    mean: Vec<f64>,
    half_squares: Vec<f64>,
    total_square: f64,
    noise: f64,
}

impl Points {
    pub(super) fn new(points: &Dense<f64>, weights: Vec<f64>) -> Result<Self> {
        let mut mean = vec![0.0; points.cols()];
        for row in points.iter_rows() {
            add(&mut mean, row);
        }
        mean.iter_mut().for_each(|sum| *sum /= points.rows() as f64);
        let data: Vec<f64> =
            points.iter_rows().flat_map(|row| row.iter().zip(&mean).map(|(x, mean)| x - mean)).collect();
        let half_squares: Vec<f64> = data.chunks_exact(points.cols()).map(half_square).collect();
        let total_square = 2.0 * half_squares.iter().sum::<f64>();
        if !total_square.is_finite() {
            return Err(Error::data("points must be finite, and so must the sum of their squares"));
        }
        let largest = half_squares.iter().copied().fold(0.0, f64::max);
        Ok(Self {
            data,
            cols: points.cols(),
            weights,
            mean,
            half_squares,
            total_square,
            noise: 32.0 * f64::EPSILON * largest,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.half_squares.len()
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    /// How much every point counts; 1 for all, when they count alike.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    pub(super) fn iter_rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.data.chunks_exact(self.cols)
    }

    /// Half the squared length of every point.
    pub(super) fn half_squares(&self) -> &[f64] {
        &self.half_squares
    }

    /// Sum of the squares of all coordinates.
    pub(super) fn total_square(&self) -> f64 {
        self.total_square
    }

    /// Squared distances up to this are rounding error: the points may as well be equal.
    pub(super) fn noise(&self) -> f64 {
        self.noise
    }

    /// `centres` with the mean added that was taken off the points.
    pub(super) fn moved_back(&self, centres: &[f64]) -> Vec<f64> {
        let mut moved = centres.to_vec();
        moved.chunks_exact_mut(self.cols).for_each(|centre| add(centre, &self.mean));
        moved
    }

    /// Room for the products of one chunk with `count` centres.
    pub(super) fn product_room(&self, count: usize) -> Vec<f64> {
        vec![0.0; CHUNK.min(self.rows()) * count]
    }

    /// The inner products of all points with `centres`, chunk by chunk: `visit` gets the chunk's points and the
    /// products, a row per centre, so that loops over them run along the points and are vectorised.
    pub(super) fn for_products(&self, centres: &[f64], room: &mut [f64], mut visit: impl FnMut(Range<usize>, &[f64])) {
        let count = centres.len() / self.cols;
        for (chunk, points) in self.data.chunks(CHUNK * self.cols).enumerate() {
            let rows = points.len() / self.cols;
            let products = &mut room[..rows * count];
            f64::product_transposed(products, centres, points, self.cols);
            visit(chunk * CHUNK..chunk * CHUNK + rows, products);
        }
    }
}

pub(super) fn add(sum: &mut [f64], row: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

/// `sum += weight row`.
pub(super) fn add_weighted(sum: &mut [f64], weight: f64, row: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += weight * x;
    }
}

pub(super) fn half_square(row: &[f64]) -> f64 {
    0.5 * row.iter().map(|x| x * x).sum::<f64>()
}

pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
