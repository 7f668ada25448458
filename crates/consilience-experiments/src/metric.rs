//! The scores by name.

use consilience::metrics::Scores;
use consilience::{Error, Result};

/// A score that tables can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Accuracy.
    Acc,
    /// Normalised mutual information.
    Nmi,
    /// Adjusted Rand index.
    Ari,
    /// Purity.
    Purity,
    /// Pairwise F-score.
    Fscore,
}

impl Metric {
    /// Every score.
    pub const ALL: [Self; 5] = [Self::Acc, Self::Nmi, Self::Ari, Self::Purity, Self::Fscore];
    /// Those that tables show when a plan does not choose.
    pub const TABLES: [Self; 4] = [Self::Acc, Self::Nmi, Self::Ari, Self::Purity];

    /// Its name in plans and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acc => "acc",
            Self::Nmi => "nmi",
            Self::Ari => "ari",
            Self::Purity => "purity",
            Self::Fscore => "fscore",
        }
    }

    /// Its name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::Acc => "ACC",
            Self::Nmi => "NMI",
            Self::Ari => "ARI",
            Self::Purity => "purity",
            Self::Fscore => "F-score",
        }
    }

    /// The score called `name`.
    ///
    /// # Errors
    /// When there is none, with those there are.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name).ok_or_else(|| Error::Unknown {
            kind: "metric",
            name: name.to_owned(),
            known: Self::ALL.iter().map(|metric| metric.name().to_owned()).collect(),
        })
    }

    /// This score of `scores`.
    pub fn of(self, scores: &Scores) -> f64 {
        match self {
            Self::Acc => scores.acc,
            Self::Nmi => scores.nmi,
            Self::Ari => scores.ari,
            Self::Purity => scores.purity,
            Self::Fscore => scores.fscore,
        }
    }
}
