//! How much an examination may do: about as much as the run itself did, and a few seconds more.
//!
//! An examination repeats the method many times. On few samples that is nothing; on many it would take twenty times what the
//! run took. So the runs that are repeated see as many samples as there is time for, by a count of operations and not by a
//! clock: the same data give the same answers on every machine.

use super::Examine;
use crate::Views;

/// Operations that are always allowed: a few seconds of one core.
const ALLOWED: f64 = 3e9;
/// What repeated runs may do together, of what the run itself did. Making the run again, and each view alone, come on top.
const OF_THE_RUN: f64 = 0.8;
/// Operations of a run for every sample besides comparing it with the others: eigenvectors, k-means.
const PER_SAMPLE: f64 = 5e5;
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
    /// Entries of a sample, in all views.
    entries: f64,
}

impl Effort {
    pub(super) fn new(views: &Views) -> Self {
        // as runs store them
        let stored: usize = views.iter().map(|view| view.data.compacted().stored()).sum();
        Self { samples: views.samples(), views: views.len(), entries: stored as f64 / views.samples() as f64 }
    }

    /// Operations of a run on so many samples: every pair is compared, in most methods.
    fn run(&self, samples: f64) -> f64 {
        samples * (samples * self.entries + PER_SAMPLE)
    }

    /// On how many of the parts the method also runs without each view.
    pub(super) fn rounds_without_views(&self, asked: &Examine) -> usize {
        if !asked.leave_out || self.views < 2 {
            return 0;
        }
        (MOST_RUNS_WITHOUT / (self.views - 1)).clamp(LEAST_ROUNDS, ROUNDS_WITHOUT_VIEWS).min(asked.resamples)
    }

    /// Samples in each of the runs on random parts.
    pub(super) fn part(&self, asked: &Examine, k: usize) -> usize {
        let most = (asked.share * self.samples as f64).round();
        let least = (LEAST_PER_CLUSTER * k).min(self.samples / 2);
        // a run without one of the views is so much smaller
        let runs = (asked.resamples + self.rounds_without_views(asked) * (self.views - 1)) as f64;
        let each = (ALLOWED + OF_THE_RUN * self.run(self.samples as f64)) / runs.max(1.0);
        // the root of run(samples) = each
        let samples = 2.0 * each / (PER_SAMPLE + (PER_SAMPLE * PER_SAMPLE + 4.0 * self.entries * each).sqrt());
        samples.max(least as f64).min(most) as usize
    }

    /// Whether the method can also run without each view in turn on all samples. Of two views that is each view alone.
    pub(super) fn allows_leaving_out(&self) -> bool {
        self.views == 2 || (self.views - 1) as f64 * self.run(self.samples as f64) <= ALLOWED / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_asked_in_full_and_many_within_what_the_run_took() {
        let asked = Examine::default();
        let small = Effort { samples: 300, views: 3, entries: 50.0 };
        assert_eq!(small.part(&asked, 5), 240);
        assert!(small.allows_leaving_out());
        let large = Effort { samples: 20_000, views: 3, entries: 180.0 };
        let part = large.part(&asked, 20);
        // ten runs, five of them without each of three views: 20 times what all views take
        let all = 20.0 * large.run(part as f64);
        let most = ALLOWED + OF_THE_RUN * large.run(20_000.0);
        assert!(part > 2_000 && all <= most && all > 0.99 * most, "{part}");
        assert!(!large.allows_leaving_out());
        assert_eq!(large.part(&asked, 350), 7_000, "clusters need samples");
        assert_eq!(large.part(&asked, 1_000), 10_000, "but not more than half of all");
        let rounds = |views| Effort { views, ..large }.rounds_without_views(&asked);
        assert_eq!([1, 2, 3, 4, 6, 12].map(rounds), [0, 5, 5, 4, 3, 3]);
    }
}
