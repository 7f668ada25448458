//! What accompanies every part of a run and depends on nothing above it: who watches, whether it must stop, where the time
//! goes, how an iteration ended, and what the user should know ([`Warning`]) or be able to see ([`Note`]).

mod context;
mod notes;
mod status;

pub use context::{Cancel, Observer, Run, Seconds, Stage};
pub use notes::Note;
pub use status::{CorruptionEvidence, Termination, Warning};
