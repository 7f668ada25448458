//! Whether a view is corrupted: a test without a threshold on the data's own scale.

use super::right_singular;
use crate::matrix::{Dense, median, median_in_place, multiply_small};
use crate::views::{ColumnScale, moments_of_dense};
use crate::{Result, Run};

/// Rank of the fit, at most.
const MAX_RANK: usize = 20;
/// Standard deviations at which entries are clipped before the first fit.
const CLIP: f64 = 2.5;
/// Fits, each with the outliers of the last one imputed.
const FITS: usize = 4;

/// An estimate of the share of grossly wrong entries in a view, whatever the units of its columns.
///
/// A low-rank fit that imputes what it cannot explain leaves a residual R. Replaced entries stand out of R on **both**
/// sides in every column, whereas counts, histograms and topic shares have large values on one side only: so the
/// smaller of the two tails is what counts, and the median over columns what is reported.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn outlier_share(x: &Dense<f64>, run: &Run) -> Result<f64> {
    let (n, d) = (x.rows(), x.cols());
    if n < 20 || d < 4 {
        return Ok(0.0);
    }
    // views are large: their z-scores are computed as they are needed, and one matrix serves as the filled view and as
    // the sizes of the residuals in turn
    let z = ZScores::new(x);
    let rank = (n.min(d) / 4).clamp(1, MAX_RANK);
    let mut filled = Dense::zeros(n, d);
    z.write(&mut filled, None, |x, _| x.clamp(-CLIP, CLIP));
    let (mut fit, mut fits) = (Dense::zeros(n, d), 0);
    loop {
        low_rank_fit(&filled, rank, &mut fit, run)?;
        run.check()?;
        z.write(&mut filled, Some(&fit), |x, a| (x - a).abs());
        let spread = 1.4826 * median_in_place(filled.data_mut());
        run.check()?;
        fits += 1;
        if fits == FITS {
            z.write(&mut filled, Some(&fit), |x, a| x - a);
            return Ok(two_sided_share(&filled, f64::max(2.0, 3.0 * spread)));
        }
        z.write(&mut filled, Some(&fit), |x, a| if (x - a).abs() > 3.0 * spread { a } else { x });
    }
}

/// The z-scores of a matrix, never written out.
struct ZScores<'a> {
    x: &'a Dense<f64>,
    columns: ColumnScale,
}

impl<'a> ZScores<'a> {
    fn new(x: &'a Dense<f64>) -> Self {
        Self { x, columns: moments_of_dense(x) }
    }

    /// `out = rule(z, fit)`, entry by entry; a missing fit is 0.
    fn write(&self, out: &mut Dense<f64>, fit: Option<&Dense<f64>>, rule: impl Fn(f64, f64) -> f64) {
        let width = self.x.cols().max(1);
        for (i, (out, row)) in out.data_mut().chunks_exact_mut(width).zip(self.x.iter_rows()).enumerate() {
            let entries = row.iter().zip(&self.columns.shift).zip(&self.columns.divide);
            let z = entries.map(|((x, shift), divide)| (x - shift) / divide);
            match fit {
                Some(fit) => out.iter_mut().zip(z).zip(fit.row(i)).for_each(|((out, z), a)| *out = rule(z, *a)),
                None => out.iter_mut().zip(z).for_each(|(out, z)| *out = rule(z, 0.0)),
            }
        }
    }
}

/// `fit` becomes the projection of the rows on the leading `rank` right singular vectors (for a wide matrix, of the columns on the left).
fn low_rank_fit(y: &Dense<f64>, rank: usize, fit: &mut Dense<f64>, run: &Run) -> Result<()> {
    if y.cols() > y.rows() {
        let mut turned = Dense::zeros(y.cols(), y.rows());
        low_rank_fit(&y.transposed(), rank, &mut turned, run)?;
        *fit = turned.transposed();
        return Ok(());
    }
    let singular = right_singular(y, rank, 1e-4, run)?;
    let leading = singular.vectors.as_ref().subcols(0, rank.min(singular.vectors.ncols()));
    let mut scores = Dense::zeros(y.rows(), leading.ncols());
    multiply_small(scores.as_mat_mut(), y.as_mat(), leading);
    multiply_small(fit.as_mat_mut(), scores.as_mat(), leading.transpose());
    Ok(())
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
