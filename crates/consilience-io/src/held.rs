//! Files that are held in memory by name, where there is no disk: in a browser the page gives them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Files = BTreeMap<PathBuf, Arc<Vec<u8>>>;

static HELD: Mutex<Files> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, Files> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the file at `path` holds these bytes.
pub fn hold(path: &Path, bytes: Vec<u8>) {
    files().insert(path.to_owned(), Arc::new(bytes));
}

/// There is no file at `path` any more.
pub fn release(path: &Path) {
    files().remove(path);
}

/// What the file at `path` holds.
pub fn bytes(path: &Path) -> Option<Arc<Vec<u8>>> {
    files().get(path).cloned()
}
