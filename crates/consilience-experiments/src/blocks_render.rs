//! What blocks show.

use std::path::Path;

use consilience::method::DEFAULT_METHOD;
use consilience::metrics::Metric;
use consilience::parameters::ParameterInfo;
use consilience::{CorruptionMode, Error, MethodInfo, Result};

use crate::blocks::{Across, Request, ResultsBlock};
use crate::condition::Condition;
use crate::leaderboard::{self, Ranking};
use crate::noise_curves::{over_noise, over_sets};
use crate::paper::PaperNumbers;
use crate::rows::Row;
use crate::statistics::mean;
use crate::summary::Summary;
use crate::tables::markdown::{grid, scores, words};
use crate::tables::{ScoreTable, percent};

/// The content of a block of results: a table on lines of its own, or a number.
pub(crate) fn render(kind: ResultsBlock, request: &Request<'_>) -> Result<String> {
    let table = match kind {
        ResultsBlock::Value => return value(request),
        ResultsBlock::Scores => score_table(request),
        ResultsBlock::Pairs => pairs(request),
        ResultsBlock::Headline => headline(request),
        ResultsBlock::Ranks => ranks(request),
        ResultsBlock::Noise => noise(request),
        ResultsBlock::Ablation => ablation(request),
        ResultsBlock::Cell | ResultsBlock::Facts | ResultsBlock::Parameters => {
            Err(Error::data(format!("`{kind}` shows no results of runs")))
        }
    };
    table.map(|table| format!("\n{table}"))
}

/// A method's parameters.
pub(crate) fn parameters(info: &MethodInfo) -> String {
    let head = ["name", "letter", "default", "allowed", "what it does"].map(str::to_owned);
    let row = |row: ParameterInfo| {
        vec![format!("`{}`", row.name), row.symbol.to_owned(), row.typed_default(), row.allowed(), row.doc]
    };
    words(&head, &(info.parameters)().into_iter().map(row).collect::<Vec<_>>())
}

fn metric(request: &Request<'_>) -> Result<Metric> {
    request.read("metric", Metric::Acc)
}

fn condition(request: &Request<'_>) -> Result<Condition> {
    request.read("noise", Condition::Clean)
}

/// One score in %, or several as `ACC / NMI`: of one set, or the mean over sets that have it.
fn value(request: &Request<'_>) -> Result<String> {
    request.expect(&["set", "method", "metric", "noise"])?;
    let (label, set, noise) = (request.option("method", ""), request.option("set", ""), condition(request)?);
    let summary = Summary::new(request.rows);
    let named: Vec<&String> = summary.sets.iter().filter(|name| set.is_empty() || *name == set).collect();
    let place = if set.is_empty() { "any set" } else { set };
    let score = |metric: Metric| {
        let found: Vec<f64> = named.iter().filter_map(|set| summary.mean(set, noise, label, metric)).collect();
        let score = mean(&found).map(percent);
        score.ok_or_else(|| Error::data(format!("there is no score of {label} on {place}, {noise}")))
    };
    let scores = request.list("metric", [Metric::Acc])?.into_iter().map(score);
    Ok(scores.collect::<Result<Vec<_>>>()?.join(" / "))
}

fn score_table(request: &Request<'_>) -> Result<String> {
    request.expect(&["metric", "noise"])?;
    let summary = Summary::new(request.rows);
    Ok(scores(&ScoreTable::new(&summary, condition(request)?, metric(request)?, &PaperNumbers::default())))
}

/// `ACC / NMI` in %, rows of one method or of all, by sets and conditions; `across=sets` turns it, for many sets.
fn pairs(request: &Request<'_>) -> Result<String> {
    request.expect(&["method", "across"])?;
    let method = request.option("method", "");
    let rows: Vec<Row> = request.rows.iter().filter(|row| method.is_empty() || row.method == method).cloned().collect();
    Ok(pairs_table(&Summary::new(&rows), request.read("across", Across::Methods)?))
}

/// `ACC / NMI` in %: methods by sets and conditions, or the other way round.
pub(crate) fn pairs_table(summary: &Summary, across: Across) -> String {
    let places = summary.sets.iter().flat_map(|set| summary.conditions.iter().map(move |condition| (set, *condition)));
    let places: Vec<_> = places
        .filter(|(set, condition)| summary.labels.iter().any(|label| summary.cell(set, *condition, label).is_some()))
        .collect();
    let cell = |label: &String, (set, condition): &(&String, Condition)| {
        let of = |metric| summary.mean(set, *condition, label, metric);
        match of(Metric::Acc).zip(of(Metric::Nmi)) {
            Some((acc, nmi)) => format!("{} / {}", percent(acc), percent(nmi)),
            None => {
                let why = summary.cell(set, *condition, label).and_then(|cell| cell.left_out.clone());
                why.unwrap_or_else(|| "-".to_owned())
            }
        }
    };
    let named = |name: String, cells: Vec<String>| std::iter::once(name).chain(cells).collect::<Vec<String>>();
    let title = |(set, condition): &(&String, Condition)| format!("{set}, {condition}");
    if across == Across::Sets {
        let row = |place| named(title(place), summary.labels.iter().map(|label| cell(label, place)).collect());
        grid(&named(String::new(), summary.labels.clone()), &places.iter().map(row).collect::<Vec<_>>())
    } else {
        let row = |label: &String| named(label.clone(), places.iter().map(|place| cell(label, place)).collect());
        let head = named(String::new(), places.iter().map(title).collect());
        grid(&head, &summary.labels.iter().map(row).collect::<Vec<_>>())
    }
}

fn ranks(request: &Request<'_>) -> Result<String> {
    request.expect(&["metric", "noise"])?;
    let summary = Summary::new(request.rows);
    Ok(leaderboard::markdown(&Ranking::new(&summary, condition(request)?, metric(request)?)))
}

/// Mean score and mean rank of every ranked method, by several scores at once.
fn headline(request: &Request<'_>) -> Result<String> {
    request.expect(&["metrics", "noise"])?;
    let summary = Summary::new(request.rows);
    let (metrics, noise) = (request.list("metrics", [Metric::Acc, Metric::Nmi])?, condition(request)?);
    Ok(headline_table(&metrics.iter().map(|metric| Ranking::new(&summary, noise, *metric)).collect::<Vec<_>>()))
}

/// Mean score and mean rank by method, in the order of the first ranking.
pub(crate) fn headline_table(rankings: &[Ranking]) -> String {
    let mut head = vec!["method".to_owned()];
    for ranking in rankings {
        head.extend([format!("mean {} %", ranking.metric.title()), format!("mean rank by {}", ranking.metric.title())]);
    }
    let best = |ranking: &Ranking| ranking.methods.iter().map(|method| method.rank).fold(f64::INFINITY, f64::min);
    let row = |label: &String| {
        let mut cells = vec![label.clone()];
        for ranking in rankings {
            let Some(place) = ranking.methods.iter().find(|method| method.label == *label) else { continue };
            let rank = format!("{:.2}", place.rank);
            cells.push(place.score.map_or("-".to_owned(), percent));
            cells.push(if place.rank == best(ranking) { format!("**{rank}**") } else { rank });
        }
        cells
    };
    let rows: Vec<Vec<String>> = rankings
        .first()
        .map(|first| first.methods.iter().map(|method| row(&method.label)).collect())
        .unwrap_or_default();
    grid(&head, &rows)
}

/// Methods by share of noise, on one set or in the mean over all.
fn noise(request: &Request<'_>) -> Result<String> {
    request.expect(&["set", "mode", "metric"])?;
    let mode = request.read("mode", CorruptionMode::Replace)?;
    let curves = match request.option("set", "digits") {
        "all" => over_sets(request.rows, mode, metric(request)?),
        set => over_noise(request.rows, set, mode, metric(request)?),
    };
    let mut shares: Vec<f64> = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0)).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    let head: Vec<String> = std::iter::once("method".to_owned())
        .chain(shares.iter().map(|share| format!("{:.0} %", 100.0 * share)))
        .collect();
    let rows: Vec<Vec<String>> = curves
        .iter()
        .map(|curve| {
            let cells = shares.iter().map(|share| {
                let point = curve.points.iter().find(|point| point.0 == *share);
                point.map_or("-".to_owned(), |(_, mean, spread)| {
                    let spread = spread.map_or(String::new(), |spread| format!(" ± {}", percent(spread)));
                    percent(*mean) + &spread
                })
            });
            std::iter::once(curve.label.clone()).chain(cells).collect()
        })
        .collect();
    Ok(grid(&head, &rows))
}

/// Every variant's mean over sets, and what it loses against the whole.
fn ablation(request: &Request<'_>) -> Result<String> {
    request.expect(&["base", "noise"])?;
    let summary = Summary::new(request.rows);
    let (base, noise) = (request.option("base", DEFAULT_METHOD), condition(request)?);
    let over_sets = |label: &str, metric: Metric| {
        let found: Vec<f64> = summary.sets.iter().filter_map(|set| summary.mean(set, noise, label, metric)).collect();
        mean(&found).map(|score| (100.0 * score, found.len()))
    };
    let head = ["variant", "sets", "mean ACC %", "change", "mean NMI %", "change"].map(str::to_owned);
    let mut rows = Vec::new();
    for label in &summary.labels {
        let Some((_, sets)) = over_sets(label, Metric::Acc) else { continue };
        let mut cells = vec![label.clone(), sets.to_string()];
        for metric in [Metric::Acc, Metric::Nmi] {
            let (own, whole) = (over_sets(label, metric), over_sets(base, metric));
            cells.push(own.map_or("-".to_owned(), |own| format!("{:.1}", own.0)));
            let change = own.zip(whole).filter(|_| label != base).map(|(own, whole)| own.0 - whole.0);
            cells.push(change.map_or(String::new(), |change| format!("{change:+.1}")));
        }
        rows.push(cells);
    }
    Ok(grid(&head, &rows))
}

/// Numbers that no plan makes: benchmarks, what other programs score. Plain CSV; the first column names the row.
pub(crate) struct FactTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl FactTable {
    /// Reads a CSV with a head. Every row must be as long as the head.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let damaged = |error: csv::Error| Error::data(format!("{}: {error}", path.display()));
        let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
        let head = reader.headers().map_err(damaged)?.iter().map(str::to_owned).collect();
        let rows = reader.records().map(|record| Ok(record.map_err(damaged)?.iter().map(str::to_owned).collect()));
        Ok(Self { head, rows: rows.collect::<Result<_>>()? })
    }

    /// The text in a row and a column.
    pub(crate) fn cell(&self, row: &str, column: &str) -> Result<String> {
        let at = self.head.iter().position(|name| name == column);
        let at = at.ok_or_else(|| Error::unknown("column", column, &self.head))?;
        let found = self.rows.iter().find(|cells| cells.first().is_some_and(|name| name == row));
        let names = || self.rows.iter().filter_map(|cells| cells.first());
        found.map(|cells| cells[at].clone()).ok_or_else(|| Error::unknown("row", row, names()))
    }

    /// All of it, as Markdown.
    pub(crate) fn markdown(&self) -> String {
        grid(&self.head, &self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> FactTable {
        let words = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        FactTable { head: words("what,acc,nmi"), rows: vec![words("one,78.9,75.2"), words("two,90.1,81.5")] }
    }

    #[test]
    fn cells_are_found_by_name_and_what_is_not_there_is_named() {
        assert_eq!(facts().cell("two", "nmi").unwrap(), "81.5");
        assert_eq!(facts().cell("three", "nmi").unwrap_err().to_string(), "unknown row `three`");
        assert_eq!(facts().cell("two", "ari").unwrap_err().to_string(), "unknown column `ari`");
    }

    #[test]
    fn the_table_shows_every_cell() {
        assert_eq!(
            facts().markdown(),
            "| what | acc | nmi |\n|---|---:|---:|\n| one | 78.9 | 75.2 |\n| two | 90.1 | 81.5 |\n"
        );
    }
}
