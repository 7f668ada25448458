//! Robust low rank: is a view corrupted, and what was under the corruption? X = A + E with A of low rank and E sparse
//! (the paper's Eq. `tech1` with a clean dictionary).

mod outlier_test;
mod rpca;

use faer::Mat;

pub(crate) use outlier_test::outlier_share;
pub(crate) use rpca::robust_pca;

use crate::matrix::{Dense, gram, symmetric_eigen};
use crate::operator::{GramOperator, TopEigen};
use crate::{Result, Run};

/// Up to this many columns all eigenpairs of the Gram matrix are computed.
const MAX_DIRECT_COLUMNS: usize = 400;
/// Products of the Gram matrix with a block after which the best singular vectors so far are taken.
const MAX_PRODUCTS: usize = 60;

/// Singular values in falling order and their right singular vectors in the columns (p x r).
struct RightSingular {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

/// At least the `count` largest singular values of the tall matrix `m`, to `tolerance` of the largest eigenvalue of
/// `m'm`; all of them when `m` has few columns.
fn right_singular(m: &Dense<f64>, count: usize, tolerance: f64, run: &Run) -> Result<RightSingular> {
    let (squares, vectors) = if m.cols() <= MAX_DIRECT_COLUMNS {
        let eigen = symmetric_eigen(gram(m.as_mat(), m.as_mat()).as_ref())?;
        (eigen.values, eigen.vectors)
    } else {
        let request = TopEigen { tolerance, max_products: MAX_PRODUCTS, ..TopEigen::new(count) };
        let pairs = request.solve(&GramOperator::tall(m), None, run)?;
        (pairs.values, pairs.vectors.as_mat().to_owned())
    };
    Ok(RightSingular { values: squares.iter().map(|square| square.max(0.0).sqrt()).collect(), vectors })
}
