//! How often a run copies what it was given, by counting allocations.

// a global allocator that counts can only be written with `unsafe`
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use consilience::matrix::Dense;
use consilience::{Settings, View, Views, cluster};

/// The system's allocator, counting how many blocks of at least a view's size are asked for.
struct Counting;

static LARGE_FROM: AtomicUsize = AtomicUsize::new(usize::MAX);
static LARGE: AtomicUsize = AtomicUsize::new(0);

fn taken(size: usize) {
    if size >= LARGE_FROM.load(Ordering::Relaxed) {
        LARGE.fetch_add(1, Ordering::Relaxed);
    }
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// n = 1500 samples of d = 600 features: so wide that the views outweigh lists and graphs, and copies of them show.
#[test]
fn an_owned_view_is_copied_no_oftener_than_its_numbers_change() {
    let (n, d) = (1500, 600);
    let size = n * d * size_of::<f64>();
    let views = vec![View::new("wide", Dense::from_fn(n, d, |i, j| ((i * 31 + j * 17) % 97 + 40 * (i % 3)) as f64))];
    let views = Views::new(views).unwrap();
    let shared = views.clone();
    LARGE_FROM.store(size, Ordering::Relaxed);
    let found = cluster(&views, &Settings::new(3)).unwrap();
    let copies = LARGE.load(Ordering::Relaxed);
    LARGE_FROM.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(found.record.labels.len(), n);
    // the scaled view, the outlier test's filled view and fit, the smoothed view, and room for a search in f64
    assert!(copies <= 7, "{copies} blocks of the view's size");
    drop(shared);
}
