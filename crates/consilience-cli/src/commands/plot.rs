//! `consilience plot`: the pictures of a report as files.

use std::path::Path;

use consilience::data::write_atomically;
use consilience::{Error, Result};
use consilience_figures::{Block, Class, GridMap, HeatMap, Legend, LineChart, Matrix, Scale, Scatter, Series, png};
use consilience_report::unpack;
use serde_json::Value;

use super::report::document;
use crate::args::{Picture, PlotOptions};
use crate::interrupt::on_interrupt;
use crate::output::say;

/// Pixels per unit of the drawing.
const SHARPNESS: f32 = 2.0;

pub(crate) fn run(options: &PlotOptions) -> Result<()> {
    let extension = options.output.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    if !matches!(extension, "svg" | "png") {
        return Err(Error::data_with_hint(
            format!("`{}` is neither .svg nor .png", options.output.display()),
            "name the file by what it should be: -o FILE.svg or -o FILE.png",
        ));
    }
    let text = document(&options.run, None, &on_interrupt())?;
    let run: Value = serde_json::from_str(&text).map_err(|error| Error::format(&options.run, error.to_string()))?;
    let svg = match options.picture {
        Picture::Affinity => affinity(&run),
        Picture::Embedding => embedding(&run),
        Picture::Convergence => convergence(&run)?,
        Picture::Agreement => agreement(&run),
        Picture::Confusion => confusion(&run)?,
    };
    write(&options.output, &svg, extension == "png")
}

fn write(file: &Path, svg: &str, as_png: bool) -> Result<()> {
    let bytes = if as_png {
        png(svg, SHARPNESS).map_err(|error| Error::data(format!("the picture could not be drawn: {error}")))?
    } else {
        svg.as_bytes().to_vec()
    };
    write_atomically(file, |out| out.write_all(&bytes))?;
    say(&format!("wrote {}", file.display()));
    Ok(())
}

fn affinity(run: &Value) -> String {
    let heat = &run["heat"];
    let unit = heat["max"].as_f64().unwrap_or(0.0) / 255.0;
    let bounds = numbers(&heat["bounds"]);
    let blocks: Vec<Block> = bounds
        .windows(2)
        .enumerate()
        .map(|(cluster, ends)| Block { label: cluster.to_string(), size: (ends[1] - ends[0]) as usize })
        .collect();
    HeatMap {
        title: format!("{}: what the views agree on", title(run)),
        values: unpack(&heat["values"]).into_iter().map(|value| value * unit).collect(),
        columns: heat["size"].as_u64().unwrap_or(0) as usize,
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        row_title: "samples by cluster".to_owned(),
        column_title: "samples by cluster".to_owned(),
        value_label: "affinity".to_owned(),
        ..HeatMap::default()
    }
    .svg()
}

fn embedding(run: &Value) -> String {
    let samples = &run["samples"];
    let (x, y) = (unpack(&samples["x"]), unpack(&samples["y"]));
    let mut classes: Vec<Class> = Vec::new();
    for (at, cluster) in unpack(&samples["cluster"]).into_iter().enumerate() {
        let cluster = cluster as usize;
        while classes.len() <= cluster {
            classes.push(Class { name: format!("cluster {}", classes.len()), points: Vec::new() });
        }
        classes[cluster].points.push([x[at], y[at]]);
    }
    Scatter { title: format!("{}: the embedding", title(run)), classes, ..Scatter::default() }.svg()
}

fn convergence(run: &Value) -> Result<String> {
    let mut series: Vec<Series> = Vec::new();
    for row in run["trace"]["rows"].as_array().into_iter().flatten() {
        let name = row["view"].as_str().unwrap_or("").to_owned();
        let point = [row["iteration"].as_f64().unwrap_or(0.0), row["objective"].as_f64().unwrap_or(f64::NAN)];
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series { name, points: vec![point], spread: Vec::new() }),
        }
    }
    if series.is_empty() {
        return Err(Error::data(format!(
            "`{}` does not iterate: there is no convergence to draw",
            run["run"]["method"].as_str().unwrap_or("this method")
        )));
    }
    let positive = series.iter().flat_map(|series| &series.points).all(|point| point[1] > 0.0);
    Ok(LineChart {
        title: format!("{}: convergence", title(run)),
        series,
        x_label: "iteration".to_owned(),
        y_label: "objective".to_owned(),
        y_scale: if positive { Scale::Log } else { Scale::Linear },
        legend: Legend::Right,
        ..LineChart::default()
    }
    .svg())
}

/// The views' own clusterings among each other and, in the last row and column, with the consensus.
fn agreement(run: &Value) -> String {
    let views: Vec<&Value> = run["views"].as_array().into_iter().flatten().collect();
    let own: Vec<f64> = views.iter().map(|view| view["own_nmi"].as_f64().unwrap_or(f64::NAN)).collect();
    let mut values: Vec<Vec<f64>> = run["agreement"]["before"].as_array().into_iter().flatten().map(numbers).collect();
    values.iter_mut().zip(&own).for_each(|(row, &nmi)| row.push(nmi));
    values.push(own.into_iter().chain([1.0]).collect());
    let names = views.iter().map(|view| view["name"].as_str().unwrap_or("").to_owned());
    let names: Vec<String> = names.chain(["consensus".to_owned()]).collect();
    GridMap {
        title: format!("{}: agreement of the views", title(run)),
        values,
        row_labels: names.clone(),
        column_labels: names,
        value_label: "NMI".to_owned(),
        range: Some([0.0, 1.0]),
        decimals: Some(2),
        ..GridMap::default()
    }
    .svg()
}

fn confusion(run: &Value) -> Result<String> {
    let truth = &run["truth"];
    let Some(rows) = truth["confusion"].as_array() else {
        return Err(Error::data_with_hint(
            "the true classes are not known",
            "give them to `cluster` with --truth FILE",
        ));
    };
    let counts: Vec<Vec<u64>> =
        rows.iter().map(|row| numbers(row).into_iter().map(|count| count as u64).collect()).collect();
    let classes = truth["classes"].as_array().into_iter().flatten();
    Ok(Matrix {
        title: format!("{}: clusters against classes", title(run)),
        row_labels: (0..counts.len()).map(|cluster| cluster.to_string()).collect(),
        counts,
        column_labels: classes.map(|name| name.as_str().unwrap_or("").to_owned()).collect(),
        row_title: "cluster".to_owned(),
        column_title: "class".to_owned(),
        ..Matrix::default()
    }
    .svg())
}

fn title(run: &Value) -> String {
    format!("{}, {}", run["name"].as_str().unwrap_or("run"), run["run"]["method"].as_str().unwrap_or(""))
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().map(|number| number.as_f64().unwrap_or(f64::NAN)).collect()
}
