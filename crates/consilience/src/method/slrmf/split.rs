//! The corrupted views split into a low-rank part and sparse corruption: side by side, since what the views share is of low
//! rank in all of them together, and what is left of a sample in one view tells what was replaced in another.

use rayon::prelude::*;

use super::prepare::{PreparedView, to_dense};
use crate::denoise::{ReplacedShare, replaced_share, robust_pca};
use crate::matrix::Dense;
use crate::method::CorruptionFound;
use crate::{Result, Run};

/// Weight of the sparse part in robust PCA, times 1/sqrt(max(n, d)): how it falls with the share of replaced entries, and its
/// bounds. With the weight that is right for a few of them, half of the entries cannot be split off.
const SPARSE_WEIGHT: f64 = 2.0;
const FALL_WITH_SHARE: f64 = 2.0;
const WEIGHTS: (f64, f64) = (0.85, 1.4);
/// Views that are larger than this together, in the shorter direction, are split one by one: the time of a split grows with
/// the square of it.
const MOST_TOGETHER: usize = 2_000;

/// Splits the views, and says in each what was found.
pub(super) fn split(views: &mut [&mut PreparedView], run: &Run) -> Result<()> {
    let data: Vec<Dense<f64>> = views.iter().map(|prepared| to_dense(&prepared.view.known().data)).collect();
    let shares: Result<Vec<ReplacedShare>> =
        data.par_iter().zip(&*views).map(|(x, prepared)| share(x, prepared, run)).collect();
    let shares = shares?;
    let complete = views.iter().all(|prepared| !prepared.facts.incomplete);
    for group in groups(&data, complete) {
        let parts: Vec<&Dense<f64>> = group.iter().map(|&at| &data[at]).collect();
        let entries = |at: usize| data[at].data().len() as f64;
        let (replaced, all) = group.iter().fold((0.0, 0.0), |(replaced, all), &at| {
            (replaced + shares[at].with_normal_body * entries(at), all + entries(at))
        });
        let weight = (SPARSE_WEIGHT - FALL_WITH_SHARE * replaced / all).clamp(WEIGHTS.0, WEIGHTS.1);
        for (&at, (low_rank, sparse)) in group.iter().zip(together(&parts, weight, run)?) {
            let PreparedView { view, facts } = &mut *views[at];
            let sparse = to_dense(&view.with_known(&sparse.into()).data);
            // a view that was split because it was asked for need not be corrupted
            let found = if facts.replaced.is_some() { shares[at].share } else { 0.0 };
            facts.corruption = Some(CorruptionFound::largest(&facts.name, &sparse, found));
            *view = view.with_known(&low_rank.into());
            facts.usual = false;
        }
    }
    for (prepared, share) in views.iter_mut().zip(shares) {
        prepared.facts.replaced.iter_mut().for_each(|replaced| replaced.share = share.share);
    }
    Ok(())
}

/// The share of replaced entries.
fn share(x: &Dense<f64>, prepared: &PreparedView, run: &Run) -> Result<ReplacedShare> {
    let found = replaced_share(x, run)?;
    // columns of few levels leave nothing in most entries to tell a shelf from
    let tested = prepared.facts.replaced.as_ref().filter(|_| found.with_normal_body <= 0.0);
    Ok(tested.map_or(found, |tested| ReplacedShare { share: tested.share, with_normal_body: tested.share }))
}

/// All of them, or each by itself; views of different samples cannot lie side by side.
fn groups(data: &[Dense<f64>], complete: bool) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..data.len()).collect();
    let width: usize = data.iter().map(Dense::cols).sum();
    let rows = data.first().map_or(0, Dense::rows);
    if complete && width.min(rows) <= MOST_TOGETHER { vec![all] } else { all.into_iter().map(|at| vec![at]).collect() }
}

/// `X = A + E` for the views side by side, each in units of its mean square: a view in small units is not a small view.
fn together(parts: &[&Dense<f64>], weight: f64, run: &Run) -> Result<Vec<(Dense<f64>, Dense<f64>)>> {
    let unit = |x: &&Dense<f64>| {
        let largest = x.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let squares = x.data().iter().map(|x| (x / largest).powi(2)).sum::<f64>();
        if largest > 0.0 { largest * (squares / x.data().len() as f64).sqrt() } else { 1.0 }
    };
    let units: Vec<f64> = parts.iter().map(unit).collect();
    let rows = parts.first().map_or(0, |x| x.rows());
    let width: usize = parts.iter().map(|x| x.cols()).sum();
    let mut side_by_side = Vec::with_capacity(rows * width);
    for i in 0..rows {
        for (x, unit) in parts.iter().zip(&units) {
            side_by_side.extend(x.row(i).iter().map(|x| x / unit));
        }
    }
    let found = robust_pca(&Dense::new(rows, width, side_by_side)?, weight, run)?;
    let mut first = 0;
    let cut = parts.iter().zip(units).map(|(x, unit)| {
        let own = |part: &Dense<f64>| Dense::from_fn(rows, x.cols(), |i, j| unit * part.get(i, first + j));
        let both = (own(&found.low_rank), own(&found.sparse));
        first += x.cols();
        both
    });
    Ok(cut.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::frobenius_distance;
    use crate::{Corruption, Scale, Views};

    fn parts(views: &Views) -> Vec<Dense<f64>> {
        views.iter().map(|view| to_dense(&view.data)).collect()
    }

    #[test]
    fn views_together_are_nearer_to_the_truth_than_each_alone() {
        let blobs = Blobs { samples: 300, clusters: 4, features: vec![12, 15], separation: 6.0, seed: 2 };
        let clean = blobs.generate().unwrap().0.scaled(Scale::Zscore).unwrap();
        let noisy = clean.corrupted(&Corruption { fraction: 0.2, ..Corruption::default() }).unwrap();
        let (clean, noisy) = (parts(&clean), parts(&noisy));
        let run = Run::default();
        let error = |found: &[(Dense<f64>, Dense<f64>)]| {
            found.iter().zip(&clean).map(|((low_rank, _), x)| frobenius_distance(low_rank, x)).sum::<f64>()
        };
        let both = together(&noisy.iter().collect::<Vec<_>>(), 1.4, &run).unwrap();
        let alone: Vec<_> = noisy.iter().flat_map(|x| together(&[x], 1.4, &run).unwrap()).collect();
        assert!(error(&both) < 0.95 * error(&alone), "{} and {}", error(&both), error(&alone));
        for ((low_rank, sparse), x) in both.iter().zip(&noisy) {
            let sum = Dense::from_fn(x.rows(), x.cols(), |i, j| low_rank.get(i, j) + sparse.get(i, j));
            let worst = sum.data().iter().zip(x.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 0.05, "{worst}");
        }
    }

    #[test]
    fn the_units_of_a_view_do_not_matter() {
        let blobs = Blobs { samples: 120, clusters: 3, features: vec![8, 9], separation: 6.0, seed: 5 };
        let noisy = blobs.generate().unwrap().0.scaled(Scale::Zscore).unwrap();
        let noisy = parts(&noisy.corrupted(&Corruption { fraction: 0.2, ..Corruption::default() }).unwrap());
        let small = Dense::from_fn(120, 9, |i, j| 1e-9 * noisy[1].get(i, j));
        let run = Run::default();
        let plain = together(&[&noisy[0], &noisy[1]], 1.4, &run).unwrap();
        let scaled = together(&[&noisy[0], &small], 1.4, &run).unwrap();
        let back = Dense::from_fn(120, 9, |i, j| 1e9 * scaled[1].0.get(i, j));
        assert!(frobenius_distance(&plain[0].0, &scaled[0].0) < 1e-3);
        assert!(frobenius_distance(&plain[1].0, &back) < 1e-3);
    }

    #[test]
    fn many_large_views_are_split_one_by_one() {
        let sizes = |rows: usize, cols: &[usize]| {
            groups(&cols.iter().map(|&d| Dense::zeros(rows, d)).collect::<Vec<Dense<f64>>>(), true)
        };
        assert_eq!(sizes(2_100, &[1_500, 600]), [vec![0], vec![1]]);
        assert_eq!(sizes(2_100, &[1_400, 600]), [vec![0, 1]]);
        assert_eq!(sizes(10, &[1_500, 600]), [vec![0, 1]], "the shorter direction counts");
        assert_eq!(sizes(0, &[]), [Vec::<usize>::new()]);
    }

    #[test]
    fn a_view_of_zeros_stays_one() {
        let zeros = Dense::zeros(6, 4);
        let found = together(&[&zeros, &Dense::from_fn(6, 4, |i, j| (i * j) as f64)], 1.4, &Run::default()).unwrap();
        assert!(found[0].0.data().iter().chain(found[0].1.data()).all(|x| *x == 0.0));
        let mut none: Vec<&mut PreparedView> = Vec::new();
        assert!(split(&mut none, &Run::default()).is_ok());
    }
}
