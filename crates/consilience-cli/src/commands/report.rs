//! `consilience report`: run folders to one page that opens anywhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilience::examine::Examine;
use consilience::landmarks::Examinable;
use consilience::{Cancel, Error, Result, Run, RunRecord};
use consilience_io::folder::{self, Place};
use consilience_io::{AboutSamples, Inputs, SavedRun, check_stdout, check_writable, write_atomically};
use consilience_report::{Document, Subject, describe, page};

use super::cluster::{Finished, solve};
use crate::args::{ExaminationOptions, ReportOptions};
use crate::interrupt::on_interrupt;
use crate::output::say;
use crate::progress::Progress;

pub(crate) fn run(options: &ReportOptions) -> Result<()> {
    let cancel = on_interrupt();
    for place in &options.folders {
        folder::require(place)?;
    }
    check_comparable(&options.folders)?;
    let asked = &options.examination;
    let about = asked.metadata.as_deref().map(AboutSamples::read).transpose()?;
    let about = about.as_ref();
    if let (None, [place]) = (&options.output, &options.folders[..]) {
        // the page inside a run's folder is the run's own
        check_stdout(asked.metadata.as_slice())?;
        let known = folder::read(place)?;
        folder::check_inputs(place, &read_by(&known, options))?;
        let mut home = Place::of_run(place)?;
        let (document, fresh) = document(place, known, asked, about, &cancel)?;
        return keep(&mut home, place, &document, fresh);
    }
    let file = options.output.clone().unwrap_or_else(|| PathBuf::from("comparison.html"));
    let mut read = Vec::new();
    for place in &options.folders {
        read.extend(read_by(&folder::read(place)?, options));
    }
    check_writable(&file, options.force, &read)?;
    let mut documents = Vec::with_capacity(options.folders.len());
    for place in &options.folders {
        let mut home = (asked != &ExaminationOptions::default() || !folder::has_report(place))
            .then(|| Place::of_run(place))
            .transpose()?;
        let (document, fresh) = document(place, folder::read(place)?, asked, about, &cancel)?;
        if let (Some(home), true) = (&mut home, fresh) {
            home.add_report(Some((&judged(place, &document)?, &json(&document)?)), None)?;
        }
        documents.push(document);
    }
    let page = page_of(&documents)?;
    write_atomically(&file, |out| out.write_all(page.as_bytes()))?;
    say(&format!("wrote {}: open it in a browser", file.display()));
    Ok(())
}

/// The files that a report of this run reads.
fn read_by(run: &SavedRun, options: &ReportOptions) -> Vec<PathBuf> {
    let inputs = run.inputs.as_ref().map(Inputs::paths).unwrap_or_default();
    inputs.into_iter().chain(options.examination.metadata.clone()).collect()
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

/// The document of the run in `place`, and whether it is new: as it was kept, or made now from the run's own files.
pub(crate) fn document(
    place: &Path,
    known: SavedRun,
    asked: &ExaminationOptions,
    about: Option<&AboutSamples>,
    cancel: &Cancel,
) -> Result<(Document, bool)> {
    let as_usual = asked.resamples.is_none() && asked.resample_share.is_none() && about.is_none();
    if as_usual && folder::has_report(place) {
        let kept = place.join(folder::REPORT_DATA);
        let text = std::fs::read_to_string(&kept).map_err(|source| Error::reading(&kept, source))?;
        let document = Document::read(&text).map_err(|error| {
            let what = format!("`{}`: {error}", kept.display());
            Error::data_with_hint(what, "remove `report.json` and try again")
        });
        return Ok((document?, false));
    }
    let Some(inputs) = &known.inputs else {
        return Err(Error::data_with_hint(
            format!("the run in `{}` was not made from files, so it cannot be made again here", place.display()),
            "make the report where the data are: `estimator.report(..)` in Python",
        ));
    };
    inputs.check_repeatable()?;
    let mut finished = solve(inputs, &known.record.settings, cancel.clone())?;
    let (record, made) = (&known.record, &finished.result.record);
    let shape = |record: &RunRecord| -> Vec<(String, usize)> {
        record.views.iter().map(|view| (view.name.clone(), view.d)).collect()
    };
    if record.labels != made.labels || shape(record) != shape(made) {
        return Err(Error::data_with_hint(
            format!("the run in `{}` gives other labels now: its files or the program have changed", place.display()),
            "run `consilience cluster` again, with `--report`",
        ));
    }
    // the account is that of the run itself: its time, its memory, its choices
    (finished.result.record, finished.origin) = (known.record, known.origin);
    Ok((examine(place, finished, asked, about, cancel)?, true))
}

/// Examines a finished run.
pub(crate) fn examine(
    place: &Path,
    run: Finished,
    asked: &ExaminationOptions,
    about: Option<&AboutSamples>,
    cancel: &Cancel,
) -> Result<Document> {
    let record = &run.result.record;
    // a table that does not fit does not wait for the runs
    let mut metadata = about.map(|table| table.of(record.ids.as_deref(), record.n)).transpose()?;
    let usual = Examine::default();
    let asked = Examine {
        resamples: asked.resamples.unwrap_or(usual.resamples),
        share: asked.resample_share.unwrap_or(usual.share),
        ..usual
    };
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
    let told = clustering.record.warnings.len();
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
    // those of the fit were told when it was made
    document.run.warnings.iter().skip(told).for_each(|warning| say(&format!("warning: {warning}")));
    Ok(document)
}

/// Puts a document, where it is new, and its page into the folder of the run.
pub(crate) fn keep(home: &mut Place, folder: &Path, document: &Document, fresh: bool) -> Result<()> {
    let page = page_of(std::slice::from_ref(document))?;
    let found = fresh.then(|| Ok::<_, Error>((judged(folder, document)?, json(document)?))).transpose()?;
    home.add_report(found.as_ref().map(|(run, data)| (run, data.as_str())), Some(&page))?;
    say(&format!("{}: {}", document.verdict.state.name(), document.verdict.headline));
    say(&format!("wrote {}: open it in a browser", folder.join(folder::REPORT_PAGE).display()));
    Ok(())
}

/// The run in `place` with the verdict of its document: one verdict, wherever it is read.
pub(crate) fn judged(place: &Path, document: &Document) -> Result<SavedRun> {
    let mut known = folder::read(place)?;
    known.record = known.record.with_verdict(document.verdict.state, document.cluster_verdicts());
    Ok(known)
}

pub(crate) fn json(document: &Document) -> Result<String> {
    document.to_json().map_err(|error| Error::data(error.to_string()))
}

fn page_of(documents: &[Document]) -> Result<String> {
    page(documents).map_err(|error| Error::data_with_hint(error.to_string(), "remove `report.json` and try again"))
}
