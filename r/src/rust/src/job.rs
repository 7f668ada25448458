//! Long work: another thread does it, and R asks now and then whether it is done. R itself sees Ctrl-C between two questions, and
//! shows progress; neither jumps over Rust's frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use consilience::{Cancel, Error, Observer, Result, Run, Stage};
use extendr_api::prelude::*;

use crate::error::{answered, of_r};

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

/// What was found, as what makes R's value of it: only R's own thread may.
pub(crate) type Answer = Box<dyn FnOnce() -> Result<Robj> + Send>;

/// Work that is under way. Nobody waits for one that R has forgotten: it stops.
pub(crate) struct Job {
    receiver: Receiver<Result<Answer>>,
    position: Arc<Position>,
    cancel: Cancel,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Begins `work` in so many threads of its own; 0 are all cores.
pub(crate) fn begin(threads: usize, work: impl FnOnce(&Run) -> Result<Answer> + Send + 'static) -> Robj {
    let (cancel, position) = (Cancel::default(), Arc::new(Position::default()));
    let run = Run::new(position.clone(), cancel.clone());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::data(format!("threads could not be started: {error}")));
        // nobody listens any more only when the run was stopped
        let _ = sender.send(pool.and_then(|pool| pool.install(|| work(&run))));
    });
    ExternalPtr::new(Job { receiver, position, cancel }).into()
}

fn job(given: &Robj) -> Result<ExternalPtr<Job>> {
    given.clone().try_into().map_err(of_r)
}

/// Waits so many seconds at most; NULL where the job is not done yet.
#[extendr]
fn job_wait(given: Robj, seconds: f64) -> Robj {
    answered(|| match job(&given)?.receiver.recv_timeout(Duration::from_secs_f64(seconds)) {
        Ok(result) => result.and_then(|answer| answer()),
        Err(RecvTimeoutError::Timeout) => Ok(().into()),
        Err(RecvTimeoutError::Disconnected) => {
            Err(Error::data("consilience failed inside; please report it with the data"))
        }
    })
}

/// What it is at, and how far.
#[extendr]
fn job_position(given: Robj) -> Robj {
    answered(|| {
        let job = job(&given)?;
        let read = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let position = &job.position;
        let (done, total) = (read(&position.done) as f64, read(&position.total) as f64);
        Ok(list!(stage = STAGES[read(&position.stage)], done = done, total = total).into())
    })
}

/// Stops it; a step that cannot be stopped ends by itself, without anybody waiting for it.
#[extendr]
fn job_cancel(given: Robj) -> Robj {
    answered(|| {
        job(&given)?.cancel.cancel();
        Ok(().into())
    })
}

extendr_module! {
    mod job;
    fn job_wait;
    fn job_position;
    fn job_cancel;
}
