//! `consilience cluster`: files to labels.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use consilience::choose::KChoice;
use consilience::examine::MOST_MARKERS;
use consilience::landmarks::{SampleSource, cluster_pieces};
use consilience::markers::markers;
use consilience::model::Model;
use consilience::plan::{Plan, Way};
use consilience::record::ViewRecord;
use consilience::run::Note;
use consilience::settings::Landmarks;
use consilience::{Cancel, Clustering, Result, Run, RunRecord, Settings, Views, cluster_planned, size_in_words};
use consilience_io::folder::{Existing, Files, Place};
use consilience_io::{AboutSamples, Inputs, Origin, SavedRun, Streamed, Truth, check_stdout};

use super::report;
use crate::args::{ClusterOptions, ExaminationOptions};
use crate::card::{card, weights};
use crate::interrupt::{on_interrupt, reading};
use crate::output::{duration, percent, print, print_json, print_labels, say, say_notes, stdout};
use crate::progress::Progress;

pub(crate) fn run(options: &ClusterOptions) -> Result<()> {
    let cancel = on_interrupt();
    // settings first: a mistyped parameter must not wait for a large file
    let (settings, inputs) = (options.settings()?, options.inputs());
    let read: Vec<PathBuf> = inputs.paths().into_iter().chain(options.metadata.clone()).collect();
    check_stdout(&read)?;
    if options.json || options.output.is_none() {
        drop(stdout()?);
    }
    if options.plan {
        return tell_plan(&inputs, &settings, options.json);
    }
    // and neither a folder that must not be written to nor a table that cannot be read waits for the run
    let existing = Existing::forced(options.force);
    let open = |place: &PathBuf| Place::open(place, &read, existing, options.report);
    let mut place = options.output.as_ref().map(open).transpose()?;
    let about = options.metadata.as_deref().map(AboutSamples::read).transpose()?;
    let mut finished = solve(&inputs, &settings, cancel.clone())?;
    let mut written = "";
    if let Some(place) = &mut place {
        finished.add_details()?;
        if options.splits {
            finished.result.add_splits(&Run::cancellable(cancel.clone()))?;
            if finished.result.landmarks.is_some() {
                say(
                    "note: how clusters would split is not known in a run by landmarks; --landmarks off clusters all samples",
                );
            }
        }
        let model = finished.model(&cancel)?;
        let result = &finished.result;
        let (embedding, memberships) = (&result.fitted.embedding, Some(&result.memberships));
        place.write(&finished.saved(), &Files { embedding, memberships, model: model.as_ref() })?;
        written = if model.is_some() { ", model.safetensors" } else { "" };
    }
    let Finished { truth, result, .. } = &finished;
    summarise(&result.record, truth.as_ref());
    if !options.json {
        tell_clusters(result);
    }
    if options.json {
        print_json(&finished.saved())?;
    } else if options.output.is_none() {
        print_labels(result.record.ids.as_deref(), &result.record.labels, Some(result.memberships.confidence()))?;
    }
    if let (Some(folder), Some(mut place)) = (&options.output, place) {
        say(&format!("wrote labels.csv, memberships.npy, embedding.npy{written} and run.json to {}", folder.display()));
        if options.report {
            let document = report::examine(folder, finished, &ExaminationOptions::default(), about.as_ref(), &cancel)?;
            report::keep(&mut place, folder, &document, true)?;
        } else {
            say(&format!("next: `consilience report {}` says how far to trust this, and draws it", folder.display()));
        }
    }
    Ok(())
}

/// A run from its files to its account.
pub(crate) struct Finished {
    /// None when the files were read a piece at a time.
    pub(crate) views: Option<Views>,
    pub(crate) truth: Option<Truth>,
    pub(crate) result: Clustering,
    /// The files it was made from, by absolute paths.
    pub(crate) inputs: Inputs,
    /// The files as they were, where the run is kept.
    pub(crate) origin: Option<Origin>,
}

impl Finished {
    /// Where the run comes from, and what sets its clusters apart: for a folder that is kept.
    fn add_details(&mut self) -> Result<()> {
        // the program by its name, wherever it was
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let command: Vec<String> = ["consilience".to_owned()].into_iter().chain(words).collect();
        self.origin = Some(Origin::now(&self.inputs, &command));
        let record = &mut self.result.record;
        record.markers = match (&self.result.landmarks, &self.views) {
            (Some(landmarks), _) => markers(&landmarks.views, &landmarks.clustering.record.labels, MOST_MARKERS)?,
            (None, Some(views)) => markers(views, &record.labels, MOST_MARKERS)?,
            (None, None) => Vec::new(),
        };
        Ok(())
    }

    /// The account of the run, as it is kept.
    fn saved(&self) -> SavedRun {
        SavedRun { record: self.result.record.clone(), inputs: Some(self.inputs.clone()), origin: self.origin.clone() }
    }

    /// What places new samples; none for an experiment with noise of its own, which is of no other samples, and for affinities
    /// alone, which say nothing of others.
    fn model(&self, cancel: &Cancel) -> Result<Option<Model>> {
        match (&self.result.landmarks, &self.views) {
            _ if self.result.record.settings.corruption.is_some() => Ok(None),
            _ if self.result.record.views.iter().all(|view| view.affinity) => Ok(None),
            (Some(landmarks), _) => Ok(Some(landmarks.model.clone())),
            (None, Some(views)) => Model::new(views, &self.result, &Run::cancellable(cancel.clone())).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// Files of more bytes than this are read a piece at a time, when the run is made by landmarks.
const LARGE: u64 = 64 << 20;

/// What a run would take, without making it.
fn tell_plan(inputs: &Inputs, settings: &Settings, json: bool) -> Result<()> {
    let (plan, samples, notes) = match reading(|| streamed(inputs, settings))? {
        Some((samples, plan, notes)) => (plan, samples.count(), notes),
        None => {
            let input = reading(|| inputs.load())?;
            (Plan::of(&input.views, settings)?, input.views.samples(), input.notes)
        }
    };
    say_notes(&notes);
    if json {
        return print_json(&plan);
    }
    print(&(describe_plan(&plan, samples, settings.threads) + "\n"))
}

/// A plan in a line.
fn describe_plan(plan: &Plan, samples: usize, threads: Option<usize>) -> String {
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let time = |seconds| format!(", about {} on {threads} threads", duration(seconds));
    let (memory, time) = (size_in_words(plan.memory), plan.seconds(threads).map(time).unwrap_or_default());
    format!("plan: {samples} samples, {}: about {memory} of memory{time}", plan.way)
}

/// Runs of so many samples take long enough to be told of before.
const TOLD: usize = 20_000;

/// Says how a large run is made, before it is made.
fn announce(plan: &Plan, samples: usize, settings: &Settings) {
    if samples >= TOLD {
        say(&describe_plan(plan, samples, settings.threads));
    }
}

/// Reads the files and clusters them.
pub(crate) fn solve(inputs: &Inputs, settings: &Settings, cancel: Cancel) -> Result<Finished> {
    let started = Instant::now();
    if let Some((samples, plan, notes)) = reading(|| streamed(inputs, settings))? {
        announce(&plan, samples.count(), settings);
        return solve_streamed(inputs, &plan.apply(settings), samples, notes, cancel);
    }
    let input = reading(|| inputs.load())?;
    say_notes(&input.notes);
    let plan = Plan::of(&input.views, settings)?;
    announce(&plan, input.views.samples(), settings);
    let load = started.elapsed().as_secs_f64();
    let progress = Arc::new(Progress::new());
    let result = cluster_planned(&input.views, settings, &plan, &Run::new(progress.clone(), cancel));
    progress.finish();
    let mut result = result?;
    result.record = result.record.with_source(input.ids.clone(), input.notes.clone(), load);
    if let Some(truth) = &input.truth {
        result.record = result.record.with_truth(truth.labels.codes())?;
    }
    let inputs = inputs.absolute()?;
    Ok(Finished { views: Some(input.views), truth: input.truth, result, inputs, origin: None })
}

/// The samples a piece at a time, where the files are large, the run is made by landmarks, and nothing has to be read whole.
fn streamed(inputs: &Inputs, settings: &Settings) -> Result<Option<(Streamed, Plan, Vec<Note>)>> {
    let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(0, |about| about.len());
    let small = inputs.files.iter().map(size).sum::<u64>() <= LARGE;
    if small || settings.landmarks == Landmarks::Off || settings.corruption.is_some() {
        return Ok(None);
    }
    let Some(pieces) = inputs.pieces()?.filter(|pieces| !pieces.labelled) else { return Ok(None) };
    let notes = pieces.notes.clone();
    let mut samples = Streamed::new(pieces)?;
    let plan = Plan::new(&samples.size()?, settings)?;
    Ok((plan.way == Way::Landmarks).then_some((samples, plan, notes)))
}

fn solve_streamed(
    inputs: &Inputs,
    settings: &Settings,
    mut samples: Streamed,
    mut notes: Vec<Note>,
    cancel: Cancel,
) -> Result<Finished> {
    say_notes(&notes);
    let progress = Arc::new(Progress::new());
    let result = cluster_pieces(&mut samples, settings, &Run::new(progress.clone(), cancel));
    progress.finish();
    let mut result = result?;
    let ids = samples.into_ids();
    let truth = inputs.named_truth(ids.as_deref(), result.record.n, &mut notes)?;
    result.record = result.record.with_source(ids, notes, 0.0);
    if let Some(truth) = &truth {
        result.record = result.record.with_truth(truth.labels.codes())?;
    }
    Ok(Finished { views: None, truth, result, inputs: inputs.absolute()?, origin: None })
}

/// The run in a few lines, for the person at the terminal.
fn summarise(record: &RunRecord, truth: Option<&Truth>) {
    let what = |view: &ViewRecord| if view.affinity { "affinity".to_owned() } else { view.d.to_string() };
    let views: Vec<String> = record.views.iter().map(|view| format!("{} ({})", view.name, what(view))).collect();
    let (seconds, settings) = (&record.seconds, &record.settings);
    let method = settings.method.info().id;
    say(&format!("{method}: {} samples, k = {}, views {}", record.n, settings.clusters, views.join(", ")));
    let choose = if record.choice.is_some() { format!("choose k {:.2}, ", seconds.choose) } else { String::new() };
    say(&format!(
        "{:.2} s: load {:.2}, prepare {:.2}, {choose}graph {:.2}, solve {:.2}, assign {:.2}",
        seconds.total, seconds.load, seconds.prepare, seconds.graph, seconds.solve, seconds.assign
    ));
    if let Some(landmarks) = &record.by_landmarks {
        say(&format!(
            "by landmarks: {} samples clustered in full, all placed among {} means of them",
            landmarks.count, landmarks.means
        ));
    }
    if let Some(truth) = truth.filter(|truth| truth.found) {
        say(&format!("labels found in {}: kept from the method, used only to score it", truth.source.display()));
    }
    if let (Some(scores), Some(truth)) = (&record.scores, truth) {
        let scores: Vec<String> =
            scores.iter().map(|(metric, score)| format!("{} {}", metric.title(), percent(score))).collect();
        say(&format!("against the labels in {}: {}", truth.source.display(), scores.join(", ")));
    }
    if let Some(choice) = &record.choice {
        tell_choice(choice);
    }
    for warning in &record.warnings {
        say(&format!("warning: {warning}"));
    }
}

/// The clusters in a table, and the weights of the views.
fn tell_clusters(result: &Clustering) {
    card(result).lines().for_each(say);
    if let Some(weights) = weights(&result.record) {
        say(&weights);
    }
}

/// The candidates for the number of clusters, and what speaks for them.
fn tell_choice(choice: &KChoice) {
    if choice.clusters() == 1 {
        return; // the warning says it
    }
    for (rank, candidate) in choice.candidates.iter().enumerate() {
        let what = if rank == 0 { "chosen" } else { "or" };
        say(&format!("{what} k = {}: {}", candidate.k, candidate.evidence.join(" ")));
    }
}
