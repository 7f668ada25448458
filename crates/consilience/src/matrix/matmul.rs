//! The product of two matrices, as every other place of the crate calls it.

use faer::traits::RealField;
use faer::{Accum, MatMut, MatRef, Par};

/// `out = factor a b`, or added to it, on the calling thread.
pub(crate) fn matmul<T: RealField>(out: MatMut<'_, T>, accum: Accum, a: MatRef<'_, T>, b: MatRef<'_, T>, factor: T) {
    faer::linalg::matmul::matmul(out, accum, a, b, factor, Par::Seq);
    release_wide_registers();
}

/// Tells the processor that nothing is in the upper parts of its vector registers. faer's kernels leave them as they are, and on
/// some processors ordinary arithmetic that follows must then keep them: logarithms take 25 times as long.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn release_wide_registers() {
    if std::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instruction, and no caller keeps anything in these parts of the registers across a call
        unsafe { std::arch::x86_64::_mm256_zeroupper() }
    }
}

/// Other processors have no such registers.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn release_wide_registers() {}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn products_by_hand() {
        let (a, b) = (Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64), Mat::<f64>::identity(2, 2));
        let mut out: Mat<f64> = Mat::zeros(2, 2);
        matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 2.0);
        matmul(out.as_mut(), Accum::Add, a.as_ref(), a.as_ref(), 1.0);
        assert_eq!(out, Mat::from_fn(2, 2, |i, j| [[2.0, 5.0], [10.0, 17.0]][i][j]));
    }
}
