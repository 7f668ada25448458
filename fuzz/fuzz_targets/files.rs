//! Any bytes as a file of views and as a file of labels, in every format: an answer or an error.

#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::LazyLock;

use consilience::Views;
use consilience_io::{ReadOptions, read_labels, read_with};
use libfuzzer_sys::fuzz_target;

/// A file may take so much memory.
const MEMORY: u64 = 64 << 20;

/// Where the bytes lie: a file in memory, where there is such a file system.
static PLACE: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder");
    let file = folder.path().join("file.bin");
    (folder, file)
});

fuzz_target!(
    init: {
        // the readers turn a panic of a parser that is not ours into an error; libFuzzer's hook would end the process first
        std::panic::set_hook(Box::new(|_| ()));
    },
    |bytes: &[u8]| {
        let path = &PLACE.1;
        std::fs::write(path, bytes).expect("a file");
        let read = || {
            let _ = read_labels(path);
            let mut options = ReadOptions { memory: Some(MEMORY), ..ReadOptions::default() };
            if let Ok(loaded) = read_with(path, &options) {
                let _ = Views::new(loaded.views);
            }
            // what a container does not give by itself
            options.views = ["X_pca", "protein", "counts", "Y", "rna:X_pca", "prot", "a"].map(String::from).to_vec();
            let _ = read_with(path, &options);
        };
        if catch_unwind(AssertUnwindSafe(read)).is_err() {
            eprintln!("a reader panicked");
            std::process::abort();
        }
    }
);
