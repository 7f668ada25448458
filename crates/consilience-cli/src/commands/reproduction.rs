//! `consilience reproduction`: committed results to the ledger, and to every number that pages take from them.

use std::path::PathBuf;

use consilience::{Error, Result};
use consilience_experiments::blocks::{self, Results};
use consilience_experiments::figures::{self, Figure};
use consilience_experiments::paper::{PaperNumbers, Reasons};
use consilience_experiments::{ledger, revisions};
use consilience_io::write_atomically;

use crate::args::ReproductionOptions;
use crate::output::say;

pub(crate) fn run(options: &ReproductionOptions) -> Result<()> {
    let mut stale = Vec::new();
    for (path, text) in made(options)? {
        let now = std::fs::read_to_string(&path).ok();
        if now.as_ref() != Some(&text) {
            stale.push((path, text));
        }
    }
    if options.check && !stale.is_empty() {
        let names: Vec<String> = stale.iter().map(|(path, _)| path.display().to_string()).collect();
        let what = format!("not what the results in `{}` give: {}", options.results.display(), names.join(", "));
        return Err(Error::data_with_hint(what, "`make reproduction` writes them again; look at the difference"));
    }
    for (path, text) in &stale {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
        }
        write_atomically(path, |file| file.write_all(text.as_bytes()))?;
        say(&format!("wrote {}", path.display()));
    }
    if stale.is_empty() {
        say("every page is what the results give");
    }
    Ok(())
}

/// Every page that comes from results, as it should be.
fn made(options: &ReproductionOptions) -> Result<Vec<(PathBuf, String)>> {
    let mut results = Results::new(&options.results, &options.experiments.join("facts"));
    let paper = PaperNumbers::read(&options.experiments.join("paper-numbers.csv"))?;
    let reasons = Reasons::read(&options.experiments.join("reasons.toml"))?;
    tell_stale(options, &mut results)?;
    let drawn = drawings(options, &mut results)?;
    let mut made = vec![(options.output.clone(), ledger::page(&paper, &reasons, &mut results, &drawn)?)];
    let folder = options.output.with_file_name("figures");
    made.extend(drawn.into_iter().map(|figure| (folder.join(format!("{}.svg", figure.name)), figure.svg)));
    for page in blocks::pages(&options.pages)? {
        if page == options.output {
            continue;
        }
        let text = std::fs::read_to_string(&page).map_err(|error| Error::reading(&page, error))?;
        let filled = blocks::fill(&page, &text, &mut results)?;
        made.push((page, filled));
    }
    Ok(made)
}

/// The figures of every file of results, named `FILE-FIGURE`.
fn drawings(options: &ReproductionOptions, results: &mut Results) -> Result<Vec<Figure>> {
    let mut made = Vec::new();
    for name in results.names() {
        let beside = options.results.join(format!("{name}.figures.json"));
        let kept = if beside.is_file() { figures::read_kept(&beside)? } else { Vec::new() };
        let drawn = figures::all(results.get(&name)?.unwrap_or_default(), &kept).into_iter();
        made.extend(drawn.map(|figure| Figure { name: format!("{name}-{}", figure.name), ..figure }));
    }
    Ok(made)
}

/// Says which results were made by older code; an error when there may be none.
fn tell_stale(options: &ReproductionOptions, results: &mut Results) -> Result<()> {
    let stale = results.stale()?;
    for (file, stale) in &stale {
        say(&format!("{file}.csv was made by older code: {}", revisions::listed(stale)));
    }
    if options.fresh && !stale.is_empty() {
        let what = format!("results in `{}` are stale", options.results.display());
        return Err(Error::data_with_hint(what, "docs/experiments.md says how every file is made again"));
    }
    Ok(())
}
