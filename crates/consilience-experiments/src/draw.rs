//! Figures from results, as SVG: whatever the results hold enough of.

use std::path::Path;

use consilience::data::write_atomically;
use consilience::{Error, Result};
use consilience_figures::{Block, GridMap, HeatMap, Legend, LineChart, RankPlot, Ranked, Scale, Series, png};

use crate::Metric;
use crate::figures::{self, Kept};
use crate::leaderboard::Ranking;
use crate::rows::Row;
use crate::summary::Summary;

/// The scores that figures show.
const SHOWN: [Metric; 2] = [Metric::Acc, Metric::Nmi];
/// Ranks over fewer sets say nothing.
const FEWEST_SETS: usize = 5;
/// Pixels per unit of a drawing.
const SHARPNESS: f32 = 2.0;

/// A figure and the stem of its file's name.
pub struct Figure {
    /// The stem, from words that are safe in file names.
    pub name: String,
    /// What it shows, in words.
    pub title: String,
    /// The drawing.
    pub svg: String,
}

/// Every figure that `rows` and what runs `kept` allow.
pub fn all(rows: &[Row], kept: &[Kept]) -> Vec<Figure> {
    let summary = Summary::new(rows);
    let mut drawn = ranks(&summary);
    for set in &summary.sets {
        drawn.extend(noise(rows, set));
        drawn.extend(grids(rows, set, &summary.conditions));
    }
    drawn.extend(kept.iter().filter_map(convergence));
    drawn.extend(kept.iter().filter_map(affinity));
    drawn
}

/// Writes figures as SVG and PNG into `folder`; makes it only when there are any.
///
/// # Errors
/// When a file cannot be written.
pub fn write(folder: &Path, drawn: &[Figure]) -> Result<()> {
    if drawn.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    for Figure { name, svg, .. } in drawn {
        write_atomically(&folder.join(format!("{name}.svg")), |file| file.write_all(svg.as_bytes()))?;
        let pixels = png(svg, SHARPNESS).map_err(|error| Error::data(format!("figure `{name}`: {error}")))?;
        write_atomically(&folder.join(format!("{name}.png")), |file| file.write_all(&pixels))?;
    }
    Ok(())
}

fn ranks(summary: &Summary) -> Vec<Figure> {
    let pairs = summary.conditions.iter().flat_map(|condition| SHOWN.map(|metric| (condition, metric)));
    pairs
        .map(|(condition, metric)| Ranking::new(summary, condition, metric))
        .filter(|ranking| ranking.sets.len() >= FEWEST_SETS && ranking.methods.len() > 2)
        .map(|ranking| {
            let methods = ranking.methods.iter();
            let plot = RankPlot {
                title: format!(
                    "Mean rank by {} over {} sets, {}",
                    ranking.metric.title(),
                    ranking.sets.len(),
                    ranking.condition
                ),
                methods: methods.map(|method| Ranked { name: method.label.clone(), rank: method.rank }).collect(),
                groups: ranking.groups.iter().map(|group| group.clone().collect()).collect(),
                critical_difference: ranking.critical_difference,
                ..RankPlot::default()
            };
            let name = stem(&["ranks", ranking.metric.name(), &ranking.condition]);
            Figure { name, svg: plot.svg(), title: plot.title }
        })
        .collect()
}

fn noise(rows: &[Row], set: &str) -> Vec<Figure> {
    let mut drawn = Vec::new();
    for mode in ["replace", "add"] {
        for metric in SHOWN {
            let curves = figures::over_noise(rows, set, mode, metric);
            if !curves.iter().any(|curve| curve.points.len() > 2) {
                continue;
            }
            let series = curves.into_iter().map(|curve| Series {
                name: curve.label,
                points: curve.points.iter().map(|&(share, mean, _)| [100.0 * share, 100.0 * mean]).collect(),
                spread: curve.points.iter().map(|&(_, _, spread)| 100.0 * spread.unwrap_or(0.0)).collect(),
            });
            let chart = LineChart {
                title: format!("{set}: {} over corruption ({mode})", metric.title()),
                series: series.collect(),
                x_label: "corrupted entries, %".to_owned(),
                y_label: format!("{}, %", metric.title()),
                legend: Legend::Right,
                ..LineChart::default()
            };
            let name = stem(&["noise", set, mode, metric.name()]);
            drawn.push(Figure { name, svg: chart.svg(), title: chart.title });
        }
    }
    drawn
}

/// A map for every method that a plan ran over a grid of two parameters.
fn grids(rows: &[Row], set: &str, conditions: &[String]) -> Vec<Figure> {
    let mut families: Vec<(String, [String; 2])> = Vec::new();
    for row in rows.iter().filter(|row| row.set == set) {
        let (words, parameters): (Vec<&str>, Vec<&str>) = row.label.split(' ').partition(|word| !word.contains('='));
        let names: Vec<String> =
            parameters.iter().filter_map(|word| Some(word.split_once('=')?.0.to_owned())).collect();
        if let Ok(pair) = <[String; 2]>::try_from(names) {
            let family = (words.join(" "), pair);
            if !families.contains(&family) {
                families.push(family);
            }
        }
    }
    let mut drawn = Vec::new();
    for (family, [x, y]) in &families {
        let of_family = |row: &&Row| row.label.split(' ').filter(|word| !word.contains('=')).eq(family.split(' '));
        let own: Vec<Row> = rows.iter().filter(of_family).cloned().collect();
        for (condition, metric) in conditions.iter().flat_map(|condition| SHOWN.map(|metric| (condition, metric))) {
            let grid = figures::parameter_grid(&own, set, condition, metric, x, y);
            if grid.x.len() < 2 || grid.y.len() < 2 {
                continue;
            }
            let map = GridMap {
                title: format!("{set}, {family}: {} over {x} and {y}, {condition}", metric.title()),
                values: grid
                    .mean
                    .iter()
                    .map(|row| row.iter().map(|mean| mean.map_or(f64::NAN, |mean| 100.0 * mean)).collect())
                    .collect(),
                row_labels: grid.y.iter().map(f64::to_string).collect(),
                column_labels: grid.x.iter().map(f64::to_string).collect(),
                row_title: y.clone(),
                column_title: x.clone(),
                value_label: format!("{}, %", metric.title()),
                decimals: Some(1),
                ..GridMap::default()
            };
            let name = stem(&["grid", set, family, condition, metric.name()]);
            drawn.push(Figure { name, svg: map.svg(), title: map.title });
        }
    }
    drawn
}

fn convergence(kept: &Kept) -> Option<Figure> {
    let first = kept.trace.first()?.objective.abs();
    let scale = if first > 0.0 { first } else { 1.0 };
    let line = |name: &str, value: &dyn Fn(&crate::record::TracePoint) -> f64| Series {
        name: name.to_owned(),
        points: kept.trace.iter().map(|point| [point.iteration as f64, value(point)]).collect(),
        spread: Vec::new(),
    };
    let chart = LineChart {
        title: format!("{}, {}: convergence", kept.set, kept.label),
        series: vec![
            line("objective / first", &|point| point.objective / scale),
            line("residual", &|point| point.residual),
            line("change", &|point| point.change),
        ],
        x_label: "iteration".to_owned(),
        y_label: "relative".to_owned(),
        y_scale: Scale::Log,
        legend: Legend::Right,
        ..LineChart::default()
    };
    Some(Figure { name: stem(&["convergence", &kept.set, &kept.label]), svg: chart.svg(), title: chart.title })
}

fn affinity(kept: &Kept) -> Option<Figure> {
    let affinity = kept.affinity.as_ref()?;
    let blocks = affinity.blocks.iter().enumerate();
    let blocks: Vec<Block> = blocks.map(|(class, &size)| Block { label: class.to_string(), size }).collect();
    let map = HeatMap {
        title: format!("{}, {}: consensus affinity by class", kept.set, kept.label),
        values: affinity.rows.iter().flatten().copied().collect(),
        columns: affinity.rows.first().map_or(0, Vec::len),
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        row_title: "class".to_owned(),
        column_title: "class".to_owned(),
        value_label: "affinity".to_owned(),
        clip_quantile: Some(0.98),
        ..HeatMap::default()
    };
    Some(Figure { name: stem(&["affinity", &kept.set, &kept.label]), svg: map.svg(), title: map.title })
}

/// Words as a file's name: letters and digits, everything else a hyphen.
fn stem(words: &[&str]) -> String {
    let joined = words.join("-").to_lowercase();
    let safe =
        joined.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.').filter(|part| !part.is_empty());
    safe.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_folders() {
        assert_eq!(stem(&["grid", "a/../b", "add 20 %"]), "grid-a-..-b-add-20");
        assert_eq!(stem(&["ranks", "acc", "clean"]), "ranks-acc-clean");
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        assert!(all(&[], &[]).is_empty());
    }
}
