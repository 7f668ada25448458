//! From the factors of the views to the factor of the affinity that they agree on.

use crate::matrix::Dense;

/// `B = [U_1 .. U_V] / sqrt(V)` (n x Vk), so that Eq. `simi-all` is `W = B B'`. Entries below `tau` times their
/// column's largest are set to zero, negative ones always: an affinity has none.
pub(crate) fn consensus_factor(U: &[Dense<f64>], tau: f64) -> Dense<f64> {
    let n = U.first().map_or(0, Dense::rows);
    let scale = 1.0 / (U.len().max(1) as f64).sqrt();
    let mut floors = Vec::new();
    for U in U {
        let mut largest = vec![0.0_f64; U.cols()];
        U.iter_rows().for_each(|row| largest.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(*x)));
        floors.extend(largest.into_iter().map(|most| tau * most));
    }
    let mut data = Vec::with_capacity(n * floors.len());
    for l in 0..n {
        let row = U.iter().flat_map(|U| U.row(l));
        data.extend(row.zip(&floors).map(|(&x, &floor)| if x > 0.0 && x >= floor { scale * x } else { 0.0 }));
    }
    Dense::new(n, floors.len(), data).unwrap_or_else(|_| Dense::zeros(n, floors.len()))
}
