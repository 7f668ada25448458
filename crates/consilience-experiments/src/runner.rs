//! The parent's side: children for the jobs, limits kept, results written down as they come.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use consilience::{Cancel, Error, Result};

use crate::child;
use crate::job::Planned;
use crate::store::{RunEntry, Store};
use crate::worker::Order;

/// How runs are made.
pub struct Runner {
    /// The program whose hidden command `bench-worker` does a run.
    pub program: PathBuf,
    /// Runs at the same time.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    /// Raised to stop: children are ended, what is written stays.
    pub cancel: Cancel,
}

/// How far a bench is.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// Runs made by this bench.
    pub made: usize,
    /// Runs it has to make.
    pub total: usize,
    /// Seconds left, guessed from what runs like those to come have taken.
    pub seconds_left: f64,
}

impl Runner {
    /// Makes the runs and writes each down when it ends. `watch` hears of each.
    ///
    /// # Errors
    /// [`Error::Cancelled`], or when a result cannot be written. A run that fails is no error.
    pub fn run(
        &self,
        planned: Vec<Planned>,
        store: &mut Store,
        mut watch: impl FnMut(&RunEntry, Standing),
    ) -> Result<()> {
        let total = planned.len();
        let mut time_left = TimeLeft::new(&planned, self.jobs);
        let queue = Mutex::new(VecDeque::from(planned));
        let stop = Cancel::default();
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, total.max(1)) {
                let (sender, queue, stop) = (sender.clone(), &queue, &stop);
                scope.spawn(move || self.serve(queue, stop, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for (made, message) in receiver.iter().enumerate() {
                let written = message.and_then(|entry| {
                    store.append(entry.clone())?;
                    let seconds_left = time_left.after(&entry);
                    watch(&entry, Standing { made: made + 1, total, seconds_left });
                    Ok(())
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
    fn serve(&self, queue: &Mutex<VecDeque<Planned>>, stop: &Cancel, sender: &mpsc::Sender<Result<RunEntry>>) {
        let halted = || stop.is_cancelled() || self.cancel.is_cancelled();
        while !halted() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(Planned { job, limits }) = next else { return };
            let order = Order { job, threads: self.threads, memory: limits.memory };
            let message = match child::run(&self.program, &order, limits, &halted) {
                Ok(None) => return,
                Ok(Some(outcome)) => Ok(RunEntry::new(order.job, outcome)),
                Err(error) => Err(error),
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }
}

/// What the runs to come will take: as long as the same method on the same data took so far, or as the mean of all.
struct TimeLeft {
    /// Set and method, runs made, seconds they took, runs to come.
    groups: Vec<((String, String), usize, f64, usize)>,
    jobs: usize,
}

impl TimeLeft {
    fn new(planned: &[Planned], jobs: usize) -> Self {
        let mut groups: Vec<((String, String), usize, f64, usize)> = Vec::new();
        for Planned { job, .. } in planned {
            let name = (job.data.name.clone(), job.label.clone());
            match groups.iter_mut().find(|group| group.0 == name) {
                Some(group) => group.3 += 1,
                None => groups.push((name, 0, 0.0, 1)),
            }
        }
        Self { groups, jobs: jobs.max(1) }
    }

    /// Seconds left after `entry` has come.
    fn after(&mut self, entry: &RunEntry) -> f64 {
        let name = (entry.data.name.clone(), entry.label.clone());
        if let Some(group) = self.groups.iter_mut().find(|group| group.0 == name) {
            group.1 += 1;
            group.2 += entry.seconds();
            group.3 -= 1;
        }
        let (made, spent) = self.groups.iter().fold((0, 0.0), |(made, spent), group| (made + group.1, spent + group.2));
        let usual = spent / made.max(1) as f64;
        let left = self.groups.iter().map(|(_, made, spent, to_come)| {
            let each = if *made > 0 { spent / *made as f64 } else { usual };
            each * *to_come as f64
        });
        left.sum::<f64>() / self.jobs as f64
    }
}
