//! The ledger: every cell of the paper's tables, ours beside it, and a verdict. `docs/reproduction.md` is this, printed.

use std::path::Path;

use consilience::Result;
use consilience::method::DEFAULT_METHOD;
use serde::Deserialize;

use crate::Metric;
use crate::blocks::Results;
use crate::blocks_render::headline_table;
use crate::leaderboard::{self, Ranking};
use crate::paper::{PaperCell, PaperNumbers};
use crate::plan::Source;
use crate::summary::{Cell, Estimate, Summary};
use crate::tables::markdown::grid;

/// What is believed about the numbers, and how they are judged: `experiments/reasons.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// What the page says first.
    introduction: String,
    /// The condition that is judged.
    condition: String,
    /// The condition that is shown beside it.
    beside: String,
    /// Points of difference up to which a number is reproduced.
    tolerance: f64,
    /// The command that makes the results.
    command: String,
    /// The paper's data sets, in order.
    set: Vec<SetText>,
    /// Why numbers differ.
    #[serde(default)]
    reason: Vec<Reason>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetText {
    name: String,
    title: String,
    text: String,
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
    fn of(&self, cell: &PaperCell, verdict: Verdict) -> Option<&str> {
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

/// The whole page.
///
/// # Errors
/// When committed results are damaged.
pub fn page(paper: &PaperNumbers, reasons: &Reasons, results: &mut Results) -> Result<String> {
    let mut text = format!(
        "<!-- made by `consilience reproduction`; do not edit -->\n\n# The paper's numbers, and ours\n\n{}\n",
        reasons.introduction.trim()
    );
    let summary = Summary::new(results.get("paper")?.unwrap_or_default());
    text += &account(paper, reasons, &summary);
    for metric in [Metric::Acc, Metric::Nmi] {
        text += &format!("\n## {} in %\n", metric.title());
        for set in &reasons.set {
            text += &section(paper, reasons, &summary, set, metric);
        }
    }
    text += &match results.get("leaderboard")? {
        Some(rows) => leaderboard_section(&Summary::new(rows)),
        None => "\n## Leaderboard\n\nNot run yet.\n".to_owned(),
    };
    Ok(text)
}

/// How many cells have which verdict.
fn account(paper: &PaperNumbers, reasons: &Reasons, summary: &Summary) -> String {
    let judge = |cell: &PaperCell| {
        let metric = Metric::named(&cell.metric).ok()?;
        let ours = summary.cell(&cell.set, &reasons.condition, &cell.method);
        Some(verdict(cell.value.parse().ok()?, ours, metric, reasons.tolerance))
    };
    let verdicts: Vec<Verdict> = paper.cells.iter().filter_map(judge).collect();
    let all = [
        Verdict::Reproduced,
        Verdict::Exceeded,
        Verdict::NotReproduced,
        Verdict::NotAvailable,
        Verdict::Failed,
        Verdict::NotRun,
    ];
    let counts: Vec<String> = all
        .iter()
        .map(|verdict| (verdict, verdicts.iter().filter(|other| *other == verdict).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {}", verdict.words()))
        .collect();
    format!("\nOf {} cells: {}.\n", verdicts.len(), counts.join(", "))
}

fn section(paper: &PaperNumbers, reasons: &Reasons, summary: &Summary, set: &SetText, metric: Metric) -> String {
    let cells = paper.cells.iter().filter(|cell| cell.set == set.name && cell.metric == metric.name());
    let head = ["method", "paper", "ours", "ours, clean", "repeats", "verdict", "why"]
        .map(|word| match word {
            "ours" => format!("ours, {}", reasons.condition),
            "ours, clean" => format!("ours, {}", reasons.beside),
            other => other.to_owned(),
        })
        .to_vec();
    let (mut rows, mut whys): (Vec<Vec<String>>, Vec<&str>) = (Vec::new(), Vec::new());
    for cell in cells {
        let ours = summary.cell(&set.name, &reasons.condition, &cell.method);
        let beside = summary.cell(&set.name, &reasons.beside, &cell.method);
        let verdict = verdict(cell.value.parse().unwrap_or(f64::NAN), ours, metric, reasons.tolerance);
        let why = reasons.of(cell, verdict).map_or(String::new(), |why| {
            let known = whys.iter().position(|other| *other == why);
            let at = known.unwrap_or_else(|| {
                whys.push(why);
                whys.len() - 1
            });
            format!("({})", at + 1)
        });
        let name = format!("{} (`{}`)", cell.name, cell.method);
        let words = format!("**{}**", verdict.words());
        rows.push(vec![
            name,
            cell.value.clone(),
            shown(ours, metric),
            shown(beside, metric),
            repeats(ours, metric),
            words,
            why,
        ]);
    }
    let protocol = protocol(summary, reasons, &set.name);
    let mut text = format!("\n### {}\n\n{}{protocol}\n\n{}", set.title, set.text.trim(), grid(&head, &rows));
    for (at, why) in whys.iter().enumerate() {
        text += &format!("{}({}) {}\n", if at == 0 { "\n" } else { "" }, at + 1, why.trim());
    }
    text
}

/// What all runs on the set share, from the results themselves; the command where there are none.
fn protocol(summary: &Summary, reasons: &Reasons, set: &str) -> String {
    let example = summary
        .labels
        .iter()
        .filter_map(|label| summary.cell(set, &reasons.condition, label)?.example.as_ref())
        .find(|row| row.n.is_some());
    match example {
        Some(row) => format!(
            " Run with n = {}, k = {}, views {}, scaling {}, version {}.",
            row.n.unwrap_or(0),
            row.k.unwrap_or(0),
            row.views.replace('+', ", "),
            row.scale,
            row.version
        ),
        None => format!(" To run it: `{}`.", reasons.command),
    }
}

fn shown(cell: Option<&Cell>, metric: Metric) -> String {
    cell.and_then(|cell| cell.estimate(metric)).map_or("-".to_owned(), |estimate| {
        let spread = estimate.spread.map_or(String::new(), |spread| format!(" ± {:.2}", 100.0 * spread));
        format!("{:.2}{spread}", 100.0 * estimate.mean)
    })
}

fn repeats(cell: Option<&Cell>, metric: Metric) -> String {
    let estimate = cell.and_then(|cell| cell.estimate(metric));
    estimate.map_or("-".to_owned(), |estimate| format!("{} draws, {} runs", estimate.draws, estimate.runs))
}

fn leaderboard_section(summary: &Summary) -> String {
    let rankings = [Metric::Acc, Metric::Nmi].map(|metric| Ranking::new(summary, "clean", metric));
    let mut text = format!(
        "\n## Leaderboard\n\nAll methods at their defaults on {} data sets, clean; rank 1 is the best method of a set.\n\n{}",
        rankings[0].sets.len(),
        headline_table(&rankings)
    );
    for ranking in &rankings {
        let first = ranking.methods.first();
        let standing = match ranking.methods.iter().position(|method| method.label == DEFAULT_METHOD) {
            Some(0) => format!("`{DEFAULT_METHOD}` has the best mean rank."),
            Some(place) => format!(
                "`{DEFAULT_METHOD}` does NOT have the best mean rank: `{}` has, `{DEFAULT_METHOD}` is number {}.",
                first.map_or("", |method| &method.label),
                place + 1
            ),
            None => format!("`{DEFAULT_METHOD}` is not ranked."),
        };
        text += &format!("\n### By {}\n\n{standing}\n\n{}", ranking.metric.title(), leaderboard::markdown(ranking));
    }
    text
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
