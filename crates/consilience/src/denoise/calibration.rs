//! How often the outlier test is wrong, by kind of data: a table, and a small version of it.
//!
//! `cargo test --release -p consilience --lib -- --ignored --nocapture outlier_table` prints the table (an hour or two).

use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::find_replaced;
use crate::Run;
use crate::matrix::{Dense, gram, multiply_small, symmetric_eigen};
use crate::views::moments_of_dense;

/// Clean data.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Family {
    /// Pure normal noise.
    Noise,
    /// Normal clusters.
    Clusters,
    /// The same, half of the columns noise.
    HalfNoise,
    /// Student's t with 3 degrees of freedom.
    Student,
    /// Clusters with such noise.
    StudentClusters,
    /// Principal component scores of normal clusters.
    Scores,
    Poisson,
    NegativeBinomial,
    LogPoisson,
    LogNegativeBinomial,
}

const FAMILIES: [Family; 10] = [
    Family::Noise,
    Family::Clusters,
    Family::HalfNoise,
    Family::Student,
    Family::StudentClusters,
    Family::Scores,
    Family::Poisson,
    Family::NegativeBinomial,
    Family::LogPoisson,
    Family::LogNegativeBinomial,
];

/// Other clean data. Laplace's and unequal clusters changed the test while it was made (the body, the least width of a
/// shelf, the limit by rows, when neighbours speak); the others had no part in it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Other {
    /// Student's t with 5 degrees of freedom.
    Student5,
    Laplace,
    /// Three factors and noise of a fifth of their size.
    Factors,
    /// Exponentials of normal clusters.
    LogNormal,
    /// Clusters one in three of which is four times as wide.
    UnequalClusters,
    /// A twentieth of the samples are outliers as a whole.
    WrongSamples,
    Uniform,
}

const OTHERS: [Other; 7] = [
    Other::Student5,
    Other::Laplace,
    Other::Factors,
    Other::LogNormal,
    Other::UnequalClusters,
    Other::WrongSamples,
    Other::Uniform,
];

/// What takes an entry's place in a standardised view.
#[derive(Debug, Clone, Copy)]
enum Noise {
    /// Uniform on [-5, 5].
    Uniform,
    /// Normal, 5 standard deviations wide.
    Normal,
    /// -5 or 5.
    Signs,
}

struct Draw(ChaCha8Rng);

impl Draw {
    fn new(seed: u64, stream: usize, n: usize, d: usize) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed ^ ((stream as u64) << 48) ^ ((n as u64) << 24) ^ ((d as u64) << 12)))
    }

    fn uniform(&mut self) -> f64 {
        1.0 - self.0.random::<f64>()
    }

    fn one_of(&mut self, choices: &[f64]) -> f64 {
        choices[self.0.random_range(0..choices.len())]
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn student(&mut self, freedom: usize) -> f64 {
        let square: f64 = (0..freedom).map(|_| self.normal().powi(2)).sum();
        self.normal() / (square / freedom as f64).sqrt()
    }

    /// Shape 2, mean 1.
    fn gamma(&mut self) -> f64 {
        -0.5 * (self.uniform() * self.uniform()).ln()
    }

    fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 20.0 {
            return self.poisson(mean / 2.0) + self.poisson(mean / 2.0);
        }
        let (limit, mut product, mut count) = ((-mean).exp(), self.uniform(), 0.0);
        while product > limit {
            product *= self.uniform();
            count += 1.0;
        }
        count
    }

    /// A cluster for every sample, of unequal sizes.
    fn labels(&mut self, n: usize, k: usize) -> Vec<usize> {
        let sizes: Vec<f64> = (0..k).map(|_| self.gamma() + self.gamma()).collect();
        let total: f64 = sizes.iter().sum();
        let mut label = || {
            let mut at = self.uniform() * total;
            sizes.iter().position(|size| {
                at -= size;
                at <= 0.0
            })
        };
        (0..n).map(|_| label().unwrap_or(0)).collect()
    }

    /// Clusters in the first `informative` columns; `noise` for every entry, given the cluster.
    fn clusters(
        &mut self,
        n: usize,
        d: usize,
        informative: usize,
        mut noise: impl FnMut(&mut Self, usize) -> f64,
    ) -> Dense<f64> {
        let k = self.0.random_range(3..11);
        let separation = self.one_of(&[4.0, 8.0, 16.0, 30.0]) / (2.0 * d as f64).sqrt();
        let centres = Dense::from_fn(k, d, |_, j| if j < informative { separation * self.normal() } else { 0.0 });
        let labels = self.labels(n, k);
        Dense::from_fn(n, d, |i, j| centres.get(labels[i], j) + noise(self, labels[i]))
    }

    fn counts(&mut self, n: usize, d: usize, dispersed: bool) -> Dense<f64> {
        let (level, k) = (self.one_of(&[0.5, 2.0, 10.0, 50.0]), self.0.random_range(3..11));
        let base: Vec<f64> = (0..d).map(|_| level * self.gamma()).collect();
        let change = |draw: &mut Self| if draw.uniform() < 0.3 { (0.7 * draw.normal()).exp() } else { 1.0 };
        let means = Dense::from_fn(k, d, |_, j| base[j] * change(self));
        let labels = self.labels(n, k);
        Dense::from_fn(n, d, |i, j| {
            let mean = means.get(labels[i], j) * if dispersed { self.gamma() } else { 1.0 };
            self.poisson(mean)
        })
    }

    fn family(&mut self, family: Family, n: usize, d: usize) -> Dense<f64> {
        let log = |mut counts: Dense<f64>| {
            counts.data_mut().iter_mut().for_each(|x| *x = x.ln_1p());
            counts
        };
        match family {
            Family::Noise => Dense::from_fn(n, d, |_, _| self.normal()),
            Family::Clusters => self.clusters(n, d, d, |draw, _| draw.normal()),
            Family::HalfNoise => self.clusters(n, d, d.div_ceil(2), |draw, _| draw.normal()),
            Family::Student => Dense::from_fn(n, d, |_, _| self.student(3)),
            Family::StudentClusters => self.clusters(n, d, d, |draw, _| draw.student(3)),
            Family::Scores => scores(&self.clusters(n, d, d, |draw, _| draw.normal())),
            Family::Poisson => self.counts(n, d, false),
            Family::NegativeBinomial => self.counts(n, d, true),
            Family::LogPoisson => log(self.counts(n, d, false)),
            Family::LogNegativeBinomial => log(self.counts(n, d, true)),
        }
    }

    fn other(&mut self, family: Other, n: usize, d: usize) -> Dense<f64> {
        match family {
            Other::Student5 => Dense::from_fn(n, d, |_, _| self.student(5)),
            Other::Laplace => Dense::from_fn(n, d, |_, _| (self.uniform() / self.uniform()).ln()),
            Other::Uniform => Dense::from_fn(n, d, |_, _| self.uniform()),
            Other::Factors => {
                let (left, right) =
                    (Dense::from_fn(n, 3, |_, _| self.normal()), Dense::from_fn(3, d, |_, _| self.normal()));
                let mut x = Dense::zeros(n, d);
                multiply_small(x.as_mat_mut(), left.as_mat(), right.as_mat());
                x.data_mut().iter_mut().for_each(|x| *x += 0.3 * self.normal());
                x
            }
            Other::LogNormal => {
                let mut x = self.clusters(n, d, d, |draw, _| draw.normal());
                x.data_mut().iter_mut().for_each(|x| *x = (0.5 * *x).exp());
                x
            }
            Other::UnequalClusters => {
                self.clusters(n, d, d, |draw, label| draw.normal() * if label % 3 == 0 { 4.0 } else { 1.0 })
            }
            Other::WrongSamples => {
                let mut x = self.clusters(n, d, d, |draw, _| draw.normal());
                for row in x.data_mut().chunks_exact_mut(d).step_by(20) {
                    row.iter_mut().for_each(|x| *x = 5.0 * self.normal());
                }
                x
            }
        }
    }

    fn replace(&mut self, x: &Dense<f64>, fraction: f64, noise: Noise) -> Dense<f64> {
        let mut noisy = x.clone();
        let count = (fraction * x.data().len() as f64).round() as usize;
        for at in sample(&mut self.0, x.data().len(), count) {
            noisy.data_mut()[at] = match noise {
                Noise::Uniform => 10.0 * self.uniform() - 5.0,
                Noise::Normal => 5.0 * self.normal(),
                Noise::Signs => self.one_of(&[-5.0, 5.0]),
            };
        }
        noisy
    }
}

/// Principal component scores, all of them when there are enough samples.
fn scores(x: &Dense<f64>) -> Dense<f64> {
    let shift = moments_of_dense(x).shift;
    let centred = Dense::from_fn(x.rows(), x.cols(), |i, j| (x.get(i, j) - shift[j]) / (1.0 + j as f64).sqrt());
    let vectors = symmetric_eigen(gram(centred.as_mat(), centred.as_mat()).as_ref()).unwrap().vectors;
    let mut scores = Dense::zeros(x.rows(), x.cols().min(x.rows() - 1));
    let leading = vectors.as_ref().subcols(0, scores.cols());
    multiply_small(scores.as_mat_mut(), centred.as_mat(), leading);
    scores
}

fn standardised(x: &Dense<f64>) -> Dense<f64> {
    let scale = moments_of_dense(x);
    Dense::from_fn(x.rows(), x.cols(), |i, j| (x.get(i, j) - scale.shift[j]) / scale.divide[j])
}

fn is_called_replaced(x: &Dense<f64>) -> bool {
    find_replaced(x, &Run::default()).unwrap().is_some()
}

/// Share of the draws in which clean data are called replaced.
fn false_alarms(draws: u64, n: usize, d: usize, clean: impl Fn(&mut Draw) -> Dense<f64> + Sync, seed: u64) -> f64 {
    let alarms = (0..draws).into_par_iter().filter(|draw| {
        let x = clean(&mut Draw::new(seed + draw, 0, n, d));
        is_called_replaced(&standardised(&x))
    });
    alarms.count() as f64 / draws as f64
}

/// Share of the draws in which replaced entries are found.
fn detections(draws: u64, family: Family, n: usize, d: usize, fraction: f64, noise: Noise, seed: u64) -> f64 {
    let found = (0..draws).into_par_iter().filter(|draw| {
        let mut draw = Draw::new(seed + draw, family as usize, n, d);
        let x = standardised(&draw.family(family, n, d));
        is_called_replaced(&draw.replace(&x, fraction, noise))
    });
    found.count() as f64 / draws as f64
}

#[test]
fn clean_data_of_every_family_pass_and_replaced_entries_are_found() {
    for family in FAMILIES {
        for (n, d) in [(100, 5), (100, 10), (300, 10), (300, 40)] {
            let alarms = false_alarms(2, n, d, |draw| draw.family(family, n, d), 1 << 32);
            assert_eq!(alarms, 0.0, "{family:?}, {n} x {d}");
        }
    }
    // neighbours by few columns are those of another cluster, and clusters of unequal width are no shelf
    assert_eq!(false_alarms(8, 1000, 5, |draw| draw.family(Family::Scores, 1000, 5), 11 << 40), 0.0);
    assert_eq!(false_alarms(8, 300, 10, |draw| draw.other(Other::UnequalClusters, 300, 10), 11 << 40), 0.0);
    for family in [Family::Clusters, Family::HalfNoise, Family::StudentClusters, Family::Scores] {
        for (fraction, noise) in
            [(0.05, Noise::Normal), (0.2, Noise::Uniform), (0.3, Noise::Signs), (0.4, Noise::Uniform)]
        {
            let found = detections(2, family, 600, 60, fraction, noise, 1 << 33);
            assert_eq!(found, 1.0, "{family:?}, {fraction} {noise:?}");
        }
    }
    // nothing that neighbours could share: the spread of the columns is all there is to compare with
    assert_eq!(detections(2, Family::Noise, 300, 50, 0.05, Noise::Uniform, 1 << 33), 1.0);
    // heavy tails of few columns hide a shelf that is wide enough as little
    assert!(detections(6, Family::Student, 300, 5, 0.05, Noise::Normal, 1 << 33) > 0.8);
    // a tail of counts that has more beyond the cut than the shelf does not hide it
    assert_eq!(detections(4, Family::NegativeBinomial, 100, 100, 0.2, Noise::Normal, 1 << 33), 1.0);
    // few entries: nearly all
    let families = [Family::Noise, Family::Clusters, Family::Student, Family::Scores, Family::LogNegativeBinomial];
    for (d, fraction) in [(50, 0.05), (500, 0.1), (10, 0.2)] {
        let found = families.map(|family| detections(2, family, 100, d, fraction, Noise::Uniform, 1 << 33));
        assert!(found.iter().sum::<f64>() >= 4.0, "100 x {d}, {fraction}: {found:?}");
    }
}

/// Replaced entries that the table looks for.
const SOUGHT: [(Noise, f64); 6] = [
    (Noise::Uniform, 0.05),
    (Noise::Uniform, 0.1),
    (Noise::Uniform, 0.2),
    (Noise::Normal, 0.05),
    (Noise::Normal, 0.1),
    (Noise::Normal, 0.2),
];

/// A row of the table: clean views called replaced, of how many, and replaced ones found, in % over all families and of
/// the family in which fewest are.
fn outlier_row(n: usize, d: usize, clean: u64, noisy: u64, seed: u64) -> String {
    let alarms = |shares: Vec<f64>| {
        let called: f64 = shares.iter().map(|share| share * clean as f64).sum();
        format!("{called:.0} of {}", shares.len() as u64 * clean)
    };
    let families = FAMILIES
        .map(|family| false_alarms(clean, n, d, |draw| draw.family(family, n, d), seed + ((family as u64) << 32)));
    let others =
        OTHERS.map(|family| false_alarms(clean, n, d, |draw| draw.other(family, n, d), seed + ((family as u64) << 33)));
    let found = SOUGHT.map(|(noise, fraction)| {
        let found = FAMILIES.map(|family| 100.0 * detections(noisy, family, n, d, fraction, noise, seed + (1 << 36)));
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        format!("{mean:.0} ({:.0})", found.iter().fold(100.0, |least: f64, share| least.min(*share)))
    });
    format!("{n} x {d},{},{},{}", alarms(families.to_vec()), alarms(others.to_vec()), found.join(","))
}

/// `SIZES="1000x50 300x10"` for some of the table; `OUTLIER_FACTS=FILE` writes it there.
#[test]
#[ignore = "takes an hour or two"]
#[allow(clippy::print_stdout)] // a table is what it is for
fn outlier_table() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default);
    let (seed, clean, noisy) = (number("SEED", 1) << 40, number("CLEAN", 40), number("NOISY", 20));
    let sizes = std::env::var("SIZES").unwrap_or_else(|_| {
        [100, 300, 1000, 10_000].map(|n| [5, 10, 50, 500].map(|d| format!("{n}x{d}")).join(" ")).join(" ")
    });
    let sizes = sizes.split_whitespace().filter_map(|size| size.split_once('x'));
    let mut table = String::from("view,ten kinds called,seven others called");
    for (noise, fraction) in SOUGHT {
        let noise = if matches!(noise, Noise::Uniform) { "U[-5 5]" } else { "5 times the spread" };
        table += &format!(",{:.0} % {noise}", 100.0 * fraction);
    }
    println!("{table}");
    for (n, d) in sizes {
        let row = outlier_row(n.parse().unwrap(), d.parse().unwrap(), clean, noisy, seed);
        println!("{row}");
        table = table + "\n" + &row;
    }
    if let Ok(file) = std::env::var("OUTLIER_FACTS") {
        std::fs::write(file, table + "\n").unwrap();
    }
}
