//! Reading files leaves the panic hook of the application in place. Alone in its process: a reader that installed a hook
//! once could have done so in another test before this one looks.

#![allow(clippy::unwrap_used)]

mod fixtures;

use std::panic::{PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};

use consilience_io::read;
use fixtures::fixture;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// Where a hook lies: the same hook, the same address.
fn address(hook: &Hook) -> *const () {
    std::ptr::from_ref(hook.as_ref()).cast()
}

#[test]
fn the_panic_hook_of_the_application_stays_in_place() {
    let before = take_hook();
    let own = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = own.clone();
    // it captures something, so that it has an address of its own
    let hook: Hook = Box::new(move |info| {
        counter.fetch_add(1, Ordering::Relaxed);
        before(info);
    });
    let expected = address(&hook);
    set_hook(hook);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.bin");
    for name in ["views.npz", "plain.h5", "table_zstd.parquet", "cell.mat", "index.csv", "a_f64.npy"] {
        let honest = std::fs::read(fixture(name)).unwrap();
        std::fs::write(&path, &honest[..honest.len() / 2]).unwrap();
        let _ = read(&path);
        std::fs::write(&path, honest).unwrap();
        read(&path).unwrap();
    }
    let after = take_hook();
    assert_eq!(address(&after), expected, "reading replaced the hook");
    set_hook(after);
    let counted = own.load(Ordering::Relaxed);
    assert!(catch_unwind(|| std::panic::panic_any("a panic of the application's own")).is_err());
    assert!(own.load(Ordering::Relaxed) > counted);
}
