//! The views one by one: what each finds alone, and what the others find without it.

use serde::{Deserialize, Serialize};

use super::budget::Parts;
use super::confidence::silhouette;
use crate::method::Average;
use crate::metrics::{Contingency, matched, nmi};
use crate::null::{drawn, stream};
use crate::{Clustering, Error, Result, Run, Settings, View, Views, cluster_observed};

/// What a view is worth.
#[derive(Debug, Clone)]
pub struct ViewExamination {
    /// Its name.
    pub name: String,
    /// The clusters that the method finds in it alone (spectral clustering where the method needs other views); none for
    /// samples that it does not know.
    pub own_labels: Vec<Option<usize>>,
    /// Normalised mutual information of what it shows alone with the consensus: as the method measured it, or of these labels.
    pub own_nmi: f64,
    /// What the method finds without it; unknown for the only view, or when the method cannot do without it.
    pub without: Option<WithoutView>,
    /// What its being there does to the consensus; unknown when too few runs without it were made.
    pub effect: Option<Effect>,
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

/// What a view does to the silhouette of the consensus: pairs of runs on the same part of the samples, with the view and
/// without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The silhouette with the view less that without it, the mean over the pairs.
    pub change: f64,
    /// Half the width of the interval around it that holds the true change with 95 % confidence (Student's t).
    pub margin: f64,
    /// Pairs of runs.
    pub runs: usize,
}

/// In one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Influence {
    /// The consensus is clearer with the view.
    Raises,
    /// It is clearer without.
    Lowers,
    /// The runs do not tell.
    Unclear,
}

impl Effect {
    /// Of differences, one for each pair of runs. None of fewer than two.
    pub(super) fn of(differences: &[f64]) -> Option<Self> {
        /// The 97.5 % quantiles of Student's t for 1, 2, .. degrees of freedom.
        const QUANTILES: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
        let runs = differences.len();
        if runs < 2 {
            return None;
        }
        let change = differences.iter().sum::<f64>() / runs as f64;
        let variance = differences.iter().map(|x| (x - change).powi(2)).sum::<f64>() / (runs - 1) as f64;
        let quantile = QUANTILES.get(runs - 2).copied().unwrap_or(2.262);
        Some(Self { change, margin: quantile * (variance / runs as f64).sqrt(), runs })
    }

    /// Whether the interval leaves room for no change, or for a change of less than can be seen.
    pub fn influence(&self) -> Influence {
        /// Scores are shown to three digits.
        const VISIBLE: f64 = 0.001;
        if self.change.abs() <= self.margin.max(VISIBLE) {
            Influence::Unclear
        } else if self.change > 0.0 {
            Influence::Raises
        } else {
            Influence::Lowers
        }
    }
}

/// The method on all views but `left_out`. None when it cannot do without it.
fn run_without(views: &Views, left_out: &View, settings: &Settings, run: &Run) -> Result<Option<Clustering>> {
    let others: Vec<View> = views.iter().filter(|view| view.name != left_out.name).cloned().collect();
    // samples that only this view knows cannot do without it
    let Ok(others) = Views::new(others) else { return Ok(None) };
    let weights = settings.weights.as_ref().and_then(|weights| weights.among(&others));
    match cluster_observed(&others, &settings.clone().weights(weights), &run.nested()) {
        Ok(result) => Ok(Some(result)),
        // a method that was told to use this very view cannot do without it
        Err(Error::Unknown { .. }) => Ok(None),
        Err(error) => Err(error),
    }
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
        let without = |result: Clustering| {
            Ok(WithoutView {
                silhouette: silhouette(&result.fitted.embedding, &result.record.labels),
                nmi: nmi(&Contingency::new(&result.record.labels, labels)?),
                labels: result.record.labels,
            })
        };
        found.push(run_without(views, left_out, settings, run)?.map(without).transpose()?);
        tick();
    }
    Ok(found)
}

/// For every view the silhouettes with it less those without it, of runs on the same random parts of the samples; empty where there
/// were none.
pub(super) fn differences(
    parts: &Parts,
    views: &Views,
    settings: &Settings,
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Vec<Vec<f64>>> {
    let mut differences = vec![Vec::new(); views.len()];
    for round in 0..parts.rounds {
        run.check()?;
        let drawn = drawn(views.samples(), parts.samples, &mut stream(settings.seed, 1 + round as u64));
        let part = views.select(&drawn)?;
        let found = cluster_observed(&part, settings, &run.nested())?;
        let with = silhouette(&found.fitted.embedding, &found.record.labels);
        for (view, differences) in part.iter().zip(&mut differences) {
            if let Some(without) = run_without(&part, view, settings, run)? {
                differences.push(with - silhouette(&without.fitted.embedding, &without.record.labels));
            }
        }
        tick();
    }
    Ok(differences)
}

/// What the method finds in each view alone. Of two views each is what is left without the other, and is not run again.
pub(super) fn own_labels(
    views: &Views,
    settings: &Settings,
    without: &[Option<WithoutView>],
    run: &Run,
    tick: &mut impl FnMut(),
) -> Result<Vec<Vec<Option<usize>>>> {
    let mut labels = Vec::with_capacity(views.len());
    for (place, view) in views.iter().enumerate() {
        let known = match without {
            [first, second] => [second, first][place].as_ref().map(|without| without.labels.clone()),
            _ => None,
        };
        let found = known.map_or_else(|| alone(view, settings, run), Ok)?;
        let mut found = found.into_iter();
        labels.push((0..views.samples()).map(|i| if view.is_absent(i) { None } else { found.next() }).collect());
        tick();
    }
    Ok(labels)
}

/// The clusters of the samples that a view knows, by the method or, where it needs more views, by spectral clustering.
fn alone(view: &View, settings: &Settings, run: &Run) -> Result<Vec<usize>> {
    let known = view.known();
    let clusters = settings.clusters.min(known.data.rows());
    let settings = Settings { clusters, ..settings.clone() }.weights(None);
    let view = Views::new(vec![known])?;
    match cluster_observed(&view, &settings, &run.nested()) {
        Err(Error::Unknown { .. } | Error::Data { .. }) => {
            let plain = settings.method(Average::default());
            Ok(cluster_observed(&view, &plain, &run.nested())?.record.labels)
        }
        other => Ok(other?.record.labels),
    }
}

pub(super) fn assemble(
    views: &Views,
    own: Vec<Vec<Option<usize>>>,
    without: Vec<Option<WithoutView>>,
    differences: &[Vec<f64>],
    clustering: &Clustering,
) -> Result<Vec<ViewExamination>> {
    let labels = &clustering.record.labels;
    // one number per name: a method that measured it has told it already
    let told = clustering.record.findings.agreement.as_ref().and_then(|agreement| agreement.with_consensus.as_ref());
    let told = |place: usize| told.and_then(|with| with.before.get(place)).copied();
    let mut examined = Vec::with_capacity(views.len());
    for (place, ((view, own_labels), without)) in views.iter().zip(own).zip(without).enumerate() {
        let (known, consensus) = both_known(&own_labels, labels.iter().copied().map(Some));
        let own_nmi = told(place).map_or_else(|| Contingency::new(&known, &consensus).map(|table| nmi(&table)), Ok)?;
        let effect = differences.get(place).and_then(|differences| Effect::of(differences));
        examined.push(ViewExamination { name: view.name.clone(), own_labels, own_nmi, without, effect });
    }
    Ok(examined)
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
    fn an_effect_is_said_when_its_interval_leaves_no_room_for_none() {
        // differences 0.02, 0.04: mean 0.03, deviation 0.01414, margin 12.706 * 0.01
        let wide = Effect::of(&[0.02, 0.04]).unwrap();
        assert!((wide.change - 0.03).abs() < 1e-12 && (wide.margin - 0.12706).abs() < 1e-9);
        assert_eq!(wide.influence(), Influence::Unclear);
        assert_eq!(Effect::of(&[0.02, 0.021, 0.019, 0.02]).unwrap().influence(), Influence::Raises);
        assert_eq!(Effect::of(&[-0.02, -0.021, -0.019, -0.02]).unwrap().influence(), Influence::Lowers);
        assert_eq!(Effect::of(&[0.0005, 0.0005, 0.0005]).unwrap().influence(), Influence::Unclear);
        assert_eq!(Effect::of(&[0.5]), None);
    }

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
