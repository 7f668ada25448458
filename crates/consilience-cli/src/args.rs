//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use consilience::method::DEFAULT_METHOD;
use consilience::{CorruptionMode, Scale};
use serde::{Deserialize, Serialize};

/// Multi-view clustering: several feature matrices of the same samples in, one clustering out.
#[derive(Parser)]
#[command(name = "consilience", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Try `consilience demo` first: it clusters 2000 handwritten digits in a second.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Cluster the samples that the files describe.
    Cluster(ClusterOptions),
    /// Score predicted labels against true ones.
    Evaluate(EvaluateOptions),
    /// Show what files hold and what is wrong with it.
    Inspect(InspectOptions),
    /// List the methods, or everything about one.
    Methods(MethodsOptions),
    /// Cluster the handwritten digits that come with the program, with every method.
    Demo(DemoOptions),
    /// Turn run folders into one page that shows what was found and how sure it is; several are compared.
    Report(ReportOptions),
    /// Draw one picture of a run as SVG or PNG.
    Plot(PlotOptions),
    /// Run an experiment plan: methods x data sets x noise x seeds, into tables.
    Bench(BenchOptions),
    /// Make tables again from results in short.
    Tables(TablesOptions),
    /// Write the ledger of the paper's numbers, and every number that pages take from committed results.
    Reproduction(ReproductionOptions),
    /// One run of a bench: a job on stdin, its outcome on stdout.
    #[command(hide = true)]
    BenchWorker,
}

#[derive(Clone, Args, Serialize, Deserialize)]
pub(crate) struct InputOptions {
    /// Files with views: .npy, .npz, .csv, .tsv, .mat (v5, v7.3), .parquet; `:digits` are those inside the program.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Column with the samples' ids in text tables and Parquet: a name, or a number from 1.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id_column: Option<String>,
    /// Column with the true labels in text tables and Parquet; only ever used for scoring.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label_column: Option<String>,
}

/// Also kept in `run.json`, so that a run can be made again.
#[derive(Clone, Args, Serialize, Deserialize)]
pub(crate) struct ClusterOptions {
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) input: InputOptions,
    /// Number of clusters.
    #[arg(short = 'k', long = "clusters", value_name = "K", allow_negative_numbers = true, value_parser = clusters)]
    pub(crate) clusters: usize,
    /// Use only these views, in this order.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) views: Vec<String>,
    /// The method; `consilience methods` lists them.
    #[arg(long, value_name = "ID", default_value = DEFAULT_METHOD)]
    pub(crate) method: String,
    /// Set a parameter of the method; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) settings: Vec<(String, String)>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Scaling of the features.
    #[arg(long, value_name = "MODE", default_value = "auto")]
    pub(crate) scale: ScaleArgument,
    /// Corrupt this share of the entries after scaling, as in the paper's experiments.
    #[arg(long, value_name = "F")]
    pub(crate) corrupt: Option<f64>,
    /// Whether the noise replaces entries or is added to them.
    #[arg(long, value_name = "MODE", default_value = "replace", requires = "corrupt")]
    pub(crate) corrupt_mode: CorruptArgument,
    /// Seed of the corruption.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "corrupt")]
    pub(crate) corrupt_seed: u64,
    /// True labels, to score the result with.
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// Write labels.csv, embedding.npy and run.json into this folder.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    #[serde(skip)]
    pub(crate) output: Option<PathBuf>,
    /// Examine the result (resampled runs, each view alone and left out) and write report.html into that folder.
    #[arg(long, requires = "output")]
    #[serde(skip)]
    pub(crate) report: bool,
    /// Threads; all cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    #[serde(skip)]
    pub(crate) threads: Option<usize>,
    /// Refuse a method that would need more memory than this; by default what the machine has free.
    #[arg(long, value_name = "GB", value_parser = memory)]
    #[serde(skip)]
    pub(crate) memory: Option<u64>,
    /// Print the whole record of the run as JSON instead of the labels.
    #[arg(long)]
    #[serde(skip)]
    pub(crate) json: bool,
}

/// The options of `cluster` by themselves, to be parsed from a line that the program itself writes.
#[derive(Parser)]
pub(crate) struct ClusterOnly {
    #[command(flatten)]
    pub(crate) options: ClusterOptions,
}

#[derive(Args)]
pub(crate) struct ReportOptions {
    /// Folders that `cluster -o` wrote.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// The page; report.html in the folder by default, comparison.html for several folders.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Runs on random parts of the samples that measure stability; 10 by default, 0 for none.
    #[arg(long, value_name = "N", value_parser = resamples)]
    pub(crate) resamples: Option<usize>,
}

#[derive(Args)]
pub(crate) struct PlotOptions {
    /// What to draw.
    pub(crate) picture: Picture,
    /// Folder that `cluster -o` wrote.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// The file: .svg or .png.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// What `plot` draws.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Picture {
    /// The consensus affinity, samples ordered by cluster.
    Affinity,
    /// The samples in two dimensions, coloured by cluster.
    Embedding,
    /// The objective over the iterations.
    Convergence,
    /// How far the views agree with each other and with the consensus.
    Agreement,
    /// Clusters against true classes.
    Confusion,
}

#[derive(Args)]
pub(crate) struct EvaluateOptions {
    /// Predicted labels: labels.csv, a text file with a label per line, .npy, or a container with labels.
    pub(crate) predicted: PathBuf,
    /// True labels, in any of the same forms.
    pub(crate) truth: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct InspectOptions {
    #[command(flatten)]
    pub(crate) input: InputOptions,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct MethodsOptions {
    /// Show everything about this method.
    pub(crate) id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct DemoOptions {
    /// Where the best result is written.
    #[arg(short = 'o', long = "output", value_name = "DIR", default_value = "consilience-demo")]
    pub(crate) output: PathBuf,
    /// Examine the best result and write report.html into that folder.
    #[arg(long)]
    pub(crate) report: bool,
    /// Threads; all cores by default.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
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
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "acc,nmi,ari,purity")]
    pub(crate) metrics: Vec<String>,
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
}

/// [`Scale`] by name.
#[derive(Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScaleArgument {
    /// Unit rows for sparse non-negative data, z-score otherwise.
    Auto,
    /// Every column to mean 0 and standard deviation 1.
    Zscore,
    /// Every row to length 1.
    Unit,
    /// Every column to the range 0 to 1.
    Minmax,
    /// As they are.
    None,
}

impl From<ScaleArgument> for Scale {
    fn from(argument: ScaleArgument) -> Self {
        match argument {
            ScaleArgument::Auto => Self::Auto,
            ScaleArgument::Zscore => Self::Zscore,
            ScaleArgument::Unit => Self::Unit,
            ScaleArgument::Minmax => Self::Minmax,
            ScaleArgument::None => Self::None,
        }
    }
}

/// [`CorruptionMode`] by name.
#[derive(Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CorruptArgument {
    /// The noise takes the entry's place.
    Replace,
    /// The noise is added to the entry.
    Add,
}

impl From<CorruptArgument> for CorruptionMode {
    fn from(argument: CorruptArgument) -> Self {
        match argument {
            CorruptArgument::Replace => Self::Replace,
            CorruptArgument::Add => Self::Add,
        }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as key=value, for example neighbours=15".to_owned()),
    }
}

fn clusters(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a whole number, at least 1".to_owned())
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("a whole number from 1 to 1024".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("a number of seconds above 0, at most 1000000".to_owned()),
    }
}

/// Gigabytes, kept as bytes.
fn memory(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(gigabytes) if (0.001..=1e6).contains(&gigabytes) => Ok((gigabytes * 1e9) as u64),
        _ => Err("a number of gigabytes from 0.001 to 1000000".to_owned()),
    }
}

fn resamples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 0..=1000) => Ok(count),
        _ => Err("a whole number from 0 to 1000".to_owned()),
    }
}
