//! Helpers of the methods' tests: golden values of the scripts in `scripts/`, small graphs, distances of subspaces.

// clippy.toml allows it in tests, but does not count their helpers
#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::graph::Graph;
use crate::matrix::{Csr, Dense, frobenius_distance, gram, multiply_small};
use crate::operator::LinOp;

/// The values of a golden file.
pub(crate) fn golden(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Golden values of rlrr and lrrgl; made by scripts/make_quadratic_golden.py.
pub(crate) fn quadratic_golden() -> Value {
    golden(include_str!("../../../tests/golden/quadratic.json"))
}

/// A matrix that is written as a list of rows.
pub(crate) fn matrix(value: &Value) -> Dense<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

/// What numpy made of two small graphs; made by scripts/make_coviews_golden.py.
pub(crate) struct GraphGolden {
    pub(crate) values: Value,
    pub(crate) graphs: Vec<Graph>,
}

impl GraphGolden {
    pub(crate) fn read() -> Self {
        let values = golden(include_str!("../../../tests/golden/coviews.json"));
        let n = values["samples"].as_u64().unwrap() as usize;
        let edges: Vec<Vec<(usize, usize, f64)>> = serde_json::from_value(values["edges"].clone()).unwrap();
        Self { graphs: edges.iter().map(|edges| graph(edges, n)).collect(), values }
    }

    /// A number by name.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.values[name].as_f64().unwrap()
    }
}

/// A graph from its edges, each given once.
pub(crate) fn graph(edges: &[(usize, usize, f64)], n: usize) -> Graph {
    let both = edges.iter().filter(|(i, j, _)| i != j).flat_map(|&(i, j, w)| [(i, j as u32, w), (j, i as u32, w)]);
    Graph::new(Csr::from_entries(n, n, both.collect()).unwrap())
}

/// The same with a ring that keeps every vertex in the graph.
pub(crate) fn graph_with_ring(edges: &[(usize, usize, f64)], n: usize) -> Graph {
    let ring = (0..n).map(|i| (i, (i + 1) % n, 0.1));
    graph(&edges.iter().copied().chain(ring).collect::<Vec<_>>(), n)
}

/// `|AA' - BB'|` of two bases with orthonormal columns, without the cancellation of taking an overlap from k.
pub(crate) fn projector_distance(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
    assert_eq!((A.rows(), A.cols()), (B.rows(), B.cols()));
    let mut inside = Dense::zeros(A.rows(), A.cols());
    multiply_small(inside.as_mat_mut(), A.as_mat(), gram(A.as_mat(), B.as_mat()).as_ref());
    2.0_f64.sqrt() * frobenius_distance(&inside, B)
}

/// An operator as a matrix, n x n.
pub(crate) fn written_out(operator: &dyn LinOp) -> Dense<f64> {
    let n = operator.size();
    let mut matrix = Dense::zeros(n, n);
    operator.apply(&Dense::from_fn(n, n, |i, j| f64::from(i == j)), &mut matrix);
    matrix
}
