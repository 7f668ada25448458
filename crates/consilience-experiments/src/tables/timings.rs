//! Seconds and memory: on a page of their own, because they differ from run to run.

use super::markdown::grid;
use crate::statistics::mean;
use crate::summary::Summary;

pub(super) fn page(title: &str, summary: &Summary) -> String {
    let mut text =
        format!("# {title}: seconds and peak memory\n\nMeans per run; the runs of a bench share the machine.\n");
    for condition in &summary.conditions {
        let head: Vec<String> = std::iter::once("method".to_owned()).chain(summary.sets.iter().cloned()).collect();
        let rows: Vec<Vec<String>> = summary
            .labels
            .iter()
            .map(|label| {
                let cells = summary.sets.iter().map(|set| cell(summary, set, condition, label));
                std::iter::once(label.clone()).chain(cells).collect()
            })
            .collect();
        text += &format!("\n## {condition}\n\n{}", grid(&head, &rows));
    }
    text
}

fn cell(summary: &Summary, set: &str, condition: &str, label: &str) -> String {
    let Some(cell) = summary.cell(set, condition, label) else { return "-".to_owned() };
    let seconds: Vec<f64> = cell.costs.iter().map(|(seconds, _)| *seconds).collect();
    let memory = cell.costs.iter().map(|(_, mb)| *mb).fold(0.0, f64::max);
    mean(&seconds).map_or("-".to_owned(), |seconds| format!("{seconds:.2} s, {memory:.0} MB"))
}
