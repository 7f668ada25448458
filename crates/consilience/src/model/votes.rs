//! The place of a new sample: the weighted mean of where its neighbours lie, by both joint distances and within every view,
//! and the nearest centre.

use rayon::prelude::*;

use super::Model;
use super::known::{Known, New, nth};
use crate::graph::adaptive_weights;
use crate::neighbours::{Distance, FAR_NEIGHBOUR, Neighbours, Ready, Spread, Squares, Term};
use crate::spectral::nearest_centre;
use crate::{Result, Run};

/// Neighbours whose places are averaged; one more sets where their weights end.
const NEIGHBOURS: usize = 10;
/// A sample at this distance, in means, from a reference sample is that sample.
const SAME: f64 = 1e-12;

/// Where a sample belongs.
pub(super) struct Place {
    pub(super) label: usize,
    /// None when no view says anything of the sample.
    pub(super) confidence: Option<f64>,
    /// By view, how far the sample is from what the view knows; 0 in views that do not know the sample.
    pub(super) far: Vec<f64>,
    pub(super) position: Vec<f64>,
    /// What the neighbours say, by cluster.
    pub(super) votes: Vec<f64>,
}

/// What the neighbours of a sample say.
struct Votes {
    position: Vec<f64>,
    /// By cluster.
    weights: Vec<f64>,
}

/// Reference samples that new ones are compared with: in every view that says something, and the products' side of it.
pub(super) struct Beside<'a> {
    pub(super) known: &'a [Known<'a>],
    ready: Vec<Ready<'a>>,
    /// Which of the reference samples they are; none: all.
    members: Option<&'a [usize]>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(known: &'a [Known<'a>], members: Option<&'a [usize]>) -> Self {
        Self { known, ready: known.par_iter().map(|known| Ready::new(&known.view)).collect(), members }
    }

    /// The places of `count` new samples.
    pub(super) fn places(&self, model: &Model, new: &[New], count: usize, run: &Run) -> Result<Vec<Place>> {
        let most = Squares::most(&self.ready);
        let some = |part: usize| {
            run.check()?;
            let rows: Vec<usize> = (part * most..count.min((part + 1) * most)).collect();
            let new: Vec<New> = new.iter().map(|new| new.select(&rows)).collect();
            self.places_of_few(model, &new, rows.len())
        };
        let places: Vec<Vec<Place>> = (0..count.div_ceil(most)).into_par_iter().map(some).collect::<Result<_>>()?;
        Ok(places.into_iter().flatten().collect())
    }

    fn places_of_few(&self, model: &Model, new: &[New], count: usize) -> Result<Vec<Place>> {
        let squares = Squares::new(new.iter().map(|new| &new.view).collect(), &self.ready)?;
        let views: Vec<(&Known<'_>, &New)> = self.known.iter().zip(new).collect();
        let search = |(at, (known, new)): (usize, &(&Known<'_>, &New))| {
            let (of_new, of_known) = known.own(new);
            let most = Spread::LOCAL_NEIGHBOUR.max(NEIGHBOURS + 1).min(known.present());
            squares.nearest(&[at], &Distance::of(vec![of_new]), &Distance::of(vec![of_known]), most)
        };
        let own: Vec<Neighbours> = views.iter().enumerate().map(search).collect::<Result<_>>()?;
        let joint = Joint::search(&views, &own, &squares)?;
        let sample = |number: &u32| self.members.map_or(*number as usize, |members| members[*number as usize]);
        let place = |i: usize| {
            let mut votes =
                Votes { position: vec![0.0; model.embedding.cols()], weights: vec![0.0; model.centres.rows()] };
            joint.vote(i, |samples, distances| votes.add(model, samples.iter().map(sample), distances, 0.5));
            let mut far = vec![0.0; views.len()];
            for (at, ((known, new), own)) in views.iter().zip(&own).enumerate() {
                if new.missing[i] {
                    continue;
                }
                far[at] = (nth(own, i, FAR_NEIGHBOUR) / known.spread.usual.max(f64::MIN_POSITIVE)).sqrt();
                if !joint.is_known(i) {
                    let (samples, distances) = own.of(i);
                    votes.add(model, samples.iter().map(sample), distances, known.reference.weight);
                }
            }
            votes.decide(model, far)
        };
        Ok((0..count).map(place).collect())
    }
}

impl Votes {
    /// Adds the mean place of the neighbours, weighted by how near they are.
    fn add(&mut self, model: &Model, samples: impl Iterator<Item = usize>, distances: &[f64], weight: f64) {
        let few = distances.len().min(NEIGHBOURS + 1);
        let weights = adaptive_weights(&distances[..few]);
        for (sample, share) in samples.zip(weights) {
            let part = weight * share;
            self.weights[model.labels[sample]] += part;
            self.position.iter_mut().zip(model.embedding.row(sample)).for_each(|(sum, x)| *sum += part * x);
        }
    }

    fn decide(mut self, model: &Model, far: Vec<f64>) -> Place {
        let total: f64 = self.weights.iter().sum();
        if total > 0.0 {
            self.position.iter_mut().for_each(|x| *x /= total);
        }
        let label = nearest_centre(&model.centres, &self.position);
        let confidence = (total > 0.0).then(|| self.weights[label] / total);
        Place { label, confidence, far, position: self.position, votes: self.weights }
    }
}

/// The neighbours by both joint distances.
struct Joint {
    by_mean: Option<Neighbours>,
    by_scales: Option<Neighbours>,
}

impl Joint {
    fn search(views: &[(&Known<'_>, &New)], own: &[Neighbours], squares: &Squares<'_, '_>) -> Result<Self> {
        if views.is_empty() {
            return Ok(Self { by_mean: None, by_scales: None });
        }
        let all: Vec<usize> = (0..views.len()).collect();
        let nearest = |(new, known): (Vec<Term<'_>>, Vec<Term<'_>>)| {
            squares.nearest(&all, &Distance::of(new), &Distance::of(known), NEIGHBOURS + 1).map(Some)
        };
        let by_mean = nearest(views.iter().map(|(known, new)| known.by_mean(new)).unzip())?;
        let by_scales = nearest(views.iter().zip(own).map(|((known, new), own)| known.by_scales(new, own)).unzip())?;
        Ok(Self { by_mean, by_scales })
    }

    /// Whether a sample is one of the reference's: it then lies where that one does.
    fn is_known(&self, i: usize) -> bool {
        self.by_mean.as_ref().is_some_and(|found| found.of(i).1.first().is_some_and(|d| *d <= SAME))
    }

    /// Hands over the neighbours of a sample by each distance; of one that is known itself, those that are the same.
    fn vote(&self, i: usize, mut add: impl FnMut(&[u32], &[f64])) {
        let known = self.is_known(i);
        for found in [&self.by_mean, &self.by_scales].into_iter().flatten() {
            let (samples, distances) = found.of(i);
            let same = if known { distances.iter().take_while(|d| **d <= SAME).count() } else { distances.len() };
            add(samples, &distances[..same]);
        }
    }
}
