//! `consilience tables`: results in short to tables, by the same code as `bench`.

use std::path::PathBuf;

use consilience::Result;
use consilience_experiments::paper::PaperNumbers;
use consilience_experiments::tables::{self, TablesInput};
use consilience_experiments::{figures, revisions, rows};
use consilience_io::check_writable;

use crate::args::TablesOptions;
use crate::output::say;

pub(crate) fn run(options: &TablesOptions) -> Result<()> {
    // tables are made again and again in one place, but never over what they are made from
    let read: Vec<PathBuf> = [&options.results].into_iter().chain(&options.paper).cloned().collect();
    check_writable(&options.output.join("tables.csv"), true, &read)?;
    tables::check_folder(&options.output)?;
    let paper = match &options.paper {
        Some(path) => PaperNumbers::read(path)?,
        None => PaperNumbers::default(),
    };
    let rows = rows::read(&options.results)?;
    let stale = revisions::stale_rows(&rows);
    if !stale.is_empty() {
        say(&format!("{} was made by older code: {}", options.results.display(), revisions::listed(&stale)));
    }
    let beside = options.results.with_extension("figures.json");
    let kept = if beside.is_file() { figures::read_kept(&beside)? } else { Vec::new() };
    let stem = options.results.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let title = options.title.as_deref().unwrap_or(&stem);
    tables::write(
        &options.output,
        &TablesInput { title, metrics: &options.metrics, paper: &paper, rows: &rows, kept: &kept },
    )?;
    let folder = options.output.display();
    say(&format!("wrote tables.md, tables.csv, tables.tex, leaderboard.md and timings.md to {folder}"));
    Ok(())
}
