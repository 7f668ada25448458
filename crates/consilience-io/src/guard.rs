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
//!
//! Memory is budgeted: what a file may take is counted before it is taken.

#[cfg(not(target_family = "wasm"))]
use std::any::Any;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(target_family = "wasm"))]
use std::thread;

#[cfg(not(target_family = "wasm"))]
use consilience::Error;
use consilience::{MemoryLimit, Result, size_in_words};

/// So that the line on stderr says what was going on.
#[cfg(not(target_family = "wasm"))]
const THREAD_NAME: &str = "consilience-file-parser";

/// Deflate cannot do better than this: 258 bytes for two bits.
pub(super) const MAX_INFLATION: u64 = 1032;

/// Damaged files can nest deeply; this is room for every depth the readers' own limits allow.
#[cfg(not(target_family = "wasm"))]
const STACK_BYTES: usize = 16 << 20;

/// The most rows or columns a sparse matrix, or the most cells a table with run-length coding, may claim. Neither has
/// a strict bound (empty rows and constant columns cost nothing), so this one is merely generous.
pub(super) fn max_implicit(file_len: u64) -> u64 {
    (1 << 22) + file_len.saturating_mul(64)
}

/// Runs `parse` and turns a panic inside it into an error about `path`.
#[cfg(not(target_family = "wasm"))]
pub(super) fn guarded<T: Send>(path: &Path, parse: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(THREAD_NAME.to_owned()).stack_size(STACK_BYTES);
        let running = builder.spawn_scoped(scope, parse).map_err(|source| Error::reading(path, source))?;
        running
            .join()
            .unwrap_or_else(|panic| Err(Error::format(path, format!("the file is damaged: {}", reason(&*panic)))))
    })
}

/// In a browser there are no threads and a panic ends the program: whoever started it says so and starts it again.
#[cfg(target_family = "wasm")]
pub(super) fn guarded<T: Send>(_: &Path, parse: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    parse()
}

/// The words of a panic.
#[cfg(not(target_family = "wasm"))]
fn reason(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    words.unwrap_or("its parser gave up").lines().next().unwrap_or_default().to_owned()
}

/// Bytes unpacked or read from a pipe at a time.
const STEP: usize = 1 << 20;

/// What is left of the memory for one file.
#[derive(Debug)]
pub(super) struct Budget {
    most: u64,
    left: AtomicU64,
}

impl Budget {
    /// `memory` bytes, by default what the machine has free.
    pub(super) fn new(memory: Option<u64>) -> Self {
        let most = MemoryLimit::new(memory).bytes();
        Self { most, left: AtomicU64::new(most) }
    }

    /// Counts `bytes` as taken; says why they cannot be, when there are not so many left.
    pub(super) fn take(&self, bytes: u64) -> Result<(), String> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(|_| ()).map_err(|left| self.exceeded("", bytes.saturating_add(self.most - left)))
    }

    /// Gives everything back: what was taken is no longer held.
    #[cfg(any(feature = "hdf5", feature = "parquet"))]
    pub(super) fn renew(&self) {
        self.left.store(self.most, Ordering::Relaxed);
    }

    /// [`Budget::take`] for `count` elements of `width` bytes.
    pub(super) fn take_elements(&self, count: usize, width: usize) -> Result<(), String> {
        self.take((count as u64).saturating_mul(width as u64))
    }

    /// Appends everything that comes from `reader`, whose length nobody knows, and counts it as taken. It may be half of
    /// what is left: the numbers made from it need their place too.
    pub(super) fn collect(&self, mut reader: impl Read, bytes: &mut Vec<u8>) -> Result<(), String> {
        let most = self.left.load(Ordering::Relaxed) / 2;
        loop {
            let room = most.saturating_sub(bytes.len() as u64);
            bytes.try_reserve(room.min(STEP as u64) as usize).map_err(|error| error.to_string())?;
            let read = reader.by_ref().take(room.min(STEP as u64)).read_to_end(bytes).map_err(|e| e.to_string())?;
            if read as u64 == room && reader.read(&mut [0]).map_err(|e| e.to_string())? > 0 {
                return Err(self.exceeded("more than ", most));
            }
            if read < STEP {
                return self.take(bytes.len() as u64);
            }
        }
    }

    fn exceeded(&self, how: &str, needed: u64) -> String {
        let (needed, most) = (size_in_words(needed), size_in_words(self.most));
        format!("what it holds takes {how}{needed} of memory, but only {most} may be used")
    }
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

    #[test]
    fn claims_add_up_and_what_exceeds_is_refused() {
        let budget = Budget::new(Some(3_000_000_000));
        assert_eq!(budget.take(2_000_000_000), Ok(()));
        assert_eq!(
            budget.take(2_000_000_000).unwrap_err(),
            "what it holds takes 4.0 GB of memory, but only 3.0 GB may be used"
        );
        assert!(budget.take_elements(usize::MAX, 8).is_err());
        assert_eq!(budget.take_elements(125_000_000, 8), Ok(()), "what was refused was not taken");
    }

    #[test]
    fn an_endless_stream_ends_at_half_of_the_memory() {
        let budget = Budget::new(Some(8 << 20));
        let mut bytes = Vec::new();
        assert!(budget.collect(std::io::repeat(1), &mut bytes).unwrap_err().contains("more than 4 MB"));
        assert!(bytes.capacity() <= 8 << 20);
        let mut bytes = Vec::new();
        budget.collect(std::io::repeat(1).take(4 << 20), &mut bytes).unwrap();
        assert_eq!(bytes.len(), 4 << 20);
        let mut bytes = b"ab".to_vec();
        budget.collect(&b"cd"[..], &mut bytes).unwrap();
        assert_eq!(bytes, b"abcd");
    }
}
