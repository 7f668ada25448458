//! `consilience predict`: the clusters of new samples, written as they come.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilience::model::{Model, Placing, Prediction};
use consilience::views::Missing;
use consilience::{Error, Result, Run, Stage};
use consilience_io::folder;
use consilience_io::model as saved;
use consilience_io::{Inputs, Piece, Pieces, PredictionTable, check_stdout, check_writable, write_atomically};
use serde::Serialize;

use crate::args::PredictOptions;
use crate::interrupt::{on_interrupt, reading};
use crate::output::{print_json, say, say_notes, stdout};
use crate::progress::Progress;

/// Files of more bytes than this are worth a word when they have to be read as a whole.
const LARGE: u64 = 256 << 20;

/// What is told of every new sample.
#[derive(Serialize, Default)]
struct Placed {
    ids: Option<Vec<String>>,
    labels: Vec<usize>,
    confidence: Vec<f64>,
    distance: Vec<f64>,
    unlike: Vec<bool>,
}

/// Where new samples come from: files that are read a piece at a time, or everything at once.
enum NewSamples {
    Pieces(Pieces),
    Whole(Option<Piece>),
}

pub(crate) fn run(options: &PredictOptions) -> Result<()> {
    let cancel = on_interrupt();
    let file = folder::model_file(&options.model)?;
    let (views, join, missing) = (options.chosen(), options.join, options.missing);
    let inputs = Inputs { views, join, missing, ..options.input.inputs() };
    let read: Vec<PathBuf> = inputs.paths().into_iter().chain([file.clone()]).collect();
    check_stdout(&read)?;
    match &options.output {
        Some(path) => check_writable(path, options.force, &read)?,
        None => drop(stdout()?),
    }
    let model = saved::load(&file)?;
    let samples = reading(|| NewSamples::open(&inputs))?;
    let progress = Arc::new(Progress::new());
    let watch = Run::new(progress.clone(), cancel);
    watch.enter(Stage::Assign);
    let mut work = Work { model: &model, placing: model.placing(), samples, seen: 0, unlike: 0, watch: &watch };
    let done = match &options.output {
        _ if options.json => work.collect().map(Some),
        None => work.write(&mut stdout()?, Path::new("stdout")).map(|()| None),
        Some(path) => work.write_file(path).map(|()| None),
    };
    progress.finish();
    let json = done?;
    work.summarise();
    if let (Some(path), seen) = (&options.output, work.seen) {
        say(&format!("wrote {seen} samples to {}", path.display()));
    }
    work.placing.warnings().iter().for_each(|warning| say(&format!("warning: {warning}")));
    json.map_or(Ok(()), |placed| print_json(&placed))
}

impl NewSamples {
    fn open(inputs: &Inputs) -> Result<Self> {
        // what is missing is filled in from all samples
        let pieces = if inputs.missing == Missing::Refuse { inputs.pieces()? } else { None };
        if let Some(pieces) = pieces {
            say_notes(&pieces.notes);
            return Ok(Self::Pieces(pieces));
        }
        let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(0, |about| about.len());
        if inputs.paths().iter().map(size).sum::<u64>() > LARGE {
            say("note: these files are read as a whole, not a piece at a time (docs/models.md says when)");
        }
        let input = inputs.load()?;
        say_notes(&input.notes);
        Ok(Self::Whole(Some(Piece { views: input.views, ids: input.ids, before: 0 })))
    }

    fn next(&mut self) -> Result<Option<Piece>> {
        match self {
            Self::Pieces(pieces) => pieces.next_piece(),
            Self::Whole(piece) => Ok(piece.take()),
        }
    }
}

/// A prediction under way.
struct Work<'a> {
    model: &'a Model,
    placing: Placing<'a>,
    samples: NewSamples,
    seen: usize,
    unlike: usize,
    watch: &'a Run,
}

impl Work<'_> {
    /// The next samples and their places.
    fn next(&mut self) -> Result<Option<(Piece, Prediction)>> {
        self.watch.check()?;
        let Some(piece) = self.samples.next()? else { return Ok(None) };
        let (views, taken) = self.model.recognise(&piece.views)?;
        if self.seen == 0 {
            taken.iter().for_each(|note| say(&format!("note: {note}")));
        }
        let found = match &self.samples {
            NewSamples::Whole(_) => self.placing.place(&views, self.watch)?,
            NewSamples::Pieces(pieces) => {
                let found = self.placing.place(&views, &self.watch.nested())?;
                let (done, total) = pieces.progress();
                self.watch.progress(done, total);
                found
            }
        };
        self.seen += found.labels.len();
        self.unlike += found.unlike.iter().filter(|unlike| **unlike).count();
        Ok(Some((piece, found)))
    }

    /// Everything as lists.
    fn collect(&mut self) -> Result<Placed> {
        let mut placed = Placed::default();
        while let Some((piece, found)) = self.next()? {
            if let Some(ids) = piece.ids {
                placed.ids.get_or_insert_default().extend(ids);
            }
            placed.labels.extend(found.labels);
            placed.confidence.extend(found.confidence);
            placed.distance.extend(found.distance);
            placed.unlike.extend(found.unlike);
        }
        Ok(placed)
    }

    /// Rows as they come.
    fn write(&mut self, to: &mut dyn Write, place: &Path) -> Result<()> {
        let failed = |source| Error::writing(place, source);
        // what is wrong with the first samples is said before anything is written
        let mut next = self.next()?;
        let mut table = PredictionTable::new(to).map_err(failed)?;
        while let Some((piece, found)) = next {
            table.write(&found, piece.ids.as_deref(), piece.before).map_err(failed)?;
            next = self.next()?;
        }
        Ok(())
    }

    /// The same into a file, which appears when it is whole.
    fn write_file(&mut self, path: &Path) -> Result<()> {
        let mut outcome = Ok(());
        let written = write_atomically(path, |file| {
            outcome = self.write(file, path);
            // an unfinished file must not take its place
            if outcome.is_ok() { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
        });
        outcome.and(written)
    }

    fn summarise(&self) {
        if self.unlike > 0 {
            say(&format!(
                "{} of {} samples are unlike anything the model was made of (`unlike` is 1): do not trust their labels",
                self.unlike, self.seen
            ));
        }
    }
}
