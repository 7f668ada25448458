//! Mean ranks of methods over data sets, and whether they differ beyond chance.

use consilience::metrics::Metric;

use crate::condition::Condition;
use crate::statistics::{Friedman, average_ranks, friedman, groups, mean, nemenyi_difference};
use crate::summary::Summary;
use crate::tables::markdown::grid;
use crate::tables::percent;

/// Methods ranked by one score under one condition.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The condition.
    pub condition: Condition,
    /// The score.
    pub metric: Metric,
    /// The data sets that count: those on which some method has a score, or on which all were run.
    pub sets: Vec<String>,
    /// The methods, best first.
    pub methods: Vec<RankedMethod>,
    /// Friedman's test over the sets.
    pub friedman: Option<Friedman>,
    /// Nemenyi's critical difference at 0.05.
    pub critical_difference: Option<f64>,
    /// Groups that do not differ beyond it, as places in `methods`.
    pub groups: Vec<std::ops::Range<usize>>,
    /// Methods that are not ranked because they were not run on every set.
    pub left_out: Vec<NotRanked>,
}

/// A method without a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRanked {
    /// The method.
    pub label: String,
    /// The sets that it was not run on.
    pub sets: Vec<String>,
    /// Why the plan left those out, where it did and one reason holds for all.
    pub why: Option<String>,
}

/// A method's place.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMethod {
    /// The method.
    pub label: String,
    /// Mean rank over the sets, 1 is best.
    pub rank: f64,
    /// Mean score over the sets on which it has one.
    pub score: Option<f64>,
    /// Sets on which it failed; it shares the last rank there.
    pub failed: Vec<String>,
}

impl Ranking {
    /// Ranks the methods of `summary` that were run on every set.
    pub fn new(summary: &Summary, condition: Condition, metric: Metric) -> Self {
        let score = |set: &str, label: &str| summary.mean(set, condition, label, metric);
        let scored = |set: &&String| summary.labels.iter().any(|label| score(set, label).is_some());
        Self::over(summary, condition, metric, summary.sets.iter().filter(scored).cloned().collect())
    }

    /// Ranks all methods on the sets that each of them was run on; nothing when those are all sets, or fewer than two.
    pub fn on_common_sets(summary: &Summary, condition: Condition, metric: Metric) -> Option<Self> {
        let whole = Self::new(summary, condition, metric);
        let missing: Vec<&String> = whole.left_out.iter().flat_map(|method| &method.sets).collect();
        let common: Vec<String> = whole.sets.iter().filter(|set| !missing.contains(set)).cloned().collect();
        (!missing.is_empty() && common.len() > 1).then(|| Self::over(summary, condition, metric, common))
    }

    fn over(summary: &Summary, condition: Condition, metric: Metric, sets: Vec<String>) -> Self {
        let score = |set: &str, label: &str| summary.mean(set, condition, label, metric);
        let (mut labels, mut left_out) = (Vec::new(), Vec::new());
        for label in &summary.labels {
            // nor does a run count whose scores are from before the metric existed
            let not_run = |set: &&String| match summary.cell(set, condition, label) {
                None => true,
                Some(cell) => cell.score(metric).is_none() && (cell.done() || cell.left_out.is_some()),
            };
            let not_run: Vec<String> = sets.iter().filter(not_run).cloned().collect();
            match not_run.len() {
                0 => labels.push(label.clone()),
                // a method that has nothing under this condition is no part of it
                many if many == sets.len() => {}
                _ => left_out.push(NotRanked::new(summary, condition, label, not_run)),
            }
        }
        let table: Vec<Vec<Option<f64>>> =
            sets.iter().map(|set| labels.iter().map(|label| score(set, label)).collect()).collect();
        let ranks: Vec<Vec<f64>> = table.iter().map(|row| average_ranks(row)).collect();
        let mut methods: Vec<RankedMethod> = labels
            .iter()
            .enumerate()
            .map(|(at, label)| RankedMethod {
                label: label.clone(),
                rank: mean(&ranks.iter().map(|row| row[at]).collect::<Vec<_>>()).unwrap_or(f64::NAN),
                score: mean(&table.iter().filter_map(|row| row[at]).collect::<Vec<_>>()),
                failed: sets
                    .iter()
                    .zip(&table)
                    .filter(|(_, row)| row[at].is_none())
                    .map(|(set, _)| set.clone())
                    .collect(),
            })
            .collect();
        methods.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let critical_difference = nemenyi_difference(methods.len(), sets.len());
        let places: Vec<f64> = methods.iter().map(|method| method.rank).collect();
        Self {
            condition,
            metric,
            friedman: friedman(&ranks),
            groups: critical_difference.map(|difference| groups(&places, difference)).unwrap_or_default(),
            critical_difference,
            sets,
            methods,
            left_out,
        }
    }

    /// What the tests say, in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(test) = self.friedman {
            let p = if test.p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {:.4}", test.p) };
            sentences.push(format!(
                "Friedman's test over {} sets: chi-squared {:.2} with {} degrees of freedom, {p}.",
                self.sets.len(),
                test.chi_squared,
                self.methods.len() - 1
            ));
        }
        if let Some(difference) = self.critical_difference.filter(|_| self.sets.len() > 1) {
            sentences.push(format!("Nemenyi's critical difference of mean ranks at 0.05: {difference:.2}."));
            if let Some(first) = self.groups.first().filter(|group| group.len() > 1) {
                let names: Vec<&str> = self.methods[first.clone()].iter().map(|method| method.label.as_str()).collect();
                sentences.push(format!("Not distinguished from the first: {}.", names[1..].join(", ")));
            }
        }
        for method in self.methods.iter().filter(|method| !method.failed.is_empty()) {
            sentences.push(format!("{} failed on {}: last there.", method.label, method.failed.join(", ")));
        }
        for NotRanked { label, sets, why } in &self.left_out {
            let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
            sentences.push(format!("{label} is not ranked: no run on {}{why}.", sets.join(", ")));
        }
        sentences
    }
}

impl NotRanked {
    fn new(summary: &Summary, condition: Condition, label: &str, sets: Vec<String>) -> Self {
        let why = |set: &String| summary.cell(set, condition, label).and_then(|cell| cell.left_out.clone());
        let first = sets.first().and_then(why);
        let why = first.filter(|first| sets.iter().all(|set| why(set).as_ref() == Some(first)));
        Self { label: label.to_owned(), sets, why }
    }
}

/// All rankings on a page; of each also the one on common sets, where it is another.
pub(crate) fn page(title: &str, rankings: &[(Ranking, Option<Ranking>)]) -> String {
    let mut text =
        format!("# {title}: mean ranks\n\nRank 1 is the best method of a set; equal scores share their mean rank.\n");
    for (ranking, common) in rankings {
        let head = format!("{}, {}", ranking.metric.title(), ranking.condition);
        text += &format!("\n## {head}\n\n{}", markdown(ranking));
        if let Some(common) = common {
            let sets = common.sets.len();
            text += &format!("\n## {head}: the {sets} sets that every method was run on\n\n{}", markdown(common));
        }
    }
    text
}

/// One ranking with its tests.
pub(crate) fn markdown(ranking: &Ranking) -> String {
    let head = ["method".to_owned(), "mean rank".to_owned(), format!("mean {} %", ranking.metric.title())];
    let rows: Vec<Vec<String>> = ranking
        .methods
        .iter()
        .map(|method| {
            let score = method.score.map_or("-".to_owned(), percent);
            vec![method.label.clone(), format!("{:.2}", method.rank), score]
        })
        .collect();
    let sentences: String = ranking.sentences().iter().map(|sentence| format!("- {sentence}\n")).collect();
    let gap = if sentences.is_empty() { "" } else { "\n" };
    grid(&head, &rows) + gap + &sentences
}
