//! Nearest neighbours behind one small trait: exact search today; approximate or GPU search is one file each.

mod distance;
mod exact;
mod kernels;
mod prepared;
mod shortlist;

pub use distance::{Distance, Metric, Missing, Term, Weighting};
pub use exact::Exact;

use crate::{Result, Run};

/// The nearest neighbours of every sample, itself excluded, nearest first; equal distances in the order of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    rows: usize,
    count: usize,
    samples: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighbours {
    /// From `rows` rows of `count` neighbour numbers and distances each.
    pub(crate) fn new(rows: usize, count: usize, samples: Vec<u32>, distances: Vec<f64>) -> Self {
        debug_assert!(samples.len() == rows * count && distances.len() == rows * count);
        Self { rows, count, samples, distances }
    }

    /// Neighbours per sample.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The neighbours of sample `i` and their distances (squared, for the Euclidean metric).
    pub fn of(&self, i: usize) -> (&[u32], &[f64]) {
        let range = i * self.count..(i + 1) * self.count;
        (&self.samples[range.clone()], &self.distances[range])
    }

    /// Gives sample `i` other neighbours, as many as it had.
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

/// Finds nearest neighbours.
pub trait NeighbourSearch: Sync {
    /// The `count` nearest neighbours of every sample under `distance`; fewer when there are fewer other samples.
    ///
    /// # Errors
    /// When the run is cancelled or the distances are too large for floating point.
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours>;
}
