//! `consilience inspect`: what files hold, before anything is computed from them.

use consilience::run::Note;
use consilience::{Result, ViewSummary, printable};
use consilience_io::{Labels, Loaded};
use serde::Serialize;

use crate::args::InspectOptions;
use crate::interrupt::{on_interrupt, reading};
use crate::output::{Table, percent, print, print_json, say_notes};

#[derive(Serialize)]
struct FileReport {
    path: String,
    views: Vec<ViewSummary>,
    labels: Option<LabelReport>,
    ids: bool,
    /// What `--views` may name, where that is more than what is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<String>,
    notes: Vec<Note>,
}

#[derive(Serialize)]
struct LabelReport {
    n: usize,
    classes: Vec<ClassReport>,
}

#[derive(Serialize)]
struct ClassReport {
    name: String,
    n: usize,
}

pub(crate) fn run(options: &InspectOptions) -> Result<()> {
    on_interrupt();
    let files = reading(|| options.input.inputs().read())?;
    let reports: Vec<FileReport> =
        files.iter().map(|(path, loaded)| report(path.display().to_string(), loaded)).collect();
    if options.json {
        return print_json(&serde_json::json!({ "files": reports }));
    }
    files.iter().for_each(|(_, loaded)| say_notes(&loaded.notes));
    let text: Vec<String> = reports.iter().map(render).collect();
    print(&text.join("\n"))
}

fn report(path: String, loaded: &Loaded) -> FileReport {
    let views = loaded.views.iter().map(consilience::View::summary).collect();
    let (labels, notes) = (loaded.labels.as_ref().map(label_report), loaded.notes.clone());
    FileReport { path, views, labels, ids: loaded.ids.is_some(), entries: loaded.entries.clone(), notes }
}

fn label_report(labels: &Labels) -> LabelReport {
    let mut classes: Vec<ClassReport> =
        labels.names().iter().map(|name| ClassReport { name: name.clone(), n: 0 }).collect();
    labels.codes().iter().for_each(|&code| classes[code as usize].n += 1);
    LabelReport { n: labels.len(), classes }
}

fn render(report: &FileReport) -> String {
    let head =
        ["view", "n", "d", "type", "zeros %", "min", "max", "zero rows", "constant", "missing", "infinite", "auto"];
    let mut table = Table::new(&head);
    for view in &report.views {
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.4}"));
        table.row(vec![
            view.name.clone(),
            view.n.to_string(),
            view.d.to_string(),
            format!("{} {}", view.storage, view.precision),
            percent(view.zeros),
            number(view.min),
            number(view.max),
            view.zero_rows.to_string(),
            view.constant_columns.to_string(),
            view.missing.to_string(),
            view.infinite.to_string(),
            view.auto_scale.to_owned(),
        ]);
    }
    let labels = match &report.labels {
        Some(labels) => format!("{} labels of {} classes", labels.n, labels.classes.len()),
        None => "no labels".to_owned(),
    };
    let ids = if report.ids { ", sample ids" } else { "" };
    let entries = match report.entries.as_slice() {
        [] => String::new(),
        entries => format!("`cluster --views` may name {}\n", printable(&entries.join(", "))),
    };
    format!("{}: {labels}{ids}\n{}{entries}", printable(&report.path), table.render())
}
