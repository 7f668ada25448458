//! Tables from results: scores by method and data set, for people (Markdown), papers (LaTeX) and programs (CSV).
//!
//! Nothing here depends on how long runs took: the same results give the same bytes.

mod latex;
pub(crate) mod markdown;
mod score;

use std::io::Write;
use std::path::Path;

use consilience::metrics::Metric;
use consilience::{Error, Result};
use consilience_io::write_atomically;

pub(crate) use score::percent;
pub use score::{Entry, Lead, ScoreTable};

use crate::condition::Condition;
use crate::figures::{self, Kept};
use crate::leaderboard::{self, Ranking};
use crate::paper::PaperNumbers;
use crate::revisions;
use crate::rows::{Row, rounded};
use crate::statistics::mean;
use crate::summary::Summary;
use markdown::grid;

/// Everything that heads and fills a plan's tables.
pub struct TablesInput<'a> {
    /// What the plan is for.
    pub title: &'a str,
    /// The scores to show.
    pub metrics: &'a [Metric],
    /// Published numbers to show beside ours.
    pub paper: &'a PaperNumbers,
    /// The results.
    pub rows: &'a [Row],
    /// What runs kept for figures.
    pub kept: &'a [Kept],
}

/// What is written into a folder, besides figures.
pub const FILES: [&str; 5] = ["tables.md", "tables.tex", "tables.csv", "leaderboard.md", "timings.md"];

/// Refuses a folder in which some of [`FILES`] lie that are not from here: they are all there, or none is.
///
/// # Errors
/// Names the files.
pub fn check_folder(folder: &Path) -> Result<()> {
    let there: Vec<&str> = FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    if there.is_empty() || there.len() == FILES.len() { Ok(()) } else { Err(strange(folder, &there)) }
}

/// Files that would be replaced, and that nobody here wrote.
pub(crate) fn strange(folder: &Path, files: &[&str]) -> Error {
    let what = format!("`{}` holds {}, which consilience did not write", folder.display(), files.join(", "));
    Error::data_with_hint(what, "write into another folder; files of others are never replaced")
}

/// Writes `tables.md`, `tables.csv`, `tables.tex`, `leaderboard.md` and `timings.md`, and figures beside them.
///
/// # Errors
/// When one of them cannot be written.
pub fn write(folder: &Path, input: &TablesInput<'_>) -> Result<()> {
    let summary = Summary::new(input.rows);
    let tables = score_tables(&summary, input);
    let rankings = rankings(&summary, input.metrics);
    std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    let file = |name: &str, text: String| write_atomically(&folder.join(name), |file| file.write_all(text.as_bytes()));
    let stale = stale_note(input.rows);
    file("tables.md", markdown::page(input.title, &stale, &tables))?;
    file("tables.tex", latex::page(input.title, &tables))?;
    write_atomically(&folder.join("tables.csv"), |file| long(csv::Writer::from_writer(file), &summary, &tables))?;
    file("leaderboard.md", leaderboard::page(input.title, &rankings))?;
    file("timings.md", timings(input.title, &summary))?;
    figures::write(&folder.join("figures"), &figures::all(input.rows, input.kept))
}

/// What stands by numbers that this code may not give any more; nothing by current ones.
pub(crate) fn stale_note(rows: &[Row]) -> String {
    let stale = revisions::stale_rows(rows);
    if stale.is_empty() {
        return String::new();
    }
    format!("\n**Made by older code, to be run again**: {}.\n", revisions::listed(&stale))
}

fn score_tables(summary: &Summary, input: &TablesInput<'_>) -> Vec<ScoreTable> {
    let table = |condition: Condition, metric: &Metric| ScoreTable::new(summary, condition, *metric, input.paper);
    summary
        .conditions
        .iter()
        .flat_map(|condition| input.metrics.iter().map(move |metric| table(*condition, metric)))
        .collect()
}

fn rankings(summary: &Summary, metrics: &[Metric]) -> Vec<(Ranking, Option<Ranking>)> {
    let pairs = summary.conditions.iter().flat_map(|condition| metrics.iter().map(move |metric| (condition, *metric)));
    let both = |(&condition, metric): (&Condition, Metric)| {
        (Ranking::new(summary, condition, metric), Ranking::on_common_sets(summary, condition, metric))
    };
    pairs.map(both).collect()
}

/// A line per condition, score, data set and method.
fn long<W: Write>(mut file: csv::Writer<W>, summary: &Summary, tables: &[ScoreTable]) -> std::io::Result<()> {
    file.write_record("condition,metric,set,method,mean,spread,draws,runs,failed,best,p_of_lead,paper".split(','))?;
    let number = |x: Option<f64>| x.map_or(String::new(), |x| rounded(x, 6).to_string());
    for table in tables {
        for (label, entries) in &table.rows {
            for (set, entry) in table.sets.iter().zip(entries) {
                let Some(cell) = summary.cell(set, table.condition, label) else { continue };
                let score = cell.score(table.metric);
                file.write_record([
                    &table.condition.to_string(),
                    table.metric.name(),
                    set,
                    label,
                    &number(score.map(|score| score.mean)),
                    &number(score.and_then(|score| score.spread)),
                    &score.map_or(0, |score| score.draws).to_string(),
                    &score.map_or(0, |score| score.runs).to_string(),
                    &cell.failures.len().to_string(),
                    &entry.best.to_string(),
                    &number(entry.lead.and_then(Lead::p)),
                    entry.paper.as_deref().unwrap_or_default(),
                ])?;
            }
        }
    }
    file.flush()
}

/// Seconds and memory: on a page of their own, because they differ from run to run.
fn timings(title: &str, summary: &Summary) -> String {
    let cell = |set: &str, condition: Condition, label: &str| {
        let Some(cell) = summary.cell(set, condition, label) else { return "-".to_owned() };
        let seconds: Vec<f64> = cell.costs.iter().map(|(seconds, _)| *seconds).collect();
        let memory = cell.costs.iter().map(|(_, mb)| *mb).fold(0.0, f64::max);
        mean(&seconds).map_or("-".to_owned(), |seconds| format!("{seconds:.2} s, {memory:.0} MB"))
    };
    let mut text =
        format!("# {title}: seconds and peak memory\n\nMeans per run; the runs of a bench share the machine.\n");
    let head: Vec<String> = std::iter::once("method".to_owned()).chain(summary.sets.iter().cloned()).collect();
    for &condition in &summary.conditions {
        let row = |label: &String| {
            let cells = summary.sets.iter().map(|set| cell(set, condition, label));
            std::iter::once(label.clone()).chain(cells).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> = summary.labels.iter().map(row).collect();
        text += &format!("\n## {condition}\n\n{}", grid(&head, &rows));
    }
    text
}
