//! `consilience demo`: the digits inside the program, every method that is quick, a table.

use std::sync::Arc;

use consilience::method::{DEFAULT_METHOD, Property, REGISTRY};
use consilience::metrics::Metric;
use consilience::model::Model;
use consilience::{Error, Result, Run, RunRecord, Settings, Views, cluster_observed};
use consilience_io::folder::{self, Existing, Files, Place};
use consilience_io::{DIGITS, Inputs, SavedRun};
use serde_json::json;

use super::report;
use crate::args::{DemoOptions, ExaminationOptions};
use crate::interrupt::on_interrupt;
use crate::output::{Table, percent, print, print_json, say};
use crate::progress::Progress;

const CLASSES: usize = 10;

pub(crate) fn run(options: &DemoOptions) -> Result<()> {
    let cancel = on_interrupt();
    let inputs = Inputs { files: vec![DIGITS.into()], ..Inputs::default() };
    let existing = Existing::forced(options.force);
    let mut place = Place::open(&options.output, &[], existing, options.report)?;
    let input = inputs.load()?;
    let truth = input.truth.ok_or_else(|| Error::data("the digits have lost their labels"))?;
    say("2000 handwritten digits, two views: fou (76 Fourier coefficients) and fac (216 profile correlations), k = 10");
    say(&told(&plan(&input.views)));

    let mut rows = Vec::new();
    for Row { name, method, parameters } in plan(&input.views) {
        let settings = Settings::with_method(CLASSES, method, &parameters)?.threads(options.threads);
        let progress = Arc::new(Progress::new());
        let result = cluster_observed(&input.views, &settings, &Run::new(progress.clone(), cancel.clone()));
        progress.finish();
        let mut result = result?;
        result.record = result.record.with_truth(truth.labels.codes())?;
        if method == DEFAULT_METHOD {
            let model = Model::new(&input.views, &result, &Run::cancellable(cancel.clone()))?;
            let run = SavedRun { record: result.record.clone(), inputs: Some(inputs.clone()), origin: None };
            let (embedding, memberships) = (&result.fitted.embedding, Some(&result.memberships));
            place.write(&run, &Files { embedding, memberships, model: Some(&model) })?;
        }
        rows.push((name, result.record));
    }
    show(options, &rows)?;
    if options.report {
        let known = folder::read(&options.output)?;
        let (document, _) = report::document(&options.output, known, &ExaminationOptions::default(), None, &cancel)?;
        report::keep(&mut place, &options.output, &document, true)?;
    }
    Ok(())
}

/// What will be run, and what will not.
fn told(rows: &[Row]) -> String {
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let slow: Vec<&str> = REGISTRY
        .iter()
        .filter(|info| info.has(Property::Quadratic) || info.has(Property::Study))
        .map(|info| info.id)
        .collect();
    let left = "left out, because they take minutes or are kept for study";
    format!("{} runs: {}; {left}: {}", names.len(), names.join(", "), slow.join(", "))
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
    for info in REGISTRY.iter().filter(|info| !info.has(Property::Quadratic) && !info.has(Property::Study)) {
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

fn show(options: &DemoOptions, rows: &[(String, RunRecord)]) -> Result<()> {
    if options.json {
        let runs: Vec<_> = rows
            .iter()
            .map(|(name, run)| {
                let settings = json!(run.settings);
                json!({ "name": name, "method": settings["method"], "parameters": settings["parameters"],
                "scores": run.scores, "seconds": run.seconds, "warnings": run.warnings })
            })
            .collect();
        return print_json(&json!({ "data": "digits fou+fac", "n": 2000, "k": CLASSES, "runs": runs }));
    }
    let head = ["method"].into_iter().chain(Metric::ALL.iter().map(|metric| metric.title())).chain(["seconds"]);
    let mut table = Table::new(&head.collect::<Vec<_>>());
    for (name, run) in rows {
        let scores = run.scores.unwrap_or_default();
        let score = |&metric: &Metric| scores.get(metric).map_or("-".to_owned(), percent);
        let cells = Metric::ALL.iter().map(score).chain([format!("{:.2}", run.seconds.total)]);
        table.row([name.clone()].into_iter().chain(cells).collect());
    }
    print(&table.render())?;
    let files = "labels.csv, memberships.npy, embedding.npy, model.safetensors and run.json";
    say(&format!("{files} of `{DEFAULT_METHOD}` are in {}", options.output.display()));
    Ok(())
}
