//! `consilience report`: run folders to one page that opens anywhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilience::examine::Examine;
use consilience::landmarks::Examinable;
use consilience::{Cancel, Error, Result, Run, RunRecord};
use consilience_io::folder;
use consilience_io::{Metadata, check_writable, write_atomically};
use consilience_report::{Document, Subject, describe, page};

use super::cluster::{Finished, solve};
use crate::args::{ExaminationOptions, ReportOptions};
use crate::interrupt::on_interrupt;
use crate::output::say;
use crate::progress::Progress;

pub(crate) fn run(options: &ReportOptions) -> Result<()> {
    let cancel = on_interrupt();
    let own_page = options.folders.first().map(|place| place.join(folder::REPORT_PAGE));
    let file = match (&options.output, own_page) {
        (Some(file), _) => file.clone(),
        (None, Some(page)) if options.folders.len() == 1 => page,
        _ => PathBuf::from("comparison.html"),
    };
    for place in &options.folders {
        folder::require(place)?;
    }
    check_comparable(&options.folders)?;
    // the page inside a run's folder is the run's own
    let own = options.output.is_none() && options.folders.len() == 1;
    check_output(&file, own || options.force, &options.folders)?;
    let mut documents = Vec::with_capacity(options.folders.len());
    for place in &options.folders {
        documents.push(document(place, &options.examination, &cancel)?);
    }
    write_page(&file, &documents)
}

/// Runs that are compared are about the same samples: refused when they have none in common, warned of when they have some.
/// Asked before anything is computed.
fn check_comparable(folders: &[PathBuf]) -> Result<()> {
    for pair in folders.windows(2) {
        let (a, b) = (folder::read(&pair[0])?.record, folder::read(&pair[1])?.record);
        let names = format!("the runs in `{}` and `{}`", pair[0].display(), pair[1].display());
        let common = common_samples(&a, &b);
        if common == 0 {
            return Err(Error::data_with_hint(
                format!("{names} have no samples in common ({} and {} samples): there is nothing to compare", a.n, b.n),
                "make a page for each of them",
            ));
        }
        if common < a.n.max(b.n) {
            let of = format!("of {} and {}", a.n, b.n);
            say(&format!("warning: {names} have {common} samples in common, {of}: only these are compared"));
        }
    }
    Ok(())
}

/// Samples that two runs share: by id where both have ids that are unique, by their order where they are equally many.
fn common_samples(a: &RunRecord, b: &RunRecord) -> usize {
    let ids = |run: &RunRecord| -> Option<HashSet<String>> {
        let ids: HashSet<String> = run.ids.as_ref()?.iter().cloned().collect();
        (ids.len() == run.n).then_some(ids)
    };
    match (ids(a), ids(b)) {
        (Some(a), Some(b)) => a.intersection(&b).count(),
        _ if a.n == b.n => a.n,
        _ => 0,
    }
}

/// Nothing is lost by writing to `file`: neither what is there nor what the runs consist of and were made from.
pub(crate) fn check_output(file: &Path, replace: bool, runs: &[PathBuf]) -> Result<()> {
    let mut kept = Vec::new();
    for place in runs {
        kept.extend(folder::files(place));
        kept.extend(folder::read(place)?.inputs.map(|inputs| inputs.paths()).unwrap_or_default());
    }
    check_writable(file, replace, &kept)
}

/// The document of the run in `place`: as it was kept, or made now from the run's own files.
pub(crate) fn document(place: &Path, options: &ExaminationOptions, cancel: &Cancel) -> Result<Document> {
    folder::require(place)?;
    let kept = place.join(folder::REPORT_DATA);
    if *options == ExaminationOptions::default() && is_newer(&kept, &place.join(folder::RECORD)) {
        let text = std::fs::read_to_string(&kept).map_err(|source| Error::reading(&kept, source))?;
        return Document::read(&text).map_err(|error| {
            let what = format!("`{}`: {error}", kept.display());
            Error::data_with_hint(what, "remove `report.json` and try again")
        });
    }
    let known = folder::read(place)?;
    let Some(inputs) = &known.inputs else {
        return Err(Error::data_with_hint(
            format!("the run in `{}` was not made from files, so it cannot be made again here", place.display()),
            "make the report where the data are: `estimator.report(..)` in Python",
        ));
    };
    inputs.check_repeatable()?;
    let mut finished = solve(inputs, &known.record.settings, cancel.clone())?;
    if known.record.labels != finished.result.record.labels {
        return Err(Error::data_with_hint(
            format!("the run in `{}` gives other labels now: its files or the program have changed", place.display()),
            "run `consilience cluster` again, with `--report`",
        ));
    }
    // the account is that of the run itself: its time, its memory, its choices
    (finished.result.record, finished.origin) = (known.record, known.origin);
    examine(place, finished, options, cancel)
}

/// Examines a finished run and keeps the document in its folder.
pub(crate) fn examine(place: &Path, run: Finished, options: &ExaminationOptions, cancel: &Cancel) -> Result<Document> {
    let record = &run.result.record;
    // a table that cannot be read does not wait for the runs
    let read = |file: &PathBuf| Metadata::read(file, record.ids.as_deref(), record.n);
    let mut metadata = options.metadata.as_ref().map(read).transpose()?;
    let asked = Examine { resamples: options.resamples.unwrap_or(Examine::default().resamples), ..Examine::default() };
    let progress = Arc::new(Progress::new());
    let observed = Run::new(progress.clone(), cancel.clone());
    // nothing is done here that needs the zeros of sparse views written out
    let views = run.views.map(|views| views.compacted());
    let Examinable { views, clustering, rows } = run.result.examinable(views)?;
    let mut truth = run.truth.map(|truth| truth.labels);
    if let Some(rows) = &rows {
        truth = truth.map(|truth| truth.select(rows)).transpose()?;
        metadata = metadata.map(|metadata| metadata.select(rows));
    }
    let examination = asked.examine(&views, &clustering.record.settings, &clustering, &observed);
    progress.finish();
    let name = std::path::absolute(place).ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let document = describe(&Subject {
        name: name.as_deref().unwrap_or("run"),
        views: &views,
        clustering: &clustering,
        examination: &examination?,
        truth: truth.as_ref(),
        metadata: metadata.as_ref(),
        origin: run.origin.as_ref(),
    })?;
    let text = document.to_json().map_err(|error| Error::data(error.to_string()))?;
    write_atomically(&place.join(folder::REPORT_DATA), |file| file.write_all(text.as_bytes()))?;
    Ok(document)
}

/// Puts documents into a page.
pub(crate) fn write_page(file: &Path, documents: &[Document]) -> Result<()> {
    let page = page(documents)
        .map_err(|error| Error::data_with_hint(error.to_string(), "remove `report.json` and try again"))?;
    write_atomically(file, |out| out.write_all(page.as_bytes()))?;
    say(&format!("wrote {}: open it in a browser", file.display()));
    Ok(())
}

fn is_newer(file: &Path, than: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    matches!((modified(file), modified(than)), (Some(file), Some(than)) if file >= than)
}
