//! Neighbour graphs: who is near whom, with which weight, as symmetric sparse matrices and operators on them.
//!
//! ```
//! use consilience::graph::GraphSettings;
//! use consilience::neighbours::{Distance, DistanceMetric, Exact};
//! use consilience::{Run, View, matrix::Dense};
//!
//! // two groups on a line, far apart
//! let line = View::new("line", Dense::new(6, 1, vec![0.0, 1.0, 2.0, 90.0, 91.0, 92.0])?);
//! let settings = GraphSettings { neighbours: 2, ..GraphSettings::default() };
//! let graph = settings.build(&Distance::within(&line, DistanceMetric::Euclidean), &Exact, &Run::default())?;
//! assert_eq!((graph.len(), graph.components()), (6, 2));
//! # Ok::<(), consilience::Error>(())
//! ```

mod weights;

pub use weights::{Bandwidth, Weights};
pub(crate) use weights::{adaptive, adaptive_weights, most_alike};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::matrix::{Csr, Dense};
use crate::neighbours::{Distance, DistanceMetric, NeighbourSearch};
use crate::operator::LinOp;
use crate::parameters::{Bounds, parameters};
use crate::{Error, Result, Run};

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
        metric: DistanceMetric = DistanceMetric::Euclidean, Bounds::ANY, "";
    }
}

impl GraphSettings {
    /// The graph of `distance`, whose neighbours `search` finds.
    ///
    /// # Errors
    /// When the neighbour search fails or is cancelled.
    pub fn build(&self, distance: &Distance<'_>, search: &dyn NeighbourSearch, run: &Run) -> Result<Graph> {
        let needed = self.neighbours.max(self.weights.neighbours_needed(self.neighbours, self.bandwidth));
        let found = search.search(distance, needed, run)?;
        Ok(Graph::new(self.weights.edges(&found, self.neighbours, self.bandwidth)?))
    }
}

/// A symmetric graph with non-negative weights and no loops.
#[derive(Debug, Clone)]
pub struct Graph {
    weights: Csr<f64>,
    degrees: Vec<f64>,
}

impl Graph {
    /// A graph from its edge weights, n x n.
    ///
    /// # Errors
    /// When the matrix is not square or not symmetric, or a weight is negative or not finite.
    pub fn from_weights(weights: Csr<f64>) -> Result<Self> {
        if weights.rows() != weights.cols() {
            return Err(Error::data(format!("a graph cannot be {} x {}", weights.rows(), weights.cols())));
        }
        if weights.values().iter().any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(Error::data("edge weights must be finite and not negative"));
        }
        let mirrored = weights.transposed();
        if mirrored.indptr() != weights.indptr()
            || mirrored.indices() != weights.indices()
            || mirrored.values() != weights.values()
        {
            return Err(Error::data_with_hint(
                "edge weights must be the same in both directions",
                "merge the matrix with its transpose",
            ));
        }
        Ok(Self::new(weights))
    }

    pub(crate) fn new(weights: Csr<f64>) -> Self {
        let degrees = (0..weights.rows()).map(|i| weights.row(i).1.iter().sum()).collect();
        Self { weights, degrees }
    }

    /// `sum_i w_i W_i` as one graph, with its own degrees; parts of weight zero leave no edges.
    ///
    /// # Errors
    /// When the parts have different sizes, or none has weight.
    pub fn weighted_sum<'a>(parts: impl IntoIterator<Item = (f64, &'a Self)>) -> Result<Self> {
        let mut sum: Option<Csr<f64>> = None;
        for (weight, graph) in parts.into_iter().filter(|(weight, _)| *weight > 0.0) {
            sum = Some(match sum {
                Some(sum) => sum.merged(&graph.weights, |sum, edge| sum + weight * edge)?,
                None => {
                    let mut first = graph.weights.clone();
                    first.values_mut().iter_mut().for_each(|edge| *edge *= weight);
                    first
                }
            });
        }
        sum.map(Self::new).ok_or_else(|| Error::data("a sum of graphs needs one with a weight above zero"))
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

    /// Number of components that share no edge.
    pub fn components(&self) -> usize {
        count_components(&self.weights)
    }

    /// `D^-1/2 W D^-1/2`, n x n: eigenvalues from -1 to 1, one 1 for each component. A vertex without edges has a zero row.
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

/// How many components share no edge. Edges of weight zero do not connect.
fn count_components(weights: &Csr<f64>) -> usize {
    let mut seen = vec![false; weights.rows()];
    let mut open = Vec::new();
    let mut components = 0;
    for start in 0..weights.rows() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        components += 1;
        open.push(start);
        while let Some(i) = open.pop() {
            let (columns, values) = weights.row(i);
            for (&j, _) in columns.iter().zip(values).filter(|(_, weight)| **weight > 0.0) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    open.push(j as usize);
                }
            }
        }
    }
    components
}

/// How a run's neighbour graphs were made, with what the data decided filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphRecord {
    /// Neighbours of each sample; several when graphs of several scales were averaged.
    pub neighbours: Vec<usize>,
    /// Edge weights.
    pub weights: Weights,
    /// How samples were compared.
    pub metric: DistanceMetric,
}

impl From<&GraphSettings> for GraphRecord {
    fn from(settings: &GraphSettings) -> Self {
        Self { neighbours: vec![settings.neighbours], weights: settings.weights, metric: settings.metric }
    }
}

/// `D - W`: symmetric, never negative, zero on vectors that are constant on each part of the graph.
#[derive(Debug, Clone, Copy)]
pub struct Laplacian<'a> {
    graph: &'a Graph,
}

impl<'a> Laplacian<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self { graph }
    }
}

impl LinOp for Laplacian<'_> {
    fn size(&self) -> usize {
        self.graph.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        self.graph.weights().apply(x, out);
        let width = x.cols();
        for (i, out) in out.data_mut().chunks_exact_mut(width.max(1)).enumerate() {
            let degree = self.graph.degrees()[i];
            out.iter_mut().zip(x.row(i)).for_each(|(out, x)| *out = degree * x - *out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;
    use proptest::prelude::*;

    #[test]
    fn a_weighted_sum_by_hand() {
        let pair = |i: u32, j: u32, w| vec![(i as usize, j, w), (j as usize, i, w)];
        let graph = |edges| Graph::new(Csr::from_entries(3, 3, edges).unwrap());
        let (a, b) = (graph(pair(0, 1, 2.0)), graph([pair(0, 1, 1.0), pair(1, 2, 4.0)].concat()));
        let sum = Graph::weighted_sum([(0.5, &a), (0.25, &b)]).unwrap();
        assert_eq!(sum.degrees(), [1.25, 2.25, 1.0]);
        assert_eq!(Graph::weighted_sum([(0.0, &a), (1.0, &b)]).unwrap().degrees(), b.degrees());
        assert!(Graph::weighted_sum([(0.0, &a)]).is_err());
    }

    #[test]
    fn components_by_hand() {
        let edge = |i: usize, j: u32, w| [(i, j, w), (j as usize, i as u32, w)];
        let edges: Vec<_> = [edge(0, 1, 1.0), edge(2, 3, 1.0), edge(1, 2, 0.0)].concat();
        let graph = Csr::from_entries(5, 5, edges).unwrap();
        assert_eq!(count_components(&graph), 3, "{{0, 1}}, {{2, 3}} and the lonely 4");
    }

    fn random_graph(edges: &[(usize, usize, f64)], n: usize) -> Graph {
        let both = edges.iter().filter(|(i, j, _)| i != j).flat_map(|&(i, j, w)| [(i, j as u32, w), (j, i as u32, w)]);
        Graph::new(Csr::from_entries(n, n, both.collect()).unwrap())
    }

    proptest! {
        #[test]
        fn is_positive_semidefinite_with_the_constant_vector_in_its_null_space(
            edges in prop::collection::vec((0..12_usize, 0..12_usize, 0.0..3.0), 1..40),
            x in prop::collection::vec(-2.0..2.0, 12),
        ) {
            let graph = random_graph(&edges, 12);
            let apply = |x: Vec<f64>| {
                let mut out = Dense::zeros(12, 1);
                graph.laplacian().apply(&Dense::new(12, 1, x).unwrap(), &mut out);
                out
            };
            prop_assert!(apply(vec![1.0; 12]).data().iter().all(|y| y.abs() < 1e-12));
            let quadratic: f64 = apply(x.clone()).data().iter().zip(&x).map(|(y, x)| x * y).sum();
            let by_edges: f64 = edges.iter().filter(|(i, j, _)| i != j).map(|&(i, j, w)| w * (x[i] - x[j]).powi(2)).sum();
            prop_assert!(quadratic > -1e-12 && (quadratic - by_edges).abs() < 1e-9);
        }
    }
}
