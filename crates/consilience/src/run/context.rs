//! A run while it lasts: who watches it, whether it must stop, where its time goes, what it has to say; and how it ended.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Instant, Warning};
use crate::{Error, Result};

/// The parts of a run that are timed and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Scaling and checking the views.
    Prepare,
    /// Choosing the number of clusters: see [`crate::choose`].
    Choose,
    /// Neighbour search and edge weights.
    Graph,
    /// The method's own work, and the eigenvectors.
    Solve,
    /// k-means on the embedding.
    Assign,
    /// Questions about the finished clustering: see [`crate::examine`].
    Examine,
}

/// Watches a run. The library never prints: a program that wants a progress bar implements this.
pub trait Observer: Send + Sync {
    /// A new part of the work has begun.
    fn stage(&self, _stage: Stage) {}

    /// `done` of about `total` steps of this part are finished.
    fn progress(&self, _done: usize, _total: usize) {}
}

/// Watches nothing.
struct Silent;

impl Observer for Silent {}

/// A flag that another thread or a signal handler raises to stop a run; clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the run to stop; it returns [`Error::Cancelled`] soon after.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Wall-clock seconds per part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Reading files; filled in by whoever read them.
    pub load: f64,
    /// Checking and scaling.
    #[serde(default)]
    pub prepare: f64,
    /// Choosing the number of clusters, where it was not given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub choose: f64,
    /// Neighbour search and edge weights.
    pub graph: f64,
    /// The method and its eigenvectors.
    pub solve: f64,
    /// k-means.
    pub assign: f64,
    /// Questions about the finished clustering.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub examine: f64,
    /// All of it.
    pub total: f64,
}

impl Seconds {
    /// Adds the times of another part of the same run.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self { load, prepare, choose, graph, solve, assign, examine, total } = other;
        self.load += load;
        self.prepare += prepare;
        self.choose += choose;
        self.graph += graph;
        self.solve += solve;
        self.assign += assign;
        self.examine += examine;
        self.total += total;
    }
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

struct Clock {
    stage: Option<(Stage, Instant)>,
    seconds: Seconds,
}

/// What a run carries along. Make one per call of [`crate::cluster_observed`].
pub struct Run {
    observer: Arc<dyn Observer>,
    cancel: Cancel,
    clock: Mutex<Clock>,
    warnings: Mutex<Vec<Warning>>,
    nested: bool,
}

impl Default for Run {
    fn default() -> Self {
        Self::cancellable(Cancel::default())
    }
}

impl Run {
    /// A run that `observer` watches and `cancel` can stop.
    pub fn new(observer: Arc<dyn Observer>, cancel: Cancel) -> Self {
        let clock = Clock { stage: None, seconds: Seconds::default() };
        Self { observer, cancel, clock: Mutex::new(clock), warnings: Mutex::default(), nested: false }
    }

    /// A run that nobody watches and `cancel` can stop.
    pub fn cancellable(cancel: Cancel) -> Self {
        Self::new(Arc::new(Silent), cancel)
    }

    /// A run inside this one, which nobody watches and the same flag stops.
    #[must_use]
    pub fn nested(&self) -> Self {
        Self { nested: true, ..Self::cancellable(self.cancel.clone()) }
    }

    /// Whether it is inside another: what is to be said of the data is said there.
    pub(crate) fn is_nested(&self) -> bool {
        self.nested
    }

    /// A run inside this one that the same observer watches and the same flag stops; its times and warnings are its own.
    pub(crate) fn inner(&self) -> Self {
        Self::new(self.observer.clone(), self.cancel.clone())
    }

    /// Begins a part: its time counts from here until the next part or the end.
    pub fn enter(&self, stage: Stage) {
        let mut clock = lock(&self.clock);
        if clock.stage.is_some_and(|(current, _)| current == stage) {
            return;
        }
        settle(&mut clock);
        clock.stage = Some((stage, Instant::now()));
        drop(clock);
        self.observer.stage(stage);
    }

    /// Ends the current part: what follows is timed elsewhere.
    pub(crate) fn leave(&self) {
        settle(&mut lock(&self.clock));
    }

    /// Tells the observer how far the current part is.
    pub fn progress(&self, done: usize, total: usize) {
        self.observer.progress(done, total);
    }

    /// Returns an error when the run must stop. Cheap: call it in every loop that can last.
    ///
    /// # Errors
    /// [`Error::Cancelled`] after [`Cancel::cancel`].
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Notes something the user should know, once.
    pub fn warn(&self, warning: Warning) {
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Whether something of this kind was noted.
    pub(crate) fn warned(&self, kind: &str) -> bool {
        lock(&self.warnings).iter().any(|warning| warning.kind() == kind)
    }

    /// Ends the last part; gives the times and the warnings.
    pub(crate) fn finish(&self) -> (Seconds, Vec<Warning>) {
        let mut clock = lock(&self.clock);
        settle(&mut clock);
        (clock.seconds, lock(&self.warnings).clone())
    }
}

/// Books the time of the current part.
fn settle(clock: &mut Clock) {
    let Some((stage, since)) = clock.stage.take() else { return };
    let spent = since.elapsed().as_secs_f64();
    let seconds = &mut clock.seconds;
    seconds.total += spent;
    match stage {
        Stage::Prepare => seconds.prepare += spent,
        Stage::Choose => seconds.choose += spent,
        Stage::Graph => seconds.graph += spent,
        Stage::Solve => seconds.solve += spent,
        Stage::Assign => seconds.assign += spent,
        Stage::Examine => seconds.examine += spent,
    }
}

/// A poisoned lock only means that another thread panicked; times and warnings are still sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How an iteration ended. Not converging is a result, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason")]
pub enum Termination {
    /// There was nothing to iterate.
    #[serde(rename = "direct")]
    Direct,
    /// The stopping rule was met.
    #[serde(rename = "converged")]
    Converged {
        /// Iterations made.
        iterations: usize,
    },
    /// As many iterations were made as labels need: more of them are not better ([`Property::Budget`](crate::method::Property::Budget)).
    #[serde(rename = "early stop")]
    EarlyStop {
        /// Iterations made.
        iterations: usize,
    },
    /// The largest allowed number of iterations was made before the stopping rule was met: a longer run could be better.
    #[serde(rename = "iteration limit")]
    IterationLimit {
        /// Iterations made.
        iterations: usize,
    },
}

impl Termination {
    /// What a loop of `iterations` ends with.
    pub fn after(iterations: usize, converged: bool) -> Self {
        if converged { Self::Converged { iterations } } else { Self::IterationLimit { iterations } }
    }

    /// Iterations made; 0 when there was nothing to iterate.
    pub fn iterations(self) -> usize {
        match self {
            Self::Direct => 0,
            Self::Converged { iterations } | Self::EarlyStop { iterations } | Self::IterationLimit { iterations } => {
                iterations
            }
        }
    }

    /// Whether the stopping rule was met, or there was none to meet, or no need to.
    pub fn is_converged(self) -> bool {
        !matches!(self, Self::IterationLimit { .. })
    }
}

/// The reason in the words of files and tables.
impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Converged { .. } => "converged",
            Self::EarlyStop { .. } => "early stop",
            Self::IterationLimit { .. } => "iteration limit",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_booked_to_parts_and_adds_up() {
        let run = Run::default();
        run.enter(Stage::Graph);
        run.enter(Stage::Solve);
        run.enter(Stage::Graph);
        let (seconds, _) = run.finish();
        let parts = seconds.load + seconds.prepare + seconds.graph + seconds.solve + seconds.assign + seconds.examine;
        assert!((parts - seconds.total).abs() < 1e-12 && seconds.graph > 0.0 && seconds.assign == 0.0);
    }

    #[test]
    fn cancelled_runs_stop_and_warnings_are_kept_once() {
        let cancel = Cancel::default();
        let run = Run::cancellable(cancel.clone());
        assert!(run.check().is_ok());
        cancel.cancel();
        assert!(matches!(run.check(), Err(Error::Cancelled)));
        let warning = Warning::not_converged("a");
        run.warn(warning.clone());
        run.warn(warning.clone());
        assert_eq!(run.finish().1, [warning]);
    }

    #[test]
    fn terminations_are_named_alike_in_json_and_in_words() {
        let early = Termination::EarlyStop { iterations: 10 };
        for end in [Termination::Direct, Termination::after(3, true), Termination::after(9, false), early] {
            let json = serde_json::to_value(end).unwrap();
            assert_eq!(json["reason"], end.to_string());
            assert_eq!(json["iterations"].as_u64().unwrap_or(0), end.iterations() as u64);
            assert_eq!(serde_json::from_value::<Termination>(json).unwrap(), end);
        }
        assert!(
            Termination::Direct.is_converged() && early.is_converged() && !Termination::after(9, false).is_converged()
        );
    }
}
