//! How far a bench is: a bar with the time left for a person, a line per run for a log.

use std::io::IsTerminal;

use consilience::metrics::Metric;
use consilience::printable;
use consilience_experiments::condition::Condition;
use consilience_experiments::runner::Standing;
use consilience_experiments::store::{Outcome, RunEntry};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{duration, is_quiet, percent, say};

pub(crate) struct BenchProgress {
    bar: Option<ProgressBar>,
}

impl BenchProgress {
    pub(crate) fn new(runs: usize) -> Self {
        let bar = (std::io::stderr().is_terminal() && !is_quiet()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("[{bar:30}] {pos}/{len} runs  {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { bar }
    }

    /// A run has ended.
    pub(crate) fn made(&self, entry: &RunEntry, standing: Standing) {
        let words = format!("{}, {} left", describe(entry), duration(standing.seconds_left));
        match &self.bar {
            Some(bar) => {
                bar.set_position(standing.made as u64);
                bar.set_message(printable(&words).into_owned());
            }
            None => say(&format!("{}/{}  {words}", standing.made, standing.total)),
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Which run it is and how it ended.
pub(crate) fn describe(entry: &RunEntry) -> String {
    let settings = entry.settings();
    let draw = settings.corruption.map_or(String::new(), |corruption| format!(", draw {}", corruption.seed));
    let condition = Condition::from(settings.corruption);
    let name = format!("{} {}, {condition}{draw}, seed {}", entry.data.name, entry.label, settings.seed);
    match &entry.outcome {
        Outcome::Done(done) => {
            let score = |metric| done.run.scores.and_then(|scores| scores.get(metric)).map_or("-".to_owned(), percent);
            format!("{name}: ACC {}, NMI {}, {:.1} s", score(Metric::Acc), score(Metric::Nmi), entry.seconds())
        }
        Outcome::Failed(failed) => format!("{name}: failed, {}", failed.failure),
    }
}
