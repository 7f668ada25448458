//! The objective, for the trace.

use rayon::prelude::*;

use super::Terms;
use super::samples::Samples;
use crate::matrix::{Dense, Real, TASK_ROWS};

/// A view's part of the objective without the nuclear norm: `lambda1 |E|_1 + lambda2 tr(Z'LZ) + beta/2 sum_j |Z - Z_j|^2`.
/// `error` is `|E|_1`.
pub(super) fn smooth_parts<F: Real>(
    samples: &Samples<F>,
    Z: &Dense<F>,
    others: &[&Dense<F>],
    error: f64,
    terms: Terms,
) -> f64 {
    let n = Z.cols().max(1);
    let size = TASK_ROWS * n;
    let parts = Z.data().par_chunks(size).enumerate().map(|(task, Z)| {
        let mut LZ = vec![0.0; n];
        let mut roughness = 0.0;
        for z in Z.chunks_exact(n) {
            samples.laplacian(z, &mut LZ);
            roughness += z.iter().zip(&LZ).map(|(z, Lz)| z.to_f64() * Lz).sum::<f64>();
        }
        let apart = |other: &&Dense<F>| {
            let gap = |(a, b): (&F, &F)| (a.to_f64() - b.to_f64()).powi(2);
            Z.iter().zip(&other.data()[task * size..]).map(gap).sum::<f64>()
        };
        terms.lambda2 * roughness + 0.5 * terms.beta * others.iter().map(apart).sum::<f64>()
    });
    terms.lambda1 * error + parts.collect::<Vec<f64>>().iter().sum::<f64>()
}
