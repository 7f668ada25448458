//! How much an examination may do: about as much as the run itself did, and a few seconds more.
//!
//! An examination repeats the method many times. On few samples that is nothing; on many it would take twenty times what the
//! run took. So the runs that are repeated see as many samples as there is time for, by a count of operations and not by a
//! clock: the same data give the same answers on every machine.

use super::Examine;
use crate::{Clustering, Views};

/// Operations that are always allowed: three seconds of one core.
const ALLOWED: f64 = 7.5e10;
/// What repeated runs may do together, of what the run itself did. Making the run again, and each view alone, come on top.
const OF_THE_RUN: f64 = 0.5;
/// The share of what is always allowed that leaving out each view in turn may take on all samples.
const FOR_LEAVING_OUT: f64 = 0.15;
/// Operations of a run for every pair of samples, besides comparing their entries.
const PER_PAIR: f64 = 100.0;
/// Operations of a run for every sample in every view, and more for every cluster: the outlier test, graphs, eigenvectors.
const PER_SAMPLE: f64 = 2.5e6;
const PER_SAMPLE_AND_CLUSTER: f64 = 5e4;
/// Operations of k-means for every number of a sample, for every cluster and about as much again for few clusters, in every
/// restart: some iterations. More on features as they are, which do not fit in the cache.
const PER_CENTRE: f64 = 50.0;
const PER_CENTRE_OF_FEATURES: f64 = 80.0;
const MORE_CENTRES: f64 = 8.0;
/// Parts have as many samples for every cluster, or half of all: smaller ones cannot hold the clusters.
const LEAST_PER_CLUSTER: usize = 20;
/// On the first of the parts the method also runs without each view in turn: on this many, and fewer where there are many views.
const ROUNDS_WITHOUT_VIEWS: usize = 5;
const LEAST_ROUNDS: usize = 3;
const MOST_RUNS_WITHOUT: usize = 12;

/// The size of a run.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    samples: usize,
    views: usize,
    clusters: usize,
    /// Entries of a sample, in all views.
    entries: f64,
    /// Numbers of a sample that k-means sees, for every restart.
    numbers: f64,
    /// Whether samples are compared with each other; k-means on features does without.
    pairs: bool,
}

/// Runs on random parts of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// How many.
    pub(super) rounds: usize,
    /// On how many of them the method also runs without each view.
    pub(super) without_views: usize,
    /// Samples in each.
    pub(super) samples: usize,
}

impl Effort {
    /// Of a run on `views`, stored as runs store them.
    pub(super) fn new(views: &Views, clustering: &Clustering) -> Self {
        let stored: usize = views.iter().map(|view| view.data.stored()).sum();
        let record = &clustering.record;
        Self {
            samples: views.samples(),
            views: views.len(),
            clusters: record.settings.clusters.max(record.clusters_found()),
            entries: stored as f64 / views.samples() as f64,
            numbers: (clustering.fitted.embedding.cols() * record.settings.restarts) as f64,
            pairs: !record.eigenvalues.is_empty(),
        }
    }

    /// Operations of a run for every pair of samples and for every sample.
    fn rates(&self) -> (f64, f64) {
        let k = self.clusters as f64;
        let centres = self.numbers * (k + MORE_CENTRES);
        if !self.pairs {
            return (0.0, centres * PER_CENTRE_OF_FEATURES);
        }
        (self.entries + PER_PAIR, centres * PER_CENTRE + self.views as f64 * (PER_SAMPLE + PER_SAMPLE_AND_CLUSTER * k))
    }

    /// Operations of a run on so many samples.
    fn run(&self, samples: f64) -> f64 {
        let (pair, sample) = self.rates();
        samples * (samples * pair + sample)
    }

    /// How many samples a run may have that takes so many operations.
    fn samples_within(&self, operations: f64) -> f64 {
        let (pair, sample) = self.rates();
        // the root of run(samples) = operations
        2.0 * operations / (sample + (sample * sample + 4.0 * pair * operations).sqrt())
    }

    /// Operations of all repeated runs together.
    fn allowed(&self, asked: &Examine) -> f64 {
        let all = self.samples as f64;
        let without = if self.leaves_out(asked) && self.views > 2 { self.without_each(all) } else { 0.0 };
        ALLOWED + OF_THE_RUN * self.run(all) - without
    }

    /// Operations of the runs without each view in turn: each is so much smaller.
    fn without_each(&self, samples: f64) -> f64 {
        (self.views - 1) as f64 * self.run(samples)
    }

    /// Whether the method also runs without each view in turn on all samples. Of two views that is each view alone, which is asked
    /// anyhow.
    pub(super) fn leaves_out(&self, asked: &Examine) -> bool {
        let few = || self.without_each(self.samples as f64) <= FOR_LEAVING_OUT * ALLOWED;
        asked.leave_out && self.views > 1 && (self.views == 2 || few())
    }

    /// The runs on random parts: as many as are asked for on up to the share that is asked for, smaller parts where that takes too
    /// long, and half as many where parts would be too small for the clusters. Where even these take too long nothing is
    /// asked of the views.
    pub(super) fn parts(&self, asked: &Examine) -> Parts {
        let most = (asked.share * self.samples as f64).round();
        let least = (LEAST_PER_CLUSTER * self.clusters).min(self.samples / 2) as f64;
        let (rounds, fewer) = (asked.resamples, asked.resamples.div_ceil(2));
        let asks_views = asked.leave_out && self.views > 1 && self.clusters > 1;
        let without = |most: usize| {
            let by_views = MOST_RUNS_WITHOUT / (self.views - 1).max(1);
            if asks_views { by_views.clamp(LEAST_ROUNDS, most) } else { 0 }
        };
        let each = |(rounds, without_views): (usize, usize)| {
            self.allowed(asked) / (rounds + without_views * (self.views - 1)).max(1) as f64
        };
        let ways = [(rounds, without(ROUNDS_WITHOUT_VIEWS)), (fewer, without(LEAST_ROUNDS)), (fewer, 0)];
        let ways = ways.map(|(rounds, without_views)| (rounds, without_views.min(rounds)));
        let fitting = ways.into_iter().find(|way| self.run(least.min(most)) <= each(*way));
        let way = fitting.unwrap_or(ways[2]);
        let samples = self.samples_within(each(way)).max(least).min(most);
        Parts { rounds: way.0, without_views: way.1, samples: samples as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Effort = Effort { samples: 300, views: 3, clusters: 5, entries: 50.0, numbers: 60.0, pairs: true };

    #[test]
    fn few_samples_are_asked_in_full_and_many_within_what_the_run_took() {
        let asked = Examine::default();
        assert_eq!(SMALL.parts(&asked), Parts { rounds: 10, without_views: 5, samples: 240 });
        assert!(SMALL.leaves_out(&asked));
        let large = Effort { samples: 20_000, clusters: 20, entries: 180.0, ..SMALL };
        let parts = large.parts(&asked);
        // ten runs, five of them without each of three views: 20 times what all views take
        let all = 20.0 * large.run(parts.samples as f64);
        let most = ALLOWED + OF_THE_RUN * large.run(20_000.0);
        assert!(parts.samples > 1_000 && all <= most && all > 0.99 * most, "{parts:?}");
        assert!(!large.leaves_out(&asked) && Effort { views: 2, ..large }.leaves_out(&asked));
        let without = |views| Effort { views, ..large }.parts(&asked).without_views;
        assert_eq!([1, 2, 3, 4, 6, 8, 12].map(without), [0, 5, 5, 4, 3, 3, 0]);
    }

    #[test]
    fn clusters_need_samples_and_where_they_are_many_there_are_fewer_runs() {
        let asked = Examine::default();
        // as many samples as clusters need, or half of all
        let many = Effort { samples: 680, clusters: 68, numbers: 700.0, ..SMALL };
        let parts = many.parts(&asked);
        assert!((parts.rounds, parts.without_views) == (5, 3) && parts.samples >= 340, "{parts:?}");
        let more = Effort { samples: 1_600, clusters: 100, numbers: 1_000.0, ..SMALL };
        assert_eq!(more.parts(&asked), Parts { rounds: 5, without_views: 0, samples: 800 });
        assert_eq!(more.parts(&Examine { resamples: 30, ..asked }).rounds, 15);
        assert_eq!(more.parts(&Examine { resamples: 0, ..asked }).rounds, 0);
    }

    #[test]
    fn k_means_on_features_takes_what_it_sees() {
        let sparse = Effort { samples: 1_200, clusters: 6, entries: 400.0, numbers: 100_000.0, pairs: false, ..SMALL };
        let narrow = Effort { numbers: 1_000.0, ..sparse };
        let asked = Examine::default();
        assert_eq!(narrow.parts(&asked).samples, 960);
        assert!(sparse.parts(&asked).samples < 600, "{:?}", sparse.parts(&asked));
    }
}
