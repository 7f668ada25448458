//! From what is known of the joint graph to an answer, with the views asked one by one where that is not enough.

use std::ops::RangeInclusive;

use super::{KPoint, rank};
use crate::Result;
use crate::null::Overlap;
use crate::run::Answer;

/// A view shows clusters by itself when they come back as far as this, from clouds without clusters (0) to fully (1).
const SHOWN: f64 = 0.5;
/// And is sure of them from here on.
const SURE: f64 = 0.85;
const SURE_EXCESS: f64 = 1.0;
/// A view that finds the joint clusters by itself this far does not contradict them.
const CONTRADICTS: f64 = 0.8;
/// Numbers that were asked for do without one outside them that has a larger score by so much.
const NEAR: f64 = 0.8;

/// What a view shows by itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alone {
    view: String,
    clusters: usize,
    stability: f64,
    excess: f64,
}

impl Alone {
    pub(super) fn new(view: String, curves: &[KPoint]) -> Self {
        let Some(best) = best(curves, &(0..=usize::MAX)) else {
            return Self { view, clusters: 1, stability: 0.0, excess: 0.0 };
        };
        let stability = rank::own_stability(best);
        Self { view, clusters: best.k, stability, excess: rank::excess(curves, best.k) }
    }

    fn shows_clusters(&self) -> bool {
        self.stability >= SHOWN && self.excess >= rank::LEAST_EXCESS
    }

    fn is_sure(&self) -> bool {
        self.stability >= SURE && self.excess >= SURE_EXCESS
    }
}

/// The number of the largest score within `range`, of equal ones the smallest.
fn best<'a>(curves: &'a [KPoint], range: &RangeInclusive<usize>) -> Option<&'a KPoint> {
    let inside = curves.iter().filter(|point| range.contains(&point.k));
    inside.reduce(|best, point| if point.score > best.score { point } else { best })
}

/// The answer to the question for `range`. `agreement` is how far each view finds the joint clusters by itself, for every number;
/// `alone` asks a view.
pub(super) fn answer(
    curves: &[KPoint],
    range: &RangeInclusive<usize>,
    overlap: Option<Overlap>,
    agreement: &[Vec<f64>],
    alone: &dyn Fn(usize) -> Result<Alone>,
) -> Result<Answer> {
    let (Some(inside), Some(whole)) = (best(curves, range), best(curves, &(0..=usize::MAX))) else {
        return Ok(Answer::NoStructure { reason: "no number of clusters was looked at".to_owned() });
    };
    // a number that was not asked for has to be clearly better, or the only one
    let is_worse = inside.score < NEAR * whole.score || rank::objection(curves, inside).is_some();
    let best = if is_worse { whole } else { inside };
    let clusters = best.k;
    let objection = rank::objection(curves, best);
    let named = |found: &[Alone]| found.iter().map(|alone| (alone.view.clone(), alone.clusters)).collect::<Vec<_>>();
    if let Some(overlap) = overlap.filter(|overlap| !overlap.beyond_chance()) {
        let mut shown: Vec<Alone> = (0..agreement.len()).map(alone).collect::<Result<_>>()?;
        shown.retain(Alone::shows_clusters);
        return Ok(match shown.as_slice() {
            [only] => Answer::OneView { view: only.view.clone(), clusters: only.clusters },
            [_, _, ..] => Answer::ViewsDisagree { alone: named(&shown), clusters },
            // clusters that touch share few neighbours
            [] if objection.is_none() && rank::steps_up(best) => Answer::Clusters { clusters },
            [] => Answer::NoStructure {
                reason: format!(
                    "the views do not agree which samples are near each other; their graphs share {:.2} times the weight that \
                     views of permuted samples share, {:.1} standard deviations from them",
                    overlap.ratio, overlap.deviations
                ),
            },
        });
    }
    if let Some(reason) = objection {
        return Ok(Answer::NoStructure { reason });
    }
    let at = clusters - curves[0].k;
    let mut contradicts = false;
    for view in (0..agreement.len()).filter(|&view| agreement[view][at] < CONTRADICTS) {
        contradicts = contradicts || alone(view)?.is_sure();
    }
    if contradicts {
        let mut shown: Vec<Alone> = (0..agreement.len()).map(alone).collect::<Result<_>>()?;
        shown.retain(Alone::shows_clusters);
        if shown.len() > 1 {
            return Ok(Answer::ViewsDisagree { alone: named(&shown), clusters });
        }
    }
    Ok(Answer::Clusters { clusters })
}
