//! Whether standard output was closed by whoever started the program (`>&-`). Rust's start-up code opens `/dev/null` in its place,
//! where results would be lost without a word; so it is asked before that code runs.

#[cfg(target_os = "linux")]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        CLOSED.store(closed, Ordering::Relaxed);
    }

    // functions of this section are called before the start-up code; the one above needs nothing that it prepares
    #[allow(unsafe_code)]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}

/// Whether there is no standard output.
pub(crate) fn stdout_is_closed() -> bool {
    #[cfg(target_os = "linux")]
    return early::CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(target_os = "linux"))]
    return false;
}
