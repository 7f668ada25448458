//! What can be said on the command line.

mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use consilience::method::DEFAULT_METHOD;
use consilience::settings::GivenWeights;
use consilience::settings::Landmarks;
use consilience::views::{Missing, Precomputed};
use consilience::{Corruption, CorruptionMode, Result, Scale, Settings};
use consilience_io::{Inputs, Join, ReadOptions, Transpose};

pub(crate) use values::Clusters;
use values::{clusters, files, key_value, memory, names, one_of, resample_share, resamples, threads, weights};

/// Multi-view clustering: several feature matrices of the same samples in, one clustering out.
#[derive(Parser)]
#[command(name = "consilience", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Try `consilience demo` first: it clusters 2000 handwritten digits in a second.")]
pub(crate) struct Arguments {
    /// Say nothing on stderr but errors.
    #[arg(short = 'q', long, global = true, conflicts_with = "verbose", display_order = 900)]
    pub(crate) quiet: bool,
    /// Say more on stderr: every decision about the files.
    #[arg(short = 'v', long, global = true, display_order = 900)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Cluster the samples that the files describe.
    Cluster(Box<ClusterOptions>),
    /// Place new samples in the clusters of a finished run.
    #[command(
        after_help = "Features are matched by name where files have names. Views may be left out.\n\nExamples:\n  \
        consilience cluster rna.csv prot.csv -k 5 -o run\n  consilience predict run new_rna.csv new_prot.csv -o new.csv"
    )]
    Predict(PredictOptions),
    /// Join clusters of a finished run until fewer are left, without a new fit.
    #[command(after_help = "Example:\n  consilience cut run -k 5 -o run5")]
    Cut(CutOptions),
    /// Score predicted labels against true ones.
    Evaluate(EvaluateOptions),
    /// Show what files hold and what is wrong with it.
    Inspect(InspectOptions),
    /// List the methods, or everything about one.
    Methods(MethodsOptions),
    /// Cluster the handwritten digits that come with the program, with every method that is not n x n.
    Demo(DemoOptions),
    /// Make up data of any size with known clusters: curved ones that overlap, in several views.
    Synthesize(SynthesizeOptions),
    /// Turn run folders into one page that shows what was found and how sure it is; several are compared.
    Report(ReportOptions),
    /// Draw one picture of a run as SVG or PNG.
    Plot(PlotOptions),
}

#[derive(Args)]
pub(crate) struct InputOptions {
    #[arg(required = true, value_name = "FILE", help = files())]
    pub(crate) files: Vec<PathBuf>,
    /// Column with the samples' ids in text tables and Parquet: a name, or a number from 1; `none` for none.
    #[arg(long, value_name = "COLUMN|none")]
    pub(crate) id_column: Option<String>,
    /// Column with the true labels in text tables and Parquet; only ever used for scoring.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label_column: Option<String>,
    /// Leave these columns of tables out.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) drop_columns: Vec<String>,
    /// Make a column of 0 and 1 for every value of these columns of tables.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) one_hot: Vec<String>,
    /// Rows are features and columns are samples: in every file, or in those named by `--transpose=A,B`.
    #[arg(long, value_name = "FILE", value_delimiter = ',', num_args = 0.., require_equals = true)]
    pub(crate) transpose: Option<Vec<String>>,
}

#[derive(Args)]
pub(crate) struct ClusterOptions {
    #[command(flatten)]
    pub(crate) input: InputOptions,
    /// Number of clusters; `auto` or a range such as `2-12` lets the data choose, and say why.
    #[arg(short = 'k', long = "clusters", value_name = "K", allow_negative_numbers = true, value_parser = clusters)]
    pub(crate) clusters: Clusters,
    /// Use only these views, in this order. A name that holds a comma is written in double quotes, here and in all lists: '"a,b",c'.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) views: Vec<String>,
    /// Which samples are kept when the files do not have the same ones.
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = one_of(Join::ALL, Join::name, Join::doc))]
    pub(crate) join: Join,
    /// What becomes of missing values.
    #[arg(long, value_name = "MODE", default_value = "refuse", value_parser = one_of(Missing::ALL, Missing::name, Missing::doc))]
    pub(crate) missing: Missing,
    /// These views are affinities (samples x samples, 0 is not alike at all; a neighbour graph, say), not features.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) affinity: Vec<String>,
    /// These views are distances (samples x samples; what a sparse file leaves out is too far to be neighbours).
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) distance: Vec<String>,
    /// The method; `consilience methods` lists them.
    #[arg(long, value_name = "ID", default_value = DEFAULT_METHOD)]
    pub(crate) method: String,
    /// Set a parameter of the method; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) settings: Vec<(String, String)>,
    /// Weights of the views, for the methods that weigh them, instead of those they find; only ratios count.
    #[arg(long, value_name = "VIEW=W,..", value_delimiter = ',')]
    pub(crate) weights: Vec<String>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Scaling of the features.
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = one_of(Scale::ALL, Scale::name, Scale::doc))]
    pub(crate) scale: Scale,
    /// Corrupt this share of the entries after scaling, as in the paper's experiments.
    #[arg(long, value_name = "F")]
    pub(crate) corrupt: Option<f64>,
    /// Whether the noise replaces entries or is added to them.
    #[arg(long, value_name = "MODE", default_value = "replace", requires = "corrupt",
          value_parser = one_of(CorruptionMode::ALL, CorruptionMode::name, CorruptionMode::doc))]
    pub(crate) corrupt_mode: CorruptionMode,
    /// Seed of the corruption.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "corrupt")]
    pub(crate) corrupt_seed: u64,
    /// True labels, to score the result with.
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// Write labels.csv, memberships.npy, embedding.npy, model.safetensors and run.json into this folder.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the run that is in that folder; files that are not a run's, and inputs, are kept all the same.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Examine the result (resampled runs, each view alone and left out) and write report.html into that folder.
    #[arg(long, requires = "output")]
    pub(crate) report: bool,
    /// Also find how each cluster would split in two, so that `cut` can give more clusters than K.
    #[arg(long, requires = "output")]
    pub(crate) splits: bool,
    /// Cluster only so many samples in full and place all among them: `auto` above 50,000 samples, `off`, or a number.
    #[arg(long, value_name = "auto|off|M", default_value = "auto")]
    pub(crate) landmarks: Landmarks,
    /// A text table about the samples, found by their ids: shown beside the clusters in the report, never used to find them.
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(crate) metadata: Option<PathBuf>,
    /// Threads; all cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Keep to this much memory, as `4G` or `500M`: cluster by landmarks where all samples would take more, and refuse what cannot
    /// be done with it. By default files and n x n methods are held against what the machine has free.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Say how the run would be made, and what it would take, instead of making it.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Print the whole record of the run as JSON instead of the labels.
    #[arg(long)]
    pub(crate) json: bool,
}

impl InputOptions {
    /// The files, and how to read them.
    pub(crate) fn inputs(&self) -> Inputs {
        let transpose = match &self.transpose {
            None => Transpose::None,
            Some(files) if files.is_empty() => Transpose::All,
            Some(files) => Transpose::Files(names(files)),
        };
        let options = ReadOptions {
            id_column: self.id_column.clone(),
            label_column: self.label_column.clone(),
            drop_columns: names(&self.drop_columns),
            one_hot: names(&self.one_hot),
            transpose,
            ..ReadOptions::default()
        };
        Inputs { files: self.files.clone(), options, ..Inputs::default() }
    }
}

impl PredictOptions {
    /// The views that are used, by name.
    pub(crate) fn chosen(&self) -> Vec<String> {
        names(&self.views)
    }
}

impl ClusterOptions {
    /// The files of the run.
    pub(crate) fn inputs(&self) -> Inputs {
        let (views, truth) = (names(&self.views), self.truth.clone());
        let kinds = [(&self.affinity, Precomputed::Affinity), (&self.distance, Precomputed::Distance)];
        let named = kinds.into_iter().flat_map(|(given, what)| names(given).into_iter().map(move |name| (name, what)));
        let precomputed = named.collect();
        let mut inputs =
            Inputs { views, truth, join: self.join, missing: self.missing, precomputed, ..self.input.inputs() };
        inputs.options.memory = self.memory;
        inputs
    }

    /// What is asked of it.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let corruption = self.corrupt.map(|fraction| Corruption {
            fraction,
            mode: self.corrupt_mode,
            seed: self.corrupt_seed,
            ..Corruption::default()
        });
        let weights = (!self.weights.is_empty()).then(|| GivenWeights::new(weights(&self.weights)?)).transpose()?;
        let (clusters, choose) = match self.clusters {
            Clusters::Given(clusters) => (clusters, None),
            Clusters::Chosen(range) => (1, Some(range)),
        };
        Ok(Settings::with_method(clusters, &self.method, &self.settings)?
            .choose(choose)
            .weights(weights)
            .scale(self.scale)
            .corruption(corruption)
            .landmarks(self.landmarks)
            .seed(self.seed)
            .threads(self.threads)
            .memory(self.memory))
    }
}

#[derive(Args)]
pub(crate) struct ReportOptions {
    /// Folders that `cluster -o` wrote.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// The page; report.html in the folder by default, comparison.html for several folders.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) examination: ExaminationOptions,
}

/// What a report asks besides its defaults.
#[derive(Args, Default, PartialEq)]
pub(crate) struct ExaminationOptions {
    /// Runs on random parts of the samples, which tell what a view does; 10 by default, 0 for none.
    #[arg(long, value_name = "N", value_parser = resamples)]
    pub(crate) resamples: Option<usize>,
    /// The share of the samples in each of them, above 0 and below 1; .5 by default.
    #[arg(long, value_name = "SHARE", value_parser = resample_share)]
    pub(crate) resample_share: Option<f64>,
    /// A text table about the samples, found by their ids: shown beside the clusters.
    #[arg(long, value_name = "FILE")]
    pub(crate) metadata: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CutOptions {
    /// Folder that `cluster -o` wrote.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Number of clusters; more than the run has only when it was made with `--splits`.
    #[arg(short = 'k', long = "clusters", value_name = "K")]
    pub(crate) clusters: usize,
    /// Write labels.csv and memberships.npy into this folder instead of the labels to stdout.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace these files.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
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
    /// Replace the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
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
    /// The features that set each cluster apart.
    Markers,
    /// How the clusters join: heights are 1 less the share of ties that go to the other.
    Tree,
    /// What spoke for which number of clusters, when it was chosen (`-k auto` or a range).
    K,
}

#[derive(Args)]
pub(crate) struct PredictOptions {
    /// The folder of a finished run, or its model.safetensors.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    /// Use only these views of the files.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) views: Vec<String>,
    /// Which samples are kept when the files do not have the same ones.
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = one_of(Join::ALL, Join::name, Join::doc))]
    pub(crate) join: Join,
    /// What becomes of missing values.
    #[arg(long, value_name = "MODE", default_value = "refuse", value_parser = one_of(Missing::ALL, Missing::name, Missing::doc))]
    pub(crate) missing: Missing,
    /// Write the table into this file instead of stdout.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace that file.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Print a JSON object with a list per column instead of the table.
    #[arg(long, conflicts_with = "output")]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct EvaluateOptions {
    /// Predicted labels: labels.csv, a text file with a label per line, .npy, or a container with labels.
    pub(crate) predicted: PathBuf,
    /// True labels, in any of the same forms. Samples are matched by id where both files have ids.
    pub(crate) truth: PathBuf,
    /// Which samples are scored when the files do not have the same ones.
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = one_of(Join::ALL, Join::name, Join::doc))]
    pub(crate) join: Join,
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
    /// Replace the run that is in that folder.
    #[arg(long)]
    pub(crate) force: bool,
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
pub(crate) struct SynthesizeOptions {
    /// The folder for view1.npy, view2.npy and so on, and labels.npy.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Number of samples.
    #[arg(short = 'n', long = "samples", value_name = "N")]
    pub(crate) samples: usize,
    /// Number of clusters.
    #[arg(short = 'k', long = "clusters", value_name = "K", default_value_t = 20)]
    pub(crate) clusters: usize,
    /// Features of the dense views.
    #[arg(long, value_name = "D,D", value_delimiter = ',', default_values_t = [50, 100, 30])]
    pub(crate) features: Vec<usize>,
    /// Features of further views of sparse counts.
    #[arg(long, value_name = "D,D", value_delimiter = ',')]
    pub(crate) counts: Vec<usize>,
    /// Distance between the centres of clusters, in standard deviations of the noise.
    #[arg(long, value_name = "S", default_value_t = 3.8)]
    pub(crate) separation: f64,
    /// Seed of the draw.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Replace files of the same names.
    #[arg(long)]
    pub(crate) force: bool,
}
