//! `consilience cluster`: files to labels.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use consilience::{Cancel, Clustering, Corruption, Error, Record, Result, Run, Settings, cluster_observed, metrics};

use super::report;
use crate::args::{ClusterOptions, InputOptions};
use crate::input::{self, Input, Truth};
use crate::interrupt::on_interrupt;
use crate::output::{Made, percent, print_json, print_labels, say, write_folder};
use crate::progress::Progress;

pub(crate) fn run(options: &ClusterOptions) -> Result<()> {
    let cancel = on_interrupt();
    let finished = solve(options, cancel.clone())?;
    let Finished { input, result, record, .. } = &finished;
    if let Some(folder) = &options.output {
        let arguments = &with_absolute_paths(options)?;
        write_folder(folder, &Made { result, record, ids: input.ids.as_deref(), arguments })?;
    }
    summarise(record, input.truth.as_ref());
    if let Some(folder) = &options.output {
        say(&format!("wrote labels.csv, embedding.npy and run.json to {}", folder.display()));
        if options.report {
            let document = report::examine(folder, &finished, None, &cancel)?;
            report::write_page(&folder.join("report.html"), &[document])?;
        }
    }
    if options.json {
        print_json(record)
    } else if options.output.is_none() {
        print_labels(input.ids.as_deref(), &result.labels)
    } else {
        Ok(())
    }
}

/// A run from its files to its account.
pub(crate) struct Finished {
    pub(crate) input: Input,
    pub(crate) settings: Settings,
    pub(crate) result: Clustering,
    pub(crate) record: Record,
}

/// Reads the files and clusters them.
pub(crate) fn solve(options: &ClusterOptions, cancel: Cancel) -> Result<Finished> {
    // settings first: a mistyped parameter must not wait for a large file
    let settings = settings(options)?;
    let started = Instant::now();
    let input = input::load(&options.input, &options.views, options.truth.as_deref())?;
    let load = started.elapsed().as_secs_f64();

    let progress = Arc::new(Progress::new());
    let run = Run::new(progress.clone(), cancel);
    let result = cluster_observed(&input.views, &settings, &run);
    progress.finish();
    let result = result?;

    let scores = match &input.truth {
        Some(truth) => Some(metrics::score(&result.labels, truth.labels.codes())?),
        None => None,
    };
    let record = result.record(scores, load);
    Ok(Finished { input, settings, result, record })
}

/// The same arguments with files that can be found from any folder.
fn with_absolute_paths(options: &ClusterOptions) -> Result<ClusterOptions> {
    let absolute = |path: &PathBuf| match path.to_str() {
        Some(input::DIGITS) => Ok(path.clone()),
        _ => std::path::absolute(path).map_err(|source| Error::reading(path, source)),
    };
    let files = options.input.files.iter().map(absolute).collect::<Result<_>>()?;
    let truth = options.truth.as_ref().map(absolute).transpose()?;
    Ok(ClusterOptions { input: InputOptions { files, ..options.input.clone() }, truth, ..options.clone() })
}

fn settings(options: &ClusterOptions) -> Result<Settings> {
    let mut settings = Settings::with_method(options.clusters, &options.method, &options.settings)?;
    settings.scale = options.scale.into();
    settings.seed = options.seed;
    settings.threads = options.threads;
    settings.memory = options.memory;
    settings.corruption = options.corrupt.map(|fraction| Corruption {
        fraction,
        mode: options.corrupt_mode.into(),
        seed: options.corrupt_seed,
        ..Corruption::default()
    });
    Ok(settings)
}

/// The run in a few lines, for the person at the terminal.
fn summarise(record: &Record, truth: Option<&Truth>) {
    let views: Vec<String> = record.views.iter().map(|view| format!("{} ({})", view.name, view.d)).collect();
    let seconds = &record.seconds;
    say(&format!("{}: {} samples, k = {}, views {}", record.method, record.n, record.k, views.join(", ")));
    say(&format!(
        "{:.2} s: load {:.2}, graph {:.2}, solve {:.2}, assign {:.2}",
        seconds.total, seconds.load, seconds.graph, seconds.solve, seconds.assign
    ));
    if let Some(truth) = truth.filter(|truth| truth.found) {
        say(&format!("labels found in {}: kept from the method, used only to score it", truth.source.display()));
    }
    if let (Some(scores), Some(truth)) = (&record.scores, truth) {
        say(&format!(
            "against the labels in {}: ACC {}, NMI {}, ARI {}, purity {}, F-score {}",
            truth.source.display(),
            percent(scores.acc),
            percent(scores.nmi),
            percent(scores.ari),
            percent(scores.purity),
            percent(scores.fscore)
        ));
    }
    for warning in &record.warnings {
        say(&format!("warning: {warning}"));
    }
}
