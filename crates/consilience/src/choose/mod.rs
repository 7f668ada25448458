//! How many clusters? The data are asked, and may answer that there are none.
//!
//! For every number of clusters there are three curves, from the joint graph of the views (the one of `slrmf`, before smoothing) and
//! again from what `slrmf` reads labels from; one eigen-solve serves all numbers:
//!
//! - **cut**: the eigenvalue of that number and the drop after it; 1 less the eigenvalue is what the cut costs;
//! - **stability**: how much of the clusters comes back when random halves of the samples are clustered again;
//! - **agreement**: how far the views find the joint clusters by themselves.
//!
//! Cut and stability stand beside those of a null: clouds without clusters of as many samples, with the covariances of the
//! views. Whether the views agree at all is tested against views whose samples are permuted; where they do not, or one is sure of
//! other clusters, each is asked by itself. What was found is an [`Answer`].
//!
//! The question is about the data and not about a method, so every method gets the same answer; `single` asks its one view.
//!
//! ```
//! use consilience::choose::KRange;
//! use consilience::datasets::Blobs;
//! use consilience::{Settings, cluster};
//!
//! let blobs = Blobs { samples: 120, clusters: 4, features: vec![6, 8], separation: 14.0, seed: 2 };
//! let found = cluster(&blobs.generate()?.0, &Settings::choosing(KRange::Between(2, 8)))?.record;
//! let choice = found.choice.unwrap();
//! assert_eq!((found.settings.clusters, choice.candidates[0].k), (4, 4));
//! # Ok::<(), consilience::Error>(())
//! ```

mod account;
mod alone;
mod curves;
mod range;
mod rank;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

pub use range::KRange;
use serde::{Deserialize, Serialize};

use self::account::{Asking, Beside};
use self::alone::Alone;
pub(crate) use self::curves::{Spectrum, between};
use self::curves::{agreement, means};
use crate::matrix::Csr;
use crate::method::{Method, PlainGraphs, Problem, plain_graphs, smoothed_graphs};
pub use crate::null::Overlap;
use crate::null::{Clouds, drawn, overlap, stream};
pub use crate::run::Answer;
use crate::run::Warning;
use crate::{Error, Result, Run, Stage, View, Views};

/// More samples than these are represented by that many of them, drawn at random.
const MOST_SAMPLES: usize = 2000;
/// Clouds without clusters.
const CLOUDS: usize = 2;

/// How a number of clusters was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KChoice {
    /// Among which it was.
    pub asked: KRange,
    /// Samples that were asked; fewer than there are when there are many.
    pub samples: usize,
    /// What was found; older records do not tell.
    pub answer: Option<Answer>,
    /// The numbers that stand out, the best first; without structure, what they would be.
    pub candidates: Vec<Candidate>,
    /// How far the views agree which samples are near each other; none for one view.
    pub overlap: Option<Overlap>,
    /// One point per number of clusters, rising.
    pub curves: Vec<KPoint>,
}

/// A number of clusters that stands out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The number.
    pub k: usize,
    /// What speaks for it, in sentences.
    pub evidence: Vec<String>,
}

/// What is known about one number of clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KPoint {
    /// The number.
    pub k: usize,
    /// The joint graph's eigenvalue of that number; 1 less it is what a cut into k parts costs at least, the last of them.
    pub eigenvalue: f64,
    /// The same of clouds without clusters.
    pub null_eigenvalue: f64,
    /// The drop to the next eigenvalue.
    pub gap: f64,
    /// The same of clouds without clusters.
    #[serde(default)]
    pub null_gap: f64,
    /// How much of the clusters comes back when halves of the samples are clustered again: adjusted mutual information, less where a
    /// few clusters hold nearly all samples; 1 at most.
    pub stability: f64,
    /// The same of clouds without clusters.
    pub null_stability: f64,
    /// The same two of what `slrmf` reads labels from; none for a view by itself.
    #[serde(default)]
    pub smoothed: Option<Smoothed>,
    /// Agreement of the views' own clusters with the joint ones: adjusted mutual information; none for one view.
    pub agreement: Option<f64>,
    /// What the ranking is by.
    pub score: f64,
}

/// What is known of a number of clusters in smoothed graphs, beside clouds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Smoothed {
    /// Stability, on a scale from that of a cloud (0) to full agreement (1).
    pub stability: f64,
    /// The logarithm of how many times as much one cluster more costs, less that of a cloud.
    pub step: f64,
}

impl KChoice {
    /// The number of clusters to use: 1 when there is no structure.
    pub fn clusters(&self) -> usize {
        match (&self.answer, self.candidates.first()) {
            (Some(answer), _) => answer.clusters(),
            (None, Some(best)) => best.k,
            (None, None) => 1,
        }
    }
}

/// Chooses the number of clusters of scaled views.
pub(crate) fn choose_k(problem: &Problem<'_>, method: &dyn Method, asked: KRange) -> Result<KChoice> {
    let run = problem.run;
    run.enter(Stage::Choose);
    let n = problem.views.samples();
    let range = asked.of(n)?;
    let views = asked_views(problem, method)?;
    let choice = if views.distinct_samples(*range.start()) < *range.start() {
        let answer = Some(Answer::NoStructure { reason: "the samples cannot be told apart".to_owned() });
        let (candidates, curves) = (Vec::new(), Vec::new());
        KChoice { asked, samples: views.samples(), answer, candidates, overlap: None, curves }
    } else {
        // graphs that fall apart are warned of by the fit itself
        let nested = run.nested();
        // given weights belong to all the views
        let weights = problem.weights.filter(|_| views.len() == problem.views.len());
        // beside the numbers that were asked for, those that would be by default
        let all = 2..=*KRange::Auto.of(n)?.end().max(range.end());
        measure(&Problem { views: &views, clusters: 1, weights, run: &nested, ..*problem }, asked, &all, run)?
    };
    let choice = match choice.answer {
        Some(Answer::Clusters { clusters }) if problem.counts.is_some() => {
            KChoice { answer: Some(Answer::Replicates { distinct: n, clusters }), ..choice }
        }
        _ => choice,
    };
    match &choice.answer {
        Some(Answer::NoStructure { reason }) => run.warn(Warning::NoStructure { reason: reason.clone() }),
        // copies have a warning of their own
        Some(Answer::Clusters { .. } | Answer::Replicates { .. }) | None => {}
        Some(answer) => run.warn(Warning::OtherAnswer { answer: answer.clone() }),
    }
    Ok(choice)
}

/// The views that the method looks at, at most [`MOST_SAMPLES`] samples of them.
fn asked_views(problem: &Problem<'_>, method: &dyn Method) -> Result<Views> {
    // eigenvalues and stability are compared with clouds that have the features' covariances
    let with_features = |view: &&View| !view.is_affinity();
    let used: Vec<&View> = method.views_used(problem.views)?.into_iter().filter(with_features).collect();
    let used: Vec<View> = match used.as_slice() {
        [] => {
            return Err(Error::data_with_hint(
                "the number of clusters is chosen by features, and affinities have none",
                "give the number: the eigenvalues of a run drop after the number of clusters, and go past it",
            ));
        }
        // what the only view does not know cannot be asked
        [only] => vec![only.known()],
        several => several.iter().map(|view| (*view).clone()).collect(),
    };
    let used = Views::new(used)?;
    if used.samples() <= MOST_SAMPLES {
        return Ok(used);
    }
    used.select(&drawn(used.samples(), MOST_SAMPLES, &mut stream(problem.seed, 0)))
}

/// One cluster more for each group of `rare` samples that the best number leaves among others, and these groups.
fn with_rare<'a>(
    answer: Answer,
    rare: &'a [Vec<usize>],
    labels: &[Vec<usize>],
    range: &RangeInclusive<usize>,
) -> (Answer, Vec<&'a Vec<usize>>) {
    let Answer::Clusters { clusters } = answer else { return (answer, Vec::new()) };
    let Some(found) = clusters.checked_sub(2).and_then(|at| labels.get(at)) else { return (answer, Vec::new()) };
    let is_cluster = |members: &Vec<usize>| {
        let label = found[members[0]];
        let size = found.iter().filter(|&&other| other == label).count();
        size == members.len() && members.iter().all(|&member| found[member] == label)
    };
    let apart: Vec<&Vec<usize>> = rare.iter().filter(|members| !is_cluster(members)).collect();
    let more = clusters + apart.len();
    if apart.is_empty() || !range.contains(&more) {
        return (answer, Vec::new());
    }
    (Answer::Clusters { clusters: more }, apart)
}

/// Asks the joint graphs of `problem` for all numbers of clusters in `all`, and the views where that does not answer.
fn measure(problem: &Problem<'_>, asked: KRange, all: &RangeInclusive<usize>, watched: &Run) -> Result<KChoice> {
    let (seed, run) = (problem.seed, problem.run);
    let steps = 4;
    let PlainGraphs { joint, per_view, rare } = plain_graphs(problem)?;
    let clouds = Clouds::new(problem.views, seed, run)?;
    let (mut plain, mut smoothed_clouds) = (Vec::new(), Vec::new());
    for draw in 0..CLOUDS as u64 {
        let views = clouds.draw(seed.wrapping_add(draw))?;
        let cloud = Problem { views: &views, ..*problem };
        plain.push(plain_graphs(&cloud)?);
        if draw == 0 {
            smoothed_clouds.push(smoothed_graphs(&cloud)?.joint);
        }
    }
    watched.progress(1, steps);
    let asking = Asking { range: all, seed, run };
    let joint = Beside { graph: joint, clouds: plain.iter().map(|graphs| graphs.joint.clone()).collect() };
    let (mut curves, labels) = asking.account(&joint)?;
    watched.progress(2, steps);
    let smoothed = smoothed_graphs(problem)?.mixed;
    let (smoothed, _) = asking.account(&Beside { graph: smoothed, clouds: smoothed_clouds })?;
    for (point, smoothed) in curves.iter_mut().zip(&smoothed) {
        let stability = rank::corrected(smoothed.stability, smoothed.null_stability);
        point.smoothed = Some(Smoothed { stability, step: rank::step(smoothed) });
    }
    watched.progress(3, steps);
    let used: Vec<usize> = (0..per_view.len()).filter(|&view| per_view[view].nnz() > 0).collect();
    let graphs: Vec<&Csr<f64>> = used.iter().map(|&view| per_view[view].as_ref()).collect();
    let overlap = overlap(&graphs, seed);
    let agreement = if graphs.len() > 1 { agreement(&graphs, &labels, all, seed, run)? } else { Vec::new() };
    for (point, agreement) in curves.iter_mut().zip(means(&agreement)) {
        point.agreement = Some(agreement);
    }
    rank::score(&mut curves);
    let alone = |place: usize| -> Result<Alone> {
        let view = used[place];
        let clouds = plain.iter().map(|graphs| graphs.per_view[view].clone()).collect();
        let (mut curves, _) = asking.account(&Beside { graph: per_view[view].clone(), clouds })?;
        rank::score(&mut curves);
        let name = problem.views.iter().nth(view).map(|view| view.name.clone()).unwrap_or_default();
        Ok(Alone::new(name, &curves))
    };
    let range = asked.of_any(all);
    let found = alone::answer(&curves, &range, overlap, &agreement, &alone)?;
    let samples = problem.views.samples();
    let answer = match found {
        Answer::Clusters { clusters } if !range.contains(&clusters) => {
            Answer::OutsideRange { asked: asked.to_string(), clusters }
        }
        found => found,
    };
    let outside = matches!(answer, Answer::OutsideRange { .. });
    let (answer, apart) = with_rare(answer, &rare, &labels, &range);
    curves.retain(|point| outside || range.contains(&point.k));
    let mut candidates = rank::candidates(&curves);
    let k = answer.clusters();
    if k > 1 && candidates.first().is_none_or(|first| first.k != k) {
        let rare = |members: &&Vec<usize>| {
            format!("{} samples are near each other and far from all others: a rare kind.", members.len())
        };
        let mut evidence: Vec<String> = apart.iter().map(rare).collect();
        if evidence.is_empty() {
            evidence.push(format!("{answer}."));
        }
        candidates.retain(|other| other.k != k);
        candidates.insert(0, Candidate { k, evidence });
    }
    Ok(KChoice { asked, samples, answer: Some(answer), candidates, overlap, curves })
}
