//! Where a command may write: asked before the work, so that nothing is lost and nothing waits for an answer that was clear before.

use std::io;
use std::path::{Path, PathBuf};

use consilience::{Error, Hint, Result};

use crate::disk::Identity;
use crate::folder;
use crate::write::{Target, new_temporary};

/// Refuses to write to `path` where that would lose something or cannot be done: a file that is there, unless `replace`; one of
/// those that are `read`, or a file of a run, in any case; a folder in which no file can be made.
///
/// # Errors
/// When the file must not or cannot be written.
pub fn check_writable(path: &Path, replace: bool, read: &[PathBuf]) -> Result<()> {
    let there = Identity::of(path);
    if let Some(input) = read.iter().find(|input| there.is_some() && Identity::of(input) == there) {
        return Err(Error::data_with_hint(
            format!("`{}` would replace `{}`, which this command reads", path.display(), input.display()),
            "write to another place; what is read is never replaced",
        ));
    }
    if let Some(folder) = folder::owner(path) {
        return Err(Error::data_with_hint(
            format!("`{}` is a part of the run in `{}`", path.display(), folder.display()),
            "write to another place; the files of a run are replaced together or not at all",
        ));
    }
    let is_plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if is_plain && !replace {
        return Err(Error::data_with_hint(
            format!("`{}` exists and would be replaced", path.display()),
            Hint::ReplaceFile,
        ));
    }
    let failed = |source| Error::writing(path, source);
    if path.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    // tried, because rights have too many forms to be read
    if let Target::File(file) = Target::of(path).map_err(failed)? {
        new_temporary(&file).map_err(failed)?;
    }
    Ok(())
}

/// Refuses to go on when standard output is a file that this command reads: it would read what it writes.
///
/// # Errors
/// Names the file.
pub fn check_stdout(read: &[PathBuf]) -> Result<()> {
    let out = Identity::of_stream(&io::stdout());
    match read.iter().find(|input| out.is_some() && Identity::of(input) == out) {
        Some(input) => Err(Error::data_with_hint(
            format!("standard output is the file `{}`, which this command reads", input.display()),
            "write to another place; what is read is never replaced",
        )),
        None => Ok(()),
    }
}
