//! How well predicted clusters match known classes. Every score is read from one [`Contingency`] table; labels are
//! names, so no score changes when they are renamed or the samples reordered.
//!
//! The scores go by name: one enum, and [`Scores`] indexed by it. A new metric is a variant of it with its title and its
//! function; tables, files, the command line, the report and Python read [`Metric::ALL`].

mod accuracy;
mod contingency;

pub(crate) use accuracy::pairing;
pub use accuracy::{accuracy, purity};
pub use contingency::{Cell, Contingency, ami, ari, fscore, nmi};

use std::ops::Index;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::labels::number_by_first_appearance;
use crate::{Error, Result, choice};

/// All scores of `predicted` labels against the `truth`, sample by sample.
///
/// # Errors
/// When there are no labels, or not as many of one as of the other.
///
/// # Examples
/// ```
/// let scores = consilience::metrics::score(&[1_usize, 1, 0, 0], &[0_u32, 0, 1, 1])?;
/// assert_eq!(scores[consilience::metrics::Metric::Acc], 1.0);
/// # Ok::<(), consilience::Error>(())
/// ```
pub fn score<P: Copy + Ord, T: Copy + Ord>(predicted: &[P], truth: &[T]) -> Result<Scores> {
    let table = Contingency::new(predicted, truth)?;
    if table.samples() == 0 {
        return Err(Error::data("there are 0 predicted labels and 0 true ones: nothing to score"));
    }
    Ok(Scores::from(&table))
}

/// The labels `found`, renamed to those of `expected` that they share most samples with, each name used once; a cluster
/// for which no name is left has none.
///
/// # Errors
/// When there are not as many of one as of the other.
pub fn matched(found: &[usize], expected: &[usize]) -> Result<Vec<Option<usize>>> {
    let (mut rows, mut columns) = (found.to_vec(), expected.to_vec());
    number_by_first_appearance(&mut rows);
    let names = number_by_first_appearance(&mut columns);
    let table = Contingency::new(&rows, &columns)?;
    let pairs = pairing(table.row_sums().len(), table.column_sums().len(), table.cells());
    Ok(rows.iter().map(|&row| pairs[row].map(|column| names[column])).collect())
}

/// Normalised mutual information between every two clusterings of the same samples: a square table, 1 on the diagonal.
///
/// # Errors
/// When they are not of equally many samples.
pub fn pairwise_nmi(clusterings: &[Vec<usize>]) -> Result<Vec<Vec<f64>>> {
    let row = |a: &Vec<usize>| clusterings.iter().map(|b| Ok(nmi(&Contingency::new(a, b)?))).collect();
    clusterings.iter().map(row).collect()
}

/// The same for clusterings that do not know every sample, over the samples that both know; 0 when these are none.
pub(crate) fn pairwise_nmi_of_known(clusterings: &[Vec<Option<usize>>]) -> Result<Vec<Vec<f64>>> {
    let pair = |a: &Vec<Option<usize>>, b: &Vec<Option<usize>>| {
        let (a, b): (Vec<usize>, Vec<usize>) = a.iter().zip(b).filter_map(|(&a, &b)| a.zip(b)).unzip();
        if a.is_empty() { Ok(0.0) } else { Ok(nmi(&Contingency::new(&a, &b)?)) }
    };
    clusterings.iter().map(|a| clusterings.iter().map(|b| pair(a, b)).collect()).collect()
}

choice! {
    /// A score of predicted clusters against known classes; 1 is perfect.
    pub enum Metric {
        /// Accuracy under the best one-to-one assignment of clusters to classes.
        Acc = "acc",
        /// Normalised mutual information, geometric mean.
        Nmi = "nmi",
        /// Adjusted Rand index.
        Ari = "ari",
        /// Share of samples in their cluster's majority class.
        Purity = "purity",
        /// F-score over pairs of samples put together.
        Fscore = "fscore",
    }
}

const COUNT: usize = Metric::ALL.len();

impl Metric {
    /// Its name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::Acc => "ACC",
            Self::Nmi => "NMI",
            Self::Ari => "ARI",
            Self::Purity => "purity",
            Self::Fscore => "F-score",
        }
    }

    /// Its value, read from the counts of clusters and classes.
    pub fn of(self, counts: &Contingency) -> f64 {
        match self {
            Self::Acc => accuracy(counts),
            Self::Nmi => nmi(counts),
            Self::Ari => ari(counts),
            Self::Purity => purity(counts),
            Self::Fscore => fscore(counts),
        }
    }
}

/// The value of every metric, as shares. Results that were written before a metric existed do not know it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scores([Option<f64>; COUNT]);

impl Scores {
    /// The value of `metric`, where it is known.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.0[metric as usize]
    }

    /// Notes the value of `metric`.
    pub fn set(&mut self, metric: Metric, value: f64) {
        self.0[metric as usize] = Some(value);
    }

    /// The metrics that are known, in order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, f64)> {
        Metric::ALL.iter().filter_map(|&metric| Some((metric, self.get(metric)?)))
    }
}

/// NaN for a metric that is not known.
impl Index<Metric> for Scores {
    type Output = f64;

    fn index(&self, metric: Metric) -> &f64 {
        self.0[metric as usize].as_ref().unwrap_or(&f64::NAN)
    }
}

impl From<&Contingency> for Scores {
    fn from(counts: &Contingency) -> Self {
        Metric::ALL.iter().map(|&metric| (metric, metric.of(counts))).collect()
    }
}

impl FromIterator<(Metric, f64)> for Scores {
    fn from_iter<I: IntoIterator<Item = (Metric, f64)>>(values: I) -> Self {
        let mut scores = Self::default();
        values.into_iter().for_each(|(metric, value)| scores.set(metric, value));
        scores
    }
}

/// An object with a field per known metric.
impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (metric, value) in self.iter() {
            map.serialize_entry(metric.name(), &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Scores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(std::collections::HashMap::<Name, f64>::deserialize(deserializer)?
            .into_iter()
            .map(|(Name(metric), value)| (metric, value))
            .collect())
    }
}

/// A metric as the key of a map.
#[derive(PartialEq, Eq, Hash)]
struct Name(Metric);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Metric::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_shared_samples() {
        assert_eq!(matched(&[0, 0, 1, 1], &[5, 5, 3, 3]).unwrap(), [Some(5), Some(5), Some(3), Some(3)]);
        // a third cluster finds no name
        assert_eq!(matched(&[2, 2, 0, 1], &[1, 1, 0, 0]).unwrap()[..3], [Some(1), Some(1), Some(0)]);
        assert_eq!(matched(&[2, 2, 0, 1], &[1, 1, 0, 0]).unwrap()[3], None);
    }

    #[test]
    fn unequal_and_empty_input_are_refused() {
        assert!(score(&[0_usize], &[0_u32, 1]).unwrap_err().to_string().contains("1 predicted labels and 2 true"));
        assert!(score::<usize, u32>(&[], &[]).unwrap_err().to_string().contains("0 predicted labels and 0 true"));
    }

    #[test]
    fn scores_are_an_object_in_json_and_may_lack_a_metric() {
        let scores: Scores = [(Metric::Acc, 0.5), (Metric::Ari, -0.25)].into_iter().collect();
        let json = serde_json::to_value(scores).unwrap();
        assert_eq!(json, serde_json::json!({ "acc": 0.5, "ari": -0.25 }));
        assert_eq!(serde_json::from_value::<Scores>(json).unwrap(), scores);
        assert_eq!((scores[Metric::Acc], scores.get(Metric::Nmi)), (0.5, None));
        assert!(scores[Metric::Nmi].is_nan());
        assert!(serde_json::from_str::<Scores>(r#"{ "accuracy": 1.0 }"#).is_err(), "an unknown name is no metric");
    }

    #[test]
    fn every_metric_of_a_perfect_clustering_is_one() {
        let counts = Contingency::new(&[0_usize, 0, 1, 1], &[5_u32, 5, 3, 3]).unwrap();
        let scores = Scores::from(&counts);
        assert!(Metric::ALL.iter().all(|&metric| (scores[metric] - 1.0).abs() < 1e-12));
        assert_eq!(scores.iter().count(), Metric::ALL.len());
    }
}
