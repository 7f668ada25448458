//! The examination in words that a careful statistician would sign.

use serde::{Deserialize, Serialize};

use super::structure::{GAP, Structure};
use super::{Effect, Examination, Influence};
use crate::choose::LEAST_DEVIATIONS;
use crate::{Clustering, Termination};

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
/// Clusters that are named one by one.
const MOST_NAMED: usize = 8;

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

/// What a part of the verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// Are there clusters at all?
    Structure,
    /// Do they come back when samples are left out?
    Stability,
    /// Do the views know of each other?
    Agreement,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The question.
    pub question: Question,
    /// In one word.
    pub level: Level,
    /// In one sentence.
    pub sentence: String,
}

/// The verdict: a headline, the three parts it follows from, and what else there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// In one word.
    pub level: Level,
    /// In one sentence.
    pub headline: String,
    /// Structure, stability, agreement; empty when there is one cluster, and without the last when there is one view.
    pub parts: Vec<Part>,
    /// Details, and what the numbers do not say.
    pub sentences: Vec<String>,
}

impl Verdict {
    /// Judges what `examination` found of `clustering`.
    pub fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let one = clustering.record.settings.clusters == 1;
        let parts: Vec<Part> = if one {
            Vec::new()
        } else {
            let parts = [Some(structure(examination)), Some(stability(examination)), agreement(examination)];
            parts.into_iter().flatten().collect()
        };
        let level = if one { Level::Fair } else { level(&parts) };
        let mut sentences = Vec::new();
        sentences.extend(joined_clusters(examination));
        sentences.extend(weak_clusters(clustering, examination));
        sentences.extend(most_trusted(clustering));
        sentences.extend(views(examination));
        sentences.extend(corruption(clustering));
        if let Termination::IterationLimit { iterations } = clustering.record.termination {
            sentences.push(format!("The method stopped at its limit of {iterations} iterations."));
        }
        if clustering.record.choice.is_none() {
            let k = clustering.record.settings.clusters;
            sentences.push(format!("The number of clusters (k = {k}) was given, not found: `auto` asks the data."));
        }
        Self { level, headline: headline(&parts).to_owned(), parts, sentences }
    }
}

/// Without structure, or without stability, nothing is to be trusted; views that do not know of each other leave a doubt.
fn level(parts: &[Part]) -> Level {
    let of = |part: &Part| if part.question == Question::Agreement { part.level.min(Level::Fair) } else { part.level };
    parts.iter().map(of).max().unwrap_or(Level::Doubtful)
}

fn headline(parts: &[Part]) -> &'static str {
    let level = |question| parts.iter().find(|part| part.question == question).map(|part| part.level);
    match (level(Question::Structure), level(Question::Stability), level(Question::Agreement)) {
        (None, ..) => "One cluster was asked for, so there is nothing to judge.",
        (Some(Level::Doubtful), ..) => {
            "There is no sign of separate clusters: these look like pieces of something continuous."
        }
        (Some(_), Some(Level::Doubtful), _) => "The clusters do not come back when samples are left out.",
        (Some(Level::Good), Some(Level::Good), None | Some(Level::Good)) => {
            "There are clusters, and they come back when samples are left out."
        }
        (.., Some(Level::Doubtful)) => "There are clusters, but the views do not agree on them.",
        _ => "There are clusters, but not all of them can be relied on.",
    }
}

fn structure(examination: &Examination) -> Part {
    let question = Question::Structure;
    let Some(Structure { apart, leak, null_leak, .. }) = examination.structure else {
        let sentence =
            "Whether the clusters are apart was not measured: there are too few samples for them.".to_owned();
        return Part { question, level: Level::Doubtful, sentence };
    };
    let (level, word) = if apart >= STRUCTURED {
        (Level::Good, "Yes")
    } else if leak <= LESS_THAN_NULL * null_leak {
        (Level::Fair, "Yes, but they run into each other")
    } else {
        (Level::Doubtful, "No sign of it")
    };
    let sentence = format!(
        "{word}: {} of the samples are in clusters with a gap around them. Ties across the border of a typical cluster weigh \
         {leak:.2} times those across its inside; in clouds with the same variances and no clusters it is {null_leak:.2} times.",
        percent(apart)
    );
    Part { question, level, sentence }
}

fn stability(examination: &Examination) -> Part {
    let question = Question::Stability;
    let Some(stability) = &examination.stability else {
        let sentence = "How stable the clustering is was not tested: no resampled runs were made.".to_owned();
        return Part { question, level: Level::Doubtful, sentence };
    };
    let (level, word) = match stability.mean {
        mean if mean >= STABLE => (Level::Good, "stable"),
        mean if mean >= FAIR => (Level::Fair, "fairly stable"),
        _ => (Level::Doubtful, "unstable"),
    };
    let sentence = format!(
        "The clustering is {word}: {} runs, each on a random {} of the samples, agree with it on {} of them.",
        stability.runs,
        percent(stability.share),
        percent(stability.mean)
    );
    Part { question, level, sentence }
}

/// None for one view.
fn agreement(examination: &Examination) -> Option<Part> {
    let question = Question::Agreement;
    let views = examination.views.len();
    if views < 2 {
        return None;
    }
    let pairs: Vec<f64> = (0..views).flat_map(|a| examination.agreement[a][a + 1..].to_vec()).collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    let overlap = examination.structure.as_ref().and_then(|structure| structure.overlap);
    let Some(overlap) = overlap else {
        let sentence = "One view made this clustering; the others counted for nothing.".to_owned();
        return Some(Part { question, level: Level::Fair, sentence });
    };
    let nmi = format!("NMI {mean:.2} in the mean between what each finds alone");
    let (level, sentence) = if overlap.deviations < LEAST_DEVIATIONS {
        (Level::Doubtful, format!("The views agree no more than permuted views would ({nmi})."))
    } else {
        let level = if mean >= LOW_AGREEMENT { Level::Good } else { Level::Fair };
        (
            level,
            format!("The views agree: they share {:.1} times the neighbours of permuted views ({nmi}).", overlap.ratio),
        )
    };
    Some(Part { question, level, sentence })
}

/// Clusters without a gap around them, when others have one.
fn joined_clusters(examination: &Examination) -> Option<String> {
    let structure = examination.structure.as_ref()?;
    let joined: Vec<String> = (0..structure.leaks.len())
        .filter(|&cluster| structure.leaks[cluster].is_some_and(|leak| leak > GAP))
        .map(|cluster| cluster.to_string())
        .collect();
    if joined.is_empty() || joined.len() == structure.leaks.len() {
        return None;
    }
    let more = joined.len().saturating_sub(MOST_NAMED);
    let named = joined[..joined.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("No gap: {} {named}{more} run into others.", if joined.len() == 1 { "cluster" } else { "clusters" }))
}

fn weak_clusters(clustering: &Clustering, examination: &Examination) -> Vec<String> {
    let Some(stability) = &examination.stability else { return Vec::new() };
    let mut sizes = vec![0_usize; stability.by_cluster.len()];
    clustering.record.labels.iter().for_each(|&label| sizes[label] += 1);
    let weak = stability.by_cluster.iter().zip(sizes).enumerate().filter(|(_, (jaccard, _))| **jaccard < DISSOLVED);
    let weak: Vec<_> = weak.collect();
    let named = weak.iter().take(MOST_NAMED).map(|(cluster, (jaccard, size))| {
        format!(
            "Cluster {cluster} ({size} samples) dissolves when samples are left out (Jaccard {jaccard:.2}): do not \
             build on it."
        )
    });
    let more = weak.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{more} more clusters dissolve too."));
    named.chain(more).collect()
}

/// The view with the largest weight, where the method weighs them.
fn most_trusted(clustering: &Clustering) -> Option<String> {
    let views = &clustering.record.views;
    let most = views.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let even = 1.0 / views.len() as f64;
    (views.len() > 1 && most.weight > even + 1e-9)
        .then(|| format!("The most trusted view is `{}`, with {} of the weight.", most.name, percent(most.weight)))
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
        let lowers = |effect: &&Effect| effect.influence() == Influence::Lowers;
        if let Some(effect) = view.effect.as_ref().filter(lowers) {
            sentences.push(format!(
                "View `{}` lowers the silhouette by {:.3} \u{b1} {:.3}: consider leaving it out.",
                view.name, -effect.change, effect.margin
            ));
        }
    }
    sentences
}

fn corruption(clustering: &Clustering) -> Vec<String> {
    let found = clustering.record.findings.corruption.iter().filter(|found| found.share >= 0.01);
    let likely = |(low, high): (f64, f64)| format!(" (likely {:.0} to {})", 100.0 * low, percent(high));
    let told = found.map(|found| {
        let likely = found.range.map(likely).unwrap_or_default();
        format!("About {}{likely} of the entries of view `{}` look corrupted.", percent(found.share), found.view)
    });
    told.collect()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
