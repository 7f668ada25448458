//! `consilience bench`: a plan to results and tables.

use std::process::ExitCode;
use std::thread::available_parallelism;

use consilience::{Error, Result};
use consilience_experiments::condition::Condition;
use consilience_experiments::job::{self, Expanded, Planned};
use consilience_experiments::known::Known;
use consilience_experiments::paper::PaperNumbers;
use consilience_experiments::rows::{self, Row, Status};
use consilience_experiments::runner::Runner;
use consilience_experiments::selection::Selection;
use consilience_experiments::store::{Entries, Outcome, RunEntry, Store};
use consilience_experiments::tables::{self, TablesInput};
use consilience_experiments::{Plan, data, figures, revisions};
use serde_json::json;

use crate::args::BenchOptions;
use crate::bench_progress::{BenchProgress, describe};
use crate::interrupt::on_interrupt;
use crate::output::{Table, print, print_json, say};

/// A plan ready to be run.
struct Bench {
    plan: Plan,
    /// Every run of the plan, chosen or not: tables show them all.
    expanded: Expanded,
}

pub(crate) fn run(options: &BenchOptions) -> Result<ExitCode> {
    if let Some(path) = &options.export {
        rows::check_replaceable(path)?;
    }
    let plan = Plan::read(&options.plan)?;
    let opened = data::open(&plan)?;
    let bench = Bench { expanded: job::expand(&plan, &opened)?, plan };
    for absent in &bench.expanded.absent {
        say(&format!("data set `{}` is left out: {}", absent.set, absent.why));
    }
    let chosen = chosen(&bench, options)?;
    if options.dry_run {
        list(options, &chosen, &gather(options, &bench, Entries::read(&options.output)?)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut store = Store::open(&options.output)?;
    let known = gather(options, &bench, store.entries().clone())?;
    known.save(&mut store, &bench.expanded.runs)?;
    let wanted = |planned: &&Planned| match known.status(&planned.job.key) {
        None => !options.no_runs,
        Some(Status::Failed) => options.retry && !options.no_runs,
        Some(_) => false,
    };
    let pending: Vec<Planned> = chosen.iter().filter(wanted).cloned().collect();
    let done = chosen.iter().filter(|planned| known.status(&planned.job.key).is_some()).count();
    let made = pending.len();
    say(&format!("{} runs of {}: {done} done before, {made} to make", chosen.len(), options.plan.display()));
    make(options, pending, &mut store)?;
    let known = known.with_entries(store.entries().clone());
    write(options, &bench, &known)?;
    finish(options, &chosen, &known, made)
}

/// What is known of the plan's runs: in the folder, and where `--with` says.
fn gather(options: &BenchOptions, bench: &Bench, entries: Entries) -> Result<Known> {
    let stale = revisions::stale_entries(&entries);
    if !stale.is_empty() {
        let folder = options.output.display();
        say(&format!("not used, being of other code: results in {folder}, {}", revisions::listed(&stale)));
    }
    let mut known = Known::new(entries);
    for source in &options.with {
        let taken = known.add(source, &bench.expanded.runs)?;
        say(&format!("{taken} runs taken from {}", source.display()));
    }
    Ok(known)
}

/// The runs that the command line asks for, with its limits.
fn chosen(bench: &Bench, options: &BenchOptions) -> Result<Vec<Planned>> {
    let BenchOptions { only, except, data, noise, shard, .. } = options.clone();
    let selection = Selection { only, except, data, noise, shard };
    let mut chosen = selection.choose(&bench.plan, &bench.expanded.runs)?;
    for planned in &mut chosen {
        planned.limits.seconds = options.limit_seconds.or(planned.limits.seconds);
    }
    Ok(chosen)
}

fn make(options: &BenchOptions, pending: Vec<Planned>, store: &mut Store) -> Result<()> {
    let program = std::env::current_exe()
        .map_err(|error| Error::data(format!("the program does not know where it lies: {error}")))?;
    let runner = Runner { program, jobs: options.jobs, threads: threads(options), cancel: on_interrupt() };
    let progress = BenchProgress::new(pending.len());
    let result = runner.run(pending, store, |entry, standing| progress.made(entry, standing));
    progress.finish();
    if matches!(result, Err(Error::Cancelled)) {
        say(&format!("what is done is in {}; the same command goes on from there", options.output.display()));
    }
    result
}

/// Threads of a run: its share of the cores, unless the command line says.
fn threads(options: &BenchOptions) -> usize {
    let cores = available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    options.threads.unwrap_or((cores / options.jobs).max(1))
}

fn write(options: &BenchOptions, bench: &Bench, known: &Known) -> Result<()> {
    let rows: Vec<Row> = rows::rows(&bench.plan, &bench.expanded, known);
    let paper = match &bench.plan.paper {
        Some(path) => PaperNumbers::read(path)?,
        None => PaperNumbers::default(),
    };
    let made = bench.expanded.runs.iter().filter_map(|planned| known.entry(&planned.job.key));
    let made: Vec<&RunEntry> = made.collect();
    let kept = figures::kept(&made);
    let Plan { title, metrics, .. } = &bench.plan;
    tables::write(&options.output, &TablesInput { title, metrics, paper: &paper, rows: &rows, kept: &kept })?;
    if let Some(path) = &options.export {
        rows::write(path, &rows)?;
        if !kept.is_empty() {
            figures::write_kept(&path.with_extension("figures.json"), &kept)?;
        }
    }
    Ok(())
}

/// Says what was done; a bench with failed runs is not a success.
fn finish(options: &BenchOptions, chosen: &[Planned], known: &Known, made: usize) -> Result<ExitCode> {
    let keys = chosen.iter().map(|planned| planned.job.key.as_str());
    let failed: Vec<&RunEntry> =
        keys.filter(|key| known.status(key) == Some(Status::Failed)).filter_map(|key| known.entry(key)).collect();
    let missing = chosen.iter().filter(|planned| known.status(&planned.job.key).is_none()).count();
    let folder = options.output.display().to_string();
    let code = if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if options.json {
        let failures: Vec<_> = failed.iter().map(|entry| failure(entry)).collect();
        print_json(&json!({
            "plan": options.plan.display().to_string(), "folder": folder, "runs": chosen.len(), "made": made,
            "missing": missing, "failed": failures,
        }))?;
        return Ok(code);
    }
    if missing > 0 {
        say(&format!("{missing} runs are still to be made"));
    }
    if !failed.is_empty() {
        failed.iter().for_each(|entry| say(&format!("failed: {}", describe(entry))));
        say(&format!("{} runs failed; `--retry` tries them again", failed.len()));
    }
    say(&format!("wrote tables.md, tables.csv, tables.tex, leaderboard.md and timings.md to {folder}"));
    Ok(code)
}

fn failure(entry: &RunEntry) -> serde_json::Value {
    let why = match &entry.outcome {
        Outcome::Failed(failed) => failed.failure.as_str(),
        Outcome::Done(_) => "",
    };
    let settings = entry.settings();
    json!({ "key": entry.key, "set": entry.data.name, "method": entry.label, "corruption": settings.corruption,
            "seed": settings.seed, "failure": why })
}

/// What would be run, and what is done.
fn list(options: &BenchOptions, chosen: &[Planned], known: &Known) -> Result<()> {
    let status = |planned: &Planned| known.status(&planned.job.key);
    if options.json {
        let runs: Vec<_> = chosen
            .iter()
            .map(|planned| {
                let job = &planned.job;
                let status = status(planned).map_or("to do", Status::name);
                json!({ "key": job.key, "revision": job.revision, "set": job.data.name, "method": job.label,
                        "corruption": job.settings.corruption, "seed": job.settings.seed, "status": status })
            })
            .collect();
        return print_json(&json!({ "plan": options.plan.display().to_string(), "runs": runs }));
    }
    let mut groups: Vec<([String; 3], [usize; 3])> = Vec::new();
    for planned in chosen {
        let job = &planned.job;
        let condition = Condition::from(job.settings.corruption).to_string();
        let name = [job.data.name.clone(), condition, job.label.clone()];
        if groups.last().is_none_or(|group| group.0 != name) {
            groups.push((name, [0; 3]));
        }
        if let Some((_, counts)) = groups.last_mut() {
            counts[0] += 1;
            counts[1] += usize::from(status(planned) == Some(Status::Done));
            counts[2] += usize::from(status(planned) == Some(Status::Failed));
        }
    }
    let mut table = Table::new(&["data set", "noise", "method", "runs", "done", "failed"]);
    let mut total = [0; 3];
    for (name, counts) in &groups {
        table.row(name.iter().cloned().chain(counts.iter().map(usize::to_string)).collect());
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    table.row(["all", "", ""].map(str::to_owned).into_iter().chain(total.map(|count| count.to_string())).collect());
    print(&table.render())?;
    say(&format!("nothing was run; results are looked for in {}", options.output.display()));
    Ok(())
}
