//! Made-up multi-view data with known clusters, for tests and benchmarks: round ones here, curved ones beside.

mod curves;

pub use curves::{Curves, MadeView};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::matrix::Dense;
use crate::{Error, Result, View, Views};

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

/// Gaussian clusters: every view has random centres of its own, and unit noise around them. Cluster sizes are equal up
/// to one, samples are in random order.
#[derive(Debug, Clone, PartialEq)]
pub struct Blobs {
    /// Number of samples.
    pub samples: usize,
    /// Number of clusters.
    pub clusters: usize,
    /// Number of features of each view.
    pub features: Vec<usize>,
    /// Distance between two centres, in standard deviations of the noise. It is the root mean square over draws, for
    /// any number of features; with few features, some centres come closer.
    pub separation: f64,
    /// Seed of the draw. A view's numbers depend on its place only, not on the views after it.
    pub seed: u64,
}

impl Blobs {
    /// Draws the views, called `view1`, `view2` and so on, and the cluster of every sample.
    ///
    /// # Errors
    /// When there are no clusters or more than samples, no views, or a view without features.
    pub fn generate(&self) -> Result<(Views, Vec<usize>)> {
        let k = self.clusters;
        if k == 0 || k > self.samples {
            return Err(Error::Clusters { k, why: format!("there are {} samples to draw", self.samples) });
        }
        let mut truth: Vec<usize> = (0..self.samples).map(|i| i % k).collect();
        truth.shuffle(&mut self.stream(0));
        let views = self.features.iter().enumerate().map(|(v, &d)| {
            let data = self.view(d, &truth, &mut self.stream(v as u64 + 1));
            View::new(format!("view{}", v + 1), data)
        });
        Ok((Views::new(views.collect())?, truth))
    }

    fn stream(&self, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        rng
    }

    fn view(&self, features: usize, truth: &[usize], rng: &mut ChaCha8Rng) -> Dense<f64> {
        // two centres differ by twice the variance in each of the features
        let spread = self.separation / (2.0 * features as f64).sqrt();
        let centres = Dense::from_fn(self.clusters, features, |_, _| spread * standard_normal(rng));
        Dense::from_fn(truth.len(), features, |i, j| centres.get(truth[i], j) + standard_normal(rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn example() -> Blobs {
        Blobs { samples: 1003, clusters: 4, features: vec![5, 30], separation: 12.0, seed: 3 }
    }

    fn numbers(view: &View) -> &[f64] {
        let Matrix::DenseF64(data) = &view.data else { panic!() };
        data.data()
    }

    #[test]
    fn shapes_sizes_and_names() {
        let (views, truth) = example().generate().unwrap();
        let shapes: Vec<_> =
            views.iter().map(|view| (view.name.as_str(), view.data.rows(), view.data.cols())).collect();
        assert_eq!(shapes, [("view1", 1003, 5), ("view2", 1003, 30)]);
        let sizes = [0, 1, 2, 3].map(|c| truth.iter().filter(|&&label| label == c).count());
        assert_eq!(sizes, [251, 251, 251, 250]);
        assert!(truth.windows(2).any(|pair| pair[1] != (pair[0] + 1) % 4));
    }

    #[test]
    fn the_noise_is_standard_normal() {
        let (views, _) = Blobs { clusters: 1, samples: 20_000, ..example() }.generate().unwrap();
        for view in &views {
            let column: Vec<f64> = numbers(view).iter().step_by(view.data.cols()).copied().collect();
            let mean = column.iter().sum::<f64>() / 20_000.0;
            let moment = |power| column.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / 20_000.0;
            assert!((moment(2) - 1.0).abs() < 0.05 && moment(3).abs() < 0.1 && (moment(4) - 3.0).abs() < 0.25);
        }
    }

    #[test]
    fn separated_clusters_are_found_by_k_means() {
        let (views, truth) = Blobs { separation: 30.0, ..example() }.generate().unwrap();
        let view = views.named("view2").unwrap();
        let points = Dense::new(1003, 30, numbers(view).to_vec()).unwrap();
        let fit = crate::spectral::KMeans::new(4).fit(&points).unwrap();
        assert_eq!(crate::metrics::score(&fit.labels, &truth).unwrap()[crate::metrics::Metric::Acc], 1.0);
    }

    #[test]
    fn seeds_differ_and_further_views_change_nothing() {
        let (both, _) = example().generate().unwrap();
        let (first, _) = Blobs { features: vec![5], ..example() }.generate().unwrap();
        let (other, _) = Blobs { seed: 4, ..example() }.generate().unwrap();
        let of = |views: &Views| numbers(views.named("view1").unwrap()).to_vec();
        assert_eq!(of(&both), of(&first));
        assert_ne!(of(&both), of(&other));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert!(Blobs { clusters: 0, ..example() }.generate().is_err());
        assert!(Blobs { samples: 3, ..example() }.generate().is_err());
        assert!(Blobs { features: vec![], ..example() }.generate().is_err());
        assert!(Blobs { features: vec![2, 0], ..example() }.generate().is_err());
    }
}
