//! consilience in a browser: the engine behind a page that needs no server, and nothing that is installed.
//!
//! A page asks by JSON and gets JSON or the bytes of a file: [`Session::answer`] is the whole interface. `boundary` is the thin
//! layer under it through which a page reaches WebAssembly's memory; nothing else here knows of browsers, so that tests
//! run anywhere.

mod asked;
#[cfg(target_family = "wasm")]
mod boundary;
mod example;
mod finished;
mod hints;
mod looked;
mod placed;
mod session;
mod told;

pub use session::{Answer, Session};
