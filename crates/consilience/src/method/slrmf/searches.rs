//! The searches for neighbours: within every view, and by distances fused over all views. Each asks for no more of them than
//! its graph needs.

use std::borrow::Cow;

use super::prepare::{PreparedView, ViewFacts};
use crate::matrix::median;
use crate::method::Problem;
use crate::neighbours::{Distance, DistanceMetric, Missing, Neighbours, Shared, Term, Weighting, mean_square_distance};
use crate::{Result, View};

/// No local scale is below this part of the root of the mean squared distance.
const LEAST_SCALE: f64 = 1e-6;

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
    /// Within every view; none when it has no spread or no samples.
    pub(super) fn per_view(
        &self,
        known: Vec<Option<KnownSamples<'_>>>,
        count: usize,
    ) -> Result<Vec<Option<ViewNeighbours>>> {
        let within = |known: KnownSamples<'_>| {
            let distance = Distance::within(&known.view, DistanceMetric::Euclidean);
            let count = count.max(self.local_neighbour);
            let found = self.problem.neighbours.search(&distance, count, self.problem.run)?;
            Ok(ViewNeighbours { found, present: known.present, mean: known.mean })
        };
        known.into_iter().map(|known| known.map(within).transpose()).collect()
    }

    /// By the mean of the views' squared distances, each divided by its mean.
    pub(super) fn mean_scaled(
        &self,
        views: &[PreparedView],
        known: &[Option<KnownSamples<'_>>],
        count: usize,
    ) -> Result<Neighbours> {
        let terms = views.iter().zip(known).zip(&self.weights).map(|((prepared, known), &weight)| {
            let known = known.as_ref().filter(|_| weight > 0.0)?;
            Some(JointTerm::new(prepared, Weighting::Uniform(weight / known.mean), weight))
        });
        self.joint(terms.collect(), count)
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
            let mut scales = local_scales(prepared, list, self.local_neighbour);
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
        self.joint(terms.collect(), count)
    }

    /// Views without a term add the same to every distance: no order changes, and none is measured. Where views lack samples,
    /// distances are means over what a pair shares.
    fn joint(&self, terms: Vec<Option<JointTerm<'_>>>, count: usize) -> Result<Neighbours> {
        let (views, n) = (terms.len() as f64, self.problem.views.samples());
        let constant: f64 = terms.iter().zip(&self.weights).filter(|(term, _)| term.is_none()).map(|(_, w)| w).sum();
        let terms: Vec<JointTerm<'_>> = terms.into_iter().flatten().collect();
        if terms.is_empty() {
            return Ok(placeholder_neighbours(n, count)?.map_distances(|d| (d + constant) / views));
        }
        let shared = JointTerm::shared(&terms, n);
        let usual: f64 = terms.iter().map(|term| term.usual).sum();
        let prior = shared.as_ref().map_or(0.0, |_| JointTerm::prior(&terms));
        let distance = Distance::of(terms.into_iter().map(|term| term.term).collect()).over_shared(shared);
        let incomplete = distance.shared().is_some();
        let found = self.problem.neighbours.search(&distance, count, self.problem.run)?;
        // the mean over what is shared has no scale: in that of the sum, a pair that shares everything is as far as it was
        let sum = |d: f64| if incomplete { d * (usual + prior) - prior } else { d };
        Ok(found.map_distances(|d| (sum(d) + constant) / views))
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
        let missing = (!missing.is_empty()).then_some(Missing { samples: missing, neutral });
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
pub(super) struct KnownSamples<'a> {
    view: Cow<'a, View>,
    /// Their numbers.
    present: Vec<usize>,
    /// The mean squared distance of two of them.
    mean: f64,
}

impl<'a> KnownSamples<'a> {
    /// None without spread.
    pub(super) fn of(prepared: &'a PreparedView) -> Option<Self> {
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

/// The distance to the neighbour that sets a sample's scale; 1 for samples the view does not know (never used).
fn local_scales(prepared: &PreparedView, list: &ViewNeighbours, neighbour: usize) -> Vec<f64> {
    let mut scales = vec![1.0; prepared.view.data.rows()];
    let found = list.found.local_scales(neighbour, LEAST_SCALE * list.mean.sqrt());
    list.present.iter().zip(found).for_each(|(&sample, scale)| scales[sample] = scale);
    scales
}

/// Lists without any information: the samples in the order of their numbers, all at the same distance.
fn placeholder_neighbours(n: usize, count: usize) -> Result<Neighbours> {
    let count = count.min(n.saturating_sub(1));
    let samples = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).take(count).map(|j| j as u32)).collect();
    Neighbours::new(n, count, n, samples, vec![0.0; n * count])
}
