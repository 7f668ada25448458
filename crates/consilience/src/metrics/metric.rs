//! The scores by name: one enum, and [`Scores`] indexed by it. A new metric is a variant here with its title and its
//! function; tables, files, the command line, the report and Python read [`Metric::ALL`].

use std::ops::Index;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Contingency, accuracy, ari, fscore, nmi, purity};
use crate::choice;

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
