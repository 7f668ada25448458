//! `consilience bench`: a plan to results and tables.

use std::thread::available_parallelism;

use consilience::{Error, Result};
use consilience_experiments::job::{self, Absent, Planned};
use consilience_experiments::paper::PaperNumbers;
use consilience_experiments::rows::{self, Condition, Row, Status};
use consilience_experiments::runner::Runner;
use consilience_experiments::store::{Entries, Outcome, RunEntry, Store};
use consilience_experiments::tables::{self, TablesInput};
use consilience_experiments::{Plan, data, figures};
use serde_json::json;

use crate::args::BenchOptions;
use crate::bench_progress::BenchProgress;
use crate::interrupt::on_interrupt;
use crate::output::{Table, print, print_json, say};

/// A plan ready to be run.
struct Bench {
    plan: Plan,
    /// Every run of the plan, chosen or not: tables show them all.
    planned: Vec<Planned>,
    absent: Vec<Absent>,
}

pub(crate) fn run(options: &BenchOptions) -> Result<()> {
    let plan = Plan::read(&options.plan)?;
    let opened = data::open(&plan)?;
    let (planned, absent) = job::expand(&plan, &opened)?;
    let bench = Bench { plan, planned, absent };
    for absent in &bench.absent {
        say(&format!("data set `{}` is left out: {}", absent.set, absent.why));
    }
    let chosen = chosen(&bench.planned, options)?;
    if options.dry_run {
        return list(options, &chosen, &Entries::read(&options.output)?);
    }
    let mut store = Store::open(&options.output)?;
    let pending: Vec<Planned> =
        chosen.iter().filter(|planned| wanted(planned, store.entries(), options.retry)).cloned().collect();
    let (made, before) = (pending.len(), chosen.len() - pending.len());
    say(&format!("{} runs of {}: {before} done before, {made} to make", chosen.len(), options.plan.display()));
    make(options, pending, &mut store)?;
    write(options, &bench, store.entries())?;
    finish(options, &chosen, store.entries(), made)
}

/// The runs that `--only` and `--except` leave, with the limits of the command line.
fn chosen(planned: &[Planned], options: &BenchOptions) -> Result<Vec<Planned>> {
    let is =
        |planned: &Planned, name: &String| planned.job.settings.method.info().id == *name || planned.job.label == *name;
    for name in options.only.iter().chain(&options.except) {
        if !planned.iter().any(|planned| is(planned, name)) {
            let mut known: Vec<String> = planned.iter().map(|planned| planned.job.label.clone()).collect();
            known.sort();
            known.dedup();
            return Err(Error::unknown("method of the plan", name, known));
        }
    }
    let left = planned.iter().filter(|planned| {
        (options.only.is_empty() || options.only.iter().any(|name| is(planned, name)))
            && !options.except.iter().any(|name| is(planned, name))
    });
    Ok(left
        .cloned()
        .map(|mut planned| {
            planned.limits.seconds = options.limit_seconds.or(planned.limits.seconds);
            planned
        })
        .collect())
}

/// Whether a run is to be made: it was not, or it failed and may be tried again.
fn wanted(planned: &Planned, entries: &Entries, retry: bool) -> bool {
    match entries.get(&planned.job.key).map(|entry| &entry.outcome) {
        None => true,
        Some(Outcome::Failed(_)) => retry,
        Some(Outcome::Done(_)) => false,
    }
}

fn make(options: &BenchOptions, pending: Vec<Planned>, store: &mut Store) -> Result<()> {
    let program = std::env::current_exe()
        .map_err(|error| Error::data(format!("the program does not know where it lies: {error}")))?;
    let cores = available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let runner = Runner { program, jobs: options.jobs, threads: (cores / options.jobs).max(1), cancel: on_interrupt() };
    let progress = BenchProgress::new(pending.len());
    let result = runner.run(pending, store, |entry, standing| progress.made(entry, standing));
    progress.finish();
    if matches!(result, Err(Error::Cancelled)) {
        say(&format!("what is done is in {}; the same command goes on from there", options.output.display()));
    }
    result
}

fn write(options: &BenchOptions, bench: &Bench, entries: &Entries) -> Result<()> {
    let rows: Vec<Row> = rows::rows(&bench.plan, &bench.planned, &bench.absent, entries);
    let paper = match &bench.plan.paper {
        Some(path) => PaperNumbers::read(path)?,
        None => PaperNumbers::default(),
    };
    let made: Vec<&RunEntry> = bench.planned.iter().filter_map(|planned| entries.get(&planned.job.key)).collect();
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

fn finish(options: &BenchOptions, chosen: &[Planned], entries: &Entries, made: usize) -> Result<()> {
    let failed: Vec<&RunEntry> = chosen
        .iter()
        .filter_map(|planned| entries.get(&planned.job.key))
        .filter(|entry| matches!(entry.outcome, Outcome::Failed(_)))
        .collect();
    let folder = options.output.display().to_string();
    if options.json {
        let failures: Vec<_> = failed.iter().map(|entry| failure(entry)).collect();
        return print_json(&json!({
            "plan": options.plan.display().to_string(), "folder": folder, "runs": chosen.len(), "made": made,
            "failed": failures,
        }));
    }
    if !failed.is_empty() {
        say(&format!("{} runs failed; the tables say why, `--retry` tries them again", failed.len()));
    }
    say(&format!("wrote tables.md, tables.csv, tables.tex, leaderboard.md and timings.md to {folder}"));
    Ok(())
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
fn list(options: &BenchOptions, chosen: &[Planned], entries: &Entries) -> Result<()> {
    let status = |planned: &Planned| match &entries.get(&planned.job.key)?.outcome {
        Outcome::Done(_) => Some(Status::Done),
        Outcome::Failed(_) => Some(Status::Failed),
    };
    if options.json {
        let runs: Vec<_> = chosen
            .iter()
            .map(|planned| {
                let job = &planned.job;
                let status = status(planned).map_or("to do", Status::name);
                json!({ "key": job.key, "set": job.data.name, "method": job.label,
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
