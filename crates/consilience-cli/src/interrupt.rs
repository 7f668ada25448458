//! Ctrl-C: the first one asks the run to stop, the second one does not ask.

use consilience::Cancel;

/// A flag that Ctrl-C raises.
pub(crate) fn on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    let raised = cancel.clone();
    // without a handler Ctrl-C still kills the process, and files are written atomically: nothing is lost
    let _ = ctrlc::set_handler(move || {
        if raised.is_cancelled() {
            std::process::exit(130);
        }
        raised.cancel();
    });
    cancel
}
