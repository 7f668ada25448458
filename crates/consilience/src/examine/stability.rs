//! How far the clustering comes back when samples are left out at random (Hennig 2007).

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

use super::Examine;
use super::confidence::silhouette;
use super::views::run_without;
use crate::metrics::matched;
use crate::{Result, Run, Settings, Views, cluster_observed};

/// On the first of the shares the method also runs without each view in turn.
const ROUNDS_WITHOUT_VIEWS: usize = 5;

/// Agreement of runs on random shares of the samples with the run on all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Number of runs.
    pub runs: usize,
    /// Share of the samples in each.
    pub share: f64,
    /// For every sample the share of runs with it that put it in its cluster; for one that was never drawn, the mean.
    pub by_sample: Vec<f64>,
    /// For every cluster the mean over runs of the best Jaccard index with a cluster of the run.
    pub by_cluster: Vec<f64>,
    /// Mean of `by_sample`.
    pub mean: f64,
}

/// What resampled runs tell.
pub(super) struct Resampled {
    pub(super) stability: Option<Stability>,
    /// For every view the silhouettes with it less those without it, of runs on the same samples; empty where there were none.
    pub(super) differences: Vec<Vec<f64>>,
}

/// Runs the pipeline on random shares of the samples. Nothing is known when no runs are asked for or the share is too small
/// to hold the clusters.
pub(super) fn resampled(
    examine: &Examine,
    views: &Views,
    settings: &Settings,
    labels: &[usize],
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Resampled> {
    let n = views.samples();
    let size = ((examine.share * n as f64).round() as usize).min(n);
    let k = labels.iter().max().map_or(0, |last| last + 1);
    let mut differences = vec![Vec::new(); views.len()];
    if examine.resamples == 0 || size <= settings.clusters.max(k) {
        return Ok(Resampled { stability: None, differences });
    }
    let leave_out = examine.leave_out && views.len() > 1 && settings.clusters > 1;
    let mut counts = Counts::new(n, k);
    for round in 0..examine.resamples {
        run.check()?;
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        rng.set_stream(1 + round as u64);
        let mut drawn = sample(&mut rng, n, size).into_vec();
        drawn.sort_unstable();
        let part = views.select(&drawn)?;
        let found = cluster_observed(&part, settings, &run.nested())?;
        let expected: Vec<usize> = drawn.iter().map(|&i| labels[i]).collect();
        counts.add(&drawn, &expected, &found.record.labels)?;
        if leave_out && round < ROUNDS_WITHOUT_VIEWS {
            let with = silhouette(&found.fitted.embedding, &found.record.labels);
            for (view, differences) in part.iter().zip(&mut differences) {
                if let Some(without) = run_without(&part, view, settings, run)? {
                    differences.push(with - silhouette(&without.fitted.embedding, &without.record.labels));
                }
            }
        }
        tick();
    }
    Ok(Resampled { stability: Some(counts.finish(examine.resamples, examine.share)), differences })
}

struct Counts {
    drawn: Vec<f64>,
    agreed: Vec<f64>,
    jaccard: Vec<f64>,
    rounds: Vec<f64>,
}

impl Counts {
    fn new(n: usize, k: usize) -> Self {
        Self { drawn: vec![0.0; n], agreed: vec![0.0; n], jaccard: vec![0.0; k], rounds: vec![0.0; k] }
    }

    /// Books a run that found `found` where `expected` was.
    fn add(&mut self, samples: &[usize], expected: &[usize], found: &[usize]) -> Result<()> {
        for ((&sample, expected), matched) in samples.iter().zip(expected).zip(matched(found, expected)?) {
            self.drawn[sample] += 1.0;
            self.agreed[sample] += f64::from(u8::from(matched == Some(*expected)));
        }
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
        Ok(())
    }

    fn finish(self, runs: usize, share: f64) -> Stability {
        let (agreed, drawn) = (self.agreed.iter().sum::<f64>(), self.drawn.iter().sum::<f64>());
        let mean = agreed / drawn.max(1.0);
        let ratio = |(&part, &whole): (&f64, &f64)| if whole > 0.0 { part / whole } else { mean };
        Stability {
            runs,
            share,
            by_sample: self.agreed.iter().zip(&self.drawn).map(ratio).collect(),
            by_cluster: self.jaccard.iter().zip(&self.rounds).map(ratio).collect(),
            mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_and_jaccard_by_hand() {
        let mut counts = Counts::new(5, 2);
        // samples 0..4 drawn; the run names clusters the other way round and moves sample 1
        counts.add(&[0, 1, 2, 3], &[0, 0, 1, 1], &[1, 0, 0, 0]).unwrap();
        let stability = counts.finish(1, 0.8);
        assert_eq!(stability.by_sample, [1.0, 0.0, 1.0, 1.0, 0.75]);
        assert_eq!(stability.by_cluster, [0.5, 2.0 / 3.0]);
        assert_eq!(stability.mean, 0.75);
    }
}
