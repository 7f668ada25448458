//! Warnings as JSON: what kind, of which view, with which numbers, and the sentence.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Warning;

/// Of a kind that another version had, the sentence is kept.
impl<'de> Deserialize<'de> for Warning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Read {
            Known(#[serde(deserialize_with = "Warning::deserialize")] Warning),
            Other { view: Option<String>, message: String },
        }
        Ok(match <Read as Deserialize>::deserialize(deserializer)? {
            Read::Known(warning) => warning,
            Read::Other { view, message } => Self::Other { view, detail: message },
        })
    }
}

/// As it is read back, with the sentence for readers that know nothing of the kinds.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        map.serialize_entry("view", &self.view())?;
        match self {
            Self::NotConverged { detail, .. } | Self::Other { detail, .. } => map.serialize_entry("detail", detail)?,
            Self::InexactEigenvectors { residual, tolerance, products } => {
                map.serialize_entry("residual", residual)?;
                map.serialize_entry("tolerance", tolerance)?;
                map.serialize_entry("products", products)?;
            }
            Self::DisconnectedGraph { graph, components, .. } => {
                map.serialize_entry("graph", graph)?;
                map.serialize_entry("components", components)?;
            }
            Self::EmptyClusters { found, asked } => {
                map.serialize_entry("found", found)?;
                map.serialize_entry("asked", asked)?;
            }
            Self::CorruptedView { share, range, evidence, .. } => {
                map.serialize_entry("share", share)?;
                map.serialize_entry("range", range)?;
                map.serialize_entry("evidence", evidence)?;
            }
            Self::MissingSamples { samples, .. } => map.serialize_entry("samples", samples)?,
            Self::ConstantView { .. } | Self::AveragedAffinity { .. } => {}
            Self::NearCopies { samples } => map.serialize_entry("samples", samples)?,
            Self::RatherOne { clusters, share } => {
                map.serialize_entry("clusters", clusters)?;
                map.serialize_entry("share", share)?;
            }
            Self::Replicates { samples, distinct } => {
                map.serialize_entry("samples", samples)?;
                map.serialize_entry("distinct", distinct)?;
            }
            Self::IndistinctSamples { distinct, asked } => {
                map.serialize_entry("distinct", distinct)?;
                map.serialize_entry("asked", asked)?;
            }
            Self::UnknownFeatures { count, examples, .. } => {
                map.serialize_entry("count", count)?;
                map.serialize_entry("examples", examples)?;
            }
            Self::UnlikeTheModel { count, samples, .. } => {
                map.serialize_entry("count", count)?;
                map.serialize_entry("samples", samples)?;
            }
            Self::UnrelatedView { others, .. } => map.serialize_entry("others", others)?,
            Self::ZeroRows { samples, .. } => map.serialize_entry("samples", samples)?,
            Self::UnsupportedView { weight, .. } => map.serialize_entry("weight", weight)?,
            Self::NoStructure { reason } => map.serialize_entry("reason", reason)?,
            Self::OtherAnswer { answer } => map.serialize_entry("answer", answer)?,
            Self::RawCounts { spread, .. } => map.serialize_entry("spread", spread)?,
            Self::Confounded { column, association } => {
                map.serialize_entry("column", column)?;
                map.serialize_entry("association", association)?;
            }
        }
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Answer;
    use crate::run::warnings::tests::evidence;

    #[test]
    fn warnings_of_earlier_versions_are_read() {
        let read = |old: &str| serde_json::from_str::<Warning>(old);
        let old = r#"{"kind": "corrupted_view", "view": "a", "share": 0.2, "message": "view `a` looks corrupted"}"#;
        let known = Warning::CorruptedView { view: "a".into(), share: 0.2, range: None, evidence: None };
        assert_eq!(read(old).unwrap(), known);
        // 0.2 could search approximately
        let gone = r#"{"kind": "approximate_neighbours", "view": null, "recall": 0.75, "message": "found 75 %"}"#;
        assert_eq!(read(gone).unwrap(), Warning::Other { view: None, detail: "found 75 %".into() });
        assert!(read(r#"{"kind": "approximate_neighbours"}"#).is_err(), "it says nothing");
    }

    #[test]
    fn warnings_are_read_back_from_their_json() {
        let all = [
            Warning::NotConverged { view: Some("rna".into()), detail: "still moving".into() },
            Warning::InexactEigenvectors { residual: 1e-3, tolerance: 1e-6, products: 7 },
            Warning::DisconnectedGraph { graph: "the graph of view `a`".into(), view: Some("a".into()), components: 3 },
            Warning::EmptyClusters { found: 2, asked: 4 },
            Warning::CorruptedView { view: "a".into(), share: 0.2, range: None, evidence: None },
            Warning::CorruptedView {
                view: "a".into(),
                share: 0.2,
                range: Some((0.1, 0.24)),
                evidence: Some(evidence()),
            },
            Warning::MissingSamples { view: "a".into(), samples: 9 },
            Warning::ConstantView { view: "a".into() },
            Warning::IndistinctSamples { distinct: 1, asked: 3 },
            Warning::UnsupportedView { view: "a".into(), weight: 0.001 },
            Warning::UnrelatedView { view: "b".into(), others: vec!["a".into()] },
            Warning::ZeroRows { view: "a".into(), samples: 30 },
            Warning::NoStructure { reason: "odd".into() },
            Warning::OtherAnswer { answer: Answer::OneView { view: "a".into(), clusters: 3 } },
            Warning::RawCounts { view: "a".into(), spread: 4.5 },
            Warning::Confounded { column: "batch".into(), association: 0.97 },
            Warning::Other { view: None, detail: "odd".into() },
        ];
        for warning in all {
            let json = serde_json::to_value(&warning).unwrap();
            assert_eq!((json["kind"].as_str(), json["view"].as_str()), (Some(warning.kind()), warning.view()));
            assert_eq!(json["message"], warning.to_string());
            assert_eq!(serde_json::from_value::<Warning>(json).unwrap(), warning);
        }
    }
}
