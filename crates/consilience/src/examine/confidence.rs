//! How firmly samples sit in their clusters, and which to look at first.

use super::Stability;
use crate::Clustering;
use crate::matrix::Dense;
use crate::tree::ties;

/// For every cluster the share of its samples' affinity that stays inside.
pub(super) fn inside(clustering: &Clustering) -> Vec<f64> {
    let ties = ties(clustering.affinity.as_ref(), &clustering.record.labels, clustering.record.clusters_found());
    let share = |(own, row): (usize, &[f64])| {
        let all: f64 = row.iter().sum();
        if all > 0.0 { row[own] / all } else { 0.0 }
    };
    ties.iter_rows().enumerate().map(share).collect()
}

/// How doubtful a sample's cluster is, from 0, nothing speaks against it, to 1: one less the mean of confidence and stability, or less
/// the confidence where the stability is not known. These two find wrong samples best on sets with labels; the number of views that
/// would put a sample elsewhere makes them worse (`experiments/facts/doubt.csv`, made by `scripts/doubt.py`).
pub(super) fn doubt(confidence: &[f64], stability: Option<&Stability>) -> Vec<f64> {
    let sure =
        |(i, &confidence): (usize, &f64)| stability.map_or(confidence, |s| f64::midpoint(confidence, s.by_sample[i]));
    confidence.iter().enumerate().map(|one| 1.0 - sure(one)).collect()
}

/// The mean of [`silhouettes`].
pub(super) fn silhouette(points: &Dense<f64>, labels: &[usize]) -> f64 {
    super::mean(&silhouettes(points, labels))
}

/// The silhouette of every sample with distances to centres instead of all pairs (Hruschka et al. 2004): (b - a) / max(a, b),
/// with a the distance to the own centre and b to the nearest other. 0 when there is only one cluster.
pub(super) fn silhouettes(points: &Dense<f64>, labels: &[usize]) -> Vec<f64> {
    let k = labels.iter().max().map_or(0, |last| last + 1);
    if k < 2 {
        return vec![0.0; labels.len()];
    }
    let centres = centres(points, labels, k);
    let one = |(row, &label): (&[f64], &usize)| {
        let distance = |c: usize| centres.row(c).iter().zip(row).map(|(c, x)| (c - x) * (c - x)).sum::<f64>().sqrt();
        let own = distance(label);
        let other = (0..k).filter(|&c| c != label).map(distance).fold(f64::INFINITY, f64::min);
        let most = own.max(other);
        if most > 0.0 { (other - own) / most } else { 0.0 }
    };
    points.iter_rows().zip(labels).map(one).collect()
}

/// The mean of every cluster's points, k x d.
fn centres(points: &Dense<f64>, labels: &[usize], k: usize) -> Dense<f64> {
    let d = points.cols();
    let mut centres = Dense::zeros(k, d);
    let mut sizes = vec![0.0_f64; k];
    for (row, &label) in points.iter_rows().zip(labels) {
        sizes[label] += 1.0;
        centres.data_mut()[label * d..(label + 1) * d].iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    for (centre, size) in centres.data_mut().chunks_exact_mut(d.max(1)).zip(sizes) {
        centre.iter_mut().for_each(|sum| *sum /= size.max(1.0));
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silhouette_by_hand() {
        // two clusters on a line: {0, 2} with centre 1 and {10} with centre 10
        let points = Dense::new(3, 1, vec![0.0, 2.0, 10.0]).unwrap();
        let expected = ((10.0 - 1.0) / 10.0 + (8.0 - 1.0) / 8.0 + 1.0) / 3.0;
        assert!((silhouette(&points, &[0, 0, 1]) - expected).abs() < 1e-12);
        assert_eq!(silhouette(&points, &[0, 0, 0]), 0.0);
        assert_eq!(silhouette(&Dense::zeros(4, 2), &[0, 1, 0, 1]), 0.0);
    }

    #[test]
    fn doubt_by_hand() {
        let stability = Stability { runs: 2, share: 0.8, by_sample: vec![1.0, 0.5], by_cluster: vec![], mean: 0.75 };
        assert_eq!(doubt(&[1.0, 0.25], Some(&stability)), [0.0, 0.625]);
        assert_eq!(doubt(&[1.0, 0.25], None), [0.0, 0.75]);
    }
}
