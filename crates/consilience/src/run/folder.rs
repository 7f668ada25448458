//! The folder of a finished run: `labels.csv`, `embedding.npy`, `run.json`, and what a report adds. The program and
//! Python write the same one.

use std::path::Path;

use super::RunRecord;
use crate::data::{write_atomically, write_labels_csv, write_npy};
use crate::matrix::Dense;
use crate::{Error, Result};

/// Id and cluster of every sample.
pub const LABELS: &str = "labels.csv";
/// What k-means saw.
pub const EMBEDDING: &str = "embedding.npy";
/// The account of the run; written last, so a folder that has it is whole.
pub const RECORD: &str = "run.json";
/// What an examination found, where there was one.
pub const REPORT_DATA: &str = "report.json";
/// The page made from it.
pub const REPORT_PAGE: &str = "report.html";

/// Writes a run into `folder`, which is made where needed: each file whole or not at all.
///
/// # Errors
/// When something cannot be written.
///
/// # Examples
/// ```
/// use consilience::{Settings, View, Views, cluster, matrix::Dense, run::folder};
///
/// let view = View::new("height", Dense::from_fn(20, 1, |i, _| (i % 2 * 10 + i) as f64));
/// let found = cluster(&Views::new(vec![view])?, &Settings::new(2))?;
/// # let place = tempfile::tempdir().unwrap();
/// # let place = place.path();
/// folder::write(place, &found.record, &found.fitted.embedding)?;
/// assert_eq!(folder::read(place)?.labels, found.record.labels);
/// # Ok::<(), consilience::Error>(())
/// ```
pub fn write(folder: &Path, record: &RunRecord, embedding: &Dense<f64>) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|source| Error::writing(folder, source))?;
    write_labels_csv(&folder.join(LABELS), record.ids.as_deref(), &record.labels)?;
    write_npy(&folder.join(EMBEDDING), embedding)?;
    let text = serde_json::to_string_pretty(record)
        .map_err(|error| Error::data(format!("the record cannot be written as JSON: {error}")))?;
    write_atomically(&folder.join(RECORD), |file| writeln!(file, "{text}"))
}

/// Reads the account of the run in `folder`.
///
/// # Errors
/// When there is none, or it is damaged or of another version's making that this one does not understand.
pub fn read(folder: &Path) -> Result<RunRecord> {
    let path = folder.join(RECORD);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::reading(&path, source))?;
    serde_json::from_str(&text).map_err(|error| Error::format(&path, format!("not the record of a run: {error}")))
}
