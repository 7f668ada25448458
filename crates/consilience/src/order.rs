//! Many samples in an order in which neighbours lie side by side.
//!
//! Graphs, searches and products with vectors read a sample's neighbours one after the other. Of a hundred thousand samples in
//! the order of a file each is in another part of the memory; in this order most are in the cache. Nothing else depends on it:
//! what comes back is in the order of the samples.

use std::sync::Arc;

use crate::matrix::Dense;
use crate::method::{Consensus, Labelling};
use crate::neighbours::{Search, cell_order};
use crate::operator::Reordered;
use crate::{Result, Run, View, Views};

/// The samples in another order.
pub(crate) struct Order {
    /// The sample at every place.
    samples: Vec<usize>,
}

impl Order {
    /// None when there are so few samples that it does not pay, and for given affinities, which say nothing about places.
    pub(crate) fn of(views: &Views, run: &Run) -> Result<Option<Self>> {
        if views.samples() <= Search::MOST_EXACT || views.iter().any(View::is_affinity) {
            return Ok(None);
        }
        Ok(Some(Self { samples: cell_order(views, run)?.into_iter().map(|sample| sample as usize).collect() }))
    }

    /// The views in this order.
    pub(crate) fn apply(&self, views: &Views) -> Result<Views> {
        views.select(&self.samples)
    }

    /// What was found about views in this order, in the order of the samples.
    pub(crate) fn restore(&self, consensus: Consensus, found: Labelling) -> (Consensus, Labelling) {
        let (affinity, mut findings) = (consensus.affinity, consensus.findings);
        for disagreement in &mut findings.disagreements {
            disagreement.samples.iter_mut().for_each(|sample| *sample = self.samples[*sample]);
            disagreement.samples.sort_unstable();
        }
        let affinity = Arc::new(Reordered::new(affinity, self.samples.clone()));
        (Consensus { affinity, findings, ..consensus }, self.labelling(found))
    }

    fn labelling(&self, found: Labelling) -> Labelling {
        let mut labels = vec![0; found.labels.len()];
        self.samples.iter().zip(&found.labels).for_each(|(&sample, &label)| labels[sample] = label);
        let mut kept = crate::labels::number_by_first_appearance(&mut labels);
        // clusters that nobody is in stay behind the others
        kept.extend((0..found.centres.rows()).filter(|cluster| !found.labels.contains(cluster)));
        let centres = found.centres.select_rows(&kept);
        Labelling { labels, embedding: self.restored(&found.embedding), centres, eigenvalues: found.eigenvalues }
    }

    fn restored(&self, rows: &Dense<f64>) -> Dense<f64> {
        let mut places = vec![0; self.samples.len()];
        self.samples.iter().enumerate().for_each(|(place, &sample)| places[sample] = place);
        rows.select_rows(&places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::metrics::{Contingency, nmi};
    use crate::{Settings, cluster};

    /// Three well separated clusters of many samples.
    fn many() -> (Views, Vec<usize>) {
        let samples = Search::MOST_EXACT + 500;
        Blobs { samples, clusters: 3, features: vec![3, 4], separation: 14.0, seed: 4 }.generate().unwrap()
    }

    #[test]
    fn labels_embedding_and_affinity_come_back_in_the_order_of_the_samples() {
        let (views, truth) = many();
        for method in ["slrmf", "kmeans"] {
            let settings = Settings::with_method(3, method, &[]).unwrap().landmarks("off".parse().unwrap());
            let found = cluster(&views, &settings).unwrap();
            let score = nmi(&Contingency::new(&found.record.labels, &truth).unwrap());
            assert!(score > 0.99, "{method}: {score}");
            let mut numbered = found.record.labels.clone();
            crate::labels::number_by_first_appearance(&mut numbered);
            assert_eq!(numbered, found.record.labels, "{method}");
            // samples are nearest to the centre of their own cluster
            for i in (0..views.samples()).step_by(1013) {
                let row = found.fitted.embedding.row(i);
                let far = |c: usize| {
                    let centre = found.fitted.centres.row(c);
                    row.iter().zip(centre).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()
                };
                let nearest = (0..3).min_by(|&a, &b| far(a).total_cmp(&far(b)));
                assert_eq!(nearest, Some(found.record.labels[i]), "{method}: sample {i}");
            }
            if method == "slrmf" {
                assert!(found.record.approximate.is_some_and(|told| told.searches > 0));
                // in a wrong order two of three would be
                assert!(astray(&found) < views.samples() / 10);
            }
        }
    }

    /// How many samples have much affinity to other clusters than their own.
    fn astray(found: &crate::Clustering) -> usize {
        let labels = &found.record.labels;
        let members = Dense::from_fn(labels.len(), 3, |i, c| f64::from(u8::from(labels[i] == c)));
        let mut image = Dense::zeros(labels.len(), 3);
        found.affinity.apply(&members, &mut image);
        let rows = image.iter_rows().zip(labels);
        rows.filter(|(row, label)| (0..3).any(|c| c != **label && row[c] > 0.1 * row[**label])).count()
    }

    #[test]
    fn few_samples_stay_where_they_are() {
        let blobs = Blobs { samples: 100, clusters: 3, features: vec![3], separation: 14.0, seed: 4 };
        assert!(Order::of(&blobs.generate().unwrap().0, &Run::default()).unwrap().is_none());
    }
}
