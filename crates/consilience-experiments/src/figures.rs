//! What figures are drawn from, as plain numbers. Three of them come from results in short (parameter study, score over
//! noise, ranks: see [`crate::leaderboard::Ranking`]), two from what runs keep when the plan asks for it.

use std::path::Path;

use consilience::data::write_atomically;
use consilience::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::Metric;
use crate::record::{BlockAffinity, Outcome, Record, TracePoint};
use crate::rows::Row;
use crate::summary::Summary;

/// A parameter study: the mean score at every point of a grid of two parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterGrid {
    /// Values of the first parameter, ascending: the columns.
    pub x: Vec<f64>,
    /// Values of the second parameter, ascending: the rows.
    pub y: Vec<f64>,
    /// Mean scores, a row per value of the second parameter; none where there is no run.
    pub mean: Vec<Vec<Option<f64>>>,
}

/// A score over the share of noise, for one method.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseCurve {
    /// The method.
    pub label: String,
    /// Share, mean and spread over draws, by ascending share.
    pub points: Vec<(f64, f64, Option<f64>)>,
}

/// What a run kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The data set.
    pub set: String,
    /// The condition.
    pub noise: Option<crate::job::NoiseJob>,
    /// The method.
    pub label: String,
    /// Draw of the noise.
    pub draw: u64,
    /// Seed of the method.
    pub seed: u64,
    /// Its convergence, a point per iteration.
    pub trace: Vec<TracePoint>,
    /// Its consensus affinity in the order of the classes.
    pub affinity: Option<BlockAffinity>,
}

/// The mean score over the grid of the parameters `x` and `y`, on one set under one condition. Rows that do not set both
/// are left out.
pub fn parameter_grid(rows: &[Row], set: &str, condition: &str, metric: Metric, x: &str, y: &str) -> ParameterGrid {
    let summary = Summary::new(rows);
    let mut points: Vec<(f64, f64, f64)> = Vec::new();
    for label in &summary.labels {
        let Some(cell) = summary.cell(set, condition, label) else { continue };
        let value = |name| cell.example.as_ref().and_then(|row| parameter(row, name));
        if let (Some(x), Some(y), Some(estimate)) = (value(x), value(y), cell.estimate(metric)) {
            points.push((x, y, estimate.mean));
        }
    }
    let axis = |pick: fn(&(f64, f64, f64)) -> f64| {
        let mut values: Vec<f64> = points.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (x, y) = (axis(|point| point.0), axis(|point| point.1));
    let at = |x: f64, y: f64| points.iter().find(|point| point.0 == x && point.1 == y).map(|point| point.2);
    let mean = y.iter().map(|&y| x.iter().map(|&x| at(x, y)).collect()).collect();
    ParameterGrid { x, y, mean }
}

/// The number that a row's parameters give to `name`.
fn parameter(row: &Row, name: &str) -> Option<f64> {
    let pairs = row.parameters.split(' ').filter_map(|word| word.split_once('='));
    pairs.into_iter().find(|(key, _)| *key == name)?.1.parse().ok()
}

/// The score over the share of noise of one mode, a curve per method; clean data are at 0.
pub fn over_noise(rows: &[Row], set: &str, mode: &str, metric: Metric) -> Vec<NoiseCurve> {
    let of_mode: Vec<Row> =
        rows.iter().filter(|row| row.set == set && (row.noise == 0.0 || row.mode == mode)).cloned().collect();
    let summary = Summary::new(&of_mode);
    let curve = |label: &String| {
        let mut points: Vec<(f64, f64, Option<f64>)> = summary
            .conditions
            .iter()
            .filter_map(|condition| {
                let cell = summary.cell(set, condition, label)?;
                let estimate = cell.estimate(metric)?;
                Some((cell.example.as_ref()?.noise, estimate.mean, estimate.spread))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        NoiseCurve { label: label.clone(), points }
    };
    summary.labels.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

/// What `records` kept, in their order.
pub fn kept(records: &[&Record]) -> Vec<Kept> {
    let keep = |record: &&Record| match &record.outcome {
        Outcome::Done(done) if !done.trace.is_empty() || done.affinity.is_some() => Some(Kept {
            set: record.data.name.clone(),
            noise: record.noise.clone(),
            label: record.label.clone(),
            draw: record.draw,
            seed: record.seed,
            trace: done.trace.clone(),
            affinity: done.affinity.clone(),
        }),
        _ => None,
    };
    records.iter().filter_map(keep).collect()
}

/// Writes what runs kept, to be committed beside the results in short.
///
/// # Errors
/// When the file cannot be written.
pub fn write_kept(path: &Path, kept: &[Kept]) -> Result<()> {
    write_atomically(path, |file| {
        // a line per run, so that a change of one run is a change of one line
        writeln!(file, "[")?;
        for (at, run) in kept.iter().enumerate() {
            let comma = if at + 1 < kept.len() { "," } else { "" };
            writeln!(file, "{}{comma}", serde_json::to_string(run)?)?;
        }
        writeln!(file, "]")
    })
}

/// Reads what runs kept.
///
/// # Errors
/// When the file cannot be read or is not what [`write_kept`] wrote.
pub fn read_kept(path: &Path) -> Result<Vec<Kept>> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
    serde_json::from_slice(&bytes).map_err(|error| Error::format(path, error.to_string()))
}
