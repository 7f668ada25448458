//! A view as the solvers need it.

use crate::View;
use crate::graph::Graph;
use crate::matrix::{Csr, Dense, Real, for_matrix};

/// A view, dense, in the precision of the tables.
pub(super) struct Samples<F> {
    pub(super) name: String,
    /// X', n x d.
    pub(super) rows: Dense<F>,
    /// X, d x n.
    pub(super) columns: Dense<F>,
    /// |X|.
    pub(super) size: f64,
    pub(super) graph: Graph,
}

impl<F: Real> Samples<F> {
    pub(super) fn new(view: &View, graph: Graph) -> Self {
        let rows: Dense<F> = for_matrix!(&view.data, dense m => m.cast(), sparse m => Csr::to_dense(m).cast());
        let size = rows.data().iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
        Self { name: view.name.clone(), columns: rows.transposed(), rows, size, graph }
    }

    /// n.
    pub(super) fn len(&self) -> usize {
        self.rows.rows()
    }

    /// d.
    pub(super) fn features(&self) -> usize {
        self.rows.cols()
    }

    /// A number relative to |X|; a view of zeros violates nothing.
    pub(super) fn relative(&self, square: f64) -> f64 {
        square.sqrt() / self.size.max(f64::MIN_POSITIVE)
    }

    /// `out = L z` for the Laplacian L of the view's graph and one row `z` of a table.
    pub(super) fn laplacian(&self, z: &[F], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let (columns, values) = self.graph.weights().row(i);
            let near: f64 = columns.iter().zip(values).map(|(&j, w)| w * z[j as usize].to_f64()).sum();
            *out = self.graph.degrees()[i] * z[i].to_f64() - near;
        }
    }
}
