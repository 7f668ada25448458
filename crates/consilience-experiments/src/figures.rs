//! Figures from results, as SVG: whatever the results hold enough of. Parameter studies, scores over noise and ranks come
//! from results in short, convergence and affinities from what runs keep when the plan asks for it.

use std::path::Path;

use consilience::method::TraceRow;
use consilience::metrics::Metric;
use consilience::{Corruption, CorruptionMode, Error, Result};
use consilience_figures::{AxisScale, Block, GridMap, HeatMap, Legend, LineChart, RankPlot, Ranked, Series, png};
use consilience_io::write_atomically;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::leaderboard::Ranking;
use crate::noise_curves::over_noise;
use crate::rows::Row;
use crate::store::{BlockAffinity, Outcome, RunEntry};
use crate::summary::Summary;

/// The scores that figures show.
const SHOWN: [Metric; 2] = [Metric::Acc, Metric::Nmi];
/// Ranks over fewer sets say nothing.
const FEWEST_SETS: usize = 5;
/// Pixels per unit of a drawing.
const SHARPNESS: f32 = 2.0;

/// A parameter study: the mean score at every point of a grid of two parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterGrid {
    /// Values of the first parameter, ascending: the columns.
    pub x: Vec<f64>,
    /// Values of the second parameter, ascending: the rows.
    pub y: Vec<f64>,
    /// Mean scores, a row per value of the second parameter; none where there is no run.
    pub mean: Vec<Vec<Option<f64>>>,
}

/// What a run kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The data set.
    pub set: String,
    /// The method.
    pub label: String,
    /// The noise, whose seed is the draw; none on clean data.
    pub corruption: Option<Corruption>,
    /// Seed of the method.
    pub seed: u64,
    /// Its convergence.
    pub trace: Vec<TraceRow>,
    /// Its consensus affinity in the order of the classes.
    pub affinity: Option<BlockAffinity>,
}

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
        .map(|(condition, metric)| Ranking::new(summary, *condition, metric))
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
            let name = stem(&["ranks", ranking.metric.name(), &ranking.condition.to_string()]);
            Figure { name, svg: plot.svg(), title: plot.title }
        })
        .collect()
}

fn noise(rows: &[Row], set: &str) -> Vec<Figure> {
    let mut drawn = Vec::new();
    for &mode in CorruptionMode::ALL {
        for metric in SHOWN {
            let curves = over_noise(rows, set, mode, metric);
            if !curves.iter().any(|curve| curve.points.len() > 2) {
                continue;
            }
            let series = curves.into_iter().map(|curve| Series {
                name: curve.label,
                points: curve.points.iter().map(|&(share, mean, _)| [100.0 * share, 100.0 * mean]).collect(),
                spread: curve.points.iter().map(|&(_, _, spread)| 100.0 * spread.unwrap_or(0.0)).collect(),
            });
            let (over, x_label) = match mode {
                CorruptionMode::Lose => ("samples lost".to_owned(), "samples lost from each view, %"),
                CorruptionMode::Replace | CorruptionMode::Add => {
                    (format!("corruption ({mode})"), "corrupted entries, %")
                }
            };
            let chart = LineChart {
                title: format!("{set}: {} over {over}", metric.title()),
                series: series.collect(),
                x_label: x_label.to_owned(),
                y_label: format!("{}, %", metric.title()),
                legend: Legend::Right,
                ..LineChart::default()
            };
            let name = stem(&["noise", set, mode.name(), metric.name()]);
            drawn.push(Figure { name, svg: chart.svg(), title: chart.title });
        }
    }
    drawn
}

/// A map for every method that a plan ran over a grid of two parameters.
fn grids(rows: &[Row], set: &str, conditions: &[Condition]) -> Vec<Figure> {
    let mut families: Vec<(String, [String; 2])> = Vec::new();
    for row in rows.iter().filter(|row| row.set == set) {
        let (family, names) = family(row);
        if let Ok(pair) = <[String; 2]>::try_from(names) {
            let family = (family, pair);
            if !families.contains(&family) {
                families.push(family);
            }
        }
    }
    let mut drawn = Vec::new();
    for (family, [x, y]) in &families {
        let own: Vec<Row> = rows.iter().filter(|row| self::family(row).0 == *family).cloned().collect();
        for (condition, metric) in conditions.iter().flat_map(|condition| SHOWN.map(|metric| (condition, metric))) {
            let grid = parameter_grid(&own, set, *condition, metric, x, y);
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
            let name = stem(&["grid", set, family, &condition.to_string(), metric.name()]);
            drawn.push(Figure { name, svg: map.svg(), title: map.title });
        }
    }
    drawn
}

/// The name that the points of a grid share, and the parameters whose values tell them apart: a point's name is the
/// family's with `name=value` for each.
fn family(row: &Row) -> (String, Vec<String>) {
    let named = |word: &str| row.parameters.iter().find(|(name, value)| word == format!("{name}={value}"));
    let words = || row.label.split(' ');
    let family: Vec<&str> = words().filter(|word| named(word).is_none()).collect();
    (family.join(" "), words().filter_map(|word| Some(named(word)?.0.clone())).collect())
}

fn convergence(kept: &Kept) -> Option<Figure> {
    // the rows of an iteration, one per view, taken together: objectives add up, of residuals and changes the largest counts
    let iterations: Vec<&[TraceRow]> = kept.trace.chunk_by(|a, b| a.iteration == b.iteration).collect();
    let objective = |rows: &[TraceRow]| rows.iter().map(|row| row.objective).sum::<f64>();
    let largest = |rows: &[TraceRow], of: fn(&TraceRow) -> f64| rows.iter().map(of).fold(f64::NAN, f64::max);
    let first = objective(iterations.first()?).abs();
    let scale = if first > 0.0 { first } else { 1.0 };
    let line = |name: &str, value: &dyn Fn(&[TraceRow]) -> f64| Series {
        name: name.to_owned(),
        points: iterations.iter().map(|rows| [rows[0].iteration as f64, value(rows)]).collect(),
        spread: Vec::new(),
    };
    let chart = LineChart {
        title: format!("{}, {}: convergence", kept.set, kept.label),
        series: vec![
            line("objective / first", &|rows| objective(rows) / scale),
            line("residual", &|rows| largest(rows, |row| row.residual)),
            line("change", &|rows| largest(rows, |row| row.change)),
        ],
        x_label: "iteration".to_owned(),
        y_label: "relative".to_owned(),
        y_scale: AxisScale::Log,
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

/// The mean score over the grid of the parameters `x` and `y`, on one set under one condition. Rows that do not set both
/// are left out.
pub fn parameter_grid(
    rows: &[Row],
    set: &str,
    condition: Condition,
    metric: Metric,
    x: &str,
    y: &str,
) -> ParameterGrid {
    let summary = Summary::new(rows);
    let mut points: Vec<(f64, f64, f64)> = Vec::new();
    for label in &summary.labels {
        let Some(cell) = summary.cell(set, condition, label) else { continue };
        let value = |name| cell.example.as_ref().and_then(|row| parameter(row, name));
        if let (Some(x), Some(y), Some(score)) = (value(x), value(y), cell.score(metric)) {
            points.push((x, y, score.mean));
        }
    }
    let axis = |pick: fn(&(f64, f64, f64)) -> f64| {
        let mut values: Vec<f64> = points.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (x, y) = (axis(|point| point.0), axis(|point| point.1));
    let at = |x: f64, y: f64| points.iter().find(|point| point.0 == x && point.1 == y).map(|point| point.2);
    let mean = y.iter().map(|&y| x.iter().map(|&x| at(x, y)).collect()).collect();
    ParameterGrid { x, y, mean }
}

/// The number that a row's parameters give to `name`.
fn parameter(row: &Row, name: &str) -> Option<f64> {
    row.parameters.iter().find(|(own, _)| own == name)?.1.parse().ok()
}

/// What runs kept, in their order.
pub fn kept(entries: &[&RunEntry]) -> Vec<Kept> {
    let keep = |entry: &&RunEntry| match &entry.outcome {
        Outcome::Done(done) if !done.run.findings.trace.is_empty() || done.affinity.is_some() => Some(Kept {
            set: entry.data.name.clone(),
            label: entry.label.clone(),
            corruption: done.run.settings.corruption,
            seed: done.run.settings.seed,
            trace: done.run.findings.trace.clone(),
            affinity: done.affinity.clone(),
        }),
        _ => None,
    };
    entries.iter().filter_map(keep).collect()
}

/// Writes what runs kept, to be committed beside the results in short.
///
/// # Errors
/// When the file cannot be written.
pub fn write_kept(path: &Path, kept: &[Kept]) -> Result<()> {
    write_atomically(path, |file| {
        // a line per run, so that a change of one run is a change of one line
        writeln!(file, "[")?;
        for (at, run) in kept.iter().enumerate() {
            let comma = if at + 1 < kept.len() { "," } else { "" };
            writeln!(file, "{}{comma}", serde_json::to_string(run)?)?;
        }
        writeln!(file, "]")
    })
}

/// Reads what runs kept.
///
/// # Errors
/// When the file cannot be read or is not what [`write_kept`] wrote.
pub fn read_kept(path: &Path) -> Result<Vec<Kept>> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
    serde_json::from_slice(&bytes).map_err(|error| Error::format(path, error.to_string()))
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

    #[test]
    fn rows_of_one_iteration_are_one_point() {
        let row = |iteration, view: &str, objective, change| TraceRow {
            iteration,
            view: view.to_owned(),
            objective,
            residual: 0.5,
            change,
        };
        let (set, label) = ("s".to_owned(), "m".to_owned());
        let drawn = |trace| {
            let kept =
                Kept { set: set.clone(), label: label.clone(), corruption: None, seed: 0, trace, affinity: None };
            convergence(&kept).unwrap().svg
        };
        let by_view = drawn(vec![row(1, "a", 2.0, 0.1), row(1, "b", 3.0, 0.4), row(2, "a", 1.0, 0.2)]);
        assert_eq!(by_view, drawn(vec![row(1, "all", 5.0, 0.4), row(2, "all", 1.0, 0.2)]));
    }

    #[test]
    fn the_family_of_a_grid_is_what_its_points_share() {
        let head = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status,seconds,peak_mb,stop,version,\
                    revision,key,note\n";
        let line = "s,9,3,a,auto,m,ridge = 1 beta=0.1,beta=0.1 variant=x,0.0,,0.0,0,0,failed,,,,,,,\n";
        let rows = crate::rows::parse(format!("{head}{line}").as_bytes()).unwrap();
        assert_eq!(family(&rows[0]), ("ridge = 1".to_owned(), vec!["beta".to_owned()]));
    }
}
