//! Tables as LaTeX, for `\input` (needs `booktabs`).

use super::score::{Entry, Lead, ScoreTable};

pub(super) fn page(title: &str, tables: &[ScoreTable]) -> String {
    let mut text = format!("% {}\n", title.replace('\n', " "));
    for table in tables {
        text += &tabular(table);
    }
    text
}

fn tabular(table: &ScoreTable) -> String {
    let heads: Vec<String> = table.sets.iter().map(|set| escaped(set)).collect();
    let mut text = format!(
        "\n% {} in %, {}\n\\begin{{tabular}}{{l{}}}\n\\toprule\nmethod & {} \\\\\n\\midrule\n",
        table.metric.title(),
        table.condition,
        "r".repeat(heads.len()),
        heads.join(" & ")
    );
    for (label, entries) in &table.rows {
        let cells: Vec<String> = entries.iter().map(cell).collect();
        text += &format!("{} & {} \\\\\n", escaped(label), cells.join(" & "));
    }
    text += "\\bottomrule\n\\end{tabular}\n";
    for (at, note) in table.notes.iter().enumerate() {
        text += &format!("% ({}) {note}\n", at + 1);
    }
    text
}

fn cell(entry: &Entry) -> String {
    let spread = entry.spread.as_ref().map_or(String::new(), |spread| format!(" $\\pm$ {spread}"));
    let mut text = format!("{}{spread}", escaped(&entry.text));
    if entry.best {
        text = format!("\\textbf{{{text}}}");
    }
    match entry.lead {
        Some(lead) if lead.significant() => text += "$^{*}$",
        Some(Lead::Unknown) => text += "$^{\\circ}$",
        _ => {}
    }
    if let Some(paper) = &entry.paper {
        text += &format!(" ({paper})");
    }
    entry.note.map_or(text.clone(), |note| format!("{text}$^{{({note})}}$"))
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', letter]),
            '\\' => safe += "\\textbackslash{}",
            '<' => safe += "\\textless{}",
            '>' => safe += "\\textgreater{}",
            '~' => safe += "\\textasciitilde{}",
            '^' => safe += "\\textasciicircum{}",
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_latex_would_read_is_escaped() {
        assert_eq!(escaped("a_b 20 % x^2 \\"), "a\\_b 20 \\% x\\textasciicircum{}2 \\textbackslash{}");
        assert_eq!(escaped("n > 2,000"), "n \\textgreater{} 2,000");
        let best = Entry { text: "97.9".into(), spread: Some("0.2".into()), best: true, ..Entry::default() };
        assert_eq!(cell(&best), "\\textbf{97.9 $\\pm$ 0.2}");
    }
}
