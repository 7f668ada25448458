//! The clock of a run: the system's, or in a browser the one that the page has given ([`set_clock`]), because WebAssembly has none.

#[cfg(target_family = "wasm")]
pub(crate) use given::Instant;
#[cfg(target_family = "wasm")]
pub use given::set_clock;
#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::Instant;

/// Seconds since 1970, in UTC; 0 where nobody knows.
#[doc(hidden)]
#[must_use]
pub fn seconds_since_1970() -> f64 {
    #[cfg(not(target_family = "wasm"))]
    {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0.0, |since| since.as_secs_f64())
    }
    #[cfg(target_family = "wasm")]
    {
        given::now()
    }
}

#[cfg(target_family = "wasm")]
mod given {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Gives the clock: seconds since 1970. Without one every part of a run takes 0 seconds.
    #[doc(hidden)]
    pub fn set_clock(clock: fn() -> f64) {
        let _ = CLOCK.set(clock);
    }

    pub(super) fn now() -> f64 {
        CLOCK.get().map_or(0.0, |clock| clock())
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Instant(f64);

    impl Instant {
        pub(crate) fn now() -> Self {
            Self(now())
        }

        pub(crate) fn elapsed(self) -> Duration {
            Duration::try_from_secs_f64(now() - self.0).unwrap_or_default()
        }
    }
}
