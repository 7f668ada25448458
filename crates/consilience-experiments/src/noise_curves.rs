//! Scores over the share of noise, or of samples lost: a curve per method.

use consilience::CorruptionMode;
use consilience::metrics::Metric;

use crate::condition::Condition;
use crate::rows::Row;
use crate::statistics::mean;
use crate::summary::Summary;

/// A score over the share of noise, for one method.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseCurve {
    /// The method.
    pub label: String,
    /// Share, mean and spread over draws, by ascending share.
    pub points: Vec<(f64, f64, Option<f64>)>,
}

/// The score over the share of noise of one mode, a curve per method; clean data are at 0.
pub fn over_noise(rows: &[Row], set: &str, mode: CorruptionMode, metric: Metric) -> Vec<NoiseCurve> {
    let of_mode = |row: &&Row| row.set == set && row.corruption.is_none_or(|corruption| corruption.mode == mode);
    let summary = Summary::new(&rows.iter().filter(of_mode).cloned().collect::<Vec<_>>());
    let point = |condition: Condition, label: &str| {
        let cell = summary.cell(set, condition, label)?;
        let score = cell.score(metric)?;
        let share = cell.example.as_ref()?.corruption.map_or(0.0, |corruption| corruption.fraction);
        Some((share, score.mean, score.spread))
    };
    let curve = |label: &String| {
        let mut points: Vec<_> = summary.conditions.iter().filter_map(|&condition| point(condition, label)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        NoiseCurve { label: label.clone(), points }
    };
    summary.labels.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

/// The mean of the curves over all sets, of the shares that every set of a method has; without a spread.
pub fn over_sets(rows: &[Row], mode: CorruptionMode, metric: Metric) -> Vec<NoiseCurve> {
    let summary = Summary::new(rows);
    let by_set: Vec<Vec<NoiseCurve>> = summary.sets.iter().map(|set| over_noise(rows, set, mode, metric)).collect();
    let curve = |label: &String| {
        let own: Vec<&NoiseCurve> =
            by_set.iter().filter_map(|curves| curves.iter().find(|curve| curve.label == *label)).collect();
        let at =
            |curve: &NoiseCurve, share: f64| curve.points.iter().find(|point| point.0 == share).map(|point| point.1);
        let shares = own.first().map(|first| first.points.iter().map(|point| point.0)).into_iter().flatten();
        let points = shares.filter_map(|share| {
            let found: Option<Vec<f64>> = own.iter().map(|curve| at(curve, share)).collect();
            Some((share, mean(&found?)?, None))
        });
        NoiseCurve { label: label.clone(), points: points.collect() }
    };
    summary.labels.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}
