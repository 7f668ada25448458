//! How far a bench is: a bar with the time left for a person, a line per run for a log.

use std::io::IsTerminal;

use consilience_experiments::record::{Outcome, Record};
use consilience_experiments::runner::Standing;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{percent, say};

pub(crate) struct BenchProgress {
    bar: Option<ProgressBar>,
}

impl BenchProgress {
    pub(crate) fn new(runs: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("[{bar:30}] {pos}/{len} runs  {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { bar }
    }

    /// A run has ended.
    pub(crate) fn made(&self, record: &Record, standing: Standing) {
        let words = format!("{}, {} left", describe(record), duration(standing.seconds_left));
        match &self.bar {
            Some(bar) => {
                bar.set_position(standing.made as u64);
                bar.set_message(words);
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

fn describe(record: &Record) -> String {
    let noise = record.noise.as_ref().map_or(String::new(), |noise| format!(" {} {}", noise.mode, noise.share));
    let name = format!("{} {}{noise}, draw {}, seed {}", record.data.name, record.label, record.draw, record.seed);
    match &record.outcome {
        Outcome::Done(done) => {
            format!(
                "{name}: ACC {}, NMI {}, {:.1} s",
                percent(done.scores.acc),
                percent(done.scores.nmi),
                done.seconds.total
            )
        }
        Outcome::Failed(failed) => format!("{name}: failed, {}", failed.failure),
    }
}

/// Seconds as a person says them.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_in_one_unit() {
        assert_eq!([7.4, 600.0, 9000.0].map(duration), ["7 s", "10 min", "2.5 h"]);
    }
}
