//! An operator between two copies of a diagonal matrix.

use std::sync::Arc;

use super::LinOp;
use crate::matrix::Dense;

/// `S A S` with `S` diagonal: the normalised affinity of a graph that is itself a sum of operators.
pub struct Rescaled {
    inner: Arc<dyn LinOp>,
    scale: Vec<f64>,
}

impl Rescaled {
    /// `D^-1/2 A D^-1/2`, with `D` the row sums of `A`; rows without a sum stay zero.
    pub fn normalised(inner: Arc<dyn LinOp>) -> Self {
        let n = inner.size();
        let mut degrees = Dense::zeros(n, 1);
        inner.apply(&Dense::from_fn(n, 1, |_, _| 1.0), &mut degrees);
        let scale = degrees.data().iter().map(|d| if *d > 1e-12 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        Self { inner, scale }
    }

    fn scale_rows(&self, block: &mut Dense<f64>) {
        let width = block.cols().max(1);
        for (row, scale) in block.data_mut().chunks_exact_mut(width).zip(&self.scale) {
            row.iter_mut().for_each(|x| *x *= scale);
        }
    }
}

impl LinOp for Rescaled {
    fn size(&self) -> usize {
        self.scale.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let mut scaled = x.clone();
        self.scale_rows(&mut scaled);
        self.inner.apply(&scaled, out);
        self.scale_rows(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    #[test]
    fn row_sums_of_a_star_by_hand() {
        // a centre with two leaves: degrees 2, 1, 1, and a lonely vertex
        let edges = vec![(0, 1, 1.0), (1, 0, 1.0), (0, 2, 1.0), (2, 0, 1.0)];
        let star = Rescaled::normalised(Arc::new(Csr::from_entries(4, 4, edges).unwrap()));
        let mut out = Dense::zeros(4, 1);
        star.apply(&Dense::new(4, 1, vec![1.0, 0.0, 0.0, 1.0]).unwrap(), &mut out);
        let half = 0.5_f64.sqrt();
        assert!(out.data().iter().zip([0.0, half, half, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
