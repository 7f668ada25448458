//! The answer of a run for the person at the terminal: its clusters, how sure they are, and which view counted how much.

use consilience::{Clustering, RunRecord};

use crate::output::Table;

/// Clusters that are listed, the largest first.
const MOST_LISTED: usize = 20;
/// Letters of the bar of the largest cluster: with the numbers beside it a line has less than 60.
const BAR: usize = 16;

/// Some lines of text.
pub(crate) fn card(found: &Clustering) -> String {
    let record = &found.record;
    let clusters = clusters(record, found.memberships.confidence());
    let mut table = Table::new(&["cluster", "samples", "", "confidence", "comes back"]);
    for Row { number, size, confidence, stability } in clusters.iter().take(MOST_LISTED) {
        let largest = clusters.first().map_or(1, |row| row.size);
        let share = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
        table.row(vec![
            number.to_string(),
            size.to_string(),
            format!("{:<BAR$}", bar(*size, largest)),
            share(Some(*confidence)),
            share(*stability),
        ]);
    }
    let mut text = table.render();
    if clusters.len() > MOST_LISTED {
        text += &format!("and {} smaller ones\n", clusters.len() - MOST_LISTED);
    }
    text
}

struct Row {
    number: usize,
    size: usize,
    /// Mean confidence of its samples.
    confidence: f64,
    /// How far it comes back when samples are left out; of methods without refits nothing is known.
    stability: Option<f64>,
}

/// The clusters, the largest first.
fn clusters(record: &RunRecord, confidence: &[f64]) -> Vec<Row> {
    let k = record.clusters_found();
    let stability = record.findings.readings.as_ref().and_then(|readings| readings.stability.as_ref());
    let mut rows: Vec<Row> = (0..k)
        .map(|number| Row {
            number,
            size: 0,
            confidence: 0.0,
            stability: stability.and_then(|found| found.by_cluster.get(number)).copied(),
        })
        .collect();
    for (&label, confidence) in record.labels.iter().zip(confidence) {
        rows[label].size += 1;
        rows[label].confidence += confidence;
    }
    rows.iter_mut().for_each(|row| row.confidence /= row.size.max(1) as f64);
    rows.sort_by_key(|row| std::cmp::Reverse(row.size));
    rows
}

/// As long as the cluster is large; the smallest has one letter.
fn bar(size: usize, largest: usize) -> String {
    let letters = (size * BAR).div_ceil(largest.max(1)).clamp(1, BAR);
    "#".repeat(letters)
}

/// How much each view counted, the largest weight first; none for one view.
pub(crate) fn weights(record: &RunRecord) -> Option<String> {
    let mut views: Vec<(&str, f64)> = record.views.iter().map(|view| (view.name.as_str(), view.weight)).collect();
    views.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<String> = views.iter().map(|(name, weight)| format!("{name} {:.0} %", 100.0 * weight)).collect();
    (views.len() > 1).then(|| format!("weights of the views: {}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use consilience::datasets::Blobs;
    use consilience::{Settings, cluster};

    use super::*;

    #[test]
    fn the_largest_clusters_come_first_and_lines_are_short() {
        let blobs = Blobs { samples: 120, clusters: 3, features: vec![5, 6], separation: 12.0, seed: 4 };
        let (views, truth) = blobs.generate().unwrap();
        let rows: Vec<usize> = (0..120).filter(|&i| truth[i] != 1 || i % 3 == 0).collect();
        let found = cluster(&views.select(&rows).unwrap(), &Settings::new(3)).unwrap();
        let text = card(&found);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
        let sizes: Vec<usize> =
            lines[1..].iter().map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
        assert!(sizes[0] >= sizes[1] && sizes[1] >= sizes[2] && sizes.iter().sum::<usize>() == rows.len(), "{text}");
        assert!(lines[1].contains(&"#".repeat(BAR)) && !lines[3].contains(&"#".repeat(BAR)), "{text}");
        assert_eq!([bar(1, 1000), bar(500, 1000), bar(1000, 1000)].map(|bar| bar.len()), [1, BAR / 2, BAR]);
        assert!(weights(&found.record).unwrap().starts_with("weights of the views: "));
    }
}
