//! From eigenvectors to points that k-means can separate, and from points to labels.
//!
//! ```
//! use consilience::matrix::Dense;
//! use consilience::spectral::{KMeans, embed};
//!
//! // two directions, four samples near each
//! let eigenvectors = Dense::from_fn(8, 2, |i, j| if i % 2 == j { 1.0 + i as f64 } else { 0.1 });
//! let fit = KMeans::new(2).fit(&embed(eigenvectors))?;
//! assert_eq!(fit.labels, [0, 1, 0, 1, 0, 1, 0, 1]);
//! # Ok::<(), consilience::Error>(())
//! ```

mod kmeans;

pub use kmeans::{KMeans, KMeansFit};

use crate::matrix::Dense;

/// Rows scaled to unit length (Ng, Jordan, Weiss): samples of one cluster then point the same way. A zero row, which
/// belongs to a sample without edges, stays zero.
pub fn embed(eigenvectors: Dense<f64>) -> Dense<f64> {
    let mut embedding = eigenvectors;
    let width = embedding.cols().max(1);
    for row in embedding.data_mut().chunks_exact_mut(width) {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    embedding
}

/// The first of the centres that are nearest to a point.
pub(crate) fn nearest_centre(centres: &Dense<f64>, point: &[f64]) -> usize {
    let square = |centre: &[f64]| centre.iter().zip(point).map(|(c, x)| (c - x) * (c - x)).sum::<f64>();
    let squares = centres.iter_rows().map(square).enumerate();
    squares.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(cluster, _)| cluster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_unit_and_zero_rows_stay() {
        let points = embed(Dense::new(3, 2, vec![3.0, 4.0, 0.0, 0.0, -2.0, 0.0]).unwrap());
        assert_eq!(points.data(), [0.6, 0.8, 0.0, 0.0, -1.0, 0.0]);
    }
}
