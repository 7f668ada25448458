//! Places for new samples: the weighted mean of where their neighbours lie, by both joint distances and within every view,
//! and the nearest centre.

use std::io::{self, Write};

use super::Model;
use super::features::matched;
use super::reference::{FAR_NEIGHBOUR, LOCAL_NEIGHBOUR, Reference, Spread};
use crate::clustering::nearest_centre;
use crate::graph::adaptive_weights;
use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch, Neighbours, Term};
use crate::run::Warning;
use crate::{Error, Result, Run, View, Views};

/// Neighbours whose places are averaged; one more sets where their weights end.
const NEIGHBOURS: usize = 10;
/// Samples that are placed at a time: what a block needs is all that is held.
const BLOCK: usize = 2_048;
/// A sample at this distance, in means, from a reference sample is that sample.
const SAME: f64 = 1e-12;
/// A sample is unlike what the model knows when its distance is so many times that of nearly all reference samples.
const UNLIKE: f64 = 1.5;
/// A view in which so many of the new samples are unlike the reference is worth a word, when they are at least some.
const MANY_UNLIKE: f64 = 0.2;
const LEAST_FOR_WORD: usize = 5;

/// Where new samples belong.
#[derive(Debug, Clone, Default)]
pub struct Prediction {
    /// The cluster of every sample, numbered as in the fit.
    pub labels: Vec<usize>,
    /// The share of its neighbours' weight that is in the cluster, 0 to 1.
    pub confidence: Vec<f64>,
    /// How far the sample is from what the model knows, in its strangest view: 1 is as far as hardly any reference sample
    /// is from the others.
    pub distance: Vec<f64>,
    /// Whether that is too far for the label to mean anything.
    pub unlike: Vec<bool>,
    /// Where the samples lie in the embedding, row by row.
    pub positions: Vec<f64>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Prediction {
    /// Writes a table `sample,label,confidence,distance,unlike`: the id of every sample, or its number counted from 1.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_csv(&self, writer: &mut dyn Write, ids: Option<&[String]>) -> io::Result<()> {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record(["sample", "label", "confidence", "distance", "unlike"])?;
        for (i, label) in self.labels.iter().enumerate() {
            let id = ids.and_then(|ids| ids.get(i)).cloned().unwrap_or_else(|| (i + 1).to_string());
            let (confidence, distance) = (format!("{:.4}", self.confidence[i]), format!("{:.4}", self.distance[i]));
            let unlike = u8::from(self.unlike[i]).to_string();
            table.write_record([id, label.to_string(), confidence, distance, unlike])?;
        }
        table.flush()
    }
}

/// One view of a block of new samples.
struct Block<'a> {
    reference: &'a Reference,
    spread: &'a Spread,
    view: View,
    missing: Vec<bool>,
}

/// What the neighbours of a sample say.
struct Votes {
    position: Vec<f64>,
    /// By cluster.
    weights: Vec<f64>,
}

impl Model {
    /// The places of new samples. Any of the model's views may be left out, but not all; others are refused.
    ///
    /// # Errors
    /// When a view is unknown or its features are others than the fit's, or the run is cancelled.
    pub fn predict(&self, views: &Views, run: &Run) -> Result<Prediction> {
        let mut prediction = Prediction::default();
        let mut given: Vec<(&Reference, View)> = Vec::new();
        for view in views.iter() {
            let known = self.references.iter().find(|reference| reference.view.name == view.name);
            let known = known.ok_or_else(|| Error::unknown("view", &view.name, self.view_names()))?;
            given.push((known, view.with_data(matched(view, &known.view, &mut prediction.warnings)?)));
        }
        let mut unlike = vec![0; given.len()];
        for first in (0..views.samples()).step_by(BLOCK) {
            run.check()?;
            let rows: Vec<usize> = (first..(first + BLOCK).min(views.samples())).collect();
            self.place(&given, &rows, &mut prediction, &mut unlike, run)?;
            run.progress(first + rows.len(), views.samples());
        }
        for ((reference, _), count) in given.iter().zip(unlike) {
            if count >= LEAST_FOR_WORD && count as f64 > MANY_UNLIKE * views.samples() as f64 {
                let view = reference.view.name.clone();
                prediction.warnings.push(Warning::UnlikeTheModel { view, count, samples: views.samples() });
            }
        }
        Ok(prediction)
    }

    fn place(
        &self,
        given: &[(&Reference, View)],
        rows: &[usize],
        prediction: &mut Prediction,
        unlike: &mut [usize],
        run: &Run,
    ) -> Result<()> {
        let (mut votes, mut far) = (self.no_votes(rows.len()), vec![0.0_f64; rows.len()]);
        let mut blocks = Vec::new();
        let mut own_lists = Vec::new();
        for ((reference, view), unlike) in given.iter().zip(unlike) {
            let Some(spread) = &reference.spread else { continue };
            let (view, missing) = reference.prepare(&view.data.select_rows(rows))?;
            let block = Block { reference, spread, view, missing };
            let found = block.own(run)?;
            for (i, far) in far.iter_mut().enumerate().filter(|(i, _)| !block.missing[*i]) {
                let distance = (nth(&found, i, FAR_NEIGHBOUR) / spread.usual.max(f64::MIN_POSITIVE)).sqrt();
                *far = far.max(distance);
                *unlike += usize::from(distance > UNLIKE);
            }
            own_lists.push(found);
            blocks.push(block);
        }
        let joint = Joint::search(&blocks, &own_lists, run)?;
        joint.vote(self, &mut votes, 0.5);
        for (block, found) in blocks.iter().zip(&own_lists) {
            let known = block.reference.known();
            for (i, votes) in votes.iter_mut().enumerate().filter(|(i, _)| !block.missing[*i] && !joint.is_known(*i)) {
                let (samples, distances) = found.of(i);
                let samples = samples.iter().map(|&at| known[at as usize]);
                self.vote(votes, samples, distances, block.reference.weight);
            }
        }
        self.decide(votes, far, prediction)
    }

    fn no_votes(&self, samples: usize) -> Vec<Votes> {
        let clusters = self.centres.rows();
        let none = || Votes { position: vec![0.0; self.embedding.cols()], weights: vec![0.0; clusters] };
        (0..samples).map(|_| none()).collect()
    }

    /// Adds the mean place of the neighbours, weighted by how near they are.
    fn vote(&self, votes: &mut Votes, samples: impl Iterator<Item = usize>, distances: &[f64], weight: f64) {
        let few = distances.len().min(NEIGHBOURS + 1);
        let weights = adaptive_weights(&distances[..few]);
        for (sample, share) in samples.zip(weights) {
            let part = weight * share;
            votes.weights[self.labels[sample]] += part;
            votes.position.iter_mut().zip(self.embedding.row(sample)).for_each(|(sum, x)| *sum += part * x);
        }
    }

    fn decide(&self, votes: Vec<Votes>, far: Vec<f64>, prediction: &mut Prediction) -> Result<()> {
        for (Votes { mut position, weights }, far) in votes.into_iter().zip(far) {
            let total: f64 = weights.iter().sum();
            if total > 0.0 {
                position.iter_mut().for_each(|x| *x /= total);
            }
            let label = nearest_centre(&self.centres, &position);
            prediction.labels.push(label);
            prediction.confidence.push(if total > 0.0 { weights[label] / total } else { 0.0 });
            prediction.distance.push(far);
            prediction.unlike.push(far > UNLIKE || total <= 0.0);
            prediction.positions.extend_from_slice(&position);
        }
        Ok(())
    }
}

impl Block<'_> {
    /// The neighbours within the view, among the reference samples that it knows.
    fn own(&self, run: &Run) -> Result<Neighbours> {
        let known = self.reference.known_view();
        let count = LOCAL_NEIGHBOUR.max(NEIGHBOURS + 1);
        let (new, old) = (
            Distance::within(&self.view, DistanceMetric::Euclidean),
            Distance::within(&known, DistanceMetric::Euclidean),
        );
        Exact.query(&new, &old, count, run)
    }
}

/// The neighbours by both joint distances.
struct Joint {
    by_mean: Option<Neighbours>,
    by_scales: Option<Neighbours>,
}

impl Joint {
    fn search(blocks: &[Block<'_>], own: &[Neighbours], run: &Run) -> Result<Self> {
        if blocks.is_empty() {
            return Ok(Self { by_mean: None, by_scales: None });
        }
        let query = |new: Vec<Term<'_>>, old: Vec<Term<'_>>| {
            Exact.query(&Distance::of(new), &Distance::of(old), NEIGHBOURS + 1, run).map(Some)
        };
        let new = blocks.iter().map(|block| block.spread.by_mean(&block.view, &block.missing));
        let old = blocks.iter().map(|block| block.spread.by_mean(&block.reference.view, &block.reference.missing));
        let by_mean = query(new.collect(), old.collect())?;
        let new = blocks.iter().zip(own).map(|(block, found)| {
            let scale = |i: usize| block.spread.scale(nth(found, i, LOCAL_NEIGHBOUR));
            let scales = (0..block.missing.len()).map(scale).collect();
            block.spread.by_scales(&block.view, scales, &block.missing)
        });
        let old = blocks.iter().map(|block| {
            block.spread.by_scales(&block.reference.view, block.spread.scales.clone(), &block.reference.missing)
        });
        let by_scales = query(new.collect(), old.collect())?;
        Ok(Self { by_mean, by_scales })
    }

    /// Whether a sample is one of the reference's: it then lies where that one does.
    fn is_known(&self, i: usize) -> bool {
        self.by_mean.as_ref().is_some_and(|found| found.of(i).1.first().is_some_and(|d| *d <= SAME))
    }

    fn vote(&self, model: &Model, votes: &mut [Votes], weight: f64) {
        for (i, votes) in votes.iter_mut().enumerate() {
            let known = self.is_known(i);
            for found in [&self.by_mean, &self.by_scales].into_iter().flatten() {
                let (samples, distances) = found.of(i);
                let same = if known { distances.iter().take_while(|d| **d <= SAME).count() } else { distances.len() };
                let samples = samples.iter().map(|&sample| sample as usize);
                model.vote(votes, samples, &distances[..same], weight);
            }
        }
    }
}

/// The distance to the `nth` neighbour (from 1), or the last.
fn nth(found: &Neighbours, i: usize, nth: usize) -> f64 {
    let distances = found.of(i).1;
    distances.get(nth - 1).or(distances.last()).copied().unwrap_or(0.0)
}
