//! What the methods share that end with an embedding `U_v` (n x k, orthonormal columns) of every view.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

use faer::Mat;

use super::Problem;
use crate::graph::neighbours::Distance;
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Dense, gram, multiply_small, symmetric_eigen};
use crate::operator::{EigenPairs, LowRank};
use crate::{Result, Stage};

/// A direction that the views share less than this much is rounding noise.
const NOT_SHARED: f64 = 1e-12;

/// One neighbour graph per view.
pub(super) fn view_graphs(settings: &GraphSettings, problem: &Problem<'_>) -> Result<Vec<Graph>> {
    problem.run.enter(Stage::Graph);
    let graph = |view: &crate::View| {
        let distance = Distance::within(view, settings.metric);
        settings.build(&distance, &format!("view `{}`", view.name), problem.run)
    };
    problem.views.iter().map(graph).collect()
}

/// `[U_1 .. U_V]`, n x (sum of their columns).
pub(super) fn side_by_side(blocks: &[&Dense<f64>]) -> Dense<f64> {
    let rows = blocks.first().map_or(0, |block| block.rows());
    let cols = blocks.iter().map(|block| block.cols()).sum();
    let mut joint = Dense::zeros(rows, cols);
    let width = cols.max(1);
    for (i, row) in joint.data_mut().chunks_exact_mut(width).enumerate() {
        let mut from = 0;
        for block in blocks {
            row[from..from + block.cols()].copy_from_slice(block.row(i));
            from += block.cols();
        }
    }
    joint
}

/// `1/V sum_v U_v U_v'`: the mean of the projections on the views' subspaces. Symmetric, eigenvalues from 0 to 1; 1 for
/// a direction that every view has.
pub(super) fn mean_projector(U: &[&Dense<f64>]) -> LowRank {
    let mut factor = side_by_side(U);
    let scale = 1.0 / (U.len().max(1) as f64).sqrt();
    factor.data_mut().iter_mut().for_each(|x| *x *= scale);
    LowRank::new(factor)
}

/// The top `k` eigenpairs of `B B'` (B is n x r): `U* = B Y S^-1/2` with the eigenpairs `Y S Y'` of the small `B'B`. The mean
/// of V projectors of rank k has k eigenvalues of 1/V or more, so nothing is lost by the way through `B'B`.
pub(super) fn shared_directions(projector: &LowRank, k: usize) -> Result<EigenPairs> {
    let B = projector.factor();
    let small = symmetric_eigen(gram(B.as_mat(), B.as_mat()).as_ref())?;
    let values: Vec<f64> = small.values.into_iter().take(k).take_while(|&value| value > NOT_SHARED).collect();
    let turn = Mat::from_fn(B.cols(), values.len(), |i, j| small.vectors[(i, j)] / values[j].sqrt());
    let mut vectors = Dense::zeros(B.rows(), values.len());
    if !values.is_empty() {
        multiply_small(vectors.as_mat_mut(), B.as_mat(), turn.as_ref());
    }
    Ok(EigenPairs { values, vectors, residual: 0.0, products: 0, converged: true })
}

/// `|A'B|^2`, the sum of squares: how much of one subspace lies in the other.
pub(super) fn overlap(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
    gram(A.as_mat(), B.as_mat()).squared_norm_l2()
}

/// How far a subspace moved: `|AA' - BB'|` relative to its largest possible value. 0 is not at all, 1 a right angle.
pub(super) fn moved(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
    let k = A.cols().max(B.cols()).max(1) as f64;
    (1.0 - overlap(A, B) / k).max(0.0).sqrt()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::Value;

    use super::*;
    use crate::matrix::{Csr, frobenius_distance};

    /// What numpy made of two small graphs; made by scripts/make_coviews_golden.py.
    pub(in crate::method) struct Golden {
        pub(in crate::method) values: Value,
        pub(in crate::method) graphs: Vec<Graph>,
    }

    impl Golden {
        pub(in crate::method) fn read() -> Self {
            let values: Value = serde_json::from_str(include_str!("../../tests/golden/coviews.json")).unwrap();
            let n = values["samples"].as_u64().unwrap() as usize;
            let edges: Vec<Vec<(usize, usize, f64)>> = serde_json::from_value(values["edges"].clone()).unwrap();
            Self { graphs: edges.iter().map(|edges| graph(edges, n)).collect(), values }
        }

        /// A number by name.
        pub(in crate::method) fn number(&self, name: &str) -> f64 {
            self.values[name].as_f64().unwrap()
        }
    }

    pub(in crate::method) fn matrix(value: &Value) -> Dense<f64> {
        let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
        Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
    }

    /// A graph from its edges, each given once.
    pub(in crate::method) fn graph(edges: &[(usize, usize, f64)], n: usize) -> Graph {
        let both = edges.iter().filter(|(i, j, _)| i != j).flat_map(|&(i, j, w)| [(i, j as u32, w), (j, i as u32, w)]);
        Graph::new(Csr::from_entries(n, n, both.collect()).unwrap())
    }

    /// The same with a ring that keeps every vertex in the graph.
    pub(in crate::method) fn ringed(edges: &[(usize, usize, f64)], n: usize) -> Graph {
        let ring = (0..n).map(|i| (i, (i + 1) % n, 0.1));
        graph(&edges.iter().copied().chain(ring).collect::<Vec<_>>(), n)
    }

    /// `|AA' - BB'|` of two bases with orthonormal columns, without the cancellation of taking an overlap from k.
    pub(in crate::method) fn distance(A: &Dense<f64>, B: &Dense<f64>) -> f64 {
        assert_eq!((A.rows(), A.cols()), (B.rows(), B.cols()));
        let mut inside = Dense::zeros(A.rows(), A.cols());
        multiply_small(inside.as_mat_mut(), A.as_mat(), gram(A.as_mat(), B.as_mat()).as_ref());
        2.0_f64.sqrt() * frobenius_distance(&inside, B)
    }

    /// Columns `axes` of the identity, 4 x (number of axes).
    fn axes(axes: &[usize]) -> Dense<f64> {
        Dense::from_fn(4, axes.len(), |i, j| if i == axes[j] { 1.0 } else { 0.0 })
    }

    #[test]
    fn two_planes_that_share_a_line() {
        let (a, b) = (axes(&[0, 1]), axes(&[2, 1]));
        assert_eq!(side_by_side(&[&a, &b]).row(1), [0.0, 1.0, 0.0, 1.0]);
        let shared = shared_directions(&mean_projector(&[&a, &b]), 3).unwrap();
        assert!((shared.values[0] - 1.0).abs() < 1e-14 && (shared.values[1] - 0.5).abs() < 1e-14);
        assert!((shared.vectors.get(1, 0).abs() - 1.0).abs() < 1e-14);
        assert_eq!(shared_directions(&mean_projector(&[&a, &b]), 4).unwrap().values.len(), 3);
        assert!((overlap(&a, &b) - 1.0).abs() < 1e-15);
        assert!((moved(&a, &b) - 0.5_f64.sqrt()).abs() < 1e-15 && moved(&a, &a) == 0.0);
        assert_eq!(moved(&axes(&[0, 1]), &axes(&[2, 3])), 1.0);
    }
}
