//! What a verdict is in one word, of the whole and of every cluster: the words that `run.json`, the report and Python share.

use serde::{Deserialize, Serialize};

/// How far a clustering may be trusted as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Clusters that come back when samples are left out, with gaps or valleys between them.
    Separate,
    /// Clusters that come back, of which some have no clear border to their neighbours.
    Touching,
    /// Cuts that come back, of something without borders: an ordering or a trajectory says more.
    Pieces,
    /// Most of the samples are in clusters that do not come back.
    Unstable,
    /// Too little was computed to say: no failure.
    #[default]
    Untested,
}

/// How far a cluster may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterState {
    /// It comes back when samples are left out, with a gap or a valley around it.
    Solid,
    /// It comes back, and has no clear border to its neighbours.
    Touching,
    /// It does not come back.
    Fragile,
}

impl State {
    /// As `run.json` and the report write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Separate => "separate",
            Self::Touching => "touching",
            Self::Pieces => "pieces",
            Self::Unstable => "unstable",
            Self::Untested => "untested",
        }
    }
}

/// What is known of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterVerdict {
    /// In one word; none where it was not tested.
    #[serde(default)]
    pub state: Option<ClusterState>,
    /// How far it comes back when samples are left out: the mean Jaccard index with its best match over refits.
    #[serde(default)]
    pub stability: Option<f64>,
    /// The clusters that it has no clear border to.
    #[serde(default)]
    pub touches: Vec<usize>,
}

/// The verdict of a run as `run.json` keeps it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerdictRecord {
    /// In one word; untested until the run was examined.
    #[serde(default)]
    pub state: State,
}
