//! Long work with the interpreter released: another thread works, this one looks at signals and shows progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use consilience::{Cancel, Observer, Result, Run, Stage};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::to_python;
use crate::model::with_threads;

/// How long Ctrl-C waits at most before it is seen. A result is seen at once.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a stopped run is waited for, so that its memory is free again when the exception arrives.
const STOP_GRACE: Duration = Duration::from_millis(300);

const STAGES: [&str; 6] = ["scaling", "neighbours", "solving", "assigning", "examining", "choosing k"];

/// Where the run is, written by the workers and read by whoever shows it.
#[derive(Default)]
struct Position {
    stage: AtomicUsize,
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Observer for Position {
    fn stage(&self, stage: Stage) {
        let place = match stage {
            Stage::Prepare => 0,
            Stage::Graph => 1,
            Stage::Solve => 2,
            Stage::Assign => 3,
            Stage::Examine => 4,
            Stage::Choose => 5,
        };
        self.stage.store(place, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(0, Ordering::Relaxed);
    }

    fn progress(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

/// Does `work` in a thread of its own, and what it does in parallel in so many `threads` of its own: the shared ones of a parent
/// process do not exist in a forked child, which would wait for them for ever. `progress`, when given, is called with the stage and how far it is, a few times a
/// second. An exception in it, or a signal handler's (Ctrl-C), stops the work and is what the caller gets.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce(&Run) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (cancel, position) = (Cancel::default(), Arc::new(Position::default()));
    let run = Run::new(position.clone(), cancel.clone());
    let glance = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = progress else { return Ok(()) };
        let read = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        progress.call1(py, (STAGES[read(&position.stage)], read(&position.done), read(&position.total)))?;
        Ok(())
    };
    py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // nobody listens any more only when the run was stopped
            let _ = sender.send(with_threads(threads, || work(&run)));
        });
        loop {
            match receiver.recv_timeout(PAUSE) {
                Ok(result) => return result.map_err(to_python),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(stopped) = Python::attach(glance) {
                        cancel.cancel();
                        // a step that cannot be stopped ends by itself, without anybody waiting for it
                        let _ = receiver.recv_timeout(STOP_GRACE);
                        return Err(stopped);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("consilience failed inside; please report it with the data"));
                }
            }
        }
    })
}
