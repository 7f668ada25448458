//! What a run leaves behind: its account, the fitted pipeline, and the affinity that the views agreed on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;
use crate::matrix::Dense;
use crate::memberships::Memberships;
use crate::neighbours::Spread;
use crate::operator::LinOp;
use crate::record::RunRecord;
use crate::run::Run;
use crate::spectral::nearest_centre;
use crate::split::splits;
use crate::views::{Scaler, Views};
use crate::{Error, Result};

/// A finished clustering.
#[non_exhaustive]
pub struct Clustering {
    /// What was asked and what came out.
    pub record: RunRecord,
    /// What the run learned, for new samples.
    pub fitted: Fitted,
    /// The normalised affinity the views agreed on; in a run by landmarks that of the landmarks.
    pub affinity: Arc<dyn LinOp>,
    /// How sure the cluster of every sample is.
    pub memberships: Memberships,
    /// What was clustered in full, in a run by landmarks.
    pub landmarks: Option<Box<LandmarkFit>>,
}

/// What was clustered in full in a run by landmarks.
#[non_exhaustive]
pub struct LandmarkFit {
    /// The numbers of the landmarks, rising.
    pub rows: Vec<usize>,
    /// Their views.
    pub views: Views,
    /// Their clustering.
    pub clustering: Clustering,
    /// What places all samples.
    pub model: Model,
}

/// What a run learned besides its labels. With the weights of the views and the settings of the graphs, which are in
/// the [`RunRecord`], this is all that is needed to place new samples.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The scaling of every view, with its statistics.
    pub scalers: Vec<Scaler>,
    /// What k-means saw: eigenvectors with rows of unit length (n x clusters), or the method's own points (n x any).
    pub embedding: Dense<f64>,
    /// The centre of every cluster in the embedding, in the order of the labels.
    pub centres: Dense<f64>,
    /// How far the samples are from each other in the views, by name, in which the method searched for that: a model need not.
    pub spreads: BTreeMap<String, Spread>,
}

impl Fitted {
    /// Views of other samples, scaled as those of the fit were.
    ///
    /// # Errors
    /// When they are not the same views of the same features.
    pub fn scale(&self, views: &Views) -> Result<Views> {
        views.transformed(&self.scalers)
    }

    /// The cluster whose centre is nearest to each point of the embedding's space; of equally near ones the first.
    ///
    /// # Errors
    /// When the points have other dimensions than the embedding.
    pub fn nearest_centres(&self, points: &Dense<f64>) -> Result<Vec<usize>> {
        if points.cols() != self.centres.cols() {
            let what =
                format!("points of {} dimensions are not of the embedding's {}", points.cols(), self.centres.cols());
            return Err(Error::data(what));
        }
        Ok(points.iter_rows().map(|point| nearest_centre(&self.centres, point)).collect())
    }
}

/// The new number of every cluster, in the order of the old ones: 0 for what was cluster `order[0]`.
pub(crate) fn new_numbers(order: &[usize]) -> Vec<usize> {
    let mut numbers = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| numbers[old] = new);
    numbers
}

/// Gives clusters other numbers: 0 for what was cluster `order[0]`, and so on.
pub(crate) fn reorder(labels: &mut [usize], centres: &mut Dense<f64>, order: &[usize]) {
    let numbers = new_numbers(order);
    labels.iter_mut().for_each(|label| *label = numbers[*label]);
    *centres = centres.select_rows(order);
}

impl Clustering {
    /// Gives the clusters other numbers.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        reorder(&mut self.record.labels, &mut self.fitted.centres, order);
        let numbers = new_numbers(order);
        self.record.tree.renamed(&numbers);
        self.record.splits.iter_mut().for_each(|split| split.cluster = numbers[split.cluster]);
        if let Ok(renamed) = self.memberships.joined(&numbers, order.len(), &self.record.labels) {
            self.memberships = renamed;
        }
        if let Some(stability) = self.record.findings.readings.as_mut().and_then(|found| found.stability.as_mut()) {
            stability.by_cluster = order.iter().map(|&old| stability.by_cluster[old]).collect();
        }
    }

    /// How every cluster would split in two, kept in the record. Unknown in a run by landmarks, whose affinity is of these alone.
    ///
    /// # Errors
    /// When the run is cancelled.
    pub fn add_splits(&mut self, run: &Run) -> Result<()> {
        if self.landmarks.is_none() {
            let (record, affinity) = (&mut self.record, self.affinity.as_ref());
            record.splits = splits(affinity, &record.labels, record.clusters_found(), record.settings.seed, run)?;
        }
        Ok(())
    }

    /// The affinity averaged over blocks of samples: entry `(a, b)` is the mean affinity between the samples of
    /// `blocks[a]` and those of `blocks[b]`. It is what a heat map of any number of samples is drawn from; samples
    /// sorted by label and cut into equal blocks show the clusters.
    pub fn block_averages(&self, blocks: &[Vec<usize>]) -> Dense<f64> {
        // a few blocks at a time: the memory stays small for any number of them
        const AT_ONCE: usize = 32;
        let n = self.record.labels.len();
        let mut averages = Dense::zeros(blocks.len(), blocks.len());
        for (group, some) in blocks.chunks(AT_ONCE).enumerate() {
            let mut inside = Dense::zeros(n, some.len());
            for (b, block) in some.iter().enumerate() {
                for &sample in block.iter().filter(|&&sample| sample < n) {
                    inside.data_mut()[sample * some.len() + b] = 1.0 / block.len() as f64;
                }
            }
            let mut image = Dense::zeros(n, some.len());
            self.affinity.apply(&inside, &mut image);
            for (a, block) in blocks.iter().enumerate() {
                let row = &mut averages.data_mut()[a * blocks.len() + group * AT_ONCE..][..some.len()];
                for &sample in block.iter().filter(|&&sample| sample < n) {
                    row.iter_mut().zip(image.row(sample)).for_each(|(sum, x)| *sum += x / block.len() as f64);
                }
            }
        }
        averages
    }
}

#[cfg(test)]
mod tests {
    use crate::datasets::Blobs;
    use crate::{Settings, cluster};

    #[test]
    fn blocks_of_clusters_are_bright_on_the_diagonal() {
        let blobs = Blobs { samples: 90, clusters: 3, features: vec![5, 6], separation: 12.0, seed: 1 };
        let result = cluster(&blobs.generate().unwrap().0, &Settings::new(3)).unwrap();
        let of = |label| (0..90).filter(|&i| result.record.labels[i] == label).collect();
        let averages = result.block_averages(&[of(0), of(1), of(2)]);
        for a in 0..3 {
            for b in (0..3).filter(|&b| b != a) {
                assert!(averages.get(a, a) > 10.0 * averages.get(a, b).abs());
            }
        }
    }

    #[test]
    fn a_fit_places_new_points_where_it_placed_the_old() {
        let blobs = Blobs { samples: 60, clusters: 3, features: vec![5], separation: 12.0, seed: 2 };
        let views = blobs.generate().unwrap().0;
        let result = cluster(&views, &Settings::new(3)).unwrap();
        assert_eq!(result.fitted.nearest_centres(&result.fitted.embedding).unwrap(), result.record.labels);
        assert!(result.fitted.nearest_centres(&crate::matrix::Dense::zeros(1, 9)).is_err());
        let scaled = result.fitted.scale(&views).unwrap();
        assert_eq!(scaled.samples(), 60);
    }
}
