//! How many clusters? The data are asked, and may answer that there are none.
//!
//! For every number of clusters there are three curves, all from one joint graph of the views (the one of `slrmf`, before
//! smoothing) and one eigen-solve for the largest number:
//!
//! - **cut**: the eigenvalue of that number and the drop after it; 1 less the eigenvalue is what the cut costs;
//! - **stability**: how far random halves of the samples, clustered apart, agree;
//! - **agreement**: how far the views find the joint clusters by themselves.
//!
//! Cut and stability stand beside those of a null: clouds without clusters of as many samples, with the covariances of the
//! views. Whether the views agree at all is tested against views whose samples are permuted.
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

mod curves;
mod range;
mod rank;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

pub use range::KRange;
use serde::{Deserialize, Serialize};

use self::curves::means;
pub(crate) use self::curves::{Spectrum, between};
use crate::method::{Method, PlainGraphs, Problem, plain_graphs};
pub use crate::null::Overlap;
use crate::null::{Clouds, drawn, overlap, stream};
use crate::run::Warning;
use crate::{Error, Result, Run, Stage, View, Views};

/// More samples than these are represented by that many of them, drawn at random.
const MOST_SAMPLES: usize = 2000;
/// Random halves of the samples, and of every null.
const SPLITS: usize = 6;
const NULL_SPLITS: usize = 1;
const NULLS: usize = 2;
/// The null's stability is a mean of few halves: points beside each other share theirs.
const NULL_SMOOTHING: f64 = 0.25;

/// How a number of clusters was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KChoice {
    /// Among which it was.
    pub asked: KRange,
    /// Samples that were asked; fewer than there are when there are many.
    pub samples: usize,
    /// What speaks against any clusters at all, when something does: all samples are in one cluster then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
    /// The numbers that stand out, the best first; with an objection, what they would be without it.
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
    /// Agreement of halves of the samples that are clustered apart: adjusted mutual information, 1 at most.
    pub stability: f64,
    /// The same of clouds without clusters.
    pub null_stability: f64,
    /// Agreement of the views' own clusters with the joint ones: adjusted mutual information; none for one view.
    pub agreement: Option<f64>,
    /// What the ranking is by.
    pub score: f64,
}

impl KChoice {
    /// The number of clusters to use: 1 when there is no structure.
    pub fn clusters(&self) -> usize {
        match (&self.objection, self.candidates.first()) {
            (None, Some(best)) => best.k,
            _ => 1,
        }
    }
}

/// Chooses the number of clusters of scaled views.
pub(crate) fn choose_k(problem: &Problem<'_>, method: &dyn Method, asked: KRange) -> Result<KChoice> {
    let run = problem.run;
    run.enter(Stage::Choose);
    let range = asked.of(problem.views.samples())?;
    let views = asked_views(problem, method)?;
    let choice = if views.distinct_samples(*range.start()) < *range.start() {
        let objection = Some("the samples cannot be told apart".to_owned());
        let (candidates, curves) = (Vec::new(), Vec::new());
        KChoice { asked, samples: views.samples(), objection, candidates, overlap: None, curves }
    } else {
        // graphs that fall apart are warned of by the fit itself
        let nested = run.nested();
        // given weights belong to all the views
        let weights = problem.weights.filter(|_| views.len() == problem.views.len());
        measure(&Problem { views: &views, clusters: 1, weights, run: &nested, ..*problem }, asked, &range, run)?
    };
    if let Some(reason) = &choice.objection {
        run.warn(Warning::NoStructure { reason: reason.clone() });
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

fn measure(problem: &Problem<'_>, asked: KRange, range: &RangeInclusive<usize>, watched: &Run) -> Result<KChoice> {
    let (seed, run) = (problem.seed, problem.run);
    let steps = 3 + NULLS;
    let PlainGraphs { joint, per_view } = plain_graphs(problem)?;
    let per_view: Vec<_> = per_view.iter().map(AsRef::as_ref).filter(|graph| graph.nnz() > 0).collect();
    let spectrum = Spectrum::new(&joint, range, seed, run)?;
    watched.progress(1, steps);
    let overlap = overlap(&per_view, seed);
    let agreement = spectrum.agreement(&per_view, &spectrum.labels(run)?, run)?;
    watched.progress(2, steps);
    let stability = spectrum.stability(SPLITS, run)?;
    watched.progress(3, steps);

    let clouds = Clouds::new(problem.views, seed, run)?;
    let (mut eigenvalues, mut stabilities) = (Vec::new(), Vec::new());
    for draw in 0..NULLS {
        let views = clouds.draw(seed.wrapping_add(draw as u64))?;
        let graph = plain_graphs(&Problem { views: &views, ..*problem })?.joint;
        let spectrum = Spectrum::new(&graph, range, seed, run)?;
        stabilities.push(spectrum.stability(NULL_SPLITS, run)?);
        eigenvalues.push(spectrum.eigenvalues);
        watched.progress(4 + draw, steps);
    }
    let (null_eigenvalues, null_stability) = (means(&eigenvalues), means(&stabilities));
    let null_stability = rank::smoothed(&null_stability, NULL_SMOOTHING);

    let point = |(at, k): (usize, usize)| KPoint {
        k,
        eigenvalue: spectrum.eigenvalues[k - 1],
        null_eigenvalue: null_eigenvalues[k - 1],
        gap: spectrum.eigenvalues[k - 1] - spectrum.eigenvalues[k],
        null_gap: null_eigenvalues[k - 1] - null_eigenvalues[k],
        stability: stability[at],
        null_stability: null_stability[at],
        agreement: agreement.as_ref().map(|curve| curve[at]),
        score: 0.0,
    };
    let mut curves: Vec<KPoint> = range.clone().enumerate().map(point).collect();
    rank::score(&mut curves);
    let candidates = rank::candidates(&curves);
    let samples = problem.views.samples();
    let choice = KChoice { asked, samples, objection: None, candidates, overlap, curves };
    Ok(KChoice { objection: rank::objection(&choice), ..choice })
}
