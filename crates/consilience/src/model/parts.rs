//! All that a model consists of, for whoever keeps one: `consilience-io` writes the parts to a file and reads them back.

use super::Model;
use super::reference::{Reference, constant_columns};
use crate::matrix::{Dense, for_matrix};
use crate::neighbours::Spread;
use crate::views::Scaler;
use crate::{Error, Result, Settings, View};

/// The parts of a [`Model`].
#[derive(Debug, Clone)]
pub struct ModelParts {
    /// Version of consilience that made it.
    pub version: String,
    /// What was asked of the fit.
    pub settings: Settings,
    /// Its views.
    pub views: Vec<ViewParts>,
    /// Ids of the n reference samples, where they had some.
    pub ids: Option<Vec<String>>,
    /// The cluster of every reference sample.
    pub labels: Vec<usize>,
    /// n x any: where the reference samples lie.
    pub embedding: Dense<f64>,
    /// clusters x any, in the order of the labels.
    pub centres: Dense<f64>,
}

/// A view of the reference samples.
#[derive(Debug, Clone)]
pub struct ViewParts {
    /// n x d: as it is compared, scaled, and counts as Hellinger's distance wants them.
    pub view: View,
    /// Its weight in the consensus.
    pub weight: f64,
    /// Whether its values are counts.
    pub counts: bool,
    /// How its columns were scaled.
    pub scaler: Scaler,
    /// Samples that the view does not know.
    pub missing: Vec<bool>,
    /// How far its samples are from each other; none for a view without spread.
    pub spread: Option<Spread>,
}

impl Model {
    /// The parts; matrices are shared, not copied.
    pub fn parts(&self) -> ModelParts {
        let view = |reference: &Reference| ViewParts {
            view: reference.view.clone(),
            weight: reference.weight,
            counts: reference.is_counts,
            scaler: reference.scaler.clone(),
            missing: reference.missing.clone(),
            spread: reference.spread.clone(),
        };
        ModelParts {
            version: self.version.clone(),
            settings: self.settings.clone(),
            views: self.references.iter().map(view).collect(),
            ids: self.ids.clone(),
            labels: self.labels.clone(),
            embedding: self.embedding.clone(),
            centres: self.centres.clone(),
        }
    }

    /// A model from its parts.
    ///
    /// # Errors
    /// When they contradict each other, or a number is not finite.
    pub fn from_parts(parts: ModelParts) -> Result<Self> {
        let ModelParts { version, settings, views, ids, labels, embedding, centres } = parts;
        let n = embedding.rows();
        let within = labels.len() == n && labels.iter().all(|&label| label < centres.rows());
        if centres.cols() != embedding.cols() || !within || ids.as_ref().is_some_and(|ids| ids.len() != n) {
            return Err(damaged("labels, centres and embedding do not belong together"));
        }
        if !(is_finite(&embedding) && is_finite(&centres)) {
            return Err(damaged("the embedding or the centres are not finite"));
        }
        let references = views.into_iter().map(|view| reference(view, n)).collect::<Result<_>>()?;
        Ok(Self { version, settings, references, ids, labels, embedding, centres })
    }
}

fn reference(parts: ViewParts, n: usize) -> Result<Reference> {
    let ViewParts { view, weight, counts, scaler, missing, spread } = parts;
    let finite = for_matrix!(
        &view.data,
        dense m => m.data().iter().all(|x| x.is_finite()),
        sparse m => m.values().iter().all(|x| x.is_finite()),
    );
    let sound = |spread: &Spread| {
        spread.mean > 0.0
            && spread.mean.is_finite()
            && spread.usual >= 0.0
            && spread.scales.len() == n
            && spread.scales.iter().all(|scale| *scale > 0.0)
    };
    let sizes = view.data.rows() == n && missing.len() == n && scaler.features() == view.data.cols();
    if !(finite && sizes && spread.iter().all(sound) && weight >= 0.0 && weight.is_finite()) {
        return Err(damaged(format!("the numbers of view `{}`", view.name)));
    }
    let constant = constant_columns(&view.data, &missing);
    Ok(Reference { view, weight, scaler, is_counts: counts, constant, missing, spread })
}

fn is_finite(points: &Dense<f64>) -> bool {
    points.data().iter().all(|x| x.is_finite())
}

fn damaged(what: impl std::fmt::Display) -> Error {
    Error::data(format!("the model is damaged: {what}"))
}
