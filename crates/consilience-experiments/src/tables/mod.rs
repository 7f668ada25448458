//! Tables from results: scores by method and data set, for people (Markdown), papers (LaTeX) and programs (CSV).
//!
//! Nothing here depends on how long runs took: the same results give the same bytes.

mod latex;
mod long;
pub(crate) mod markdown;
mod score;
mod timings;

use std::path::Path;

use consilience::data::write_atomically;
use consilience::{Error, Result};

pub use score::{Entry, Lead, ScoreTable};

use crate::draw;
use crate::figures::Kept;
use crate::leaderboard::Ranking;
use crate::paper::PaperNumbers;
use crate::rows::Row;
use crate::summary::Summary;
use crate::{Metric, leaderboard};

/// Everything that heads and fills a plan's tables.
pub struct Report<'a> {
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

/// Writes `tables.md`, `tables.csv`, `tables.tex`, `leaderboard.md` and `timings.md`, and figures beside them.
///
/// # Errors
/// When one of them cannot be written.
pub fn write(folder: &Path, report: &Report<'_>) -> Result<()> {
    let summary = Summary::new(report.rows);
    let tables = score_tables(&summary, report);
    let rankings = rankings(&summary, report.metrics);
    std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    let file = |name: &str, text: String| write_atomically(&folder.join(name), |file| file.write_all(text.as_bytes()));
    file("tables.md", markdown::page(report.title, &tables))?;
    file("tables.tex", latex::page(report.title, &tables))?;
    file("tables.csv", long::page(&summary, report.metrics, &tables))?;
    file("leaderboard.md", leaderboard::page(report.title, &rankings))?;
    file("timings.md", timings::page(report.title, &summary))?;
    draw::write(&folder.join("figures"), &draw::all(report.rows, report.kept))
}

fn score_tables(summary: &Summary, report: &Report<'_>) -> Vec<ScoreTable> {
    let table = |condition: &String, metric: &Metric| ScoreTable::new(summary, condition, *metric, report.paper);
    summary
        .conditions
        .iter()
        .flat_map(|condition| report.metrics.iter().map(move |metric| table(condition, metric)))
        .collect()
}

fn rankings(summary: &Summary, metrics: &[Metric]) -> Vec<Ranking> {
    let pairs = summary.conditions.iter().flat_map(|condition| metrics.iter().map(move |metric| (condition, *metric)));
    pairs.map(|(condition, metric)| Ranking::new(summary, condition, metric)).collect()
}
