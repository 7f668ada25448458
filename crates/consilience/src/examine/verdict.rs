//! The examination in words that a careful statistician would sign.

use serde::{Deserialize, Serialize};

use super::Examination;
use crate::{Clustering, Termination};

/// Resampled runs that agree on this share of the samples speak for a stable clustering (and this for a fair one).
const STABLE: f64 = 0.9;
const FAIR: f64 = 0.75;
/// Hennig's rule of thumb: a cluster whose Jaccard index falls below this should not be trusted.
const DISSOLVED: f64 = 0.6;
/// Views that agree less than this describe different things.
const LOW_AGREEMENT: f64 = 0.2;

/// How far the clustering may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It comes back when samples are left out.
    Good,
    /// Most of it comes back.
    Fair,
    /// Little of it comes back, or nothing is known.
    Doubtful,
}

/// The verdict: a headline and the reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// In one word.
    pub level: Level,
    /// In one sentence.
    pub headline: String,
    /// The reasons, and what the numbers do not say.
    pub sentences: Vec<String>,
}

impl Verdict {
    /// Judges what `examination` found of `clustering`.
    pub fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let (level, headline) = headline(clustering, examination);
        let mut sentences = Vec::new();
        sentences.extend(stability(examination));
        sentences.extend(weak_clusters(clustering, examination));
        sentences.extend(unsure_samples(examination));
        sentences.extend(views(examination));
        sentences.extend(corruption(clustering));
        if let Termination::IterationLimit { iterations } = clustering.record.termination {
            sentences.push(format!("The method stopped at its limit of {iterations} iterations."));
        }
        sentences.push(format!(
            "The number of clusters (k = {}) was given, not found: these numbers tell how reproducible this clustering \
             is, not whether its clusters mean something.",
            clustering.record.settings.clusters
        ));
        Self { level, headline, sentences }
    }
}

fn headline(clustering: &Clustering, examination: &Examination) -> (Level, String) {
    if clustering.record.settings.clusters == 1 {
        return (Level::Fair, "One cluster was asked for, so there is nothing to judge.".to_owned());
    }
    let Some(stability) = &examination.stability else {
        return (
            Level::Doubtful,
            "How stable this clustering is was not tested: no resampled runs were made.".to_owned(),
        );
    };
    let (level, word) = match stability.mean {
        mean if mean >= STABLE => (Level::Good, "stable"),
        mean if mean >= FAIR => (Level::Fair, "fairly stable"),
        _ => (Level::Doubtful, "unstable"),
    };
    let share = percent(stability.mean);
    (level, format!("The clustering is {word}: runs on part of the samples agree with it on {share} of them."))
}

fn stability(examination: &Examination) -> Option<String> {
    let stability = examination.stability.as_ref()?;
    Some(format!(
        "{} runs, each on a random {} of the samples, were matched with this clustering; a sample's stability is the \
         share of its runs that agree.",
        stability.runs,
        percent(stability.share)
    ))
}

fn weak_clusters(clustering: &Clustering, examination: &Examination) -> Vec<String> {
    let Some(stability) = &examination.stability else { return Vec::new() };
    let mut sizes = vec![0_usize; stability.by_cluster.len()];
    clustering.record.labels.iter().for_each(|&label| sizes[label] += 1);
    let weak = stability.by_cluster.iter().zip(sizes).enumerate().filter(|(_, (jaccard, _))| **jaccard < DISSOLVED);
    weak.map(|(cluster, (jaccard, size))| {
        format!(
            "Cluster {cluster} ({size} samples) dissolves when samples are left out (Jaccard {jaccard:.2}): do not \
             build on it."
        )
    })
    .collect()
}

fn unsure_samples(examination: &Examination) -> Option<String> {
    let unsure = examination.confidence.iter().filter(|&&confidence| confidence < 0.5).count();
    let n = examination.confidence.len();
    (unsure > 0 && examination.inside.len() > 1).then(|| {
        format!(
            "{unsure} of {n} samples ({}) have most of their affinity to other clusters than their own.",
            percent(unsure as f64 / n as f64)
        )
    })
}

fn views(examination: &Examination) -> Vec<String> {
    let views = &examination.views;
    let mut sentences = Vec::new();
    for (a, view) in views.iter().enumerate() {
        for (other, agreement) in views.iter().zip(&examination.agreement[a]).skip(a + 1) {
            if *agreement < LOW_AGREEMENT {
                sentences.push(format!(
                    "Views `{}` and `{}` hardly agree (NMI {agreement:.2} between what each finds alone).",
                    view.name, other.name
                ));
            }
        }
        if let (true, Some(without)) = (view.hurts, &view.without) {
            sentences.push(format!(
                "View `{}` may hurt: without it the internal score rises from {:.2} to {:.2}.",
                view.name, examination.silhouette, without.silhouette
            ));
        }
    }
    sentences
}

fn corruption(clustering: &Clustering) -> Vec<String> {
    let found = clustering.record.findings.corruption.iter().filter(|found| found.share >= 0.01);
    found
        .map(|found| format!("About {} of the entries of view `{}` look corrupted.", percent(found.share), found.view))
        .collect()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
