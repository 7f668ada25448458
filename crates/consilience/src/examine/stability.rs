//! How far the clusters come back when samples are left out (Hennig 2007): from refits on random halves of the samples, whatever the
//! method and however many the samples are.
//!
//! A method that made such refits itself is believed. Of another whose labels follow from its affinity, the affinity among the half is
//! clustered: no view is looked at again. Where they do not, the method runs again on parts of the samples.

use super::Examine;
use crate::matrix::Dense;
use crate::metrics::{Contingency, ami};
use crate::null::{drawn, stream};
use crate::operator::{LinOp, TopEigen, inverse_roots};
use crate::spectral::{KMeans, embed};
use crate::stability::{Refits, Stability, halves, refits};
use crate::{Clustering, Result, Run, Settings, Views, cluster_observed};

/// A half has so many samples for every cluster.
const LEAST_PER_CLUSTER: usize = 2;
/// Labels follow from the affinity where its own clusters share as much (adjusted mutual information) with them.
const FOLLOWS: f64 = 0.95;
/// Refits are counted, not kept: their eigenvectors need not be exact, and few restarts do.
const TOLERANCE: f64 = 1e-3;
const MOST_PRODUCTS: usize = 100;
const RESTARTS: usize = 3;
/// Up to so many samples a part is the share that was asked for. Of more samples it is at most that, at least half of this number, and
/// has so many of the smallest cluster: a true cluster of fewer does not come back in one draw of a hundred.
const IN_FULL: usize = 20_000;
const OF_THE_SMALLEST: usize = 30;

/// Unknown for one cluster, where halves are too small for the clusters, and where runs would be needed and none are asked for.
pub(super) fn stability(
    asked: &Examine,
    views: &Views,
    settings: &Settings,
    clustering: &Clustering,
    run: &Run,
) -> Result<Option<Stability>> {
    let labels = &clustering.record.labels;
    let (n, k) = (labels.len(), clustering.record.clusters_found());
    let kept = clustering.record.findings.readings.as_ref().and_then(|readings| readings.stability.as_ref());
    if let Some(kept) = kept.filter(|kept| kept.by_sample.len() == n && kept.by_cluster.len() >= k) {
        return Ok(Some(kept.clone()));
    }
    if k < 2 || n / 2 < LEAST_PER_CLUSTER * k {
        return Ok(None);
    }
    let nested = run.nested();
    let affinity = clustering.affinity.as_ref();
    let reader = Reader { k, settings, run: &nested };
    if !clustering.record.eigenvalues.is_empty() && reader.follow(affinity, labels)? {
        let mut counted = Refits::new(labels, k, affinity);
        for half in halves(n, refits(n), settings.seed) {
            run.check()?;
            counted.add(&half, &reader.labels(&Among::new(affinity, &half))?)?;
        }
        return Ok(Some(counted.finish(0.5).0));
    }
    if asked.resamples == 0 {
        return Ok(None);
    }
    let mut sizes = vec![0; k];
    labels.iter().for_each(|&label| sizes[label] += 1);
    let size = part(n, sizes.into_iter().min().unwrap_or(0), asked.share);
    if size <= settings.clusters.max(k) {
        return Ok(None);
    }
    let mut counted = Refits::new(labels, k, affinity);
    for round in 0..asked.resamples {
        run.check()?;
        let drawn = drawn(n, size, &mut stream(settings.seed, 1 + round as u64));
        let found = cluster_observed(&views.select(&drawn)?, settings, &nested)?;
        counted.add(&drawn, &found.record.labels)?;
    }
    Ok(Some(counted.finish(size as f64 / n as f64).0))
}

/// Samples in a part of `n`, of which the smallest cluster has so many.
fn part(n: usize, smallest: usize, share: f64) -> usize {
    let most = (share * n as f64).round() as usize;
    let enough = (OF_THE_SMALLEST * n).div_ceil(smallest.max(1)).max(IN_FULL / 2);
    if n <= IN_FULL { most } else { most.min(enough) }
}

/// Reads labels from affinities.
struct Reader<'a> {
    k: usize,
    settings: &'a Settings,
    run: &'a Run,
}

impl Reader<'_> {
    fn labels(&self, affinity: &dyn LinOp) -> Result<Vec<usize>> {
        let seed = self.settings.seed;
        let request =
            TopEigen { tolerance: TOLERANCE, max_products: MOST_PRODUCTS, ..TopEigen::for_labels(self.k, seed) };
        let points = embed(request.solve(affinity, None, self.run)?.vectors);
        let kmeans = KMeans { restarts: RESTARTS, seed, ..KMeans::new(self.k) };
        Ok(kmeans.fit_observed(&points, self.run)?.labels)
    }

    /// Whether the labels are those that the affinity has by itself.
    fn follow(&self, affinity: &dyn LinOp, labels: &[usize]) -> Result<bool> {
        Ok(ami(&Contingency::new(labels, &self.labels(affinity)?)?) >= FOLLOWS)
    }
}

/// An affinity among some of the samples, normalised by what they have there.
struct Among<'a> {
    affinity: &'a dyn LinOp,
    sample: &'a [usize],
    roots: Vec<f64>,
}

impl<'a> Among<'a> {
    fn new(affinity: &'a dyn LinOp, sample: &'a [usize]) -> Self {
        let mut among = Self { affinity, sample, roots: vec![1.0; sample.len()] };
        let ones = Dense::from_fn(sample.len(), 1, |_, _| 1.0);
        let mut degrees = Dense::zeros(sample.len(), 1);
        among.apply(&ones, &mut degrees);
        among.roots = inverse_roots(degrees.data(), 1e-12);
        among
    }
}

impl LinOp for Among<'_> {
    fn size(&self) -> usize {
        self.sample.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let width = x.cols();
        let mut all = Dense::zeros(self.affinity.size(), width);
        for ((row, &i), root) in x.iter_rows().zip(self.sample).zip(&self.roots) {
            all.data_mut()[i * width..(i + 1) * width].iter_mut().zip(row).for_each(|(to, x)| *to = x * root);
        }
        let mut image = Dense::zeros(self.affinity.size(), width);
        self.affinity.apply(&all, &mut image);
        for ((row, &i), root) in out.data_mut().chunks_exact_mut(width.max(1)).zip(self.sample).zip(&self.roots) {
            row.iter_mut().zip(image.row(i)).for_each(|(to, x)| *to = x * root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::DenseSymmetric;

    #[test]
    fn the_affinity_among_some_samples_by_hand() {
        // 0 - 1 (2), 1 - 2 (1), 2 - 3 (8): among 0, 1, 2 the last tie is gone
        let mut ties = Dense::zeros(4, 4);
        for (a, b, weight) in [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 8.0)] {
            ties.data_mut()[a * 4 + b] = weight;
            ties.data_mut()[b * 4 + a] = weight;
        }
        let affinity = DenseSymmetric::new(ties);
        let among = Among::new(&affinity, &[0, 1, 2]);
        let mut out = Dense::zeros(3, 1);
        among.apply(&Dense::new(3, 1, vec![0.0, 1.0, 0.0]).unwrap(), &mut out);
        // degrees 2, 3, 1
        let expected = [2.0 / 6.0_f64.sqrt(), 0.0, 1.0 / 3.0_f64.sqrt()];
        assert!(out.data().iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{:?}", out.data());
    }

    #[test]
    fn parts_are_half_and_of_many_samples_enough_of_every_cluster() {
        assert_eq!(part(1_000, 3, 0.5), 500);
        assert_eq!(part(20_000, 10, 0.8), 16_000);
        assert_eq!(part(1_000_000, 50_000, 0.5), 10_000);
        // 30 of a cluster of 1,500 in a million
        assert_eq!(part(1_000_000, 1_500, 0.5), 20_000);
        assert_eq!(part(1_000_000, 10, 0.5), 500_000);
    }
}
