//! The searches for neighbours: within every view, and by distances fused over all views. What can be found by the same comparisons
//! of samples is asked for at once.

use std::borrow::Cow;

use super::prepare::{PreparedView, ViewFacts};
use crate::matrix::median;
use crate::method::Problem;
use crate::neighbours::{
    Distance, DistanceMetric, Neighbours, Shared, Spread, Term, UnknownSamples, Weighting, least_scale,
    mean_square_distance, scales_of,
};
use crate::{Result, View};

/// The neighbours of a view's samples among those it knows.
pub(super) struct ViewNeighbours {
    pub(super) found: Neighbours,
    /// The samples that the view knows; `found` counts within them.
    pub(super) present: Vec<usize>,
    /// The mean squared distance of two of them.
    mean: f64,
}

/// Makes them, for one run.
pub(super) struct Searches<'a> {
    pub(super) local_neighbour: usize,
    pub(super) problem: &'a Problem<'a>,
    /// How much the views count in joint distances; 1 on average.
    pub(super) weights: Vec<f64>,
}

impl Searches<'_> {
    /// By the mean of the views' squared distances, each divided by its mean; and within every view, none of one that has no spread or
    /// no samples. Samples are compared once for all of these, where the views know them all.
    pub(super) fn mean_scaled_and_own(
        &self,
        views: &[PreparedView],
        (joint_count, own_count): (usize, usize),
    ) -> Result<(Neighbours, Vec<Option<ViewNeighbours>>)> {
        let known: Vec<_> = views.iter().map(KnownSamples::of).collect();
        let terms = views.iter().zip(&known).zip(&self.weights).map(|((prepared, known), &weight)| {
            let known = known.as_ref().filter(|_| weight > 0.0)?;
            Some(JointTerm::new(prepared, Weighting::Uniform(weight / known.mean), weight))
        });
        let joint = self.joint(terms.collect());
        let (found, own) = self.own_and(Some((&joint, joint_count)), &known, own_count)?;
        Ok((joint.finished(found, joint_count)?, own))
    }

    /// Within every view.
    pub(super) fn own(&self, views: &[PreparedView], count: usize) -> Result<Vec<Option<ViewNeighbours>>> {
        let known: Vec<_> = views.iter().map(KnownSamples::of).collect();
        Ok(self.own_and(None, &known, count)?.1)
    }

    fn own_and(
        &self,
        joint: Option<(&Joint<'_>, usize)>,
        known: &[Option<KnownSamples<'_>>],
        count: usize,
    ) -> Result<(Option<Neighbours>, Vec<Option<ViewNeighbours>>)> {
        let n = self.problem.views.samples();
        let within = known.iter().map(|known| {
            let known = known.as_ref()?;
            Some(Distance::within(&known.view, DistanceMetric::Euclidean))
        });
        let distances: Vec<Option<Distance<'_>>> = within.collect();
        let joint = joint.filter(|(joint, _)| !joint.distance.terms().is_empty());
        let of_all = distances.iter().flatten().filter(|distance| distance.samples() == n);
        let wanted = joint.map(|(joint, count)| (&joint.distance, count)).into_iter();
        let wanted: Vec<_> = wanted.chain(of_all.map(|distance| (distance, count))).collect();
        let mut found = self.problem.neighbours.search_all(&wanted, self.problem.run)?.into_iter();
        let by_joint = joint.and_then(|_| found.next());
        let own = distances.iter().zip(known).map(|(distance, known)| {
            let (Some(distance), Some(known)) = (distance, known) else { return Ok(None) };
            let together = if known.present.len() == n { found.next() } else { None };
            let alone = || self.problem.neighbours.search(distance, count, self.problem.run);
            let found = together.map_or_else(alone, Ok)?;
            Ok(Some(ViewNeighbours { found, present: known.present.clone(), mean: known.mean }))
        });
        Ok((by_joint, own.collect::<Result<_>>()?))
    }

    /// By the mean of the views' squared distances, each divided by the local scales of both samples, which come from
    /// their neighbours within the views.
    pub(super) fn locally_scaled(
        &self,
        views: &[PreparedView],
        own: &[Option<ViewNeighbours>],
        count: usize,
    ) -> Result<Neighbours> {
        let incomplete = views.iter().any(|prepared| prepared.facts.incomplete);
        let terms = views.iter().zip(own).zip(&self.weights).map(|((prepared, list), &weight)| {
            let list = list.as_ref().filter(|_| weight > 0.0)?;
            let mut scales = list.scales(self.local_neighbour, prepared.view.data.rows());
            // a distance is divided by the scales of both its ends
            scales.iter_mut().for_each(|scale| *scale /= weight.sqrt());
            let middle = median(list.present.iter().map(|&i| scales[i]).collect());
            let mut usual = list.mean / (middle * middle);
            if incomplete {
                // a view of few features has usual distances of many local scales: pairs that it knows would be the
                // farthest of all, so every view is measured in its own usual distances
                scales.iter_mut().for_each(|scale| *scale *= (usual / weight).sqrt());
                usual = weight;
            }
            Some(JointTerm::new(prepared, Weighting::Local(scales), usual))
        });
        let joint = self.joint(terms.collect());
        let found = self.own_and(Some((&joint, count)), &[], 0)?.0;
        joint.finished(found, count)
    }

    /// Views without a term add the same to every distance: no order changes, and none is measured. Where views lack samples,
    /// distances are means over what a pair shares.
    fn joint<'v>(&self, terms: Vec<Option<JointTerm<'v>>>) -> Joint<'v> {
        let (views, samples) = (terms.len() as f64, self.problem.views.samples());
        let constant: f64 = terms.iter().zip(&self.weights).filter(|(term, _)| term.is_none()).map(|(_, w)| w).sum();
        let terms: Vec<JointTerm<'_>> = terms.into_iter().flatten().collect();
        let shared = JointTerm::shared(&terms, samples);
        let usual: f64 = terms.iter().map(|term| term.usual).sum();
        let prior = shared.as_ref().map_or(0.0, |_| JointTerm::prior(&terms));
        let distance = Distance::of(terms.into_iter().map(|term| term.term).collect()).over_shared(shared);
        Joint { distance, usual, prior, constant, views, samples }
    }
}

/// A distance over all views, and how it becomes the mean of theirs.
struct Joint<'a> {
    distance: Distance<'a>,
    /// Between two samples that have nothing to do with each other.
    usual: f64,
    /// What is not known of a pair, where views lack samples.
    prior: f64,
    /// What views without a term add.
    constant: f64,
    views: f64,
    samples: usize,
}

impl Joint<'_> {
    /// The neighbours with their distances; without any term, lists without any information.
    fn finished(&self, found: Option<Neighbours>, count: usize) -> Result<Neighbours> {
        let found = found.map_or_else(|| placeholder_neighbours(self.samples, count), Ok)?;
        let incomplete = self.distance.shared().is_some();
        // the mean over what is shared has no scale: in that of the sum, a pair that shares everything is as far as it was
        let sum = |d: f64| if incomplete { d * (self.usual + self.prior) - self.prior } else { d };
        Ok(found.map_distances(|d| (sum(d) + self.constant) / self.views))
    }
}

/// A view's part in a joint distance.
struct JointTerm<'a> {
    term: Term<'a>,
    /// The term between two samples that have nothing to do with each other.
    usual: f64,
    /// The samples that the view came without.
    absent: Option<&'a [bool]>,
}

impl<'a> JointTerm<'a> {
    /// `usual` is also the distance from samples of which the view has nothing but zeros.
    fn new(prepared: &'a PreparedView, weighting: Weighting, usual: f64) -> Self {
        let ViewFacts { missing, incomplete, .. } = &prepared.facts;
        let absent = incomplete.then_some(missing.as_slice());
        let neutral = if *incomplete { 0.0 } else { usual };
        let missing = (!missing.is_empty()).then_some(UnknownSamples { samples: missing, neutral });
        let term = Term { view: &prepared.view, metric: DistanceMetric::Euclidean, weighting, missing };
        Self { term, usual, absent }
    }

    /// What is not known of a pair counts as one usual view.
    fn prior(terms: &[Self]) -> f64 {
        terms.iter().map(|term| term.usual).sum::<f64>() / terms.len() as f64
    }

    /// What pairs share, when a view lacks samples.
    fn shared(terms: &[Self], n: usize) -> Option<Shared> {
        terms.iter().any(|term| term.absent.is_some()).then(|| {
            let views: Vec<(f64, Option<&[bool]>)> = terms.iter().map(|term| (term.usual, term.absent)).collect();
            Shared::new(n, &views, Self::prior(terms))
        })
    }
}

/// The samples that a view knows.
struct KnownSamples<'a> {
    view: Cow<'a, View>,
    /// Their numbers.
    present: Vec<usize>,
    /// The mean squared distance of two of them.
    mean: f64,
}

impl<'a> KnownSamples<'a> {
    /// None without spread.
    fn of(prepared: &'a PreparedView) -> Option<Self> {
        let n = prepared.view.data.rows();
        let present: Vec<usize> = (0..n).filter(|&i| prepared.facts.knows(i)).collect();
        if present.len() < 3 {
            return None;
        }
        let view = if present.len() == n {
            Cow::Borrowed(&prepared.view)
        } else {
            Cow::Owned(prepared.view.with_data(prepared.view.data.select_rows(&present)))
        };
        let mean = mean_square_distance(&view.data);
        (mean > 0.0).then_some(Self { view, present, mean })
    }
}

impl ViewNeighbours {
    /// The distance to the neighbour that sets a sample's scale, of `samples` in all; 1 for those that the view does not know (never
    /// used).
    fn scales(&self, neighbour: usize, samples: usize) -> Vec<f64> {
        scales_of(samples, &self.present, self.found.local_scales(neighbour, least_scale(self.mean)))
    }

    /// How far the samples are from each other.
    pub(super) fn spread(&self, samples: usize) -> Spread {
        Spread::new(samples, &self.present, self.mean, &self.found)
    }
}

/// Lists without any information: the samples in the order of their numbers, all at the same distance.
fn placeholder_neighbours(n: usize, count: usize) -> Result<Neighbours> {
    let count = count.min(n.saturating_sub(1));
    let samples = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).take(count).map(|j| j as u32)).collect();
    Neighbours::new(n, count, n, samples, vec![0.0; n * count])
}
