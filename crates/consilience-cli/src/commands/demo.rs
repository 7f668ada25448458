//! `consilience demo`: the digits inside the program, every method, a table.

use std::sync::Arc;

use clap::Parser;
use consilience::method::{DEFAULT_METHOD, REGISTRY};
use consilience::{Error, Record, Result, Run, Settings, Views, cluster_observed, data, metrics};
use serde_json::json;

use super::report;
use crate::args::{ClusterOnly, ClusterOptions, DemoOptions};
use crate::input::DIGITS;
use crate::interrupt::on_interrupt;
use crate::output::{Made, Table, percent, print, print_json, say, write_folder};
use crate::progress::Progress;

const CLASSES: usize = 10;

pub(crate) fn run(options: &DemoOptions) -> Result<()> {
    let cancel = on_interrupt();
    let digits = data::digits()?;
    let truth = digits.labels.ok_or_else(|| Error::data("the digits have lost their labels"))?;
    let views = Views::new(digits.views)?;
    say("2000 handwritten digits, two views: fou (76 Fourier coefficients) and fac (216 profile correlations), k = 10");

    let mut rows = Vec::new();
    for Row { name, method, parameters } in plan(&views) {
        let mut settings = Settings::with_method(CLASSES, method, &parameters)?;
        settings.threads = options.threads;
        let progress = Arc::new(Progress::new());
        let result = cluster_observed(&views, &settings, &Run::new(progress.clone(), cancel.clone()));
        progress.finish();
        let result = result?;
        let record = result.record(Some(metrics::score(&result.labels, truth.codes())?), 0.0);
        if method == DEFAULT_METHOD {
            let arguments = &of_digits();
            write_folder(&options.output, &Made { result: &result, record: &record, ids: None, arguments })?;
        }
        rows.push((name, record));
    }
    show(options, &rows)?;
    if options.report {
        let document = report::document(&options.output, None, &cancel)?;
        report::write_page(&options.output.join("report.html"), &[document])?;
    }
    Ok(())
}

/// What would make the demo's best row by `cluster`.
fn of_digits() -> ClusterOptions {
    let line = ["consilience", DIGITS, "--clusters", &CLASSES.to_string()].map(str::to_owned);
    ClusterOnly::parse_from(line).options
}

/// A row of the table, before it is run.
struct Row {
    name: String,
    method: &'static str,
    parameters: Vec<(String, String)>,
}

/// A row per method; the one that takes a single view gets a row per view.
fn plan(views: &Views) -> Vec<Row> {
    let mut rows = Vec::new();
    // methods that are n x n by definition take minutes: `cluster --method` runs them
    for info in REGISTRY.iter().filter(|info| !info.quadratic) {
        if (info.parameters)().iter().any(|row| row.name == "view") {
            rows.extend(views.iter().map(|view| Row {
                name: format!("{} {}", info.id, view.name),
                method: info.id,
                parameters: vec![("view".to_owned(), view.name.clone())],
            }));
        } else {
            rows.push(Row { name: info.id.to_owned(), method: info.id, parameters: Vec::new() });
        }
    }
    rows
}

fn show(options: &DemoOptions, rows: &[(String, Record)]) -> Result<()> {
    if options.json {
        let runs: Vec<_> = rows
            .iter()
            .map(|(name, run)| {
                json!({ "name": name, "method": run.method, "parameters": run.parameters,
                "scores": run.scores, "seconds": run.seconds, "warnings": run.warnings })
            })
            .collect();
        return print_json(&json!({ "data": "digits fou+fac", "n": 2000, "k": CLASSES, "runs": runs }));
    }
    let mut table = Table::new(&["method", "ACC", "NMI", "ARI", "purity", "F-score", "seconds"]);
    for (name, run) in rows {
        let scores = run.scores.as_ref();
        let cell = |pick: fn(&metrics::Scores) -> f64| scores.map_or("-".to_owned(), |scores| percent(pick(scores)));
        table.row(vec![
            name.clone(),
            cell(|s| s.acc),
            cell(|s| s.nmi),
            cell(|s| s.ari),
            cell(|s| s.purity),
            cell(|s| s.fscore),
            format!("{:.2}", run.seconds.total),
        ]);
    }
    print(&table.render())?;
    say(&format!("labels.csv, embedding.npy and run.json of `{DEFAULT_METHOD}` are in {}", options.output.display()));
    Ok(())
}
