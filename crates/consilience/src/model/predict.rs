//! Where new samples belong, piece by piece: what they are compared with, and what is said of them.

use rayon::prelude::*;

use super::Model;
use super::features::matched;
use super::known::Surroundings;
use super::known::{Known, New};
use super::reference::Reference;
use super::votes::{Beside, Place};
use crate::memberships::Memberships;
use crate::run::{Stage, Warning};
use crate::{Error, Result, Run, View, Views};

/// Samples that are placed at a time take at most about so many bytes, and are at least and at most so many.
const BLOCK_BYTES: usize = 32 << 20;
const BLOCK: std::ops::RangeInclusive<usize> = 256..=16_384;
/// A sample is unlike what the model knows when its distance is so many times that of nearly all reference samples.
const UNLIKE: f64 = 1.5;
/// A view in which so many of the new samples are unlike the reference is worth a word, when they are at least some.
const MANY_UNLIKE: f64 = 0.2;
const LEAST_FOR_WORD: usize = 5;

/// Where new samples belong.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Prediction {
    /// The cluster of every sample, numbered as in the fit.
    pub labels: Vec<usize>,
    /// How sure that is: the cluster's share in the sample's memberships; 0 where no view says anything of the sample.
    pub confidence: Vec<f64>,
    /// The shares of all clusters in every sample, row by row; rows sum to 1.
    pub memberships: Vec<f64>,
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

/// Places new samples piece by piece, so that nobody has to hold them all. Every piece has the same views; what is said
/// of a sample does not depend on the piece that it is in.
pub struct Placing<'m> {
    model: &'m Model,
    compared: Option<Compared<'m>>,
    /// By view, the new samples that were unlike it.
    unlike: Vec<usize>,
    samples: usize,
    warnings: Vec<Warning>,
}

/// What the samples of some views are compared with.
struct Compared<'m> {
    /// The views, in the order in which they come.
    references: Vec<&'m Reference>,
    /// Those of them that say something.
    telling: Vec<usize>,
    /// All reference samples in those.
    everything: Vec<Known<'m>>,
    /// Which of them, when there are too many to compare with all.
    cells: Option<Surroundings>,
}

impl Model {
    /// The places of new samples. Any of the model's views may be left out, but not all; others are refused.
    ///
    /// # Errors
    /// When a view is unknown or its features are others than the fit's, or the run is cancelled.
    pub fn predict(&self, views: &Views, run: &Run) -> Result<Prediction> {
        run.enter(Stage::Assign);
        let mut placing = self.placing();
        let prediction = placing.place(views, run)?;
        Ok(Prediction { warnings: placing.warnings(), ..prediction })
    }

    /// Places samples piece by piece.
    pub fn placing(&self) -> Placing<'_> {
        Placing { model: self, compared: None, unlike: Vec::new(), samples: 0, warnings: Vec::new() }
    }
}

impl<'m> Placing<'m> {
    /// The places of some samples; what the user should know of all of them is in [`Placing::warnings`].
    ///
    /// # Errors
    /// As [`Model::predict`], and when the views are not those of the pieces before.
    pub fn place(&mut self, views: &Views, run: &Run) -> Result<Prediction> {
        if self.compared.is_none() {
            self.compared = Some(Compared::new(self.model, views, run)?);
            self.unlike = vec![0; views.len()];
        }
        let (mut prediction, model) = (Prediction::default(), self.model);
        let Some(compared) = &self.compared else { return Ok(prediction) };
        let given = compared.matched(views, &mut self.warnings)?;
        let widths: usize = given.iter().map(|view| view.data.cols()).sum();
        let block = (BLOCK_BYTES / (8 * widths.max(1))).clamp(*BLOCK.start(), *BLOCK.end());
        // made once for all blocks
        let everybody = compared.cells.is_none().then(|| Beside::new(&compared.everything, None));
        for first in (0..views.samples()).step_by(block) {
            run.check()?;
            let rows: Vec<usize> = (first..(first + block).min(views.samples())).collect();
            for place in compared.places(model, everybody.as_ref(), &given, &rows, &run.nested())? {
                for (&at, &far) in compared.telling.iter().zip(&place.far) {
                    self.unlike[at] += usize::from(far > UNLIKE);
                }
                prediction.add(&place);
            }
            run.progress(first + rows.len(), views.samples());
        }
        self.samples += views.samples();
        Ok(prediction)
    }

    /// What the user should know.
    pub fn warnings(self) -> Vec<Warning> {
        let (mut warnings, samples) = (self.warnings, self.samples);
        if let Some(compared) = self.compared {
            for (reference, count) in compared.references.iter().zip(self.unlike) {
                if count >= LEAST_FOR_WORD && count as f64 > MANY_UNLIKE * samples as f64 {
                    let view = reference.view.name.clone();
                    warnings.push(Warning::UnlikeTheModel { view, count, samples });
                }
            }
        }
        warnings
    }
}

impl<'m> Compared<'m> {
    fn new(model: &'m Model, views: &Views, run: &Run) -> Result<Self> {
        model.check_predicts()?;
        let mut references: Vec<&Reference> = Vec::new();
        for view in views.iter() {
            let known = model.references.iter().find(|reference| reference.view.name == view.name);
            references.push(known.ok_or_else(|| Error::unknown("view", &view.name, model.view_names()))?);
        }
        let telling: Vec<usize> = (0..references.len()).filter(|&at| references[at].spread.is_some()).collect();
        let everything: Vec<Known<'_>> = telling.iter().filter_map(|&at| Known::of(references[at], None)).collect();
        let cells = Surroundings::of(&everything, &run.nested())?;
        Ok(Self { references, telling, everything, cells })
    }

    /// The views with the model's features in its order.
    fn matched(&self, views: &Views, warnings: &mut Vec<Warning>) -> Result<Vec<View>> {
        let same = views.iter().zip(&self.references).all(|(view, known)| view.name == known.view.name);
        if !(same && views.len() == self.references.len()) {
            return Err(Error::data("the pieces of new samples do not have the same views"));
        }
        let mut found = Vec::new();
        let view = |(view, known): (&View, &&Reference)| Ok(view.with_data(matched(view, &known.view, &mut found)?));
        let given = views.iter().zip(&self.references).map(view).collect();
        // every piece has the same to say
        found.into_iter().for_each(|warning| {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        });
        given
    }

    /// The places of the samples `rows`: beside everybody, or in groups that are compared with the same reference samples.
    fn places(
        &self,
        model: &Model,
        everybody: Option<&Beside<'_>>,
        given: &[View],
        rows: &[usize],
        run: &Run,
    ) -> Result<Vec<Place>> {
        let prepare = |&at: &usize| {
            let (view, missing) = self.references[at].prepare(&given[at].select_rows(rows))?;
            Ok(New { view, missing })
        };
        let new: Vec<New> = self.telling.par_iter().map(prepare).collect::<Result<_>>()?;
        let Some(cells) = &self.cells else {
            return everybody.map_or_else(|| Ok(Vec::new()), |beside| beside.places(model, &new, rows.len(), run));
        };
        let groups = cells.groups(&self.everything, &new, rows.len(), run)?;
        let group = |(members, rows): &(&[usize], Vec<usize>)| {
            let known: Vec<Known<'_>> =
                self.telling.iter().filter_map(|&at| Known::of(self.references[at], Some(members))).collect();
            let new: Vec<New> = new.iter().map(|new| new.select(rows)).collect();
            Beside::new(&known, Some(members)).places(model, &new, rows.len(), run)
        };
        let found: Vec<Vec<Place>> = groups.par_iter().map(group).collect::<Result<_>>()?;
        let order = groups.iter().flat_map(|(_, rows)| rows.iter().copied());
        let mut placed: Vec<(usize, Place)> = order.zip(found.into_iter().flatten()).collect();
        placed.sort_unstable_by_key(|(row, _)| *row);
        Ok(placed.into_iter().map(|(_, place)| place).collect())
    }
}

impl Prediction {
    fn add(&mut self, place: &Place) {
        let far = place.far.iter().copied().fold(0.0, f64::max);
        let mut shares = Memberships::with_room(1, place.votes.len());
        shares.push(&place.votes, place.label);
        self.confidence.push(if place.confidence.is_some() { shares.confidence()[0] } else { 0.0 });
        self.memberships.extend(shares.row(0).unwrap_or_default());
        self.labels.push(place.label);
        self.distance.push(far);
        self.unlike.push(far > UNLIKE || place.confidence.is_none());
        self.positions.extend_from_slice(&place.position);
    }
}
