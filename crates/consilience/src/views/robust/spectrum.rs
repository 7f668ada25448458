//! Leading right singular vectors of a tall matrix.

use faer::Mat;

use crate::matrix::{Dense, gram, multiply_small, symmetric_eigen};
use crate::operator::{LinOp, TopEigen};
use crate::{Result, Run};

/// Up to this many columns the Gram matrix is solved whole.
const WHOLE: usize = 400;

/// Singular values in falling order and their right singular vectors in the columns (p x r).
pub(super) struct RightSingular {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Mat<f64>,
}

/// `M'M` of a tall n x p matrix without writing it out.
struct GramOperator<'a>(&'a Dense<f64>);

impl LinOp for GramOperator<'_> {
    fn size(&self) -> usize {
        self.0.cols()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let mut image = Dense::zeros(self.0.rows(), x.cols());
        multiply_small(image.as_mat_mut(), self.0.as_mat(), x.as_mat());
        let product = gram(self.0.as_mat(), image.as_mat());
        let width = x.cols();
        out.data_mut().iter_mut().enumerate().for_each(|(at, out)| *out = product[(at / width, at % width)]);
    }
}

/// At least the `count` largest, to `tolerance` of the largest eigenvalue of `M'M`; all of them when there are few.
pub(super) fn right_singular(m: &Dense<f64>, count: usize, tolerance: f64, run: &Run) -> Result<RightSingular> {
    let (squares, vectors) = if m.cols() <= WHOLE {
        let eigen = symmetric_eigen(gram(m.as_mat(), m.as_mat()).as_ref())?;
        (eigen.values, eigen.vectors)
    } else {
        let request = TopEigen { tolerance, max_products: 60, ..TopEigen::new(count) };
        let pairs = request.solve(&GramOperator(m), None, run)?;
        (pairs.values, pairs.vectors.as_mat().to_owned())
    };
    Ok(RightSingular { values: squares.iter().map(|square| square.max(0.0).sqrt()).collect(), vectors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_is_the_gram_matrix() {
        let m = Dense::from_fn(30, 4, |i, j| ((i * 3 + j * 5) % 7) as f64);
        let x = Dense::from_fn(4, 2, |i, j| (i + j) as f64);
        let mut out = Dense::zeros(4, 2);
        GramOperator(&m).apply(&x, &mut out);
        let dense = m.as_mat().transpose() * m.as_mat() * x.as_mat();
        assert!((0..8).all(|at| (out.data()[at] - dense[(at / 2, at % 2)]).abs() < 1e-9));
    }
}
