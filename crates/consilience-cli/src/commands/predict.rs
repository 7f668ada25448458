//! `consilience predict`: the clusters of new samples.

use std::path::Path;
use std::sync::Arc;

use consilience::data::{Inputs, check_writable, write_atomically};
use consilience::model::{Model, Prediction};
use consilience::run::folder;
use consilience::{Error, Result, Run};
use serde::Serialize;

use crate::args::PredictOptions;
use crate::interrupt::{on_interrupt, reading};
use crate::output::{print_json, say, say_notes};
use crate::progress::Progress;

/// What is told of every new sample.
#[derive(Serialize)]
struct Placed<'a> {
    ids: Option<&'a [String]>,
    labels: &'a [usize],
    confidence: &'a [f64],
    distance: &'a [f64],
    unlike: &'a [bool],
}

pub(crate) fn run(options: &PredictOptions) -> Result<()> {
    let cancel = on_interrupt();
    let model = Model::load(&folder::model_file(&options.model)?)?;
    let inputs = Inputs { views: options.views.clone(), join: options.join, ..options.input.inputs() };
    if let Some(path) = &options.output {
        check_writable(path, options.force, &inputs.paths())?;
    }
    let input = reading(|| inputs.load())?;
    say_notes(&input.notes);
    let (views, taken) = model.recognise(&input.views)?;
    taken.iter().for_each(|note| say(&format!("note: {note}")));
    let progress = Arc::new(Progress::new());
    let watch = Run::new(progress.clone(), cancel);
    let found = model.predict(&views, &watch);
    progress.finish();
    let found = found?;
    summarise(&found);
    let placed = Placed {
        ids: input.ids.as_deref(),
        labels: &found.labels,
        confidence: &found.confidence,
        distance: &found.distance,
        unlike: &found.unlike,
    };
    match &options.output {
        _ if options.json => print_json(&placed),
        None => {
            let written = found.write_csv(&mut std::io::stdout().lock(), input.ids.as_deref());
            written.map_err(|source| Error::writing(Path::new("stdout"), source))
        }
        Some(path) => {
            write_atomically(path, |file| found.write_csv(file, input.ids.as_deref()))?;
            say(&format!("wrote {} samples to {}", found.labels.len(), path.display()));
            Ok(())
        }
    }
}

fn summarise(found: &Prediction) {
    let unlike = found.unlike.iter().filter(|unlike| **unlike).count();
    if unlike > 0 {
        say(&format!(
            "{unlike} of {} samples are unlike anything the model was made of (`unlike` is 1): do not trust their labels",
            found.unlike.len()
        ));
    }
    for warning in &found.warnings {
        say(&format!("warning: {warning}"));
    }
}
