//! A run from what was asked to what came out, typed and readable from its folder again.
//!
//! [`Settings`] and [`Inputs`](crate::data::Inputs) say what is asked, [`Run`] accompanies the work,
//! [`RunRecord`] is the account that `run.json`, `--json`, the report, the experiments and Python all share, and
//! [`folder`] keeps it on disk.

mod context;
pub mod folder;
mod origin;
mod record;
mod settings;
mod status;
mod weights;

pub use context::{ApproximateSearches, Cancel, Observer, Run, Seconds, Stage};
pub use origin::{Origin, SourceFile};
pub use record::{GraphRecord, RunRecord, ViewRecord, peak_memory_mb};
pub use settings::Settings;
pub use status::{CorruptionEvidence, Termination, Warning};
pub use weights::GivenWeights;
