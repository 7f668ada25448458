//! The account of a run with where it came from: what `run.json` and `--json` hold.

use serde::{Deserialize, Serialize};

use consilience::RunRecord;

use crate::{Inputs, Origin};

/// A run's record, and the files it was made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedRun {
    /// What was asked and what came out.
    #[serde(flatten)]
    pub record: RunRecord,
    /// The files it was made from; none when the views were in memory.
    #[serde(default)]
    pub inputs: Option<Inputs>,
    /// The files as they were, the day, the command and the machine, where the program made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl From<RunRecord> for SavedRun {
    /// A run of views that were in memory.
    fn from(record: RunRecord) -> Self {
        Self { record, inputs: None, origin: None }
    }
}
