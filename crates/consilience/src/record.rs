//! The account of a run: what was asked, what came out, how it ended. Program, experiments, report and Python all write
//! and read this one type.

use serde::{Deserialize, Serialize};

use crate::choose::KChoice;
use crate::graph::GraphRecord;
use crate::markers::Marker;
use crate::method::Findings;
use crate::metrics::Scores;
use crate::run::{Note, Seconds, Termination, Warning};
use crate::settings::Settings;
use crate::tree::Tree;
use crate::{Result, View, metrics};

/// The account of a run that `--json` prints and `run.json` keeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunRecord {
    /// Version of consilience that made it.
    pub version: String,
    /// What was asked: `k`, `method`, `parameters`, `scale`, `corruption`, `seed`, `restarts`.
    #[serde(flatten)]
    pub settings: Settings,
    /// Number of samples.
    pub n: usize,
    /// The views, with the weight each had.
    pub views: Vec<ViewRecord>,
    /// The samples' ids, where the files had them.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
    /// What was decided while the files were read and joined: which column holds the ids, what was filled in or left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// How the number of clusters was chosen, where it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<KChoice>,
    /// How the run was made by landmarks, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_landmarks: Option<LandmarkRecord>,
    /// The cluster of every sample, 0.. in the order of first appearance.
    pub labels: Vec<usize>,
    /// How the clusters join where fewer are wanted.
    #[serde(default)]
    pub tree: Tree,
    /// Scores against the truth, when there was one.
    pub scores: Option<Scores>,
    /// The affinity's largest eigenvalues; a drop after the k-th speaks for k clusters. Empty for methods that need none.
    pub eigenvalues: Vec<f64>,
    /// How the graphs were made, for methods that make some.
    #[serde(default)]
    pub graph: Option<GraphRecord>,
    /// How the method ended.
    pub termination: Termination,
    /// Trace, agreement of the views, corruption found.
    pub findings: Findings,
    /// The features that set each cluster apart, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// Where the time went.
    pub seconds: Seconds,
    /// Most memory the process held, in MB; unknown outside Linux.
    pub peak_rss_mb: Option<f64>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// A view as a run saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewRecord {
    /// Its name.
    pub name: String,
    /// Number of features; of affinities, that of the samples.
    pub d: usize,
    /// Its weight in the consensus; the weights sum to 1.
    pub weight: f64,
    /// Whether it is an affinity of the samples, without features.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub affinity: bool,
}

impl ViewRecord {
    pub(crate) fn new(view: &View, weight: f64) -> Self {
        Self { name: view.name.clone(), d: view.data.cols(), weight, affinity: view.is_affinity() }
    }
}

impl RunRecord {
    /// With what is known from the files: the samples' ids, what was decided, and the seconds it took to read them.
    #[must_use]
    pub fn with_source(mut self, ids: Option<Vec<String>>, notes: Vec<Note>, load: f64) -> Self {
        self.ids = ids;
        self.notes = notes;
        self.seconds.load += load;
        self.seconds.total += load;
        self
    }

    /// With the scores of its labels against the `truth`.
    ///
    /// # Errors
    /// When the truth is of other samples.
    pub fn with_truth<T: Copy + Ord>(mut self, truth: &[T]) -> Result<Self> {
        self.scores = Some(metrics::score(&self.labels, truth)?);
        Ok(self)
    }

    /// How many clusters have samples.
    pub fn clusters_found(&self) -> usize {
        self.labels.iter().max().map_or(0, |last| last + 1)
    }
}

/// The high-water mark of the process's memory, as Linux keeps it.
#[doc(hidden)]
pub fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// How a run was made by landmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LandmarkRecord {
    /// Samples that were clustered in full.
    pub count: usize,
    /// Means of them that all samples were compared with.
    pub means: usize,
    /// The numbers of landmarks that were tried, when it was not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Trial>,
}

/// A number of landmarks, and how far it agrees with the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trial {
    /// Number of landmarks.
    pub count: usize,
    /// Normalised mutual information between where these landmarks and those tried before put other samples; none for the
    /// first.
    pub agreement: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;

    /// What 0.2 wrote of the search for neighbours, of which there is only one now.
    #[test]
    fn a_record_of_version_0_2_is_read() {
        let blobs = Blobs { samples: 30, clusters: 2, features: vec![3, 4], separation: 12.0, seed: 7 };
        let record = crate::cluster(&blobs.generate().unwrap().0, &Settings::new(2)).unwrap().record;
        let json = serde_json::to_value(&record).unwrap();
        let mut old = json.clone();
        old["search"] = "approximate".into();
        old["approximate"] = serde_json::json!({ "searches": 8, "least_recall": 0.31 });
        let read: RunRecord = serde_json::from_value(old).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), json);
    }
}
