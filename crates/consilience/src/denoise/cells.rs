//! What every entry of a small view should be: the centre of its sample's cluster, found although entries may be wrong.
//!
//! A mixture of clusters that share one spread per column. Not samples but entries are wrong: each is of its cluster's
//! distribution or of a flat background, so that one wrong entry does not take its sample to another cluster, as it does
//! with neighbours. Entries of a cluster are of Student's t with 3 degrees of freedom, whose density is powers alone. The
//! number of clusters is the one with the largest Bayesian information criterion.

use multiversion::multiversion;

use crate::matrix::{Dense, median_in_place};
use crate::spectral::KMeans;
use crate::{Result, Run};

use super::column::{CLIP, NORMAL};

/// Numbers of clusters that are tried, from the smallest on, until so many in a row are worse than the best.
const CLUSTERS: [usize; 6] = [1, 2, 3, 5, 8, 12];
const WORSE: usize = 2;
/// Samples to a cluster, at least, in the mean.
const LEAST_SAMPLES: usize = 6;
/// Share of the background, and how many spreads of a column it covers.
const BACKGROUND: (f64, f64) = (0.05, 8.0);
/// The constant of the density of Student's t with 3 degrees of freedom.
const STUDENT: f64 = 0.367_552_596_948;
const RESTARTS: usize = 2;
const ITERATIONS: std::ops::Range<usize> = 6..20;
/// The steps end when the log-likelihood rises by less than this for a sample.
const TOLERANCE: f64 = 3e-3;
/// A column's spread within clusters, at least.
const LEAST_SPREAD: f64 = 1e-3;
/// So many densities are multiplied before the logarithm is taken: none is below the background's, 1/160.
const FACTORS: usize = 64;

/// Every entry less the centre of its sample's cluster; `values` are in robust units of their columns.
///
/// # Errors
/// When the run is cancelled.
pub(super) fn residuals_from_clusters(values: &Dense<f64>, run: &Run) -> Result<Dense<f64>> {
    let (n, d) = (values.rows(), values.cols());
    let clipped = Dense::from_fn(n, d, |i, j| values.get(i, j).clamp(-CLIP, CLIP));
    let mut best: Option<(f64, Mixture)> = None;
    let mut worse = 0;
    for clusters in CLUSTERS.into_iter().take_while(|k| *k == 1 || k * LEAST_SAMPLES <= n) {
        let kmeans = KMeans { restarts: RESTARTS, max_iterations: 10, ..KMeans::new(clusters) };
        let start = kmeans.fit_observed(&clipped, run)?;
        let mut mixture = Mixture::new(values, start.centres, &start.labels);
        let parameters = (clusters * (d + 1) + d - 1) as f64;
        let criterion = mixture.fit(values, run)? - 0.5 * (n as f64).ln() * parameters;
        if best.as_ref().is_none_or(|best| criterion > best.0) {
            (best, worse) = (Some((criterion, mixture)), 0);
        } else {
            worse += 1;
            if worse == WORSE {
                break;
            }
        }
    }
    let Some((_, mixture)) = best else { return Ok(values.clone()) };
    let mut scratch = Scratch::new(&mixture);
    let mut residuals = values.clone();
    for row in residuals.data_mut().chunks_exact_mut(d.max(1)) {
        mixture.weigh(row, &mut scratch);
        let likeliest = (0..mixture.weights.len())
            .fold(0, |best, k| if scratch.posteriors[k] > scratch.posteriors[best] { k } else { best });
        row.iter_mut().zip(mixture.centres.row(likeliest)).for_each(|(x, centre)| *x -= centre);
    }
    Ok(residuals)
}

/// K clusters of a view with d columns.
struct Mixture {
    /// K x d.
    centres: Dense<f64>,
    /// Of the columns within clusters.
    spreads: Vec<f64>,
    weights: Vec<f64>,
}

/// What is computed of one sample: K x d numbers each, and K posteriors.
struct Scratch {
    /// `1 / (1 + q^2 / 3)`, q the distance from the centre in spreads.
    nearness: Vec<f64>,
    /// Probability that the entry is of the cluster and not of the background, given the cluster.
    sound: Vec<f64>,
    /// Of one cluster: densities of the entries.
    densities: Vec<f64>,
    posteriors: Vec<f64>,
}

impl Scratch {
    fn new(mixture: &Mixture) -> Self {
        let (clusters, d) = (mixture.centres.rows(), mixture.centres.cols());
        Self {
            nearness: vec![0.0; clusters * d],
            sound: vec![0.0; clusters * d],
            densities: vec![0.0; d],
            posteriors: vec![0.0; clusters],
        }
    }
}

/// Weighted sums over samples from which the next centres and spreads follow.
struct Sums {
    weight: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    sound: Vec<f64>,
    posteriors: Vec<f64>,
}

impl Mixture {
    fn new(values: &Dense<f64>, centres: Dense<f64>, labels: &[usize]) -> Self {
        let spread = |j: usize| {
            let sizes = labels.iter().enumerate().map(|(i, &k)| (values.get(i, j) - centres.get(k, j)).abs());
            NORMAL * median_in_place(&mut sizes.collect::<Vec<f64>>()) + 0.05
        };
        let (spreads, clusters) = ((0..values.cols()).map(spread).collect(), centres.rows());
        Self { centres, spreads, weights: vec![1.0 / clusters as f64; clusters] }
    }

    /// Expectation maximisation; the log-likelihood that was reached.
    fn fit(&mut self, values: &Dense<f64>, run: &Run) -> Result<f64> {
        let mut scratch = Scratch::new(self);
        let mut last = f64::NEG_INFINITY;
        for iteration in 0..ITERATIONS.end {
            run.check()?;
            let mut sums = Sums::new(self);
            let mut likelihood = 0.0;
            for row in values.iter_rows() {
                likelihood += self.weigh(row, &mut scratch);
                sums.add(row, &scratch);
            }
            let rise = likelihood - last;
            last = likelihood;
            if iteration >= ITERATIONS.start && rise < TOLERANCE * values.rows() as f64 {
                break;
            }
            self.update(&sums, values.rows());
        }
        Ok(last)
    }

    /// Posteriors of the clusters for one sample; its log-likelihood.
    fn weigh(&self, row: &[f64], scratch: &mut Scratch) -> f64 {
        let d = row.len();
        let mut largest = f64::NEG_INFINITY;
        for (k, weight) in self.weights.iter().enumerate() {
            let place = k * d..(k + 1) * d;
            let (nearness, sound) = (&mut scratch.nearness[place.clone()], &mut scratch.sound[place]);
            weigh_entries(row, self.centres.row(k), &self.spreads, nearness, sound, &mut scratch.densities);
            let products = scratch.densities.chunks(FACTORS).map(|densities| densities.iter().product::<f64>().ln());
            let logarithm = weight.ln() + products.sum::<f64>();
            scratch.posteriors[k] = logarithm;
            largest = largest.max(logarithm);
        }
        scratch.posteriors.iter_mut().for_each(|p| *p = (*p - largest).exp());
        let total: f64 = scratch.posteriors.iter().sum();
        scratch.posteriors.iter_mut().for_each(|p| *p /= total);
        largest + total.ln()
    }

    fn update(&mut self, sums: &Sums, n: usize) {
        let d = self.spreads.len();
        let mut squares = vec![0.0; d];
        for (k, centre) in self.centres.data_mut().chunks_exact_mut(d.max(1)).enumerate() {
            for (j, centre) in centre.iter_mut().enumerate() {
                let at = k * d + j;
                if sums.weight[at] > 1e-6 {
                    *centre = sums.first[at] / sums.weight[at];
                    squares[j] += sums.second[at] - *centre * sums.first[at];
                }
            }
        }
        for (j, spread) in self.spreads.iter_mut().enumerate() {
            *spread = (squares[j].max(0.0) / sums.sound[j].max(1e-9)).sqrt() + LEAST_SPREAD;
        }
        let weights: Vec<f64> = sums.posteriors.iter().map(|sum| (sum / n as f64).max(1e-6)).collect();
        let total: f64 = weights.iter().sum();
        self.weights = weights.into_iter().map(|weight| weight / total).collect();
    }
}

impl Sums {
    fn new(mixture: &Mixture) -> Self {
        let size = mixture.centres.data().len();
        Self {
            weight: vec![0.0; size],
            first: vec![0.0; size],
            second: vec![0.0; size],
            sound: vec![0.0; mixture.centres.cols()],
            posteriors: vec![0.0; mixture.centres.rows()],
        }
    }

    fn add(&mut self, row: &[f64], scratch: &Scratch) {
        let d = row.len();
        for (k, &posterior) in scratch.posteriors.iter().enumerate() {
            self.posteriors[k] += posterior;
            if posterior < 1e-6 {
                continue;
            }
            let place = k * d..(k + 1) * d;
            let cluster = ClusterSums {
                weight: &mut self.weight[place.clone()],
                first: &mut self.first[place.clone()],
                second: &mut self.second[place.clone()],
                sound: &mut self.sound,
            };
            add_entries(row, posterior, &scratch.nearness[place.clone()], &scratch.sound[place], cluster);
        }
    }
}

/// The entries of one sample beside one cluster. All slices are of one length.
#[multiversion(targets = "simd")]
fn weigh_entries(
    row: &[f64],
    centre: &[f64],
    spreads: &[f64],
    nearness: &mut [f64],
    sound: &mut [f64],
    densities: &mut [f64],
) {
    let entries = row.iter().zip(centre).zip(spreads);
    let out = nearness.iter_mut().zip(sound).zip(densities);
    for (((x, centre), spread), ((nearness, sound), density)) in entries.zip(out) {
        let q = (x - centre) / spread;
        *nearness = 1.0 / (1.0 + q * q / 3.0);
        let student = (1.0 - BACKGROUND.0) * STUDENT * *nearness * *nearness / spread;
        *density = student + BACKGROUND.0 / BACKGROUND.1;
        *sound = student / *density;
    }
}

/// The part of [`Sums`] that is of one cluster.
struct ClusterSums<'a> {
    weight: &'a mut [f64],
    first: &'a mut [f64],
    second: &'a mut [f64],
    sound: &'a mut [f64],
}

/// Adds the entries of one sample to the sums of one cluster. All slices are of one length.
#[multiversion(targets = "simd")]
fn add_entries(row: &[f64], posterior: f64, nearness: &[f64], sound: &[f64], sums: ClusterSums) {
    let ClusterSums { weight, first, second, sound: all_sound } = sums;
    let entries = row.iter().zip(nearness).zip(sound);
    let out = weight.iter_mut().zip(first).zip(second).zip(all_sound);
    for (((x, nearness), sound), (((weight, first), second), all_sound)) in entries.zip(out) {
        let sound = posterior * sound;
        // (freedom + 1) / (freedom + q^2)
        let added = 4.0 / 3.0 * sound * nearness;
        *weight += added;
        *first += added * x;
        *second += added * x * x;
        *all_sound += sound;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within [0, 1), and looks random.
    fn uniform(i: usize, j: usize) -> f64 {
        (43_758.545_3 * ((i * 7919 + j * 104_729) as f64).sin()).rem_euclid(1.0)
    }

    /// Three clusters of 20 samples in six columns.
    fn clusters() -> Dense<f64> {
        Dense::from_fn(60, 6, |i, j| 2.0 * ((i % 3 + j) % 3) as f64 - 2.1 + 0.2 * uniform(i, j))
    }

    #[test]
    fn a_wrong_entry_keeps_its_sample_in_its_cluster() {
        let mut values = clusters();
        values.data_mut()[6 * 7 + 2] += 4.0;
        values.data_mut()[6 * 30 + 5] -= 7.0;
        let residuals = residuals_from_clusters(&values, &Run::default()).unwrap();
        for (i, row) in residuals.iter_rows().enumerate() {
            for (j, r) in row.iter().enumerate() {
                let wrong = [(7, 2), (30, 5)].contains(&(i, j));
                assert!(if wrong { r.abs() > 3.5 } else { r.abs() < 0.2 }, "{i}, {j}: {r}");
            }
        }
    }

    #[test]
    fn columns_without_clusters_are_compared_with_one_centre() {
        // Tukey's lambda distribution is normal to a percent
        let normal = |p: f64| (p.powf(0.135) - (1.0 - p).powf(0.135)) / 0.1975;
        let values = Dense::from_fn(90, 5, |i, j| normal(uniform(i, j)));
        let residuals = residuals_from_clusters(&values, &Run::default()).unwrap();
        for j in 0..5 {
            let centre = values.get(0, j) - residuals.get(0, j);
            assert!(centre.abs() < 0.4, "{centre}");
            assert!((0..90).all(|i| (values.get(i, j) - residuals.get(i, j) - centre).abs() < 1e-12));
        }
    }

    #[test]
    fn the_likelihood_never_falls() {
        let values = clusters();
        let centres = Dense::from_fn(3, 6, |k, j| values.get(k + 3, j) + 0.5);
        let labels: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let mut mixture = Mixture::new(&values, centres, &labels);
        let mut scratch = Scratch::new(&mixture);
        let mut last = f64::NEG_INFINITY;
        for _ in 0..15 {
            let mut sums = Sums::new(&mixture);
            let mut likelihood = 0.0;
            for row in values.iter_rows() {
                likelihood += mixture.weigh(row, &mut scratch);
                sums.add(row, &scratch);
            }
            // the least spread is added, which costs a little
            assert!(likelihood > last - 1e-2, "{likelihood} after {last}");
            last = likelihood;
            mixture.update(&sums, 60);
        }
    }
}
