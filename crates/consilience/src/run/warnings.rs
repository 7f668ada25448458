//! What the user of a run should know: types, not sentences, so that nobody has to parse English.

use std::fmt;

use serde::Deserialize;

use super::{Answer, CorruptionEvidence};

/// Something the user should know; `Display` is the sentence. In JSON the fields stand beside `kind` and `message`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// An iteration, or a step inside one, ended before it met its tolerance.
    NotConverged {
        /// The view concerned, when it is one.
        view: Option<String>,
        /// What did not converge and how far it came.
        detail: String,
    },
    /// An eigen-solver ended before it met its tolerance.
    InexactEigenvectors {
        /// The largest residual.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
        /// Products with the operator that were made.
        products: usize,
    },
    /// A graph falls into components.
    DisconnectedGraph {
        /// Which graph, as a noun: "the graph of view `rna`".
        graph: String,
        /// Its view, when it is of one.
        view: Option<String>,
        /// How many.
        components: usize,
    },
    /// There are fewer clusters than were asked for.
    EmptyClusters {
        /// Clusters that have samples.
        found: usize,
        /// Clusters that were asked for.
        asked: usize,
    },
    /// A view has grossly wrong entries, which were split off.
    CorruptedView {
        /// The view.
        view: String,
        /// Share of its entries, estimated.
        share: f64,
        /// Where the true share is likely to be; older records do not tell.
        range: Option<(f64, f64)>,
        /// Why it is called so; records of version 0.1 have none.
        evidence: Option<CorruptionEvidence>,
    },
    /// New samples have features that a model does not know; they were left out.
    UnknownFeatures {
        /// The view.
        view: String,
        /// How many.
        count: usize,
        /// Some of them.
        examples: String,
    },
    /// Many new samples are unlike what a model was made of.
    UnlikeTheModel {
        /// The view.
        view: String,
        /// How many are.
        count: usize,
        /// Of how many.
        samples: usize,
    },
    /// A view says nothing about some samples.
    MissingSamples {
        /// The view.
        view: String,
        /// How many samples.
        samples: usize,
    },
    /// A view has the same values for every sample.
    ConstantView {
        /// The view.
        view: String,
    },
    /// Fewer samples differ than clusters were asked for.
    IndistinctSamples {
        /// How many different samples there are.
        distinct: usize,
        /// Clusters that were asked for.
        asked: usize,
    },
    /// Some samples are the same in every view; each kind was one point.
    Replicates {
        /// Samples that have a copy.
        samples: usize,
        /// Samples that differ from each other, of all.
        distinct: usize,
    },
    /// Many samples are far nearer to a few others than to all the rest.
    NearCopies {
        /// How many.
        samples: usize,
    },
    /// Two clusters are strongly tied, and do not come back when samples are left out: a dense part was cut.
    RatherOne {
        /// The clusters.
        clusters: (usize, usize),
        /// The share of the smaller one's ties that go to the other.
        share: f64,
    },
    /// A view does not support what the others agree on.
    UnsupportedView {
        /// The view.
        view: String,
        /// Its weight in the consensus.
        weight: f64,
    },
    /// A view agrees with others no more than views of permuted samples would: are its rows in the same order?
    UnrelatedView {
        /// The view.
        view: String,
        /// The others.
        others: Vec<String>,
    },
    /// The affinities of a view were not the same in both directions, and their mean was taken.
    AveragedAffinity {
        /// The view.
        view: String,
    },
    /// Many samples have nothing but zeros in a view in which zeros are rare.
    ZeroRows {
        /// The view.
        view: String,
        /// How many samples.
        samples: usize,
    },
    /// The number of clusters was to be chosen, and nothing speaks for more than one.
    NoStructure {
        /// What is missing, as a sentence.
        reason: String,
    },
    /// The number of clusters was to be chosen, and the answer is more than a number.
    OtherAnswer {
        /// What was found.
        answer: Answer,
    },
    /// A view has whole numbers whose sums differ widely between samples, and they are compared as measurements.
    RawCounts {
        /// The view.
        view: String,
        /// How many times as large the sum of a sample is at the ninth decile as at the first.
        spread: f64,
    },
    /// The clusters are nearly a column of what else is known of the samples, such as a batch.
    Confounded {
        /// The column.
        column: String,
        /// How strongly it goes with the clusters: Cramér's V.
        association: f64,
    },
    /// What a method of somebody else's has to say.
    Other {
        /// The view concerned, when it is one.
        view: Option<String>,
        /// The sentence.
        detail: String,
    },
}

impl Warning {
    /// The kind, as JSON and other languages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotConverged { .. } => "not_converged",
            Self::InexactEigenvectors { .. } => "inexact_eigenvectors",
            Self::DisconnectedGraph { .. } => "disconnected_graph",
            Self::EmptyClusters { .. } => "empty_clusters",
            Self::CorruptedView { .. } => "corrupted_view",
            Self::MissingSamples { .. } => "missing_samples",
            Self::ConstantView { .. } => "constant_view",
            Self::IndistinctSamples { .. } => "indistinct_samples",
            Self::Replicates { .. } => "replicates",
            Self::RatherOne { .. } => "rather_one",
            Self::NearCopies { .. } => "near_copies",
            Self::UnknownFeatures { .. } => "unknown_features",
            Self::UnlikeTheModel { .. } => "unlike_the_model",
            Self::UnsupportedView { .. } => "unsupported_view",
            Self::UnrelatedView { .. } => "unrelated_view",
            Self::AveragedAffinity { .. } => "averaged_affinity",
            Self::ZeroRows { .. } => "zero_rows",
            Self::NoStructure { .. } => "no_structure",
            Self::OtherAnswer { .. } => "other_answer",
            Self::RawCounts { .. } => "raw_counts",
            Self::Confounded { .. } => "confounded",
            Self::Other { .. } => "other",
        }
    }

    /// The view it is about, when it is about one.
    pub fn view(&self) -> Option<&str> {
        match self {
            Self::NotConverged { view, .. } | Self::DisconnectedGraph { view, .. } | Self::Other { view, .. } => {
                view.as_deref()
            }
            Self::CorruptedView { view, .. }
            | Self::MissingSamples { view, .. }
            | Self::ConstantView { view }
            | Self::UnknownFeatures { view, .. }
            | Self::UnlikeTheModel { view, .. }
            | Self::UnrelatedView { view, .. }
            | Self::AveragedAffinity { view }
            | Self::ZeroRows { view, .. }
            | Self::RawCounts { view, .. }
            | Self::UnsupportedView { view, .. } => Some(view),
            Self::InexactEigenvectors { .. }
            | Self::EmptyClusters { .. }
            | Self::IndistinctSamples { .. }
            | Self::Replicates { .. }
            | Self::RatherOne { .. }
            | Self::NearCopies { .. }
            | Self::NoStructure { .. }
            | Self::OtherAnswer { .. }
            | Self::Confounded { .. } => None,
        }
    }

    /// A [`Warning::NotConverged`] about no view in particular.
    pub fn not_converged(detail: impl Into<String>) -> Self {
        Self::NotConverged { view: None, detail: detail.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConverged { detail, .. } | Self::Other { detail, .. } => f.write_str(detail),
            Self::InexactEigenvectors { residual, tolerance, products } => write!(
                f,
                "the eigenvectors are not exact: residual {residual:.1e} after {products} products (asked for {tolerance:.0e})"
            ),
            Self::DisconnectedGraph { graph, components, .. } => {
                write!(f, "{graph} falls into {components} components that share no edge")
            }
            Self::EmptyClusters { found, asked } => {
                write!(f, "only {found} of {asked} clusters are not empty: too few samples differ enough")
            }
            Self::CorruptedView { view, share, range, evidence } => {
                write!(f, "view `{view}`: about {:.0} %", 100.0 * share)?;
                if let Some((low, high)) = range {
                    write!(f, ", likely {:.0} to {:.0} %,", 100.0 * low, 100.0 * high)?;
                }
                f.write_str(" of its entries look replaced")?;
                if let Some(evidence) = evidence {
                    write!(f, " ({evidence})")?;
                }
                f.write_str("; they were split off before the graphs were made (robust=never leaves them in)")
            }
            Self::MissingSamples { view, samples } => {
                write!(f, "view `{view}` knows nothing of {samples} samples and has no say about them")
            }
            Self::ConstantView { view } => {
                write!(f, "view `{view}` does not vary: every sample has the same values in it, so it tells none apart")
            }
            Self::IndistinctSamples { distinct, asked } => write!(
                f,
                "only {distinct} samples differ, but {asked} clusters were asked for: samples that are the same were told \
                 apart by chance"
            ),
            Self::Replicates { samples, distinct } => write!(
                f,
                "{samples} samples have exact copies; copies count as one point, so {distinct} different samples were clustered"
            ),
            Self::RatherOne { clusters: (a, b), share } => write!(
                f,
                "clusters {a} and {b} would rather be one: {:.0} % of the smaller one's ties go to the other, and the border between \
                 them moves when samples are left out",
                100.0 * share
            ),
            Self::NearCopies { samples } => write!(
                f,
                "{samples} samples are more than ten times nearer to a few others than to all the rest: are these repeated \
                 measurements? If so, average them first"
            ),
            Self::UnknownFeatures { view, count, examples } => {
                write!(f, "view `{view}`: {count} features that the model does not know were left out: {examples}")
            }
            Self::UnlikeTheModel { view, count, samples } => write!(
                f,
                "view `{view}`: {count} of {samples} samples are unlike anything the model was made of; are they measured \
                 in the same units?"
            ),
            Self::NoStructure { reason } => {
                write!(f, "no structure found, so all samples are in one cluster: {reason}")
            }
            Self::OtherAnswer { answer } => answer.fmt(f),
            Self::RawCounts { view, spread } => write!(
                f,
                "view `{view}` has whole numbers whose sums differ {spread:.1}-fold between samples, as raw counts do: divide every \
                 sample by its sum and take logarithms first, log(1 + 10000 x / sum); else samples are compared by how much was measured"
            ),
            Self::Confounded { column, association } => write!(
                f,
                "the clusters are nearly the column `{column}` (Cramér's V {association:.2}): if it says how samples were handled and \
                 not what they are, as a batch does, take its effect out of the views first"
            ),
            Self::UnrelatedView { view, others } => match others.as_slice() {
                [other] => write!(
                    f,
                    "views `{other}` and `{view}` agree no more than by chance: are their rows in the same order?"
                ),
                others => write!(
                    f,
                    "view `{view}` agrees no more than by chance with `{}`: are its rows in the same order as theirs?",
                    others.join("`, `")
                ),
            },
            Self::AveragedAffinity { view } => write!(
                f,
                "view `{view}`: its affinities are not the same in both directions; the mean of the two was taken"
            ),
            Self::ZeroRows { view, samples } => write!(
                f,
                "view `{view}` has nothing but zeros for {samples} samples, and zeros are rare in the others: if these samples were \
                 not measured, make their values missing (NaN)"
            ),
            Self::UnsupportedView { view, weight } => {
                write!(f, "view `{view}` does not support what the views agree on: its weight is {weight:.3}")
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::run) fn evidence() -> CorruptionEvidence {
        CorruptionEvidence { spreads: 3.2, beyond: 0.0214, expected: 0.0009, columns: 74, tested: 76 }
    }

    #[test]
    fn a_corrupted_view_is_told_with_the_evidence_and_what_was_done() {
        let warning = Warning::CorruptedView {
            view: "fou".into(),
            share: 0.19,
            range: Some((0.09, 0.23)),
            evidence: Some(evidence()),
        };
        let told = "view `fou`: about 19 %, likely 9 to 23 %, of its entries look replaced (2.1 % stand more than 3.2 spreads off those of \
                    similar samples, on both sides in 74 of 76 columns; clean tails would have 0.1 %); they were split off \
                    before the graphs were made (robust=never leaves them in)";
        assert_eq!(warning.to_string(), told);
    }
}
