//! How far a clustering comes back when samples are left out at random (Hennig 2007), and how sure the cluster of every sample is:
//! both are read from the same refits.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::matrix::Dense;
use crate::metrics::{Contingency, ami, matched};
use crate::null::{permuted, stream};
use crate::operator::LinOp;

/// Agreement of refits on random parts of the samples with the clustering of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// Number of refits.
    pub runs: usize,
    /// Share of the samples in each.
    pub share: f64,
    /// For every sample the share of refits that put it, or most of its neighbours where it was left out, in its cluster.
    pub by_sample: Vec<f64>,
    /// For every cluster the mean over refits of the best Jaccard index with a cluster of the refit.
    pub by_cluster: Vec<f64>,
    /// The share of samples that refits put in their cluster, of those that were not left out.
    pub mean: f64,
}

/// Random halves of `n` samples, rising, two by two: a half and the other half, so that every sample is in every second one.
pub(crate) fn halves(n: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let pair = |number: usize| {
        let mut first = permuted(n, &mut stream(seed, 1 + number as u64));
        let mut second = first.split_off(n / 2);
        first.sort_unstable();
        second.sort_unstable();
        [first, second]
    };
    (0..count.div_ceil(2)).flat_map(pair).take(count).collect()
}

/// Refits of a clustering, two by two a half of the samples and the other half: as many as see this many samples together, within
/// these bounds. Of few samples a refit says little and costs little.
const SAMPLES_SEEN: usize = 4_000;
const REFITS: (usize, usize) = (4, 16);

/// How often a clustering of n samples is made again, an even number.
pub(crate) fn refits(n: usize) -> usize {
    (2 * (SAMPLES_SEEN / n.max(1))).clamp(REFITS.0, REFITS.1)
}

/// How much a labelling that tells little is worth that comes back whole: its entropy, relative to that of k clusters of one size,
/// to this power. At 0 one cluster of nearly all samples, with some specks beside it, is the most stable of all clusterings; at 1
/// small clusters count for nothing: from .3 on clusters of 90, 9 and 1 % may lose to halves of the largest.
const EVENNESS: f64 = 0.25;

/// How much of the labels came back in a refit that found `found` in `sample`: the adjusted mutual information, less where a few
/// of the k clusters hold nearly all samples.
pub(crate) fn returned(labels: &[usize], sample: &[usize], found: &[usize], k: usize) -> Result<f64> {
    let before: Vec<usize> = sample.iter().map(|&i| labels[i]).collect();
    let mut sizes = vec![0.0_f64; k];
    labels.iter().for_each(|&label| sizes[label] += 1.0 / labels.len() as f64);
    let entropy: f64 = sizes.iter().filter(|size| **size > 0.0).map(|size| -size * size.ln()).sum();
    let evenness = if k > 1 { entropy / (k as f64).ln() } else { 1.0 };
    Ok(ami(&Contingency::new(&before, found)?) * evenness.powf(EVENNESS))
}

/// Counts what refits say of a clustering.
pub(crate) struct Refits<'a> {
    labels: &'a [usize],
    /// Says who is tied to whom.
    affinity: &'a dyn LinOp,
    /// For every sample the refits that said where it belongs, and those that said where it is.
    asked: Vec<f64>,
    agreed: Vec<f64>,
    /// The same over all samples that were drawn.
    drawn: (f64, f64),
    jaccard: Vec<f64>,
    rounds: Vec<f64>,
    /// n x k: sums of the votes of a sample's neighbours, which add up to 1 in each refit.
    memberships: Dense<f64>,
    runs: usize,
}

impl<'a> Refits<'a> {
    pub(crate) fn new(labels: &'a [usize], k: usize, affinity: &'a dyn LinOp) -> Self {
        let zeros = || vec![0.0; labels.len()];
        let memberships = Dense::zeros(labels.len(), k);
        let (jaccard, rounds) = (vec![0.0; k], vec![0.0; k]);
        Self {
            labels,
            affinity,
            asked: zeros(),
            agreed: zeros(),
            drawn: (0.0, 0.0),
            jaccard,
            rounds,
            memberships,
            runs: 0,
        }
    }

    /// Counts a refit on `samples` that found `found` there.
    pub(crate) fn add(&mut self, samples: &[usize], found: &[usize]) -> Result<()> {
        self.runs += 1;
        let k = self.jaccard.len();
        let expected: Vec<usize> = samples.iter().map(|&sample| self.labels[sample]).collect();
        self.add_jaccard(&expected, found);
        let mut seen = vec![false; self.labels.len()];
        let mut members = Dense::zeros(self.labels.len(), k);
        for (&sample, matched) in samples.iter().zip(matched(found, &expected)?) {
            seen[sample] = true;
            let agreed = self.count(sample, matched);
            self.drawn = (self.drawn.0 + 1.0, self.drawn.1 + f64::from(u8::from(agreed)));
            if let Some(cluster) = matched {
                members.data_mut()[sample * k + cluster] = 1.0;
            }
        }
        let votes = votes(self.affinity, &members);
        for (sample, votes) in votes.iter_rows().enumerate() {
            let total: f64 = votes.iter().sum();
            let sums = &mut self.memberships.data_mut()[sample * k..(sample + 1) * k];
            if total <= 0.0 {
                // nobody was drawn of those that it is tied to
                sums[self.labels[sample]] += 1.0;
                continue;
            }
            sums.iter_mut().zip(votes).for_each(|(sum, vote)| *sum += vote / total);
            if !seen[sample] {
                let most = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                self.count(sample, most.map(|(cluster, _)| cluster));
            }
        }
        Ok(())
    }

    /// Whether the sample was found where it is.
    fn count(&mut self, sample: usize, cluster: Option<usize>) -> bool {
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

    /// What they say, `share` of the samples having been in each, and the memberships (n x k, rows sum to 1).
    pub(crate) fn finish(mut self, share: f64) -> (Stability, Dense<f64>) {
        let mean = self.drawn.1 / self.drawn.0.max(1.0);
        let ratio = |(&part, &whole): (&f64, &f64)| if whole > 0.0 { part / whole } else { mean };
        let stability = Stability {
            runs: self.runs,
            share,
            by_sample: self.agreed.iter().zip(&self.asked).map(ratio).collect(),
            by_cluster: self.jaccard.iter().zip(&self.rounds).map(ratio).collect(),
            mean,
        };
        let runs = self.runs.max(1) as f64;
        self.memberships.data_mut().iter_mut().for_each(|sum| *sum /= runs);
        (stability, self.memberships)
    }
}

/// `A M`, n x k: how strongly every sample is tied to the samples of every cluster, given by the indicator M.
pub(crate) fn votes(affinity: &dyn LinOp, members: &Dense<f64>) -> Dense<f64> {
    let mut votes = Dense::zeros(members.rows(), members.cols());
    affinity.apply(members, &mut votes);
    // an affinity of factors may have small negative entries
    votes.data_mut().iter_mut().for_each(|vote| *vote = vote.max(0.0));
    votes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::DenseSymmetric;

    #[test]
    fn halves_are_two_by_two_all_samples() {
        let halves = halves(7, 4, 1);
        for pair in halves.chunks(2) {
            let mut all = pair.concat();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
            assert!(pair.iter().all(|half| half.windows(2).all(|two| two[0] < two[1])), "rising: {pair:?}");
        }
        assert_ne!(halves[0], halves[2]);
    }

    #[test]
    fn agreement_jaccard_and_memberships_by_hand() {
        let labels = [0, 0, 1, 1, 1, 0];
        // sample 4 is tied to 0 and 2, to the second more; sample 5 to nobody
        let mut ties = Dense::zeros(6, 6);
        for (a, b, weight) in [(4, 0, 1.0), (4, 2, 2.0)] {
            ties.data_mut()[a * 6 + b] = weight;
            ties.data_mut()[b * 6 + a] = weight;
        }
        let affinity = DenseSymmetric::new(ties);
        let mut refits = Refits::new(&labels, 2, &affinity);
        // samples 0..4 drawn; the refit names clusters the other way round and moves sample 1
        refits.add(&[0, 1, 2, 3], &[1, 0, 0, 0]).unwrap();
        let (stability, memberships) = refits.finish(0.8);
        assert_eq!(stability.by_sample, [1.0, 0.0, 1.0, 1.0, 1.0, 0.75]);
        assert_eq!(stability.by_cluster, [0.5, 2.0 / 3.0]);
        assert_eq!((stability.mean, stability.runs), (0.75, 1));
        // 4 has its neighbours in both clusters; nobody says anything of 5
        assert_eq!((memberships.row(4), memberships.row(5)), (&[1.0 / 3.0, 2.0 / 3.0][..], &[1.0, 0.0][..]));
        assert!((returned(&labels, &[0, 1, 2, 3], &[1, 1, 0, 0], 2).unwrap() - 1.0).abs() < 1e-12);
        // the same of labels that tell half of what four clusters could
        let half = returned(&labels, &[0, 1, 2, 3], &[1, 1, 0, 0], 4).unwrap();
        assert!((half - 0.5_f64.powf(EVENNESS)).abs() < 1e-12, "{half}");
    }
}
