//! `consilience-lab bench`: a plan to results.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

use consilience::{Cancel, Error, MethodInfo, Result};
use consilience_io::check_writable;

use crate::args::BenchOptions;
use crate::data;
use crate::job::{self, Expanded, Job};
use crate::plan::Plan;
use crate::row::{self, Row, condition};
use crate::runner::Runner;
use crate::selection::Selection;
use crate::store::{Runs, Store};
use crate::talk::{print, say, table};

/// Makes what is missing of a plan, and says how it went.
///
/// # Errors
/// When the plan is wrong, results cannot be read or written, or Ctrl-C was pressed. A run that fails is no error, but the
/// code is not that of success.
pub(crate) fn run(options: &BenchOptions) -> Result<ExitCode> {
    if let Some(path) = &options.export {
        row::check_replaceable(path)?;
    }
    let plan = Plan::read(&options.plan)?;
    if let Some(path) = &options.export {
        check_writable(path, true, &read_by(options, &plan))?;
    }
    let expanded = job::expand(&plan, &data::open(&plan)?)?;
    let BenchOptions { only, data, noise, shard, .. } = options;
    let selection = Selection { only: only.clone(), data: data.clone(), noise: noise.clone(), shard: *shard };
    let chosen = selection.choose(&plan, &expanded.runs)?;
    if options.dry_run {
        let runs = Runs::read_folder(&options.output)?;
        tell_stale(options, &runs);
        print(&summary(&chosen, &runs))?;
        say(&format!("nothing was run; results are looked for in {}", options.output.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let mut store = Store::open(&options.output)?;
    tell_stale(options, store.runs());
    for source in &options.with {
        let taken = store.take(&Runs::read(source)?, expanded.runs.iter().map(Job::key))?;
        say(&format!("{taken} runs taken from {}", source.display()));
    }
    let wanted = |job: &&Job| match store.runs().get(job.key()) {
        None => !options.no_runs,
        Some(row) => !row.done() && options.retry && !options.no_runs,
    };
    let pending: Vec<Job> = chosen.iter().filter(wanted).cloned().collect();
    say(&format!("{} ({}): {} runs, {} to make", plan.title, options.plan.display(), chosen.len(), pending.len()));
    make(options, pending, &mut store)?;
    if let Some(path) = &options.export {
        row::write(path, &all_rows(&plan, &expanded, store.runs()))?;
    }
    finish(&chosen, store.runs())
}

/// The files that a bench reads.
fn read_by(options: &BenchOptions, plan: &Plan) -> Vec<PathBuf> {
    let runs =
        options.with.iter().chain([&options.output]).flat_map(|source| [source.clone(), source.join("runs.csv")]);
    let sets = plan.sets.iter().flat_map(|set| set.inputs.paths());
    [options.plan.clone()].into_iter().chain(runs).chain(sets).collect()
}

/// Says which results in the folder were made by other code, and so are of other runs.
fn tell_stale(options: &BenchOptions, runs: &Runs) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in runs.iter() {
        // results outlive methods: of one that is gone there is nothing newer
        let Ok(now) = MethodInfo::named(row.get("method")).map(MethodInfo::code) else { continue };
        let (method, made) = (row.get("method"), row.get("revision"));
        if made != now.to_string() {
            *counts.entry(format!("`{method}` (revision {made}, now {now})")).or_default() += 1;
        }
    }
    let words: Vec<String> = counts.iter().map(|(of, count)| format!("{count} of {of}")).collect();
    if !words.is_empty() {
        let folder = options.output.display();
        say(&format!("not used, being of other code: results in {folder}, {}", words.join(", ")));
    }
}

fn make(options: &BenchOptions, pending: Vec<Job>, store: &mut Store) -> Result<()> {
    let program = std::env::current_exe()
        .map_err(|error| Error::data(format!("the program does not know where it lies: {error}")))?;
    let cores = available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let threads = options.threads.unwrap_or((cores / options.jobs).max(1));
    let runner = Runner { program, jobs: options.jobs, threads, cancel: on_interrupt() };
    let (mut made, total) = (0, pending.len());
    let result = runner.run(pending, store, |row| {
        made += 1;
        say(&format!("{made}/{total}  {}", describe(row)));
    });
    if matches!(result, Err(Error::Cancelled)) {
        say(&format!("what is done is in {}; the same command goes on from there", options.output.display()));
    }
    result
}

/// A flag that Ctrl-C raises; pressed again it ends the program.
fn on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    let raised = cancel.clone();
    // without a handler Ctrl-C still kills the process, and what is written stays: nothing is lost
    let _ = ctrlc::set_handler(move || {
        if raised.is_cancelled() {
            std::process::exit(130);
        }
        raised.cancel();
    });
    cancel
}

/// Which run it is and how it ended.
fn describe(row: &Row) -> String {
    let noise = match row.get("mode") {
        "" => "clean".to_owned(),
        mode => format!("{} {mode}, draw {}", row.get("noise"), row.get("draw")),
    };
    let name = format!("{} {}, {noise}, seed {}", row.get("set"), row.get("label"), row.get("seed"));
    if row.done() {
        format!("{name}: ACC {}, NMI {}, {} s", row.get("acc"), row.get("nmi"), row.get("seconds"))
    } else {
        format!("{name}: failed, {}", row.get("note"))
    }
}

/// The runs of the plan that have been made, in the plan's order, and a line for each cell without a run.
fn all_rows(plan: &Plan, expanded: &Expanded, runs: &Runs) -> Vec<Row> {
    let made: Vec<&Row> = expanded.runs.iter().filter_map(|job| runs.get(job.key())).collect();
    let of = |set: &str| -> Vec<Row> {
        let here = |row: &&Row| row.get("set") == set;
        made.iter().copied().filter(here).chain(expanded.empty.iter().filter(here)).cloned().collect()
    };
    plan.sets.iter().flat_map(|set| of(&set.name)).collect()
}

/// A line per data set, condition and method: runs, how many are done and have failed, and mean scores.
fn summary(chosen: &[Job], runs: &Runs) -> String {
    let mut groups: Vec<([String; 3], Vec<Option<&Row>>)> = Vec::new();
    for job in chosen {
        let noise = condition(job.settings.corruption.as_ref());
        let name = [job.row.get("set").to_owned(), noise, job.row.get("label").to_owned()];
        let row = runs.get(job.key());
        match groups.last_mut().filter(|group| group.0 == name) {
            Some(group) => group.1.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let head = ["data set", "noise", "method", "runs", "done", "failed", "ACC", "NMI"].map(str::to_owned).to_vec();
    let line = |(name, rows): &([String; 3], Vec<Option<&Row>>)| {
        let done: Vec<&Row> = rows.iter().flatten().copied().filter(|row| row.done()).collect();
        let failed = rows.iter().flatten().count() - done.len();
        let mean = |metric: &str| {
            let scores: Vec<f64> = done.iter().filter_map(|row| row.get(metric).parse().ok()).collect();
            let mean = 100.0 * scores.iter().sum::<f64>() / scores.len() as f64;
            if scores.is_empty() { "-".to_owned() } else { format!("{mean:.1}") }
        };
        let counts = [rows.len(), done.len(), failed].map(|count| count.to_string());
        name.iter().cloned().chain(counts).chain([mean("acc"), mean("nmi")]).collect()
    };
    table(&std::iter::once(head).chain(groups.iter().map(line)).collect::<Vec<_>>())
}

/// Says what was done; a bench with failed runs is not a success.
fn finish(chosen: &[Job], runs: &Runs) -> Result<ExitCode> {
    print(&summary(chosen, runs))?;
    let made = || chosen.iter().filter_map(|job| runs.get(job.key()));
    let missing = chosen.len() - made().count();
    if missing > 0 {
        say(&format!("{missing} runs are still to be made"));
    }
    let failed: Vec<&Row> = made().filter(|row| !row.done()).collect();
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    failed.iter().for_each(|row| say(&describe(row)));
    say(&format!("{} runs failed; `--retry` tries them again", failed.len()));
    Ok(ExitCode::FAILURE)
}
