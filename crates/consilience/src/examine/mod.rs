//! What can be asked of a finished clustering: how sure is it, which view to trust, and what does it look like.
//!
//! Nothing here changes the labels. Resampled runs and runs without a view repeat the whole pipeline, so an examination
//! costs about as much as that many runs.
//!
//! ```
//! use consilience::data::Blobs;
//! use consilience::examine::{Examine, Level, Verdict};
//! use consilience::{Run, Settings, cluster};
//!
//! let blobs = Blobs { samples: 60, clusters: 2, features: vec![3, 4], separation: 12.0, seed: 1 };
//! let (views, settings) = (blobs.generate()?.0, Settings::new(2));
//! let found = cluster(&views, &settings)?;
//! let answers = Examine { resamples: 3, ..Examine::default() }.examine(&views, &settings, &found, &Run::default())?;
//! assert!(answers.confidence.iter().all(|confidence| *confidence > 0.9));
//! assert_eq!(Verdict::new(&found, &answers).level, Level::Good);
//! # Ok::<(), consilience::Error>(())
//! ```

mod confidence;
mod layout;
mod stability;
mod verdict;
mod views;

pub use stability::Stability;
pub use verdict::{Level, Verdict};
pub use views::{ViewExamination, WithoutView};

use crate::matrix::Dense;
use crate::metrics::pairwise_nmi_of_known;
use crate::{Clustering, Result, Run, Settings, Stage, Views};

/// What to ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Examine {
    /// Runs on random shares of the samples; none when 0.
    pub resamples: usize,
    /// The share of samples in each of them.
    pub share: f64,
    /// Whether every view is left out in turn.
    pub leave_out: bool,
}

impl Default for Examine {
    /// Ten runs on 80 % of the samples, every view left out in turn.
    fn default() -> Self {
        Self { resamples: 10, share: 0.8, leave_out: true }
    }
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct Examination {
    /// For every sample the share of its affinity that goes to its own cluster, 0 to 1.
    pub confidence: Vec<f64>,
    /// For every cluster the share of its samples' affinity that stays inside.
    pub inside: Vec<f64>,
    /// Mean silhouette of the embedding (distances to centres), -1 to 1.
    pub silhouette: f64,
    /// A picture of the embedding, n x 2: neighbours stay near each other; distances between groups mean little.
    pub layout: Dense<f64>,
    /// Each view by itself, and the others without it.
    pub views: Vec<ViewExamination>,
    /// Normalised mutual information between the views' own clusterings, views x views.
    pub agreement: Vec<Vec<f64>>,
    /// For every sample the share of views whose own clustering, matched to the consensus, puts it elsewhere.
    pub disagreement: Vec<f64>,
    /// How far resampled runs agree; unknown without them.
    pub stability: Option<Stability>,
}

/// For every sample the share of its affinity that goes to its own cluster, 0 to 1: what an [`Examination`] has too, for the
/// price of one product with the affinity.
pub fn confidence(clustering: &Clustering) -> Vec<f64> {
    confidence::own_cluster_shares(clustering).0
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
        let total = self.resamples + views.len() * (1 + usize::from(self.leave_out)) + 1;
        let mut done = 0;
        let mut tick = || {
            done += 1;
            run.progress(done, total);
        };
        let (confidence, inside) = confidence::own_cluster_shares(clustering);
        let silhouette = confidence::silhouette(&clustering.fitted.embedding, &clustering.record.labels);
        let layout = layout::layout(&clustering.fitted.embedding, &*settings.neighbours, settings.seed, run)?;
        tick();
        let own = views::own_labels(views, settings, run, &mut tick)?;
        let without = if self.leave_out && views.len() > 1 {
            views::leave_out(views, settings, &clustering.record.labels, run, &mut tick)?
        } else {
            vec![None; views.len()]
        };
        let stability = stability::resampled(self, views, settings, &clustering.record.labels, run, &mut tick)?;
        Ok(Examination {
            confidence,
            inside,
            silhouette,
            layout,
            agreement: pairwise_nmi_of_known(&own)?,
            disagreement: views::disagreement(&own, &clustering.record.labels)?,
            views: views::assemble(views, own, without, &clustering.record.labels, silhouette)?,
            stability,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Blobs;
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
        assert!(examination.silhouette > 0.8 && examination.inside.iter().all(|&share| share > 0.9));
        assert!(examination.disagreement.iter().all(|&share| share == 0.0));
        assert!(examination.views.iter().all(|view| view.own_nmi > 0.99 && !view.hurts && view.without.is_some()));
        let verdict = Verdict::new(&clustering, &examination);
        assert_eq!(verdict.level, Level::Good);
        assert!(verdict.headline.contains("stable: runs on part of the samples agree with it on 100 %"));
    }

    #[test]
    fn a_view_of_noise_is_found_out() {
        let mut views: Vec<View> = blobs(vec![5, 6]).iter().cloned().collect();
        views.push(noise(120));
        let settings = Settings::with_method(3, "average", &[]).unwrap();
        let (clustering, examination) = examined(&Views::new(views).unwrap(), &settings);
        let [good, _, bad] = &examination.views[..] else { panic!() };
        assert!(good.own_nmi > 0.8 && bad.own_nmi < 0.3, "{} {}", good.own_nmi, bad.own_nmi);
        assert!(!good.hurts && bad.hurts);
        let words = Verdict::new(&clustering, &examination).sentences.join(" ");
        assert!(words.contains("View `noise` may hurt") && words.contains("hardly agree"), "{words}");
    }

    #[test]
    fn degenerate_runs_are_examined_too() {
        let views = blobs(vec![5, 6]);
        let (one, examination) = examined(&views, &Settings::new(1));
        assert!(examination.confidence.iter().all(|&confidence| confidence == 1.0));
        assert!(Verdict::new(&one, &examination).headline.contains("One cluster"));

        let tiny = Views::new(vec![View::new("a", Dense::from_fn(5, 2, |i, j| (i * (j + 1)) as f64))]).unwrap();
        let (tiny, examination) = examined(&tiny, &Settings::new(4));
        assert!(examination.stability.is_none() && examination.views[0].without.is_none());
        assert_eq!(Verdict::new(&tiny, &examination).level, Level::Doubtful);

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
