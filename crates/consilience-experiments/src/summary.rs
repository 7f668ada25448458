//! Runs gathered into cells: one per data set, condition and method.

use std::collections::{BTreeMap, HashMap};

use crate::rows::{Row, Status};
use crate::statistics::{deviation, mean};
use crate::{Metric, Scores};

/// Results gathered by cell, with names in the order in which the results have them.
#[derive(Default)]
pub struct Summary {
    /// The data sets.
    pub sets: Vec<String>,
    /// The conditions, from [`Row::condition`].
    pub conditions: Vec<String>,
    /// The methods by name.
    pub labels: Vec<String>,
    cells: HashMap<(String, String, String), Cell>,
}

/// All runs of one method on one set under one condition.
#[derive(Default, Clone)]
pub struct Cell {
    /// The method's id.
    pub method: String,
    /// The scores of its runs, by draw.
    pub draws: BTreeMap<u64, Vec<Scores>>,
    /// Why runs failed, one entry each.
    pub failures: Vec<String>,
    /// Why there are no data.
    pub absent: Option<String>,
    /// Seconds and peak memory in MB of the runs that came to an end.
    pub costs: Vec<(f64, f64)>,
    /// A run of it, for what all its runs share.
    pub example: Option<Row>,
}

/// A mean and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean over draws, seeds averaged within each.
    pub mean: f64,
    /// The standard deviation over draws; over seeds when there is one draw; none for a single run.
    pub spread: Option<f64>,
    /// Number of draws.
    pub draws: usize,
    /// Number of runs.
    pub runs: usize,
}

impl Summary {
    /// Gathers `rows`.
    pub fn new(rows: &[Row]) -> Self {
        let mut summary = Self::default();
        for row in rows {
            let condition = row.condition();
            remember(&mut summary.sets, &row.set);
            remember(&mut summary.conditions, &condition);
            remember(&mut summary.labels, &row.label);
            let cell = summary.cells.entry((row.set.clone(), condition, row.label.clone())).or_default();
            cell.method.clone_from(&row.method);
            match (row.status, row.scores()) {
                (Status::Done, Some(scores)) => {
                    cell.draws.entry(row.draw).or_default().push(scores);
                    cell.costs.push((row.seconds.unwrap_or(0.0), row.peak_mb.unwrap_or(0.0)));
                }
                (Status::Absent, _) => cell.absent = Some(row.note.clone()),
                _ => cell.failures.push(row.note.clone()),
            }
            cell.example = Some(row.clone());
        }
        summary
    }

    /// A cell; none when it was not run.
    pub fn cell(&self, set: &str, condition: &str, label: &str) -> Option<&Cell> {
        self.cells.get(&(set.to_owned(), condition.to_owned(), label.to_owned()))
    }

    /// The mean of a cell, when it has scores.
    pub fn mean(&self, set: &str, condition: &str, label: &str, metric: Metric) -> Option<f64> {
        self.cell(set, condition, label)?.estimate(metric).map(|estimate| estimate.mean)
    }
}

impl Cell {
    /// The score of each draw: the mean over its seeds.
    pub fn by_draw(&self, metric: Metric) -> BTreeMap<u64, f64> {
        let score = |runs: &Vec<Scores>| mean(&runs.iter().map(|scores| metric.of(scores)).collect::<Vec<_>>());
        self.draws.iter().filter_map(|(draw, runs)| Some((*draw, score(runs)?))).collect()
    }

    /// Mean and spread; none without scores.
    pub fn estimate(&self, metric: Metric) -> Option<Estimate> {
        let by_draw: Vec<f64> = self.by_draw(metric).into_values().collect();
        let seeds: Vec<f64> = self.draws.values().flatten().map(|scores| metric.of(scores)).collect();
        let spread = if by_draw.len() > 1 { deviation(&by_draw) } else { deviation(&seeds) };
        Some(Estimate { mean: mean(&by_draw)?, spread, draws: by_draw.len(), runs: seeds.len() })
    }

    /// Runs that were tried.
    pub fn tried(&self) -> usize {
        self.failures.len() + self.draws.values().map(Vec::len).sum::<usize>()
    }
}

fn remember(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
