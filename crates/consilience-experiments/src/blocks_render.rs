//! What blocks show.

use consilience::parameters::ParameterInfo;
use consilience::{Error, MethodInfo, Result};

use crate::Metric;
use crate::blocks::Request;
use crate::figures::over_noise;
use crate::leaderboard::{self, Ranking};
use crate::paper::PaperNumbers;
use crate::rows::Row;
use crate::statistics::mean;
use crate::summary::Summary;
use crate::tables::ScoreTable;
use crate::tables::markdown::{grid, scores};

const CLEAN: &str = "clean";

/// The content of a block: a table on lines of its own, or a number.
pub(crate) fn render(request: &Request<'_>) -> Result<String> {
    let table = match request.kind {
        "value" => return value(request),
        "scores" => score_table(request),
        "pairs" => pairs(request),
        "headline" => headline(request),
        "ranks" => ranks(request),
        "noise" => noise(request),
        "ablation" => ablation(request),
        other => Err(Error::Unknown {
            kind: "kind of results block",
            name: other.to_owned(),
            known: [
                "value",
                "scores",
                "pairs",
                "headline",
                "ranks",
                "noise",
                "ablation",
                "cell",
                "facts",
                "parameters",
            ]
            .map(str::to_owned)
            .to_vec(),
        }),
    };
    table.map(|table| format!("\n{table}"))
}

/// A method's parameters.
pub(crate) fn parameters(info: &MethodInfo) -> String {
    let head = ["name", "letter", "default", "allowed", "what it does"].map(str::to_owned);
    let row = |row: ParameterInfo| {
        vec![format!("`{}`", row.name), row.symbol.to_owned(), row.typed_default(), row.allowed(), row.doc]
    };
    grid(&head, &(info.parameters)().into_iter().map(row).collect::<Vec<_>>())
}

fn metric(request: &Request<'_>) -> Result<Metric> {
    Metric::named(request.option("metric", Metric::Acc.name()))
}

/// One score in %, or several as `ACC / NMI`: of one set, or the mean over sets that have it.
fn value(request: &Request<'_>) -> Result<String> {
    request.expect(&["set", "method", "metric", "noise"])?;
    let (label, noise) = (request.option("method", ""), request.option("noise", CLEAN));
    let set = request.option("set", "");
    let summary = Summary::new(request.rows);
    let named: Vec<&String> = summary.sets.iter().filter(|name| set.is_empty() || *name == set).collect();
    let place = if set.is_empty() { "any set" } else { set };
    let score = |metric: Metric| {
        let found: Vec<f64> = named.iter().filter_map(|set| summary.mean(set, noise, label, metric)).collect();
        let score = mean(&found).map(|score| format!("{:.1}", 100.0 * score));
        score.ok_or_else(|| Error::data(format!("there is no score of {label} on {place}, {noise}")))
    };
    let metrics = request.option("metric", Metric::Acc.name()).split(',').map(|name| score(Metric::named(name)?));
    Ok(metrics.collect::<Result<Vec<_>>>()?.join(" / "))
}

fn score_table(request: &Request<'_>) -> Result<String> {
    request.expect(&["metric", "noise"])?;
    let summary = Summary::new(request.rows);
    Ok(scores(&ScoreTable::new(&summary, request.option("noise", CLEAN), metric(request)?, &PaperNumbers::default())))
}

/// `ACC / NMI` in %, rows of one method or of all, by sets and conditions; `across=sets` turns it, for many sets.
fn pairs(request: &Request<'_>) -> Result<String> {
    request.expect(&["method", "across"])?;
    let method = request.option("method", "");
    let rows: Vec<Row> = request.rows.iter().filter(|row| method.is_empty() || row.method == method).cloned().collect();
    Ok(pairs_table(&Summary::new(&rows), request.option("across", "methods") == "sets"))
}

/// `ACC / NMI` in %: methods by sets and conditions, or the other way round.
pub(crate) fn pairs_table(summary: &Summary, across_sets: bool) -> String {
    let places = summary.sets.iter().flat_map(|set| summary.conditions.iter().map(move |condition| (set, condition)));
    let places: Vec<_> = places
        .filter(|(set, condition)| summary.labels.iter().any(|label| summary.cell(set, condition, label).is_some()))
        .collect();
    let cell = |label: &String, (set, condition): &(&String, &String)| {
        let of = |metric| summary.mean(set, condition, label, metric);
        let both = of(Metric::Acc).zip(of(Metric::Nmi));
        both.map_or("-".to_owned(), |(acc, nmi)| format!("{:.1} / {:.1}", 100.0 * acc, 100.0 * nmi))
    };
    let named = |name: String, cells: Vec<String>| std::iter::once(name).chain(cells).collect::<Vec<String>>();
    let title = |(set, condition): &(&String, &String)| format!("{set}, {condition}");
    if across_sets {
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
    Ok(leaderboard::markdown(&Ranking::new(&summary, request.option("noise", CLEAN), metric(request)?)))
}

/// Mean score and mean rank of every ranked method, by several scores at once.
fn headline(request: &Request<'_>) -> Result<String> {
    request.expect(&["metrics", "noise"])?;
    let summary = Summary::new(request.rows);
    let metrics: Vec<Metric> =
        request.option("metrics", "acc,nmi").split(',').map(Metric::named).collect::<Result<_>>()?;
    let noise = request.option("noise", CLEAN);
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
            cells.push(place.score.map_or("-".to_owned(), |score| format!("{:.1}", 100.0 * score)));
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

/// Methods by share of noise, on one set.
fn noise(request: &Request<'_>) -> Result<String> {
    request.expect(&["set", "mode", "metric"])?;
    let curves =
        over_noise(request.rows, request.option("set", "digits"), request.option("mode", "replace"), metric(request)?);
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
                    let spread = spread.map_or(String::new(), |spread| format!(" ± {:.1}", 100.0 * spread));
                    format!("{:.1}{spread}", 100.0 * mean)
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
    let (base, noise) = (request.option("base", consilience::method::DEFAULT_METHOD), request.option("noise", CLEAN));
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
