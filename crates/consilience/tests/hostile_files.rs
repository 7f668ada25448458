//! Damaged files, by the thousand, against every reader: an answer or an error, never a panic, never a huge allocation.

// a global allocator that counts can only be written with `unsafe`
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use consilience::Views;
use consilience::data::{read, read_labels};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The system's allocator, remembering the largest request.
struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// No fixture is larger than 20 KB; nothing honest in one needs a block of this size.
const LARGEST_ALLOWED: usize = 256 << 20;

/// Damaged files per format; `HOSTILE_ROUNDS` asks for more of them in a longer search.
fn rounds() -> usize {
    std::env::var("HOSTILE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1200)
}

/// One damaged copy of `original`.
fn mutate(original: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let hits = random.random_range(1..=3);
    match random.random_range(0..6) {
        0 => (0..hits).for_each(|_| flip(&mut bytes, random)),
        1 => bytes.truncate(random.random_range(0..original.len())),
        2 => {
            let at = random.random_range(0..bytes.len());
            let block: Vec<u8> = (0..random.random_range(1..64)).map(|_| random.random()).collect();
            bytes.splice(at..at, block);
        }
        3 => {
            let from = random.random_range(0..bytes.len());
            let to = (from + random.random_range(1..64)).min(bytes.len());
            bytes.drain(from..to);
        }
        _ => (0..hits).for_each(|_| overwrite_length(&mut bytes, random)),
    }
    bytes
}

fn flip(bytes: &mut [u8], random: &mut impl Rng) {
    let at = random.random_range(0..bytes.len());
    bytes[at] ^= random.random_range(1..=255_u8);
}

/// Overwrites what may be a size with one that is too large, in either byte order.
fn overwrite_length(bytes: &mut [u8], random: &mut impl Rng) {
    const SIZES: [&[u8]; 8] = [
        &[0xff; 4],
        &[0xff; 8],
        &[0xff, 0xff, 0xff, 0x7f],
        &[0x7f, 0xff, 0xff, 0xff],
        &[0, 0, 0, 0x40],
        &[0, 0, 0, 0, 0, 1, 0, 0],
        &[0; 4],
        b"999999999999",
    ];
    let size = SIZES[random.random_range(0..SIZES.len())];
    let step = [1, 2, 4, 8][random.random_range(0..4_usize)];
    let at = random.random_range(0..bytes.len()) / step * step;
    bytes.iter_mut().skip(at).zip(size).for_each(|(byte, new)| *byte = *new);
}

/// Damages every fixture in turn until the format has had its share.
fn attack(format: &str, fixtures: &[&str], seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.bin");
    let source = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let originals: Vec<Vec<u8>> = fixtures.iter().map(|name| std::fs::read(source(name)).unwrap()).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut understood = 0;
    for round in 0..rounds() {
        let which = round % originals.len();
        let bytes = mutate(&originals[which], &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| survives(&path)));
        let name = fixtures[which];
        assert!(outcome.is_ok(), "{format}: round {round} of seed {seed} ({name}) panicked: {}", keep(&path, name));
        understood += usize::from(outcome.unwrap());
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(largest < LARGEST_ALLOWED, "{format}: round {round} ({name}) took {largest}: {}", keep(&path, name));
    }
    // some damage is harmless, most is not; if all or none were read, the test would not be testing
    assert!(understood > 0 && understood < rounds(), "{format}: {understood} of {} were read", rounds());
}

/// Keeps the file that did it.
fn keep(path: &Path, name: &str) -> String {
    let kept: PathBuf = std::env::temp_dir().join(format!("hostile-{name}"));
    std::fs::copy(path, &kept).map_or_else(|error| error.to_string(), |_| kept.display().to_string())
}

fn survives(path: &Path) -> bool {
    let _ = read_labels(path);
    match read(path) {
        Ok(loaded) => {
            let _ = Views::new(loaded.views);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn npy() {
    attack("npy", &["a_f64.npy", "a_f32.npy", "a_fortran.npy", "a_big_endian.npy", "a_half.npy", "b_int64.npy"], 1);
}

#[test]
fn npz() {
    attack("npz", &["views.npz", "views_deflated.npz", "s_csr.npz", "s_csc.npz", "s_coo.npz"], 2);
}

#[test]
fn text() {
    attack("text", &["index.csv", "labelled.csv", "quoted_ids.csv", "genes.tsv", "blanks.txt", "bom_crlf.csv"], 3);
}

#[test]
fn matlab_v5() {
    let fixtures = ["cell.mat", "cell_deflated.mat", "turned.mat", "plain.mat", "struct.mat", "words.mat"];
    attack("matlab v5", &fixtures, 4);
}

#[test]
fn hdf5() {
    attack("hdf5", &["cell_v73.mat", "plain.h5", "chunked_v110.h5"], 5);
}

#[test]
fn parquet() {
    attack("parquet", &["table_snappy.parquet", "table_zstd.parquet", "holes.parquet"], 6);
}
