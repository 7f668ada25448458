//! What an iterative method found besides the consensus, as data for tables, plots and reports.

use serde::{Deserialize, Deserializer, Serialize};

use crate::matrix::{Dense, Real};

/// What a method reports besides the consensus; empty for methods that have nothing to report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// One row per iteration and view.
    pub trace: Vec<TraceRow>,
    /// How far the views' own clusterings agree, before and after they learned from each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
    /// The graph that was clustered, where there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphFound>,
    /// Corruption found in each view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corruption: Vec<CorruptionFound>,
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
    /// The largest violation of a constraint, relative to the data.
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

/// The graph that a method chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphFound {
    /// Numbers of neighbours at which it was made.
    pub neighbours: Vec<usize>,
    /// Share of the joint graph; the rest are the views' own graphs.
    pub joint_share: f64,
    /// Relaxation gap: 0 when its eigenvectors are already discrete.
    pub gap: f64,
    /// Whether the labels come from the factors, because they cut this graph better than its own eigenvectors.
    pub by_factors: bool,
}

/// Normalised mutual information between the views' own labels, views x views, 1 on the diagonal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Each view alone.
    pub before: Vec<Vec<f64>>,
    /// Each view after the last iteration.
    pub after: Vec<Vec<f64>>,
}

/// What the sparse part E of a view holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorruptionFound {
    /// The view.
    pub view: String,
    /// Share of its entries that are corrupted.
    pub share: f64,
    /// The same by feature.
    pub by_feature: Vec<f64>,
    /// The same by sample; empty when there is none, or when the method does not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_sample: Vec<f64>,
}

impl CorruptionFound {
    /// No corruption in a view of `d` features.
    pub(crate) fn none(view: &str, d: usize) -> Self {
        Self { view: view.to_owned(), share: 0.0, by_feature: vec![0.0; d], by_sample: Vec::new() }
    }

    /// The entries of `E` (n x d) that are not zero.
    pub(crate) fn of<T: Real>(view: &str, corruption: &Dense<T>) -> Self {
        let (n, d) = (corruption.rows(), corruption.cols());
        let mut found = Self { by_sample: vec![0.0; n], ..Self::none(view, d) };
        for (row, by_sample) in corruption.iter_rows().zip(&mut found.by_sample) {
            for (_, by_feature) in row.iter().zip(&mut found.by_feature).filter(|(e, _)| **e != T::default()) {
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
        assert_eq!((found.share, found.by_feature, found.by_sample), (0.5, vec![0.0, 1.0], vec![0.5, 0.5]));
    }
}
