//! What is known of a plan's runs: the entries of a bench's folder, and results in short that others made.

use std::collections::HashMap;
use std::path::Path;

use consilience::{Error, Result};

use crate::job::Planned;
use crate::plan::Keep;
use crate::rows::{self, Row, Status};
use crate::store::{Entries, RunEntry, Store};

/// Results by key, wherever they come from.
#[derive(Default)]
pub struct Known {
    entries: Entries,
    /// Runs that came to an end, of which there is no more than a line of results in short.
    short: HashMap<String, Row>,
}

impl Known {
    /// What is in a bench's folder.
    pub fn new(entries: Entries) -> Self {
        Self { entries, short: HashMap::new() }
    }

    /// Adds what other benches know of the runs `planned`: `source` is the folder of one, or a file of results in short.
    /// What is not of these runs stays there: results of older code have other keys. Says how many it was.
    ///
    /// # Errors
    /// When there is nothing to read, or it is damaged.
    pub fn add(&mut self, source: &Path, planned: &[Planned]) -> Result<usize> {
        if source.is_dir() {
            if !source.join(crate::store::RUNS).is_file() {
                let what = format!("`{}` holds no results: there is no runs.jsonl", source.display());
                return Err(Error::data_with_hint(what, "the folder of a bench, or a file that `--export` wrote"));
            }
            let other = Entries::read(source)?;
            let new = self.entries.lacking(&other, planned.iter().map(|planned| planned.job.key.as_str()));
            let new: Vec<RunEntry> = new.into_iter().cloned().collect();
            let count = new.len();
            new.into_iter().for_each(|entry| self.entries.insert(entry));
            return Ok(count);
        }
        let mut lines: HashMap<String, Row> = rows::read(source)?
            .into_iter()
            .filter(|row| row.status == Status::Done && !row.key.is_empty())
            .map(|row| (row.key.clone(), row))
            .collect();
        // a line has no trace and no picture
        let wanted =
            planned.iter().filter(|planned| planned.job.keep == Keep::default() && !self.done(&planned.job.key));
        // the key knows the code, too; but a line may have been edited by hand
        let current =
            |planned: &Planned| lines.remove(&planned.job.key).filter(|row| row.revision == Some(planned.job.revision));
        let new: Vec<Row> = wanted.filter_map(current).collect();
        let count = new.len();
        self.short.extend(new.into_iter().map(|row| (row.key.clone(), row)));
        Ok(count)
    }

    /// Writes down in `store` what it lacks of the runs `planned`, so that its folder is whole by itself.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, store: &mut Store, planned: &[Planned]) -> Result<()> {
        let keys = planned.iter().map(|planned| planned.job.key.as_str());
        let new: Vec<RunEntry> = store.entries().lacking(&self.entries, keys).into_iter().cloned().collect();
        new.into_iter().try_for_each(|entry| store.append(entry))
    }

    /// The entries of a folder that was worked on in the meantime, beside the lines that are known.
    #[must_use]
    pub fn with_entries(self, entries: Entries) -> Self {
        Self { entries, ..self }
    }

    /// The entry of a run, where there is one.
    pub fn entry(&self, key: &str) -> Option<&RunEntry> {
        self.entries.get(key)
    }

    /// All entries.
    pub fn entries(&self) -> &Entries {
        &self.entries
    }

    /// How a run went; none when it was not made.
    pub fn status(&self, key: &str) -> Option<Status> {
        if self.done(key) {
            return Some(Status::Done);
        }
        self.entry(key).map(|_| Status::Failed)
    }

    fn done(&self, key: &str) -> bool {
        self.short.contains_key(key) || self.entry(key).is_some_and(RunEntry::done)
    }

    /// A run in short. A line that came to an end says more than an entry that did not.
    pub(crate) fn row(&self, key: &str) -> Option<Row> {
        match (self.entry(key), self.short.get(key)) {
            (Some(entry), line) if entry.done() || line.is_none() => Some(Row::new(entry)),
            (_, line) => line.cloned(),
        }
    }
}
