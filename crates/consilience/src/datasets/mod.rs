//! Made-up multi-view data with known clusters, for tests and benchmarks.

mod blobs;
mod curves;

pub use blobs::Blobs;
pub use curves::{Curves, MadeView};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Box and Muller's formula rather than the crate `rand_distr`: one function of test data does not earn a dependency,
/// and the numbers must not change with its versions.
fn standard_normal(rng: &mut ChaCha8Rng) -> f64 {
    normal_pair(rng).0
}

/// Two independent numbers for the price of one.
fn normal_pair(rng: &mut ChaCha8Rng) -> (f64, f64) {
    let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    let radius = (-2.0 * radius.ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * angle).sin_cos();
    (radius * cosine, radius * sine)
}
