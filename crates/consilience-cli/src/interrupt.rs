//! Ctrl-C: the first one asks the run to stop, the second one does not ask.

use std::sync::atomic::{AtomicBool, Ordering};

use consilience::Cancel;
use consilience_io::folder::abandon;

use crate::output::say;

/// Files are being read.
static READING: AtomicBool = AtomicBool::new(false);
/// Ctrl-C was pressed.
static PRESSED: AtomicBool = AtomicBool::new(false);

/// Reads something. Meanwhile Ctrl-C ends the program at once: whoever waits for a pipe cannot be asked to stop, and
/// nothing has been written yet.
pub(crate) fn reading<T>(read: impl FnOnce() -> T) -> T {
    READING.store(true, Ordering::SeqCst);
    // pressed just before: the handler saw that nothing was being read, and only asked
    if PRESSED.load(Ordering::SeqCst) {
        end();
    }
    let result = read();
    READING.store(false, Ordering::SeqCst);
    result
}

/// A flag that Ctrl-C raises.
pub(crate) fn on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    let raised = cancel.clone();
    // without a handler Ctrl-C still kills the process, and files are written atomically: nothing is lost
    let _ = ctrlc::set_handler(move || {
        PRESSED.store(true, Ordering::SeqCst);
        if READING.load(Ordering::SeqCst) {
            end();
        }
        if raised.is_cancelled() {
            abandon();
            std::process::exit(130);
        }
        raised.cancel();
    });
    cancel
}

fn end() -> ! {
    say("error: interrupted");
    abandon();
    std::process::exit(130)
}
