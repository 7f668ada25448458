//! Published numbers, typed once, and what became of them: `experiments/paper-numbers.csv` and `experiments/reasons.toml`.

use std::path::Path;

use consilience::metrics::Metric;
use consilience::{Error, Result, choice};
use serde::Deserialize;

use crate::condition::Condition;
use crate::plan::Source;
use crate::summary::{MeanScore, ResultCell};

/// A cell of a published table, in %.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperCell {
    /// The score.
    pub metric: Metric,
    /// The data set, by its name in plans.
    pub set: String,
    /// The method's id.
    pub method: String,
    /// What the paper calls the method.
    pub name: String,
    /// The number as printed, in %.
    #[serde(deserialize_with = "a_number")]
    pub value: String,
}

impl PaperCell {
    /// The number.
    pub(crate) fn percent(&self) -> f64 {
        self.value.parse().unwrap_or(f64::NAN)
    }
}

/// A number as printed: its digits say how exact it is.
fn a_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.parse::<f64>() {
        Ok(_) => Ok(text),
        Err(error) => Err(serde::de::Error::custom(format!("`{text}`: {error}"))),
    }
}

/// The published numbers.
#[derive(Debug, Clone, Default)]
pub struct PaperNumbers {
    /// All cells, in the order of the file.
    pub cells: Vec<PaperCell>,
}

impl PaperNumbers {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read or a line is not understood, with its number.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
        let cells = csv::Reader::from_reader(bytes.as_slice()).into_deserialize().collect::<csv::Result<_>>();
        let cells = cells.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            Error::data(format!("{}:{line}: not a published number: {error}", path.display()))
        })?;
        Ok(Self { cells })
    }

    /// The number of a cell as printed. Only a method under its own name is the paper's.
    pub fn find(&self, metric: Metric, set: &str, label: &str) -> Option<&str> {
        let cell = self.cells.iter().find(|cell| cell.metric == metric && cell.set == set && cell.method == label);
        cell.map(|cell| cell.value.as_str())
    }
}

/// What is believed about the numbers, and how they are judged: `experiments/reasons.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// What the page says first.
    pub(crate) introduction: String,
    /// The condition that is judged.
    pub(crate) condition: Condition,
    /// The condition that is shown beside it.
    pub(crate) beside: Condition,
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
    metric: Option<Metric>,
    verdict: Option<CellVerdict>,
    text: String,
}

choice! {
    /// What became of a published number.
    pub enum CellVerdict {
        /// Ours is within the tolerance, or within a standard deviation of ours.
        Reproduced = "reproduced",
        /// Ours is higher.
        Exceeded = "exceeded",
        /// Ours is lower.
        NotReproduced = "not reproduced",
        /// The data could not be had.
        NotAvailable = "data not available",
        /// Every run failed.
        Failed = "failed",
        /// There is no run.
        NotRun = "not run",
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

    /// The verdict on a published number, given ours.
    pub(crate) fn verdict(&self, paper: &PaperCell, ours: Option<&ResultCell>) -> CellVerdict {
        let Some(cell) = ours else { return CellVerdict::NotRun };
        let Some(MeanScore { mean, spread, .. }) = cell.score(paper.metric) else {
            return if cell.absent.is_some() {
                CellVerdict::NotAvailable
            } else if cell.done() || cell.left_out.is_some() {
                CellVerdict::NotRun
            } else {
                CellVerdict::Failed
            };
        };
        let difference = 100.0 * mean - paper.percent();
        if difference.abs() <= self.tolerance.max(100.0 * spread.unwrap_or(0.0)) {
            CellVerdict::Reproduced
        } else if difference > 0.0 {
            CellVerdict::Exceeded
        } else {
            CellVerdict::NotReproduced
        }
    }

    /// The reason that says most about a cell: those that name more come first.
    pub(crate) fn of(&self, cell: &PaperCell, verdict: CellVerdict) -> Option<&str> {
        fn fits<T: PartialEq>(wanted: Option<&T>, is: &T) -> bool {
            wanted.is_none_or(|wanted| wanted == is)
        }
        let named = |reason: &&Reason| {
            let Reason { set, method, metric, verdict, .. } = reason;
            [set.is_some(), method.is_some(), metric.is_some(), verdict.is_some()]
                .iter()
                .filter(|&&named| named)
                .count()
        };
        let fitting = self.reason.iter().filter(|reason| {
            fits(reason.set.as_ref(), &cell.set)
                && fits(reason.method.as_ref(), &cell.method)
                && fits(reason.metric.as_ref(), &cell.metric)
                && fits(reason.verdict.as_ref(), &verdict)
        });
        fitting.rev().max_by_key(named).map(|reason| reason.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use consilience::metrics::Scores;

    use super::*;

    const REASONS: &str = "introduction = \"\"\ncondition = \"clean\"\nbeside = \"clean\"\ntolerance = 2.0\ncommand = \"\"\nset = []\n\
                           [[reason]]\nset = \"digits\"\ntext = \"a\"\n[[reason]]\nset = \"digits\"\nverdict = \"exceeded\"\ntext = \"b\"\n";

    fn published(set: &str, value: f64) -> PaperCell {
        let (method, name) = ("mfmsc".to_owned(), "MFMSC".to_owned());
        PaperCell { metric: Metric::Acc, set: set.to_owned(), method, name, value: value.to_string() }
    }

    fn cell(scores: &[f64]) -> ResultCell {
        let run = |acc: &f64| vec![Scores::from_iter([(Metric::Acc, *acc)])];
        ResultCell { draws: (0..).zip(scores.iter().map(run)).collect(), ..ResultCell::default() }
    }

    #[test]
    fn verdicts_by_hand() {
        let reasons: Reasons = toml::from_str(REASONS).unwrap();
        let judge = |paper: f64, cell: Option<&ResultCell>| reasons.verdict(&published("digits", paper), cell);
        let steady = cell(&[0.80, 0.80]);
        assert_eq!(judge(81.9, Some(&steady)), CellVerdict::Reproduced);
        assert_eq!(judge(82.1, Some(&steady)), CellVerdict::NotReproduced);
        assert_eq!(judge(77.9, Some(&steady)), CellVerdict::Exceeded);
        // mean 80, deviation 14.1: within it
        assert_eq!(judge(90.0, Some(&cell(&[0.70, 0.90]))), CellVerdict::Reproduced);
        assert_eq!(judge(90.0, None), CellVerdict::NotRun);
        let absent = ResultCell { absent: Some("x".into()), ..ResultCell::default() };
        assert_eq!(judge(90.0, Some(&absent)), CellVerdict::NotAvailable);
        let failed = ResultCell { failures: vec!["x".into()], ..ResultCell::default() };
        assert_eq!(judge(90.0, Some(&failed)), CellVerdict::Failed);
        let left_out = ResultCell { left_out: Some("n > 2,000".into()), ..ResultCell::default() };
        assert_eq!(judge(90.0, Some(&left_out)), CellVerdict::NotRun);
        // a run from before the metric existed is no failure
        let unknown = PaperCell { metric: Metric::Nmi, ..published("digits", 90.0) };
        assert_eq!(reasons.verdict(&unknown, Some(&steady)), CellVerdict::NotRun);
    }

    #[test]
    fn the_reason_that_names_most_is_given() {
        let reasons: Reasons = toml::from_str(REASONS).unwrap();
        let of = |set: &str, verdict| reasons.of(&published(set, 43.81), verdict);
        assert_eq!(of("digits", CellVerdict::Exceeded), Some("b"));
        assert_eq!(of("digits", CellVerdict::NotReproduced), Some("a"));
        assert_eq!(of("awa", CellVerdict::Exceeded), None);
    }
}
