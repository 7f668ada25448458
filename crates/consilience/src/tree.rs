//! How clusters join, by the strength of the ties between them: who asked for too many can take a coarser level without a new fit.

use serde::{Deserialize, Serialize};

use crate::labels::number_by_first_appearance;
use crate::matrix::Dense;
use crate::operator::LinOp;
use crate::stability::votes;
use crate::{Error, Result, Views};

/// The order in which clusters join. Of k clusters there are k - 1 joins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree {
    /// One after the other, as in SciPy's linkage: clusters 0 to k - 1 are those of the run, cluster k + i is what join i made.
    pub joins: Vec<Join>,
}

/// Two clusters become one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// The clusters; the first has the smaller number.
    pub clusters: (usize, usize),
    /// 1 less the share of the smaller one's ties that go to the other, and at least the height of the joins before: 0 is one
    /// cluster, 1 are clusters without ties.
    pub height: f64,
    /// Samples in both.
    pub samples: usize,
}

/// How strongly clusters are tied, k x k: the sum of the affinities between their samples.
pub(crate) fn ties(affinity: &dyn LinOp, labels: &[usize], clusters: usize) -> Dense<f64> {
    let members = Dense::from_fn(labels.len(), clusters, |i, j| if labels[i] == j { 1.0 } else { 0.0 });
    let votes = votes(affinity, &members);
    let mut ties = Dense::zeros(clusters, clusters);
    for (row, &label) in votes.iter_rows().zip(labels) {
        ties.data_mut()[label * clusters..(label + 1) * clusters].iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    ties
}

/// More than this share of a cluster's ties go to another where a dense part was cut; of Gaussians three standard deviations apart it is
/// a third of that.
const MANY_TIES: f64 = 0.1;
/// And one of the two comes back less than this, as a Jaccard index.
const UNSTABLE: f64 = 0.8;

/// Pairs of clusters that would rather be one, the strongest tied first, with the share of the smaller one's ties that go to the other:
/// `stability` is how well each cluster comes back.
pub(crate) fn rather_one(ties: &Dense<f64>, stability: &[f64]) -> Vec<(usize, usize, f64)> {
    let volumes: Vec<f64> = ties.iter_rows().map(|row| row.iter().sum()).collect();
    let clusters = 0..stability.len().min(volumes.len());
    let pairs = clusters.clone().flat_map(|a| (a + 1..clusters.end).map(move |b| (a, b)));
    let tied = |(a, b): (usize, usize)| {
        let share = ties.get(a, b) / volumes[a].min(volumes[b]).max(f64::MIN_POSITIVE);
        (share > MANY_TIES && stability[a].min(stability[b]) < UNSTABLE).then_some((a, b, share))
    };
    let mut found: Vec<(usize, usize, f64)> = pairs.filter_map(tied).collect();
    found.sort_by(|one, other| other.2.total_cmp(&one.2));
    found
}

/// Squared distances between the clusters' centres, k x k: the mean over the views with features, per feature.
pub(crate) fn centre_distances(views: &Views, labels: &[usize], clusters: usize) -> Dense<f64> {
    let mut sizes = vec![0.0_f64; clusters];
    labels.iter().for_each(|&label| sizes[label] += 1.0);
    let mut distances = Dense::zeros(clusters, clusters);
    for view in views.iter().filter(|view| !view.is_affinity()) {
        let width = view.data.cols();
        let mut centres = Dense::zeros(clusters, width);
        for (i, &label) in labels.iter().enumerate() {
            let (columns, values) = view.data.row_entries(i);
            let centre = &mut centres.data_mut()[label * width..(label + 1) * width];
            columns.iter().zip(values).for_each(|(&j, x)| centre[j as usize] += x / sizes[label]);
        }
        for (at, sum) in distances.data_mut().iter_mut().enumerate() {
            let (a, b) = (centres.row(at / clusters), centres.row(at % clusters));
            *sum += a.iter().zip(b).map(|(a, b): (&f64, &f64)| (a - b).powi(2)).sum::<f64>() / width.max(1) as f64;
        }
    }
    distances
}

impl Tree {
    /// Of clusters with these `ties` (k x k) and sizes: the two whose smaller one has most of its ties with the other join first; where no
    /// ties are left, those whose centres are nearest (`distances`, k x k).
    pub(crate) fn new(ties: &Dense<f64>, distances: &Dense<f64>, mut sizes: Vec<usize>) -> Self {
        let k = sizes.len();
        let rows = |matrix: &Dense<f64>| matrix.iter_rows().map(<[f64]>::to_vec).collect();
        let (mut ties, mut distances): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (rows(ties), rows(distances));
        // the number in the tree of what stands in every row; none where it has joined another row
        let mut names: Vec<Option<usize>> = (0..k).map(Some).collect();
        let (mut joins, mut height) = (Vec::new(), 0.0_f64);
        for made in k..(2 * k).saturating_sub(1) {
            let volumes: Vec<f64> = ties.iter().map(|row| row.iter().sum()).collect();
            let open: Vec<usize> = (0..k).filter(|&a| names[a].is_some()).collect();
            let pairs = open.iter().flat_map(|&a| open.iter().filter(move |&&b| b > a).map(move |&b| (a, b)));
            let share = |a: usize, b: usize| {
                let volume = volumes[a].min(volumes[b]);
                if volume > 0.0 { ties[a][b] / volume } else { 0.0 }
            };
            // the first of equals
            let nearer = |best: (f64, usize, usize), next: (f64, usize, usize)| {
                let near = next.0 >= best.0 && distances[next.1][next.2] < distances[best.1][best.2];
                if next.0 > best.0 || near { next } else { best }
            };
            let nearest = pairs.map(|(a, b)| (share(a, b), a, b)).reduce(nearer);
            let Some((share, a, b)) = nearest else { break };
            height = height.max(1.0 - share.min(1.0));
            let (Some(first), Some(second)) = (names[a], names[b].take()) else { break };
            sizes[a] += sizes[b];
            joins.push(Join { clusters: (first.min(second), first.max(second)), height, samples: sizes[a] });
            names[a] = Some(made);
            let moved = std::mem::take(&mut ties[b]);
            ties[a].iter_mut().zip(&moved).for_each(|(sum, x)| *sum += x);
            ties[b] = vec![0.0; k];
            let (own, other) = (sizes[a] - sizes[b], sizes[b]);
            for c in 0..k {
                let mean = (own as f64 * distances[a][c] + other as f64 * distances[b][c]) / sizes[a].max(1) as f64;
                (distances[a][c], distances[c][a]) = (mean, mean);
            }
            for row in &mut ties {
                row[a] += row[b];
                row[b] = 0.0;
            }
        }
        Self { joins }
    }

    /// For every cluster of the run its number when only `clusters` are left; numbers follow the order of the run's.
    ///
    /// # Errors
    /// When there are none or more than the run has.
    pub fn cut(&self, clusters: usize) -> Result<Vec<usize>> {
        let k = self.joins.len() + 1;
        if clusters == 0 || clusters > k {
            return Err(Error::Clusters {
                k: clusters,
                why: format!("the run has {k} clusters, which can only be joined"),
            });
        }
        let mut parts: Vec<Vec<usize>> = (0..k).map(|cluster| vec![cluster]).collect();
        for join in &self.joins[..k - clusters] {
            let (a, b) = join.clusters;
            if a >= parts.len() || b >= parts.len() {
                return Err(Error::data(format!(
                    "the tree joins {a} and {b}, and there are only {} clusters",
                    parts.len()
                )));
            }
            let joined = [std::mem::take(&mut parts[a]), std::mem::take(&mut parts[b])].concat();
            parts.push(joined);
        }
        let mut into = vec![0; k];
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|&cluster| into[cluster] = number);
        }
        number_by_first_appearance(&mut into);
        Ok(into)
    }

    /// The labels of a level: `labels` are those of the run.
    ///
    /// # Errors
    /// As [`Tree::cut`], and when a label is not one of the run's.
    pub fn labels(&self, labels: &[usize], clusters: usize) -> Result<Vec<usize>> {
        let into = self.cut(clusters)?;
        let number = |&label: &usize| into.get(label).copied();
        let found: Option<Vec<usize>> = labels.iter().map(number).collect();
        found.ok_or_else(|| Error::data(format!("a label is not one of the run's {} clusters", into.len())))
    }

    /// With the clusters of the run named otherwise: `numbers[j]` for what was j.
    pub(crate) fn renamed(&mut self, numbers: &[usize]) {
        for join in &mut self.joins {
            let name = |cluster: usize| numbers.get(cluster).copied().unwrap_or(cluster);
            let (a, b) = (name(join.clusters.0), name(join.clusters.1));
            join.clusters = (a.min(b), a.max(b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_ties_join_first() {
        // 2 is a small cluster that hangs on 0; 1 is apart
        let ties = Dense::new(3, 3, vec![20.0, 1.0, 2.0, 1.0, 9.0, 0.0, 2.0, 0.0, 2.0]).unwrap();
        let mut tree = Tree::new(&ties, &Dense::zeros(3, 3), vec![10, 5, 2]);
        assert_eq!(tree.joins[0], Join { clusters: (0, 2), height: 0.5, samples: 12 });
        assert_eq!(tree.joins[1], Join { clusters: (1, 3), height: 0.9, samples: 17 });
        assert_eq!(
            (tree.cut(3).unwrap(), tree.cut(2).unwrap(), tree.cut(1).unwrap()),
            (vec![0, 1, 2], vec![0, 1, 0], vec![0; 3])
        );
        assert_eq!(tree.labels(&[2, 1, 0], 2).unwrap(), [0, 1, 0]);
        assert!(tree.cut(0).is_err() && tree.cut(4).is_err() && tree.labels(&[3], 2).is_err());
        tree.renamed(&[1, 0, 2]);
        assert_eq!(tree.joins[0].clusters, (1, 2));
        assert_eq!(tree.cut(2).unwrap(), [0, 1, 1]);
    }

    #[test]
    fn clusters_that_are_tied_and_do_not_come_back_would_rather_be_one() {
        let ties = Dense::new(3, 3, vec![20.0, 0.5, 2.0, 0.5, 9.0, 0.0, 2.0, 0.0, 2.0]).unwrap();
        assert_eq!(rather_one(&ties, &[0.9, 0.3, 0.7]), [(0, 2, 0.5)]);
        assert!(rather_one(&ties, &[0.9, 0.3, 0.9]).is_empty(), "both come back");
        assert!(rather_one(&ties, &[]).is_empty(), "nobody asked");
    }

    #[test]
    fn clusters_without_ties_join_at_the_top() {
        let apart = Dense::from_fn(4, 4, |i, j| if i == j { 1.0 } else { 0.0 });
        // on a line at 0, 10, 1 and 12
        let place = [0.0_f64, 10.0, 1.0, 12.0];
        let tree = Tree::new(&apart, &Dense::from_fn(4, 4, |i, j| (place[i] - place[j]).powi(2)), vec![1, 1, 1, 1]);
        assert_eq!(tree.joins[0], Join { clusters: (0, 2), height: 1.0, samples: 2 });
        assert_eq!(tree.cut(2).unwrap(), [0, 1, 0, 1]);
        let one = Dense::zeros(1, 1);
        assert!(Tree::new(&one, &one, vec![4]).joins.is_empty() && Tree::default().cut(1).is_ok());
    }
}
