//! What makes each cluster what it is: the features, of every view, whose values inside it differ from those outside.
//!
//! A feature is compared by ranks (Wilcoxon, Mann and Whitney), so neither its scale nor a few large values matter, and sparse
//! counts are treated as they are: their zeros are one large tie.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::{Csr, Dense, Matrix, Real, for_matrix};
use crate::{Result, View, Views};

/// A feature that sets a cluster apart from the rest of the samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Marker {
    /// The cluster.
    pub cluster: usize,
    /// The view.
    pub view: String,
    /// The feature's name, or "column" and its number.
    pub feature: String,
    /// Its place in the view, from 0.
    pub column: usize,
    /// The effect: the chance that a sample of the cluster has a larger value than one outside (equal values count half). 1: all
    /// are larger, 0: all are smaller, 0.5: no difference.
    pub auc: f64,
    /// Mean inside the cluster.
    pub inside: f64,
    /// Mean outside it.
    pub outside: f64,
    /// The chance of such an effect without a difference, adjusted for the number of features and clusters (Benjamini and
    /// Hochberg). Too small where the feature itself helped to make the cluster: it ranks features, and proves nothing.
    pub p: f64,
}

/// One feature against one cluster.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    auc: f64,
    /// Standard deviations between the rank sum and that of no difference.
    deviations: f64,
    inside: f64,
    outside: f64,
}

/// The `most` features that set each cluster apart, the clearest first; clusters in the order of their numbers. Features that
/// differ no more than chance would have it (adjusted p above 0.05) are left out.
///
/// # Errors
/// When a sparse view is larger than its own description allows.
pub fn markers(views: &Views, labels: &[usize], most: usize) -> Result<Vec<Marker>> {
    /// Features that are compared at a time: their comparisons wait in memory.
    const AT_ONCE: usize = 256;
    const LEAST_CERTAIN: f64 = 0.05;
    let k = labels.iter().max().map_or(0, |last| last + 1);
    if k < 2 {
        return Ok(Vec::new());
    }
    let mut found: Vec<Vec<(&View, usize, Comparison)>> = vec![Vec::new(); k];
    let mut chances = Vec::new();
    for view in views.iter().filter(|view| !view.is_affinity()) {
        let known = view.known();
        let labels: Vec<usize> = view.present().iter().map(|&i| labels[i]).collect();
        let columns = Columns::new(&known.data);
        for first in (0..known.data.cols()).step_by(AT_ONCE) {
            let last = (first + AT_ONCE).min(known.data.cols());
            let compared: Vec<_> =
                (first..last).into_par_iter().map(|feature| compare(columns.entries(feature), &labels, k)).collect();
            for (feature, compared) in (first..last).zip(compared) {
                for (cluster, comparison) in compared.into_iter().enumerate() {
                    let Some(comparison) = comparison else { continue };
                    chances.push(chance(comparison.deviations));
                    found[cluster].push((view, feature, comparison));
                }
            }
            found.iter_mut().for_each(|found| keep_clearest(found, most));
        }
    }
    chances.sort_by(f64::total_cmp);
    let adjusted = adjust(&chances);
    let p_of = |p: f64| adjusted[chances.partition_point(|&other| other < p).min(adjusted.len().saturating_sub(1))];
    let named = |(cluster, (view, feature, found)): (usize, (&View, usize, Comparison))| Marker {
        cluster,
        view: view.name.clone(),
        feature: view.feature_name(feature),
        column: feature,
        auc: found.auc,
        inside: found.inside,
        outside: found.outside,
        p: p_of(chance(found.deviations)),
    };
    let listed =
        found.into_iter().enumerate().flat_map(|(cluster, found)| found.into_iter().map(move |f| (cluster, f)));
    Ok(listed.map(named).filter(|marker| marker.p <= LEAST_CERTAIN).collect())
}

fn keep_clearest(found: &mut Vec<(&View, usize, Comparison)>, most: usize) {
    // a stable sort: of equally clear features the first view's first one
    found.sort_by(|a, b| b.2.deviations.abs().total_cmp(&a.2.deviations.abs()));
    found.truncate(most);
}

/// The two-sided chance of so many standard deviations.
fn chance(deviations: f64) -> f64 {
    libm::erfc(deviations.abs() / std::f64::consts::SQRT_2)
}

/// Benjamini and Hochberg's adjustment of rising chances.
fn adjust(chances: &[f64]) -> Vec<f64> {
    let count = chances.len() as f64;
    let mut adjusted: Vec<f64> =
        chances.iter().enumerate().map(|(rank, p)| (p * count / (rank + 1) as f64).min(1.0)).collect();
    for rank in (1..adjusted.len()).rev() {
        adjusted[rank - 1] = adjusted[rank - 1].min(adjusted[rank]);
    }
    adjusted
}

/// A view by columns: sparse ones are turned over once.
enum Columns<'a> {
    Dense(&'a Matrix),
    Sparse(Csr<f64>),
}

impl<'a> Columns<'a> {
    fn new(data: &'a Matrix) -> Self {
        for_matrix!(data, dense _m => Self::Dense(data), sparse m => Self::Sparse(m.cast::<f64>().transposed()))
    }

    /// Sample and value of the entries of a feature; those that are left out are 0.
    fn entries(&self, feature: usize) -> Vec<(usize, f64)> {
        match self {
            Self::Sparse(turned) => {
                let (samples, values) = turned.row(feature);
                samples.iter().map(|&sample| sample as usize).zip(values.iter().copied()).collect()
            }
            Self::Dense(data) => {
                let column = |m: &dyn Fn(usize) -> f64| (0..data.rows()).map(|i| (i, m(i))).collect();
                for_matrix!(data, dense m => column(&|i| Real::to_f64(m.get(i, feature))), sparse _m => Vec::new())
            }
        }
    }
}

/// A feature against every cluster; none for a cluster without samples or with all of them, or a feature that does not vary.
fn compare(mut entries: Vec<(usize, f64)>, labels: &[usize], k: usize) -> Vec<Option<Comparison>> {
    let n = labels.len();
    entries.retain(|(_, value)| *value != 0.0);
    entries.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (mut sizes, mut sums, mut zeros) = (vec![0.0_f64; k], vec![0.0_f64; k], vec![0.0_f64; k]);
    labels.iter().for_each(|&label| sizes[label] += 1.0);
    zeros.clone_from(&sizes);
    for &(sample, value) in &entries {
        sums[labels[sample]] += value;
        zeros[labels[sample]] -= 1.0;
    }
    let (mut ranks, mut ties, mut before) = (vec![0.0_f64; k], 0.0, 0.0);
    let mut rank = |members: &mut dyn Iterator<Item = (usize, f64)>, count: f64| {
        let mean = before + (count + 1.0) / 2.0;
        members.for_each(|(label, times)| ranks[label] += times * mean);
        ties += count * count * count - count;
        before += count;
    };
    let zero_count = (n - entries.len()) as f64;
    let mut all_zeros = zeros.iter().copied().enumerate();
    let mut ranked_zeros = zero_count == 0.0;
    for equal in entries.chunk_by(|a, b| a.1 == b.1) {
        if equal[0].1 > 0.0 && !ranked_zeros {
            rank(&mut all_zeros, zero_count);
            ranked_zeros = true;
        }
        rank(&mut equal.iter().map(|(sample, _)| (labels[*sample], 1.0)), equal.len() as f64);
    }
    if !ranked_zeros {
        rank(&mut all_zeros, zero_count);
    }
    let (n, total) = (n as f64, sums.iter().sum::<f64>());
    let one = |cluster: usize| {
        let (inside, outside) = (sizes[cluster], n - sizes[cluster]);
        let variance = inside * outside / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
        if inside == 0.0 || outside == 0.0 || variance <= 0.0 {
            return None;
        }
        let larger = ranks[cluster] - inside * (inside + 1.0) / 2.0;
        Some(Comparison {
            auc: larger / (inside * outside),
            deviations: (larger - inside * outside / 2.0) / variance.sqrt(),
            inside: sums[cluster] / inside,
            outside: (total - sums[cluster]) / outside,
        })
    };
    (0..k).map(one).collect()
}

/// The mean of every one of `markers` within every cluster, clusters x markers, as standard deviations from the mean of all
/// samples: what a picture of markers is drawn from.
pub fn cluster_means(views: &Views, labels: &[usize], markers: &[&Marker]) -> Dense<f64> {
    let k = labels.iter().max().map_or(0, |last| last + 1);
    let mut means = Dense::zeros(k, markers.len());
    for view in views {
        let own = || markers.iter().enumerate().filter(|(_, marker)| marker.view == view.name);
        if own().next().is_none() {
            continue;
        }
        let known = view.known();
        let labels: Vec<usize> = view.present().iter().map(|&i| labels[i]).collect();
        let columns = Columns::new(&known.data);
        for (place, marker) in own() {
            let of_clusters = standardised_means(&columns.entries(marker.column), &labels, k);
            of_clusters.iter().enumerate().for_each(|(c, mean)| means.data_mut()[c * markers.len() + place] = *mean);
        }
    }
    means
}

/// Of one feature; 0 for clusters without samples and for a feature that does not vary.
fn standardised_means(entries: &[(usize, f64)], labels: &[usize], k: usize) -> Vec<f64> {
    let n = labels.len() as f64;
    let mean = entries.iter().map(|(_, x)| x).sum::<f64>() / n;
    let square = entries.iter().map(|(_, x)| x * x).sum::<f64>() / n;
    let deviation = (square - mean * mean).max(0.0).sqrt();
    let (mut sizes, mut sums) = (vec![0.0_f64; k], vec![0.0_f64; k]);
    labels.iter().for_each(|&label| sizes[label] += 1.0);
    entries.iter().for_each(|&(sample, x)| sums[labels[sample]] += x);
    let one = |(sum, size): (f64, f64)| {
        if size > 0.0 && deviation > 0.0 { (sum / size - mean) / deviation } else { 0.0 }
    };
    sums.into_iter().zip(sizes).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_by_hand_dense_and_sparse() {
        // values 0 0 3 | 3 5: ranks 1.5 1.5 3.5 | 3.5 5; of the second group 8.5, less 3, is 5.5 of 6 pairs
        let labels = [0, 0, 0, 1, 1];
        let column = vec![(0, 0.0), (1, 0.0), (2, 3.0), (3, 3.0), (4, 5.0)];
        let found = compare(column, &labels, 2)[1].unwrap();
        assert!((found.auc - 5.5 / 6.0).abs() < 1e-12);
        assert_eq!((found.inside, found.outside), (4.0, 1.0));
        // two ties of two: variance 6 / 12 * (6 - 12 / 20)
        let expected = (5.5 - 3.0) / (0.5_f64 * (6.0 - 12.0 / 20.0)).sqrt();
        assert!((found.deviations - expected).abs() < 1e-12);
        let sparse = compare(vec![(4, 5.0), (2, 3.0), (3, 3.0)], &labels, 2)[1].unwrap();
        assert_eq!((sparse.auc, sparse.deviations), (found.auc, found.deviations));
        // below zero comes before the zeros
        let negative = compare(vec![(3, -1.0), (4, -2.0)], &labels, 2)[1].unwrap();
        assert_eq!(negative.auc, 0.0);
        assert!(compare(Vec::new(), &labels, 2)[0].is_none(), "a constant sets nothing apart");
    }

    #[test]
    fn chances_are_adjusted_by_hand() {
        let adjusted = adjust(&[0.01, 0.02, 0.03, 0.5]);
        let expected = [0.04, 0.04, 0.04, 0.5];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{adjusted:?}");
        assert!((chance(1.959_964) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn the_feature_that_differs_is_named_and_noise_is_not() {
        let noise = |i: usize, j: usize| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64;
        let dense =
            Dense::from_fn(60, 3, |i, j| if j == 1 { (i % 3) as f64 + 0.001 * noise(i, j) } else { noise(i, j) });
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let counts = Dense::from_fn(60, 2, |i, j| if i % 3 == 2 && j == 1 { 4.0 } else { 0.0 });
        let views = Views::new(vec![
            View::new("dense", dense).with_features(Some(names)),
            View::new("counts", Csr::from_dense(&counts).unwrap()),
        ])
        .unwrap();
        let labels: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let found = markers(&views, &labels, 5).unwrap();
        let named: Vec<(usize, &str, &str)> =
            found.iter().map(|m| (m.cluster, m.view.as_str(), m.feature.as_str())).collect();
        assert!(named.contains(&(2, "counts", "column 2")) && named.contains(&(0, "dense", "b")), "{named:?}");
        assert!(found.iter().all(|m| m.feature == "b" || m.feature == "column 2"), "{named:?}");
        assert!(found.iter().any(|m| m.cluster == 2 && m.auc == 1.0 && m.p < 1e-6));
        let counted: Vec<&Marker> = found.iter().filter(|m| m.view == "counts").take(1).collect();
        let means = cluster_means(&views, &labels, &counted);
        assert!((means.get(2, 0) - 2.0_f64.sqrt()).abs() < 1e-12 && means.get(0, 0) < 0.0);
    }
}
