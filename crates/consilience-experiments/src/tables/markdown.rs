//! Tables as Markdown.

use super::score::{Entry, Lead, ScoreTable};
use crate::statistics::FEWEST_PAIRS;

/// All tables on a page, below what must be known of all of them.
pub(super) fn page(title: &str, warning: &str, tables: &[ScoreTable]) -> String {
    let mut text = format!("# {title}\n{warning}");
    for table in tables {
        let body = bare(table);
        text += &format!("\n## {} in %, {}\n\n{body}", table.metric.title(), table.condition);
    }
    let mut legends: Vec<String> = Vec::new();
    for sentence in tables.iter().flat_map(legend) {
        if !legends.contains(&sentence) {
            legends.push(sentence);
        }
    }
    if legends.is_empty() { text } else { format!("{text}\n{}\n", legends.join(" ")) }
}

/// One table with its notes and its legend.
pub(crate) fn scores(table: &ScoreTable) -> String {
    let legend = legend(table);
    if legend.is_empty() { bare(table) } else { format!("{}\n{}\n", bare(table), legend.join(" ")) }
}

fn bare(table: &ScoreTable) -> String {
    let head: Vec<String> = std::iter::once("method".to_owned()).chain(table.sets.iter().cloned()).collect();
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|(label, entries)| std::iter::once(label.clone()).chain(entries.iter().map(cell)).collect())
        .collect();
    let mut text = grid(&head, &rows);
    if !table.notes.is_empty() {
        text += "\n";
    }
    for (at, note) in table.notes.iter().enumerate() {
        text += &format!("- ({}) {note}\n", at + 1);
    }
    text
}

/// Numbers in bars, the first column flush left.
pub(crate) fn grid(head: &[String], rows: &[Vec<String>]) -> String {
    bars(head, rows, "---:|")
}

/// Words in bars, all columns flush left.
pub(crate) fn words(head: &[String], rows: &[Vec<String>]) -> String {
    bars(head, rows, "---|")
}

fn bars(head: &[String], rows: &[Vec<String>], ruler: &str) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let ruler = format!("|---|{}\n", ruler.repeat(head.len().saturating_sub(1)));
    line(head) + &ruler + &rows.iter().map(|row| line(row)).collect::<String>()
}

fn cell(entry: &Entry) -> String {
    let mut text = entry.text.clone();
    if let Some(spread) = &entry.spread {
        text += &format!(" ± {spread}");
    }
    if entry.best {
        text = format!("**{text}**");
    }
    text += match entry.lead {
        Some(lead) if lead.significant() => "*",
        Some(Lead::Unknown) => "°",
        _ => "",
    };
    if let Some(paper) = &entry.paper {
        text += &format!(" ({paper})");
    }
    entry.note.map_or(text.clone(), |note| format!("{text} ({note})"))
}

/// What the marks mean, as far as the table has them.
pub(super) fn legend(table: &ScoreTable) -> Vec<String> {
    let mut legend = Vec::new();
    if table.any(|entry| entry.best) {
        legend.push("**Bold**: best of its column.".to_owned());
    }
    if table.any(|entry| entry.spread.is_some()) {
        legend.push("±: standard deviation over draws of the noise, over seeds where there is one draw.".to_owned());
    }
    if table.any(|entry| matches!(entry.lead, Some(Lead::Tested(_)))) {
        legend.push(
            "\\*: the lead over the next best is significant (p < 0.05, exact Wilcoxon signed-rank test, paired over draws)."
                .to_owned(),
        );
    }
    if table.any(|entry| entry.lead == Some(Lead::Unknown)) {
        legend.push(format!("°: fewer than {FEWEST_PAIRS} draws, no test can tell whether the lead is chance."));
    }
    if table.any(|entry| entry.paper.is_some()) {
        legend.push("In brackets with two decimals: the paper's number.".to_owned());
    }
    legend
}
