//! What is asked of a run besides the data.

mod landmarks;
mod weights;

pub use landmarks::{Landmarks, MOST_COMPARED};
pub use weights::GivenWeights;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::choose::KRange;
use crate::method::{Method, MethodInfo, Slrmf};
use crate::neighbours::{Exact, NeighbourSearch};
use crate::{Corruption, Result, Scale};

/// Everything about a run that is not the data: which method, how many clusters, how the views are prepared. A builder:
///
/// ```
/// use consilience::{Settings, method::Mfmsc};
///
/// let settings = Settings::new(10).method(Mfmsc::default()).seed(1);
/// assert_eq!((settings.clusters, settings.method.info().id), (10, "mfmsc"));
/// ```
///
/// In JSON the method is its id with all its parameters, so that a run can be made again from its record. Methods of
/// other crates can be written but not read: only the registry knows how to build one from its id.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// Number of clusters.
    #[serde(rename = "k")]
    pub clusters: usize,
    /// Among which numbers of clusters the data choose; `clusters` is not used then. The record of the run has the number
    /// that was chosen and how, and this no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<KRange>,
    /// The method with its parameters.
    #[serde(flatten, with = "by_id")]
    pub method: Arc<dyn Method>,
    /// How the views are scaled.
    pub scale: Scale,
    /// Noise put on the scaled views, for experiments.
    #[serde(default)]
    pub corruption: Option<Corruption>,
    /// Weights of the views, for methods that weigh them; found by the method when `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<GivenWeights>,
    /// Whether only some samples are clustered in full, when there are many.
    #[serde(default, skip_serializing_if = "Landmarks::is_auto")]
    pub landmarks: Landmarks,
    /// Seed of everything random.
    pub seed: u64,
    /// k-means restarts; the best is kept.
    #[serde(default = "default_restarts")]
    pub restarts: usize,
    /// Threads of a pool of its own; the caller's pool (all cores, as a rule) when `None`. The result does not depend on
    /// it, so records do not keep it.
    #[serde(skip)]
    pub threads: Option<usize>,
    /// The most memory in bytes that a run may take: see [`Plan`](crate::plan::Plan). When `None`, methods that are n x n by definition
    /// are held against what is free.
    #[serde(skip)]
    pub memory: Option<u64>,
    /// What finds nearest neighbours in place of [`Exact`]; records cannot keep it.
    #[serde(skip)]
    pub neighbours: Option<Arc<dyn NeighbourSearch>>,
}

fn default_restarts() -> usize {
    10
}

impl Settings {
    /// The default method, to find `clusters` clusters.
    pub fn new(clusters: usize) -> Self {
        Self {
            clusters,
            choose: None,
            method: Arc::new(Slrmf::default()),
            scale: Scale::Auto,
            corruption: None,
            weights: None,
            landmarks: Landmarks::Auto,
            seed: 0,
            restarts: default_restarts(),
            threads: None,
            memory: None,
            neighbours: None,
        }
    }

    /// The method called `id`, with `name, value` pairs as they are typed.
    ///
    /// # Errors
    /// When the method or a parameter is unknown, or a value not allowed.
    pub fn with_method(clusters: usize, id: &str, parameters: &[(String, String)]) -> Result<Self> {
        Ok(Self { method: MethodInfo::named(id)?.from_text(parameters)?, ..Self::new(clusters) })
    }

    /// The default method, to choose the number of clusters from `range`: see [`crate::choose`].
    pub fn choosing(range: KRange) -> Self {
        Self::new(1).choose(range)
    }

    /// Sets among which numbers of clusters the data choose.
    #[must_use]
    pub fn choose(self, range: impl Into<Option<KRange>>) -> Self {
        Self { choose: range.into(), ..self }
    }

    /// Sets the method.
    #[must_use]
    pub fn method(self, method: impl Method + 'static) -> Self {
        Self { method: Arc::new(method), ..self }
    }

    /// Sets a method that is shared, such as one that [`MethodInfo::from_given`] has made.
    #[must_use]
    pub fn shared_method(self, method: Arc<dyn Method>) -> Self {
        Self { method, ..self }
    }

    /// Sets the scaling of the views.
    #[must_use]
    pub fn scale(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    /// Sets the noise put on the scaled views.
    #[must_use]
    pub fn corruption(self, corruption: impl Into<Option<Corruption>>) -> Self {
        Self { corruption: corruption.into(), ..self }
    }

    /// Sets the weights of the views.
    #[must_use]
    pub fn weights(self, weights: impl Into<Option<GivenWeights>>) -> Self {
        Self { weights: weights.into(), ..self }
    }

    /// Sets whether only some samples are clustered in full.
    #[must_use]
    pub fn landmarks(self, landmarks: Landmarks) -> Self {
        Self { landmarks, ..self }
    }

    /// Sets the seed of everything random.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of k-means restarts.
    #[must_use]
    pub fn restarts(self, restarts: usize) -> Self {
        Self { restarts, ..self }
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn threads(self, threads: impl Into<Option<usize>>) -> Self {
        Self { threads: threads.into(), ..self }
    }

    /// Sets the most memory, in bytes.
    #[must_use]
    pub fn memory(self, bytes: impl Into<Option<u64>>) -> Self {
        Self { memory: bytes.into(), ..self }
    }

    /// Sets a search of one's own.
    #[must_use]
    pub fn neighbours(self, search: impl NeighbourSearch + 'static) -> Self {
        Self { neighbours: Some(Arc::new(search)), ..self }
    }

    /// What finds nearest neighbours.
    pub(crate) fn neighbour_search(&self) -> &dyn NeighbourSearch {
        self.neighbours.as_deref().unwrap_or(&Exact)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("clusters", &self.clusters)
            .field("choose", &self.choose)
            .field("method", &self.method.info().id)
            .field("parameters", &self.method.parameters().values())
            .field("scale", &self.scale)
            .field("corruption", &self.corruption)
            .field("weights", &self.weights)
            .field("landmarks", &self.landmarks)
            .field("seed", &self.seed)
            .field("restarts", &self.restarts)
            .finish_non_exhaustive()
    }
}

/// A method as its id and its parameters.
mod by_id {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde::de::Error as _;
    use serde::ser::SerializeStruct as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Hint;
    use crate::method::{Method, MethodInfo};
    use crate::parameters::{Given, Value};

    /// In the order of the table of parameters.
    struct InOrder(Vec<(&'static str, Value)>);

    impl Serialize for InOrder {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
        }
    }

    pub(super) fn serialize<S: Serializer>(method: &Arc<dyn Method>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut named = serializer.serialize_struct("Method", 2)?;
        named.serialize_field("method", method.info().id)?;
        named.serialize_field("parameters", &InOrder(method.parameters().values()))?;
        named.end()
    }

    #[derive(Deserialize)]
    struct Named {
        method: String,
        parameters: BTreeMap<String, Value>,
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<dyn Method>, D::Error> {
        let Named { method, parameters } = Named::deserialize(deserializer)?;
        let given = parameters.iter().map(|(name, value)| (name.as_str(), Given::Value(value)));
        MethodInfo::named(&method).and_then(|info| info.from_given(given)).map_err(|error| {
            let hint = error.hint();
            let hint = hint.as_ref().and_then(Hint::text).map(|hint| format!(" ({hint})")).unwrap_or_default();
            D::Error::custom(format!("{error}{hint}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CorruptionMode;
    use crate::method::Average;

    #[test]
    fn settings_are_read_back_from_their_json() {
        let mut method = Average::default();
        method.graph.neighbours = 7;
        let noise = Corruption { fraction: 0.1, mode: CorruptionMode::Add, ..Corruption::default() };
        let settings = Settings::new(4).method(method).scale(Scale::Unit).corruption(noise).seed(u64::MAX);
        let json = serde_json::to_value(&settings).unwrap();
        assert_eq!(
            (&json["k"], &json["method"], &json["parameters"]["neighbours"]),
            (&4.into(), &"average".into(), &7.into())
        );
        let again: Settings = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(format!("{again:?}"), format!("{settings:?}"));
        assert_eq!(serde_json::to_value(&again).unwrap(), json);
    }

    #[test]
    fn a_damaged_record_is_refused_with_a_reason() {
        let json = serde_json::to_value(Settings::new(3)).unwrap();
        let spoil = |name: &str, value: serde_json::Value| {
            let mut json = json.clone();
            json[name] = value;
            serde_json::from_value::<Settings>(json).unwrap_err().to_string()
        };
        assert!(spoil("method", "slrm".into()).contains("unknown method `slrm` (did you mean `slrmf`?"));
        assert!(spoil("parameters", serde_json::json!({ "smoothing": 7 })).contains("parameter `smoothing` = `7`"));
        assert!(spoil("scale", "huge".into()).contains("unknown scale `huge`"));
    }
}
