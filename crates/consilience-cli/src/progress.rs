//! A progress bar on stderr: only for a person (a terminal), only for what lasts more than a second.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use consilience::{Observer, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::is_quiet;

const PATIENCE: Duration = Duration::from_secs(1);

/// Shows a bar per stage.
pub(crate) struct Progress {
    started: Instant,
    person_watches: bool,
    bar: Mutex<ProgressBar>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = Mutex::new(ProgressBar::hidden());
        Self { started: Instant::now(), person_watches: std::io::stderr().is_terminal() && !is_quiet(), bar }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.bar().finish_and_clear();
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress {
    fn stage(&self, stage: Stage) {
        if !self.person_watches {
            return;
        }
        let words = match stage {
            Stage::Prepare => "scaling",
            Stage::Choose => "choosing k",
            Stage::Graph => "neighbours",
            Stage::Solve => "solving",
            Stage::Assign => "assigning",
            Stage::Examine => "examining",
        };
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg:10} [{bar:30}] {percent:>3} %  {eta} left") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(words);
        let mut current = self.bar();
        current.finish_and_clear();
        *current = bar;
    }

    fn progress(&self, done: usize, total: usize) {
        if !self.person_watches {
            return;
        }
        let bar = self.bar();
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }
}
