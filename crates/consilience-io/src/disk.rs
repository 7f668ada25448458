//! The few operations by which files are made, moved and removed. Each is a point at which a build for tests can be made to
//! fail or to die (`CONSILIENCE_FAULT=kill:17`, `fail:17`; `count:0` tells how many there are; `kill:17:3` after three quarters of
//! the bytes of a write): that is how it is known what a full disk or a kill leaves behind.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use crate::STDIN;

/// Passes a point at which tests let a program fail. Other builds know of no faults.
///
/// # Errors
/// When this is the point that was chosen.
#[cfg(debug_assertions)]
pub fn point() -> io::Result<()> {
    faults::pass(|_| Ok(()))
}

/// See above.
#[cfg(not(debug_assertions))]
#[inline]
pub fn point() -> io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
mod faults {
    use std::io::{self, Write as _};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static PASSED: AtomicUsize = AtomicUsize::new(0);
    static CHOSEN: LazyLock<Option<(String, usize, usize)>> = LazyLock::new(|| {
        let text = std::env::var("CONSILIENCE_FAULT").ok()?;
        let mut words = text.split(':');
        let (how, at) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
        Some((how, at, words.next().map_or(Some(2), |quarters| quarters.parse().ok())?))
    });

    /// Counts a point; at the one that was chosen does so many quarters of the operation, and fails or dies.
    pub(super) fn pass(part: impl FnOnce(usize) -> io::Result<()>) -> io::Result<()> {
        let Some((how, at, quarters)) = &*CHOSEN else { return Ok(()) };
        if how == "count" {
            return writeln!(io::stderr(), "point");
        }
        if PASSED.fetch_add(1, Ordering::Relaxed) != *at {
            return Ok(());
        }
        part(*quarters)?;
        if how == "kill" {
            #[cfg(unix)]
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            std::process::abort();
        }
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }
}

/// A file whose writes can be made to fail half way.
pub struct Faulty<W>(pub W);

impl<W: Write> Write for Faulty<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(debug_assertions)]
        faults::pass(|quarters| self.0.write_all(&bytes[..bytes.len() * quarters.min(4) / 4]))?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Seek> Seek for Faulty<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Which file it is, whatever the name that leads to it. Only regular files have one: what is no file is not replaced.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(u64, u64);

#[cfg(unix)]
impl Identity {
    fn from(about: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(about.dev(), about.ino())
    }

    /// Of the file that `path` leads to; of the one behind standard input for [`STDIN`].
    pub(crate) fn of(path: &Path) -> Option<Self> {
        if path == Path::new(STDIN) {
            return Self::of_stream(&io::stdin());
        }
        std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|about| Self::from(&about))
    }

    /// Of the file behind standard input or output.
    pub(crate) fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        file.metadata().ok().filter(std::fs::Metadata::is_file).map(|about| Self::from(&about))
    }

    /// Of a folder.
    pub(crate) fn of_folder(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|about| Self::from(&about))
    }
}

/// Elsewhere names are compared, with links followed.
#[cfg(not(unix))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity(PathBuf);

#[cfg(not(unix))]
impl Identity {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().filter(|path| path.is_file()).map(Self)
    }

    pub(crate) fn of_stream<T>(_: &T) -> Option<Self> {
        None
    }

    pub(crate) fn of_folder(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self)
    }
}

/// Makes or opens the file at `path` and locks it until the process ends, however it ends; nothing when another process has
/// the lock. Where a file system has no locks, everybody gets it.
pub(crate) fn lock(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..100 {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Ok(None);
        }
        // whoever had it may have removed it since it was opened: then others lock another file
        if is_at(&file, path) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    let there = std::fs::symlink_metadata(path).ok();
    matches!((file.metadata(), there), (Ok(one), Some(other)) if Identity::from(&one) == Identity::from(&other))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}

/// Whether the file at `path` was left by a process that is gone.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    point()?;
    std::fs::create_dir(path)
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    point()?;
    std::fs::rename(from, to)
}

pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    point()?;
    std::fs::hard_link(from, to)
}

/// Removes a file; that it is gone already is no error.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    point()?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a folder that is empty; that it is gone already is no error.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    point()?;
    match std::fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until the content is on the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    point()?;
    file.sync_all()
}

/// Waits until the names in a folder are on the disk, where a folder can be asked.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    point()?;
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Two folders take each other's names, at once: nobody ever sees one of them missing. Not every file system can do it.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    point()?;
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(io::Error::from)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = (one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Bytes that are free where `path` is, or will be; none where that cannot be found out.
pub fn free_space(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let there = path.ancestors().find(|place| place.exists()).map_or(PathBuf::from("."), Path::to_owned);
        let there = if there.as_os_str().is_empty() { PathBuf::from(".") } else { there };
        let about = rustix::fs::statvfs(&there).ok()?;
        Some(about.f_bavail.saturating_mul(about.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether a folder and the one around it are on one file system, so that they can be exchanged.
#[cfg(unix)]
pub(crate) fn same_system(target: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| std::fs::metadata(path).ok().map(|about| about.dev());
    !target.exists() || device(target) == device(folder_of(target))
}

/// Owner, group and lists of rights are those that a new folder has.
#[cfg(unix)]
pub(crate) fn same_owner(new: &Path, old: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::metadata(path).ok().map(|about| (about.uid(), about.gid()));
    let mut names = [0_u8; 4096];
    let listed = rustix::fs::listxattr(old, &mut names[..]).unwrap_or(0);
    let rights = names[..listed].split(|byte| *byte == 0).any(|name| name.starts_with(b"system.posix_acl"));
    !rights && owner(new) == owner(old)
}

#[cfg(not(unix))]
pub(crate) fn same_system(_: &Path) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) fn same_owner(_: &Path, _: &Path) -> bool {
    true
}
