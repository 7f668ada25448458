//! How a run gets into its folder: all of it, at once.
//!
//! Files are made in a folder of their own beside (`.NAME.consilience/new`), with the mark that lists them. Then the two folders
//! are exchanged, which the system does in one step, and the old one is removed. Where that is not possible (somebody else's
//! files are in the folder, it is a mount point or where the shell stands, the file system cannot do it), the new files are
//! moved into the folder as `.consilience-ready`, in one step too. From then on that is the run: whoever comes next, reading or
//! writing, puts the files into their places where a kill has left that undone.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use consilience::{Error, Hint, Result};
use sha2::{Digest as _, Sha256};

use super::contents::{Contents, text_of};
use super::mark::Mark;
use super::{EMBEDDING, Existing, Files, LABELS, MARK, MODEL, OWN, READY, RECORD, REPORT_DATA, REPORT_PAGE, SavedRun};
use crate::disk::{self, Faulty, Identity};
use crate::origin;

/// A folder that this process alone may write a run into, until it is dropped.
#[derive(Debug)]
pub struct Place {
    /// As it was named.
    folder: PathBuf,
    /// Where links lead.
    target: PathBuf,
    /// Where files are made.
    root: PathBuf,
    lock: Option<File>,
    /// The run that is there.
    before: Option<Mark>,
}

impl Place {
    /// Takes `folder` for a run that is made from the files `read`, and gets a `report` too when that is said. Asked before the
    /// work, so that what cannot be written does not wait for it.
    ///
    /// # Errors
    /// When something would be lost, another process writes into the folder, or it cannot be written to.
    pub fn open(folder: &Path, read: &[PathBuf], existing: Existing, report: bool) -> Result<Self> {
        // what a kill has left undone is done first, whatever the answer is
        let _ = resolved(folder).map(|target| tidy(folder, &target));
        check(folder, read, existing, report)?;
        let place = Self::take(folder)?;
        // once more, now that nobody else can change it
        check(folder, read, existing, report)?;
        Ok(place)
    }

    /// Takes the folder of a finished run, to add a report to it.
    ///
    /// # Errors
    /// As [`Place::open`], and when there is no run.
    pub fn of_run(folder: &Path) -> Result<Self> {
        super::require(folder)?;
        let place = Self::take(folder)?;
        place.check_report()?;
        Ok(place)
    }

    fn take(folder: &Path) -> Result<Self> {
        let failed = |source| Error::writing(folder, source);
        let target = resolved(folder).map_err(failed)?;
        std::fs::create_dir_all(disk::folder_of(&target)).map_err(failed)?;
        tidy(folder, &target)?;
        let [beside, inside] = roots(&target);
        // not where the folder is a mount point, or the one around it is not ours
        let root = if disk::same_system(&target) { beside } else { inside.clone() };
        let (root, lock) = match enter(&root) {
            Err(_) if target.is_dir() && root != inside => (inside.clone(), enter(&inside)),
            other => (root, other),
        };
        let lock = lock.map_err(failed)?.ok_or_else(|| busy(folder))?;
        held().push(root.clone());
        let before = Mark::read(&target).ok();
        Ok(Self { folder: folder.to_owned(), target, root, lock: Some(lock), before })
    }

    /// Puts a run into the folder, instead of the one that is there.
    ///
    /// # Errors
    /// When it cannot be written: then the folder is as it was.
    pub fn write(&mut self, run: &SavedRun, files: &Files<'_>) -> Result<()> {
        let contents = Contents::of(run, files)?;
        let mut stage = Stage::new(&self.root, &self.folder)?;
        contents.each(&mut |name, fill| stage.file(name, |file| fill(file)))?;
        self.swap(stage, &BTreeMap::new())
    }

    /// Adds what an examination found, with the `run` as it is judged now, the page of it, or all three to the run that is there.
    ///
    /// # Errors
    /// When it cannot be written: then the folder is as it was.
    pub fn add_report(&mut self, found: Option<(&SavedRun, &str)>, page: Option<&str>) -> Result<()> {
        self.check_report()?;
        let record = found.map(|(run, _)| text_of(run)).transpose()?;
        let mut stage = Stage::new(&self.root, &self.folder)?;
        let data = found.map(|(_, data)| data);
        for (name, text) in [(RECORD, record.as_deref()), (REPORT_DATA, data), (REPORT_PAGE, page)] {
            let Some(text) = text else { continue };
            stage.file(name, |file| file.write_all(text.as_bytes()))?;
        }
        let mut kept = self.before.as_ref().map_or(Ok(BTreeMap::new()), |mark| mark.hashes(&self.target))?;
        kept.retain(|name, _| !stage.files.contains_key(name) && self.target.join(name).exists());
        self.swap(stage, &kept)
    }

    /// That a report replaces nothing but a report of the run.
    fn check_report(&self) -> Result<()> {
        refuse_foreign(&self.folder, &self.target, &[REPORT_DATA, REPORT_PAGE], false)
    }

    /// Lets the staged files, with those that are `kept` as they are, be the run.
    fn swap(&mut self, mut stage: Stage, kept: &BTreeMap<String, String>) -> Result<()> {
        let files: BTreeMap<_, _> = stage.files.iter().chain(kept).map(|(n, hash)| (n.clone(), hash.clone())).collect();
        let mark = Mark::new(files);
        let text = mark.text()?;
        stage.file(MARK, |file| file.write_all(text.as_bytes()))?;
        let (new, target) = (stage.path.clone(), &self.target);
        let failed = |source| Error::writing(&self.folder, source);
        disk::sync_folder(&new).map_err(failed)?;
        // nobody else of ours can have been here; others can
        if Mark::read(target).ok() != self.before {
            return Err(busy(&self.folder));
        }
        let replaced: Vec<&str> = stage.files.keys().map(String::as_str).collect();
        refuse_foreign(&self.folder, target, &replaced, kept.is_empty())?;
        if !target.exists() {
            disk::rename(&new, target).map_err(failed)?;
        } else if !(self.is_plain() && self.exchange(&new, kept).is_ok()) {
            disk::rename(&new, &target.join(READY)).map_err(failed)?;
            disk::sync_folder(target).map_err(failed)?;
            settle(target)?;
        }
        let _ = disk::sync_folder(disk::folder_of(target));
        self.before = Some(mark);
        // the old run; what cannot be removed now is removed by the next run
        let _ = clear(&new, target);
        Ok(())
    }

    /// The folder with the new files and those that are kept takes the name of the other.
    fn exchange(&self, new: &Path, kept: &BTreeMap<String, String>) -> io::Result<()> {
        for name in kept.keys() {
            disk::link(&self.target.join(name), &new.join(name))?;
        }
        std::fs::set_permissions(new, std::fs::metadata(&self.target)?.permissions())?;
        disk::exchange(new, &self.target)
    }

    /// Whether the folder holds nothing but the run, and another one in its place is no surprise to anybody.
    fn is_plain(&self) -> bool {
        let own = |name: &str| name == MARK || self.before.as_ref().is_some_and(|mark| mark.lists(&self.target, name));
        let Ok(entries) = std::fs::read_dir(&self.target) else { return false };
        let mut names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
        let stands_in_it = Identity::of_folder(&self.target) == Identity::of_folder(Path::new("."));
        !stands_in_it
            && names.all(|name| name.is_ok_and(|name| own(&name)))
            && disk::same_owner(&self.root, &self.target)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            held().retain(|root| *root != self.root);
            leave(&self.root, &self.target, lock);
        }
    }
}

/// The roots of this process.
fn held() -> MutexGuard<'static, Vec<PathBuf>> {
    static HELD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For a process that ends at once, without dropping anything: leaves no root behind in which nothing is being made.
pub fn abandon() {
    for root in held().drain(..).filter(|root| !root.join(NEW).exists()) {
        let _ = std::fs::remove_file(root.join(LOCK));
        let _ = std::fs::remove_dir(root);
    }
}

/// Files on their way into a folder.
struct Stage {
    path: PathBuf,
    /// The folder that errors name.
    folder: PathBuf,
    files: BTreeMap<String, String>,
}

impl Stage {
    fn new(root: &Path, folder: &Path) -> Result<Self> {
        let path = root.join(NEW);
        disk::make_folder(&path).map_err(|source| Error::writing(folder, source))?;
        Ok(Self { path, folder: folder.to_owned(), files: BTreeMap::new() })
    }

    fn file(&mut self, name: &str, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let written = || -> io::Result<String> {
            disk::point()?;
            let file = File::create_new(self.path.join(name))?;
            let mut writer = BufWriter::new(Hashing { to: Faulty(file), digest: Sha256::new() });
            fill(&mut writer)?;
            let Hashing { to, digest } = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            disk::sync(&to.0)?;
            Ok(origin::hex(&digest.finalize()))
        };
        let hash = written().map_err(|source| Error::writing(&self.folder.join(name), source))?;
        if name != MARK {
            self.files.insert(name.to_owned(), hash);
        }
        Ok(())
    }
}

impl Drop for Stage {
    /// A run that is not written leaves nothing; one that is has another name by now, or is the old one, which goes.
    fn drop(&mut self) {
        for name in OWN {
            let _ = std::fs::remove_file(self.path.join(name));
        }
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// A writer that knows the hash of what went through it.
struct Hashing<W> {
    to: W,
    digest: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

const NEW: &str = "new";
const LOCK: &str = "lock";

/// Whether a run of the files `read` may be written into `folder`: nothing that is there would be lost.
fn check(folder: &Path, read: &[PathBuf], existing: Existing, report: bool) -> Result<()> {
    if folder.symlink_metadata().is_ok() && !folder.is_dir() {
        return Err(Error::data_with_hint(
            format!("`{}` is a file, not a folder", folder.display()),
            "name a folder to write the run into; it is made where needed",
        ));
    }
    check_inputs(folder, read)?;
    let there: Vec<&str> = OWN.into_iter().filter(|name| folder.join(name).symlink_metadata().is_ok()).collect();
    if there.contains(&MARK) && existing == Existing::Keep {
        let visible: Vec<&str> = there.iter().copied().filter(|name| *name != MARK).collect();
        let what = format!("`{}` already holds {}, of another run", folder.display(), visible.join(", "));
        return Err(Error::data_with_hint(what, Hint::ReplaceRun));
    }
    let pages = if report { &[REPORT_DATA, REPORT_PAGE][..] } else { &[] };
    let wanted: Vec<&str> = [RECORD, LABELS, EMBEDDING, MODEL].iter().chain(pages).copied().collect();
    refuse_foreign(folder, folder, &wanted, true)
}

/// Refuses to replace one of the files that are `read`, by whatever name.
///
/// # Errors
/// Names the file.
pub fn check_inputs(folder: &Path, read: &[PathBuf]) -> Result<()> {
    let own: Vec<Identity> = OWN.iter().filter_map(|name| Identity::of(&folder.join(name))).collect();
    let inside = |input: &&PathBuf| Identity::of(input).is_some_and(|read| own.contains(&read));
    match read.iter().find(inside) {
        Some(input) => Err(Error::data_with_hint(
            format!("the run would replace its own input `{}`", input.display()),
            "write into another folder; what is read is never replaced",
        )),
        None => Ok(()),
    }
}

/// Refuses to replace what the run in the folder did not write, or what is not as it wrote it: of its files `all`, or those that
/// are `wanted`.
fn refuse_foreign(named: &Path, folder: &Path, wanted: &[&str], all: bool) -> Result<()> {
    let there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    let mark = Mark::read(folder);
    let strange = |name: &&str| mark.as_ref().map_or(true, |mark| !mark.lists(folder, name));
    let foreign: Vec<&str> = wanted.iter().copied().filter(there).filter(strange).collect();
    let mut changed = mark.as_ref().map(|mark| mark.changed(folder)).unwrap_or_default();
    changed.retain(|name| all || wanted.contains(&name.as_str()));
    let what = match (&mark, foreign.is_empty(), changed.is_empty()) {
        (_, true, true) => return Ok(()),
        (Err(why), false, _) => format!("{}, which no run wrote: {why}", foreign.join(", ")),
        (_, false, _) => format!("{}, which its run did not write", foreign.join(", ")),
        _ => format!("{}, changed since the run wrote it", changed.join(", ")),
    };
    Err(Error::data_with_hint(
        format!("`{}` already holds {what}", named.display()),
        "move it away or write into another folder; files that are not a run's are never replaced",
    ))
}

fn busy(folder: &Path) -> Error {
    Error::data_with_hint(
        format!("another run is being written into `{}`", folder.display()),
        "wait for it, or write into another folder",
    )
}

/// Where a folder is or will be, without links.
fn resolved(folder: &Path) -> io::Result<PathBuf> {
    if folder.symlink_metadata().is_ok() { folder.canonicalize() } else { std::path::absolute(folder) }
}

/// Where files may be made: beside the folder, or in it.
fn roots(target: &Path) -> [PathBuf; 2] {
    let inside = target.join(".consilience");
    let beside = match (target.parent(), target.file_name()) {
        (Some(parent), Some(name)) => parent.join(format!(".{}.consilience", name.to_string_lossy())),
        _ => inside.clone(),
    };
    [beside, inside]
}

/// Clears what a kill has left in either root, and finishes what it has left undone.
fn tidy(folder: &Path, target: &Path) -> Result<()> {
    for root in roots(target).iter().filter(|root| root.symlink_metadata().is_ok()) {
        let lock = enter(root).map_err(|source| Error::writing(folder, source))?.ok_or_else(|| busy(folder))?;
        leave(root, target, lock);
    }
    settle(target)
}

/// Makes a root, or takes one that is there; nothing when another process has it.
fn enter(root: &Path) -> io::Result<Option<File>> {
    loop {
        match std::fs::create_dir(root) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => (),
        }
        if !root.symlink_metadata()?.is_dir() {
            return Err(io::Error::other(format!("`{}` is in the way", root.display())));
        }
        match disk::lock(&root.join(LOCK)) {
            // who had it has just removed it
            Err(error) if error.kind() == io::ErrorKind::NotFound => (),
            other => return other,
        }
    }
}

/// Removes a root and everything that a killed write has left in it.
fn leave(root: &Path, target: &Path, lock: File) {
    let _ = clear(&root.join(NEW), target);
    let _ = std::fs::remove_file(root.join(LOCK));
    drop(lock);
    let _ = std::fs::remove_dir(root);
}

/// Removes a run that is in no folder's place. What somebody has put beside it goes back to where it was put.
fn clear(run: &Path, target: &Path) -> io::Result<()> {
    let Ok(entries) = std::fs::read_dir(run) else { return Ok(()) };
    for entry in entries {
        let name = entry?.file_name();
        let (path, back) = (run.join(&name), target.join(&name));
        if OWN.iter().any(|own| name == *own) {
            disk::remove(&path)?;
        } else if back.symlink_metadata().is_err() {
            disk::rename(&path, &back)?;
        }
    }
    disk::remove_folder(run)
}

/// Puts the files of a run that is ready into their places, where a kill has left that undone. Two may do it at once.
pub(super) fn settle(folder: &Path) -> Result<()> {
    let ready = folder.join(READY);
    if ready.symlink_metadata().is_err() {
        return Ok(());
    }
    let finish = || -> io::Result<()> {
        let moved = |name: &str| match disk::rename(&ready.join(name), &folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            // links of one file are not renamed
            other => other.and_then(|()| disk::remove(&ready.join(name))),
        };
        if let Ok(mark) = Mark::read(&ready) {
            let old = Mark::read(folder).map(|mark| mark.names(folder)).unwrap_or_default();
            let new = mark.names(&ready);
            new.iter().try_for_each(|name| moved(name))?;
            // pages must not outlive their labels
            let gone = old.iter().filter(|name| !new.contains(name));
            gone.into_iter().try_for_each(|name| disk::remove(&folder.join(name)))?;
            moved(MARK)?;
        }
        disk::sync_folder(folder)?;
        disk::remove_folder(&ready)
    };
    finish().map_err(|source| Error::writing(folder, source))
}
