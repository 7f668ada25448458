//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::selection::Selection;

/// The laboratory of consilience: plans to results, results to the pages of docs/ (see docs/experiments.md).
#[derive(Parser)]
#[command(name = "consilience-lab", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a plan: methods x data sets x noise x seeds, a process per run.
    Bench(BenchOptions),
    /// Print one file of results as tables.
    Tables {
        /// Results in short, as `bench --export` writes them, or a bench's `runs.csv`.
        #[arg(value_name = "RESULTS.csv")]
        results: PathBuf,
    },
    /// Write the ledger of the paper's numbers, and every number that pages take from committed results.
    Reproduction {
        /// Write nothing; fail when something would change.
        #[arg(long)]
        check: bool,
        /// Fail when results were made by older code than this, instead of saying so on the pages.
        #[arg(long)]
        fresh: bool,
    },
    /// One run of a bench: an order on stdin, its outcome on stdout.
    #[command(hide = true)]
    BenchWorker,
}

#[derive(Args)]
pub(crate) struct BenchOptions {
    /// The plan, a TOML file; docs/experiments.md says what it can hold.
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Where results go; a bench that was stopped goes on from what is there.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Runs at the same time; they share the cores.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count)]
    pub(crate) jobs: usize,
    /// Threads of each run; the cores shared out by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Take results from here as well: folders of other benches, or files of results. Those of other code are ignored.
    #[arg(long, value_name = "DIR|FILE.csv,..", value_delimiter = ',')]
    pub(crate) with: Vec<PathBuf>,
    /// Make no runs: gather what is done.
    #[arg(long)]
    pub(crate) no_runs: bool,
    /// Try runs again that failed before.
    #[arg(long)]
    pub(crate) retry: bool,
    /// List what would be run and what is done, and run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write the results of the whole plan, in its order: the file to commit.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) export: Option<PathBuf>,
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("a whole number from 1 to 1024".to_owned()),
    }
}
