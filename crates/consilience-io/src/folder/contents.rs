//! What the files of a run hold, wherever they go: into a folder on the disk, or into a zip archive in memory.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};

use consilience::matrix::Matrix;
use consilience::memberships::Memberships;
use consilience::{Error, Result};
use sha2::{Digest as _, Sha256};
use zip::write::FileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::mark::Mark;
use super::{EMBEDDING, Files, LABELS, MARK, MEMBERSHIPS, MODEL, RECORD, SPARSE_MEMBERSHIPS, SavedRun};
use crate::write::{put_npy, put_npz, write_labels};
use crate::{model, origin};

/// Writes the content of a file.
type Fill<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// A run whose parts fit each other, ready to be written.
pub(super) struct Contents<'a> {
    run: &'a SavedRun,
    files: &'a Files<'a>,
    confidence: Option<&'a [f64]>,
    record: String,
    model: Option<Vec<u8>>,
}

impl<'a> Contents<'a> {
    pub(super) fn of(run: &'a SavedRun, files: &'a Files<'a>) -> Result<Self> {
        let (ids, labels) = (run.record.ids.as_deref(), &run.record.labels);
        if let Some(ids) = ids.filter(|ids| ids.len() != labels.len()) {
            return Err(Error::data(format!("there are {} ids for {} labels", ids.len(), labels.len())));
        }
        let record = text_of(run)?;
        let model = files.model.map(model::to_bytes).transpose()?;
        let confidence = files.memberships.map(Memberships::confidence);
        if confidence.is_some_and(|confidence| confidence.len() != labels.len()) {
            return Err(Error::data(format!("the memberships are not of {} samples", labels.len())));
        }
        Ok(Self { run, files, confidence, record, model })
    }

    /// Hands over every file of the run but its mark: its name, and what writes it.
    pub(super) fn each(&self, put: &mut dyn FnMut(&str, Fill<'_>) -> Result<()>) -> Result<()> {
        let record = &self.run.record;
        put(LABELS, &|file| write_labels(file, record.ids.as_deref(), &record.labels, self.confidence))?;
        put(EMBEDDING, &|file| put_npy(file, self.files.embedding))?;
        match self.files.memberships.map(Memberships::matrix).transpose()? {
            Some(Matrix::DenseF64(shares)) => put(MEMBERSHIPS, &|file| put_npy(file, &shares))?,
            Some(Matrix::SparseF64(shares)) => put(SPARSE_MEMBERSHIPS, &|file| put_npz(file, &shares))?,
            _ => {}
        }
        if let Some(model) = &self.model {
            put(MODEL, &|file| file.write_all(model))?;
        }
        put(RECORD, &|file| file.write_all(self.record.as_bytes()))
    }
}

/// The record as `run.json` has it.
pub(super) fn text_of(run: &SavedRun) -> Result<String> {
    let json = |error| Error::data(format!("the record cannot be written as JSON: {error}"));
    Ok(serde_json::to_string_pretty(run).map_err(json)? + "\n")
}

/// The folder of a run as a zip archive: everything in a folder called `name`, with `more` files of the run (a report), by name
/// and content. Unpacked it is the folder that [`super::write`] makes.
///
/// # Errors
/// When parts of the run do not fit each other.
pub fn zipped(name: &str, run: &SavedRun, files: &Files<'_>, more: &[(&str, &[u8])]) -> Result<Vec<u8>> {
    let mut archive = Archive { name, zip: ZipWriter::new(Cursor::new(Vec::new())), hashes: BTreeMap::new() };
    Contents::of(run, files)?.each(&mut |file, fill| archive.file(file, fill))?;
    for (file, bytes) in more {
        archive.file(file, &|to| to.write_all(bytes))?;
    }
    let mark = Mark::new(std::mem::take(&mut archive.hashes)).text()?;
    archive.file(MARK, &|to| to.write_all(mark.as_bytes()))?;
    let done = archive.zip.finish().map_err(|error| failed(&error))?;
    Ok(done.into_inner())
}

struct Archive<'a> {
    name: &'a str,
    zip: ZipWriter<Cursor<Vec<u8>>>,
    hashes: BTreeMap<String, String>,
}

impl Archive<'_> {
    fn file(&mut self, name: &str, fill: Fill<'_>) -> Result<()> {
        let mut bytes = Vec::new();
        fill(&mut bytes).map_err(|error| failed(&error))?;
        let options = FileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
        self.zip.start_file(format!("{}/{name}", self.name), options).map_err(|error| failed(&error))?;
        self.zip.write_all(&bytes).map_err(|error| failed(&error))?;
        self.hashes.insert(name.to_owned(), origin::hex(&Sha256::digest(&bytes)));
        Ok(())
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::data(format!("the run cannot be packed: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::folder::{self, REPORT_DATA};
    use consilience::datasets::Blobs;
    use consilience::{Settings, cluster};

    #[test]
    fn an_unpacked_archive_is_the_folder_of_the_run() {
        let blobs = Blobs { samples: 20, clusters: 2, features: vec![3], separation: 12.0, seed: 1 };
        let found = cluster(&blobs.generate().unwrap().0, &Settings::new(2)).unwrap();
        let run = SavedRun::from(found.record.clone());
        let files = Files { embedding: &found.fitted.embedding, memberships: Some(&found.memberships), model: None };
        let packed = zipped("my run", &run, &files, &[(REPORT_DATA, b"{}")]).unwrap();
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("my run");
        std::fs::create_dir(&target).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(packed)).unwrap();
        for at in 0..archive.len() {
            let mut member = archive.by_index(at).unwrap();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            std::fs::write(place.path().join(member.name()), bytes).unwrap();
        }
        assert_eq!(folder::read(&target).unwrap().record.labels, found.record.labels);
        assert!(folder::has_report(&target));
        assert!(folder::memberships(&target, &found.record.labels).unwrap().is_some());
        assert!(
            folder::Place::of_run(&target).unwrap().add_report(Some((&run, "{ }")), None).is_ok(),
            "nothing is foreign"
        );
    }
}
