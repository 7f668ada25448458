//! The verdict in words that a careful statistician would sign.

use consilience::choose::Answer;
use consilience::examine::{
    ClusterState, ClusterVerdict, Effect, Examination, Influence, Stability, State, Structure, Verdict,
};
use consilience::record::ViewRecord;
use consilience::{Clustering, Termination};
use serde::{Deserialize, Serialize};

/// Clusters that are named one by one.
const MOST_NAMED: usize = 8;

/// A headline, the parts it follows from, and what else there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictSummary {
    /// In one word.
    pub state: State,
    /// In one sentence.
    pub headline: String,
    /// Stability, borders, agreement; empty when there is one cluster, and without the last when there is one view.
    pub parts: Vec<VerdictPart>,
    /// Details, and what the numbers do not say.
    pub sentences: Vec<String>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictPart {
    /// The question.
    pub question: Question,
    /// In one sentence.
    pub sentence: String,
}

/// What a part of the verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// Do the clusters come back when samples are left out?
    Stability,
    /// Is there a gap or a valley between them?
    Borders,
    /// Do the views know of each other?
    Agreement,
}

impl VerdictSummary {
    pub(crate) fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let verdict = Verdict::new(clustering, examination);
        let record = &clustering.record;
        let mut parts = Vec::new();
        if verdict.clusters.len() > 1 {
            let part = |question, sentence: String| VerdictPart { question, sentence };
            parts.push(part(Question::Stability, stability(examination.stability.as_ref())));
            parts.push(part(Question::Borders, borders(examination.structure.as_ref())));
            parts.extend(agreement(examination).map(|sentence| part(Question::Agreement, sentence)));
        }
        let mut sentences = Vec::new();
        sentences.extend(what_fits(verdict.state));
        sentences.extend(fragile_clusters(&verdict.clusters, &record.labels));
        let answer = record.choice.as_ref().and_then(|choice| choice.answer.as_ref());
        sentences.extend(most_trusted(&record.views, answer));
        sentences.extend(views(&verdict, examination));
        sentences.extend(corruption(clustering));
        if let Termination::IterationLimit { iterations } = record.termination {
            sentences.push(format!("The method stopped at its limit of {iterations} iterations."));
        }
        if record.choice.is_none() {
            let k = record.settings.clusters;
            sentences.push(format!(
                "The number of clusters (k = {k}) was given, not found: `auto` chooses it from the data."
            ));
        }
        Self { state: verdict.state, headline: headline(verdict.state, &verdict.clusters), parts, sentences }
    }
}

fn headline(state: State, clusters: &[ClusterVerdict]) -> String {
    let k = clusters.len();
    let fragile = among(clusters, ClusterState::Fragile);
    match state {
        _ if k == 1 => "One cluster was asked for, so there is nothing to judge.".to_owned(),
        State::Untested => {
            "The clusters were not tested: whether they come back when samples are left out is not known.".to_owned()
        }
        State::Pieces => format!(
            "These {k} clusters are pieces of something continuous: the cuts come back, but nothing lies between the pieces."
        ),
        State::Unstable => format!("{} of {k} clusters do not come back when samples are left out.", fragile.len()),
        State::Separate | State::Touching => {
            let solid = match among(clusters, ClusterState::Solid).len() {
                0 => format!("None of {k} clusters has a clear border"),
                all if all == k => format!("All {k} clusters are solid"),
                count => format!("{count} of {k} clusters {} solid", if count == 1 { "is" } else { "are" }),
            };
            let touching = among(clusters, ClusterState::Touching);
            let told = [(touching, "touches others", "touch"), (fragile, "is fragile", "are fragile")];
            let told = told.into_iter().filter(|(which, ..)| !which.is_empty());
            let told = told.map(|(which, one, several)| {
                format!("{} {}", names(&which), if which.len() == 1 { one } else { several })
            });
            let parts: Vec<String> = std::iter::once(solid).chain(told).collect();
            format!("{}.", parts.join("; "))
        }
    }
}

fn among(clusters: &[ClusterVerdict], state: ClusterState) -> Vec<usize> {
    (0..clusters.len()).filter(|&cluster| clusters[cluster].state == Some(state)).collect()
}

/// "2", "2 and 8", "2, 5 and 8"; some and how many more where they are many.
fn names(clusters: &[usize]) -> String {
    let named: Vec<String> = clusters.iter().take(MOST_NAMED).map(usize::to_string).collect();
    match (clusters.len() - named.len(), named.as_slice()) {
        (0, [first @ .., last]) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (0, _) => named.join(", "),
        (more, _) => format!("{} and {more} more", named.join(", ")),
    }
}

/// What to do with what was found, where it is not clusters.
fn what_fits(state: State) -> Option<String> {
    let told = match state {
        State::Pieces => {
            "A cut of a continuum is a fair summary of it. What may fit better: an order of the samples or a trajectory \
             tool, for which the embedding is a start, or fewer clusters."
        }
        State::Unstable => "Fewer clusters may come back: try `auto`, or a higher level of the tree.",
        _ => return None,
    };
    Some(told.to_owned())
}

fn stability(found: Option<&Stability>) -> String {
    let Some(Stability { runs, share, mean, .. }) = found else {
        return "Whether the clusters come back was not tested: nothing was clustered again on a part of the samples."
            .to_owned();
    };
    format!(
        "Clustered again {runs} times on a random {} of the samples, {} of them come into the same cluster.",
        percent(*share),
        percent(*mean)
    )
}

/// None for one view.
fn agreement(examination: &Examination) -> Option<String> {
    let mean = examination.mean_agreement()?;
    let Some(overlap) = examination.structure.as_ref().and_then(|structure| structure.overlap) else {
        return Some("One view made this clustering; the others counted for nothing.".to_owned());
    };
    let nmi = format!("NMI {mean:.2} in the mean between what each finds alone");
    Some(match overlap.beyond_chance() {
        false => format!("The views agree no more than permuted views would ({nmi})."),
        true => {
            format!("The views agree: they share {:.1} times the neighbours of permuted views ({nmi}).", overlap.ratio)
        }
    })
}

fn fragile_clusters(clusters: &[ClusterVerdict], labels: &[usize]) -> Vec<String> {
    let fragile = among(clusters, ClusterState::Fragile);
    let named = fragile.iter().take(MOST_NAMED).map(|&cluster| {
        let size = labels.iter().filter(|&&label| label == cluster).count();
        let stability = clusters[cluster].stability.unwrap_or(0.0);
        format!(
            "Cluster {cluster} ({size} samples) does not come back when samples are left out (Jaccard {stability:.2})."
        )
    });
    let more = fragile.len().saturating_sub(MOST_NAMED);
    named.chain((more > 0).then(|| format!("{more} more clusters do not come back either."))).collect()
}

fn borders(found: Option<&Structure>) -> String {
    let Some(Structure { borders, density, null, .. }) = found else {
        return "Whether something lies between the clusters was not measured: there are too few samples for them."
            .to_owned();
    };
    let Some(density) = density else {
        return match borders.len() {
            0 => "There is a gap around every cluster.".to_owned(),
            _ => {
                "How dense the samples are between the clusters was not measured: the clusters have too few.".to_owned()
            }
        };
    };
    let told = format!(
        "{} without a gap between them. At a typical border samples are {density:.2} times as dense as inside",
        match borders.len() {
            1 => "One pair of clusters is".to_owned(),
            pairs => format!("{pairs} pairs of clusters are"),
        }
    );
    match null {
        Some(null) => format!(
            "{told}; where clouds without clusters are cut, {:.2} times ({:.2} to {:.2}).",
            null.density, null.interval.0, null.interval.1
        ),
        None => format!("{told}."),
    }
}

/// The view with the largest weight, where the method weighs them.
fn most_trusted(views: &[ViewRecord], answer: Option<&Answer>) -> Option<String> {
    let most = views.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let even = 1.0 / views.len() as f64;
    // a view that shows a batch alone can have the largest weight
    let doubt = match answer {
        Some(Answer::ViewsDisagree { .. }) => " Other views show other clusters: look whether it shows a batch.",
        _ => "",
    };
    (views.len() > 1 && most.weight > even + 1e-9).then(|| {
        format!("The most trusted view is `{}`, with {} of the weight.{doubt}", most.name, percent(most.weight))
    })
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
    use consilience::settings::GivenWeights;
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
        assert_eq!((verdict.state, verdict.headline.as_str()), (State::Separate, "All 3 clusters are solid."));
        let [stability, _, agreement] = &verdict.parts[..] else { panic!("{verdict:?}") };
        assert!(stability.sentence.contains("100 % of them come into the same cluster"), "{stability:?}");
        assert!(agreement.sentence.starts_with("The views agree: they share"), "{agreement:?}");
        let one = words(blobs(), &Settings::new(1));
        assert!(one.state == State::Untested && one.headline.contains("One cluster"), "{one:?}");
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
    fn the_most_trusted_view_of_views_that_disagree_may_show_a_batch() {
        let views = Views::new(blobs()).unwrap();
        let weights = GivenWeights::new([("view1".to_owned(), 3.0), ("view2".to_owned(), 1.0)]).unwrap();
        let found = cluster(&views, &Settings::new(3).weights(weights)).unwrap().record.views;
        let plain = most_trusted(&found, Some(&Answer::Clusters { clusters: 3 })).unwrap();
        assert_eq!(plain, "The most trusted view is `view1`, with 75 % of the weight.");
        let answer = Answer::ViewsDisagree { alone: vec![("view1".into(), 2), ("view2".into(), 3)], clusters: 6 };
        let told = most_trusted(&found, Some(&answer)).unwrap();
        assert!(told.starts_with(&plain) && told.ends_with("look whether it shows a batch."), "{told}");
    }

    fn clusters(states: &[ClusterState]) -> Vec<ClusterVerdict> {
        let mut clusters = vec![ClusterVerdict::default(); states.len()];
        clusters.iter_mut().zip(states).for_each(|(cluster, state)| cluster.state = Some(*state));
        clusters
    }

    #[test]
    fn the_headline_counts_and_names() {
        use ClusterState::{Fragile, Solid, Touching};
        let mut states = vec![Solid; 10];
        (states[2], states[8]) = (Touching, Touching);
        let told = headline(State::Separate, &clusters(&states));
        assert_eq!(told, "8 of 10 clusters are solid; 2 and 8 touch.");
        states[5] = Fragile;
        let told = headline(State::Touching, &clusters(&states));
        assert_eq!(told, "7 of 10 clusters are solid; 2 and 8 touch; 5 is fragile.");
        assert_eq!(
            headline(State::Touching, &clusters(&[Touching; 2])),
            "None of 2 clusters has a clear border; 0 and 1 touch."
        );
        let told = headline(State::Unstable, &clusters(&[Fragile, Fragile, Solid]));
        assert_eq!(told, "2 of 3 clusters do not come back when samples are left out.");
        assert_eq!(names(&(0..10).collect::<Vec<_>>()), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
    }
}
