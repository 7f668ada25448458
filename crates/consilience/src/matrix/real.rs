//! The two precisions the engine computes in.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use faer::{Accum, MatMut, MatRef};

use super::matmul;

/// `f32` or `f64`. Sums that decide something are accumulated in `f64` whatever the storage is.
pub trait Real:
    Copy
    + Send
    + Sync
    + PartialOrd
    + Default
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + 'static
{
    /// Larger than every finite number.
    const INFINITY: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: f64;

    /// Widens, exactly.
    fn to_f64(self) -> f64;

    /// Narrows, rounding to nearest.
    fn from_f64(value: f64) -> Self;

    /// The same numbers in double precision: themselves, or widened into `scratch`.
    fn widened<'a>(numbers: &'a [Self], scratch: &'a mut Vec<f64>) -> &'a [f64];

    /// `out (m x n) = a (m x depth) * b' (n x depth)`, all row-major and contiguous, on the calling thread.
    /// Every product of two tall matrices in the crate goes through here, so that faer's kernels are
    /// compiled once per precision and callers decide the parallelism.
    fn product_transposed(out: &mut [Self], a: &[Self], b: &[Self], depth: usize);
}

macro_rules! real {
    ($float:ty, $widened:expr) => {
        impl Real for $float {
            const INFINITY: Self = <$float>::INFINITY;
            #[allow(clippy::cast_lossless, trivial_numeric_casts)]
            const EPSILON: f64 = <$float>::EPSILON as f64;

            #[allow(clippy::cast_lossless, trivial_numeric_casts)]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[allow(clippy::cast_possible_truncation, trivial_numeric_casts)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }

            fn widened<'a>(numbers: &'a [Self], scratch: &'a mut Vec<f64>) -> &'a [f64] {
                let widen: fn(&'a [Self], &'a mut Vec<f64>) -> &'a [f64] = $widened;
                widen(numbers, scratch)
            }

            fn product_transposed(out: &mut [Self], a: &[Self], b: &[Self], depth: usize) {
                if depth == 0 {
                    out.fill(0.0);
                    return;
                }
                let (m, n) = (a.len() / depth, b.len() / depth);
                let a = MatRef::from_row_major_slice(a, m, depth);
                let b = MatRef::from_row_major_slice(b, n, depth);
                let out = MatMut::from_row_major_slice_mut(out, m, n);
                matmul(out, Accum::Replace, a, b.transpose(), 1.0);
            }
        }
    };
}
real!(f32, |numbers, scratch| {
    scratch.clear();
    scratch.extend(numbers.iter().map(|x| f64::from(*x)));
    scratch
});
real!(f64, |numbers, _| numbers);
