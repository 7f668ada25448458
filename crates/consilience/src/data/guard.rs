//! A fence around parsers that are not ours.
//!
//! A damaged file can make a third-party parser panic. The user is owed an error that names the file, not a
//! backtrace, so such a parser runs on a thread of its own: its panic ends that thread and arrives here as a value.
//! The panic hook runs before that and would print; a hook of ours, installed once, stays silent for these threads
//! alone and hands every other panic to the hook that was there before.

use std::any::Any;
use std::path::Path;
use std::sync::Once;
use std::thread;

use crate::{Error, Result};

const THREAD_NAME: &str = "consilience-file-parser";
/// Damaged files can nest deeply; this is room for every depth the readers' own limits allow.
const STACK: usize = 16 << 20;

static QUIET_HOOK: Once = Once::new();

/// Runs `parse` and turns a panic inside it into an error about `path`.
pub(super) fn guarded<T: Send>(path: &Path, parse: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    QUIET_HOOK.call_once(silence_guarded_threads);
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(THREAD_NAME.to_owned()).stack_size(STACK);
        let running = builder.spawn_scoped(scope, parse).map_err(|source| Error::reading(path, source))?;
        running
            .join()
            .unwrap_or_else(|panic| Err(Error::format(path, format!("the file is damaged: {}", reason(&*panic)))))
    })
}

fn silence_guarded_threads() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if thread::current().name() != Some(THREAD_NAME) {
            previous(info);
        }
    }));
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
