//! How many entries of a corrupted view were replaced.
//!
//! A split with a small weight on the sparse part leaves the noise of every entry in it, however many were replaced: the
//! sparse part is then a body and a flat shelf, whose share is found by expectation maximisation. (The residuals of
//! the outlier test cannot tell: with half of the entries replaced, hardly a neighbour is right.)
//!
//! The body of real data has longer tails than a normal one, and a normal body leaves them to the shelf: five to ten points too
//! many were said. So the body is Student's, of the degrees of freedom that explain the entries best. What is still said too much
//! is in views of few or odd columns; how much that is was measured (`experiments/facts/corruption.csv`).

use rayon::prelude::*;

use super::column::NORMAL;
use super::robust_pca;
use super::tails::Body;
use crate::matrix::evenly;
use crate::matrix::{Dense, median};
use crate::{Result, Run};

/// Weight of the sparse part, as in [`robust_pca`].
const WEIGHT: f64 = 0.8;
/// Rows and columns of the view that are looked at, evenly spread.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 400;
/// Quantiles of the sizes of the sparse part that stand for all of them: the share needs no more, and each is weighed hundreds of
/// times.
const QUANTILES: usize = 2_000;
/// The shelf ends here: at this quantile of the sizes.
const END: f64 = 0.995;
const STEPS: usize = 100;
/// Degrees of freedom of bodies with tails.
const FREEDOMS: [f64; 6] = [1.0, 2.0, 3.0, 5.0, 9.0, 20.0];
/// How far the share may be above the truth and below it: seven of eight of the views that were measured are within.
const TOO_MUCH: f64 = 0.1;
const TOO_LITTLE: f64 = 0.05;

/// The share of replaced entries, estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReplacedShare {
    /// With a body that has the tails of the data.
    pub(crate) share: f64,
    /// With a normal body: larger, and what the weight of a split goes by.
    pub(crate) with_normal_body: f64,
}

impl ReplacedShare {
    /// Where the truth is likely to be.
    pub(crate) fn range(share: f64) -> (f64, f64) {
        ((share - TOO_MUCH).max(0.0), (share + TOO_LITTLE).min(1.0))
    }
}

/// The share of replaced entries in a view that has some.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn replaced_share(x: &Dense<f64>, run: &Run) -> Result<ReplacedShare> {
    let (rows, columns) = (evenly(x.rows(), MOST_ROWS), evenly(x.cols(), MOST_COLUMNS));
    let part = Dense::from_fn(rows.len(), columns.len(), |i, j| x.get(rows[i], columns[j]));
    let sparse = robust_pca(&part, WEIGHT, run)?.sparse;
    let sizes = quantiles(sparse.data().iter().map(|x| x.abs()).collect());
    let with_normal_body = shelf_share(&sizes, Body::NORMAL).map_or(0.0, |shelf| shelf.share);
    let with_tails = FREEDOMS.par_iter().map(|&freedom| shelf_share(&sizes, Body::Student(freedom)));
    let with_tails: Vec<Option<Shelf>> = with_tails.collect();
    let best = with_tails.into_iter().flatten().max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood));
    // longer tails leave less to the shelf; where they do not, they have taken the shelf for the body
    let share = best.map_or(with_normal_body, |best| best.share.min(with_normal_body));
    Ok(ReplacedShare { share, with_normal_body })
}

/// So many numbers that have the distribution of these, rising.
fn quantiles(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    if numbers.len() <= QUANTILES {
        return numbers;
    }
    let step = numbers.len() as f64 / QUANTILES as f64;
    (0..QUANTILES).map(|place| numbers[((place as f64 + 0.5) * step) as usize]).collect()
}

/// A uniform distribution besides a body.
struct Shelf {
    share: f64,
    log_likelihood: f64,
}

/// The share of a uniform distribution in sizes, rising, that are otherwise those of a body. None when they are all zero, or the
/// body shrinks to nothing.
fn shelf_share(sizes: &[f64], body: Body) -> Option<Shelf> {
    let end = sizes.get((END * sizes.len() as f64) as usize).copied().unwrap_or(0.0);
    // with many replaced entries the median is no longer the body's
    let mut scale = 0.7 * NORMAL * median(sizes.to_vec());
    let mut shelf = Shelf { share: 0.3, log_likelihood: 0.0 };
    let height = body.height();
    for _ in 0..STEPS {
        if !(scale > 0.0 && end > 0.0) {
            return None;
        }
        let flat = shelf.share / end;
        let (mut shelved, mut inside, mut squares, mut log_likelihood) = (0.0, 0.0, 0.0, 0.0);
        for size in sizes {
            let (density, weight) = (body.fall(size / scale), body.weight(size / scale));
            let all = flat + (1.0 - shelf.share) * height / scale * density;
            let probability = flat / all;
            shelved += probability;
            inside += 1.0 - probability;
            squares += (1.0 - probability) * weight * size * size;
            log_likelihood += all.ln();
        }
        shelf = Shelf { share: shelved / sizes.len() as f64, log_likelihood };
        scale = (squares / inside.max(f64::MIN_POSITIVE)).sqrt();
    }
    Some(shelf)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::Matrix;
    use crate::{Corruption, Scale};

    #[test]
    fn a_shelf_of_a_third_is_seen() {
        // quantiles of |normal| by its inverse are not at hand: sums of twelve uniform numbers are normal enough
        let uniform = |at: usize| (at as f64 * 0.618_033_988_749_894_9).fract();
        let normal = |at: usize| (0..12).map(|m| uniform(12 * at + m * 7 + at / 3)).sum::<f64>() - 6.0;
        let sizes = |at: usize| if at.is_multiple_of(3) { 12.0 * uniform(at) } else { normal(at).abs() };
        let found = shelf_share(&quantiles((0..9_000).map(sizes).collect()), Body::NORMAL).unwrap().share;
        assert!((found - 1.0 / 3.0).abs() < 0.05, "{found}");
        assert!(shelf_share(&[0.0; 50], Body::NORMAL).is_none());
        assert!(shelf_share(&[], Body::Student(3.0)).is_none());
    }

    #[test]
    fn long_tails_are_not_taken_for_a_shelf() {
        // Student's t of three degrees of freedom and rank 4, a fifth of the entries replaced
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let (left, right) = (Dense::from_fn(300, 4, |_, _| normal()), Dense::from_fn(80, 4, |_, _| 0.5 * normal()));
        let student = |normal: &mut dyn FnMut() -> f64| {
            let square: f64 = (0..3).map(|_| normal().powi(2)).sum();
            0.5 * normal() / (square / 3.0).sqrt()
        };
        let x = Dense::from_fn(300, 80, |i, j| {
            let plain: f64 = left.row(i).iter().zip(right.row(j)).map(|(a, b)| a * b).sum();
            plain + student(&mut normal)
        });
        let view = crate::View::new("a", x);
        let clean = crate::Views::new(vec![view]).unwrap().scaled(Scale::Zscore).unwrap();
        let noisy = clean.corrupted(&Corruption::default()).unwrap();
        let Matrix::DenseF64(z) = &noisy.iter().next().unwrap().data else { panic!() };
        let ReplacedShare { share, with_normal_body } = replaced_share(z, &Run::default()).unwrap();
        assert!((share - 0.2).abs() < 0.03 && with_normal_body > 0.23, "{share} and {with_normal_body}");
        let (low, high) = ReplacedShare::range(share);
        assert!(low < 0.2 && 0.2 < high);
    }

    #[test]
    fn the_share_is_right_up_to_a_half() {
        let blobs = Blobs { samples: 600, clusters: 5, features: vec![60], separation: 8.0, seed: 3 };
        let clean = blobs.generate().unwrap().0.scaled(Scale::Zscore).unwrap();
        for fraction in [0.1, 0.2, 0.3, 0.4, 0.5] {
            let noisy = clean.corrupted(&Corruption { fraction, ..Corruption::default() }).unwrap();
            let Matrix::DenseF64(z) = &noisy.iter().next().unwrap().data else { panic!() };
            let found = replaced_share(z, &Run::default()).unwrap();
            assert!((found.with_normal_body - fraction).abs() < 0.1, "{fraction}: {found:?}");
            assert!((found.share - fraction).abs() < 0.05, "{fraction}: {found:?}");
        }
    }
}
