//! What became of a published number, and why that is believed to be.

use std::path::Path;

use consilience::Result;
use serde::Deserialize;

use crate::Metric;
use crate::paper::PaperCell;
use crate::plan::Source;
use crate::summary::{Cell, Estimate};

/// What is believed about the numbers, and how they are judged: `experiments/reasons.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// What the page says first.
    pub(crate) introduction: String,
    /// The condition that is judged.
    pub(crate) condition: String,
    /// The condition that is shown beside it.
    pub(crate) beside: String,
    /// Points of difference up to which a number is reproduced.
    pub(crate) tolerance: f64,
    /// The command that makes the results.
    pub(crate) command: String,
    /// The paper's data sets, in order.
    pub(crate) set: Vec<SetText>,
    /// Why numbers differ.
    #[serde(default)]
    reason: Vec<Reason>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetText {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    set: Option<String>,
    method: Option<String>,
    metric: Option<String>,
    verdict: Option<String>,
    text: String,
}

/// What became of a published number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is within the tolerance, or within a standard deviation of ours.
    Reproduced,
    /// Ours is higher.
    Exceeded,
    /// Ours is lower.
    NotReproduced,
    /// The data could not be had.
    NotAvailable,
    /// Every run failed.
    Failed,
    /// There is no run.
    NotRun,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Exceeded => "exceeded",
            Self::NotReproduced => "not reproduced",
            Self::NotAvailable => "data not available",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        }
    }
}

impl Reasons {
    /// Reads the file.
    ///
    /// # Errors
    /// With the line of what is not understood.
    pub fn read(path: &Path) -> Result<Self> {
        Source::read(path)?.parse()
    }

    /// The reason that says most about a cell: those that name more come first.
    pub(crate) fn of(&self, cell: &PaperCell, verdict: Verdict) -> Option<&str> {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        let named = |reason: &&Reason| {
            [&reason.set, &reason.method, &reason.metric, &reason.verdict].iter().filter(|name| name.is_some()).count()
        };
        let fitting = self.reason.iter().filter(|reason| {
            fits(&reason.set, &cell.set)
                && fits(&reason.method, &cell.method)
                && fits(&reason.metric, &cell.metric)
                && fits(&reason.verdict, verdict.words())
        });
        fitting.rev().max_by_key(named).map(|reason| reason.text.as_str())
    }
}

/// The verdict on a number in %, given ours.
pub(crate) fn verdict(paper: f64, ours: Option<&Cell>, metric: Metric, tolerance: f64) -> Verdict {
    let Some(cell) = ours else { return Verdict::NotRun };
    let Some(Estimate { mean, spread, .. }) = cell.estimate(metric) else {
        return if cell.absent.is_some() { Verdict::NotAvailable } else { Verdict::Failed };
    };
    let difference = 100.0 * mean - paper;
    if difference.abs() <= tolerance.max(100.0 * spread.unwrap_or(0.0)) {
        Verdict::Reproduced
    } else if difference > 0.0 {
        Verdict::Exceeded
    } else {
        Verdict::NotReproduced
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Scores;

    fn cell(scores: &[f64]) -> Cell {
        let run = |acc: &f64| vec![Scores { acc: *acc, nmi: 0.0, ari: 0.0, purity: 0.0, fscore: 0.0 }];
        let draws: BTreeMap<u64, Vec<Scores>> = (0..).zip(scores.iter().map(run)).collect();
        Cell { draws, ..Cell::default() }
    }

    #[test]
    fn verdicts_by_hand() {
        let judge = |paper: f64, cell: Option<&Cell>| verdict(paper, cell, Metric::Acc, 2.0);
        let steady = cell(&[0.80, 0.80]);
        assert_eq!(judge(81.9, Some(&steady)), Verdict::Reproduced);
        assert_eq!(judge(82.1, Some(&steady)), Verdict::NotReproduced);
        assert_eq!(judge(77.9, Some(&steady)), Verdict::Exceeded);
        // mean 80, deviation 14.1: within it
        assert_eq!(judge(90.0, Some(&cell(&[0.70, 0.90]))), Verdict::Reproduced);
        assert_eq!(judge(90.0, None), Verdict::NotRun);
        assert_eq!(judge(90.0, Some(&Cell { absent: Some("x".into()), ..Cell::default() })), Verdict::NotAvailable);
        assert_eq!(judge(90.0, Some(&Cell { failures: vec!["x".into()], ..Cell::default() })), Verdict::Failed);
    }

    #[test]
    fn the_reason_that_names_most_is_given() {
        let text = "introduction = \"\"\ncondition = \"clean\"\nbeside = \"clean\"\ntolerance = 2.0\ncommand = \"\"\nset = []\n\
                    [[reason]]\nset = \"digits\"\ntext = \"a\"\n[[reason]]\nset = \"digits\"\nverdict = \"exceeded\"\ntext = \"b\"\n";
        let reasons: Reasons = toml::from_str(text).unwrap();
        let cell = |set: &str| PaperCell {
            metric: "acc".into(),
            set: set.into(),
            method: "mfmsc".into(),
            name: "MFMSC".into(),
            value: "43.81".into(),
        };
        assert_eq!(reasons.of(&cell("digits"), Verdict::Exceeded), Some("b"));
        assert_eq!(reasons.of(&cell("digits"), Verdict::NotReproduced), Some("a"));
        assert_eq!(reasons.of(&cell("awa"), Verdict::Exceeded), None);
    }
}
