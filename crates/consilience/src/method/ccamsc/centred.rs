//! A view with its mean taken away, and the two matrices that belong to it.

use crate::matrix::{Dense, Matrix, column_sums, from_mat, gram};
use crate::operator::LinOp;
use crate::views::samples::{Samples, sum_of_samples};

/// A view whose spread is this share of its size is constant: the rest is rounding.
const CONSTANT: f64 = 1e-12;
/// Columns of an operator that are written out at once.
const BLOCK: usize = 64;

/// `X - 1 m'` (n x d), called `X` from here on.
pub(super) struct Centred {
    /// Dense samples are moved; sparse ones stay where they are.
    samples: Samples,
    /// `m` (d x 1), what is still to be taken away; none for dense samples.
    mean: Option<Dense<f64>>,
    /// `tr(X'X)`; 0 for a constant view.
    pub(super) squares: f64,
}

impl Centred {
    pub(super) fn new(view: &Matrix) -> Self {
        let mut samples = Samples::unscaled(view);
        let size = samples.frobenius();
        let n = samples.count() as f64;
        let mut mean = sum_of_samples(&samples);
        mean.data_mut().iter_mut().for_each(|m| *m /= n);
        let (mean, squares) = if let Samples::Dense(X) = &mut samples {
            for row in X.data_mut().chunks_exact_mut(mean.rows().max(1)) {
                row.iter_mut().zip(mean.data()).for_each(|(x, m)| *x -= m);
            }
            (None, samples.frobenius().powi(2))
        } else {
            let shift = n * mean.data().iter().map(|m| m * m).sum::<f64>();
            (Some(mean), size.powi(2) - shift)
        };
        let squares = if squares > (CONSTANT * size).powi(2) { squares } else { 0.0 };
        Self { samples, mean, squares }
    }

    /// n.
    pub(super) fn count(&self) -> usize {
        self.samples.count()
    }

    /// d.
    pub(super) fn features(&self) -> usize {
        self.samples.features()
    }

    /// `X V` (n x b), for `V` d x b.
    pub(super) fn times(&self, V: &Dense<f64>) -> Dense<f64> {
        let mut out = Dense::zeros(self.count(), V.cols());
        self.samples.add_times(&mut out, V, 1.0);
        if let Some(mean) = &self.mean {
            let shift = gram(mean.as_mat(), V.as_mat());
            for row in out.data_mut().chunks_exact_mut(V.cols().max(1)) {
                row.iter_mut().enumerate().for_each(|(j, x)| *x -= shift[(0, j)]);
            }
        }
        out
    }

    /// `X' U` (d x b), for `U` n x b.
    pub(super) fn transposed_times(&self, U: &Dense<f64>) -> Dense<f64> {
        let mut out = self.samples.transposed_times(U);
        if let Some(mean) = &self.mean {
            let sums = column_sums(U, U, |x, _| x);
            for (row, m) in out.data_mut().chunks_exact_mut(U.cols().max(1)).zip(mean.data()) {
                row.iter_mut().zip(&sums).for_each(|(x, sum)| *x -= m * sum);
            }
        }
        out
    }

    /// `X'X` (d x d) written out.
    pub(super) fn feature_products(&self) -> Dense<f64> {
        match &self.samples {
            Samples::Dense(X) => from_mat(&gram(X.as_mat(), X.as_mat())),
            Samples::Sparse { .. } => written_out(&Features(self)),
        }
    }

    /// `XX'` (n x n) written out.
    pub(super) fn sample_products(&self) -> Dense<f64> {
        match &self.samples {
            Samples::Dense(X) => from_mat(&gram(X.as_mat().transpose(), X.as_mat().transpose())),
            Samples::Sparse { .. } => written_out(self),
        }
    }
}

/// `XX'`, n x n.
impl LinOp for Centred {
    fn size(&self) -> usize {
        self.count()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        *out = self.times(&self.transposed_times(x));
    }
}

/// `X'X`, d x d.
pub(super) struct Features<'a>(pub(super) &'a Centred);

impl LinOp for Features<'_> {
    fn size(&self) -> usize {
        self.0.features()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        *out = self.0.transposed_times(&self.0.times(x));
    }
}

fn written_out(operator: &dyn LinOp) -> Dense<f64> {
    let size = operator.size();
    let mut table = Dense::zeros(size, size);
    for first in (0..size).step_by(BLOCK) {
        let width = BLOCK.min(size - first);
        let unit = Dense::from_fn(size, width, |i, j| if i == first + j { 1.0 } else { 0.0 });
        let mut block = Dense::zeros(size, width);
        operator.apply(&unit, &mut block);
        for (row, block) in table.data_mut().chunks_exact_mut(size).zip(block.iter_rows()) {
            row[first..first + width].copy_from_slice(block);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, frobenius, frobenius_distance};

    fn example(n: usize, d: usize) -> Dense<f64> {
        Dense::from_fn(n, d, |i, j| if (i + 2 * j) % 3 == 0 { (i * (j + 1) % 7) as f64 + 2.0 } else { 0.0 })
    }

    #[test]
    fn sparse_and_dense_are_centred_alike() {
        for (n, d) in [(90, 4), (20, 70)] {
            let dense = Centred::new(&example(n, d).into());
            let sparse = Centred::new(&Csr::from_dense(&example(n, d)).unwrap().into());
            assert!((dense.squares - sparse.squares).abs() < 1e-9 * dense.squares);
            let ones = Dense::from_fn(n, 1, |_, _| 1.0);
            assert!(
                frobenius(&sparse.transposed_times(&ones)) < 1e-9 && frobenius(&dense.transposed_times(&ones)) < 1e-9
            );
            assert!(frobenius_distance(&dense.feature_products(), &sparse.feature_products()) < 1e-8);
            assert!(frobenius_distance(&dense.sample_products(), &sparse.sample_products()) < 1e-8);
        }
    }

    #[test]
    fn two_samples_by_hand_and_a_constant_view() {
        // (0, 2) and (4, 2): centred (-2, 0) and (2, 0)
        let X = Centred::new(&Dense::new(2, 2, vec![0.0, 2.0, 4.0, 2.0]).unwrap().into());
        assert!((X.squares - 8.0).abs() < 1e-14);
        assert_eq!(X.sample_products().data(), [4.0, -4.0, -4.0, 4.0]);
        assert_eq!(Centred::new(&Dense::from_fn(7, 2, |_, _| 0.1_f64).into()).squares, 0.0);
    }
}
