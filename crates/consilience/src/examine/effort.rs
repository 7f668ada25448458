//! How much an examination may do: about as much as the run itself did, and a few seconds more.
//!
//! An examination repeats the method many times. On few samples that is nothing; on many it would take twenty times what the
//! run took. So the runs that are repeated see as many samples as there is time for, by a count of operations and not by a
//! clock: the same data give the same answers on every machine.

use super::Examine;
use crate::Views;

/// Operations that are always allowed: a few seconds of one core.
const ALLOWED: f64 = 4e9;
/// What repeated runs may do together, of what the run itself did. Making the run again, and each view alone, come on top.
const OF_THE_RUN: f64 = 0.8;
/// Operations of a run for every sample and cluster besides comparing samples: eigenvectors, k-means.
const PER_SAMPLE: f64 = 2e5;
/// A part with fewer samples of every cluster cannot hold the clusters.
const LEAST_PER_CLUSTER: usize = 10;
/// On the first of the parts the method also runs without each view in turn.
pub(super) const ROUNDS_WITHOUT_VIEWS: usize = 5;

/// The size of a run.
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

    /// Samples in each of the runs on random parts.
    pub(super) fn part(&self, asked: &Examine, k: usize) -> usize {
        let most = (asked.share * self.samples as f64).round();
        let without = if asked.leave_out && self.views > 1 { asked.resamples.min(ROUNDS_WITHOUT_VIEWS) } else { 0 };
        // a run without one of the views is so much smaller
        let runs = (asked.resamples + without * (self.views - 1)) as f64;
        let each = (ALLOWED + OF_THE_RUN * self.run(self.samples as f64)) / runs.max(1.0);
        // the root of run(samples) = each
        let samples = 2.0 * each / (PER_SAMPLE + (PER_SAMPLE * PER_SAMPLE + 4.0 * self.entries * each).sqrt());
        samples.max((LEAST_PER_CLUSTER * k) as f64).min(most) as usize
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
        let small = Effort { samples: 400, views: 3, entries: 50.0 };
        assert_eq!(small.part(&asked, 5), 320);
        assert!(small.allows_leaving_out());
        let large = Effort { samples: 20_000, views: 3, entries: 180.0 };
        let part = large.part(&asked, 20);
        // ten runs, five of them without each of three views: 20 times what all views take
        let all = 20.0 * large.run(part as f64);
        let most = ALLOWED + OF_THE_RUN * large.run(20_000.0);
        assert!(part > 2_000 && all <= most && all > 0.99 * most, "{part}");
        assert!(!large.allows_leaving_out());
        assert_eq!(large.part(&asked, 700), 7_000, "clusters need samples");
    }
}
