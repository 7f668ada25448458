//! Views without features: somebody has computed before how alike every two samples are, or how far apart.
//!
//! Such a view is a graph already. It is brought into one form here (symmetric, sparse, no loops, the largest weight 1), and
//! whoever makes graphs of views takes it as it is. It is neither scaled nor corrupted, has no features to be explained by, and
//! says nothing of new samples. Distances become affinities by the weights that graphs have by default.

use super::missing::Holes;
use super::{View, Views};
use crate::matrix::{Csr, Matrix, Real, for_matrix, median};
use crate::parameters::choice;
use crate::{Error, Result};

choice! {
    /// What the numbers of a view that somebody computed before say of two samples.
    pub enum Precomputed {
        /// How alike they are; 0 is not at all. The weights of a neighbour graph are affinities.
        Affinity = "affinity",
        /// How far apart they are. Pairs that a sparse matrix does not store are too far to be neighbours.
        Distance = "distance",
    }
}

/// What the numbers of a view are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A column per feature.
    Features,
    /// A column per sample; the mean of both directions where these differed.
    Affinity { averaged: bool },
}

/// Weights that differ by less than this, where the largest is 1, are the same in both directions.
const SYMMETRY: f64 = 1e-6;
/// Triples of samples that are asked whether the numbers are distances.
const TRIPLES: usize = 3000;

impl View {
    /// The same view, whose numbers are affinities or distances between its samples. A row and column of missing values (NaN)
    /// is a sample that the view does not know; what a sample has with itself is left out.
    ///
    /// # Errors
    /// When it is not square, or a number is missing, negative or infinite, or affinities look like distances.
    pub fn precomputed(self, what: Precomputed) -> Result<Self> {
        let n = self.data.rows();
        if n != self.data.cols() {
            return Err(Error::data_with_hint(
                format!(
                    "{} is {n} x {}, and {what} is of samples x samples",
                    self.describe(),
                    self.data.cols(),
                    what = what.noun()
                ),
                "give a square matrix with the samples in the same order in rows and columns, or the view as features",
            ));
        }
        let absent = self.unknown_samples(what)?;
        let weights = match what {
            Precomputed::Affinity => self.affinities(&absent)?,
            Precomputed::Distance => weights_of_distances(&self.distances(&absent)?)?,
        };
        if weights.nnz() == 0 {
            return Err(Error::data_with_hint(
                format!("{} says nothing: no two of its samples are alike", self.describe()),
                "leave the view out; are the numbers affinities?",
            ));
        }
        let (weights, averaged) = symmetric(&weights)?;
        let mut view = self.with_data(weights).with_features(None);
        view.kind = Kind::Affinity { averaged };
        view.with_absent(&absent)
    }

    /// Whether its numbers are affinities between the samples, not features.
    pub fn is_affinity(&self) -> bool {
        self.affinity().is_some()
    }

    /// Its affinities, n x n, where it has those and no features: symmetric, no loops, the largest 1.
    pub fn affinity(&self) -> Option<&Csr<f64>> {
        match (&self.data, self.kind) {
            (Matrix::SparseF64(weights), Kind::Affinity { .. }) => Some(weights),
            _ => None,
        }
    }

    /// Whether its affinities were not the same in both directions, so that their mean was taken.
    pub(crate) fn was_averaged(&self) -> bool {
        self.kind == Kind::Affinity { averaged: true }
    }

    /// Samples whose row is missing as a whole; anything else that is missing is refused.
    fn unknown_samples(&self, what: Precomputed) -> Result<Vec<bool>> {
        let (n, holes) = (self.data.rows(), Holes::of(&self.data));
        let absent: Vec<bool> = holes.by_row.iter().map(|&count| count == n && n > 0).collect();
        let unknown = absent.iter().filter(|absent| **absent).count();
        // the columns of those samples may be missing too, or be anything
        let part = |i: &usize| !absent[*i] && (0..n).any(|j| !absent[j] && self.entry(*i, j).is_nan());
        match (0..n).filter(|&i| holes.by_row[i] > 0).find(part) {
            Some(row) => Err(Error::data_with_hint(
                format!("{}: {} has missing values (NaN) in row {}", self.describe(), what.noun(), row + 1),
                format!(
                    "only whole samples can be missing ({unknown} are): make the row and the column of a sample NaN, or 0 a \
                     similarity that is not known"
                ),
            )),
            None => Ok(absent),
        }
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        for_matrix!(
            &self.data,
            dense m => m.get(i, j).to_f64(),
            sparse m => m.get(i, j).to_f64(),
        )
    }

    fn affinities(&self, absent: &[bool]) -> Result<Csr<f64>> {
        let n = self.data.rows();
        let mut entries = Vec::new();
        for i in (0..n).filter(|&i| !absent[i]) {
            let (columns, values) = self.data.row_entries(i);
            for (&j, x) in columns.iter().zip(values).filter(|(j, _)| !absent[**j as usize] && **j as usize != i) {
                self.check_number(i, j, x, Precomputed::Affinity)?;
                if x > 0.0 {
                    entries.push((i, j, x));
                }
            }
        }
        let largest = entries.iter().map(|(_, _, x)| *x).fold(0.0, f64::max);
        entries.iter_mut().for_each(|(_, _, x)| *x /= largest);
        let weights = Csr::from_entries(n, n, entries)?;
        if self.looks_like_distances(&weights) {
            return Err(Error::data_with_hint(
                format!(
                    "{} looks like distances: it is 0 between a sample and itself and nowhere else, and no way round is shorter",
                    self.describe()
                ),
                "say that they are distances; if they are affinities, give a sample the largest affinity with itself",
            ));
        }
        Ok(weights)
    }

    /// The other samples of every sample, and how far they are.
    fn distances(&self, absent: &[bool]) -> Result<Vec<Vec<(u32, f64)>>> {
        let known = |i: usize, j: u32| !absent[j as usize] && j as usize != i;
        let row = |i: usize| {
            if absent[i] {
                return Ok(Vec::new());
            }
            // a stored zero is a distance, and so is one of a dense matrix
            let stored: Vec<(u32, f64)> = for_matrix!(
                &self.data,
                dense m => m.row(i).iter().enumerate().map(|(j, x)| (j as u32, x.to_f64())).collect(),
                sparse m => m.row(i).0.iter().copied().zip(m.row(i).1.iter().map(|x| x.to_f64())).collect(),
            );
            let others: Vec<(u32, f64)> = stored.into_iter().filter(|(j, _)| known(i, *j)).collect();
            others.iter().try_for_each(|&(j, x)| self.check_number(i, j, x, Precomputed::Distance))?;
            Ok(others)
        };
        (0..self.data.rows()).map(row).collect()
    }

    fn check_number(&self, i: usize, j: u32, x: f64, what: Precomputed) -> Result<()> {
        if x.is_finite() && x >= 0.0 {
            return Ok(());
        }
        let kind = if x.is_finite() { "a negative" } else { "an infinite" };
        Err(Error::data_with_hint(
            format!(
                "{}: row {}, column {} holds {kind} value ({x}), and {} cannot be that",
                self.describe(),
                i + 1,
                j + 1,
                what.noun()
            ),
            match what {
                Precomputed::Affinity => {
                    "0 is not alike at all: of correlations or cosines take (1 + x) / 2, or max(x, 0)"
                }
                Precomputed::Distance => {
                    "0 is the same sample; pairs that are too far apart are left out of a sparse matrix"
                }
            },
        ))
    }

    /// Zero between a sample and itself only, and the roots obey the triangle inequality, as those of distances and of squared
    /// distances do. Affinities of anything with groups do not: two alike samples are both unlike a third.
    fn looks_like_distances(&self, weights: &Csr<f64>) -> bool {
        let n = weights.rows();
        if n < 4 || weights.nnz() != n * (n - 1) || (0..n).any(|i| self.entry(i, i) != 0.0) {
            return false;
        }
        let root = |i: usize, j: usize| self.entry(i, j).sqrt();
        (0..TRIPLES).all(|t| {
            let (i, step, far) = (t * 7919 % n, 1 + t * 104_729 % (n - 1), 1 + t * 1_299_709 % (n - 1));
            let (j, k) = ((i + step) % n, (i + far) % n);
            j == k || root(i, j) <= (root(i, k) + root(k, j)) * (1.0 + SYMMETRY)
        })
    }
}

impl Precomputed {
    fn noun(self) -> &'static str {
        match self {
            Self::Affinity => "an affinity",
            Self::Distance => "a distance",
        }
    }
}

/// The mean of both directions, and whether they differed.
fn symmetric(weights: &Csr<f64>) -> Result<(Csr<f64>, bool)> {
    let turned = weights.transposed();
    let apart = weights.merged(&turned, |a, b| (a - b).abs())?;
    let averaged = apart.values().iter().any(|&difference| difference > SYMMETRY);
    Ok((weights.merged(&turned, |a, b| 0.5 * (a + b))?, averaged))
}

impl Views {
    /// Whether a view has affinities and no features.
    pub(crate) fn has_affinities(&self) -> bool {
        self.views.iter().any(View::is_affinity)
    }
}

/// The neighbour whose distance is a sample's local scale (Zelnik-Manor and Perona), in graphs of features too.
pub(crate) const LOCAL_SCALE_NEIGHBOUR: usize = 7;
/// Neighbours of each sample, as in graphs of features.
const NEIGHBOURS: usize = 20;
/// No local scale is below this share of the usual one.
const LEAST_SCALE: f64 = 1e-6;

/// Gaussian weights `exp(-d_ij^2 / (s_i s_j))` of every sample's nearest neighbours, `s_i` the distance to the 7th of them, n x n.
/// `lists` are the others that each sample knows, with their distances, none negative. Where two samples know each other, both
/// directions are there; where one knows the other, the weight counts for both.
pub(crate) fn weights_of_distances(lists: &[Vec<(u32, f64)>]) -> Result<Csr<f64>> {
    let nearest: Vec<Vec<(u32, f64)>> = lists.iter().map(|list| nearest(list)).collect();
    let scale = |list: &Vec<(u32, f64)>| list.get(LOCAL_SCALE_NEIGHBOUR - 1).or(list.last()).map_or(0.0, |(_, d)| *d);
    let scales: Vec<f64> = nearest.iter().map(scale).collect();
    let floor = (LEAST_SCALE * median(scales.clone())).max(f64::MIN_POSITIVE);
    let weight = |i: usize, j: u32, d: f64| {
        // one after the other: the square of a large distance need not be a number
        let (a, b) = (d / scales[i].max(floor), d / scales[j as usize].max(floor));
        if d > 0.0 { (-a * b).exp() } else { 1.0 }
    };
    let rows = nearest.iter().enumerate();
    let entries = rows.flat_map(|(i, list)| list.iter().map(move |&(j, d)| (i, j, d)));
    let directed =
        Csr::from_entries(lists.len(), lists.len(), entries.map(|(i, j, d)| (i, j, weight(i, j, d))).collect())?;
    directed.merged(&directed.transposed(), |there, back| if there > 0.0 { there } else { back })
}

/// The nearest of a sample's others, nearest first; of equally near ones the first.
fn nearest(list: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut sorted = list.to_vec();
    sorted.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    sorted.truncate(NEIGHBOURS);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphSettings;
    use crate::matrix::Dense;
    use crate::neighbours::{Distance, DistanceMetric, Exact};
    use crate::views::{Corruption, CorruptionMode};
    use crate::{Run, Scale, View};

    const NAN: f64 = f64::NAN;

    fn square(numbers: &[f64]) -> View {
        let n = (numbers.len() as f64).sqrt() as usize;
        View::new("g", Dense::new(n, n, numbers.to_vec()).unwrap())
    }

    fn weights(view: &View) -> Vec<f64> {
        view.affinity().unwrap().to_dense().data().to_vec()
    }

    fn message(view: View, what: Precomputed) -> String {
        view.precomputed(what).unwrap_err().to_string()
    }

    #[test]
    fn affinities_lose_their_diagonal_and_their_unit() {
        let view = square(&[8.0, 4.0, 0.0, 4.0, 8.0, 2.0, 0.0, 2.0, 8.0]).precomputed(Precomputed::Affinity).unwrap();
        assert_eq!(weights(&view), [0.0, 1.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5, 0.0]);
        assert!(view.is_affinity() && !view.was_averaged());
        let sparse = View::new("s", Csr::from_entries(3, 3, vec![(0, 1, 3.0_f32), (1, 0, 3.0)]).unwrap());
        let view = sparse.precomputed(Precomputed::Affinity).unwrap();
        assert_eq!(view.affinity().unwrap().nnz(), 2);
    }

    #[test]
    fn directions_that_differ_are_averaged_and_said() {
        let view = square(&[1.0, 1.0, 0.0, 0.0, 1.0, 0.4, 0.0, 0.2, 1.0]).precomputed(Precomputed::Affinity).unwrap();
        assert!(view.was_averaged());
        assert!((weights(&view)[1] - 0.5).abs() < 1e-15 && (weights(&view)[5] - 0.3).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_is_refused_by_its_place() {
        let wide = View::new("w", Dense::<f64>::zeros(3, 2));
        assert_eq!(message(wide, Precomputed::Affinity), "view `w` is 3 x 2, and an affinity is of samples x samples");
        let negative = [1.0, -0.5, 0.0, -0.5, 1.0, 0.1, 0.0, 0.1, 1.0];
        assert_eq!(
            message(square(&negative), Precomputed::Affinity),
            "view `g`: row 1, column 2 holds a negative value (-0.5), and an affinity cannot be that"
        );
        assert!(
            message(square(&[0.0, f64::INFINITY, f64::INFINITY, 0.0]), Precomputed::Distance).contains("an infinite")
        );
        let hole = [1.0, NAN, 0.0, 1.0, 1.0, 0.1, 0.0, 0.1, 1.0];
        assert!(message(square(&hole), Precomputed::Affinity).ends_with("has missing values (NaN) in row 1"));
        assert!(message(square(&[1.0, 0.0, 0.0, 1.0]), Precomputed::Affinity).contains("says nothing"));
    }

    #[test]
    fn distances_are_not_taken_for_affinities() {
        let points: Vec<f64> = (0..12).map(|i| f64::from(i % 3) * 40.0 + f64::from(i)).collect();
        let of = |f: &dyn Fn(f64) -> f64| {
            Dense::from_fn(12, 12, |i, j| if i == j { 0.0 } else { f((points[i] - points[j]).abs()) })
        };
        for distance in [of(&|d| d), of(&|d| d * d)] {
            assert!(
                message(View::new("d", distance.clone()), Precomputed::Affinity)
                    .starts_with("view `d` looks like distances")
            );
            assert!(View::new("d", distance).precomputed(Precomputed::Distance).is_ok());
        }
        // a kernel without its diagonal is none
        assert!(View::new("k", of(&|d| (-d * d / 400.0).exp())).precomputed(Precomputed::Affinity).is_ok());
    }

    #[test]
    fn samples_are_chosen_and_lost_in_both_directions() {
        let chain = square(&[1.0, 0.5, 0.0, 0.5, 1.0, 1.0, 0.0, 1.0, 1.0]).precomputed(Precomputed::Affinity).unwrap();
        assert_eq!(weights(&chain.select_rows(&[2, 1])), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(weights(&chain.with_absent(&[false, false, true]).unwrap())[1], 0.5);
        assert_eq!(chain.with_absent(&[false, true, false]).unwrap().affinity().unwrap().nnz(), 0);
        let unknown =
            square(&[1.0, 0.5, NAN, 0.5, 1.0, NAN, NAN, NAN, NAN]).precomputed(Precomputed::Affinity).unwrap();
        assert_eq!((unknown.absent().unwrap(), unknown.known().data.rows()), (&[false, false, true][..], 2));
    }

    #[test]
    fn scaling_and_noise_leave_affinities_alone() {
        let graph = square(&[1.0, 0.5, 0.0, 0.5, 1.0, 1.0, 0.0, 1.0, 1.0]).precomputed(Precomputed::Affinity).unwrap();
        let features = View::new("x", Dense::from_fn(3, 2, |i, j| (3 * i + j) as f64));
        let views = Views::new(vec![graph.clone(), features]).unwrap();
        for mode in [CorruptionMode::Replace, CorruptionMode::Add, CorruptionMode::Lose] {
            let noise = Corruption { fraction: 1.0, mode, ..Corruption::default() };
            let changed = views.compacted().scaled(Scale::Zscore).unwrap().corrupted(&noise).unwrap();
            assert_eq!(weights(changed.named("g").unwrap()), weights(&graph));
            assert!(changed.named("g").unwrap().absent().is_none());
        }
        assert!(views.has_affinities());
    }

    #[test]
    fn distances_of_features_give_the_graph_of_the_features() {
        let points = Dense::from_fn(60, 3, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64);
        let view = View::new("x", points);
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        let others = |i: usize| (0..60).filter(move |&j| j != i);
        let lists: Vec<Vec<(u32, f64)>> =
            (0..60).map(|i| others(i).map(|j| (j as u32, distance.between(i, j).sqrt())).collect()).collect();
        let given = weights_of_distances(&lists).unwrap().to_dense();
        let made = GraphSettings::default().build(&distance, &Exact, &Run::default()).unwrap().weights().to_dense();
        let worst = given.data().iter().zip(made.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
    }

    #[test]
    fn lists_of_any_length_and_equal_samples() {
        let weights = weights_of_distances(&[vec![(1, 0.0)], vec![(0, 0.0), (2, 2.0)], vec![]]).unwrap();
        assert_eq!(weights.row(0), (&[1][..], &[1.0][..]));
        // 2 is known to 1 only, at its own scale; 2 has none
        assert_eq!(weights.row(2).0, [1]);
    }
}
