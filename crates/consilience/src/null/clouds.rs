//! The same views without clusters: what eigenvalues and stability are compared with.

use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;

use super::stream;
use crate::matrix::{
    Dense, Matrix, add_product, column_sums, fold, for_matrix, multiply_small, multiply_square, symmetric_function,
};
use crate::operator::{LinOp, LinearKernel, TopEigen, WeightedSum};
use crate::views::{hellinger, looks_like_counts};
use crate::{Result, Run, View, Views};

/// Directions of the largest variance in which a null is uniform. Along few directions a uniform cloud is cut most cheaply of
/// all clouds without clusters; the sum of many is Gaussian anyhow.
const UNIFORM_DIRECTIONS: usize = 10;
/// These directions only have to be about right.
const DIRECTION_TOLERANCE: f64 = 1e-2;
/// Samples of a cloud that are drawn at once: their combinations wait in memory.
const ROWS_AT_ONCE: usize = 512;
/// Up to this many samples, views with many features are narrowed: the eigenvectors of more would take longer than they save.
const MOST_NARROWED: usize = 1000;

/// Clouds without clusters that have the mean, the variances and the covariances of the views, within views and between
/// them.
pub(crate) struct Clouds<'a> {
    views: &'a Views,
    /// Every view with its mean taken off, n x d, or n x n where that is much less.
    centred: Vec<Dense<f64>>,
    /// The directions of largest variance over all views, as combinations of samples: n x r, orthonormal.
    directions: Dense<f64>,
}

impl<'a> Clouds<'a> {
    /// Views with more features are folded to this many: distances stay about what they were, and memory stays small.
    pub(crate) const MOST_FEATURES: usize = 4096;

    pub(crate) fn new(views: &'a Views, seed: u64, run: &Run) -> Result<Self> {
        let centred: Vec<Dense<f64>> = views.iter().map(spread_out).collect::<Result<_>>()?;
        let terms = centred.iter().map(|points| {
            let variance: f64 = column_sums(points, points, |x, y| x * y).iter().sum();
            let kernel = LinearKernel::new(points.clone(), vec![0.0; points.cols()], 1.0)?;
            Ok((if variance > 0.0 { 1.0 / variance } else { 0.0 }, Arc::new(kernel) as Arc<dyn LinOp>))
        });
        let kernel = WeightedSum::new(terms.collect::<Result<_>>()?);
        let count = UNIFORM_DIRECTIONS.min(views.samples() - 1);
        let eigen = TopEigen { tolerance: DIRECTION_TOLERANCE, ..TopEigen::for_labels(count, seed) };
        Ok(Self { directions: eigen.solve(&kernel, None, run)?.vectors, centred, views })
    }

    /// One cloud: every sample is a random combination of all samples, the same in all views.
    pub(crate) fn draw(&self, seed: u64) -> Result<Views> {
        let n = self.views.samples();
        let mut drawn: Vec<Vec<f64>> =
            self.centred.iter().map(|points| Vec::with_capacity(points.data().len())).collect();
        for first in (0..n).step_by(ROWS_AT_ONCE) {
            let mixing = self.mixing(seed, first..(first + ROWS_AT_ONCE).min(n));
            for (points, drawn) in self.centred.iter().zip(&mut drawn) {
                let mut rows = Dense::zeros(mixing.rows(), points.cols());
                multiply_square(&mixing, points, &mut rows);
                drawn.extend_from_slice(rows.data());
            }
        }
        let views = self.views.iter().zip(&self.centred).zip(drawn).map(|((view, points), drawn)| {
            // features may have been folded: their names are no longer true
            let drawn = View::new(view.name.clone(), Dense::new(n, points.cols(), drawn)?);
            // a cloud lacks what its view lacks
            view.absent().map_or_else(|| Ok(drawn.clone()), |absent| drawn.with_absent(absent))
        });
        Views::new(views.collect::<Result<_>>()?)
    }

    /// Some rows of A = (G + (W - G U) U') / sqrt(n), n x n, G of random signs: uniform along the directions U, Gaussian otherwise.
    fn mixing(&self, seed: u64, rows: Range<usize>) -> Dense<f64> {
        let (n, r) = (self.directions.rows(), self.directions.cols());
        let mut mixing = Dense::zeros(rows.len(), n);
        let mut along = Dense::zeros(rows.len(), r);
        let drawn = mixing.data_mut().par_chunks_mut(n).zip(along.data_mut().par_chunks_mut(r)).zip(rows.clone());
        drawn.for_each(|((gaussian, uniform), i)| {
            let mut rng = stream(seed, i as u64);
            // random signs: a sum over all samples is Gaussian, and a bit costs less than a normal number
            for signs in gaussian.chunks_mut(64) {
                let bits = rng.random::<u64>();
                signs.iter_mut().enumerate().for_each(|(at, x)| *x = if bits >> at & 1 == 0 { -1.0 } else { 1.0 });
            }
            // variance 1
            uniform.iter_mut().for_each(|x| *x = 3.0_f64.sqrt() * (2.0 * rng.random::<f64>() - 1.0));
        });
        let mut gaussian_along = Dense::zeros(rows.len(), r);
        multiply_small(gaussian_along.as_mat_mut(), mixing.as_mat(), self.directions.as_mat());
        along.data_mut().iter_mut().zip(gaussian_along.data()).for_each(|(w, g)| *w -= g);
        add_product(mixing.as_mat_mut(), along.as_mat(), self.directions.as_mat().transpose(), 1.0);
        let root = (n as f64).sqrt();
        mixing.data_mut().iter_mut().for_each(|x| *x /= root);
        mixing
    }
}

/// All views as graphs compare them, one beside the other (n x the sum of their features): centred, each with its weight as its variance.
pub(crate) fn side_by_side(views: &Views, weights: Option<&[f64]>) -> Result<Dense<f64>> {
    let n = views.samples();
    let mut spread = Vec::with_capacity(views.len());
    for (place, view) in views.iter().enumerate() {
        let points = spread_out(view)?;
        let variance = points.data().iter().map(|x| x * x).sum::<f64>() / n as f64;
        let weight = weights.map_or(1.0, |weights| weights[place]);
        spread.push(((weight / variance.max(f64::MIN_POSITIVE)).sqrt(), points));
    }
    let mut all = Vec::with_capacity(n * spread.iter().map(|(_, points)| points.cols()).sum::<usize>());
    for i in 0..n {
        spread.iter().for_each(|(scale, points)| all.extend(points.row(i).iter().map(|x| scale * x)));
    }
    Dense::new(n, all.len() / n.max(1), all)
}

/// The samples that a view knows, with their mean taken off, n x d; zeros for the others, and all the longer for it, so that
/// random combinations of all samples have the variance of those it knows.
fn spread_out(view: &View) -> Result<Dense<f64>> {
    let known = narrowed(centred(comparable(&view.known().data)))?;
    let Some(absent) = view.absent() else { return Ok(known) };
    let longer = (absent.len() as f64 / known.rows().max(1) as f64).sqrt();
    let mut next = 0..known.rows();
    let rows: Vec<Option<usize>> = absent.iter().map(|gone| if *gone { None } else { next.next() }).collect();
    let mut spread = known.pick_rows(&rows);
    spread.data_mut().iter_mut().for_each(|x| *x *= longer);
    Ok(spread)
}

/// Of few samples with many features, the square root of their inner products, n x n: nothing but inner products matters for
/// random combinations of the samples and the distances between these.
fn narrowed(points: Dense<f64>) -> Result<Dense<f64>> {
    if points.rows() > MOST_NARROWED || points.cols() < 2 * points.rows() {
        return Ok(points);
    }
    let mut products = Dense::zeros(points.rows(), points.rows());
    multiply_small(products.as_mat_mut(), points.as_mat(), points.as_mat().transpose());
    drop(points);
    symmetric_function(&products, |value| value.max(0.0).sqrt())
}

/// The features as graphs compare them, dense and not too many.
fn comparable(data: &Matrix) -> Dense<f64> {
    let data = if looks_like_counts(data) { hellinger(data) } else { data.clone() };
    if data.cols() <= Clouds::MOST_FEATURES {
        return for_matrix!(&data, dense m => m.cast::<f64>(), sparse m => m.cast::<f64>().to_dense());
    }
    folded(&data)
}

/// Every feature is added to or taken from one of [`Clouds::MOST_FEATURES`] columns, by the digits of its number: inner products are
/// the same in the mean (a count sketch).
fn folded(data: &Matrix) -> Dense<f64> {
    let mut out = Dense::zeros(data.rows(), Clouds::MOST_FEATURES);
    for (i, row) in out.data_mut().chunks_exact_mut(Clouds::MOST_FEATURES).enumerate() {
        let mut add = |j: usize, x: f64| {
            let (column, sign) = fold(j, Clouds::MOST_FEATURES);
            row[column] += sign * x;
        };
        for_matrix!(
            data,
            dense m => m.row(i).iter().enumerate().for_each(|(j, x)| add(j, crate::matrix::Real::to_f64(*x))),
            sparse m => {
                let (columns, values) = m.row(i);
                columns.iter().zip(values).for_each(|(&j, x)| add(j as usize, crate::matrix::Real::to_f64(*x)));
            },
        );
    }
    out
}

fn centred(mut points: Dense<f64>) -> Dense<f64> {
    let n = points.rows() as f64;
    let mean: Vec<f64> = column_sums(&points, &points, |x, _| x).iter().map(|sum| sum / n).collect();
    for row in points.data_mut().chunks_exact_mut(mean.len().max(1)) {
        row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::{Csr, from_mat, gram};

    /// `a' b / n`.
    fn covariance(a: &Dense<f64>, b: &Dense<f64>) -> Dense<f64> {
        let mut product = from_mat(&gram(a.as_mat(), b.as_mat()));
        product.data_mut().iter_mut().for_each(|x| *x /= a.rows() as f64);
        product
    }

    fn dense(view: &View) -> Dense<f64> {
        centred(comparable(&view.data))
    }

    #[test]
    fn covariances_are_kept_within_and_between_views() {
        let (views, _) =
            Blobs { samples: 900, clusters: 3, features: vec![2, 3], separation: 8.0, seed: 3 }.generate().unwrap();
        let null = Clouds::new(&views, 1, &Run::default()).unwrap().draw(7).unwrap();
        let (real, drawn): (Vec<_>, Vec<_>) = (views.iter().map(dense).collect(), null.iter().map(dense).collect());
        for (a, b) in [(0, 0), (0, 1), (1, 1)] {
            let (expected, found) = (covariance(&real[a], &real[b]), covariance(&drawn[a], &drawn[b]));
            let scale = expected.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let worst = expected.data().iter().zip(found.data()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(worst < 0.15 * scale, "{a} {b}: {worst} of {scale}");
        }
    }

    #[test]
    fn a_cloud_lacks_what_its_view_lacks_and_is_as_wide() {
        let (views, _) =
            Blobs { samples: 600, clusters: 3, features: vec![2, 3], separation: 8.0, seed: 3 }.generate().unwrap();
        let loss = crate::Corruption { fraction: 0.4, mode: crate::CorruptionMode::Lose, ..Default::default() };
        let views = views.corrupted(&loss).unwrap();
        let null = Clouds::new(&views, 1, &Run::default()).unwrap().draw(7).unwrap();
        for (view, drawn) in views.iter().zip(&null) {
            assert_eq!(view.absent(), drawn.absent());
            let width = |view: &View| covariance(&dense(&view.known()), &dense(&view.known())).get(0, 0);
            assert!((width(drawn) / width(view) - 1.0).abs() < 0.2, "{} and {}", width(drawn), width(view));
        }
    }

    #[test]
    fn many_features_of_few_samples_are_narrowed_with_the_same_inner_products() {
        let wide = centred(Dense::from_fn(12, 40, |i, j| ((i * 7 + j * 5 + i * j) % 11) as f64));
        let narrow = narrowed(wide.clone()).unwrap();
        assert_eq!((narrow.rows(), narrow.cols()), (12, 12));
        let dot = |m: &Dense<f64>, i: usize, j: usize| m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum::<f64>();
        for (i, j) in [(0, 0), (3, 7), (11, 2)] {
            assert!((dot(&wide, i, j) - dot(&narrow, i, j)).abs() < 1e-9 * dot(&wide, 0, 0).abs());
        }
        assert_eq!(narrowed(Dense::zeros(12, 23)).unwrap().cols(), 23);
    }

    #[test]
    fn the_same_seed_draws_the_same_cloud_and_another_another() {
        let (views, _) =
            Blobs { samples: 40, clusters: 2, features: vec![3], separation: 4.0, seed: 3 }.generate().unwrap();
        let null = Clouds::new(&views, 1, &Run::default()).unwrap();
        let numbers = |seed| dense(null.draw(seed).unwrap().iter().next().unwrap()).data().to_vec();
        assert!(numbers(1) == numbers(1) && numbers(1) != numbers(2));
    }

    #[test]
    fn wide_sparse_views_are_folded_with_about_the_same_inner_products() {
        let entries =
            (0..30).flat_map(|i| (0..200).map(move |e| (i, (i as u32 * 13 + e * 977) % 50_000, 1.0 + (e % 3) as f64)));
        let wide: Matrix = Csr::from_entries(30, 50_000, entries.collect()).unwrap().into();
        let folded = comparable(&wide);
        assert_eq!((folded.rows(), folded.cols()), (30, Clouds::MOST_FEATURES));
        // unit rows by Hellinger's distance
        let squares: Vec<f64> = folded.iter_rows().map(|row| row.iter().map(|x| x * x).sum()).collect();
        assert!(squares.iter().all(|square| (square - 1.0).abs() < 0.3), "{squares:?}");
    }
}
