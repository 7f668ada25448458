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
use crate::split::{Split, finer};
use crate::states::{ClusterVerdict, State, VerdictRecord};
use crate::tree::Tree;
use crate::{Error, Hint, Result, View, metrics};

/// More restarts of k-means than anybody waits for.
const MOST_RESTARTS: usize = 100_000;

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
    /// How each cluster would split in two where more are wanted, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<Split>,
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
    /// How far the clustering may be trusted: untested until it was examined.
    #[serde(default)]
    pub verdict: VerdictRecord,
    /// What the examination says of every cluster; empty until there was one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<ClusterVerdict>,
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

    /// With what an examination says of it.
    #[must_use]
    pub fn with_verdict(mut self, state: State, clusters: Vec<ClusterVerdict>) -> Self {
        self.verdict.state = state;
        self.clusters = clusters;
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

    /// That nothing in it is of samples, views, features or clusters that there are not: a record is a file that anybody can edit,
    /// and pages and runs are made from it.
    ///
    /// # Errors
    /// Names the first that is.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::data(what));
        let (n, k) = (self.n, self.clusters_found());
        let features = |name: &str| self.views.iter().find(|view| view.name == name).map(|view| view.d);
        if n == 0 || self.labels.len() != n || self.labels.iter().any(|label| *label >= n) {
            return wrong(format!("`labels` are not the clusters of {n} samples"));
        }
        if self.ids.as_ref().is_some_and(|ids| ids.len() != n) {
            return wrong(format!("`ids` are not those of {n} samples"));
        }
        let possible = |view: &ViewRecord| view.d > 0 && (0.0..=1.0 + 1e-9).contains(&view.weight);
        if self.views.is_empty() || !self.views.iter().all(possible) {
            return wrong("`views` lacks views, or their features or weights are impossible".to_owned());
        }
        if !(1..=MOST_RESTARTS).contains(&self.settings.restarts) || !(1..=n).contains(&self.settings.clusters) {
            let (restarts, clusters) = (self.settings.restarts, self.settings.clusters);
            return wrong(format!("`restarts` = {restarts} or `k` = {clusters} is impossible for {n} samples"));
        }
        let stray = |marker: &Marker| {
            marker.cluster >= k || features(&marker.view).is_none_or(|features| marker.column >= features)
        };
        if let Some(at) = self.markers.iter().position(stray) {
            return wrong(format!("`markers[{at}]` is of a cluster, view or column that there is not"));
        }
        let strays = |cluster: &ClusterVerdict| cluster.touches.iter().any(|&other| other >= self.settings.clusters);
        if self.clusters.len() > n || self.clusters.iter().any(strays) {
            return wrong("`clusters` are more than there are, or touch some that there are not".to_owned());
        }
        self.findings.check(n, &features)?;
        let choice_of = |choice: &KChoice| choice.curves.iter().all(|point| point.k <= n) && choice.samples <= n;
        let landmarks_of = |by: &LandmarkRecord| by.count <= n && by.means <= n;
        if !self.choice.as_ref().is_none_or(choice_of) || !self.by_landmarks.as_ref().is_none_or(landmarks_of) {
            return wrong(format!("`choice` or `by_landmarks` is of more than {n} samples"));
        }
        Ok(())
    }

    /// The labels of another number of clusters, without a new fit: joined by the tree where there are fewer than the run has, split
    /// where there are more.
    ///
    /// # Errors
    /// When there are none, or more than the splits of the record make.
    pub fn cut(&self, clusters: usize) -> Result<Vec<usize>> {
        if clusters <= self.tree.joins.len() + 1 {
            return self.tree.labels(&self.labels, clusters);
        }
        if self.splits.is_empty() {
            let why = format!("the run has {} clusters; it does not say how they would split", self.clusters_found());
            return Err(Error::data_with_hint(why, Hint::FindSplits));
        }
        finer(&self.labels, &self.splits, clusters)
    }

    /// How many clusters have samples.
    pub fn clusters_found(&self) -> usize {
        self.labels.iter().max().map_or(0, |last| last + 1)
    }
}

/// The high-water mark of the process's memory, as Linux keeps it.
#[doc(hidden)]
pub fn peak_memory_mb() -> Option<f64> {
    #[cfg(target_family = "wasm")]
    return Some(crate::memory::taken() as f64 / 1_048_576.0);
    #[cfg(not(target_family = "wasm"))]
    peak_of_process()
}

#[cfg(not(target_family = "wasm"))]
fn peak_of_process() -> Option<f64> {
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
