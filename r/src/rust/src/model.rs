//! Models: what a fit leaves for new samples, in R's hands.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use consilience::matrix::Dense;
use consilience::model::{Draft, Model, Prediction};
use consilience::views::{Missing, Resolved};
use consilience::{Result, Run, Views};
use consilience_io::folder::model_file;
use consilience_io::model as saved;
use extendr_api::prelude::*;
use serde_json::json;

use crate::arguments::ids;
use crate::error::{answered, of_r};
use crate::job::begin;
use crate::matrices::{to_matrix, views};
use crate::messages::{important, told};
use crate::values::{count, field, of_json, text, to_labels};

/// A model, or what becomes one when it is first needed.
enum State {
    Draft(Box<Draft>),
    Ready(Arc<Model>),
}

/// What places new samples. Its distances are measured once, by whoever needs them first.
#[derive(Clone)]
pub(crate) struct Held(Arc<Mutex<State>>);

impl From<Draft> for Held {
    fn from(draft: Draft) -> Self {
        Self(Arc::new(Mutex::new(State::Draft(Box::new(draft)))))
    }
}

impl Held {
    /// The model, measured where it is not yet. A clone of a draft shares its numbers: a measurement that is stopped leaves it as it
    /// was.
    fn ready(&self, run: &Run) -> Result<Arc<Model>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match &*state {
            State::Ready(model) => return Ok(Arc::clone(model)),
            State::Draft(draft) => Arc::new((**draft).clone().measured(run)?),
        };
        *state = State::Ready(Arc::clone(&model));
        Ok(model)
    }
}

fn held(given: &Robj) -> Result<Held> {
    let held: ExternalPtr<Held> = given.clone().try_into().map_err(of_r)?;
    Ok(held.as_ref().clone())
}

/// Whether the pointer still leads to a model: after `readRDS` it leads nowhere.
#[extendr]
fn model_is_there(given: Robj) -> bool {
    ExternalPtr::<Held>::try_from(given).is_ok_and(|held| held.try_addr().is_ok())
}

/// Begins to find where new samples belong. Those that are left out because values are missing have no label.
#[extendr]
fn predict(model: Robj, given: List, arguments: List) -> Robj {
    answered(|| {
        let (held, (views, _)) = (held(&model)?, views(&given)?);
        let missing: Missing = text(&field(&arguments, "missing")?)?.parse()?;
        Ok(begin(count(&field(&arguments, "threads")?).unwrap_or(0), move |run| {
            let model = held.ready(run)?;
            let samples = views.first().map_or(0, |view| view.data.rows());
            let Resolved { views, kept, notes, .. } = match missing {
                // the features are those of the fit, and none can be left out
                Missing::DropFeatures => Missing::Refuse.resolve(views)?,
                _ => missing.resolve(views)?,
            };
            let (views, mut said) = model.recognise(&Views::new(views)?)?;
            let found = model.predict(&views, run)?;
            let (width, kept) = (model.embedding().cols(), kept.map(|kept| (kept, samples)));
            said.sort();
            Ok(Box::new(move || {
                let found = kept.map_or(found.clone(), |(kept, samples)| among(&found, &kept, samples, width));
                Ok(list!(found = placed(found, width)?, notes = important(&notes)?, taken = said).into())
            }))
        }))
    })
}

/// No cluster, as a label.
const NOWHERE: usize = usize::MAX;

/// What was found of the samples that were `kept`, among all of them: nothing is known of the others.
fn among(found: &Prediction, kept: &[usize], samples: usize, width: usize) -> Prediction {
    let clusters = found.memberships.len() / found.labels.len().max(1);
    let mut all = found.clone();
    all.labels = vec![NOWHERE; samples];
    all.confidence = vec![f64::NAN; samples];
    all.memberships = vec![f64::NAN; samples * clusters];
    all.distance = vec![f64::NAN; samples];
    all.unlike = vec![true; samples];
    all.positions = vec![f64::NAN; samples * width];
    for (i, &at) in kept.iter().enumerate() {
        all.labels[at] = found.labels[i];
        all.confidence[at] = found.confidence[i];
        let row = &found.memberships[i * clusters..(i + 1) * clusters];
        all.memberships[at * clusters..(at + 1) * clusters].copy_from_slice(row);
        all.distance[at] = found.distance[i];
        all.unlike[at] = found.unlike[i];
        all.positions[at * width..(at + 1) * width].copy_from_slice(&found.positions[i * width..(i + 1) * width]);
    }
    all
}

fn placed(found: Prediction, width: usize) -> Result<Robj> {
    let samples = found.labels.len();
    let clusters = found.memberships.len() / samples.max(1);
    Ok(list!(
        labels = to_labels(&found.labels),
        memberships = to_matrix(&Dense::new(samples, clusters, found.memberships)?),
        confidence = found.confidence,
        distance = found.distance,
        unlike = found.unlike,
        embedding = to_matrix(&Dense::new(samples, width, found.positions)?),
        warnings = told(&found.warnings)?
    )
    .into())
}

/// Begins to write the model's file, under these ids, whole or not at all.
#[extendr]
fn model_save(model: Robj, arguments: List) -> Robj {
    answered(|| {
        let (held, ids, path) = (held(&model)?, ids(&arguments)?, PathBuf::from(text(&field(&arguments, "path")?)?));
        Ok(begin(count(&field(&arguments, "threads")?).unwrap_or(0), move |run| {
            let model = (*held.ready(run)?).clone().with_ids(ids)?;
            model.check_predicts()?;
            saved::save(&model, &path)?;
            Ok(Box::new(|| Ok(true.into())))
        }))
    })
}

/// Begins to read a model from its file, or from the folder of its run.
#[extendr]
fn model_load(path: &str) -> Robj {
    let path = PathBuf::from(path);
    begin(0, move |_| {
        let model = saved::load(&model_file(&path)?)?;
        Ok(Box::new(move || facts(model)))
    })
}

/// What the file says of the fit.
fn facts(model: Model) -> Result<Robj> {
    let view = |(view, weight): (&consilience::View, f64)| json!({ "name": view.name, "d": view.data.cols(), "weight": weight, "features": view.features });
    let views = serde_json::Value::Array(model.views().map(view).collect());
    let ids = model.ids().map_or(Robj::from(()), |ids| Robj::from(ids.to_vec()));
    Ok(list!(
        settings = of_json(&json!(model.settings()))?,
        version = model.version(),
        views = of_json(&views)?,
        labels = to_labels(model.labels()),
        ids = ids,
        clusters = model.clusters() as f64,
        embedding = to_matrix(model.embedding()),
        model = Robj::from(ExternalPtr::new(Held(Arc::new(Mutex::new(State::Ready(Arc::new(model)))))))
    )
    .into())
}

extendr_module! {
    mod model;
    fn model_is_there;
    fn predict;
    fn model_save;
    fn model_load;
}
