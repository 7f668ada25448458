//! The graph Laplacian `L = D - W` of the paper's Eq. `spectral`, as an operator.

use super::Graph;
use crate::matrix::Dense;
use crate::operator::LinOp;

/// `D - W`: symmetric, never negative, zero on vectors that are constant on each part of the graph.
#[derive(Debug, Clone, Copy)]
pub struct Laplacian<'a> {
    graph: &'a Graph,
}

impl<'a> Laplacian<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
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
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::Csr;

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
