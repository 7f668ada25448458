//! Curved clusters that overlap, in any number: every block of samples is drawn by itself, so that data larger than the
//! memory can be written to files.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{normal_pair, standard_normal};
use crate::matrix::{Csr, Dense, Matrix};
use crate::{Error, Result, View, Views};

/// Samples that are drawn at a time.
const BLOCK: usize = 4096;
/// A cluster is a bent line of this length, in distances between centres, in both directions.
const REACH: f64 = 1.5;
/// How far its ends bend away, in the same measure.
const BEND: f64 = 1.0;
/// Words of a sample in a view of counts: at least, and at most so many more.
const WORDS: (usize, usize) = (40, 80);
/// The share of a sample's words that its cluster has to do with.
const TOPICAL: f64 = 0.4;

/// What is made of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeView {
    /// Real numbers: bent lines with normal noise around them.
    Dense(usize),
    /// Sparse counts of so many words: some are frequent in a cluster, most in all.
    Counts(usize),
}

impl MadeView {
    /// Number of features.
    pub fn features(self) -> usize {
        match self {
            Self::Dense(features) | Self::Counts(features) => features,
        }
    }
}

/// Curved clusters that overlap. In a dense view every cluster is a bent line in a direction of its own, with unit normal
/// noise around it; where a sample lies along its line is the same in all views. Clusters are about equally large, and
/// samples come in random order.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// Number of samples.
    pub samples: usize,
    /// Number of clusters.
    pub clusters: usize,
    /// The views.
    pub views: Vec<MadeView>,
    /// Distance between two centres, in standard deviations of the noise: the root mean square over draws.
    pub separation: f64,
    /// Seed of the draw. A view's numbers depend on its place only, and a sample's on its number, not on how many follow.
    pub seed: u64,
}

/// A cluster of a dense view, each as long as the view has features.
struct Curve {
    centre: Vec<f32>,
    along: Vec<f32>,
    across: Vec<f32>,
}

/// The clusters of a view, from which its blocks are drawn.
pub struct Shapes(Kind);

enum Kind {
    Dense(Vec<Curve>),
    Counts(usize),
}

impl Curves {
    /// Draws everything: the views, called `view1`, `view2` and so on, and the cluster of every sample.
    ///
    /// # Errors
    /// When there are no clusters or more than samples, no views, or a view without features.
    pub fn generate(&self) -> Result<(Views, Vec<usize>)> {
        self.check()?;
        let views = (0..self.views.len()).map(|v| {
            let shapes = self.shapes(v);
            let blocks = (0..self.blocks()).map(|block| self.block(v, &shapes, block));
            let blocks: Vec<Matrix> = blocks.collect::<Result<_>>()?;
            Ok(View::new(Self::view_name(v), Matrix::stacked(&blocks.iter().collect::<Vec<_>>())?))
        });
        let views = Views::new(views.collect::<Result<_>>()?)?;
        Ok((views, (0..self.blocks()).flat_map(|block| self.truth(block)).collect()))
    }

    /// The name of view `v`.
    pub fn view_name(v: usize) -> String {
        format!("view{}", v + 1)
    }

    /// Refuses what cannot be drawn.
    ///
    /// # Errors
    /// When there are no clusters or more than samples, no views, or a view without features.
    pub fn check(&self) -> Result<()> {
        let k = self.clusters;
        if k == 0 || k > self.samples {
            return Err(Error::Clusters { k, why: format!("there are {} samples to draw", self.samples) });
        }
        if self.views.is_empty() || self.views.iter().any(|view| view.features() == 0) {
            return Err(Error::data("made-up data need a view, and every view a feature"));
        }
        if !(self.separation.is_finite() && self.separation >= 0.0) {
            return Err(Error::data(format!("a separation of {} is no distance", self.separation)));
        }
        Ok(())
    }

    /// Number of blocks of samples.
    pub fn blocks(&self) -> usize {
        self.samples.div_ceil(BLOCK)
    }

    fn rows(&self, block: usize) -> usize {
        BLOCK.min(self.samples - block * BLOCK)
    }

    /// The clusters of a block's samples.
    pub fn truth(&self, block: usize) -> Vec<usize> {
        self.places(block).into_iter().map(|(cluster, _)| cluster).collect()
    }

    /// The cluster of every sample of a block, and where along its line the sample lies, -1 to 1.
    fn places(&self, block: usize) -> Vec<(usize, f32)> {
        let mut rng = self.stream(0, block);
        (0..self.rows(block)).map(|_| (rng.random_range(0..self.clusters), rng.random_range(-1.0..1.0))).collect()
    }

    /// Draws the clusters of view `v`.
    pub fn shapes(&self, v: usize) -> Shapes {
        let MadeView::Dense(d) = self.views[v] else { return Shapes(Kind::Counts(self.views[v].features())) };
        // what belongs to no block comes from a place that no block has
        let mut rng = self.stream(v + 1, u32::MAX as usize);
        let spread = self.separation / (2.0 * d as f64).sqrt();
        let mut direction = |length: f64| -> Vec<f32> {
            let drawn: Vec<f64> = (0..d).map(|_| standard_normal(&mut rng)).collect();
            let scale = length / drawn.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            drawn.iter().map(|x| (x * scale) as f32).collect()
        };
        let centre_length = spread * (d as f64).sqrt();
        let curves = (0..self.clusters).map(|_| Curve {
            centre: direction(centre_length),
            along: direction(REACH * self.separation),
            across: direction(BEND * self.separation),
        });
        Shapes(Kind::Dense(curves.collect()))
    }

    /// A block of view `v`.
    ///
    /// # Errors
    /// None for a block below [`Curves::blocks`] of data that [`Curves::check`] accepts.
    pub fn block(&self, v: usize, shapes: &Shapes, block: usize) -> Result<Matrix> {
        let mut rng = self.stream(v + 1, block);
        let places = self.places(block);
        match &shapes.0 {
            Kind::Dense(curves) => Ok(Matrix::DenseF32(dense(curves, &places, &mut rng)?)),
            Kind::Counts(words) => Ok(Matrix::SparseF32(counts(*words, self.clusters, &places, &mut rng)?)),
        }
    }

    fn stream(&self, view: usize, block: usize) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(((view as u64) << 32) | block as u64);
        rng
    }
}

fn dense(curves: &[Curve], places: &[(usize, f32)], rng: &mut ChaCha8Rng) -> Result<Dense<f32>> {
    let d = curves[0].centre.len();
    let mut numbers = Vec::with_capacity(places.len() * d);
    for &(cluster, t) in places {
        let Curve { centre, along, across } = &curves[cluster];
        // a third: the middle of the line is its mean
        let bend = t * t - 1.0 / 3.0;
        let mut second = None;
        numbers.extend((0..d).map(|j| {
            let noise = second.take().unwrap_or_else(|| {
                let (one, other) = normal_pair(rng);
                second = Some(other);
                one
            });
            centre[j] + t * along[j] + bend * across[j] + noise as f32
        }));
    }
    Dense::new(places.len(), d, numbers)
}

fn counts(words: usize, clusters: usize, places: &[(usize, f32)], rng: &mut ChaCha8Rng) -> Result<Csr<f32>> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let topic = (2 * words / clusters).max(1);
    for &(cluster, _) in places {
        let length = WORDS.0 + rng.random_range(0..=WORDS.1);
        let mut drawn: Vec<u32> = (0..length)
            .map(|_| {
                if rng.random::<f64>() < TOPICAL {
                    // topics are neighbouring words, and overlap
                    ((cluster * words / clusters + rng.random_range(0..topic)) % words) as u32
                } else {
                    // the logarithm of a word's rank is uniform, as in languages
                    ((words as f64).powf(rng.random::<f64>()) as usize).saturating_sub(1).min(words - 1) as u32
                }
            })
            .collect();
        drawn.sort_unstable();
        for same in drawn.chunk_by(|a, b| a == b) {
            columns.push(same[0]);
            values.push(same.len() as f32);
        }
        starts.push(columns.len());
    }
    Csr::new(places.len(), words, starts, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Curves {
        let views = vec![MadeView::Dense(6), MadeView::Counts(300)];
        Curves { samples: 5_000, clusters: 4, views, separation: 12.0, seed: 3 }
    }

    #[test]
    fn shapes_and_clusters() {
        let (views, truth) = example().generate().unwrap();
        let shapes: Vec<_> = views.iter().map(|view| (view.data.rows(), view.data.cols())).collect();
        assert_eq!((shapes, truth.len()), (vec![(5_000, 6), (5_000, 300)], 5_000));
        let Matrix::SparseF32(counts) = &views.named("view2").unwrap().data else { panic!() };
        let words = |i: usize| counts.row(i).1.iter().sum::<f32>() as usize;
        assert!((0..5_000).all(|i| (40..=120).contains(&words(i))));
        let sizes = [0, 1, 2, 3].map(|c| truth.iter().filter(|&&label| label == c).count());
        assert!(sizes.iter().all(|size| (1_100..1_400).contains(size)), "{sizes:?}");
    }

    #[test]
    fn a_sample_does_not_depend_on_how_many_follow() {
        let (all, truth) = example().generate().unwrap();
        let (some, first) = Curves { samples: 4_200, ..example() }.generate().unwrap();
        assert_eq!(first, truth[..4_200]);
        for (all, some) in all.iter().zip(&some) {
            assert!((0..4_200).all(|i| all.data.row_entries(i) == some.data.row_entries(i)));
        }
    }

    #[test]
    fn a_cluster_is_a_line_with_unit_noise() {
        let curves = Curves { clusters: 1, views: vec![MadeView::Dense(400)], ..example() };
        let (views, _) = curves.generate().unwrap();
        let Matrix::DenseF32(data) = &views.named("view1").unwrap().data else { panic!() };
        let column = |j: usize| data.iter_rows().map(move |row| f64::from(row[j])).collect::<Vec<f64>>();
        let variance = |x: &[f64]| {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64
        };
        let total: f64 = (0..400).map(|j| variance(&column(j))).sum();
        // t has the variance 1/3, t^2 4/45; the noise is 1 in each of 400 directions
        let line = (REACH * 12.0_f64).powi(2) / 3.0 + (BEND * 12.0_f64).powi(2) * 4.0 / 45.0;
        assert!((total - 400.0 - line).abs() < 4.0, "{total} beside {line}");
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert!(Curves { clusters: 0, ..example() }.generate().is_err());
        assert!(Curves { views: vec![], ..example() }.generate().is_err());
        assert!(Curves { views: vec![MadeView::Counts(0)], ..example() }.generate().is_err());
        assert!(Curves { separation: f64::NAN, ..example() }.generate().is_err());
    }
}
