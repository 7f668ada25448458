//! `consilience synthesize`: made-up data of any size, written to files as they are drawn.

use std::sync::Arc;

use consilience::datasets::{Curves, MadeView};
use consilience::{Error, Result, Run, Stage};
use consilience_io::{check_writable, curves_files, write_curves};

use crate::args::SynthesizeOptions;
use crate::interrupt::on_interrupt;
use crate::output::say;
use crate::progress::Progress;

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
