//! How every cluster would split in two: who asked for too few can take a finer level without a new fit.

use serde::{Deserialize, Serialize};

use crate::matrix::Dense;
use crate::operator::{LinOp, TopEigen, inverse_roots};
use crate::spectral::KMeans;
use crate::stability::{halves, returned};
use crate::tree::ties;
use crate::{Error, Result, Run};

/// Clusters of fewer samples are not split: half of them is too few to see whether the split comes back.
const LEAST: usize = 8;
/// Halves of a cluster on which its split is made again.
const REFITS: usize = 8;
const RESTARTS: usize = 3;
/// Residual of the eigenvectors: two parts are told by their signs.
const TOLERANCE: f64 = 1e-3;
const MOST_PRODUCTS: usize = 300;

/// The two parts into which a cluster falls by the normalised cut of its own ties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The cluster.
    pub cluster: usize,
    /// The samples of the smaller part, rising.
    pub samples: Vec<usize>,
    /// 1 less the share of the smaller part's ties that go to the other, as in the tree.
    pub height: f64,
    /// How much of the split comes back when half of the cluster's samples are left out, 0 to 1.
    pub returned: f64,
}

/// How the clusters of `labels` would split, those first whose split comes back best.
///
/// # Errors
/// When the run is cancelled.
pub fn splits(affinity: &dyn LinOp, labels: &[usize], clusters: usize, seed: u64, run: &Run) -> Result<Vec<Split>> {
    let mut found = Vec::new();
    for cluster in 0..clusters {
        run.progress(cluster, clusters);
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == cluster).collect();
        found.extend(split(affinity, cluster, &members, seed, run)?);
    }
    found.sort_by(|a, b| b.returned.total_cmp(&a.returned).then(b.height.total_cmp(&a.height)));
    Ok(found)
}

fn split(affinity: &dyn LinOp, cluster: usize, members: &[usize], seed: u64, run: &Run) -> Result<Option<Split>> {
    if members.len() < LEAST {
        return Ok(None);
    }
    let whole = Among::new(affinity, members);
    let mut parts = whole.cut(seed, run)?;
    let ones: usize = parts.iter().sum();
    if ones == 0 || ones == parts.len() {
        return Ok(None);
    }
    if 2 * ones > parts.len() {
        parts.iter_mut().for_each(|part| *part = 1 - *part);
    }
    let again = |half: Vec<usize>| {
        let sample: Vec<usize> = half.iter().map(|&place| members[place]).collect();
        returned(&parts, &half, &Among::new(affinity, &sample).cut(seed, run)?, 2)
    };
    let refits: Vec<f64> = halves(members.len(), REFITS, seed).into_iter().map(again).collect::<Result<_>>()?;
    let ties = ties(&Among { roots: vec![1.0; members.len()], ..whole }, &parts, 2);
    let volume = |part: usize| ties.get(part, 0) + ties.get(part, 1);
    let share = ties.get(0, 1) / volume(0).min(volume(1)).max(f64::MIN_POSITIVE);
    Ok(Some(Split {
        cluster,
        samples: members.iter().zip(&parts).filter(|(_, part)| **part == 1).map(|(&i, _)| i).collect(),
        height: 1.0 - share.min(1.0),
        returned: (refits.iter().sum::<f64>() / REFITS as f64).max(0.0),
    }))
}

/// The labels when `clusters` are wanted, more than the run has: the first of the `splits` are made, and the smaller parts are the
/// clusters after those of the run.
///
/// # Errors
/// When there are not so many splits, or one is of samples or clusters that there are not.
pub fn finer(labels: &[usize], splits: &[Split], clusters: usize) -> Result<Vec<usize>> {
    let k = labels.iter().max().map_or(0, |last| last + 1);
    let wanted = clusters.saturating_sub(k);
    if wanted > splits.len() {
        let why = format!("the run has {k} clusters, and {} of them can be split in two", splits.len());
        return Err(Error::Clusters { k: clusters, why });
    }
    let mut labels = labels.to_vec();
    for (number, split) in splits[..wanted].iter().enumerate() {
        for &sample in &split.samples {
            match labels.get_mut(sample) {
                Some(label) if *label == split.cluster => *label = k + number,
                _ => return Err(Error::data(format!("sample {sample} is not in cluster {}", split.cluster))),
            }
        }
    }
    Ok(labels)
}

/// `R (P A P') R`: the ties among some samples, with a height for each in R.
struct Among<'a> {
    whole: &'a dyn LinOp,
    members: &'a [usize],
    roots: Vec<f64>,
}

impl<'a> Among<'a> {
    /// The normalised ties of the members.
    fn new(whole: &'a dyn LinOp, members: &'a [usize]) -> Self {
        let plain = Self { whole, members, roots: vec![1.0; members.len()] };
        let mut degrees = Dense::zeros(members.len(), 1);
        plain.apply(&Dense::from_fn(members.len(), 1, |_, _| 1.0), &mut degrees);
        // an affinity of factors may have small negative entries
        degrees.data_mut().iter_mut().for_each(|degree| *degree = degree.max(0.0));
        Self { roots: inverse_roots(degrees.data(), 1e-12), ..plain }
    }

    /// The normalised cut in two: the part of every member.
    fn cut(&self, seed: u64, run: &Run) -> Result<Vec<usize>> {
        let request = TopEigen { tolerance: TOLERANCE, max_products: MOST_PRODUCTS, ..TopEigen::for_labels(2, seed) };
        let found = request.solve(self, None, &run.nested())?;
        let mut points = found.vectors;
        let width = points.cols().max(1);
        for (row, root) in points.data_mut().chunks_exact_mut(width).zip(&self.roots) {
            row.iter_mut().for_each(|x| *x *= root);
        }
        let weights: Vec<f64> =
            self.roots.iter().map(|&root| if root > 0.0 { 1.0 / (root * root) } else { 0.0 }).collect();
        let kmeans = KMeans { restarts: RESTARTS, seed, ..KMeans::new(2) };
        Ok(kmeans.fit_weighted(&points, &weights, run)?.labels)
    }
}

impl LinOp for Among<'_> {
    fn size(&self) -> usize {
        self.members.len()
    }

    fn apply(&self, x: &Dense<f64>, out: &mut Dense<f64>) {
        let width = x.cols();
        let mut placed = Dense::zeros(self.whole.size(), width);
        for ((&member, root), row) in self.members.iter().zip(&self.roots).zip(x.iter_rows()) {
            let place = &mut placed.data_mut()[member * width..(member + 1) * width];
            place.iter_mut().zip(row).for_each(|(place, x)| *place = root * x);
        }
        let mut image = Dense::zeros(self.whole.size(), width);
        self.whole.apply(&placed, &mut image);
        for ((out, &member), root) in out.data_mut().chunks_exact_mut(width.max(1)).zip(self.members).zip(&self.roots) {
            out.iter_mut().zip(image.row(member)).for_each(|(out, x)| *out = root * x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::metrics::{Contingency, ari};
    use crate::{Settings, cluster};

    #[test]
    fn a_cluster_of_two_groups_splits_into_them_and_another_does_not() {
        let blobs = Blobs { samples: 120, clusters: 3, features: vec![5, 6], separation: 12.0, seed: 4 };
        let (views, truth) = blobs.generate().unwrap();
        let found = cluster(&views, &Settings::new(3)).unwrap();
        // groups 0 and 2 are given as one cluster
        let coarse: Vec<usize> = truth.iter().map(|&label| label % 2).collect();
        let splits = splits(found.affinity.as_ref(), &coarse, 2, 0, &Run::default()).unwrap();
        assert_eq!((splits.len(), splits[0].cluster), (2, 0));
        assert!(splits[0].returned > 0.99 && splits[0].height > 0.9, "{:?}", splits[0]);
        assert!(splits[1].returned < 0.6, "{}", splits[1].returned);
        let labels = finer(&coarse, &splits, 3).unwrap();
        assert!((ari(&Contingency::new(&labels, &truth).unwrap()) - 1.0).abs() < 1e-12);
        assert_eq!(finer(&coarse, &splits, 2).unwrap(), coarse);
        assert!(finer(&coarse, &splits, 5).is_err(), "two splits make four clusters at most");
    }

    #[test]
    fn small_clusters_stay_and_edited_splits_are_refused() {
        let blobs = Blobs { samples: 30, clusters: 6, features: vec![5], separation: 12.0, seed: 4 };
        let (views, truth) = blobs.generate().unwrap();
        let found = cluster(&views, &Settings::new(6)).unwrap();
        assert!(splits(found.affinity.as_ref(), &truth, 6, 0, &Run::default()).unwrap().is_empty());
        let edited = |cluster, sample| [Split { cluster, samples: vec![sample], height: 1.0, returned: 1.0 }];
        assert!(finer(&[0, 0, 1], &edited(0, 2), 3).is_err() && finer(&[0, 0, 1], &edited(0, 9), 3).is_err());
        assert_eq!(finer(&[0, 0, 1], &edited(0, 1), 3).unwrap(), [0, 2, 1]);
    }
}
