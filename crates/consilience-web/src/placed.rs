//! New samples and their places.

use std::io::Write;
use std::path::Path;

use consilience::model::Model;
use consilience::{Error, Result, Run, Stage};
use consilience_io::{Inputs, PredictionTable, model};
use serde::Serialize;

use crate::told::{Told, told_notes};

/// A table of samples and clusters, and what is said of them.
pub(crate) struct Placed {
    pub(crate) table: Vec<u8>,
    pub(crate) told: ToldPlaces,
}

#[derive(Serialize)]
pub(crate) struct ToldPlaces {
    labels: Vec<usize>,
    unlike: usize,
    clusters: usize,
    notes: Vec<Told>,
    warnings: Vec<Told>,
}

/// The model in a file that the page was given.
pub(crate) fn opened(file: &Path) -> Result<Model> {
    #[cfg(target_family = "wasm")]
    {
        let bytes = consilience_io::held::bytes(file);
        let bytes = bytes.ok_or_else(|| Error::data(format!("there is no file `{}`", file.display())))?;
        model::from_bytes(&bytes)
    }
    #[cfg(not(target_family = "wasm"))]
    {
        model::load(file)
    }
}

pub(crate) fn place(inputs: &Inputs, model: &Model, run: &Run) -> Result<Placed> {
    let input = inputs.load()?;
    run.enter(Stage::Assign);
    let (views, taken) = model.recognise(&input.views)?;
    let mut placing = model.placing();
    let found = placing.place(&views, run)?;
    let mut table = Vec::new();
    write(&mut table, &found, input.ids.as_deref())
        .map_err(|source| Error::writing(Path::new("predictions.csv"), source))?;
    let mut notes = told_notes(&input.notes);
    notes.extend(taken.into_iter().map(|text| Told { text, hint: None }));
    let told = ToldPlaces {
        unlike: found.unlike.iter().filter(|unlike| **unlike).count(),
        labels: found.labels,
        clusters: model.clusters(),
        notes,
        warnings: placing.warnings().iter().map(Told::warning).collect(),
    };
    Ok(Placed { table, told })
}

fn write(table: &mut dyn Write, found: &consilience::model::Prediction, ids: Option<&[String]>) -> std::io::Result<()> {
    PredictionTable::new(table)?.write(found, ids, 0)
}
