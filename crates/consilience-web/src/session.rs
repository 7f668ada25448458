//! Questions and answers: what a page can do with the engine.

use std::sync::Arc;

use consilience::choose::KRange;
use consilience::method::REGISTRY;
use consilience::views::Missing;
use consilience::{Error, MethodInfo, Observer, Result, Run, Scale};
use consilience_io::folder;
use consilience_io::{Join, formats};
use serde::Serialize;
use serde_json::{Value, json};

use crate::asked::Asked;
use crate::finished::Finished;
use crate::told::Told;
use crate::{example, looked, placed};

/// What comes back.
#[derive(Debug)]
pub enum Answer {
    /// JSON.
    Json(String),
    /// The bytes of a file.
    File(Vec<u8>),
    /// What went wrong, as JSON: `text`, and `hint` where it is known what to do.
    Error(String),
}

/// One page and what it has asked for so far.
#[derive(Default)]
pub struct Session {
    finished: Option<Finished>,
    predictions: Option<Vec<u8>>,
}

/// The archive of a run's folder, and the table of placed samples.
const ARCHIVE: &str = "run.zip";
const PREDICTIONS: &str = "predictions.csv";

impl Session {
    /// The answer to a question, which is JSON; `observer` is told how far it is.
    pub fn answer(&mut self, question: &str, observer: Arc<dyn Observer>) -> Answer {
        let asked = serde_json::from_str::<Asked>(question);
        let asked = asked.map_err(|error| Error::data(format!("the page asked for what is not understood: {error}")));
        let run = Run::new(observer, Default::default());
        asked
            .and_then(|asked| self.dispatch(asked, &run))
            .unwrap_or_else(|error| Answer::Error(json(&Told::error(&error))))
    }

    fn dispatch(&mut self, asked: Asked, run: &Run) -> Result<Answer> {
        Ok(Answer::Json(match asked {
            Asked::About => json(&about()),
            Asked::Example => return example::files().map(|files| Answer::Json(json(&files))),
            Asked::Look { inputs } => json(&looked::look(&inputs)),
            Asked::Fit(fit) => {
                // two runs at once are too much for one memory
                (self.finished, self.predictions) = (None, None);
                let finished = Finished::fit(&fit, run)?;
                let told = json(&finished.told());
                self.finished = Some(finished);
                told
            }
            Asked::Examine { about } => {
                self.finished()?.examine(about.as_deref(), run)?;
                json(&Value::Null)
            }
            Asked::Cut { clusters } => json(&self.finished()?.record().tree.cut(clusters)?),
            Asked::Place { inputs, model } => {
                let placed = match &model {
                    Some(file) => placed::place(&inputs, &placed::opened(file)?, run)?,
                    None => placed::place(&inputs, self.finished()?.model()?, run)?,
                };
                self.predictions = Some(placed.table);
                json(&placed.told)
            }
            Asked::File { name } => return self.file(&name).map(Answer::File),
        }))
    }

    fn finished(&mut self) -> Result<&mut Finished> {
        self.finished.as_mut().ok_or_else(|| Error::data("nothing has been clustered yet"))
    }

    fn file(&mut self, name: &str) -> Result<Vec<u8>> {
        match name {
            PREDICTIONS => self.predictions.clone().ok_or_else(|| Error::data("no samples have been placed yet")),
            ARCHIVE => self.finished()?.zipped(),
            folder::LABELS => self.finished()?.labels(),
            folder::MODEL => consilience_io::model::to_bytes(self.finished()?.model()?),
            folder::REPORT_PAGE => self.finished()?.page(),
            folder::REPORT_DATA => self.finished()?.document(),
            _ => Err(Error::data(format!("there is no file `{name}`"))),
        }
    }
}

/// What there is to choose from.
fn about() -> Value {
    let methods: Vec<_> = REGISTRY.iter().map(MethodInfo::describe).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "formats": formats().collect::<Vec<_>>(),
        "clusters": KRange::Auto,
        "join": choices(Join::ALL, Join::name, Join::doc),
        "missing": choices(Missing::ALL, Missing::name, Missing::doc),
        "scale": choices(Scale::ALL, Scale::name, Scale::doc),
        "methods": methods,
        "report_policy": consilience_report::content_policy(),
    })
}

fn choices<T: Copy>(all: &[T], name: fn(T) -> &'static str, doc: fn(T) -> &'static str) -> Vec<Value> {
    all.iter().map(|&choice| json!({ "name": name(choice), "doc": doc(choice) })).collect()
}

/// JSON of what can always be written as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"text\":\"no answer can be written: {error:?}\"}}"))
}
