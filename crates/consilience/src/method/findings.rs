//! What an iterative method found besides the consensus, as data for tables, plots and reports.

use serde::{Deserialize, Deserializer, Serialize};

use crate::denoise::ReplacedShare;
use crate::matrix::{Dense, Real};
use crate::{Error, Result};

/// What a method reports besides the consensus; empty for methods that have nothing to report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Findings {
    /// One row per iteration and view.
    pub trace: Vec<TraceRow>,
    /// How far the views' own clusterings agree, before and after they learned from each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
    /// The samples that each view would have put elsewhere, had it been alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// Corruption found in each view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corruption: Vec<CorruptionFound>,
}

impl Findings {
    /// That they are of the views whose `features` are known, and of `n` samples.
    ///
    /// # Errors
    /// Names what is not.
    pub(crate) fn check(&self, n: usize, features: &dyn Fn(&str) -> Option<usize>) -> Result<()> {
        let square = |matrix: &Vec<Vec<f64>>| matrix.iter().all(|row| row.len() == matrix.len());
        let agreement = |found: &Agreement| square(&found.before) && square(&found.after);
        let disagreement = |found: &Disagreement| {
            features(&found.view).is_some() && found.count <= n && found.samples.iter().all(|sample| *sample < n)
        };
        let corruption = |found: &CorruptionFound| {
            let by_sample = found.by_sample.is_empty() || found.by_sample.len() == n;
            by_sample
                && features(&found.view).is_some_and(|d| found.by_feature.is_empty() || found.by_feature.len() == d)
        };
        let checks = [
            ("agreement", self.agreement.as_ref().is_none_or(agreement)),
            ("disagreements", self.disagreements.iter().all(disagreement)),
            ("corruption", self.corruption.iter().all(corruption)),
        ];
        match checks.iter().find(|(_, right)| !right) {
            Some((name, _)) => Err(Error::data(format!("`findings.{name}` is of samples or views that there are not"))),
            None => Ok(()),
        }
    }
}

/// One step of an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// Counted from 1.
    pub iteration: usize,
    /// The view that was updated.
    pub view: String,
    /// The view's term of the objective.
    #[serde(deserialize_with = "number_or_null")]
    pub objective: f64,
    /// The largest violation of a constraint, relative to the data; or the distance from the consensus, where agreement is
    /// no constraint.
    #[serde(deserialize_with = "number_or_null")]
    pub residual: f64,
    /// Change of the view's factor, relative to its norm.
    #[serde(deserialize_with = "number_or_null")]
    pub change: f64,
}

/// JSON has no word for numbers that are not finite and writes them as null: a diverged run must stay readable.
fn number_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Normalised mutual information between the views' own labels, views x views, 1 on the diagonal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Each view alone.
    pub before: Vec<Vec<f64>>,
    /// Each view after the last iteration.
    pub after: Vec<Vec<f64>>,
    /// The same of every view with the labels of the run, where the method tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_consensus: Option<ConsensusAgreement>,
}

/// Normalised mutual information of every view's own labels with those of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsensusAgreement {
    /// Each view alone.
    pub before: Vec<f64>,
    /// Each view after the last iteration.
    pub after: Vec<f64>,
}

/// What a view would have decided otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Disagreement {
    /// The view.
    pub view: String,
    /// How many samples it would have put into another cluster, of those it knows.
    pub count: usize,
    /// Which; empty when there is none, or when only the numbers are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<usize>,
}

/// What the sparse part E of a view holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CorruptionFound {
    /// The view.
    pub view: String,
    /// Share of its entries that are corrupted.
    pub share: f64,
    /// Where the true share is likely to be, when `share` is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
    /// The same by feature.
    pub by_feature: Vec<f64>,
    /// The same by sample; empty when there is none, or when the method does not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_sample: Vec<f64>,
}

impl CorruptionFound {
    /// No corruption in a view of `d` features.
    pub(crate) fn none(view: &str, d: usize) -> Self {
        Self { view: view.to_owned(), share: 0.0, range: None, by_feature: vec![0.0; d], by_sample: Vec::new() }
    }

    /// The entries of `E` (n x d) that are not zero.
    pub(crate) fn of<T: Real>(view: &str, corruption: &Dense<T>) -> Self {
        Self::beyond(view, corruption, 0.0)
    }

    /// The largest entries of `E` (n x d), a `share` of all, estimated: what a split with a small weight leaves in `E` besides is
    /// the noise of every entry.
    pub(crate) fn largest(view: &str, corruption: &Dense<f64>, share: f64) -> Self {
        let mut sizes: Vec<f64> = corruption.data().iter().map(|e| e.abs()).collect();
        let smaller = ((1.0 - share) * sizes.len() as f64) as usize;
        if smaller >= sizes.len() {
            return Self::none(view, corruption.cols());
        }
        let bound = *sizes.select_nth_unstable_by(smaller, f64::total_cmp).1;
        let found = Self::beyond(view, corruption, bound.next_down().max(0.0));
        Self { range: Some(ReplacedShare::range(found.share)), ..found }
    }

    /// The entries of `E` (n x d) of more than a size.
    fn beyond<T: Real>(view: &str, corruption: &Dense<T>, size: f64) -> Self {
        let (n, d) = (corruption.rows(), corruption.cols());
        let mut found = Self { by_sample: vec![0.0; n], ..Self::none(view, d) };
        for (row, by_sample) in corruption.iter_rows().zip(&mut found.by_sample) {
            for (_, by_feature) in row.iter().zip(&mut found.by_feature).filter(|(e, _)| e.to_f64().abs() > size) {
                *by_sample += 1.0 / d as f64;
                *by_feature += 1.0 / n as f64;
            }
        }
        found.share = found.by_feature.iter().sum::<f64>() / d.max(1) as f64;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corruption_is_counted_by_feature_and_by_sample() {
        let found = CorruptionFound::of("a", &Dense::new(2, 2, vec![0.0_f64, 3.0, 0.0, -1.0]).unwrap());
        assert_eq!((found.share, &found.by_feature, &found.by_sample), (0.5, &vec![0.0, 1.0], &vec![0.5, 0.5]));
        let entries = Dense::new(2, 2, vec![0.5, 3.0, 0.2, -1.0]).unwrap();
        assert_eq!(found.range, None, "counted, not estimated");
        let largest = CorruptionFound::largest("a", &entries, 0.5);
        assert_eq!((largest.by_feature, largest.range), (vec![0.0, 1.0], Some(ReplacedShare::range(0.5))));
        assert_eq!(CorruptionFound::largest("a", &entries, 0.25).by_sample, [0.5, 0.0]);
        assert_eq!(CorruptionFound::largest("a", &entries, 0.0).share, 0.0);
        assert_eq!(CorruptionFound::largest("a", &Dense::zeros(2, 2), 0.5).share, 0.0);
    }
}
