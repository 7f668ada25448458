//! The ridge regression on a view: `P = X (X'X + r I)^-1 X'`.

use super::centred::{Centred, Features};
use crate::matrix::{Dense, multiply_small, symmetric_function, update_entries};
use crate::operator::{ConjugateGradient, LinOp};
use crate::{Result, Run};

/// Up to this many features, or samples where there are fewer, a view's products are factorised: 70 MB and a minute at
/// most. Beyond, only products with the view itself are made.
pub(super) const FACTORISED: usize = 3000;
/// An eigenvalue of `X'X` below this share of their sum is none: squaring has cost half of the digits.
const NO_SPREAD: f64 = 1e-12;
/// Far below what the eigenvectors are asked for, since the ridge can blow errors up by `|X| / sqrt(r)`.
const INNER: ConjugateGradient = ConjugateGradient { tolerance: 1e-10, max_iterations: 1000 };

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
    Samples(Dense<f64>),
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
            let none = NO_SPREAD * trace(&products);
            Inverse::Features(symmetric_function(&products, |w| if w > none { 1.0 / (w + r) } else { 0.0 })?)
        } else if X.count() <= factorised {
            let products = X.sample_products();
            let none = NO_SPREAD * trace(&products);
            Inverse::Samples(symmetric_function(&products, |w| if w > none { w / (w + r) } else { 0.0 })?)
        } else {
            Inverse::Iterated(r)
        };
        Ok(Self { X, inverse, name, run })
    }

    /// Whether products with `P` are solved for, each anew.
    pub(super) fn is_iterated(&self) -> bool {
        matches!(self.inverse, Inverse::Iterated(_))
    }

    /// `(X'X + r I)^-1 B` (d x b). A cancelled run gives zeros; whoever asks next notices.
    fn iterate(&self, r: f64, B: &Dense<f64>) -> Dense<f64> {
        let mut Z = Dense::zeros(B.rows(), B.cols());
        let info = INNER.solve(&Features(&self.X), &vec![r; B.cols()], B, &mut Z, self.run);
        if info.is_ok_and(|info| !info.converged) {
            self.run.warn(format!("the regression on view `{}` is not exact; a larger ridge helps", self.name));
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
            Inverse::Samples(P) => multiply_small(out.as_mat_mut(), P.as_mat(), x.as_mat()),
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
