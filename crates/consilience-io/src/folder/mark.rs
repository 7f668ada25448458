//! The mark of a run's folder: which version wrote it, and which files are the run's, as they were written.

use std::collections::BTreeMap;
use std::path::Path;

use consilience::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{EMBEDDING, LABELS, MARK, MODEL, RECORD, REPORT_DATA, REPORT_PAGE};
use crate::origin;

/// Raised when the files of a folder change in a way that older programs cannot read.
pub(super) const LAYOUT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) consilience: String,
    pub(super) layout: u32,
    /// SHA-256 of every file by its name; none in folders of version 0.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<BTreeMap<String, String>>,
}

impl Mark {
    pub(super) fn new(files: BTreeMap<String, String>) -> Self {
        Self { consilience: env!("CARGO_PKG_VERSION").to_owned(), layout: LAYOUT, files: Some(files) }
    }

    /// The mark in `folder`, or why there is none that can be read.
    pub(super) fn read(folder: &Path) -> std::result::Result<Self, String> {
        let Ok(text) = std::fs::read_to_string(folder.join(MARK)) else {
            return Err(format!("there is no {MARK} in it, which every run has"));
        };
        serde_json::from_str(&text).map_err(|_| format!("its {MARK} is damaged"))
    }

    pub(super) fn text(&self) -> Result<String> {
        let text = serde_json::to_string(self);
        text.map(|text| text + "\n").map_err(|error| Error::data(format!("the mark cannot be written: {error}")))
    }

    /// The names of the run's files in `folder`, without the mark.
    pub(super) fn names(&self, folder: &Path) -> Vec<String> {
        match &self.files {
            Some(files) => files.keys().cloned().collect(),
            // version 0.2 kept no list: its names, and a page where there is what it was made from
            None => {
                let report = if folder.join(REPORT_DATA).exists() { &[REPORT_DATA, REPORT_PAGE][..] } else { &[] };
                let names = [LABELS, EMBEDDING, MODEL, RECORD].into_iter().chain(report.iter().copied());
                names.filter(|name| folder.join(name).symlink_metadata().is_ok()).map(str::to_owned).collect()
            }
        }
    }

    /// The hash that every file had when it was written; of version 0.2 the hash that it has now.
    pub(super) fn hashes(&self, folder: &Path) -> Result<BTreeMap<String, String>> {
        if let Some(files) = &self.files {
            return Ok(files.clone());
        }
        let hashed = |name: String| {
            let path = folder.join(&name);
            let hash = origin::hash(&path).map_err(|source| Error::reading(&path, source))?;
            Ok((name, hash))
        };
        self.names(folder).into_iter().map(hashed).collect()
    }

    /// Whether the run wrote `name`.
    pub(super) fn lists(&self, folder: &Path, name: &str) -> bool {
        self.names(folder).iter().any(|own| own == name)
    }

    /// The run's files that are not as it wrote them.
    pub(super) fn changed(&self, folder: &Path) -> Vec<String> {
        let is_other = |(name, hash): &(&String, &String)| {
            let path = folder.join(name);
            let about = path.symlink_metadata();
            // what is gone is not lost by being replaced; what was made a link is not a file of the run
            about.is_ok_and(|about| !about.is_file() || origin::hash(&path).ok().as_ref() != Some(*hash))
        };
        self.files.iter().flatten().filter(is_other).map(|(name, _)| name.clone()).collect()
    }
}
