//! The folder of a finished run: `labels.csv`, `embedding.npy`, `run.json`, the model, what a report adds, and a mark that
//! says what the folder is. The program and Python write the same one. A folder holds one run, and nothing of anybody else's is
//! replaced.

use std::path::{Path, PathBuf};

use consilience::matrix::Dense;
use consilience::model::Model;
use consilience::{Error, Hint, Result, RunRecord};
use serde::{Deserialize, Serialize};

use crate::write::same_file;
use crate::{Inputs, Origin, model, write_atomically, write_labels_csv, write_npy};

/// Id and cluster of every sample.
pub const LABELS: &str = "labels.csv";
/// What k-means saw.
pub const EMBEDDING: &str = "embedding.npy";
/// What places new samples.
pub const MODEL: &str = "model.safetensors";
/// The account of the run.
pub const RECORD: &str = "run.json";
/// What an examination found, where there was one.
pub const REPORT_DATA: &str = "report.json";
/// The page made from it.
pub const REPORT_PAGE: &str = "report.html";
/// Says that the folder holds a run, and of which version; written last, so a folder that has it is whole.
pub const MARK: &str = ".consilience-run";

/// Every file that a run may own.
const OWN: [&str; 7] = [MARK, RECORD, LABELS, EMBEDDING, MODEL, REPORT_DATA, REPORT_PAGE];
/// Raised when the files of a folder change in a way that older programs cannot read.
const LAYOUT: u32 = 1;

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

#[derive(Serialize, Deserialize)]
struct Mark {
    consilience: String,
    layout: u32,
}

/// Whether a run of `inputs` may be written into `folder`: nothing that is there would be lost. [`write()`] checks it too;
/// asked first, the answer does not wait for the run.
///
/// # Errors
/// Names what would be replaced.
pub fn check(folder: &Path, inputs: Option<&Inputs>, existing: Existing) -> Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(Error::data_with_hint(
            format!("`{}` is a file, not a folder", folder.display()),
            "name a folder to write the run into; it is made where needed",
        ));
    }
    let there: Vec<&str> = OWN.into_iter().filter(|name| folder.join(name).symlink_metadata().is_ok()).collect();
    let read: Vec<PathBuf> = inputs.map(Inputs::paths).unwrap_or_default();
    if let Some(input) = read.iter().find(|input| there.iter().any(|name| same_file(input, &folder.join(name)))) {
        return Err(Error::data_with_hint(
            format!("the run would replace its own input `{}`", input.display()),
            "write into another folder; what is read is never replaced",
        ));
    }
    if there.is_empty() || (existing == Existing::Replace && there.contains(&MARK)) {
        return Ok(());
    }
    let visible: Vec<&str> = there.iter().copied().filter(|name| *name != MARK).collect();
    let what = format!("`{}` already holds {}", folder.display(), visible.join(", "));
    Err(if there.contains(&MARK) {
        Error::data_with_hint(what + ", of another run", Hint::ReplaceRun)
    } else {
        Error::data_with_hint(
            format!("{what}, which no run wrote: there is no {MARK} beside"),
            "write into another folder; files that are not a run's are never replaced",
        )
    })
}

/// Writes a run into `folder`, which is made where needed, with its model when there is one: each file whole or not at all.
///
/// # Errors
/// When something cannot be written, or would be lost: see [`check`].
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
/// folder::write(place, &run, &found.fitted.embedding, None, Existing::Keep)?;
/// assert_eq!(folder::read(place)?.record.labels, run.record.labels);
/// assert!(folder::write(place, &run, &found.fitted.embedding, None, Existing::Keep).is_err());
/// # Ok::<(), consilience::Error>(())
/// ```
pub fn write(
    folder: &Path,
    run: &SavedRun,
    embedding: &Dense<f64>,
    model: Option<&Model>,
    existing: Existing,
) -> Result<()> {
    check(folder, run.inputs.as_ref(), existing)?;
    std::fs::create_dir_all(folder).map_err(|source| Error::writing(folder, source))?;
    // the mark goes first: until the new one is there, this is no finished run; old pages must not outlive their labels
    for name in [MARK, RECORD, MODEL, REPORT_DATA, REPORT_PAGE] {
        remove(&folder.join(name))?;
    }
    write_labels_csv(&folder.join(LABELS), run.record.ids.as_deref(), &run.record.labels)?;
    write_npy(&folder.join(EMBEDDING), embedding)?;
    if let Some(model) = model {
        model::save(model, &folder.join(MODEL))?;
    }
    let json = |error| Error::data(format!("the record cannot be written as JSON: {error}"));
    let text = serde_json::to_string_pretty(run).map_err(json)?;
    write_atomically(&folder.join(RECORD), |file| writeln!(file, "{text}"))?;
    let mark = Mark { consilience: env!("CARGO_PKG_VERSION").to_owned(), layout: LAYOUT };
    let mark = serde_json::to_string(&mark).map_err(json)?;
    write_atomically(&folder.join(MARK), |file| writeln!(file, "{mark}"))
}

fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::writing(file, error)),
        _ => Ok(()),
    }
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
    if !folder.join(RECORD).is_file() {
        return no(format!("there is no {RECORD} in it"));
    }
    let path = folder.join(MARK);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return no(format!("there is no {MARK} in it, which a run writes last (from version 0.2 on)"));
    };
    match serde_json::from_str::<Mark>(&text) {
        Ok(mark) if mark.layout <= LAYOUT => Ok(()),
        Ok(mark) => no(format!("version {} wrote it, which is newer than this program", mark.consilience)),
        Err(_) => no(format!("its {MARK} is damaged")),
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

/// Reads the account of the run in `folder`.
///
/// # Errors
/// When there is none, or it is damaged or of another version's making that this one does not understand.
pub fn read(folder: &Path) -> Result<SavedRun> {
    require(folder)?;
    let path = folder.join(RECORD);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::reading(&path, source))?;
    serde_json::from_str(&text).map_err(|error| Error::format(&path, format!("not the record of a run: {error}")))
}

/// The files of the run in `folder` that nothing but the run itself may write.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    OWN.into_iter().filter(|name| *name != REPORT_PAGE).map(|name| folder.join(name)).collect()
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
        let write = |existing| write(&place, &run, &found.fitted.embedding, None, existing);
        write(Existing::Keep).unwrap();
        std::fs::write(place.join(REPORT_PAGE), "old page").unwrap();
        std::fs::write(place.join("notes.txt"), "mine").unwrap();
        let refused = message(write(Existing::Keep));
        assert!(refused.ends_with("already holds run.json, labels.csv, embedding.npy, report.html, of another run"));
        write(Existing::Replace).unwrap();
        assert!(!place.join(REPORT_PAGE).exists(), "no old page beside new labels");
        assert_eq!(std::fs::read_to_string(place.join("notes.txt")).unwrap(), "mine");

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
            assert!(
                message(check(place.path(), None, existing)).contains("already holds labels.csv, which no run wrote")
            );
            let inputs = Inputs { truth: Some(labels.clone()), ..Inputs::default() };
            assert!(message(check(place.path(), Some(&inputs), existing)).contains("replace its own input"));
            assert!(message(check(&labels, None, existing)).contains("is a file, not a folder"));
        }
        assert!(check(&place.path().join("new"), None, Existing::Keep).is_ok());
    }
}
