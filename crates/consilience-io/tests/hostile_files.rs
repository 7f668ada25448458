//! Damaged files, by the thousand, against every reader: an answer or an error, never a panic, never a hang, never much
//! memory. A few thousand of them run with the other tests; `make fuzz` makes it 200,000 and more.

// a global allocator that counts can only be written with `unsafe`
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod fixtures;

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use consilience::datasets::Blobs;
use consilience::matrix::Dense;
use consilience::model::Model;
use consilience::{Run, Settings, View, Views, cluster};
use consilience_io::{Inputs, ReadOptions, model, read_labels, read_with};
use fixtures::fixture;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The system's allocator, counting what is held and remembering the most.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// Held while a file is read and what that takes is counted.
static ALONE: Mutex<()> = Mutex::new(());

/// Counts an allocation that was granted: where memory is short, one that is refused is never given back.
fn took(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if !pointer.is_null() {
        let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST.fetch_max(held, Ordering::Relaxed);
    }
    pointer
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = took(unsafe { System.realloc(pointer, layout, size) }, size);
        if !moved.is_null() {
            HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// No fixture is larger than 100 KB; nothing honest in one needs so much.
const MOST_ALLOWED: usize = 1 << 30;
const SLOWEST_ALLOWED: Duration = Duration::from_secs(10);

/// Damaged files per format; `HOSTILE_ROUNDS` asks for more of them in a longer search.
fn rounds() -> usize {
    std::env::var("HOSTILE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1200)
}

/// Ends the process when a file is read for too long: a hang cannot be caught, only named.
struct Watchdog {
    /// None while nothing is read, as when another format has its turn.
    began: Arc<Mutex<Option<Instant>>>,
    over: Arc<AtomicBool>,
}

impl Watchdog {
    fn new(format: &str, kept: PathBuf) -> Self {
        let (began, over) = (Arc::new(Mutex::new(None::<Instant>)), Arc::new(AtomicBool::new(false)));
        let (watched, ended, format) = (began.clone(), over.clone(), format.to_owned());
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                if watched.lock().unwrap().is_some_and(|began| began.elapsed() > SLOWEST_ALLOWED) {
                    eprintln!("{format}: hangs: {}", keep(&kept, "hanging"));
                    std::process::abort();
                }
            }
        });
        Self { began, over }
    }

    fn start(&self) {
        *self.began.lock().unwrap() = Some(Instant::now());
    }

    /// How long it took.
    fn stop(&self) -> Duration {
        self.began.lock().unwrap().take().map_or(Duration::ZERO, |began| began.elapsed())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
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

/// Damages every one of some fixtures in turn until the format has had its share.
fn attack(format: &str, fixtures: &str, seed: u64) {
    let fixtures: Vec<&str> = fixtures.split_whitespace().collect();
    let originals: Vec<Vec<u8>> = fixtures.iter().map(|name| std::fs::read(fixture(name)).unwrap()).collect();
    attack_with(format, &fixtures, &originals, seed, survives);
}

/// The same for any files and whoever reads them; `read` says whether it understood.
fn attack_with(format: &str, fixtures: &[&str], originals: &[Vec<u8>], seed: u64, read: impl Fn(&Path, usize) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    // the name matters to AnnData: views are asked for by it
    let path = folder.path().join("hostile.bin");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut understood, mut slowest, mut largest) = (0, Duration::ZERO, 0);
    let watchdog = Watchdog::new(format, path.clone());
    for round in 0..rounds() {
        let which = round % originals.len();
        let bytes = mutate(&originals[which], &mut random);
        std::fs::write(&path, &bytes).unwrap();
        // the counters are the process's: one file is read at a time, whatever the number of test threads
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = HELD.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        watchdog.start();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&path, round)));
        slowest = slowest.max(watchdog.stop());
        let most = MOST.load(Ordering::Relaxed).saturating_sub(before);
        drop(alone);
        let name = fixtures[which];
        assert!(outcome.is_ok(), "{format}: round {round} of seed {seed} ({name}) panicked: {}", keep(&path, name));
        understood += usize::from(outcome.unwrap());
        largest = largest.max(most);
        assert!(most < MOST_ALLOWED, "{format}: round {round} ({name}) took {most} bytes: {}", keep(&path, name));
    }
    let (all, largest) = (rounds(), largest / 1_000_000);
    eprintln!(
        "{format}: {all} damaged files, {understood} of them read; slowest {slowest:?}, most memory {largest} MB"
    );
    // some damage is harmless, most is not; if all or none were read, the test would not be testing
    assert!(understood > 0 && understood < all, "{format}: {understood} of {all} were read");
}

/// Keeps the file that did it.
fn keep(path: &Path, name: &str) -> String {
    let kept: PathBuf = std::env::temp_dir().join(format!("hostile-{name}"));
    std::fs::copy(path, &kept).map_or_else(|error| error.to_string(), |_| kept.display().to_string())
}

fn survives(path: &Path, round: usize) -> bool {
    let _ = read_labels(path);
    read_in_pieces(path);
    let mut options = ReadOptions::default();
    // every other file is asked for what it does not give by itself
    if round % 2 == 1 {
        options.views = ["X_pca", "protein", "counts", "Y", "rna:X_pca", "prot", "a"].map(String::from).to_vec();
        options.label_column = Some("cell_type".to_owned()).filter(|_| round % 4 == 1);
    }
    match read_with(path, &options) {
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

/// A piece at a time a file gives what it gives as a whole, where it can be read in both ways.
fn read_in_pieces(path: &Path) {
    let inputs = Inputs { files: vec![path.to_owned()], ..Inputs::default() };
    let (Ok(Some(mut pieces)), Ok(whole)) = (inputs.pieces(), inputs.load()) else { return };
    let mut rows = 0;
    while let Ok(Some(piece)) = pieces.next_piece() {
        assert_eq!(piece.before, rows);
        rows += piece.views.samples();
        assert_eq!(piece.views.iter().next().unwrap().features, whole.views.iter().next().unwrap().features);
    }
    assert_eq!(rows, whole.views.samples());
}

#[test]
fn models() {
    let model = |features: Vec<usize>, counts: bool| {
        let (views, _) = Blobs { samples: 40, clusters: 3, features, separation: 9.0, seed: 1 }.generate().unwrap();
        let words = Dense::from_fn(40, 30, |i, j| if j / 10 == i % 3 && (i + j) % 4 == 0 { 2.0 } else { 0.0 });
        let words = View::new("words", words).with_features(Some((0..30).map(|j| format!("w{j}")).collect()));
        let views = Views::new(views.iter().cloned().chain(counts.then_some(words)).collect()).unwrap();
        let mut found = cluster(&views, &Settings::new(3)).unwrap();
        found.record.ids = counts.then(|| (0..40).map(|i| format!("sample {i}")).collect());
        (model::to_bytes(&Model::new(&views, &found, &Run::default()).unwrap()).unwrap(), views)
    };
    let ((dense, views), (mixed, mixed_views)) = (model(vec![5, 4], false), model(vec![5], true));
    attack_with("models", &["dense.safetensors", "mixed.safetensors"], &[dense, mixed], 9, |path, round| {
        let Ok(model) = model::load(path) else { return false };
        // what is read must also be harmless to use
        let _ = model.predict(if round % 2 == 0 { &views } else { &mixed_views }, &Run::default());
        true
    });
}

#[test]
fn npy() {
    let fixtures = "a_f64.npy a_f32.npy a_fortran.npy a_big_endian.npy a_half.npy b_int16.npy b_int64.npy s_bool.npy \
        truth_long.npy";
    attack("npy", fixtures, 1);
}

#[test]
fn npz() {
    let fixtures = "views.npz views_deflated.npz s_csr.npz s_csc.npz s_coo.npz long.npz xy.npz";
    attack("npz", fixtures, 2);
}

#[test]
fn text() {
    let fixtures = "index.csv numbered.csv labelled.csv quoted_ids.csv genes.tsv blanks.txt bom_crlf.csv comma.csv \
        comma.tsv comments.csv savetxt.csv matlab_comments.txt multi_line.csv utf-16-le.csv utf-16-be.csv";
    attack("text", fixtures, 3);
}

#[test]
fn packed() {
    attack("packed", "packed.csv.gz members.csv.gz packed.tsv.gz packed.csv.zst", 7);
}

#[test]
fn matlab_v5() {
    let fixtures = "cell.mat cell_deflated.mat turned.mat plain.mat struct.mat words.mat long.mat";
    attack("matlab v5", fixtures, 4);
}

#[test]
fn hdf5() {
    attack("hdf5", "cell_v73.mat plain.h5 chunked_v110.h5 long.h5", 5);
}

#[test]
fn anndata() {
    attack("anndata", "cells.h5ad cells_gzip.h5ad no_x.h5ad old.h5ad cells.h5mu partial.h5mu", 8);
}

#[test]
fn parquet() {
    let fixtures = "table_snappy.parquet table_zstd.parquet holes.parquet types_brotli.parquet types_lz4.parquet \
        types_plain.parquet long.parquet dates.parquet";
    attack("parquet", fixtures, 6);
}
