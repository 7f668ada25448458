//! k-means: greedy k-means++ (Arthur and Vassilvitskii 2007), then Lloyd's iterations, the best of several restarts.
//!
//! Restarts run in parallel and each is sequential inside with a random stream of its own, so the result does not
//! depend on the number of threads.

mod lloyd;
mod points;
mod repair;
mod seeding;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use self::lloyd::{Best, Limits};
use self::points::Points;
use crate::labels::number_by_first_appearance;
use crate::matrix::Dense;
use crate::{Error, Result, Run};

/// The settings of a k-means clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Number of clusters.
    pub clusters: usize,
    /// Independent runs; the one with the least inertia is kept.
    pub restarts: usize,
    /// Most updates of the centres in one run.
    pub max_iterations: usize,
    /// A run ends when the centres' squared movement is at most this share of the mean variance of a column.
    pub tolerance: f64,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The best run, whole: labels, centres and inertia belong together.
#[derive(Debug, Clone)]
pub struct KMeansFit {
    /// The nearest centre of every point, numbered by first appearance.
    pub labels: Vec<usize>,
    /// `clusters x d`, in the order of the labels. Only when there are fewer distinct points than clusters are there
    /// centres without points; they come last.
    pub centres: Dense<f64>,
    /// Sum of squared distances of the points to their centres.
    pub inertia: f64,
    /// Updates of the centres in this run.
    pub iterations: usize,
    /// Which of the restarts it was.
    pub restart: usize,
}

impl KMeans {
    /// Ten restarts of at most 300 iterations, tolerance 1e-4, seed 0.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, restarts: 10, max_iterations: 300, tolerance: 1e-4, seed: 0 }
    }

    /// Clusters the rows of `points`.
    ///
    /// # Errors
    /// When there are fewer points than clusters or no clusters, when a number is not finite (or so large that its
    /// square is not), or when a setting makes no sense.
    pub fn fit(&self, points: &Dense<f64>) -> Result<KMeansFit> {
        self.fit_observed(points, &Run::default())
    }

    /// Clusters the rows of `points` while `run` can stop it.
    ///
    /// # Errors
    /// As [`KMeans::fit`], and [`Error::Cancelled`].
    pub fn fit_observed(&self, points: &Dense<f64>, run: &Run) -> Result<KMeansFit> {
        self.fit_weighted(points, &vec![1.0; points.rows()], run)
    }

    /// Clusters the rows of `points`, each of which counts as much as its weight says.
    ///
    /// # Errors
    /// As [`KMeans::fit_observed`], and when there is no weight for every point, or one is negative or not finite.
    pub fn fit_weighted(&self, points: &Dense<f64>, weights: &[f64], run: &Run) -> Result<KMeansFit> {
        self.check(points)?;
        if weights.len() != points.rows() || weights.iter().any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(Error::data(format!("{} points need as many weights, finite and not negative", points.rows())));
        }
        let points = Points::new(points, weights.to_vec())?;
        let limits = Limits {
            iterations: self.max_iterations,
            squared_shift: self.tolerance * points.total_square() / (points.rows() * points.cols()) as f64,
        };
        let fits = (0..self.restarts).into_par_iter().map(|restart| self.restart(&points, restart, &limits, run));
        let fits: Vec<Best> = fits.collect::<Result<_>>()?;
        // equal runs: the earlier wins, whichever thread finished first
        let best = fits.into_iter().enumerate().min_by(|(i, a), (j, b)| a.inertia.total_cmp(&b.inertia).then(i.cmp(j)));
        let Some((restart, best)) = best else { return Err(at_least_one("restarts")) };
        self.finish(&points, restart, best)
    }

    fn check(&self, points: &Dense<f64>) -> Result<()> {
        let (n, d, k) = (points.rows(), points.cols(), self.clusters);
        if k == 0 {
            return Err(Error::Clusters { k, why: "there must be at least 1".to_owned() });
        }
        if k > n {
            return Err(Error::Clusters { k, why: format!("there are only {n} points") });
        }
        if d == 0 {
            return Err(Error::data(format!("{n} points without coordinates cannot be clustered")));
        }
        if self.max_iterations == 0 {
            return Err(at_least_one("max_iterations"));
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(Error::Parameter {
                name: "tolerance".to_owned(),
                value: self.tolerance.to_string(),
                expected: "a finite number, at least 0".to_owned(),
            });
        }
        Ok(())
    }

    fn restart(&self, points: &Points, restart: usize, limits: &Limits, run: &Run) -> Result<Best> {
        run.check()?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(restart as u64);
        let centres = seeding::greedy(points, self.clusters, &mut rng);
        lloyd::run(points, centres, limits, run)
    }

    fn finish(&self, points: &Points, restart: usize, mut best: Best) -> Result<KMeansFit> {
        let mut order = number_by_first_appearance(&mut best.labels);
        let mut used = vec![false; self.clusters];
        order.iter().for_each(|&old| used[old] = true);
        order.extend((0..self.clusters).filter(|&old| !used[old]));
        let centres = points.moved_back(&best.centres);
        let centres = Dense::new(self.clusters, points.cols(), centres)?.select_rows(&order);
        Ok(KMeansFit { labels: best.labels, centres, inertia: best.inertia, iterations: best.iterations, restart })
    }
}

fn at_least_one(name: &str) -> Error {
    Error::Parameter { name: name.to_owned(), value: "0".to_owned(), expected: "at least 1".to_owned() }
}

#[cfg(test)]
mod tests;
