//! The child's side of a run: an order in, an outcome out. A run has a process of its own so that its memory is its own,
//! a crash is one failed run, and a limit can be kept by ending it.

use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use consilience::method::Revision;
use consilience::metrics::Scores;
use consilience::record::peak_memory_mb;
use consilience::{Error, Result, Settings, cluster};
use consilience_io::Inputs;
use serde::{Deserialize, Serialize};

use crate::data;

/// What a child is told.
#[derive(Serialize, Deserialize)]
pub(crate) struct Order {
    /// The code of the bench that asks.
    pub(crate) revision: Revision,
    pub(crate) inputs: Inputs,
    pub(crate) subset: Option<PathBuf>,
    pub(crate) settings: Settings,
    /// Threads to use; the result does not depend on it.
    pub(crate) threads: usize,
    /// Most memory in bytes.
    pub(crate) memory: Option<u64>,
}

/// How a run went.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// None when it failed; the note then says why, of a run that came to an end what it warned of.
    pub(crate) scores: Option<Scores>,
    pub(crate) note: String,
    /// Wall-clock seconds.
    pub(crate) seconds: f64,
    /// Most memory that the process held, in MB.
    pub(crate) peak_mb: Option<f64>,
    /// How the iteration ended.
    pub(crate) stop: String,
}

/// The hidden command: reads an order, does the run, prints the outcome.
///
/// # Errors
/// When stdin holds no order. What goes wrong in the run is its outcome.
pub(crate) fn serve() -> Result<()> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|source| Error::reading(Path::new("stdin"), source))?;
    let order = serde_json::from_str(&line).map_err(|error| {
        let hint = "this command is for `consilience-lab bench`, not for people";
        Error::data_with_hint(format!("stdin holds no job: {error}"), hint)
    })?;
    std::thread::spawn(leave_with_parent);
    let text = serde_json::to_string(&execute(&order))
        .map_err(|error| Error::data(format!("the outcome cannot be written as JSON: {error}")))?;
    writeln!(std::io::stdout(), "{text}").map_err(|source| Error::writing(Path::new("stdout"), source))
}

/// The parent holds stdin open as long as it lives. When it is gone, nobody wants the result, and the bench that goes on
/// in its place needs the cores.
fn leave_with_parent() {
    let mut rest = Vec::new();
    // an error is an end, too
    let _ = std::io::stdin().lock().read_to_end(&mut rest);
    std::process::exit(130);
}

fn execute(order: &Order) -> Outcome {
    let started = Instant::now();
    run(order, started).unwrap_or_else(|error| Outcome {
        note: error.to_string(),
        seconds: started.elapsed().as_secs_f64(),
        peak_mb: peak_memory_mb(),
        ..Outcome::default()
    })
}

fn run(order: &Order, started: Instant) -> Result<Outcome> {
    let code = order.settings.method.info().code();
    if code != order.revision {
        // the program was built again under a running bench: its results would be kept as those of the old code
        let what = format!("the program is of revision {code}, the bench that started it of {}", order.revision);
        return Err(Error::data_with_hint(what, "start the bench again"));
    }
    let (views, truth) = data::load(&order.inputs, order.subset.as_deref())?;
    let load = started.elapsed().as_secs_f64();
    let found = cluster(&views, &order.settings.clone().threads(order.threads).memory(order.memory))?;
    let record = found.record.with_source(None, Vec::new(), load).with_truth(truth.codes())?;
    Ok(Outcome {
        scores: record.scores,
        note: record.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        seconds: record.seconds.total,
        peak_mb: record.peak_rss_mb,
        stop: record.termination.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use consilience_io::DIGITS;

    use super::*;

    /// A program that was built again under a running bench does not pass its results off as those of the old code.
    #[test]
    fn a_worker_of_other_code_refuses_the_order() {
        let settings = Settings::new(10);
        let now = settings.method.info().code();
        let inputs = Inputs { files: vec![PathBuf::from(DIGITS)], ..Inputs::default() };
        let revision = "0.7".parse().unwrap();
        let outcome = execute(&Order { revision, inputs, subset: None, settings, threads: 1, memory: None });
        assert!(outcome.scores.is_none());
        assert_eq!(outcome.note, format!("the program is of revision {now}, the bench that started it of 0.7"));
    }
}
