//! Whether a view is corrupted: a test without a threshold on the data's own scale.

use super::super::scale::zscored;
use super::spectrum::right_singular;
use crate::matrix::{Dense, median, multiply_small};
use crate::{Result, Run};

const MOST_RANK: usize = 20;
const CLIP: f64 = 2.5;
const ROUNDS: usize = 4;

/// An estimate of the share of grossly wrong entries in a view, whatever the units of its columns.
///
/// A low-rank fit that imputes what it cannot explain leaves a residual R. Replaced entries stand out of R on **both**
/// sides in every column, whereas counts, histograms and topic shares have large values on one side only: so the
/// smaller of the two tails is what counts, and the median over columns what is reported.
///
/// # Errors
/// When the run is cancelled.
pub fn outlier_share(x: &Dense<f64>, run: &Run) -> Result<f64> {
    let (n, d) = (x.rows(), x.cols());
    if n < 20 || d < 4 {
        return Ok(0.0);
    }
    let z = zscored(x);
    let rank = (n.min(d) / 4).clamp(1, MOST_RANK);
    let mut filled = z.clone();
    filled.data_mut().iter_mut().for_each(|x| *x = x.clamp(-CLIP, CLIP));
    let mut residual = Dense::zeros(n, d);
    let mut spread = 0.0;
    for _ in 0..ROUNDS {
        let fit = low_rank_fit(&filled, rank, run)?;
        run.check()?;
        let entries = residual.data_mut().iter_mut().zip(z.data()).zip(fit.data());
        entries.for_each(|((r, x), a)| *r = x - a);
        spread = 1.4826 * median(residual.data().iter().map(|r| r.abs()).collect());
        run.check()?;
        let entries = filled.data_mut().iter_mut().zip(z.data()).zip(fit.data());
        entries.for_each(|((y, x), a)| *y = if (x - a).abs() > 3.0 * spread { *a } else { *x });
    }
    Ok(two_sided_share(&residual, f64::max(2.0, 3.0 * spread)))
}

/// The projection of the rows on the leading `rank` right singular vectors (for a wide matrix, of the columns on the left).
fn low_rank_fit(y: &Dense<f64>, rank: usize, run: &Run) -> Result<Dense<f64>> {
    if y.cols() > y.rows() {
        return Ok(low_rank_fit(&y.transposed(), rank, run)?.transposed());
    }
    let singular = right_singular(y, rank, 1e-4, run)?;
    let leading = singular.vectors.as_ref().subcols(0, rank.min(singular.vectors.ncols()));
    let mut scores = Dense::zeros(y.rows(), leading.ncols());
    multiply_small(scores.as_mat_mut(), y.as_mat(), leading);
    let mut fit = Dense::zeros(y.rows(), y.cols());
    multiply_small(fit.as_mat_mut(), scores.as_mat(), leading.transpose());
    Ok(fit)
}

/// Twice the median over columns of the smaller tail beyond `threshold`.
fn two_sided_share(residual: &Dense<f64>, threshold: f64) -> f64 {
    let (mut above, mut below) = (vec![0_usize; residual.cols()], vec![0_usize; residual.cols()]);
    for row in residual.iter_rows() {
        for (j, &x) in row.iter().enumerate() {
            above[j] += usize::from(x > threshold);
            below[j] += usize::from(x < -threshold);
        }
    }
    let n = residual.rows() as f64;
    2.0 * median(above.iter().zip(&below).map(|(&a, &b)| a.min(b) as f64 / n).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Blobs;
    use crate::matrix::Matrix;
    use crate::{Corruption, Scale, Views};

    fn share(views: &Views) -> f64 {
        let Matrix::DenseF64(z) = &views.iter().next().unwrap().data else { panic!() };
        outlier_share(z, &Run::default()).unwrap()
    }

    #[test]
    fn clean_gaussian_data_pass_and_replaced_entries_do_not() {
        let blobs = Blobs { samples: 300, clusters: 4, features: vec![30], separation: 8.0, seed: 3 };
        let clean = blobs.generate().unwrap().0.scaled(Scale::Zscore).unwrap();
        assert!(share(&clean) < 0.006, "{}", share(&clean));
        for fraction in [0.05, 0.2] {
            let noisy = clean.corrupted(&Corruption { fraction, ..Corruption::default() }).unwrap();
            assert!(share(&noisy) > 0.012, "{fraction}: {}", share(&noisy));
        }
    }

    #[test]
    fn one_sided_spikes_are_not_corruption() {
        let spiky = Dense::from_fn(200, 12, |i, j| if (i * 5 + j) % 12 == 0 { 3.3 } else { -0.3 });
        assert!(outlier_share(&spiky, &Run::default()).unwrap() < 0.012);
    }
}
