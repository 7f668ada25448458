//! How far the clustering may be trusted, by rules on what was measured. The words are the report's.

use serde::{Deserialize, Serialize};

use super::{Examination, Stability, Structure};
use crate::Clustering;

/// With this share of the samples in clusters with a gap around them there is structure.
const STRUCTURED: f64 = 0.75;
/// Without gaps there is some where the borders leak at most this share of what those of clouds without clusters do.
const LESS_THAN_NULL: f64 = 0.5;
/// Resampled runs that agree on this share of the samples speak for a stable clustering (and this for a fair one).
const STABLE: f64 = 0.9;
const FAIR: f64 = 0.75;
/// Hennig's rule of thumb: a cluster whose Jaccard index falls below this should not be trusted.
const DISSOLVED: f64 = 0.6;
/// Views that agree less than this describe different things.
const LOW_AGREEMENT: f64 = 0.2;

/// How far the clustering may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Clusters that are apart, come back when samples are left out, and are known to the views.
    Good,
    /// Some of that.
    Fair,
    /// Little of it, or nothing is known.
    Doubtful,
}

/// The verdict: a level, and those of the three questions that it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// All in one word.
    pub level: Level,
    /// Are there clusters at all? None when one cluster was asked for, so that there is nothing to judge.
    pub structure: Option<Level>,
    /// Do they come back when samples are left out? None for one cluster.
    pub stability: Option<Level>,
    /// Do the views know of each other? None for one cluster or one view.
    pub agreement: Option<Level>,
    /// The clusters without a gap around them, when others have one.
    pub joined: Vec<usize>,
    /// The clusters that dissolve when samples are left out.
    pub dissolved: Vec<usize>,
    /// Pairs of views whose own clusters hardly agree.
    pub unlike: Vec<(usize, usize)>,
}

impl Verdict {
    /// Judges what `examination` found of `clustering`.
    pub fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let Examination { structure, stability, .. } = examination;
        let several = clustering.record.settings.clusters > 1;
        let mut verdict = Self {
            level: Level::Fair,
            structure: several.then(|| structure.as_ref().map_or(Level::Doubtful, structured)),
            stability: several.then(|| stability.as_ref().map_or(Level::Doubtful, stable)),
            agreement: several.then(|| agreement(examination)).flatten(),
            joined: structure.as_ref().map(Structure::joined).unwrap_or_default(),
            dissolved: stability.as_ref().map(dissolved).unwrap_or_default(),
            unlike: unlike(&examination.agreement),
        };
        // without structure, or without stability, nothing is to be trusted; views that do not know of each other leave a doubt
        let agreement = verdict.agreement.map(|level| level.min(Level::Fair));
        let levels = [verdict.structure, verdict.stability, agreement];
        verdict.level = levels.into_iter().flatten().max().unwrap_or(Level::Fair);
        verdict
    }
}

fn structured(structure: &Structure) -> Level {
    if structure.apart >= STRUCTURED {
        Level::Good
    } else if structure.leak <= LESS_THAN_NULL * structure.null_leak {
        Level::Fair
    } else {
        Level::Doubtful
    }
}

fn stable(stability: &Stability) -> Level {
    match stability.mean {
        mean if mean >= STABLE => Level::Good,
        mean if mean >= FAIR => Level::Fair,
        _ => Level::Doubtful,
    }
}

/// None for one view. Where one view made the clustering there is nothing to compare.
fn agreement(examination: &Examination) -> Option<Level> {
    let mean = examination.mean_agreement()?;
    let overlap = examination.structure.as_ref().and_then(|structure| structure.overlap);
    Some(match overlap {
        Some(overlap) if !overlap.beyond_chance() => Level::Doubtful,
        Some(_) if mean >= LOW_AGREEMENT => Level::Good,
        _ => Level::Fair,
    })
}

fn dissolved(stability: &Stability) -> Vec<usize> {
    let by_cluster = &stability.by_cluster;
    (0..by_cluster.len()).filter(|&cluster| by_cluster[cluster] < DISSOLVED).collect()
}

fn unlike(agreement: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let pairs = (0..agreement.len()).flat_map(|a| (a + 1..agreement.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| agreement[a][b] < LOW_AGREEMENT).collect()
}
