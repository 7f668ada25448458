//! What accompanies every part of a run and depends on nothing above it: who watches, whether it must stop, where the time
//! goes, how an iteration ended, and what the user should know ([`Warning`]) or be able to see ([`Note`]).

mod answer;
mod clock;
mod context;
mod evidence;
mod notes;
mod warnings;
mod warnings_json;

pub use answer::Answer;
pub(crate) use clock::Instant;
#[doc(hidden)]
pub use clock::seconds_since_1970;
#[cfg(target_family = "wasm")]
pub use clock::set_clock;
pub use context::{Cancel, Observer, Run, Seconds, Stage, Termination};
pub use evidence::CorruptionEvidence;
pub use notes::Note;
pub use warnings::Warning;
