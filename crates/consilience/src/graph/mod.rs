//! Neighbour graphs: who is near whom, with which weight, as symmetric sparse matrices and operators on them.

mod components;
mod laplacian;
pub mod neighbours;
mod weights;

use std::sync::Arc;

pub use laplacian::Laplacian;
pub(crate) use weights::adaptive;
pub use weights::{Bandwidth, Weights};

use crate::matrix::Csr;
use crate::parameters::{Bounds, parameters};
use crate::{Result, Run};
use neighbours::{Distance, Exact, Metric, NeighbourSearch};

parameters! {
    /// How a graph is made from a distance; shared by the methods that start from graphs.
    pub struct GraphSettings {
        /// Neighbours of each sample in the graph; at most one fewer than there are samples.
        neighbours: usize = 20, Bounds::between(1.0, 10_000.0), "s";
        /// Edge weights.
        weights: Weights = Weights::Gaussian, Bounds::ANY, "W";
        /// Width of the Gaussian weights.
        bandwidth: Bandwidth = Bandwidth::SelfTuning, Bounds::ANY, "sigma";
        /// How samples are compared.
        metric: Metric = Metric::Euclidean, Bounds::ANY, "";
    }
}

impl GraphSettings {
    /// The graph of `distance`; `name` is what warnings call it.
    ///
    /// # Errors
    /// When the neighbour search fails or is cancelled.
    pub fn build(&self, distance: &Distance<'_>, name: &str, run: &Run) -> Result<Graph> {
        let needed = self.neighbours.max(self.weights.neighbours_needed(self.neighbours, self.bandwidth));
        let found = Exact.search(distance, needed, run)?;
        let graph = Graph::new(self.weights.edges(&found, self.neighbours, self.bandwidth)?);
        let parts = graph.components();
        if parts > 1 {
            run.warn(format!("the graph of {name} falls into {parts} parts that share no edge"));
        }
        Ok(graph)
    }
}

/// A symmetric graph with non-negative weights and no loops.
#[derive(Debug, Clone)]
pub struct Graph {
    weights: Csr<f64>,
    degrees: Vec<f64>,
}

impl Graph {
    pub(crate) fn new(weights: Csr<f64>) -> Self {
        let degrees = (0..weights.rows()).map(|i| weights.row(i).1.iter().sum()).collect();
        Self { weights, degrees }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.degrees.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.degrees.is_empty()
    }

    /// Edge weights, n x n.
    pub fn weights(&self) -> &Csr<f64> {
        &self.weights
    }

    /// Sum of the weights at each vertex.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// Number of parts that share no edge.
    pub fn components(&self) -> usize {
        components::count(&self.weights)
    }

    /// `D^-1/2 W D^-1/2`, n x n: eigenvalues from -1 to 1, one 1 for each part. A vertex without edges has a zero row.
    pub fn normalised(&self) -> Arc<Csr<f64>> {
        let root: Vec<f64> = self.degrees.iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        let mut scaled = self.weights.clone();
        for i in 0..self.len() {
            let (columns, _) = self.weights.row(i);
            let row = scaled.row_values_mut(i).iter_mut().zip(columns);
            row.for_each(|(x, &j)| *x *= root[i] * root[j as usize]);
        }
        Arc::new(scaled)
    }

    /// `D - W` as an operator.
    pub fn laplacian(&self) -> Laplacian<'_> {
        Laplacian::new(self)
    }
}
