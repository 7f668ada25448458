//! What a question for the number of clusters was answered with.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was found when the number of clusters was to be chosen; `Display` is the sentence. In JSON the fields stand beside `kind` and
/// `message`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// So many clusters stand out.
    Clusters {
        /// How many.
        clusters: usize,
    },
    /// The same of repeated measurements, each of which counted as one sample.
    Replicates {
        /// Samples that are not repetitions.
        distinct: usize,
        /// How many clusters.
        clusters: usize,
    },
    /// One of several views shows clusters, and the others do not.
    OneView {
        /// The view.
        view: String,
        /// How many it shows.
        clusters: usize,
    },
    /// Views show different clusters.
    ViewsDisagree {
        /// Views by themselves, and how many clusters each of them shows.
        alone: Vec<(String, usize)>,
        /// The combinations that occur.
        clusters: usize,
    },
    /// Nothing stands out among the numbers that were asked for, and something outside them does.
    OutsideRange {
        /// The numbers, as they were written.
        asked: String,
        /// The number that stands out.
        clusters: usize,
    },
    /// Nothing speaks for more than one cluster.
    NoStructure {
        /// What is missing, as a sentence.
        reason: String,
    },
}

impl Answer {
    /// The kind, as JSON and other languages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Clusters { .. } => "clusters",
            Self::Replicates { .. } => "replicates",
            Self::OneView { .. } => "one_view",
            Self::ViewsDisagree { .. } => "views_disagree",
            Self::OutsideRange { .. } => "outside_range",
            Self::NoStructure { .. } => "no_structure",
        }
    }

    /// How many clusters the labels have.
    pub fn clusters(&self) -> usize {
        match self {
            Self::Clusters { clusters }
            | Self::Replicates { clusters, .. }
            | Self::OneView { clusters, .. }
            | Self::ViewsDisagree { clusters, .. }
            | Self::OutsideRange { clusters, .. } => *clusters,
            Self::NoStructure { .. } => 1,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clusters { clusters } => write!(f, "{clusters} clusters stand out"),
            Self::Replicates { distinct, clusters } => write!(
                f,
                "the samples are repeated measurements of {distinct}, each of which counted once: {clusters} clusters stand out"
            ),
            Self::OneView { view, clusters } => write!(f, "only view `{view}` shows clusters: {clusters}"),
            Self::ViewsDisagree { alone, clusters } => {
                f.write_str("the views show different clusters: ")?;
                for (view, alone) in alone {
                    write!(f, "`{view}` alone has {alone}, ")?;
                }
                write!(f, "together they have {clusters}")
            }
            Self::OutsideRange { asked, clusters } => {
                write!(f, "no number in {asked} stands out; {clusters} does, so there are {clusters} clusters")
            }
            Self::NoStructure { reason } => {
                write!(f, "no structure found, so all samples are in one cluster: {reason}")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// As it is read back, with the sentence for readers that know nothing of the kinds.
impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        match self {
            Self::Clusters { .. } => {}
            Self::Replicates { distinct, .. } => map.serialize_entry("distinct", distinct)?,
            Self::OneView { view, .. } => map.serialize_entry("view", view)?,
            Self::ViewsDisagree { alone, .. } => map.serialize_entry("alone", alone)?,
            Self::OutsideRange { asked, .. } => map.serialize_entry("asked", asked)?,
            Self::NoStructure { reason } => map.serialize_entry("reason", reason)?,
        }
        map.serialize_entry("clusters", &self.clusters())?;
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_sentences_and_are_read_back_from_their_json() {
        let alone = vec![("a".to_owned(), 3), ("b".to_owned(), 2)];
        let all = [
            (Answer::Clusters { clusters: 4 }, "4 clusters stand out"),
            (
                Answer::Replicates { distinct: 30, clusters: 3 },
                "the samples are repeated measurements of 30, each of which counted once: 3 clusters stand out",
            ),
            (Answer::OneView { view: "good".into(), clusters: 3 }, "only view `good` shows clusters: 3"),
            (
                Answer::ViewsDisagree { alone, clusters: 6 },
                "the views show different clusters: `a` alone has 3, `b` alone has 2, together they have 6",
            ),
            (
                Answer::OutsideRange { asked: "5-8".into(), clusters: 4 },
                "no number in 5-8 stands out; 4 does, so there are 4 clusters",
            ),
            (
                Answer::NoStructure { reason: "odd".into() },
                "no structure found, so all samples are in one cluster: odd",
            ),
        ];
        for (answer, sentence) in all {
            assert_eq!(answer.to_string(), sentence);
            let json = serde_json::to_value(&answer).unwrap();
            assert_eq!((json["kind"].as_str(), json["message"].as_str()), (Some(answer.kind()), Some(sentence)));
            assert_eq!(json["clusters"], answer.clusters());
            assert_eq!(serde_json::from_value::<Answer>(json).unwrap(), answer);
        }
    }
}
