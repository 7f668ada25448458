//! The way in: all samples at once, or by landmarks where there are many.

use crate::landmarks;
use crate::model::Clustering;
use crate::pipeline::{cluster_all, in_pool};
use crate::plan::{Plan, Way};
use crate::{Error, Hint, Result, Run, Settings, Views};

/// Clusters `views`.
///
/// # Errors
/// When the settings do not fit the data. Not converging is no error: see [`RunRecord::warnings`](crate::RunRecord::warnings).
pub fn cluster(views: &Views, settings: &Settings) -> Result<Clustering> {
    cluster_observed(views, settings, &Run::default())
}

/// Clusters `views` while `run` watches and can stop it.
///
/// # Errors
/// As [`cluster`], and [`Error::Cancelled`].
pub fn cluster_observed(views: &Views, settings: &Settings, run: &Run) -> Result<Clustering> {
    cluster_planned(views, settings, &Plan::of(views, settings)?, run)
}

/// As [`cluster_observed`], by the `plan` that was made of these views and settings.
///
/// # Errors
/// As [`cluster_observed`].
pub fn cluster_planned(views: &Views, settings: &Settings, plan: &Plan, run: &Run) -> Result<Clustering> {
    settings.method.parameters().check()?;
    let settings = &plan.apply(settings);
    in_pool(settings.threads, || {
        if plan.way == Way::Landmarks {
            refuse_affinities(views)?;
            return landmarks::fit(&mut { views }, settings, run);
        }
        cluster_all(views, settings, run)
    })
}

/// Landmarks were asked for by number.
fn refuse_affinities(views: &Views) -> Result<()> {
    match views.iter().find(|view| view.is_affinity()) {
        Some(view) => Err(Error::data_with_hint(
            format!(
                "samples are placed among landmarks by their features, and {} has none: it is an affinity",
                view.describe()
            ),
            Hint::LandmarksOff { without: "the view" },
        )),
        None => Ok(()),
    }
}
