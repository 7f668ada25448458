//! What keeps a hostile file from harming the process: limits on claimed sizes, and a fence around foreign parsers.
//!
//! Sizes are checked against the limits before memory is taken, because a failed allocation ends the process.
//!
//! A damaged file can make a third-party parser panic, and the caller is owed an error that names the file. So such a
//! parser runs on a thread of its own: its panic ends that thread and arrives here as a value. A thread rather than
//! `catch_unwind` because an overflow of the stack cannot be caught, and here the stack's size is ours to choose.
//! The panic hook belongs to the application and is left alone. It runs before a panic can be caught, and the standard
//! library has no other way to keep it silent (the capture of tests is not stable), so such a file may cost a line on
//! stderr. It is rare: of 120,000 damaged files two made a parser panic, both in arithmetic that only a debug build
//! checks. What is known to panic is refused before the parser sees it.

use std::any::Any;
use std::path::Path;
use std::thread;

use consilience::{Error, Result};

/// So that the line on stderr says what was going on.
const THREAD_NAME: &str = "consilience-file-parser";

/// Deflate cannot do better than this: 258 bytes for two bits.
pub(super) const MAX_INFLATION: u64 = 1032;

/// Damaged files can nest deeply; this is room for every depth the readers' own limits allow.
const STACK_BYTES: usize = 16 << 20;

/// The most rows or columns a sparse matrix, or the most cells a table with run-length coding, may claim. Neither has
/// a strict bound (empty rows and constant columns cost nothing), so this one is merely generous.
pub(super) fn max_implicit(file_len: u64) -> u64 {
    (1 << 22) + file_len.saturating_mul(64)
}

/// Runs `parse` and turns a panic inside it into an error about `path`.
pub(super) fn guarded<T: Send>(path: &Path, parse: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(THREAD_NAME.to_owned()).stack_size(STACK_BYTES);
        let running = builder.spawn_scoped(scope, parse).map_err(|source| Error::reading(path, source))?;
        running
            .join()
            .unwrap_or_else(|panic| Err(Error::format(path, format!("the file is damaged: {}", reason(&*panic)))))
    })
}

/// The words of a panic.
fn reason(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    words.unwrap_or("its parser gave up").lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_about_the_file() {
        let empty: Vec<u8> = Vec::new();
        let result = guarded(Path::new("x.mat"), || Ok(empty[3]));
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("`x.mat`: the file is damaged: index out of bounds"), "{message}");
        assert_eq!(guarded(Path::new("x.mat"), || Ok(7)).unwrap(), 7);
    }
}
