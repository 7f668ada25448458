//! The ledger: every cell of the paper's tables, ours beside it, and a verdict. `docs/reproduction.md` is this, printed.

use consilience::Result;
use consilience::method::{DEFAULT_METHOD, Property, REGISTRY};
use consilience::metrics::Metric;

use crate::blocks::{Across, Results};
use crate::blocks_render::{headline_table, pairs_table};
use crate::condition::Condition;
use crate::figures::Figure;
use crate::leaderboard::{self, Ranking};
use crate::paper::{CellVerdict, PaperCell, PaperNumbers, Reasons, SetText};
use crate::revisions;
use crate::summary::{ResultCell, Summary};
use crate::tables::markdown::grid;

/// The whole page. `figures` lie beside it in `figures/`, as SVG.
///
/// # Errors
/// When committed results are damaged.
pub fn page(paper: &PaperNumbers, reasons: &Reasons, results: &mut Results, figures: &[Figure]) -> Result<String> {
    let mut text = format!(
        "<!-- made by `consilience reproduction`; do not edit -->\n\n# The paper's numbers, and ours\n\n{}\n",
        reasons.introduction.trim()
    );
    text += &stale_section(results)?;
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
    if !figures.is_empty() {
        text += "\n## Figures\n\nDrawn from the results in `experiments/results`, each named after its file.\n";
    }
    let shown =
        figures.iter().map(|Figure { name, title, .. }| format!("\n{title}:\n\n![{title}](figures/{name}.svg)\n"));
    text.extend(shown);
    Ok(text)
}

/// The results on the page that were made by older code.
fn stale_section(results: &mut Results) -> Result<String> {
    let stale = results.stale()?;
    if stale.is_empty() {
        return Ok(String::new());
    }
    let lines = stale.iter().map(|(file, stale)| format!("- `{file}.csv`: {}\n", revisions::listed(stale)));
    let head =
        "\n## Stale\n\nMade by older code than this, and to be run again ([experiments.md](experiments.md)):\n\n";
    Ok(head.to_owned() + &lines.collect::<String>())
}

/// How many cells have which verdict.
fn account(paper: &PaperNumbers, reasons: &Reasons, summary: &Summary) -> String {
    let judge = |cell: &PaperCell| reasons.verdict(cell, summary.cell(&cell.set, reasons.condition, &cell.method));
    let verdicts: Vec<CellVerdict> = paper.cells.iter().map(judge).collect();
    let counts: Vec<String> = CellVerdict::ALL
        .iter()
        .map(|verdict| (verdict, verdicts.iter().filter(|other| *other == verdict).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    format!("\nOf {} cells: {}.\n", verdicts.len(), counts.join(", "))
}

fn section(paper: &PaperNumbers, reasons: &Reasons, summary: &Summary, set: &SetText, metric: Metric) -> String {
    let cells = paper.cells.iter().filter(|cell| cell.set == set.name && cell.metric == metric);
    let (judged, beside) = (format!("ours, {}", reasons.condition), format!("ours, {}", reasons.beside));
    let head = ["method", "paper", &judged, &beside, "repeats", "verdict", "why"].map(str::to_owned);
    let (mut rows, mut whys): (Vec<Vec<String>>, Vec<&str>) = (Vec::new(), Vec::new());
    for cell in cells {
        let ours = summary.cell(&set.name, reasons.condition, &cell.method);
        let beside = summary.cell(&set.name, reasons.beside, &cell.method);
        let verdict = reasons.verdict(cell, ours);
        let why = reasons.of(cell, verdict).map_or(String::new(), |why| {
            let known = whys.iter().position(|other| *other == why);
            let at = known.unwrap_or_else(|| {
                whys.push(why);
                whys.len() - 1
            });
            format!("({})", at + 1)
        });
        let name = format!("{} (`{}`)", cell.name, cell.method);
        let words = format!("**{verdict}**");
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
        .filter_map(|label| summary.cell(set, reasons.condition, label)?.example.as_ref())
        .find(|row| row.n.is_some());
    match example {
        Some(row) => format!(
            " Run with n = {}, k = {}, views {}, scaling {}, version {}.",
            row.n.unwrap_or(0),
            row.k.unwrap_or(0),
            row.views.join(", "),
            row.scale,
            row.version
        ),
        None => format!(" To run it: `{}`.", reasons.command),
    }
}

fn shown(cell: Option<&ResultCell>, metric: Metric) -> String {
    cell.and_then(|cell| cell.score(metric)).map_or("-".to_owned(), |score| {
        let spread = score.spread.map_or(String::new(), |spread| format!(" ± {:.2}", 100.0 * spread));
        format!("{:.2}{spread}", 100.0 * score.mean)
    })
}

fn repeats(cell: Option<&ResultCell>, metric: Metric) -> String {
    let score = cell.and_then(|cell| cell.score(metric));
    score.map_or("-".to_owned(), |score| format!("{} draws, {} runs", score.draws, score.runs))
}

fn leaderboard_section(summary: &Summary) -> String {
    let rankings = [Metric::Acc, Metric::Nmi].map(|metric| Ranking::new(summary, Condition::Clean, metric));
    let done = |set: &String, id: &str| summary.cell(set, Condition::Clean, id).is_some_and(ResultCell::done);
    let run = |id: &str| summary.sets.iter().any(|set| done(set, id));
    let left_out: Vec<String> = REGISTRY
        .iter()
        .filter(|info| !info.has(Property::Study))
        .map(|info| info.id)
        .filter(|id| !run(id))
        .map(|id| format!("`{id}`"))
        .collect();
    let methods =
        if left_out.is_empty() { "All methods".to_owned() } else { format!("All methods but {}", left_out.join(", ")) };
    let mut text = format!(
        "\n## Leaderboard\n\n{methods} at their defaults on {} data sets, clean; rank 1 is the best method of a set.\n\n{}",
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
    for metric in [Metric::Acc, Metric::Nmi] {
        if let Some(common) = Ranking::on_common_sets(summary, Condition::Clean, metric) {
            let (title, sets) = (metric.title(), common.sets.len());
            let table = leaderboard::markdown(&common);
            text += &format!("\n### By {title}, the {sets} sets that every method was run on\n\n{table}");
        }
    }
    text + &format!("\n### Set by set, ACC / NMI in %\n\n{}", pairs_table(summary, Across::Sets))
}
