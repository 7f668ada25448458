//! The folder of a bench: `runs.csv`, a line per run, only ever appended to, and a lock; and what is known of runs.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use consilience::{Error, Result};
use consilience_io::disk::{Faulty, point};

use crate::row::{self, Row};

const RUNS: &str = "runs.csv";
/// How long a folder that is in use is tried again.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Runs by key. A later line counts more than an earlier one.
#[derive(Default, Clone)]
pub(crate) struct Runs(HashMap<String, Row>);

impl Runs {
    pub(crate) fn get(&self, key: &str) -> Option<&Row> {
        self.0.get(key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.0.values()
    }

    fn insert(&mut self, row: Row) {
        self.0.insert(row.get("key").to_owned(), row);
    }

    fn new(rows: Vec<Row>) -> Self {
        let mut runs = Self::default();
        rows.into_iter().filter(|row| !row.get("key").is_empty()).for_each(|row| runs.insert(row));
        runs
    }

    /// Reads what another bench left: its folder, or a file of results in short.
    pub(crate) fn read(source: &Path) -> Result<Self> {
        if !source.is_dir() {
            return row::read(source).map(Self::new);
        }
        let path = source.join(RUNS);
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, error))?;
        parse(&path, &bytes).map(|(runs, _)| runs)
    }

    /// The same of a folder that may not be there.
    pub(crate) fn read_folder(folder: &Path) -> Result<Self> {
        if folder.join(RUNS).is_file() { Self::read(folder) } else { Ok(Self::default()) }
    }
}

/// Results that are on the disk, and where the next one goes.
pub(crate) struct Store {
    path: PathBuf,
    file: File,
    /// Held until the process ends, however it ends: the system takes the lock back even after SIGKILL.
    _lock: File,
    runs: Runs,
}

impl Store {
    /// Takes `folder` for this process, makes it where needed, and reads what is there. A last line that was torn by a
    /// kill is cut off: its run was never counted as done.
    ///
    /// # Errors
    /// When another process works on the folder, it cannot be written, or a line that is not the last is damaged.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
        let lock = lock(&folder.join("lock"))?;
        let path = folder.join(RUNS);
        let failed = |error| Error::writing(&path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, error))?;
        let (runs, whole) = parse(&path, &bytes)?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        if whole == 0 {
            Faulty(&mut file).write_all(row::head()?.as_bytes()).map_err(failed)?;
        }
        Ok(Self { path, file, _lock: lock, runs })
    }

    /// What is there.
    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Adds a run; when this returns it is on the disk.
    pub(crate) fn append(&mut self, row: Row) -> Result<()> {
        let line = row.line()?;
        let end = self.file.stream_position().map_err(|error| Error::writing(&self.path, error))?;
        let written = Faulty(&mut self.file).write_all(line.as_bytes());
        let written = written.and_then(|()| point()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // a line that is torn would join the next one, which may be written where the disk has room again
            let _ = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
            return Err(Error::writing(&self.path, error));
        }
        self.runs.insert(row);
        Ok(())
    }

    /// Takes over what `other` knows better of the runs `keys`: those that are not here, or have failed here and came to
    /// an end there. Says how many it was.
    pub(crate) fn take<'a>(&mut self, other: &Runs, keys: impl IntoIterator<Item = &'a str>) -> Result<usize> {
        let mut taken = 0;
        for theirs in keys.into_iter().filter_map(|key| other.get(key)) {
            if self.runs.get(theirs.get("key")).is_none_or(|own| !own.done() && theirs.done()) {
                self.append(theirs.clone())?;
                taken += 1;
            }
        }
        Ok(taken)
    }
}

/// The runs, and how many bytes of whole lines there are.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Runs, usize)> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if whole == 0 {
        return Ok((Runs::default(), 0));
    }
    Ok((Runs::new(row::parse(path, &bytes[..whole])?), whole))
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
