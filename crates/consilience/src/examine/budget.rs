//! How much an examination may do: about as much as the run itself did, and a few seconds more.
//!
//! An examination repeats the method many times. On few samples that is nothing; on many it would take twenty times what the
//! run took. So the runs that are repeated see as many samples as there is time for, by a count of operations and not by a
//! clock: the same data give the same answers on every machine.

use super::Examine;
use crate::{Clustering, Views};

/// Operations that are always allowed: a second of one core.
const ALLOWED: f64 = 2.5e10;
/// What repeated runs may do together, of what the run itself did. Making the run again, and each view alone, come on top.
const OF_THE_RUN: f64 = 0.25;
/// The share of what is always allowed that leaving out each view in turn may take on all samples.
const FOR_LEAVING_OUT: f64 = 0.4;
/// Operations of a run for every pair of samples, besides comparing their entries.
const PER_PAIR: f64 = 100.0;
/// Operations for every sample in every view, and as many again for so many clusters: graphs, eigenvectors.
const PER_SAMPLE: f64 = 2.5e6;
const CLUSTERS: f64 = 50.0;
/// Operations of k-means for every number that it sees of a sample and every cluster, a few more than there are.
const PER_CENTRE: f64 = 50.0;
const MORE_CENTRES: f64 = 8.0;
/// Parts have as many samples for every cluster, or half of all: smaller ones cannot hold the clusters.
const LEAST_PER_CLUSTER: usize = 20;
/// Runs without a view on the parts, and on how many parts at least and at most.
const RUNS_WITHOUT: usize = 12;
const ROUNDS_WITHOUT: (usize, usize) = (3, 5);

/// What a run takes, by the number of its samples.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    samples: usize,
    views: usize,
    clusters: usize,
    /// Operations for every pair of samples, and for every sample.
    pair: f64,
    sample: f64,
}

/// Pairs of runs on random parts of the samples: with all views, and without each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// How many parts.
    pub(super) rounds: usize,
    /// Samples in each.
    pub(super) samples: usize,
}

impl Budget {
    /// Of a run on `views`, stored as runs store them.
    pub(super) fn new(views: &Views, clustering: &Clustering) -> Self {
        let record = &clustering.record;
        let (samples, clusters) = (views.samples(), record.settings.clusters.max(record.clusters_found()));
        let stored: usize = views.iter().map(|view| view.data.stored()).sum();
        let numbers = clustering.fitted.embedding.cols() * record.settings.restarts;
        let centres = PER_CENTRE * numbers as f64 * (clusters as f64 + MORE_CENTRES);
        let graphs = PER_SAMPLE * views.len() as f64 * (1.0 + clusters as f64 / CLUSTERS);
        // k-means on features compares no samples with each other
        let (pair, sample) = match record.eigenvalues.as_slice() {
            [] => (0.0, centres),
            _ => (stored as f64 / samples as f64 + PER_PAIR, centres + graphs),
        };
        Self { samples, views: views.len(), clusters, pair, sample }
    }

    /// Operations of a run on so many samples.
    fn run(&self, samples: usize) -> f64 {
        samples as f64 * (samples as f64 * self.pair + self.sample)
    }

    /// How many samples a run may have that takes so many operations: the root of `run(samples) = operations`.
    fn samples_within(&self, operations: f64) -> usize {
        let root = (self.sample * self.sample + 4.0 * self.pair * operations).sqrt();
        (2.0 * operations / (self.sample + root)) as usize
    }

    /// Whether the method also runs without each view in turn on all samples. Of two views that is each view alone, which is asked
    /// anyhow.
    pub(super) fn leaves_out(&self, asked: &Examine) -> bool {
        let few = || (self.views - 1) as f64 * self.run(self.samples) <= FOR_LEAVING_OUT * ALLOWED;
        asked.leave_out && self.views > 1 && (self.views == 2 || few())
    }

    /// The parts on which the method runs with every view and without each: of up to the share that is asked for, of less where that
    /// takes too long, and none where parts would be too small for the clusters.
    pub(super) fn parts(&self, asked: &Examine) -> Parts {
        let most = (asked.share * self.samples as f64).round() as usize;
        let least = (LEAST_PER_CLUSTER * self.clusters).min(self.samples / 2).min(most);
        let others = self.views - 1;
        if !asked.leave_out || others == 0 || self.clusters < 2 || most <= self.clusters {
            return Parts { rounds: 0, samples: 0 };
        }
        let allowed = ALLOWED + OF_THE_RUN * self.run(self.samples);
        let each = |rounds: usize| allowed / (rounds * (1 + others)) as f64;
        let usual = (RUNS_WITHOUT / others).clamp(ROUNDS_WITHOUT.0, ROUNDS_WITHOUT.1).min(asked.resamples);
        let ways = [usual, usual.min(ROUNDS_WITHOUT.0)];
        match ways.into_iter().find(|&rounds| rounds > 0 && self.run(least) <= each(rounds)) {
            Some(rounds) => Parts { rounds, samples: self.samples_within(each(rounds)).clamp(least, most) },
            None => Parts { rounds: 0, samples: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Budget = Budget { samples: 300, views: 3, clusters: 5, pair: 150.0, sample: 8.3e6 };

    #[test]
    fn few_samples_are_asked_by_halves_and_many_within_what_the_run_took() {
        let asked = Examine::default();
        assert_eq!(SMALL.parts(&asked), Parts { rounds: 5, samples: 150 });
        assert!(SMALL.parts(&Examine { share: 0.8, ..asked }).samples > 150);
        assert!(SMALL.leaves_out(&asked));
        let large = Budget { samples: 20_000, clusters: 20, pair: 280.0, ..SMALL };
        let parts = large.parts(&asked);
        let (all, most) = (15.0 * large.run(parts.samples), ALLOWED + OF_THE_RUN * large.run(20_000));
        assert!(parts.samples > 300 && all <= most && all > 0.99 * most, "{parts:?}");
        assert!(!large.leaves_out(&asked) && Budget { views: 2, ..large }.leaves_out(&asked));
        let rounds = |views| Budget { views, ..large }.parts(&asked).rounds;
        assert_eq!([1, 2, 3].map(rounds), [0, 5, 5]);
    }

    #[test]
    fn where_parts_would_be_too_small_for_the_clusters_there_are_none() {
        let asked = Examine::default();
        let more = Budget { samples: 16_000, clusters: 400, sample: 2.8e7, ..SMALL };
        assert_eq!(more.parts(&asked), Parts { rounds: 0, samples: 0 });
        assert_eq!(SMALL.parts(&Examine { resamples: 0, ..asked }).rounds, 0);
        assert_eq!(SMALL.parts(&Examine { resamples: 2, ..asked }).rounds, 2);
    }
}
