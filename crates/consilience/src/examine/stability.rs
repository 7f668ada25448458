//! How far the clustering comes back when samples are left out at random (Hennig 2007).
//!
//! A run says something about samples that it did not see, too: they are put where their neighbours are. Without that a sample
//! would hardly be asked where the parts are small.

use super::budget::Parts;
use super::confidence::silhouette;
use super::views::run_without;
use crate::null::{drawn, stream};
use crate::stability::{Refits, Stability};
use crate::{Clustering, Result, Run, Settings, Views, cluster_observed};

/// What resampled runs tell.
pub(super) struct Resampled {
    pub(super) stability: Option<Stability>,
    /// For every view the silhouettes with it less those without it, of runs on the same samples; empty where there were none.
    pub(super) differences: Vec<Vec<f64>>,
}

/// Runs the pipeline on random parts of the samples. Nothing is known when no runs are asked for or the parts are too small
/// to hold the clusters.
pub(super) fn resampled(
    parts: &Parts,
    views: &Views,
    settings: &Settings,
    clustering: &Clustering,
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Resampled> {
    let (n, k) = (views.samples(), clustering.record.clusters_found());
    let size = parts.samples;
    let mut differences = vec![Vec::new(); views.len()];
    if parts.rounds == 0 || size <= settings.clusters.max(k) {
        return Ok(Resampled { stability: None, differences });
    }
    let mut refits = Refits::new(&clustering.record.labels, k, clustering.affinity.as_ref());
    for round in 0..parts.rounds {
        run.check()?;
        let drawn = drawn(n, size, &mut stream(settings.seed, 1 + round as u64));
        let part = views.select(&drawn)?;
        let found = cluster_observed(&part, settings, &run.nested())?;
        refits.add(&drawn, &found.record.labels)?;
        if round < parts.without_views {
            let with = silhouette(&found.fitted.embedding, &found.record.labels);
            for (view, differences) in part.iter().zip(&mut differences) {
                if let Some(without) = run_without(&part, view, settings, run)? {
                    differences.push(with - silhouette(&without.fitted.embedding, &without.record.labels));
                }
            }
        }
        tick();
    }
    Ok(Resampled { stability: Some(refits.finish(size as f64 / n as f64).0), differences })
}
