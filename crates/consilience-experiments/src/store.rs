//! What is kept of runs, and the folder that keeps it: `runs.jsonl`, a line per run, only ever appended to, and a lock.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use consilience::method::Revision;
use consilience::{Error, Result, RunRecord, Settings};
use serde::{Deserialize, Serialize};

use crate::job::{Job, JobData};
use crate::tables;

/// A line per run.
pub(crate) const RUNS: &str = "runs.jsonl";
/// How long a folder that is in use is tried again.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// A run that was made, whether it came to an end or not: one line of JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunEntry {
    /// Which run of the plan this is.
    pub key: String,
    /// The code that made it; unknown (0.0) in a line from before it was written down.
    #[serde(default)]
    pub revision: Revision,
    /// The method's name in tables.
    pub label: String,
    /// The data.
    pub data: JobData,
    /// The parameters that the plan set.
    pub set: Vec<(String, String)>,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How a run went.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Outcome {
    /// It came to an end.
    Done(Box<Done>),
    /// It did not.
    Failed(Box<Failed>),
}

/// A run that came to an end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Done {
    /// Its account, without labels, and without what grows with the data unless the plan keeps it.
    pub run: RunRecord,
    /// Its consensus affinity, when the plan keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<BlockAffinity>,
}

/// A run that did not come to an end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failed {
    /// Version of consilience that tried.
    pub version: String,
    /// What was asked.
    pub settings: Settings,
    /// Why it failed.
    pub failure: String,
    /// Wall-clock seconds until then.
    pub elapsed: f64,
    /// Most memory that its process held, in MB.
    pub peak_rss_mb: Option<f64>,
}

/// The consensus affinity as a picture: averages over blocks of samples, in the order of the true classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockAffinity {
    /// The averages, row by row.
    pub rows: Vec<Vec<f64>>,
    /// How many blocks each class has.
    pub blocks: Vec<usize>,
}

impl Outcome {
    /// That `job` failed.
    pub(crate) fn failed(job: &Job, failure: String, elapsed: f64, peak_rss_mb: Option<f64>) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self::Failed(Box::new(Failed { version, settings: job.settings.clone(), failure, elapsed, peak_rss_mb }))
    }
}

impl RunEntry {
    /// That `job` went like this.
    pub(crate) fn new(job: Job, outcome: Outcome) -> Self {
        let Job { key, revision, label, data, set, .. } = job;
        Self { key, revision, label, data, set, outcome }
    }

    /// Whether it came to an end.
    pub fn done(&self) -> bool {
        matches!(self.outcome, Outcome::Done(_))
    }

    /// What was asked.
    pub fn settings(&self) -> &Settings {
        match &self.outcome {
            Outcome::Done(done) => &done.run.settings,
            Outcome::Failed(failed) => &failed.settings,
        }
    }

    /// The wall-clock seconds it took.
    pub fn seconds(&self) -> f64 {
        match &self.outcome {
            Outcome::Done(done) => done.run.seconds.total,
            Outcome::Failed(failed) => failed.elapsed,
        }
    }
}

/// Results that are on the disk, and where the next one goes.
pub struct Store {
    path: PathBuf,
    file: File,
    /// Held until the process ends, however it ends: the system takes the lock back even after SIGKILL.
    _lock: File,
    entries: Entries,
}

/// The latest entry of every run, by key.
#[derive(Default, Clone)]
pub struct Entries(HashMap<String, RunEntry>);

impl Entries {
    /// The run with this key.
    pub fn get(&self, key: &str) -> Option<&RunEntry> {
        self.0.get(key)
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &RunEntry> {
        self.0.values()
    }

    /// What `other` knows better of the runs `keys`: those that are not here, or have failed here and came to an end there.
    pub fn lacking<'a>(&self, other: &'a Self, keys: impl IntoIterator<Item = &'a str>) -> Vec<&'a RunEntry> {
        let better = |theirs: &&RunEntry| self.get(&theirs.key).is_none_or(|own| !own.done() && theirs.done());
        keys.into_iter().filter_map(|key| other.get(key)).filter(better).collect()
    }

    /// Adds an entry in memory.
    pub fn insert(&mut self, entry: RunEntry) {
        self.0.insert(entry.key.clone(), entry);
    }

    /// Reads the results in `folder` without taking it; none when there is no such folder.
    ///
    /// # Errors
    /// When a line that is not the last is damaged.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(RUNS);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(parse(&path, &bytes)?.0),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::reading(&path, error)),
        }
    }
}

impl Store {
    /// Takes `folder` for this process, makes it where needed, and reads what is there. A last line that was torn by a
    /// kill is cut off: its run was never counted as done.
    ///
    /// # Errors
    /// When another process works on the folder, it cannot be written, or a line that is not the last is damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        refuse_strangers(folder)?;
        std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
        let lock = lock(&folder.join("lock"))?;
        let path = folder.join(RUNS);
        let failed = |error| Error::writing(&path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, error))?;
        let (entries, whole) = parse(&path, &bytes)?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok(Self { path, file, _lock: lock, entries })
    }

    /// What is there.
    pub fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Adds an entry; when this returns it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, entry: RunEntry) -> Result<()> {
        let mut line = serde_json::to_string(&entry)
            .map_err(|error| Error::data(format!("the record cannot be written as JSON: {error}")))?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::writing(&self.path, error))?;
        self.entries.insert(entry);
        Ok(())
    }
}

/// Tables without a list of runs beside them are not a bench's, and would be replaced by its own.
fn refuse_strangers(folder: &Path) -> Result<()> {
    let there: Vec<&str> = tables::FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    if there.is_empty() || folder.join(RUNS).exists() { Ok(()) } else { Err(tables::strange(folder, &there)) }
}

/// The entries, and how many bytes of whole lines there are.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Entries, usize)> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut entries = Entries::default();
    for (number, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let entry: RunEntry = serde_json::from_slice(line).map_err(|error| {
            let what = format!("{}:{}: not the record of a run: {error}", path.display(), number + 1);
            Error::data_with_hint(what, "delete the line (its run will be made again), or use another folder")
        })?;
        entries.insert(entry);
    }
    Ok((entries, whole))
}

fn lock(path: &Path) -> Result<File> {
    let failed = |error| Error::writing(path, error);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            // a child that a bench was just starting when it was killed shares the lock until it has become a worker
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_PATIENCE => {
                std::thread::sleep(LOCK_PATIENCE / 20);
            }
            Err(TryLockError::WouldBlock) => {
                let holder = std::fs::read_to_string(path).unwrap_or_default();
                let folder = path.parent().unwrap_or(path).display().to_string();
                let what = format!("`{folder}` is in use by another bench (process {})", holder.trim());
                return Err(Error::data_with_hint(what, "wait for it, or give this one another folder"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(failed)?;
    Ok(file)
}
