//! `consilience reproduction`: committed results to the ledger, and to every number that pages take from them.

use std::path::PathBuf;

use consilience::data::write_atomically;
use consilience::{Error, Result};
use consilience_experiments::blocks::{self, Results};
use consilience_experiments::ledger;
use consilience_experiments::paper::PaperNumbers;
use consilience_experiments::verdict::Reasons;

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
    let mut results = Results::new(&options.results);
    let paper = PaperNumbers::read(&options.experiments.join("paper-numbers.csv"))?;
    let reasons = Reasons::read(&options.experiments.join("reasons.toml"))?;
    let mut made = vec![(options.output.clone(), ledger::page(&paper, &reasons, &mut results)?)];
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
