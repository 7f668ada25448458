//! `consilience synthesize`: made-up data of any size, written to files as they are drawn.

use std::path::Path;
use std::sync::Arc;

use consilience::datasets::{Curves, MadeView};
use consilience::{Error, MemoryLimit, Result, Run, Stage, size_in_words};
use consilience_io::disk::free_space;
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
    curves.check()?;
    check_size(&curves, folder)?;
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

/// Refuses what neither the disk nor the memory has room for, before anything is written.
fn check_size(curves: &Curves, folder: &Path) -> Result<()> {
    let samples = curves.samples as f64;
    // a row of counts has at most so many words, of twelve bytes each with what says where it ends
    let row = |view: &MadeView| match view {
        MadeView::Dense(features) => 4.0 * *features as f64,
        MadeView::Counts(_) => 12.0 * 120.0,
    };
    let bytes = samples * (4.0 + curves.views.iter().map(row).sum::<f64>());
    let widest = curves.views.iter().map(|view| view.features() as f64).fold(0.0, f64::max);
    let held = 8.0 * widest * (samples.min(4096.0) + 3.0 * curves.clusters as f64);
    let what = format!("{} samples", curves.samples);
    let most = free_space(folder).map_or(f64::MAX, |free| free as f64);
    if bytes > most.min(u64::MAX as f64) {
        let (needed, free) = (size_in_words(bytes as u64), size_in_words(most as u64));
        return Err(Error::data_with_hint(
            format!(
                "{what} of these features take {needed} on the disk, and {free} are free at `{}`",
                folder.display()
            ),
            "draw fewer samples or features",
        ));
    }
    let available = MemoryLimit::new(None).bytes();
    if held > available as f64 {
        return Err(Error::Memory { what, needed: held as u64, available, hint: "draw fewer features".into() });
    }
    Ok(())
}
