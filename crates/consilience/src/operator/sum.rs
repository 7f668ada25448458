//! A weighted sum of operators.

use std::sync::Arc;

use rayon::prelude::*;

use super::{LinOp, Parts};
use crate::matrix::{Dense, ROW_CHUNK};

/// `sum_i w_i A_i`; the parts stay as they are, so a mean of graphs costs no new graph.
pub struct WeightedSum {
    parts: Vec<(f64, Arc<dyn LinOp>)>,
}

impl WeightedSum {
    /// The sum of `parts`, each with its weight. All parts must have the same size.
    pub fn new(parts: Vec<(f64, Arc<dyn LinOp>)>) -> Self {
        debug_assert!(parts.windows(2).all(|pair| pair[0].1.size() == pair[1].1.size()));
        Self { parts }
    }
}

impl LinOp for WeightedSum {
    fn size(&self) -> usize {
        self.parts.first().map_or(0, |(_, part)| part.size())
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let mut term = Dense::zeros(x.rows(), x.cols());
        out.data_mut().fill(0.0);
        let chunk = x.cols().max(1) * ROW_CHUNK;
        for (weight, part) in &self.parts {
            part.apply(x, &mut term);
            out.data_mut().par_chunks_mut(chunk).zip(term.data().par_chunks(chunk)).for_each(|(out, term)| {
                out.iter_mut().zip(term).for_each(|(sum, x)| *sum += weight * x);
            });
        }
    }

    fn parts(&self) -> Option<Parts> {
        let parts = self.parts.iter().map(|(weight, part)| Some((*weight, part.parts()?)));
        parts.collect::<Option<_>>().map(Parts::Sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    #[test]
    fn weights_multiply_their_parts() {
        let part = |x| Arc::new(Csr::from_entries(2, 2, vec![(0, 0, x), (1, 1, x)]).unwrap()) as Arc<dyn LinOp>;
        let sum = WeightedSum::new(vec![(2.0, part(3.0)), (0.5, part(4.0))]);
        let mut out = Dense::zeros(2, 1);
        sum.apply(&Dense::new(2, 1, vec![1.0, 2.0]).unwrap(), &mut out);
        assert_eq!(out.data(), [8.0, 16.0]);
    }
}
