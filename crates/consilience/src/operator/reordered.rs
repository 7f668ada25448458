//! An operator over the same samples in another order.

use std::sync::Arc;

use rayon::prelude::*;

use super::{LinOp, OperatorData};
use crate::Result;
use crate::matrix::{Csr, Dense, ROW_CHUNK};

/// `P' A P`: an operator whose samples were put in another order, as if they had not been.
pub struct Reordered {
    inner: Arc<dyn LinOp>,
    /// The place in the inner order of every sample.
    places: Vec<usize>,
    /// The sample at every place.
    order: Vec<usize>,
}

impl Reordered {
    /// `inner` works on the samples in this `order`, a permutation of all of them.
    pub fn new(inner: Arc<dyn LinOp>, order: Vec<usize>) -> Self {
        debug_assert_eq!(inner.size(), order.len());
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &sample)| places[sample] = place);
        Self { inner, places, order }
    }
}

impl LinOp for Reordered {
    fn size(&self) -> usize {
        self.inner.size()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let ordered = picked(x, &self.order);
        let mut image = Dense::zeros(x.rows(), x.cols());
        self.inner.apply(&ordered, &mut image);
        *out = picked(&image, &self.places);
    }

    fn data(&self) -> Option<OperatorData> {
        self.inner.data()?.reordered(&self.places).ok()
    }
}

/// Rows of `x` in the order of `rows`.
fn picked(x: &Dense<f64>, rows: &[usize]) -> Dense<f64> {
    let width = x.cols().max(1);
    let mut out = Dense::zeros(x.rows(), x.cols());
    out.data_mut().par_chunks_mut(width * ROW_CHUNK).zip(rows.par_chunks(ROW_CHUNK)).for_each(|(out, rows)| {
        out.chunks_exact_mut(width).zip(rows).for_each(|(out, &row)| out.copy_from_slice(x.row(row)));
    });
    out
}

impl OperatorData {
    /// The same operator when sample `i` is the one that was at `places[i]`.
    fn reordered(self, places: &[usize]) -> Result<Self> {
        Ok(match self {
            Self::Sparse(matrix) => Self::Sparse(symmetric(&matrix, places)?),
            Self::Dense(matrix) => {
                let n = places.len();
                Self::Dense(Dense::from_fn(n, n, |i, j| matrix.get(places[i], places[j])))
            }
            Self::LowRank(factor) => Self::LowRank(picked(&factor, places)),
            Self::LinearKernel { points, mean, scale } => {
                Self::LinearKernel { points: picked(&points, places), mean, scale }
            }
            Self::Sum(terms) => {
                let terms = terms.into_iter().map(|(weight, term)| Ok((weight, term.reordered(places)?)));
                Self::Sum(terms.collect::<Result<_>>()?)
            }
        })
    }
}

/// Rows and columns of a square matrix in another order.
fn symmetric(matrix: &Csr<f64>, places: &[usize]) -> Result<Csr<f64>> {
    let mut samples = vec![0_u32; places.len()];
    places.iter().enumerate().for_each(|(sample, &place)| samples[place] = sample as u32);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut row: Vec<(u32, f64)> = Vec::new();
    for &place in places {
        let (columns, weights) = matrix.row(place);
        row.clear();
        row.extend(columns.iter().map(|&column| samples[column as usize]).zip(weights.iter().copied()));
        row.sort_unstable_by_key(|&(column, _)| column);
        indices.extend(row.iter().map(|&(column, _)| column));
        values.extend(row.iter().map(|&(_, weight)| weight));
        indptr.push(values.len());
    }
    Csr::new(places.len(), places.len(), indptr, indices, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::LowRank;

    /// Every kind of operator, in the order 2 0 1, does what it would have done in the order of the samples; so does what is
    /// built from its numbers.
    #[test]
    fn products_are_those_of_the_samples_own_order() {
        let own = Dense::new(3, 3, vec![1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0]).unwrap();
        let order = vec![2, 0, 1];
        let there = Dense::from_fn(3, 3, |i, j| own.get(order[i], order[j]));
        let x = Dense::new(3, 2, vec![1.0, 0.5, -2.0, 3.0, 0.0, 1.0]).unwrap();
        let product = |operator: &dyn LinOp| {
            let mut out = Dense::zeros(3, 2);
            operator.apply(&x, &mut out);
            out.data().to_vec()
        };
        let sparse = |m: &Dense<f64>| OperatorData::Sparse(Csr::from_dense(m).unwrap()).build().unwrap();
        let low = |m: &Dense<f64>| -> Arc<dyn LinOp> { Arc::new(LowRank::new(m.clone())) };
        let rows = Dense::from_fn(3, 3, |i, j| own.get(order[i], j));
        let dense = |m: &Dense<f64>| OperatorData::Dense(m.clone()).build().unwrap();
        let sum = |a: Arc<dyn LinOp>, b: Arc<dyn LinOp>| -> Arc<dyn LinOp> {
            Arc::new(crate::operator::WeightedSum::new(vec![(0.5, a), (2.0, b)]))
        };
        for (expected, inner) in [
            (sparse(&own), sparse(&there)),
            (dense(&own), dense(&there)),
            (low(&own), low(&rows)),
            (sum(sparse(&own), low(&own)), sum(sparse(&there), low(&rows))),
        ] {
            let restored = Reordered::new(inner, order.clone());
            let expected = product(expected.as_ref());
            assert_eq!(product(&restored), expected);
            assert_eq!(product(restored.data().unwrap().build().unwrap().as_ref()), expected);
        }
    }
}
