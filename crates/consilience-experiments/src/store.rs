//! The folder of a plan's results: `runs.jsonl`, a line per run, only ever appended to, and a lock.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use consilience::{Error, Result};

use crate::record::Record;

/// Results that are on the disk, and where the next one goes.
pub struct Store {
    path: PathBuf,
    file: File,
    /// Held until the process ends, however it ends: the system takes the lock back even after SIGKILL.
    _lock: File,
    records: Records,
}

/// The latest record of every run, by key.
#[derive(Default)]
pub struct Records(HashMap<String, Record>);

impl Records {
    /// The run with this key.
    pub fn get(&self, key: &str) -> Option<&Record> {
        self.0.get(key)
    }

    /// Reads the results in `folder` without taking it; none when there is no such folder.
    ///
    /// # Errors
    /// When a line that is not the last is damaged.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("runs.jsonl");
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
        std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
        let lock = lock(&folder.join("lock"))?;
        let path = folder.join("runs.jsonl");
        let failed = |error| Error::writing(&path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, error))?;
        let (records, whole) = parse(&path, &bytes)?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok(Self { path, file, _lock: lock, records })
    }

    /// What is there.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Adds a record; when this returns it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: Record) -> Result<()> {
        let mut line = serde_json::to_string(&record)
            .map_err(|error| Error::data(format!("the record cannot be written as JSON: {error}")))?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::writing(&self.path, error))?;
        self.records.0.insert(record.key.clone(), record);
        Ok(())
    }
}

/// The records, and how many bytes of whole lines there are.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Records, usize)> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut records = Records::default();
    for (number, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let record: Record = serde_json::from_slice(line).map_err(|error| {
            let what = format!("{}:{}: not the record of a run: {error}", path.display(), number + 1);
            Error::data_with_hint(what, "delete the line (its run will be made again), or use another folder")
        })?;
        records.0.insert(record.key.clone(), record);
    }
    Ok((records, whole))
}

fn lock(path: &Path) -> Result<File> {
    let failed = |error| Error::writing(path, error);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = std::fs::read_to_string(path).unwrap_or_default();
            let folder = path.parent().unwrap_or(path).display().to_string();
            let what = format!("`{folder}` is in use by another bench (process {})", holder.trim());
            return Err(Error::data_with_hint(what, "wait for it, or give this one another folder"));
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(failed)?;
    Ok(file)
}
