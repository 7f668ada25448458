//! The document of a run: everything that a page or a picture of it is drawn from.

use consilience::choose::KChoice;
use consilience::examine::{ClusterState, ClusterVerdict, Effect, Influence, Structure};
use consilience::markers::Marker;
use consilience::method::TraceRow;
use consilience::metrics::Scores;
use consilience::tree::Tree;
use consilience::{Corruption, Scale, Seconds, Termination, Warning};
use consilience_io::Origin;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;
use crate::packed::Packed;
use crate::verdict::VerdictSummary;

/// The version of the document: this one reads no other.
pub(crate) const FORMAT: u32 = 4;

/// Everything that is shown of a run; `report.json` in its folder. Made by [`describe`](crate::describe) or read from
/// its JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub(crate) format: u32,
    /// What the run is called when several are compared.
    pub name: String,
    /// What was asked and how it went.
    pub run: RunSummary,
    /// A column for everything that is known of each sample.
    pub samples: SampleColumns,
    /// The clusters against the true classes, where these are known.
    pub truth: Option<TruthSummary>,
    /// The clusters, in the order of their numbers.
    pub clusters: Vec<ClusterSummary>,
    /// The affinity, samples sorted by cluster.
    pub heat: AffinityPicture,
    /// The affinity, samples sorted by class.
    pub heat_by_class: Option<AffinityPicture>,
    /// How far the views agree.
    pub agreement: AgreementSummary,
    /// The views, in the order of the run.
    pub views: Vec<ViewReport>,
    /// Which samples are known to which views; none when every view knows all.
    #[serde(default)]
    pub presence: Option<Presence>,
    /// Mean silhouette of the embedding, -1 to 1.
    pub silhouette: f64,
    /// How far the clusters are apart in the data; none when it was not measured.
    pub structure: Option<Structure>,
    /// How far resampled runs agree, when there were some.
    pub stability: Option<StabilitySummary>,
    /// The features that set each cluster apart.
    pub markers: Vec<Marker>,
    /// The clearest of them, by cluster; none when nothing sets clusters apart.
    pub marker_picture: Option<MarkerPicture>,
    /// What else is known of the samples, where a table of it was given.
    pub metadata: Vec<MetadataColumn>,
    /// The method's iterations; empty when it has none.
    pub trace: Vec<TraceRow>,
    /// How the number of clusters was chosen, when it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<KChoice>,
    /// How the clusters join where fewer are wanted.
    #[serde(default)]
    pub tree: Tree,
    /// How far the clustering may be trusted, in words.
    pub verdict: VerdictSummary,
}

/// What was asked of a run and how it went: the part of its [`RunRecord`](consilience::RunRecord) that a page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Version of consilience that made it.
    pub version: String,
    /// The method's id.
    pub method: String,
    /// The method's name in words.
    pub method_title: String,
    /// Where the method comes from.
    pub citation: String,
    /// Number of samples.
    pub n: usize,
    /// Number of clusters that was asked for.
    pub k: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// How the views were scaled.
    pub scale: Scale,
    /// Noise that was put on the views on purpose.
    pub corruption: Option<Corruption>,
    /// The files as they were, the day, the command and the machine; none when the run was not made by the program.
    pub origin: Option<Origin>,
    /// The method's parameters, to be shown only: the method may be of another crate or version.
    pub parameters: Map<String, Value>,
    /// Everything else that was set: restarts, weights of views, landmarks. What is not there was left as it is.
    #[serde(default)]
    pub other_settings: Map<String, Value>,
    /// Where the time went.
    pub seconds: Seconds,
    /// Most memory the process held, in MB, where it is known.
    pub peak_rss_mb: Option<f64>,
    /// How the method ended.
    pub termination: Termination,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The affinity's largest eigenvalues, some past the number of clusters; empty for methods that need none.
    pub eigenvalues: Vec<f64>,
}

/// The samples, a column for each thing known. Shares are in parts of 255.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleColumns {
    /// Their ids, where the files had them.
    pub ids: Option<Vec<String>>,
    /// Their clusters.
    pub cluster: Packed<u16>,
    /// The share of their affinity that goes to their own cluster.
    pub confidence: Packed<u8>,
    /// How doubtful their cluster is, from what is known besides the classes: the larger, the sooner to look at.
    pub doubt: Packed<u8>,
    /// Their silhouette in the embedding, from -1 (0) to 1 (255).
    pub silhouette: Packed<u8>,
    /// The share of views that put them elsewhere; unknown when there is one view.
    pub disagreement: Option<Packed<u8>>,
    /// The share of resampled runs that put them in their cluster, when there were some.
    pub stability: Option<Packed<u8>>,
    /// The share of their entries that the method found corrupted, when it looked.
    pub corruption: Option<Packed<u8>>,
    /// Their true classes, where they are known.
    pub truth: Option<Packed<u16>>,
    /// Their place on the map, from left to right.
    pub x: Packed<u16>,
    /// Their place on the map, from top to bottom.
    pub y: Packed<u16>,
}

/// The clusters against the true classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthSummary {
    /// The classes' names.
    pub classes: Vec<String>,
    /// Number of samples by cluster and class, clusters x classes.
    pub confusion: Vec<Vec<usize>>,
    /// The class each cluster was matched to, if one was left for it.
    pub matched: Vec<Option<usize>>,
    /// Scores of the clustering.
    pub scores: Scores,
    /// Which classes share a cluster, which are split, and which no cluster stands for, in sentences; the largest first.
    pub remarks: Vec<String>,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterSummary {
    /// Number of samples.
    pub size: usize,
    /// How far it may be trusted, in one word; none where it was not tested.
    pub state: Option<ClusterState>,
    /// The clusters that it has no clear border to.
    pub touches: Vec<usize>,
    /// Mean confidence of its samples.
    pub confidence: f64,
    /// The share of its samples' affinity that stays inside.
    pub inside: f64,
    /// How far refits on halves of the samples find it again, when there were some.
    pub stability: Option<f64>,
    /// What leaves it against what crosses its inside, in the joint graph: 0 for an island, about 1 for a piece of a whole.
    pub leak: Option<f64>,
}

/// The affinity as a square picture: samples sorted by group, averaged over blocks. The samples of a group keep their
/// order: sample j of s of a group is in its block `floor(j w / s)` of w.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AffinityPicture {
    /// Blocks along a side.
    pub size: usize,
    /// The mean affinity between blocks, size x size, in parts of 255 of `max`.
    pub values: Packed<u8>,
    /// The affinity that is drawn brightest; a few blocks may have more.
    pub max: f64,
    /// The block at which every group begins, and their number.
    pub bounds: Vec<usize>,
}

/// Normalised mutual information between the views' own clusterings, views x views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgreementSummary {
    /// Each view alone.
    pub before: Vec<Vec<f64>>,
    /// After the method, where it changes the views; nothing for views that count for nothing.
    pub after: Option<Vec<Vec<Option<f64>>>>,
}

/// A view and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewReport {
    /// Its name.
    pub name: String,
    /// Number of features.
    pub d: usize,
    /// Its weight in the consensus; the weights sum to 1.
    pub weight: f64,
    /// Normalised mutual information between its own clusters and the consensus.
    pub own_nmi: f64,
    /// Scores of its own clusters, when the classes are known.
    pub own_scores: Option<Scores>,
    /// What the method finds without it; unknown for the only view, or when no such run was made.
    pub without: Option<LeftOut>,
    /// What its being there does to the silhouette, over pairs of resampled runs.
    pub effect: Option<Effect>,
    /// The same in one word.
    pub influence: Option<Influence>,
    /// The corruption that the method found in it, when it looked.
    pub corruption: Option<ViewCorruption>,
}

/// Clusters against the clearest markers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkerPicture {
    /// The markers, by their places in the list of all.
    pub markers: Vec<usize>,
    /// The mean of every marker in every cluster, clusters x markers, in standard deviations from the mean of all samples.
    pub means: Vec<Vec<f64>>,
}

/// A column of the table of metadata, and how far it goes with the clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: MetadataValues,
    /// How much of it the clusters tell, 0 to 1: Cramér's V of groups, the share of the variance (eta squared) of numbers.
    pub effect: f64,
}

/// What a column holds; samples that the table lacks have none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MetadataValues {
    /// Groups.
    Groups {
        /// Their names.
        names: Vec<String>,
        /// The group of every sample, 65535 where it is not known.
        codes: Packed<u16>,
        /// Number of samples by cluster and group.
        counts: Vec<Vec<usize>>,
    },
    /// Numbers.
    Numbers {
        /// The least and the largest.
        range: [f64; 2],
        /// The number of every sample, from the least (0) to the largest (65534); 65535 where it is not known.
        codes: Packed<u16>,
        /// The mean of every cluster; none where no number is known.
        means: Vec<Option<f64>>,
    },
}

/// Which samples are known to which views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Number of samples that each view knows, in the order of the views.
    pub known: Vec<usize>,
    /// The combinations of views, most samples first.
    pub groups: Vec<PresenceGroup>,
    /// Samples of further combinations, which are too many to list.
    pub others: usize,
}

/// The samples that the same views know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresenceGroup {
    /// The views, by their numbers.
    pub views: Vec<usize>,
    /// Number of samples.
    pub samples: usize,
    /// Mean confidence of their labels.
    pub confidence: f64,
    /// How far resampled runs agree on them, when there were some.
    pub stability: Option<f64>,
}

/// The consensus of the other views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Mean silhouette of its embedding.
    pub silhouette: f64,
    /// Normalised mutual information with the consensus of all views.
    pub nmi: f64,
    /// Its scores, when the classes are known.
    pub scores: Option<Scores>,
}

/// Corruption found in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewCorruption {
    /// Share of its entries.
    pub share: f64,
    /// Where the true share is likely to be, when it is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
    /// The features with the largest shares.
    pub features: Vec<CorruptedFeature>,
    /// The samples with the largest shares.
    pub samples: Vec<CorruptedSample>,
}

/// A feature with corrupted entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorruptedFeature {
    /// Its name, or "column" and its number.
    pub name: String,
    /// Share of its entries.
    pub share: f64,
}

/// A sample with corrupted entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorruptedSample {
    /// Its place among the samples, from 0.
    pub index: usize,
    /// Share of its entries in the view.
    pub share: f64,
}

/// How far resampled runs agree with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StabilitySummary {
    /// Number of runs.
    pub runs: usize,
    /// Share of the samples in each.
    pub share_of_samples: f64,
    /// Mean over the samples.
    pub mean: f64,
}

impl Document {
    /// What it says of every cluster, as the record of the run keeps it.
    pub fn cluster_verdicts(&self) -> Vec<ClusterVerdict> {
        let told = |cluster: &ClusterSummary| ClusterVerdict {
            state: cluster.state,
            stability: cluster.stability,
            touches: cluster.touches.clone(),
        };
        self.clusters.iter().map(told).collect()
    }

    /// Reads a document from its JSON.
    ///
    /// # Errors
    /// When the text is not JSON, of another version, a field is missing or of the wrong kind, or the document contradicts
    /// itself (a column of the wrong length, a cluster that does not exist).
    pub fn read(text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        // first, so that a document of another version is not called damaged
        let Version { format } = serde_json::from_str(text)?;
        if format != FORMAT {
            let what = format!("format {format} is not known; this version reads format {FORMAT}");
            return Err(Error::Content(what));
        }
        let document: Self = serde_json::from_str(text)?;
        document.check().map_err(Error::Content)?;
        Ok(document)
    }

    /// The document as JSON, for [`Document::read`].
    ///
    /// # Errors
    /// None that is known: every document can be written.
    pub fn to_json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string(self)?)
    }
}
