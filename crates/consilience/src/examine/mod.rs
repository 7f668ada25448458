//! What can be asked of a finished clustering: how sure is it, which view to trust, and what does it look like.
//!
//! Nothing here changes the labels. Resampled runs and runs without a view repeat the whole pipeline, so an examination
//! costs about as much as that many runs.

mod confidence;
mod layout;
mod stability;
mod verdict;
mod views;

pub use stability::Stability;
pub use verdict::{Level, Verdict};
pub use views::{ViewExamination, WithoutView};

use crate::matrix::Dense;
use crate::metrics::pairwise_nmi;
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
    /// Mean silhouette of the embedding (distances to centres), -1 to 1: the internal score.
    pub internal: f64,
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
        let (confidence, inside) = confidence::staying(clustering);
        let internal = confidence::silhouette(&clustering.embedding, &clustering.labels);
        let layout = layout::layout(&clustering.embedding, settings.seed, run)?;
        tick();
        let own = views::own_labels(views, settings, run, &mut tick)?;
        let without = if self.leave_out && views.len() > 1 {
            views::leave_out(views, settings, &clustering.labels, run, &mut tick)?
        } else {
            vec![None; views.len()]
        };
        let stability = stability::resampled(self, views, settings, &clustering.labels, run, &mut tick)?;
        Ok(Examination {
            confidence,
            inside,
            internal,
            layout,
            agreement: pairwise_nmi(&own)?,
            disagreement: views::disagreement(&own, &clustering.labels)?,
            views: views::assemble(views, own, without, &clustering.labels, internal)?,
            stability,
        })
    }
}

#[cfg(test)]
mod tests;
