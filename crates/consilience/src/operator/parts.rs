//! Operators taken apart: what a program needs to write one to a file or send it to another process.

use std::sync::Arc;

use super::{LinOp, LowRank, WeightedSum};
use crate::matrix::{Csr, Dense};
use crate::{Error, Result};

/// The numbers of an operator, from which [`Parts::assemble`] makes it again.
#[derive(Debug, Clone)]
pub enum Parts {
    /// A sparse matrix.
    Sparse(Csr<f64>),
    /// `B` of `B B'`, n x r.
    LowRank(Dense<f64>),
    /// Weights and what they multiply.
    Sum(Vec<(f64, Parts)>),
}

impl Parts {
    /// The operator again.
    ///
    /// # Errors
    /// When a sparse part is not square, or the parts of a sum differ in size.
    pub fn assemble(self) -> Result<Arc<dyn LinOp>> {
        match self {
            Self::Sparse(table) if table.rows() != table.cols() => {
                Err(Error::data(format!("an operator cannot be {} x {}", table.rows(), table.cols())))
            }
            Self::Sparse(table) => Ok(Arc::new(table)),
            Self::LowRank(factor) => Ok(Arc::new(LowRank::new(factor))),
            Self::Sum(terms) => {
                let terms = terms.into_iter().map(|(weight, part)| Ok((weight, part.assemble()?)));
                let terms = terms.collect::<Result<Vec<_>>>()?;
                if terms.windows(2).any(|pair| pair[0].1.size() != pair[1].1.size()) {
                    return Err(Error::data("the parts of a sum of operators differ in size"));
                }
                Ok(Arc::new(WeightedSum::new(terms)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(size: usize) -> Csr<f64> {
        Csr::from_entries(size, size, (0..size).map(|i| (i, i as u32, 1.0 + i as f64)).collect()).unwrap()
    }

    #[test]
    fn assembled_operators_do_what_the_first_did() {
        let factor = Dense::from_fn(3, 2, |i, j| (1 + i + 2 * j) as f64);
        let parts: Vec<(f64, Arc<dyn LinOp>)> =
            vec![(0.25, Arc::new(sparse(3))), (2.0, Arc::new(LowRank::new(factor)))];
        let sum = WeightedSum::new(parts);
        let again = sum.parts().unwrap().assemble().unwrap();
        let x = Dense::from_fn(3, 2, |i, j| (i * 2 + j) as f64);
        let (mut first, mut second) = (Dense::zeros(3, 2), Dense::zeros(3, 2));
        sum.apply(&x, &mut first);
        again.apply(&x, &mut second);
        assert_eq!(first.data(), second.data());
        assert!(first.data().iter().any(|x| *x != 0.0));
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        assert!(Parts::Sparse(Csr::from_entries(2, 3, vec![]).unwrap()).assemble().is_err());
        assert!(Parts::Sum(vec![(1.0, Parts::Sparse(sparse(2))), (1.0, Parts::Sparse(sparse(3)))]).assemble().is_err());
    }
}
