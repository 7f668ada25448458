//! Tables as CSV: a line per condition, score, data set and method.

use super::score::{Lead, ScoreTable};
use crate::Metric;
use crate::rows::rounded;
use crate::summary::Summary;

pub(super) fn page(summary: &Summary, metrics: &[Metric], tables: &[ScoreTable]) -> String {
    let mut text = "condition,metric,set,method,mean,spread,draws,runs,failed,best,p_of_lead,paper\n".to_owned();
    for table in tables.iter().filter(|table| metrics.contains(&table.metric)) {
        for (label, entries) in &table.rows {
            for (set, entry) in table.sets.iter().zip(entries) {
                let Some(cell) = summary.cell(set, &table.condition, label) else { continue };
                let estimate = cell.estimate(table.metric);
                let number = |x: Option<f64>| x.map_or(String::new(), |x| rounded(x, 6).to_string());
                let fields = [
                    quoted(&table.condition),
                    table.metric.name().to_owned(),
                    quoted(set),
                    quoted(label),
                    number(estimate.map(|estimate| estimate.mean)),
                    number(estimate.and_then(|estimate| estimate.spread)),
                    estimate.map_or(0, |estimate| estimate.draws).to_string(),
                    estimate.map_or(0, |estimate| estimate.runs).to_string(),
                    cell.failures.len().to_string(),
                    entry.best.to_string(),
                    number(entry.lead.and_then(|lead| match lead {
                        Lead::Tested(p) => Some(p),
                        Lead::Unknown => None,
                    })),
                    entry.paper.clone().unwrap_or_default(),
                ];
                text += &(fields.join(",") + "\n");
            }
        }
    }
    text
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}
