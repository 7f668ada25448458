//! How often the outlier test is wrong, by kind of data: a table, and a small version of it.
//!
//! `cargo test --release -p consilience --lib -- --ignored --nocapture outlier_table` prints the table (half an hour of one core).

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
enum Kind {
    /// Pure normal noise.
    Noise,
    /// Normal clusters.
    Clusters,
    /// The same, half of the columns noise.
    HalfNoise,
    /// Student's t with so many degrees of freedom.
    Student(usize),
    /// Clusters with such noise, of 3 degrees.
    StudentClusters,
    /// Principal component scores of normal clusters.
    Scores,
    /// Poisson's, or with a mean that varies from entry to entry; as they are, or the logarithms.
    Counts {
        dispersed: bool,
        log: bool,
    },
    Laplace,
    /// Three factors and noise of a third of their size.
    Factors,
    /// Exponentials of normal clusters.
    LogNormal,
    /// Clusters one in three of which is four times as wide.
    UnequalClusters,
    /// A twentieth of the samples are outliers as a whole.
    WrongSamples,
    Uniform,
    /// Principal component scores of short texts: whether words occur, samples of any length.
    TextScores,
    Product,
}

/// Those that replaced entries are looked for in.
const TEN: [Kind; 10] = [
    Kind::Noise,
    Kind::Clusters,
    Kind::HalfNoise,
    Kind::Student(3),
    Kind::StudentClusters,
    Kind::Scores,
    Kind::Counts { dispersed: false, log: false },
    Kind::Counts { dispersed: true, log: false },
    Kind::Counts { dispersed: false, log: true },
    Kind::Counts { dispersed: true, log: true },
];

const SEVEN: [Kind; 7] = [
    Kind::Student(5),
    Kind::Laplace,
    Kind::Factors,
    Kind::LogNormal,
    Kind::UnequalClusters,
    Kind::WrongSamples,
    Kind::Uniform,
];

/// Tails and peaks that nothing is promised of.
const ODD: [Kind; 4] = [Kind::Student(1), Kind::Student(2), Kind::Product, Kind::TextScores];

/// What takes an entry's place in a standardised view.
#[derive(Debug, Clone, Copy)]
enum Noise {
    /// Uniform on [-5, 5].
    Uniform,
    /// Normal, 5 standard deviations wide.
    Normal,
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

    fn view(&mut self, kind: Kind, n: usize, d: usize) -> Dense<f64> {
        match kind {
            Kind::Noise => Dense::from_fn(n, d, |_, _| self.normal()),
            Kind::Clusters => self.clusters(n, d, d, |draw, _| draw.normal()),
            Kind::HalfNoise => self.clusters(n, d, d.div_ceil(2), |draw, _| draw.normal()),
            Kind::Student(freedom) => Dense::from_fn(n, d, |_, _| self.student(freedom)),
            Kind::StudentClusters => self.clusters(n, d, d, |draw, _| draw.student(3)),
            Kind::Scores => scores(&self.clusters(n, d, d, |draw, _| draw.normal())),
            Kind::Counts { dispersed, log } => {
                let counts = self.counts(n, d, dispersed);
                if log { Dense::from_fn(n, d, |i, j| counts.get(i, j).ln_1p()) } else { counts }
            }
            Kind::Laplace => Dense::from_fn(n, d, |_, _| (self.uniform() / self.uniform()).ln()),
            Kind::Uniform => Dense::from_fn(n, d, |_, _| self.uniform()),
            Kind::Product => Dense::from_fn(n, d, |_, _| self.normal() * self.normal()),
            Kind::Factors => {
                let (left, right) =
                    (Dense::from_fn(n, 3, |_, _| self.normal()), Dense::from_fn(3, d, |_, _| self.normal()));
                let mut x = Dense::zeros(n, d);
                multiply_small(x.as_mat_mut(), left.as_mat(), right.as_mat());
                x.data_mut().iter_mut().for_each(|x| *x += 0.3 * self.normal());
                x
            }
            Kind::LogNormal => {
                let mut x = self.clusters(n, d, d, |draw, _| draw.normal());
                x.data_mut().iter_mut().for_each(|x| *x = (0.5 * *x).exp());
                x
            }
            Kind::UnequalClusters => {
                self.clusters(n, d, d, |draw, label| draw.normal() * if label % 3 == 0 { 4.0 } else { 1.0 })
            }
            Kind::WrongSamples => {
                let mut x = self.clusters(n, d, d, |draw, _| draw.normal());
                for row in x.data_mut().chunks_exact_mut(d).step_by(20) {
                    row.iter_mut().for_each(|x| *x = 5.0 * self.normal());
                }
                x
            }
            Kind::TextScores => {
                let lengths: Vec<f64> = (0..n).map(|_| 60.0 * self.gamma() / d as f64).collect();
                let common: Vec<f64> = (0..d).map(|j| 0.2 * d as f64 / (j + 10) as f64).collect();
                scores(&Dense::from_fn(n, d, |i, j| self.poisson(lengths[i] * common[j]).min(1.0)))
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

/// In how many of the draws clean data are called replaced, kind by kind.
fn false_alarms<const K: usize>(kinds: [Kind; K], draws: u64, n: usize, d: usize, seed: u64) -> [usize; K] {
    kinds.map(|kind| {
        let stream = format!("{kind:?}").bytes().fold(0, |hash, byte| 31 * hash % 40_961 + usize::from(byte));
        let is_called = |draw: &u64| {
            let x = Draw::new(seed + draw, stream, n, d).view(kind, n, d);
            is_called_replaced(&standardised(&x))
        };
        (0..draws).into_par_iter().filter(is_called).count()
    })
}

/// In how many of the draws replaced entries are found.
fn detections(draws: u64, kind: Kind, n: usize, d: usize, (noise, fraction): (Noise, f64), seed: u64) -> usize {
    let is_found = |draw: &u64| {
        let mut draw = Draw::new(seed + draw, TEN.iter().position(|other| *other == kind).unwrap(), n, d);
        let x = standardised(&draw.view(kind, n, d));
        is_called_replaced(&draw.replace(&x, fraction, noise))
    };
    (0..draws).into_par_iter().filter(is_found).count()
}

#[test]
fn clean_data_pass_and_replaced_entries_are_found() {
    for (n, d) in [(100, 10), (300, 10), (300, 40)] {
        let seed = 1 << 32;
        let called =
            [false_alarms(TEN, 2, n, d, seed).iter().sum::<usize>(), false_alarms(SEVEN, 2, n, d, seed).iter().sum()];
        assert!(called[0] + called[1] <= 1, "{n} x {d}: {called:?}");
    }
    assert_eq!(false_alarms(ODD, 2, 300, 100, 1 << 32), [0; 4]);
    for what in [(Noise::Normal, 0.05), (Noise::Uniform, 0.05), (Noise::Uniform, 0.2), (Noise::Uniform, 0.5)] {
        let found: usize = TEN.iter().map(|kind| detections(2, *kind, 400, 60, what, 1 << 33)).sum();
        // where half is replaced, counts have hardly a body left
        let least = if what.1 < 0.5 { 19 } else { 17 };
        assert!(found >= least, "{found} of 20, {what:?}");
    }
    let few: usize = TEN.iter().map(|kind| detections(3, *kind, 300, 10, (Noise::Uniform, 0.05), 1 << 33)).sum();
    assert!(few >= 22, "{few} of 30");
}

/// Replaced entries that the table looks for.
const SOUGHT: [(Noise, f64); 4] =
    [(Noise::Uniform, 0.05), (Noise::Uniform, 0.2), (Noise::Normal, 0.05), (Noise::Normal, 0.2)];

/// A row of the table: clean views called replaced, of how many, and replaced ones found, in % over the ten kinds and of the kind
/// in which fewest are.
fn outlier_row(n: usize, d: usize, clean: u64, noisy: u64, seed: u64) -> String {
    let alarms = |called: &[usize]| format!("{} of {}", called.iter().sum::<usize>(), called.len() as u64 * clean);
    let ten = alarms(&false_alarms(TEN, clean, n, d, seed));
    let (seven, odd) = (alarms(&false_alarms(SEVEN, clean, n, d, seed)), alarms(&false_alarms(ODD, clean, n, d, seed)));
    let found = SOUGHT.map(|what| {
        let found = TEN.map(|kind| 100.0 * detections(noisy, kind, n, d, what, seed + (1 << 36)) as f64 / noisy as f64);
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        format!("{mean:.0} ({:.0})", found.iter().fold(100.0, |least: f64, share| least.min(*share)))
    });
    format!("{n} x {d},{ten},{seven},{odd},{}", found.join(","))
}

/// `SIZES="1000x50 300x10"` for some of the table; `OUTLIER_FACTS=FILE` writes it there.
#[test]
#[ignore = "takes minutes"]
#[allow(clippy::print_stdout)] // a table is what it is for
fn outlier_table() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default);
    let (seed, clean, noisy) = (number("SEED", 1) << 40, number("CLEAN", 20), number("NOISY", 5));
    let sizes = std::env::var("SIZES")
        .unwrap_or_else(|_| "100x5 100x10 100x50 300x5 300x10 300x50 300x500 1000x10 1000x50 10000x50".to_owned());
    let sizes = sizes.split_whitespace().filter_map(|size| size.split_once('x'));
    let mut table = String::from("view,ten kinds called,seven others called,four odd ones called");
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
