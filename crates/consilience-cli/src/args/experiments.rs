//! What can be said of experiments: plans, their results, the pages.

use std::path::PathBuf;

use clap::Args;
use consilience::metrics::Metric;
use consilience_experiments::condition::Condition;
use consilience_experiments::selection::Shard;

use super::values::{condition, one_of, seconds, shard, threads};

#[derive(Args, Clone)]
pub(crate) struct BenchOptions {
    /// The plan, a TOML file; docs/experiments.md says what it can hold.
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Where results and tables go; a bench that was stopped goes on from what is there.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Runs at the same time; they share the cores.
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub(crate) jobs: usize,
    /// Run only these methods of the plan, by id or by name.
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Do not run these methods of the plan, by id or by name.
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',')]
    pub(crate) except: Vec<String>,
    /// Run only on these data sets of the plan.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) data: Vec<String>,
    /// Run only under these conditions of the plan, as tables name them: `clean`, `20 % add`.
    #[arg(long, value_name = "CONDITION,..", value_delimiter = ',', value_parser = condition)]
    pub(crate) noise: Vec<Condition>,
    /// Make one part of the runs, for several benches at once: `3/8` is the third of eight.
    #[arg(long, value_name = "PART/OF", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Take results from here as well: folders of other benches, or files of results in short. What is of other code stays
    /// unused.
    #[arg(long, value_name = "DIR|FILE.csv,..", value_delimiter = ',')]
    pub(crate) with: Vec<PathBuf>,
    /// Make no runs: gather what is done, and write tables.
    #[arg(long)]
    pub(crate) no_runs: bool,
    /// Threads of each run; the cores shared out by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Most seconds per run, instead of the plan's.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) limit_seconds: Option<f64>,
    /// Try runs again that failed before.
    #[arg(long)]
    pub(crate) retry: bool,
    /// List what would be run and what is done, and run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write the results in short as well: a line per run, for `consilience tables`.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) export: Option<PathBuf>,
    /// Print what was done as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct TablesOptions {
    /// Results in short, as `consilience bench --export` writes them.
    #[arg(value_name = "RESULTS.csv")]
    pub(crate) results: PathBuf,
    /// Where the tables go.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// What heads the tables; the name of the file by default.
    #[arg(long, value_name = "WORDS")]
    pub(crate) title: Option<String>,
    /// Scores to show.
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "acc,nmi,ari,purity",
          value_parser = one_of(Metric::ALL, Metric::name, Metric::doc))]
    pub(crate) metrics: Vec<Metric>,
    /// Published numbers to show beside ours.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) paper: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ReproductionOptions {
    /// Folder of the plans, with paper-numbers.csv and reasons.toml.
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    pub(crate) experiments: PathBuf,
    /// Folder of the results in short.
    #[arg(long, value_name = "DIR", default_value = "experiments/results")]
    pub(crate) results: PathBuf,
    /// The ledger.
    #[arg(short = 'o', long = "output", value_name = "FILE.md", default_value = "docs/reproduction.md")]
    pub(crate) output: PathBuf,
    /// Pages, or folders of pages, whose `<!-- results: .. -->` blocks are filled in.
    #[arg(long, value_name = "PATH,..", value_delimiter = ',', default_value = "README.md,docs")]
    pub(crate) pages: Vec<PathBuf>,
    /// Write nothing; fail when something would change.
    #[arg(long)]
    pub(crate) check: bool,
    /// Fail when results were made by older code than this, instead of saying so on the pages.
    #[arg(long)]
    pub(crate) fresh: bool,
}
