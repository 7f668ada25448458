//! The parent's side: children for the jobs, limits kept, results written down as they come.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use consilience::metrics::Metric;
use consilience::{Cancel, Error, Result};

use crate::child;
use crate::job::Job;
use crate::row::{DONE, FAILED, Row, rounded};
use crate::store::Store;
use crate::worker::{Order, Outcome};

/// How runs are made.
pub(crate) struct Runner {
    /// The program whose hidden command `bench-worker` does a run.
    pub(crate) program: PathBuf,
    /// Runs at the same time.
    pub(crate) jobs: usize,
    /// Threads of each.
    pub(crate) threads: usize,
    /// Raised to stop: children are ended, what is written stays.
    pub(crate) cancel: Cancel,
}

impl Runner {
    /// Makes the runs and writes each down when it ends. `watch` hears of each.
    ///
    /// # Errors
    /// [`Error::Cancelled`], or when a result cannot be written. A run that fails is no error.
    pub(crate) fn run(&self, jobs: Vec<Job>, store: &mut Store, mut watch: impl FnMut(&Row)) -> Result<()> {
        let processes = self.jobs.clamp(1, jobs.len().max(1));
        let queue = Mutex::new(VecDeque::from(jobs));
        let stop = Cancel::default();
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..processes {
                let (sender, queue, stop) = (sender.clone(), &queue, &stop);
                scope.spawn(move || self.serve(queue, stop, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for message in &receiver {
                let written = message.and_then(|row: Row| {
                    watch(&row);
                    store.append(row)
                });
                if let Err(error) = written {
                    // the first one says why; the others follow from it
                    outcome = outcome.and(Err(error));
                    stop.cancel();
                }
            }
            outcome
        })?;
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Takes jobs until there are none.
    fn serve(&self, queue: &Mutex<VecDeque<Job>>, stop: &Cancel, sender: &mpsc::Sender<Result<Row>>) {
        let halted = || stop.is_cancelled() || self.cancel.is_cancelled();
        while !halted() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(Job { row, revision, inputs, subset, settings, limits }) = next else { return };
            let order = Order { revision, inputs, subset, settings, threads: self.threads, memory: limits.memory };
            let message = match child::run(&self.program, &order, limits, &halted) {
                Ok(None) => return,
                Ok(Some(outcome)) => Ok(finished(row, &outcome)),
                Err(error) => Err(error),
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }
}

/// The line of a run that was made.
fn finished(mut row: Row, outcome: &Outcome) -> Row {
    row.set("status", if outcome.scores.is_some() { DONE } else { FAILED });
    for metric in Metric::ALL {
        let score = outcome.scores.and_then(|scores| scores.get(*metric));
        row.set_number(metric.name(), score.map(|score| rounded(score, 6)));
    }
    row.set_number("seconds", Some(rounded(outcome.seconds, 2)));
    row.set_number("peak_mb", outcome.peak_mb.map(|mb| rounded(mb, 0)));
    row.set("stop", &outcome.stop);
    row.set("version", env!("CARGO_PKG_VERSION"));
    row.set("note", &outcome.note);
    row
}
