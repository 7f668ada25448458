//! The folder of a finished run: `labels.csv`, `embedding.npy`, `run.json`, the model, what a report adds, and a mark that
//! says what the folder is. The program and Python write the same one. A folder holds one run, and nothing of anybody else's is
//! replaced.

mod contents;
mod mark;
mod place;

use std::path::{Path, PathBuf};

use consilience::matrix::Dense;
use consilience::memberships::Memberships;
use consilience::model::Model;
use consilience::{Error, Hint, Result, RunRecord};
use serde::{Deserialize, Serialize};

use crate::{Inputs, Origin};
pub use contents::zipped;
use mark::{LAYOUT, Mark};
pub use place::{Place, abandon, check_inputs};

/// Id and cluster of every sample.
pub const LABELS: &str = "labels.csv";
/// What k-means saw.
pub const EMBEDDING: &str = "embedding.npy";
/// The shares of all clusters in every sample, samples x clusters.
pub const MEMBERSHIPS: &str = "memberships.npy";
/// The largest of them, where there are very many: as SciPy writes sparse matrices.
pub const SPARSE_MEMBERSHIPS: &str = "memberships.npz";
/// What places new samples.
pub const MODEL: &str = "model.safetensors";
/// The account of the run.
pub const RECORD: &str = "run.json";
/// What an examination found, where there was one.
pub const REPORT_DATA: &str = "report.json";
/// The page made from it.
pub const REPORT_PAGE: &str = "report.html";
/// Says that the folder holds a run, of which version, and which files are the run's.
pub const MARK: &str = ".consilience-run";

/// A whole run that has come to the folder, whose files are not yet in their places.
const READY: &str = ".consilience-ready";
/// Every file that a run may own.
const OWN: [&str; 9] =
    [MARK, RECORD, LABELS, EMBEDDING, MEMBERSHIPS, SPARSE_MEMBERSHIPS, MODEL, REPORT_DATA, REPORT_PAGE];

/// What to do with a run that is in the folder already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and refuse.
    Keep,
    /// Replace it, all of it. Files that are not a run's are kept all the same.
    Replace,
}

impl Existing {
    /// What `--force` means.
    pub fn forced(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// What a run folder holds besides the account.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// What k-means saw.
    pub embedding: &'a Dense<f64>,
    /// How sure the cluster of every sample is.
    pub memberships: Option<&'a Memberships>,
    /// What places new samples.
    pub model: Option<&'a Model>,
}

/// Writes a run into `folder`, which is made where needed, with its model when there is one: all of it at once, or nothing.
/// Who wants to know before the work whether that will be allowed opens a [`Place`] first.
///
/// # Errors
/// When something cannot be written, or would be lost.
///
/// # Examples
/// ```
/// use consilience_io::SavedRun;
/// use consilience_io::folder::{self, Existing};
/// use consilience::{Settings, View, Views, cluster, matrix::Dense};
///
/// let view = View::new("height", Dense::from_fn(20, 1, |i, _| (i % 2 * 10 + i) as f64));
/// let found = cluster(&Views::new(vec![view])?, &Settings::new(2))?;
/// # let place = tempfile::tempdir().unwrap();
/// # let place = place.path();
/// let run = SavedRun::from(found.record);
/// let files = folder::Files { embedding: &found.fitted.embedding, memberships: Some(&found.memberships), model: None };
/// folder::write(place, &run, &files, Existing::Keep)?;
/// assert_eq!(folder::read(place)?.record.labels, run.record.labels);
/// assert!(folder::write(place, &run, &files, Existing::Keep).is_err());
/// # Ok::<(), consilience::Error>(())
/// ```
pub fn write(folder: &Path, run: &SavedRun, files: &Files<'_>, existing: Existing) -> Result<()> {
    let read = run.inputs.as_ref().map(Inputs::paths).unwrap_or_default();
    Place::open(folder, &read, existing, false)?.write(run, files)
}

/// That `folder` is the folder of a finished run.
///
/// # Errors
/// Says what it lacks.
pub fn require(folder: &Path) -> Result<()> {
    let no = |why: String| {
        Err(Error::data_with_hint(
            format!("`{}` is not the folder of a finished run: {why}", folder.display()),
            Hint::WriteRun,
        ))
    };
    if !folder.is_dir() {
        return no("there is no such folder, so no run.json".to_owned());
    }
    place::settle(folder)?;
    if !folder.join(RECORD).is_file() {
        return no(format!("there is no {RECORD} in it"));
    }
    match Mark::read(folder) {
        Ok(mark) if mark.layout <= LAYOUT => Ok(()),
        Ok(mark) => no(format!("version {} wrote it, which is newer than this program", mark.consilience)),
        Err(why) => no(why),
    }
}

/// The file of a model that is named itself or by the folder of its run.
///
/// # Errors
/// When the folder is no run's, or its run has no model.
pub fn model_file(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    require(path)?;
    let file = path.join(MODEL);
    if file.exists() {
        return Ok(file);
    }
    Err(Error::data_with_hint(
        format!("the run in `{}` has no {MODEL}", path.display()),
        "runs of before models existed, and those of corrupted views, have none: make it again",
    ))
}

/// How sure the cluster of every sample is, in the run in `folder` that gave these labels; none in runs of before 0.3.
///
/// # Errors
/// When the file is damaged or of other samples.
pub fn memberships(folder: &Path, labels: &[usize]) -> Result<Option<Memberships>> {
    let file = [MEMBERSHIPS, SPARSE_MEMBERSHIPS].map(|name| folder.join(name)).into_iter().find(|file| file.exists());
    let Some(file) = file else { return Ok(None) };
    let loaded = crate::read(&file)?;
    let shares = loaded.views.first().ok_or_else(|| Error::format(&file, "there are no shares in it"))?;
    Memberships::from_matrix(&shares.data, labels).map(Some)
}

/// Reads the account of the run in `folder`.
///
/// # Errors
/// When there is none, or it is damaged or of another version's making that this one does not understand.
pub fn read(folder: &Path) -> Result<SavedRun> {
    require(folder)?;
    let path = folder.join(RECORD);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::reading(&path, source))?;
    let wrong = |error: &dyn std::fmt::Display| Error::format(&path, format!("not the record of a run: {error}"));
    let run: SavedRun = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    // anybody can edit it
    run.record.check().map_err(|error| wrong(&error))?;
    Ok(run)
}

/// Whether the run in `folder` has been examined: what [`REPORT_DATA`] says is of this run.
pub fn has_report(folder: &Path) -> bool {
    let modified = |name: &str| std::fs::metadata(folder.join(name)).and_then(|about| about.modified()).ok();
    match Mark::read(folder) {
        Ok(mark) if mark.files.is_some() => mark.lists(folder, REPORT_DATA) && folder.join(REPORT_DATA).is_file(),
        // version 0.2 kept no list
        _ => matches!((modified(REPORT_DATA), modified(RECORD)), (Some(data), Some(record)) if data >= record),
    }
}

/// The folder of the run that `file` is a part of, when it is.
pub(crate) fn owner(file: &Path) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    let (folder, name) = (real.parent()?, real.file_name()?.to_str()?);
    let mark = Mark::read(folder).ok()?;
    (name == MARK || mark.lists(folder, name)).then(|| folder.to_owned())
}

/// A run's record, and the files it was made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedRun {
    /// What was asked and what came out.
    #[serde(flatten)]
    pub record: RunRecord,
    /// The files it was made from; none when the views were in memory.
    #[serde(default)]
    pub inputs: Option<Inputs>,
    /// The files as they were, the day, the command and the machine, where the program made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl From<RunRecord> for SavedRun {
    /// A run of views that were in memory.
    fn from(record: RunRecord) -> Self {
        Self { record, inputs: None, origin: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilience::datasets::Blobs;
    use consilience::{Settings, cluster};

    fn message(result: Result<()>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole_and_only_when_asked() {
        let blobs = Blobs { samples: 20, clusters: 2, features: vec![3], separation: 12.0, seed: 1 };
        let found = cluster(&blobs.generate().unwrap().0, &Settings::new(2)).unwrap();
        let place = tempfile::tempdir().unwrap();
        let place = place.path().join("deep/run");
        let run = SavedRun::from(found.record.clone());
        let files = Files { embedding: &found.fitted.embedding, memberships: Some(&found.memberships), model: None };
        let write = |existing| write(&place, &run, &files, existing);
        write(Existing::Keep).unwrap();
        Place::of_run(&place).unwrap().add_report(Some((&run, "{}")), Some("old page")).unwrap();
        std::fs::write(place.join("notes.txt"), "mine").unwrap();
        let refused = message(write(Existing::Keep));
        assert!(
            refused.ends_with(
                "already holds run.json, labels.csv, embedding.npy, memberships.npy, report.json, report.html, of another run"
            )
        );
        assert!(has_report(&place));
        write(Existing::Replace).unwrap();
        assert!(!place.join(REPORT_PAGE).exists(), "no old page beside new labels");
        assert!(!has_report(&place));
        assert_eq!(std::fs::read_to_string(place.join("notes.txt")).unwrap(), "mine");
        std::fs::remove_file(place.join("notes.txt")).unwrap();
        Place::of_run(&place).unwrap().add_report(Some((&run, "{}")), None).unwrap();
        write(Existing::Replace).unwrap();
        assert!(!place.join(REPORT_DATA).exists(), "nor beside a run in a folder of its own");
        let around = place.parent().unwrap();
        assert_eq!(std::fs::read_dir(around).unwrap().count(), 1, "nothing was left behind");

        // a run that did not get to its end
        std::fs::remove_file(place.join(MARK)).unwrap();
        assert!(message(require(&place)).contains("there is no .consilience-run in it"));
        assert!(message(write(Existing::Replace)).contains("which no run wrote"));
        std::fs::write(place.join(MARK), "{\"consilience\": \"9.0\", \"layout\": 99}").unwrap();
        assert!(message(require(&place)).contains("version 9.0 wrote it"));
    }

    #[test]
    fn files_of_others_and_inputs_stay_force_or_not() {
        let place = tempfile::tempdir().unwrap();
        let labels = place.path().join(LABELS);
        std::fs::write(&labels, "my own labels").unwrap();
        for existing in [Existing::Keep, Existing::Replace] {
            let open = |folder: &Path, read: &[PathBuf]| Place::open(folder, read, existing, false).map(drop);
            assert!(message(open(place.path(), &[])).contains("already holds labels.csv, which no run wrote"));
            assert!(message(open(place.path(), std::slice::from_ref(&labels))).contains("replace its own input"));
            assert!(message(open(&labels, &[])).contains("is a file, not a folder"));
            assert!(open(&place.path().join("new"), &[]).is_ok());
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "nothing was left behind");
    }
}
