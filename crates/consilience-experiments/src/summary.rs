//! Runs gathered into cells: one per data set, condition and method.

use std::collections::{BTreeMap, HashMap};

use consilience::metrics::{Metric, Scores};

use crate::condition::Condition;
use crate::rows::{Row, Status};
use crate::statistics::{deviation, mean};

/// Results gathered by cell, with names in the order in which the results have them.
#[derive(Default)]
pub struct Summary {
    /// The data sets.
    pub sets: Vec<String>,
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The methods by name.
    pub labels: Vec<String>,
    /// By set and method.
    cells: HashMap<(String, String), Vec<(Condition, ResultCell)>>,
}

/// All runs of one method on one set under one condition.
#[derive(Default, Clone)]
pub struct ResultCell {
    /// The scores of its runs, by draw.
    pub draws: BTreeMap<u64, Vec<Scores>>,
    /// Why runs failed, one entry each.
    pub failures: Vec<String>,
    /// Why there are no data.
    pub absent: Option<String>,
    /// Why the plan has no run for it.
    pub left_out: Option<String>,
    /// Seconds and peak memory in MB of the runs that came to an end.
    pub costs: Vec<(f64, f64)>,
    /// A run of it, for what all its runs share.
    pub example: Option<Row>,
}

/// A mean and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanScore {
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
            let cells = summary.cells.entry((row.set.clone(), row.label.clone())).or_default();
            let at = cells.iter().position(|(known, _)| *known == condition).unwrap_or(cells.len());
            if at == cells.len() {
                cells.push((condition, ResultCell::default()));
            }
            cells[at].1.add(row);
        }
        summary
    }

    /// A cell; none when nothing is known of it.
    pub fn cell(&self, set: &str, condition: Condition, label: &str) -> Option<&ResultCell> {
        let cells = self.cells.get(&(set.to_owned(), label.to_owned()))?;
        cells.iter().find(|(known, _)| *known == condition).map(|(_, cell)| cell)
    }

    /// The mean of a cell, when it has scores.
    pub fn mean(&self, set: &str, condition: Condition, label: &str, metric: Metric) -> Option<f64> {
        self.cell(set, condition, label)?.score(metric).map(|score| score.mean)
    }
}

impl ResultCell {
    fn add(&mut self, row: &Row) {
        match row.status {
            Status::Done => {
                self.draws.entry(row.draw()).or_default().push(row.scores);
                self.costs.push((row.seconds.unwrap_or(0.0), row.peak_mb.unwrap_or(0.0)));
            }
            Status::Absent => self.absent = Some(row.note.clone()),
            Status::LeftOut => self.left_out = Some(row.note.clone()),
            Status::Failed => self.failures.push(row.note.clone()),
        }
        self.example = Some(row.clone());
    }

    /// The score of each draw: the mean over its seeds.
    pub fn by_draw(&self, metric: Metric) -> BTreeMap<u64, f64> {
        let score = |runs: &[Scores]| mean(&runs.iter().filter_map(|run| run.get(metric)).collect::<Vec<_>>());
        self.draws.iter().filter_map(|(draw, runs)| Some((*draw, score(runs)?))).collect()
    }

    /// Mean and spread; none without scores.
    pub fn score(&self, metric: Metric) -> Option<MeanScore> {
        let by_draw: Vec<f64> = self.by_draw(metric).into_values().collect();
        let seeds: Vec<f64> = self.draws.values().flatten().filter_map(|run| run.get(metric)).collect();
        let spread = if by_draw.len() > 1 { deviation(&by_draw) } else { deviation(&seeds) };
        Some(MeanScore { mean: mean(&by_draw)?, spread, draws: by_draw.len(), runs: seeds.len() })
    }

    /// Whether a run came to an end. Its scores may still lack a metric that did not exist then.
    pub fn done(&self) -> bool {
        !self.draws.is_empty()
    }

    /// Runs that were tried.
    pub fn tried(&self) -> usize {
        self.failures.len() + self.draws.values().map(Vec::len).sum::<usize>()
    }
}

fn remember<T: PartialEq + Clone>(known: &mut Vec<T>, new: &T) {
    if !known.contains(new) {
        known.push(new.clone());
    }
}
