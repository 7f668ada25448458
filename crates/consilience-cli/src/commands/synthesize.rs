//! `consilience synthesize`: made-up data of any size, written to files as they are drawn.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use consilience::datasets::{Curves, MadeView};
use consilience::{Error, Result, Run, Stage};
use consilience_io::{check_writable, curves_files, write_curves};

use crate::interrupt::on_interrupt;
use crate::output::say;
use crate::progress::Progress;

#[derive(Args)]
pub(crate) struct SynthesizeOptions {
    /// The folder for view1.npy, view2.npy and so on, and labels.npy.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Number of samples.
    #[arg(short = 'n', long = "samples", value_name = "N")]
    samples: usize,
    /// Number of clusters.
    #[arg(short = 'k', long = "clusters", value_name = "K", default_value_t = 20)]
    clusters: usize,
    /// Features of the dense views.
    #[arg(long, value_name = "D,D", value_delimiter = ',', default_values_t = [50, 100, 30])]
    features: Vec<usize>,
    /// Features of further views of sparse counts.
    #[arg(long, value_name = "D,D", value_delimiter = ',')]
    counts: Vec<usize>,
    /// Distance between the centres of clusters, in standard deviations of the noise.
    #[arg(long, value_name = "S", default_value_t = 3.8)]
    separation: f64,
    /// Seed of the draw.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Replace files of the same names.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(options: &SynthesizeOptions) -> Result<()> {
    let cancel = on_interrupt();
    let dense = options.features.iter().map(|&d| MadeView::Dense(d));
    let curves = Curves {
        samples: options.samples,
        clusters: options.clusters,
        views: dense.chain(options.counts.iter().map(|&d| MadeView::Counts(d))).collect(),
        separation: options.separation,
        seed: options.seed,
    };
    let folder = &options.folder;
    std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    curves_files(&curves, folder).iter().try_for_each(|file| check_writable(file, options.force, &[]))?;
    let progress = Arc::new(Progress::new());
    let run = Run::new(progress.clone(), cancel);
    run.enter(Stage::Prepare);
    let written = write_curves(&curves, folder, &run);
    progress.finish();
    let files = written?;
    let names: Vec<String> =
        files.iter().filter_map(|file| file.file_name()).map(|name| name.display().to_string()).collect();
    say(&format!(
        "wrote {} samples of {} clusters to {}: {}",
        options.samples,
        options.clusters,
        folder.display(),
        names.join(", ")
    ));
    Ok(())
}
