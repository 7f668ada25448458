//! How a page reaches WebAssembly's memory. It takes room for bytes, fills it, and asks; the answer lies where
//! [`answer_at`] says until the next question. Besides that the page gives a clock and listens: four functions.
//!
//! This and a global allocator that says when memory is short are the only unsafe code of the crate: pointers from outside
//! cannot be checked, and whoever calls is the worker of our own page.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use consilience::{Observer, Stage};
use consilience_io::held;

use crate::{Answer, Session};

mod page {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        /// Seconds since 1970.
        pub(super) safe fn now() -> f64;
        /// A part of the work has begun, by its number.
        pub(super) safe fn stage(number: u32);
        /// How far it is.
        pub(super) safe fn progress(done: u32, total: u32);
        /// Text of a panic, after which nothing here works any more.
        pub(super) fn panicked(text: *const u8, length: usize);
        /// So many bytes could not be had.
        pub(super) safe fn short_of_memory(bytes: f64);
    }
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static LAST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Tells the page when memory is short: a failed allocation ends everything without a word.
struct Telling;

#[global_allocator]
static MEMORY: Telling = Telling;

fn told(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        page::short_of_memory(bytes as f64);
    }
    pointer
}

// SAFETY: everything is done by the system's allocator
unsafe impl GlobalAlloc for Telling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        told(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        told(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        told(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

struct Watched;

impl Observer for Watched {
    fn stage(&self, stage: Stage) {
        page::stage(stage as u32);
    }

    fn progress(&self, done: usize, total: usize) {
        page::progress(done as u32, total as u32);
    }
}

/// Before anything else.
#[unsafe(no_mangle)]
extern "C" fn start() {
    consilience::run::set_clock(|| page::now());
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the page reads the text before it returns
        unsafe { page::panicked(text.as_ptr(), text.len()) };
    }));
}

/// Room for `length` bytes, which [`hold`] or [`ask`] take over; null when there is none.
#[unsafe(no_mangle)]
extern "C" fn take(length: usize) -> *mut u8 {
    match Layout::array::<u8>(length.max(1)) {
        // SAFETY: the size is not 0
        Ok(layout) => unsafe { std::alloc::alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// # Safety
/// `at` is from [`take`], of this length, filled, and not used again.
unsafe fn taken(at: *mut u8, length: usize) -> Vec<u8> {
    unsafe { Vec::from_raw_parts(at, length, length.max(1)) }
}

/// From now on the file of this name holds these bytes.
///
/// # Safety
/// Both are from [`take`], filled, and not used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn hold(name: *mut u8, name_length: usize, at: *mut u8, length: usize) {
    let (name, bytes) = unsafe { (taken(name, name_length), taken(at, length)) };
    held::hold(Path::new(&*String::from_utf8_lossy(&name)), bytes);
}

/// The file of this name is gone.
///
/// # Safety
/// The name is from [`take`], filled, and not used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn release(name: *mut u8, length: usize) {
    let name = unsafe { taken(name, length) };
    held::release(Path::new(&*String::from_utf8_lossy(&name)));
}

/// Asks: 0 when the answer is JSON, 1 when it is a file, 2 when it is an error.
///
/// # Safety
/// The question is from [`take`], filled, and not used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn ask(at: *mut u8, length: usize) -> u32 {
    let question = unsafe { taken(at, length) };
    let question = String::from_utf8_lossy(&question);
    let answer = SESSION.with_borrow_mut(|session| session.answer(&question, Arc::new(Watched)));
    let (kind, bytes) = match answer {
        Answer::Json(text) => (0, text.into_bytes()),
        Answer::File(bytes) => (1, bytes),
        Answer::Error(text) => (2, text.into_bytes()),
    };
    LAST.set(bytes);
    kind
}

/// Where the last answer lies.
#[unsafe(no_mangle)]
extern "C" fn answer_at() -> *const u8 {
    LAST.with_borrow(|last| last.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    LAST.with_borrow(Vec::len)
}
