//! A view with its mean taken away, and the ridge regression on it: `P = X (X'X + r I)^-1 X'`.

use crate::matrix::{Dense, Matrix, column_sums, from_mat, gram, multiply_small, symmetric_function, update_entries};
use crate::operator::{ConjugateGradient, LinOp};
use crate::run::Warning;
use crate::views::two_sided::{TwoSided, sum_of_samples};
use crate::{Result, Run};

/// A view whose spread is this share of its size is constant: the rest is rounding.
const CONSTANT: f64 = 1e-12;
/// Columns of an operator that are written out at once.
const BLOCK_COLUMNS: usize = 64;
/// Up to this many features, or samples where there are fewer, a view's products are factorised: 70 MB and a minute at
/// most. Beyond, only products with the view itself are made.
pub(super) const MAX_FACTORISED: usize = 3000;
/// An eigenvalue of `X'X` below this share of their sum is none: squaring has cost half of the digits.
const MIN_SPREAD: f64 = 1e-12;
/// Far below what the eigenvectors are asked for, since the ridge can blow errors up by `|X| / sqrt(r)`.
const INNER: ConjugateGradient = ConjugateGradient { tolerance: 1e-10, max_iterations: 1000 };

/// `X - 1 m'` (n x d), called `X` from here on.
pub(super) struct Centred {
    /// Dense samples are moved; sparse ones stay where they are.
    samples: TwoSided,
    /// `m` (d x 1), what is still to be taken away; none for dense samples.
    mean: Option<Dense<f64>>,
    /// `tr(X'X)`; 0 for a constant view.
    pub(super) squares: f64,
}

impl Centred {
    pub(super) fn new(view: &Matrix) -> Self {
        let mut samples = TwoSided::unscaled(view);
        let size = samples.frobenius();
        let n = samples.count() as f64;
        let mut mean = sum_of_samples(&samples);
        mean.data_mut().iter_mut().for_each(|m| *m /= n);
        let (mean, squares) = if let TwoSided::Dense(X) = &mut samples {
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
            TwoSided::Dense(X) => from_mat(&gram(X.as_mat(), X.as_mat())),
            TwoSided::Sparse { .. } => written_out(&FeatureGram(self)),
        }
    }

    /// `XX'` (n x n) written out.
    pub(super) fn sample_products(&self) -> Dense<f64> {
        match &self.samples {
            TwoSided::Dense(X) => from_mat(&gram(X.as_mat().transpose(), X.as_mat().transpose())),
            TwoSided::Sparse { .. } => written_out(self),
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
struct FeatureGram<'a>(&'a Centred);

impl LinOp for FeatureGram<'_> {
    fn size(&self) -> usize {
        self.0.features()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        *out = self.0.transposed_times(&self.0.times(x));
    }
}

fn written_out(operator: &dyn LinOp) -> Dense<f64> {
    let size = operator.size();
    let mut matrix = Dense::zeros(size, size);
    for first in (0..size).step_by(BLOCK_COLUMNS) {
        let width = BLOCK_COLUMNS.min(size - first);
        let unit = Dense::from_fn(size, width, |i, j| if i == first + j { 1.0 } else { 0.0 });
        let mut block = Dense::zeros(size, width);
        operator.apply(&unit, &mut block);
        for (row, block) in matrix.data_mut().chunks_exact_mut(size).zip(block.iter_rows()) {
            row[first..first + width].copy_from_slice(block);
        }
    }
    matrix
}

/// `P` (n x n) of one view: symmetric, eigenvalues from 0 to 1.
pub(super) struct Projection<'a> {
    pub(super) X: Centred,
    inverse: Inverse,
    name: &'a str,
    run: &'a Run,
}

/// How `(X'X + r I)^-1` is had.
enum Inverse {
    /// Written out (d x d): few features.
    Features(Dense<f64>),
    /// `P` itself (n x n), smaller than the view: fewer samples than features, and not many.
    TwoSided(Dense<f64>),
    /// By conjugate gradients, with this `r`: many samples and many features.
    Iterated(f64),
    /// A constant view explains nothing: `P = 0`.
    Constant,
}

impl<'a> Projection<'a> {
    /// `r = ridge tr(X'X) / d`; `factorised` is the most features or samples whose products are written out.
    pub(super) fn new(X: Centred, ridge: f64, factorised: usize, name: &'a str, run: &'a Run) -> Result<Self> {
        let r = ridge * X.squares / X.features().max(1) as f64;
        let inverse = if X.squares <= 0.0 {
            Inverse::Constant
        } else if X.features() <= factorised.min(X.count()) {
            let products = X.feature_products();
            let none = MIN_SPREAD * trace(&products);
            Inverse::Features(symmetric_function(&products, |w| if w > none { 1.0 / (w + r) } else { 0.0 })?)
        } else if X.count() <= factorised {
            let products = X.sample_products();
            let none = MIN_SPREAD * trace(&products);
            Inverse::TwoSided(symmetric_function(&products, |w| if w > none { w / (w + r) } else { 0.0 })?)
        } else {
            Inverse::Iterated(r)
        };
        Ok(Self { X, inverse, name, run })
    }

    /// Whether products with `P` are solved for, each anew.
    pub(super) fn is_iterated(&self) -> bool {
        matches!(self.inverse, Inverse::Iterated(_))
    }

    /// `(X'X + r I)^-1 B` (d x b). A cancelled run gives zeros; the next check of the run returns the error.
    fn iterate(&self, r: f64, B: &Dense<f64>) -> Dense<f64> {
        let mut Z = Dense::zeros(B.rows(), B.cols());
        let info = INNER.solve(&FeatureGram(&self.X), &vec![r; B.cols()], B, &mut Z, self.run);
        if info.is_ok_and(|info| !info.converged) {
            let detail = format!("the regression on view `{}` is not exact; a larger ridge helps", self.name);
            self.run.warn(Warning::NotConverged { view: Some(self.name.to_owned()), detail });
        }
        Z
    }
}

impl LinOp for Projection<'_> {
    fn size(&self) -> usize {
        self.X.count()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        match &self.inverse {
            Inverse::Features(inverse) => {
                let B = self.X.transposed_times(x);
                let mut Z = Dense::zeros(B.rows(), B.cols());
                multiply_small(Z.as_mat_mut(), inverse.as_mat(), B.as_mat());
                *out = self.X.times(&Z);
            }
            Inverse::TwoSided(P) => multiply_small(out.as_mat_mut(), P.as_mat(), x.as_mat()),
            Inverse::Iterated(r) => *out = self.X.times(&self.iterate(*r, &self.X.transposed_times(x))),
            Inverse::Constant => out.data_mut().fill(0.0),
        }
    }
}

/// The sum of the eigenvalues: the largest, up to a factor that does not matter here.
fn trace(products: &Dense<f64>) -> f64 {
    (0..products.rows()).map(|i| products.get(i, i)).sum()
}

/// `sum_i P_i`: its eigenvectors are the directions that the views share, its eigenvalues 1 + correlation for two views.
pub(super) struct Regressions<'a>(pub(super) Vec<Projection<'a>>);

impl LinOp for Regressions<'_> {
    fn size(&self) -> usize {
        self.0.first().map_or(0, LinOp::size)
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let mut term = Dense::zeros(x.rows(), x.cols());
        out.data_mut().fill(0.0);
        for projection in &self.0 {
            projection.apply(x, &mut term);
            update_entries(out, &term, |sum, x, _| sum + x);
        }
    }
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
