//! How sure the cluster of every sample is: shares of all clusters, which sum to 1 and are largest for the sample's own. "Confidence"
//! is the own cluster's share, everywhere.

use crate::matrix::{Csr, Dense, Matrix};
use crate::operator::LinOp;
use crate::stability::votes;
use crate::{Error, Result};

/// With more numbers than this only the largest shares of each sample are kept.
const MOST_NUMBERS: usize = 10_000_000;
/// So many of them.
const LARGEST: usize = 10;
/// The own cluster's share is more than that of any other by this factor, so that it is the first of the largest in any precision.
const LEAD: f64 = 1.0 + 1e-6;

/// The share of every cluster in every sample, samples x clusters; rows sum to 1, the largest is the sample's own cluster.
#[derive(Debug, Clone)]
pub struct Memberships {
    clusters: usize,
    rows: Rows,
    /// The own cluster's share of every sample.
    confidence: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Rows {
    All(Vec<f64>),
    /// Row starts, clusters and shares of the largest ones.
    Largest(Vec<usize>, Vec<u32>, Vec<f64>),
}

impl Memberships {
    /// None yet, for `samples` of so many clusters.
    pub fn with_room(samples: usize, clusters: usize) -> Self {
        let rows = match samples.saturating_mul(clusters) > MOST_NUMBERS && clusters > LARGEST {
            true => Rows::Largest(vec![0], Vec::new(), Vec::new()),
            false => Rows::All(Vec::new()),
        };
        Self { clusters, rows, confidence: Vec::new() }
    }

    /// Of samples with these `labels`, by shares (samples x clusters) that need not sum to 1; a row of zeros says nothing, and the
    /// sample is its own cluster's.
    pub(crate) fn new(shares: &Dense<f64>, labels: &[usize]) -> Self {
        let mut memberships = Self::with_room(labels.len(), shares.cols());
        labels.iter().enumerate().for_each(|(i, &label)| memberships.push(shares.row(i), label));
        memberships
    }

    /// As they were written: samples x clusters, dense or sparse.
    ///
    /// # Errors
    /// When the matrix is not of so many samples, or a label is not one of its clusters.
    pub fn from_matrix(shares: &Matrix, labels: &[usize]) -> Result<Self> {
        let clusters = shares.cols();
        if shares.rows() != labels.len() || labels.iter().any(|&label| label >= clusters) {
            let (rows, samples) = (shares.rows(), labels.len());
            return Err(Error::data(format!(
                "memberships of {rows} samples in {clusters} clusters are not of these {samples}"
            )));
        }
        let mut memberships = Self::with_room(labels.len(), clusters);
        for (i, &label) in labels.iter().enumerate() {
            let mut row = vec![0.0; clusters];
            let (columns, values) = shares.row_entries(i);
            columns.iter().zip(values).for_each(|(&j, x)| row[j as usize] = x);
            memberships.push(&row, label);
        }
        Ok(memberships)
    }

    /// By whom every sample is tied to.
    pub(crate) fn by_ties(affinity: &dyn LinOp, labels: &[usize], clusters: usize) -> Self {
        let members = Dense::from_fn(labels.len(), clusters, |i, j| if labels[i] == j { 1.0 } else { 0.0 });
        Self::new(&votes(affinity, &members), labels)
    }

    /// One more sample.
    pub(crate) fn push(&mut self, shares: &[f64], label: usize) {
        let mut row: Vec<f64> = shares.iter().map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 }).collect();
        let most = row.iter().enumerate().filter(|(j, _)| *j != label).fold(0.0_f64, |most, (_, x)| most.max(*x));
        row[label] = row[label].max(most * LEAD);
        let total: f64 = row.iter().sum();
        if total > 0.0 {
            row.iter_mut().for_each(|x| *x /= total);
        } else {
            row[label] = 1.0;
        }
        self.confidence.push(row[label]);
        match &mut self.rows {
            Rows::All(all) => all.extend(row),
            Rows::Largest(starts, clusters, values) => {
                let mut order: Vec<usize> = (0..row.len()).collect();
                order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
                order.truncate(LARGEST);
                order.sort_unstable();
                let kept: f64 = order.iter().map(|&j| row[j]).sum();
                clusters.extend(order.iter().map(|&j| j as u32));
                values.extend(order.iter().map(|&j| row[j] / kept));
                starts.push(values.len());
            }
        }
    }

    /// The own cluster's share of every sample.
    pub fn confidence(&self) -> &[f64] {
        &self.confidence
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Samples x clusters; sparse, with the ten largest shares of each sample, where there would be more than ten million numbers.
    ///
    /// # Errors
    /// Never, unless there are more clusters than a sparse matrix has columns.
    pub fn matrix(&self) -> Result<Matrix> {
        Ok(match &self.rows {
            Rows::All(all) => Dense::new(self.confidence.len(), self.clusters, all.clone())?.into(),
            Rows::Largest(starts, clusters, values) => {
                Csr::new(self.confidence.len(), self.clusters, starts.clone(), clusters.clone(), values.clone())?.into()
            }
        })
    }

    /// Of samples of which these are `first`s: sample i is a copy of `of[i]`.
    pub(crate) fn copied(&self, of: &[usize], labels: &[usize]) -> Result<Self> {
        let mut copied = Self::with_room(of.len(), self.clusters);
        for (&first, &label) in of.iter().zip(labels) {
            copied.push(&self.row(first)?, label);
        }
        Ok(copied)
    }

    /// With clusters joined: cluster j becomes `into[j]`, of `clusters`. Samples of `labels`.
    ///
    /// # Errors
    /// When there is not a new number for every cluster, or a label for every sample.
    pub fn joined(&self, into: &[usize], clusters: usize, labels: &[usize]) -> Result<Self> {
        let fits = into.len() == self.clusters && labels.len() == self.confidence.len();
        if !fits || into.iter().chain(labels).any(|&cluster| cluster >= clusters) {
            return Err(Error::data("clusters are joined by a new number for each, and a label for each sample"));
        }
        let mut joined = Self::with_room(labels.len(), clusters);
        for (i, &label) in labels.iter().enumerate() {
            let mut row = vec![0.0; clusters];
            self.row(i)?.iter().zip(into).for_each(|(share, &j)| row[j] += share);
            joined.push(&row, label);
        }
        Ok(joined)
    }

    pub(crate) fn row(&self, i: usize) -> Result<Vec<f64>> {
        if i >= self.confidence.len() {
            return Err(Error::data(format!("there are memberships of {} samples", self.confidence.len())));
        }
        Ok(match &self.rows {
            Rows::All(all) => all[i * self.clusters..(i + 1) * self.clusters].to_vec(),
            Rows::Largest(starts, clusters, values) => {
                let mut row = vec![0.0; self.clusters];
                let range = starts[i]..starts[i + 1];
                clusters[range.clone()].iter().zip(&values[range]).for_each(|(&j, &x)| row[j as usize] = x);
                row
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sum_to_one_and_are_largest_at_the_label() {
        let shares = Dense::new(3, 2, vec![3.0, 1.0, 1.0, 3.0, 0.0, 0.0]).unwrap();
        let memberships = Memberships::new(&shares, &[0, 0, 1]);
        let Matrix::DenseF64(found) = memberships.matrix().unwrap() else { panic!("few numbers are kept in full") };
        assert_eq!((found.row(0), found.row(2)), (&[0.75, 0.25][..], &[0.0, 1.0][..]));
        // its ties are with the other cluster: as sure of one as of the other, and the label comes first
        assert!(found.get(1, 0) > found.get(1, 1) && (found.get(1, 0) - 0.5).abs() < 1e-6);
        assert_eq!(memberships.confidence()[0], 0.75);
    }

    #[test]
    fn many_clusters_keep_the_largest_shares() {
        let mut memberships = Memberships::with_room(MOST_NUMBERS, 12);
        memberships.push(&(1..=12).map(f64::from).collect::<Vec<_>>(), 11);
        let Matrix::SparseF64(found) = memberships.matrix().unwrap() else { panic!("too many numbers to keep all") };
        assert_eq!((found.row(0).0.len(), found.row(0).0[0]), (LARGEST, 2));
        assert!((found.row(0).1.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn joined_clusters_add_their_shares() {
        let memberships = Memberships::new(&Dense::new(1, 3, vec![0.5, 0.3, 0.2]).unwrap(), &[0]);
        let joined = memberships.joined(&[0, 1, 0], 2, &[0]).unwrap();
        assert!((joined.confidence()[0] - 0.7).abs() < 1e-12);
        assert!(memberships.joined(&[0, 1], 2, &[0]).is_err() && memberships.joined(&[0, 1, 2], 2, &[0]).is_err());
    }
}
