//! Nearest neighbours behind one small trait. [`Exact`] is the search of the library; any other (on a GPU) implements
//! [`NeighbourSearch`], is handed to a run by [`Settings::neighbours`](crate::Settings::neighbours) and to methods in their
//! [`Problem`](crate::method::Problem).
//!
//! ```
//! use consilience::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
//! use consilience::{Run, View, matrix::Dense};
//!
//! let line = View::new("line", Dense::new(4, 1, vec![0.0, 1.0, 3.0, 7.0])?);
//! let distance = Distance::within(&line, DistanceMetric::Euclidean);
//! let found = Exact.search(&distance, 2, &Run::default())?;
//! assert_eq!(found.of(0), (&[1, 2][..], &[1.0, 9.0][..]), "squared distances, nearest first");
//!
//! let new = View::new("line", Dense::new(1, 1, vec![6.0])?);
//! let found = Exact.query(&Distance::within(&new, DistanceMetric::Euclidean), &distance, 1, &Run::default())?;
//! assert_eq!(found.of(0), (&[3][..], &[1.0][..]), "7 is nearest to 6");
//! # Ok::<(), consilience::Error>(())
//! ```

mod distance;
mod exact;
mod kernels;
mod prepared;
mod scales;
mod shortlist;
mod squares;
mod sums;
mod sweep;

pub use distance::{Distance, DistanceMetric, Shared, Term, UnknownSamples, Weighting};
pub use exact::Exact;
pub use scales::Spread;
pub(crate) use scales::{FAR_NEIGHBOUR, least_scale, mean_square_distance, scales_of, usual_distance};
pub(crate) use squares::{Ready, Squares};

use rayon::prelude::*;

use crate::{Error, Result, Run};

/// The nearest neighbours of every query, nearest first; equal distances in the order of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    rows: usize,
    count: usize,
    samples: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighbours {
    /// From `rows` rows of `count` neighbour numbers and distances each, among `reference` samples.
    ///
    /// # Errors
    /// When there are not `rows * count` of both, a neighbour lies outside the reference, a distance is not a number or a
    /// row's distances fall.
    pub fn new(rows: usize, count: usize, reference: usize, samples: Vec<u32>, distances: Vec<f64>) -> Result<Self> {
        let size = rows.checked_mul(count);
        if size != Some(samples.len()) || size != Some(distances.len()) {
            let what = format!("{rows} rows of {count} neighbours are not {} and {}", samples.len(), distances.len());
            return Err(Error::data(what));
        }
        if let Some(outside) = samples.iter().find(|&&sample| sample as usize >= reference) {
            return Err(Error::data(format!("neighbour {outside} is not one of {reference} samples")));
        }
        let rises = |row: &[f64]| row.windows(2).all(|pair| pair[0] <= pair[1]) && !row.iter().any(|d| d.is_nan());
        if count > 0 && !distances.chunks_exact(count).all(rises) {
            return Err(Error::data("neighbours must be sorted by distance, nearest first"));
        }
        Ok(Self { rows, count, samples, distances })
    }

    /// Neighbours per query.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The neighbours of query `i` and their distances (squared, for the Euclidean metric).
    pub fn of(&self, i: usize) -> (&[u32], &[f64]) {
        let range = i * self.count..(i + 1) * self.count;
        (&self.samples[range.clone()], &self.distances[range])
    }

    /// Rows to be filled by a search.
    fn unfilled(rows: usize, count: usize) -> Self {
        Self { rows, count, samples: vec![0; rows * count], distances: vec![0.0; rows * count] }
    }

    /// Every row, to be written in parallel.
    fn rows_mut(&mut self) -> impl IndexedParallelIterator<Item = (&mut [u32], &mut [f64])> {
        let width = self.count.max(1);
        self.samples.par_chunks_mut(width).zip(self.distances.par_chunks_mut(width))
    }

    /// Gives query `i` other neighbours, as many as it had.
    fn replace(&mut self, i: usize, row: &[(f64, u32)]) {
        let range = i * self.count..(i + 1) * self.count;
        self.samples[range.clone()].iter_mut().zip(row).for_each(|(sample, &(_, j))| *sample = j);
        self.distances[range].iter_mut().zip(row).for_each(|(distance, &(d, _))| *distance = d);
    }

    /// The same neighbours with every distance changed by a rising function.
    pub(crate) fn map_distances(mut self, change: impl Fn(f64) -> f64) -> Self {
        self.distances.iter_mut().for_each(|d| *d = change(*d));
        self
    }
}

/// Finds nearest neighbours, with the same answer for any number of threads.
pub trait NeighbourSearch: Send + Sync {
    /// The `count` nearest neighbours of every sample under `distance`, itself excluded; fewer when there are fewer other
    /// samples.
    ///
    /// # Errors
    /// When the run is cancelled or the distances are too large for floating point.
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours>;

    /// As many such lists as are wanted, by distances between the same samples. Where these are made of the same views, a search
    /// may compare a pair of samples once for all of them.
    ///
    /// # Errors
    /// As [`NeighbourSearch::search`].
    fn search_all(&self, wanted: &[(&Distance<'_>, usize)], run: &Run) -> Result<Vec<Neighbours>> {
        wanted.iter().map(|(distance, count)| self.search(distance, *count, run)).collect()
    }

    /// The `count` nearest samples of `reference` for every sample of `queries`; fewer when the reference has fewer. Both
    /// are sums of the same terms over the same features.
    ///
    /// # Errors
    /// When the two do not fit, the run is cancelled or the distances are too large for floating point.
    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours>;
}
