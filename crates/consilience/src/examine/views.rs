//! The views one by one: what each finds alone, and what the others find without it.

use crate::method::Average;
use crate::metrics::{Contingency, matched, nmi};
use crate::{Error, Result, Run, Settings, View, Views, cluster_observed};

/// Removing a view must raise the silhouette by this much before it is said to hurt: less is chance.
const CLEAR_RISE: f64 = 0.02;

/// What a view is worth.
#[derive(Debug, Clone)]
pub struct ViewExamination {
    /// Its name.
    pub name: String,
    /// The clusters that spectral clustering finds in it alone.
    pub own_labels: Vec<usize>,
    /// Their normalised mutual information with the consensus.
    pub own_nmi: f64,
    /// What the method finds without it; unknown for the only view, or when the method cannot do without it.
    pub without: Option<WithoutView>,
    /// Whether the silhouette is clearly higher without it.
    pub hurts: bool,
}

/// The consensus of the other views.
#[derive(Debug, Clone)]
pub struct WithoutView {
    /// Their clusters.
    pub labels: Vec<usize>,
    /// The mean silhouette of their embedding.
    pub silhouette: f64,
    /// Normalised mutual information with the consensus of all views.
    pub nmi: f64,
}

/// Each view by spectral clustering of its own neighbour graph, whatever the method: the same yardstick for all.
pub(super) fn own_labels(
    views: &Views,
    settings: &Settings,
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Vec<Vec<usize>>> {
    let alone = settings.clone().method(Average::default()).weights(None);
    let mut labels = Vec::with_capacity(views.len());
    for view in views {
        labels.push(cluster_observed(&Views::new(vec![view.clone()])?, &alone, &run.nested())?.record.labels);
        tick();
    }
    Ok(labels)
}

/// The method on all views but one, for every view.
pub(super) fn leave_out(
    views: &Views,
    settings: &Settings,
    labels: &[usize],
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Vec<Option<WithoutView>>> {
    let mut found = Vec::with_capacity(views.len());
    for left_out in views {
        let others: Vec<View> = views.iter().filter(|view| view.name != left_out.name).cloned().collect();
        let others = Views::new(others);
        let weights = |views: &Views| settings.weights.as_ref().and_then(|weights| weights.among(views));
        let settings = settings.clone().weights(others.as_ref().ok().and_then(weights));
        let without = match cluster_observed(&others?, &settings, &run.nested()) {
            Ok(result) => Some(WithoutView {
                silhouette: super::confidence::silhouette(&result.fitted.embedding, &result.record.labels),
                nmi: nmi(&Contingency::new(&result.record.labels, labels)?),
                labels: result.record.labels,
            }),
            // a method that was told to use this very view cannot do without it
            Err(Error::Unknown { .. }) => None,
            Err(error) => return Err(error),
        };
        found.push(without);
        tick();
    }
    Ok(found)
}

pub(super) fn assemble(
    views: &Views,
    own: Vec<Vec<usize>>,
    without: Vec<Option<WithoutView>>,
    labels: &[usize],
    silhouette: f64,
) -> Result<Vec<ViewExamination>> {
    let parts = views.iter().zip(own).zip(without);
    let one = |((view, own_labels), without): ((&View, Vec<usize>), Option<WithoutView>)| {
        let own_nmi = nmi(&Contingency::new(&own_labels, labels)?);
        let hurts = without.as_ref().is_some_and(|without| without.silhouette > silhouette + CLEAR_RISE);
        Ok(ViewExamination { name: view.name.clone(), own_labels, own_nmi, without, hurts })
    };
    parts.map(one).collect()
}

/// For every sample the share of clusterings that put it elsewhere than `labels`.
pub(super) fn disagreement(own: &[Vec<usize>], labels: &[usize]) -> Result<Vec<f64>> {
    let mut elsewhere = vec![0.0; labels.len()];
    for own in own {
        for ((count, &label), matched) in elsewhere.iter_mut().zip(labels).zip(matched(own, labels)?) {
            *count += f64::from(u8::from(matched != Some(label)));
        }
    }
    elsewhere.iter_mut().for_each(|count| *count /= own.len().max(1) as f64);
    Ok(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreement_counts_views() {
        let own = [vec![0, 0, 1, 1], vec![1, 1, 1, 0]];
        assert_eq!(disagreement(&own, &[0, 0, 1, 1]).unwrap(), [0.0, 0.0, 0.5, 0.0]);
    }
}
