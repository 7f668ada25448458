//! One table: methods by data sets, one score under one condition, before it has any form.

use std::collections::BTreeMap;

use consilience::metrics::Metric;

use crate::condition::Condition;
use crate::paper::PaperNumbers;
use crate::statistics::{FEWEST_PAIRS, wilcoxon};
use crate::summary::{ResultCell, Summary};

/// A lead is called significant below this.
const LEVEL: f64 = 0.05;

/// Scores of methods (rows) on data sets (columns).
pub struct ScoreTable {
    /// The condition.
    pub condition: Condition,
    /// The score.
    pub metric: Metric,
    /// The data sets.
    pub sets: Vec<String>,
    /// The methods with their entries, one per set.
    pub rows: Vec<(String, Vec<Entry>)>,
    /// What is said below the table.
    pub notes: Vec<String>,
}

/// One cell of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The mean in %, as shown; a word when there is none.
    pub text: String,
    /// The spread, as shown.
    pub spread: Option<String>,
    /// The published number.
    pub paper: Option<String>,
    /// Whether no mean shown in its column is larger.
    pub best: bool,
    /// What is known of the lead of the best.
    pub lead: Option<Lead>,
    /// Number of the note about it, counted from 1.
    pub note: Option<usize>,
}

/// What is known of a lead over the next best method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lead {
    /// Too few draws to say.
    Unknown,
    /// The p-value of the paired test.
    Tested(f64),
}

impl Lead {
    /// Whether the lead is beyond chance.
    pub fn significant(self) -> bool {
        self.p().is_some_and(|p| p < LEVEL)
    }

    /// The p-value of the test, where there was one.
    pub fn p(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Tested(p) => Some(p),
        }
    }
}

impl ScoreTable {
    /// The table of `metric` under `condition`.
    pub fn new(summary: &Summary, condition: Condition, metric: Metric, paper: &PaperNumbers) -> Self {
        let present = |label: &&String| summary.sets.iter().any(|set| summary.cell(set, condition, label).is_some());
        let labels: Vec<&String> = summary.labels.iter().filter(present).collect();
        let mut notes = Vec::new();
        let mut rows: Vec<(String, Vec<Entry>)> =
            labels.iter().map(|label| ((*label).clone(), Vec::with_capacity(summary.sets.len()))).collect();
        for set in &summary.sets {
            let cells: Vec<Option<&ResultCell>> =
                labels.iter().map(|label| summary.cell(set, condition, label)).collect();
            let mut entries: Vec<Entry> = cells.iter().map(|cell| entry(*cell, metric)).collect();
            mark_best(&mut entries, &cells, metric);
            for ((label, row), (mut entry, cell)) in rows.iter_mut().zip(entries.into_iter().zip(cells)) {
                entry.paper = paper.find(metric, set, label).map(str::to_owned);
                if let Some(note) = cell.and_then(|cell| note(cell, set, label)) {
                    notes.push(note);
                    entry.note = Some(notes.len());
                }
                row.push(entry);
            }
        }
        Self { condition, metric, sets: summary.sets.clone(), rows, notes }
    }

    /// Whether any cell satisfies `test`.
    pub fn any(&self, test: impl Fn(&Entry) -> bool) -> bool {
        self.rows.iter().any(|(_, entries)| entries.iter().any(&test))
    }
}

fn entry(cell: Option<&ResultCell>, metric: Metric) -> Entry {
    let Some(cell) = cell else { return Entry { text: "not run".to_owned(), ..Entry::default() } };
    if let Some(score) = cell.score(metric) {
        return Entry { text: percent(score.mean), spread: score.spread.map(percent), ..Entry::default() };
    }
    let text = match (&cell.absent, &cell.left_out) {
        (Some(_), _) => "no data",
        // its runs are from before the metric existed
        _ if cell.done() => "unknown",
        (_, Some(why)) => why,
        _ => "failed",
    };
    Entry { text: text.to_owned(), ..Entry::default() }
}

/// What the note below the table says of a cell, when something must be said.
fn note(cell: &ResultCell, set: &str, label: &str) -> Option<String> {
    if let Some(why) = &cell.absent {
        return Some(format!("{set}: {why}"));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    cell.failures.iter().for_each(|why| *counts.entry(why).or_default() += 1);
    let why: Vec<String> = counts.iter().map(|(why, count)| format!("{why} ({count})")).collect();
    let failed = cell.failures.len();
    (failed > 0).then(|| format!("{label} on {set}: {failed} of {} runs failed: {}", cell.tried(), why.join("; ")))
}

/// Marks the largest mean as shown, all of them when several show the same, and tests the lead of a single one.
fn mark_best(entries: &mut [Entry], cells: &[Option<&ResultCell>], metric: Metric) {
    let mut order: Vec<(usize, f64)> =
        cells.iter().enumerate().filter_map(|(at, cell)| Some((at, cell.as_ref()?.score(metric)?.mean))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let Some(&(first, _)) = order.first().filter(|_| order.len() > 1) else { return };
    let shown = entries[first].text.clone();
    order.iter().for_each(|&(at, _)| entries[at].best = entries[at].text == shown);
    let leaders = entries.iter().filter(|entry| entry.best).count();
    if let (1, Some(a), Some(b)) = (leaders, cells[first], cells[order[1].0]) {
        entries[first].lead = Some(lead(a, b, metric));
    }
}

/// The paired test over the draws that both methods have.
fn lead(best: &ResultCell, next: &ResultCell, metric: Metric) -> Lead {
    let (best, next) = (best.by_draw(metric), next.by_draw(metric));
    let differences: Vec<f64> = best.iter().filter_map(|(draw, score)| Some(score - next.get(draw)?)).collect();
    if differences.len() < FEWEST_PAIRS {
        return Lead::Unknown;
    }
    // too few of the draws differ at all: the test then has nothing to hold on to, and the lead is not beyond chance
    Lead::Tested(wilcoxon(&differences).unwrap_or(1.0))
}

/// A share as a percentage with one digit.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    if text == "-0.0" { "0.0".to_owned() } else { text }
}
