//! k-means on the concatenated features: no graph, no spectrum. What a spectral method must beat.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

use std::sync::Arc;

use super::{Consensus, Method, MethodInfo, Problem, Property, Solved};
use crate::matrix::{Dense, Matrix, Real, column_sums, for_matrix};
use crate::operator::{LinearKernel, TopEigen};
use crate::parameters::{ParameterValues, parameters};
use crate::{Result, Run, Stage, Views};

pub(super) const INFO: MethodInfo = MethodInfo::of::<KmeansBaseline>("kmeans", "k-means on the concatenated features")
    .summary(
        "Puts the scaled features of all views side by side and clusters these points by k-means, without a graph: \
              the floor under every spectral method.",
    )
    .citation(
        "S. Lloyd. Least squares quantization in PCM. IEEE Transactions on Information Theory, 1982; seeding of \
               D. Arthur, S. Vassilvitskii. k-means++. SODA 2007",
    )
    .cost("O(n k sum d) per iteration and restart", "O(n sum d): the features of all views, written out, twice")
    .properties(&[Property::Weighted, Property::Incomplete]);

/// The points, and k-means' own copy of them with the mean taken off.
const COPIES: usize = 2;

parameters! {
    /// k-means on the concatenated features.
    pub struct KmeansBaseline {
    }
}

impl Method for KmeansBaseline {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        problem.run.enter(Stage::Solve);
        problem.run.check()?;
        let (n, d) = (problem.views.samples(), features(problem.views));
        let hint = "k-means writes every feature out, also those of sparse views: take another method (`mfmsc` clusters \
                    the same distances and keeps sparse views sparse), or fewer features";
        problem.memory.require(COPIES, n, d, size_of::<f64>(), hint)?;

        let X = concatenated(problem.views, problem.weights.map(|_| problem.relative_weights()).as_deref())?;
        let (kernel, variances) = unit_kernel(X.clone(), problem.seed, problem.run)?;
        let view_weights = shares(problem.views, &variances);
        let solved = Solved::Embedding { points: X, eigenvalues: Vec::new() };
        Ok(Consensus { solved, ..Consensus::direct(Arc::new(kernel), view_weights) })
    }
}

fn features(views: &Views) -> usize {
    views.iter().fold(0_usize, |sum, view| sum.saturating_add(view.data.cols()))
}

/// The features of all views, n x sum d; squared distances within a view are multiplied by its weight. A sample that a view
/// does not know lies at the mean of those it knows.
fn concatenated(views: &Views, weights: Option<&[f64]>) -> Result<Dense<f64>> {
    let (n, d) = (views.samples(), features(views));
    let mut numbers = vec![0.0; n * d];
    let mut first = 0;
    for (at, view) in views.iter().enumerate() {
        let mean = view.absent().map(|_| mean_row(&view.known().data));
        for (i, row) in numbers.chunks_exact_mut(d.max(1)).enumerate() {
            let row = &mut row[first..first + view.data.cols()];
            match mean.as_ref().filter(|_| view.is_absent(i)) {
                Some(mean) => row.copy_from_slice(mean),
                None => write_row(&view.data, i, row),
            }
            if let Some(weights) = weights {
                row.iter_mut().for_each(|x| *x *= weights[at].sqrt());
            }
        }
        first += view.data.cols();
    }
    Dense::new(n, d, numbers)
}

fn mean_row(data: &Matrix) -> Vec<f64> {
    let mut mean = vec![0.0; data.cols()];
    let mut row = vec![0.0; data.cols()];
    for i in 0..data.rows() {
        row.fill(0.0);
        write_row(data, i, &mut row);
        mean.iter_mut().zip(&row).for_each(|(mean, x)| *mean += x / data.rows() as f64);
    }
    mean
}

fn write_row(data: &Matrix, i: usize, out: &mut [f64]) {
    for_matrix!(
        data,
        dense m => out.iter_mut().zip(m.row(i)).for_each(|(out, x)| *out = x.to_f64()),
        sparse m => {
            let (columns, values) = m.row(i);
            columns.iter().zip(values).for_each(|(&j, x)| out[j as usize] = x.to_f64());
        },
    );
}

/// Each view's share of the variance; equal shares when nothing varies.
fn shares(views: &Views, variances: &[f64]) -> Vec<f64> {
    let total: f64 = variances.iter().sum();
    let mut first = 0;
    let share = |d: usize| {
        let own: f64 = variances[first..first + d].iter().sum();
        first += d;
        if total > 0.0 { own / total } else { 1.0 / views.len() as f64 }
    };
    views.iter().map(|view| view.data.cols()).map(share).collect()
}

/// The linear kernel of the points (n x d) measured from their mean, the affinity that k-means relaxes to, scaled so that
/// its largest eigenvalue is about 1; and the variance of every feature.
fn unit_kernel(points: Dense<f64>, seed: u64, run: &Run) -> Result<(LinearKernel, Vec<f64>)> {
    let n = points.rows() as f64;
    let mean: Vec<f64> = column_sums(&points, &points, |x, _| x).iter().map(|sum| sum / n).collect();
    let squares = column_sums(&points, &points, |x, y| x * y);
    let variances = squares.iter().zip(&mean).map(|(square, mean)| (square / n - mean * mean).max(0.0)).collect();
    let kernel = LinearKernel::new(points, mean, 1.0)?;
    let top = TopEigen { tolerance: 1e-2, ..TopEigen::for_labels(1, seed) }.solve(&kernel, None, run)?;
    let largest = top.values.first().copied().filter(|value| *value > 0.0);
    Ok((kernel.with_scale(largest.map_or(1.0, |value| 1.0 / value)), variances))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::Csr;
    use crate::method::common::test_support::written_out;
    use crate::spectral::KMeans;
    use crate::{Error, Scale, Settings, View, cluster};

    fn settings(k: usize) -> Settings {
        Settings { scale: Scale::None, seed: 5, ..Settings::with_method(k, "kmeans", &[]).unwrap() }
    }

    /// Two overlapping views, the second sparse and in single precision, and the same numbers side by side.
    fn mixed() -> (Views, Dense<f64>) {
        let a = Dense::from_fn(60, 2, |i, j| ((i * 7 + j * 11) % 17) as f64 + (i % 3) as f64);
        let b = Dense::from_fn(60, 3, |i, j| if (i + j) % 2 == 0 { ((i % 3) * 4 + j) as f32 } else { 0.0 });
        let stacked = Dense::from_fn(60, 5, |i, j| if j < 2 { a.get(i, j) } else { f64::from(b.get(i, j - 2)) });
        (Views::new(vec![View::new("a", a), View::new("b", Csr::from_dense(&b).unwrap())]).unwrap(), stacked)
    }

    #[test]
    fn labels_are_those_of_k_means_on_the_stacked_matrix() {
        let (views, stacked) = mixed();
        let result = cluster(&views, &settings(4)).unwrap();
        assert_eq!(result.fitted.embedding.data(), stacked.data());
        assert_eq!(result.record.labels, KMeans { seed: 5, ..KMeans::new(4) }.fit(&stacked).unwrap().labels);
    }

    #[test]
    fn the_affinity_is_the_centred_linear_kernel_and_weights_are_shares_of_variance() {
        let (views, stacked) = mixed();
        let result = cluster(&views, &settings(4)).unwrap();
        let mean: Vec<f64> = (0..5).map(|j| (0..60).map(|i| stacked.get(i, j)).sum::<f64>() / 60.0).collect();
        let centred = Dense::from_fn(60, 5, |i, j| stacked.get(i, j) - mean[j]);
        let affinity = written_out(result.affinity.as_ref());
        let product = |i: usize, j: usize| centred.row(i).iter().zip(centred.row(j)).map(|(a, b)| a * b).sum::<f64>();
        let scale = affinity.get(0, 0) / product(0, 0);
        let worst = (0..3600).map(|p| (affinity.get(p / 60, p % 60) - scale * product(p / 60, p % 60)).abs());
        assert!(worst.fold(0.0, f64::max) < 1e-12);
        let top = TopEigen::new(1).solve(result.affinity.as_ref(), None, &Run::default()).unwrap();
        assert!((top.values[0] - 1.0).abs() < 0.02);

        let variance = |columns: std::ops::Range<usize>| {
            columns.map(|j| (0..60).map(|i| centred.get(i, j).powi(2)).sum::<f64>()).sum::<f64>()
        };
        let expected = variance(0..2) / variance(0..5);
        assert!((result.record.views[0].weight - expected).abs() < 1e-12);
        assert!((result.record.views[1].weight - (1.0 - expected)).abs() < 1e-12);
    }

    #[test]
    fn a_sample_that_a_view_does_not_know_lies_at_its_mean() {
        let a = Dense::new(3, 1, vec![1.0, f64::NAN, 5.0]).unwrap();
        let views = Views::new(vec![View::new("a", a), View::new("b", Dense::from_fn(3, 1, |i, _| i as f64))]).unwrap();
        assert_eq!(concatenated(&views, None).unwrap().data(), [1.0, 0.0, 3.0, 1.0, 5.0, 2.0]);
    }

    #[test]
    fn sparse_views_that_do_not_fit_written_out_are_refused() {
        let wide = Csr::from_entries(50, 4_000_000, (0..50).map(|i| (i, i as u32, 1.0)).collect()).unwrap();
        let views = Views::new(vec![View::new("wide", wide)]).unwrap();
        let error = cluster(&views, &Settings { memory: Some(1 << 30), ..settings(2) }).err().unwrap();
        assert!(matches!(error, Error::Memory { needed: 3_200_000_000, .. }), "{error}");
        assert!(error.hint().unwrap().text().unwrap().contains("sparse"));
    }

    #[test]
    fn a_large_kernel_is_scaled_too() {
        let (views, _) =
            Blobs { samples: 400, clusters: 3, features: vec![4, 5], separation: 9.0, seed: 2 }.generate().unwrap();
        let result = cluster(&views, &settings(3)).unwrap();
        let top = TopEigen::new(1).solve(result.affinity.as_ref(), None, &Run::default()).unwrap();
        assert!((top.values[0] - 1.0).abs() < 0.02, "{}", top.values[0]);
    }
}
