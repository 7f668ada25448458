//! How many entries of a corrupted view were replaced.
//!
//! A split with a small weight on the sparse part leaves the noise of every entry in it, however many were replaced: the
//! sparse part is then a normal body and a flat shelf, whose share is found by expectation maximisation. (The residuals of
//! the outlier test cannot tell: with half of the entries replaced, hardly a neighbour is right.)

use super::residuals::evenly;
use super::robust_pca;
use crate::matrix::{Dense, median};
use crate::{Result, Run};

/// Weight of the sparse part, as in [`robust_pca`].
const WEIGHT: f64 = 0.8;
/// Rows and columns of the view that are looked at, evenly spread.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 400;
/// Entries of the sparse part that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// The shelf ends here: at this quantile of the sizes.
const END: f64 = 0.995;
const STEPS: usize = 100;

/// The share of replaced entries in a view that has some: an estimate, a few points too high in small views.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn replaced_share(x: &Dense<f64>, run: &Run) -> Result<f64> {
    let (rows, columns) = (evenly(x.rows(), MOST_ROWS), evenly(x.cols(), MOST_COLUMNS));
    let part = Dense::from_fn(rows.len(), columns.len(), |i, j| x.get(rows[i], columns[j]));
    let sparse = robust_pca(&part, WEIGHT, run)?.sparse;
    let entries = evenly(sparse.data().len(), MOST_ENTRIES);
    Ok(shelf_share(&entries.into_iter().map(|at| sparse.data()[at].abs()).collect::<Vec<f64>>()))
}

/// The share of a uniform distribution in sizes that are otherwise those of a normal one.
fn shelf_share(sizes: &[f64]) -> f64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let end = sorted.get((END * sorted.len() as f64) as usize).copied().unwrap_or(0.0);
    // with many replaced entries the median is no longer the body's
    let mut scale = 0.7 * 1.4826 * median(sorted);
    let mut share = 0.3;
    for _ in 0..STEPS {
        if !(scale > 0.0 && end > 0.0) {
            return 0.0;
        }
        let body = (1.0 - share) / (scale * std::f64::consts::FRAC_PI_2.sqrt());
        let (mut shelved, mut inside, mut squares) = (0.0, 0.0, 0.0);
        for size in sizes {
            let normal = body * (-0.5 * (size / scale).powi(2)).exp();
            let probability = (share / end) / (share / end + normal);
            shelved += probability;
            inside += 1.0 - probability;
            squares += (1.0 - probability) * size * size;
        }
        share = shelved / sizes.len() as f64;
        scale = (squares / inside.max(f64::MIN_POSITIVE)).sqrt();
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Blobs;
    use crate::matrix::Matrix;
    use crate::{Corruption, Scale};

    #[test]
    fn a_shelf_of_a_third_is_seen() {
        // quantiles of |normal| by its inverse are not at hand: sums of twelve uniform numbers are normal enough
        let uniform = |at: usize| (at as f64 * 0.618_033_988_749_894_9).fract();
        let normal = |at: usize| (0..12).map(|m| uniform(12 * at + m * 7 + at / 3)).sum::<f64>() - 6.0;
        let sizes = |at: usize| if at.is_multiple_of(3) { 12.0 * uniform(at) } else { normal(at).abs() };
        let found = shelf_share(&(0..9_000).map(sizes).collect::<Vec<f64>>());
        assert!((found - 1.0 / 3.0).abs() < 0.05, "{found}");
        assert_eq!(shelf_share(&[0.0; 50]), 0.0);
        assert_eq!(shelf_share(&[]), 0.0);
    }

    #[test]
    fn the_share_is_right_up_to_a_half() {
        let blobs = Blobs { samples: 600, clusters: 5, features: vec![60], separation: 8.0, seed: 3 };
        let clean = blobs.generate().unwrap().0.scaled(Scale::Zscore).unwrap();
        for fraction in [0.1, 0.2, 0.3, 0.4, 0.5] {
            let noisy = clean.corrupted(&Corruption { fraction, ..Corruption::default() }).unwrap();
            let Matrix::DenseF64(z) = &noisy.iter().next().unwrap().data else { panic!() };
            let found = replaced_share(z, &Run::default()).unwrap();
            assert!((found - fraction).abs() < 0.1, "{fraction}: {found}");
        }
    }
}
