//! The verdict in words that a careful statistician would sign.

use consilience::examine::{Effect, Examination, Influence, Level, Stability, Structure, Verdict};
use consilience::{Clustering, Termination};
use serde::{Deserialize, Serialize};

/// Clusters that are named one by one.
const MOST_NAMED: usize = 8;

/// A headline, the three parts it follows from, and what else there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictSummary {
    /// In one word.
    pub level: Level,
    /// In one sentence.
    pub headline: String,
    /// Structure, stability, agreement; empty when there is one cluster, and without the last when there is one view.
    pub parts: Vec<VerdictPart>,
    /// Details, and what the numbers do not say.
    pub sentences: Vec<String>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictPart {
    /// The question.
    pub question: Question,
    /// In one word.
    pub level: Level,
    /// In one sentence.
    pub sentence: String,
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

impl VerdictSummary {
    pub(crate) fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let verdict = Verdict::new(clustering, examination);
        let record = &clustering.record;
        let part = |question, level: Option<Level>, words: &dyn Fn(Level) -> String| {
            level.map(|level| VerdictPart { question, level, sentence: words(level) })
        };
        let parts = [
            part(Question::Structure, verdict.structure, &|level| structure(level, examination.structure.as_ref())),
            part(Question::Stability, verdict.stability, &|level| stability(level, examination.stability.as_ref())),
            part(Question::Agreement, verdict.agreement, &|level| agreement(level, examination)),
        ];
        let mut sentences = Vec::new();
        sentences.extend(joined_clusters(&verdict.joined));
        sentences.extend(dissolved_clusters(&verdict.dissolved, clustering, examination));
        sentences.extend(most_trusted(clustering));
        sentences.extend(views(&verdict, examination));
        sentences.extend(corruption(clustering));
        if let Termination::IterationLimit { iterations } = record.termination {
            sentences.push(format!("The method stopped at its limit of {iterations} iterations."));
        }
        if record.choice.is_none() {
            let k = record.settings.clusters;
            sentences.push(format!("The number of clusters (k = {k}) was given, not found: `auto` asks the data."));
        }
        let parts = parts.into_iter().flatten().collect();
        Self { level: verdict.level, headline: headline(&verdict).to_owned(), parts, sentences }
    }
}

fn headline(verdict: &Verdict) -> &'static str {
    match (verdict.structure, verdict.stability, verdict.agreement) {
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

fn structure(level: Level, found: Option<&Structure>) -> String {
    let Some(Structure { apart, leak, null_leak, .. }) = found else {
        return "Whether the clusters are apart was not measured: there are too few samples for them.".to_owned();
    };
    let word = match level {
        Level::Good => "Yes",
        Level::Fair => "Yes, but they run into each other",
        Level::Doubtful => "No sign of it",
    };
    format!(
        "{word}: {} of the samples are in clusters with a gap around them. Ties across the border of a typical cluster weigh \
         {leak:.2} times those across its inside; in clouds with the same variances and no clusters it is {null_leak:.2} times.",
        percent(*apart)
    )
}

fn stability(level: Level, found: Option<&Stability>) -> String {
    let Some(Stability { runs, share, mean, .. }) = found else {
        return "How stable the clustering is was not tested: no resampled runs were made.".to_owned();
    };
    let word = match level {
        Level::Good => "stable",
        Level::Fair => "fairly stable",
        Level::Doubtful => "unstable",
    };
    format!(
        "The clustering is {word}: {runs} runs, each on a random {} of the samples, agree with it on {} of them.",
        percent(*share),
        percent(*mean)
    )
}

fn agreement(level: Level, examination: &Examination) -> String {
    let Some(overlap) = examination.structure.as_ref().and_then(|structure| structure.overlap) else {
        return "One view made this clustering; the others counted for nothing.".to_owned();
    };
    let mean = examination.mean_agreement().unwrap_or(0.0);
    let nmi = format!("NMI {mean:.2} in the mean between what each finds alone");
    match level {
        Level::Doubtful => format!("The views agree no more than permuted views would ({nmi})."),
        _ => {
            format!("The views agree: they share {:.1} times the neighbours of permuted views ({nmi}).", overlap.ratio)
        }
    }
}

fn joined_clusters(joined: &[usize]) -> Option<String> {
    let names: Vec<String> = joined.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let more = joined.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let clusters = if joined.len() == 1 { "cluster" } else { "clusters" };
    (!joined.is_empty()).then(|| format!("No gap: {clusters} {}{more} run into others.", names.join(", ")))
}

fn dissolved_clusters(dissolved: &[usize], clustering: &Clustering, examination: &Examination) -> Vec<String> {
    let Some(stability) = &examination.stability else { return Vec::new() };
    let named = dissolved.iter().take(MOST_NAMED).map(|&cluster| {
        let size = clustering.record.labels.iter().filter(|&&label| label == cluster).count();
        format!(
            "Cluster {cluster} ({size} samples) dissolves when samples are left out (Jaccard {:.2}): do not build on it.",
            stability.by_cluster[cluster]
        )
    });
    let more = dissolved.len().saturating_sub(MOST_NAMED);
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

fn views(verdict: &Verdict, examination: &Examination) -> Vec<String> {
    let views = &examination.views;
    let mut sentences = Vec::new();
    for (place, view) in views.iter().enumerate() {
        for &(a, b) in verdict.unlike.iter().filter(|(a, _)| *a == place) {
            sentences.push(format!(
                "Views `{}` and `{}` hardly agree (NMI {:.2} between what each finds alone).",
                view.name, views[b].name, examination.agreement[a][b]
            ));
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

#[cfg(test)]
mod tests {
    use consilience::datasets::Blobs;
    use consilience::examine::Examine;
    use consilience::matrix::Dense;
    use consilience::{Run, Settings, View, Views, cluster};

    use super::*;

    fn words(views: Vec<View>, settings: &Settings) -> VerdictSummary {
        let views = Views::new(views).unwrap();
        let found = cluster(&views, settings).unwrap();
        VerdictSummary::new(&found, &Examine::default().examine(&views, settings, &found, &Run::default()).unwrap())
    }

    fn blobs() -> Vec<View> {
        let blobs = Blobs { samples: 120, clusters: 3, features: vec![5, 6], separation: 12.0, seed: 4 };
        blobs.generate().unwrap().0.iter().cloned().collect()
    }

    #[test]
    fn clear_clusters_are_called_so() {
        let verdict = words(blobs(), &Settings::new(3));
        assert_eq!(verdict.headline, "There are clusters, and they come back when samples are left out.");
        let [structure, stability, agreement] = &verdict.parts[..] else { panic!("{verdict:?}") };
        assert!(
            structure.sentence.starts_with("Yes: 100 % of the samples are in clusters with a gap"),
            "{structure:?}"
        );
        assert!(stability.sentence.contains("agree with it on 100 %"), "{stability:?}");
        assert!(agreement.sentence.starts_with("The views agree: they share"), "{agreement:?}");
        assert!(words(blobs(), &Settings::new(1)).headline.contains("One cluster"));
    }

    #[test]
    fn a_view_of_noise_is_named() {
        let noise = Dense::from_fn(120, 4, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64);
        let mut views = blobs();
        views.push(View::new("noise", noise));
        let told = words(views, &Settings::with_method(3, "average", &[]).unwrap()).sentences.join(" ");
        assert!(told.contains("View `noise` lowers the silhouette by") && told.contains("hardly agree"), "{told}");
    }

    #[test]
    fn clusters_are_named_until_there_are_too_many() {
        assert_eq!(joined_clusters(&[]), None);
        assert_eq!(joined_clusters(&[4]).unwrap(), "No gap: cluster 4 run into others.");
        let many: Vec<usize> = (0..10).collect();
        assert_eq!(
            joined_clusters(&many).unwrap(),
            "No gap: clusters 0, 1, 2, 3, 4, 5, 6, 7 and 2 more run into others."
        );
    }
}
