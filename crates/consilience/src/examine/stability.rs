//! How far the clustering comes back when samples are left out at random (Hennig 2007).
//!
//! A run says something about samples that it did not see, too: they are put where their neighbours are. Without that a sample
//! would hardly be asked where the parts are small.

use super::budget::Parts;
use super::confidence::silhouette;
use super::views::run_without;
use crate::matrix::Dense;
use crate::metrics::matched;
use crate::null::{drawn, stream};
use crate::operator::LinOp;
use crate::{Clustering, Result, Run, Settings, Views, cluster_observed};

/// Agreement of runs on random shares of the samples with the run on all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Number of runs.
    pub runs: usize,
    /// Share of the samples in each: smaller where there are many samples.
    pub share: f64,
    /// For every sample the share of runs that put it, or most of its neighbours where it was left out, in its cluster.
    pub by_sample: Vec<f64>,
    /// For every cluster the mean over runs of the best Jaccard index with a cluster of the run.
    pub by_cluster: Vec<f64>,
    /// The share of samples that runs put in their cluster, of those that were not left out.
    pub mean: f64,
}

/// What resampled runs tell.
pub(super) struct Resampled {
    pub(super) stability: Option<Stability>,
    /// For every view the silhouettes with it less those without it, of runs on the same samples; empty where there were none.
    pub(super) differences: Vec<Vec<f64>>,
}

/// Runs the pipeline on random parts of the samples. Nothing is known when no runs are asked for or the parts are too small
/// to hold the clusters.
pub(super) fn resampled(
    parts: &Parts,
    views: &Views,
    settings: &Settings,
    clustering: &Clustering,
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Resampled> {
    let (n, k) = (views.samples(), clustering.record.clusters_found());
    let size = parts.samples;
    let mut differences = vec![Vec::new(); views.len()];
    if parts.rounds == 0 || size <= settings.clusters.max(k) {
        return Ok(Resampled { stability: None, differences });
    }
    let mut counts = Counts::new(&clustering.record.labels, k);
    for round in 0..parts.rounds {
        run.check()?;
        let drawn = drawn(n, size, &mut stream(settings.seed, 1 + round as u64));
        let part = views.select(&drawn)?;
        let found = cluster_observed(&part, settings, &run.nested())?;
        counts.add(&drawn, &found.record.labels, clustering.affinity.as_ref())?;
        if round < parts.without_views {
            let with = silhouette(&found.fitted.embedding, &found.record.labels);
            for (view, differences) in part.iter().zip(&mut differences) {
                if let Some(without) = run_without(&part, view, settings, run)? {
                    differences.push(with - silhouette(&without.fitted.embedding, &without.record.labels));
                }
            }
        }
        tick();
    }
    Ok(Resampled { stability: Some(counts.finish(parts.rounds, size as f64 / n as f64)), differences })
}

struct Counts<'a> {
    labels: &'a [usize],
    /// For every sample the runs that said where it belongs, and those that said where it is.
    asked: Vec<f64>,
    agreed: Vec<f64>,
    /// The same over all samples that were drawn.
    drawn: (f64, f64),
    jaccard: Vec<f64>,
    rounds: Vec<f64>,
}

impl<'a> Counts<'a> {
    fn new(labels: &'a [usize], k: usize) -> Self {
        let zeros = || vec![0.0; labels.len()];
        let (asked, agreed) = (zeros(), zeros());
        Self { labels, asked, agreed, drawn: (0.0, 0.0), jaccard: vec![0.0; k], rounds: vec![0.0; k] }
    }

    /// Books a run on `samples` that found `found` there.
    fn add(&mut self, samples: &[usize], found: &[usize], affinity: &dyn LinOp) -> Result<()> {
        let expected: Vec<usize> = samples.iter().map(|&sample| self.labels[sample]).collect();
        self.add_jaccard(&expected, found);
        let mut seen = vec![false; self.labels.len()];
        let mut members = Dense::zeros(self.labels.len(), self.jaccard.len());
        for (&sample, matched) in samples.iter().zip(matched(found, &expected)?) {
            seen[sample] = true;
            let agreed = self.book(sample, matched);
            self.drawn = (self.drawn.0 + 1.0, self.drawn.1 + f64::from(u8::from(agreed)));
            if let Some(cluster) = matched {
                members.data_mut()[sample * self.jaccard.len() + cluster] = 1.0;
            }
        }
        // A I, n x k: the affinity of every sample to what became of every cluster
        let mut votes = Dense::zeros(members.rows(), members.cols());
        affinity.apply(&members, &mut votes);
        for (sample, votes) in votes.iter_rows().enumerate().filter(|(sample, _)| !seen[*sample]) {
            let most = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((cluster, _)) = most.filter(|(_, votes)| **votes > 0.0) {
                self.book(sample, Some(cluster));
            }
        }
        Ok(())
    }

    /// Whether the sample was found where it is.
    fn book(&mut self, sample: usize, cluster: Option<usize>) -> bool {
        let agreed = cluster == Some(self.labels[sample]);
        self.asked[sample] += 1.0;
        self.agreed[sample] += f64::from(u8::from(agreed));
        agreed
    }

    fn add_jaccard(&mut self, expected: &[usize], found: &[usize]) {
        let width = found.iter().max().map_or(0, |last| last + 1);
        let mut both = vec![0.0_f64; self.jaccard.len() * width];
        let (mut here, mut there) = (vec![0.0_f64; self.jaccard.len()], vec![0.0_f64; width]);
        for (&a, &b) in expected.iter().zip(found) {
            both[a * width + b] += 1.0;
            here[a] += 1.0;
            there[b] += 1.0;
        }
        for a in (0..here.len()).filter(|&a| here[a] > 0.0) {
            let index = |b: usize| both[a * width + b] / (here[a] + there[b] - both[a * width + b]);
            self.jaccard[a] += (0..width).map(index).fold(0.0, f64::max);
            self.rounds[a] += 1.0;
        }
    }

    fn finish(self, runs: usize, share: f64) -> Stability {
        let mean = self.drawn.1 / self.drawn.0.max(1.0);
        let ratio = |(&part, &whole): (&f64, &f64)| if whole > 0.0 { part / whole } else { mean };
        Stability {
            runs,
            share,
            by_sample: self.agreed.iter().zip(&self.asked).map(ratio).collect(),
            by_cluster: self.jaccard.iter().zip(&self.rounds).map(ratio).collect(),
            mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::DenseSymmetric;

    #[test]
    fn agreement_and_jaccard_by_hand() {
        let labels = [0, 0, 1, 1, 1, 0];
        let mut counts = Counts::new(&labels, 2);
        // sample 4 is tied to 0 and 2, to the second more; sample 5 to nobody
        let mut ties = Dense::zeros(6, 6);
        for (a, b, weight) in [(4, 0, 1.0), (4, 2, 2.0)] {
            ties.data_mut()[a * 6 + b] = weight;
            ties.data_mut()[b * 6 + a] = weight;
        }
        let affinity = DenseSymmetric::new(ties);
        // samples 0..4 drawn; the run names clusters the other way round and moves sample 1
        counts.add(&[0, 1, 2, 3], &[1, 0, 0, 0], &affinity).unwrap();
        let stability = counts.finish(1, 0.8);
        assert_eq!(stability.by_sample, [1.0, 0.0, 1.0, 1.0, 1.0, 0.75]);
        assert_eq!(stability.by_cluster, [0.5, 2.0 / 3.0]);
        assert_eq!(stability.mean, 0.75);
    }
}
