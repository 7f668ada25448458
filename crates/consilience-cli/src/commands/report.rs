//! `consilience report`: run folders to one page that opens anywhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilience::data::write_atomically;
use consilience::examine::Examine;
use consilience::{Cancel, Error, Result, Run};
use consilience_report::{Subject, describe, page};
use serde_json::Value;

use super::cluster::{Finished, solve};
use crate::args::{ClusterOptions, ReportOptions};
use crate::interrupt::on_interrupt;
use crate::output::say;
use crate::progress::Progress;

/// The document behind the page, kept in the run's folder.
const DOCUMENT: &str = "report.json";

pub(crate) fn run(options: &ReportOptions) -> Result<()> {
    let cancel = on_interrupt();
    let mut documents = Vec::with_capacity(options.folders.len());
    for folder in &options.folders {
        documents.push(document(folder, options.resamples, &cancel)?);
    }
    let file = match (&options.output, options.folders.as_slice()) {
        (Some(file), _) => file.clone(),
        (None, [folder]) => folder.join("report.html"),
        (None, _) => PathBuf::from("comparison.html"),
    };
    write_page(&file, &documents)
}

/// The document of the run in `folder`: as it was kept, or made now from the run's own files.
pub(crate) fn document(folder: &Path, resamples: Option<usize>, cancel: &Cancel) -> Result<String> {
    let (run, kept) = (folder.join("run.json"), folder.join(DOCUMENT));
    if resamples.is_none() && is_newer(&kept, &run) {
        return std::fs::read_to_string(&kept).map_err(|source| Error::reading(&kept, source));
    }
    let text = std::fs::read_to_string(&run).map_err(|source| Error::reading(&run, source))?;
    let mut known: Value = serde_json::from_str(&text).map_err(|error| Error::format(&run, error.to_string()))?;
    let arguments = serde_json::from_value::<ClusterOptions>(known["arguments"].take())
        .map_err(|error| Error::format(&run, format!("it does not say how the run was made: {error}")))?;
    let finished = solve(&arguments, cancel.clone())?;
    if known["labels"] != serde_json::json!(finished.result.labels) {
        return Err(Error::data_with_hint(
            format!("the run in `{}` gives other labels now: its files or the program have changed", folder.display()),
            "run `consilience cluster` again, with `--report`",
        ));
    }
    examine(folder, &finished, resamples, cancel)
}

/// Examines a finished run and keeps the document in its folder.
pub(crate) fn examine(folder: &Path, run: &Finished, resamples: Option<usize>, cancel: &Cancel) -> Result<String> {
    let asked = Examine { resamples: resamples.unwrap_or(Examine::default().resamples), ..Examine::default() };
    let progress = Arc::new(Progress::new());
    let observed = Run::new(progress.clone(), cancel.clone());
    let examination = asked.examine(&run.input.views, &run.settings, &run.result, &observed);
    progress.finish();
    let name = std::path::absolute(folder).ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let document = describe(&Subject {
        name: name.as_deref().unwrap_or("run"),
        views: &run.input.views,
        clustering: &run.result,
        record: &run.record,
        examination: &examination?,
        ids: run.input.ids.as_deref(),
        truth: run.input.truth.as_ref().map(|truth| &truth.labels),
    })?
    .to_string();
    write_atomically(&folder.join(DOCUMENT), |file| file.write_all(document.as_bytes()))?;
    Ok(document)
}

/// Puts documents into a page.
pub(crate) fn write_page(file: &Path, documents: &[String]) -> Result<()> {
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    let page =
        page(&texts).map_err(|error| Error::data_with_hint(error.to_string(), "remove `report.json` and try again"))?;
    write_atomically(file, |out| out.write_all(page.as_bytes()))?;
    say(&format!("wrote {}: open it in a browser", file.display()));
    Ok(())
}

fn is_newer(file: &Path, than: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    matches!((modified(file), modified(than)), (Some(file), Some(than)) if file >= than)
}
