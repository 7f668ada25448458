//! What a fit leaves for ever: reference samples with their places in the consensus, from which new samples get theirs.
//!
//! ```
//! use consilience::datasets::Blobs;
//! use consilience::model::Model;
//! use consilience::{Run, Settings, cluster};
//!
//! let blobs = Blobs { samples: 90, clusters: 3, features: vec![4, 6], separation: 12.0, seed: 7 };
//! let (views, _) = blobs.generate()?;
//! let found = cluster(&views, &Settings::new(3))?;
//! let model = Model::new(&views, &found, &Run::default())?;
//!
//! let again = model.predict(&views, &Run::default())?;
//! assert_eq!(again.labels, found.record.labels);
//! # Ok::<(), consilience::Error>(())
//! ```

mod clustering;
mod condense;
mod features;
mod known;
mod parts;
mod predict;
mod reference;
#[cfg(test)]
mod tests;
mod votes;

pub use clustering::{Clustering, Fitted, LandmarkFit};
pub use parts::{ModelParts, ViewParts};
pub use predict::{Placing, Prediction};

use rayon::prelude::*;

use crate::matrix::Dense;
pub use crate::neighbours::Spread;
use crate::record::RunRecord;
use crate::run::Run;
use crate::settings::Settings;
use crate::{Error, Result, View, Views};
pub(crate) use clustering::new_numbers;
use clustering::reorder;
use reference::Reference;

/// A fitted clustering that places new samples.
#[derive(Debug, Clone)]
pub struct Model {
    /// Version of consilience that made it.
    version: String,
    settings: Settings,
    references: Vec<Reference>,
    /// Ids of the reference samples, where they had some.
    ids: Option<Vec<String>>,
    /// The cluster of every reference sample.
    labels: Vec<usize>,
    /// n x any: where the reference samples lie.
    embedding: Dense<f64>,
    /// clusters x any, in the order of the labels.
    centres: Dense<f64>,
}

/// A model whose distances need not be measured yet. It holds all that it needs of the views and is quick to make;
/// measuring is a neighbour search in every view in which the fit made none, and can wait until somebody predicts.
#[derive(Debug, Clone)]
pub struct Draft(Model);

impl Draft {
    /// The draft of a clustering of `views`: the very views that it was made from. Affinities say nothing of new samples, so a
    /// model knows the views with features only.
    ///
    /// # Errors
    /// When the views are others.
    pub fn new(views: &Views, clustering: &Clustering) -> Result<Self> {
        let Clustering { record, fitted, .. } = clustering;
        same_views(views, record)?;
        if let Some(landmarks) = &clustering.landmarks {
            return Ok(Self(landmarks.model.clone()));
        }
        let views = views.compacted();
        let parts = views.iter().zip(&fitted.scalers).zip(&record.views).filter(|((view, _), _)| !view.is_affinity());
        let references = parts.map(|((view, scaler), known)| {
            let spread = fitted.spreads.get(&view.name).cloned();
            Ok(Reference { spread, ..Reference::new(view, scaler, known.weight)? })
        });
        Ok(Self(Model {
            version: record.version.clone(),
            settings: record.settings.clone(),
            references: references.collect::<Result<_>>()?,
            ids: record.ids.clone(),
            labels: record.labels.clone(),
            embedding: fitted.embedding.clone(),
            centres: fitted.centres.clone(),
        }))
    }

    /// The model.
    ///
    /// # Errors
    /// When the run is cancelled.
    pub fn measured(mut self, run: &Run) -> Result<Model> {
        let unmeasured = self.0.references.par_iter_mut().filter(|reference| reference.spread.is_none());
        unmeasured.try_for_each(|reference| reference.measure(run))?;
        Ok(self.0)
    }
}

impl Model {
    /// The model of a clustering of `views`: the very views that it was made from.
    ///
    /// # Errors
    /// When the views are others, or the run is cancelled.
    pub fn new(views: &Views, clustering: &Clustering, run: &Run) -> Result<Self> {
        Draft::new(views, clustering)?.measured(run)
    }

    /// The same model with its clusters in another order: the new number 0 is for what was cluster `order[0]`.
    ///
    /// # Errors
    /// When the order does not name every cluster once.
    pub fn reordered(mut self, order: &[usize]) -> Result<Self> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.centres.rows()) {
            let clusters = self.centres.rows();
            return Err(Error::data(format!("{order:?} is no order of the model's {clusters} clusters")));
        }
        reorder(&mut self.labels, &mut self.centres, order);
        Ok(self)
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.centres.rows()
    }

    /// The centre of every cluster, clusters x any.
    pub(crate) fn centres(&self) -> &Dense<f64> {
        &self.centres
    }

    /// The same model under other ids of its samples.
    ///
    /// # Errors
    /// When there are not as many as samples.
    pub fn with_ids(self, ids: Option<Vec<String>>) -> Result<Self> {
        match ids.as_ref().map(Vec::len) {
            Some(count) if count != self.samples() => {
                Err(Error::data(format!("there are {count} ids for {} samples", self.samples())))
            }
            _ => Ok(Self { ids, ..self }),
        }
    }

    /// Whether it knows features by which new samples could be compared: one of affinities only does not.
    ///
    /// # Errors
    /// When it does not, with what to do instead.
    pub fn check_predicts(&self) -> Result<()> {
        if self.references.is_empty() {
            return Err(Error::data_with_hint(
                "the fit was of affinities only, which say nothing of new samples",
                "fit again with the new samples among the others, or with a view of features beside the affinities",
            ));
        }
        Ok(())
    }

    /// Number of reference samples.
    pub fn samples(&self) -> usize {
        self.labels.len()
    }

    /// Names of the views, in the order of the fit.
    pub fn view_names(&self) -> impl Iterator<Item = &str> {
        self.references.iter().map(|reference| reference.view.name.as_str())
    }

    /// The views of the reference samples as they are compared (scaled, counts by Hellinger's distance), with their weights.
    pub fn views(&self) -> impl Iterator<Item = (&View, f64)> {
        self.references.iter().map(|reference| (&reference.view, reference.weight))
    }

    /// n x any: where the reference samples lie.
    pub fn embedding(&self) -> &Dense<f64> {
        &self.embedding
    }

    /// What was asked of the fit.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Version of consilience that made it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Ids of the reference samples, where they had some.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// The cluster of every reference sample.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }
}

fn same_views(views: &Views, record: &RunRecord) -> Result<()> {
    let named =
        views.iter().zip(&record.views).all(|(view, known)| view.name == known.name && view.data.cols() == known.d);
    if views.samples() == record.n && views.len() == record.views.len() && named {
        return Ok(());
    }
    Err(Error::data_with_hint(
        "a model is made of the views that were clustered, and these are others",
        "pass the views of the fit",
    ))
}
