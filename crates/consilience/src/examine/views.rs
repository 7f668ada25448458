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
    /// The clusters that spectral clustering finds in it alone; none for samples that it does not know.
    pub own_labels: Vec<Option<usize>>,
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
) -> Result<Vec<Vec<Option<usize>>>> {
    let alone = settings.clone().method(Average::default()).weights(None);
    let mut labels = Vec::with_capacity(views.len());
    for view in views {
        let known = view.known();
        let alone = Settings { clusters: alone.clusters.min(known.data.rows()), ..alone.clone() };
        let found = cluster_observed(&Views::new(vec![known])?, &alone, &run.nested())?.record.labels;
        let mut found = found.into_iter();
        labels.push((0..views.samples()).map(|i| if view.is_absent(i) { None } else { found.next() }).collect());
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
        // samples that only this view knows cannot do without it
        let Ok(others) = Views::new(others) else {
            found.push(None);
            tick();
            continue;
        };
        let weights = settings.weights.as_ref().and_then(|weights| weights.among(&others));
        let settings = settings.clone().weights(weights);
        let without = match cluster_observed(&others, &settings, &run.nested()) {
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
    own: Vec<Vec<Option<usize>>>,
    without: Vec<Option<WithoutView>>,
    labels: &[usize],
    silhouette: f64,
) -> Result<Vec<ViewExamination>> {
    let parts = views.iter().zip(own).zip(without);
    let one = |((view, own_labels), without): ((&View, Vec<Option<usize>>), Option<WithoutView>)| {
        let (known, consensus) = both_known(&own_labels, labels.iter().copied().map(Some));
        let own_nmi = nmi(&Contingency::new(&known, &consensus)?);
        let hurts = without.as_ref().is_some_and(|without| without.silhouette > silhouette + CLEAR_RISE);
        Ok(ViewExamination { name: view.name.clone(), own_labels, own_nmi, without, hurts })
    };
    parts.map(one).collect()
}

/// The labels of the samples that both clusterings know.
fn both_known(a: &[Option<usize>], b: impl IntoIterator<Item = Option<usize>>) -> (Vec<usize>, Vec<usize>) {
    a.iter().zip(b).filter_map(|(&a, b)| a.zip(b)).unzip()
}

/// For every sample the share of the clusterings that know it and put it elsewhere than `labels`.
pub(super) fn disagreement(own: &[Vec<Option<usize>>], labels: &[usize]) -> Result<Vec<f64>> {
    let (mut elsewhere, mut asked) = (vec![0.0; labels.len()], vec![0.0_f64; labels.len()]);
    for own in own {
        let known: Vec<usize> = (0..labels.len()).filter(|&i| own[i].is_some()).collect();
        let (found, consensus) = both_known(own, labels.iter().copied().map(Some));
        for (&i, matched) in known.iter().zip(matched(&found, &consensus)?) {
            elsewhere[i] += f64::from(u8::from(matched != Some(labels[i])));
            asked[i] += 1.0;
        }
    }
    elsewhere.iter_mut().zip(asked).for_each(|(count, asked)| *count /= asked.max(1.0));
    Ok(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreement_counts_views() {
        let some = |labels: [usize; 4]| labels.map(Some).to_vec();
        let own = [some([0, 0, 1, 1]), some([1, 1, 1, 0])];
        assert_eq!(disagreement(&own, &[0, 0, 1, 1]).unwrap(), [0.0, 0.0, 0.5, 0.0]);
        // of two views one knows the third sample
        let own = [vec![Some(0), Some(0), None, Some(1)], some([1, 1, 1, 0])];
        assert_eq!(disagreement(&own, &[0, 0, 1, 1]).unwrap(), [0.0, 0.0, 1.0, 0.0]);
        let agreement = crate::metrics::pairwise_nmi_of_known(&own).unwrap();
        assert!((agreement[0][1] - 1.0).abs() < 1e-12 && (agreement[0][0] - 1.0).abs() < 1e-12);
    }
}
