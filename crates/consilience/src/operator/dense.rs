//! A symmetric n x n table as an operator, for the methods that are n x n by definition.

use super::LinOp;
use crate::matrix::{Dense, Real, multiply_table};

/// A degree below this share of the largest counts as none.
const NO_DEGREE: f64 = 1e-14;

/// A symmetric table in single or double precision; products are summed in double precision.
#[derive(Debug, Clone)]
pub struct DenseSymmetric<T> {
    table: Dense<T>,
}

impl<T: Real> DenseSymmetric<T> {
    /// `(A + A')/2`, in the memory of `A` (n x n).
    pub fn symmetrised(mut table: Dense<T>) -> Self {
        let n = table.rows();
        let data = table.data_mut();
        for i in 0..n {
            for j in 0..i {
                let mean = T::from_f64(0.5 * (data[i * n + j].to_f64() + data[j * n + i].to_f64()));
                data[i * n + j] = mean;
                data[j * n + i] = mean;
            }
        }
        Self { table }
    }

    /// `D^-1/2 A D^-1/2` with the row sums D of a table without negative entries. A sample without affinity to anybody
    /// has a zero row.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        let n = self.table.rows().max(1);
        let degrees: Vec<f64> = self.table.iter_rows().map(|row| row.iter().map(|x| x.to_f64()).sum()).collect();
        let largest = degrees.iter().fold(0.0_f64, |most, degree| most.max(*degree));
        let root = |degree: &f64| if *degree > NO_DEGREE * largest { 1.0 / degree.sqrt() } else { 0.0 };
        let roots: Vec<f64> = degrees.iter().map(root).collect();
        for (row, left) in self.table.data_mut().chunks_exact_mut(n).zip(&roots) {
            row.iter_mut().zip(&roots).for_each(|(x, right)| *x = T::from_f64(x.to_f64() * left * right));
        }
        self
    }

    /// The table, n x n.
    pub fn table(&self) -> &Dense<T> {
        &self.table
    }
}

impl<T: Real> LinOp for DenseSymmetric<T> {
    fn size(&self) -> usize {
        self.table.rows()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        multiply_table(&self.table, x, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetrised_and_normalised_by_hand() {
        // (A + A')/2 = [[0, 2, 0], [2, 2, 0], [0, 0, 0]]: degrees 2, 4, 0
        let table = Dense::new(3, 3, vec![0.0_f32, 1.0, 0.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let operator = DenseSymmetric::symmetrised(table);
        assert_eq!(operator.table().data(), [0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        let mut out = Dense::zeros(3, 1);
        operator.normalised().apply(&Dense::new(3, 1, vec![1.0, 2.0, 5.0]).unwrap(), &mut out);
        let root = f64::from(2.0_f32 / 8.0_f32.sqrt());
        assert!((out.data()[0] - 2.0 * root).abs() < 1e-7 && (out.data()[1] - root - 1.0).abs() < 1e-7);
        assert_eq!(out.data()[2], 0.0);
    }
}
