//! What can be asked of a finished clustering: how sure is it, which view to trust, and what does it look like.
//!
//! Nothing here changes the labels. How stable the clusters are follows from refits on what the run's graphs have among halves of the
//! samples. Runs without a view repeat the whole pipeline, on parts of the samples that cost less than the run and a second more.
//!
//! ```
//! use consilience::datasets::Blobs;
//! use consilience::examine::{Examine, State, Verdict};
//! use consilience::{Run, Settings, cluster};
//!
//! let blobs = Blobs { samples: 60, clusters: 2, features: vec![3, 4], separation: 12.0, seed: 1 };
//! let (views, settings) = (blobs.generate()?.0, Settings::new(2));
//! let found = cluster(&views, &settings)?;
//! let answers = Examine { resamples: 3, ..Examine::default() }.examine(&views, &settings, &found, &Run::default())?;
//! assert!(answers.confidence.iter().all(|confidence| *confidence > 0.9));
//! assert_eq!(Verdict::new(&found, &answers).state, State::Separate);
//! # Ok::<(), consilience::Error>(())
//! ```

mod borders;
mod budget;
mod confidence;
mod layout;
mod stability;
mod structure;
mod verdict;
mod views;

pub use crate::stability::Stability;
pub use crate::states::{ClusterState, ClusterVerdict, State};
pub use borders::Border;
pub use structure::{NullDensity, Structure};
pub use verdict::Verdict;
pub use views::{Effect, Influence, ViewExamination, WithoutView};

use self::budget::Budget;

use crate::markers::{Marker, markers};
use crate::matrix::Dense;
use crate::metrics::pairwise_nmi_of_known;
use crate::{Clustering, Result, Run, Settings, Stage, Views};

/// Markers that are kept of every cluster.
pub const MOST_MARKERS: usize = 20;

/// What to ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Examine {
    /// Runs on random parts of the samples; none when 0. They tell what a view does, and how stable the clusters are where that does
    /// not follow from the run's own graphs.
    pub resamples: usize,
    /// The share of samples in each of them. Of more than 20,000 samples it is less where less is enough for every cluster; for what
    /// a view does it is less where such runs take long.
    pub share: f64,
    /// Whether every view is left out in turn: on the parts and, where that does not take long, on all samples.
    pub leave_out: bool,
}

impl Default for Examine {
    /// Up to ten runs on halves of the samples, every view left out in turn.
    fn default() -> Self {
        Self { resamples: 10, share: 0.5, leave_out: true }
    }
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct Examination {
    /// How sure the cluster of every sample is: its share in the sample's memberships, 0 to 1.
    pub confidence: Vec<f64>,
    /// For every cluster the share of its samples' affinity that stays inside.
    pub inside: Vec<f64>,
    /// Mean silhouette of the embedding (distances to centres), -1 to 1.
    pub silhouette: f64,
    /// The silhouette of every sample.
    pub silhouettes: Vec<f64>,
    /// How doubtful the cluster of every sample is, 0 to 1, by confidence and stability.
    pub doubt: Vec<f64>,
    /// The affinity's largest eigenvalues, as the run found them; empty for methods that need none.
    pub eigenvalues: Vec<f64>,
    /// The features that set each cluster apart, at most [`MOST_MARKERS`] of each.
    pub markers: Vec<Marker>,
    /// A picture of the embedding, n x 2: neighbours stay near each other; distances between groups mean little.
    pub layout: Dense<f64>,
    /// Each view by itself, and the others without it.
    pub views: Vec<ViewExamination>,
    /// Normalised mutual information between the views' own clusterings, views x views.
    pub agreement: Vec<Vec<f64>>,
    /// For every sample the share of views whose own clustering, matched to the consensus, puts it elsewhere.
    pub disagreement: Vec<f64>,
    /// How far the clusters come back in refits; unknown without them.
    pub stability: Option<Stability>,
    /// How far the clusters are apart in the data; unknown for one cluster, or for nearly as many as samples.
    pub structure: Option<Structure>,
}

impl Examination {
    /// The mean of the agreement over pairs of views; none for one view.
    pub fn mean_agreement(&self) -> Option<f64> {
        let views = self.agreement.len();
        let pairs: Vec<f64> = (0..views).flat_map(|a| self.agreement[a][a + 1..].to_vec()).collect();
        (!pairs.is_empty()).then(|| mean(&pairs))
    }
}

impl Examine {
    /// Examines `clustering`, which `settings` found in `views`.
    ///
    /// # Errors
    /// When the run is cancelled, or a repeated run fails for lack of memory.
    pub fn examine(
        &self,
        views: &Views,
        settings: &Settings,
        clustering: &Clustering,
        run: &Run,
    ) -> Result<Examination> {
        run.enter(Stage::Examine);
        // as every run stores them, here once for all
        let views = &views.compacted();
        let budget = Budget::new(views, clustering);
        let (leave_out, parts) = (budget.leaves_out(self), budget.parts(self));
        let total = parts.rounds + views.len() * (1 + usize::from(leave_out)) + 3;
        let mut done = 0;
        let mut tick = || {
            done += 1;
            run.progress(done, total);
        };
        let confidence = clustering.memberships.confidence().to_vec();
        let inside = confidence::inside(clustering);
        let silhouettes = confidence::silhouettes(&clustering.fitted.embedding, &clustering.record.labels);
        let silhouette = mean(&silhouettes);
        let places = layout::among_centres(&clustering.fitted.embedding, &clustering.fitted.centres, settings.seed);
        let layout = layout::layout(&places, settings.neighbour_search(), settings.seed, run)?;
        tick();
        let labels = &clustering.record.labels;
        let structure = structure::structure(views, settings, clustering, run)?;
        tick();
        let without = if leave_out {
            views::leave_out(views, settings, labels, run, &mut tick)?
        } else {
            vec![None; views.len()]
        };
        let own = views::own_labels(views, settings, &without, run, &mut tick)?;
        let stability = stability::stability(self, views, settings, clustering, run)?;
        tick();
        let differences = views::differences(&parts, views, settings, run, &mut tick)?;
        let disagreement = views::disagreement(&own, labels)?;
        let markers = match clustering.record.markers.as_slice() {
            [] => markers(views, labels, MOST_MARKERS)?,
            kept => kept.to_vec(),
        };
        Ok(Examination {
            doubt: confidence::doubt(&confidence, stability.as_ref()),
            confidence,
            inside,
            silhouette,
            silhouettes,
            eigenvalues: clustering.record.eigenvalues.clone(),
            markers,
            layout,
            agreement: agreement(clustering, &own)?,
            disagreement,
            views: views::assemble(views, own, without, &differences, clustering)?,
            stability,
            structure,
        })
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// How far the views agree before the method brings them together: as the run itself measured it or, of methods that do
/// not, between the clusters that each view has alone.
fn agreement(clustering: &Clustering, own: &[Vec<Option<usize>>]) -> Result<Vec<Vec<f64>>> {
    match &clustering.record.findings.agreement {
        Some(measured) => Ok(measured.before.clone()),
        None => pairwise_nmi_of_known(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::{Error, View, cluster};

    fn blobs(features: Vec<usize>) -> Views {
        Blobs { samples: 120, clusters: 3, features, separation: 12.0, seed: 4 }.generate().unwrap().0
    }

    fn examined(views: &Views, settings: &Settings) -> (Clustering, Examination) {
        let clustering = cluster(views, settings).unwrap();
        let examination = Examine::default().examine(views, settings, &clustering, &Run::default()).unwrap();
        (clustering, examination)
    }

    /// Numbers without any clusters in them.
    fn noise(n: usize) -> View {
        View::new("noise", Dense::from_fn(n, 4, |i, j| ((i * 7919 + j * 104_729 + i * i * 31) % 1009) as f64))
    }

    #[test]
    fn clear_clusters_are_certain() {
        let views = blobs(vec![5, 6]);
        let (clustering, examination) = examined(&views, &Settings::new(3));
        let stability = examination.stability.as_ref().unwrap();
        assert!(stability.mean == 1.0 && stability.by_cluster == [1.0; 3], "{stability:?}");
        assert!(examination.confidence.iter().all(|&confidence| confidence > 0.9));
        // columns beyond the clusters have spread within them
        assert!(examination.silhouette > 0.7, "{}", examination.silhouette);
        assert!(examination.inside.iter().all(|&share| share > 0.9));
        assert!(examination.disagreement.iter().all(|&share| share == 0.0));
        assert!(examination.views.iter().all(|view| view.own_nmi > 0.99 && view.without.is_some()));
        let lowers = |view: &ViewExamination| view.effect.unwrap().influence() == Influence::Lowers;
        assert!(!examination.views.iter().any(lowers), "{:?}", examination.views);
        let structure = examination.structure.as_ref().unwrap();
        assert!(structure.apart == 1.0 && structure.borders.is_empty(), "{structure:?}");
        assert!(examination.doubt.iter().all(|&doubt| doubt < 0.1));
        let verdict = Verdict::new(&clustering, &examination);
        assert!(verdict.state == State::Separate && verdict.unlike.is_empty(), "{verdict:?}");
        assert!(verdict.clusters.iter().all(|cluster| cluster.state == Some(ClusterState::Solid)), "{verdict:?}");
    }

    #[test]
    fn a_view_of_noise_is_found_out() {
        let mut views: Vec<View> = blobs(vec![5, 6]).iter().cloned().collect();
        views.push(noise(120));
        let settings = Settings::with_method(3, "average", &[]).unwrap();
        let (clustering, examination) = examined(&Views::new(views).unwrap(), &settings);
        let [good, _, bad] = &examination.views[..] else { panic!() };
        assert!(good.own_nmi > 0.8 && bad.own_nmi < 0.3, "{} {}", good.own_nmi, bad.own_nmi);
        let influence = |view: &ViewExamination| view.effect.unwrap().influence();
        assert!(influence(good) != Influence::Lowers && influence(bad) == Influence::Lowers);
        assert_eq!(Verdict::new(&clustering, &examination).unlike, [(0, 2), (1, 2)]);
    }

    #[test]
    fn degenerate_runs_are_examined_too() {
        let views = blobs(vec![5, 6]);
        let (one, examination) = examined(&views, &Settings::new(1));
        assert!(examination.confidence.iter().all(|&confidence| confidence == 1.0));
        let verdict = Verdict::new(&one, &examination);
        assert_eq!((verdict.state, verdict.clusters[0].state), (State::Untested, None));

        let tiny = Views::new(vec![View::new("a", Dense::from_fn(5, 2, |i, j| (i * (j + 1)) as f64))]).unwrap();
        let (tiny, examination) = examined(&tiny, &Settings::new(4));
        assert!(examination.stability.is_none() && examination.views[0].without.is_none());
        assert_eq!(Verdict::new(&tiny, &examination).state, State::Untested);

        let name = views.iter().next().unwrap().name.clone();
        let settings = Settings::with_method(3, "single", &[("view".to_owned(), name)]).unwrap();
        let (_, examination) = examined(&views, &settings);
        assert!(examination.views[0].without.is_none() && examination.views[1].without.is_some());
    }

    #[test]
    fn examinations_repeat_and_can_be_stopped() {
        let (views, settings) = (blobs(vec![5, 6]), Settings::new(3));
        let (clustering, first) = examined(&views, &settings);
        let (_, second) = examined(&views, &settings);
        assert!(first.layout.data() == second.layout.data() && first.confidence == second.confidence);
        assert_eq!(first.stability, second.stability);

        let cancel = crate::Cancel::default();
        cancel.cancel();
        let run = Run::cancellable(cancel);
        let stopped = Examine::default().examine(&views, &settings, &clustering, &run);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
