//! `consilience plot`: the pictures of a report as files.

use std::path::Path;

use consilience::choose::KPoint;
use consilience::{Error, Result};
use consilience_figures::{
    AxisScale, Block, Class, ConfusionMatrix, Dendrogram, GridMap, HeatMap, LineChart, Scatter, Series, png,
};
use consilience_io::folder::{self, Place};
use consilience_io::{Inputs, check_writable, write_atomically};
use consilience_report::{ClusterSummary, Document};

use super::report::{document, json, judged};
use crate::args::{ExaminationOptions, Picture, PlotOptions};
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
    let known = folder::read(&options.run)?;
    let read = known.inputs.as_ref().map(Inputs::paths).unwrap_or_default();
    check_writable(&options.output, options.force, &read)?;
    let mut home = (!folder::has_report(&options.run)).then(|| Place::of_run(&options.run)).transpose()?;
    let (document, fresh) = document(&options.run, known, &ExaminationOptions::default(), None, &on_interrupt())?;
    if let (Some(home), true) = (&mut home, fresh) {
        home.add_report(Some((&judged(&options.run, &document)?, &json(&document)?)), None)?;
    }
    let svg = match options.picture {
        Picture::Affinity => affinity(&document),
        Picture::Embedding => embedding(&document),
        Picture::Convergence => convergence(&document)?,
        Picture::Agreement => agreement(&document),
        Picture::Confusion => confusion(&document)?,
        Picture::K => number_of_clusters(&document)?,
        Picture::Markers => markers(&document)?,
        Picture::Tree => tree(&document)?,
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

fn affinity(document: &Document) -> String {
    let heat = &document.heat;
    let blocks: Vec<Block> = heat
        .bounds
        .windows(2)
        .enumerate()
        .map(|(cluster, ends)| Block { label: cluster.to_string(), size: ends[1] - ends[0] })
        .collect();
    HeatMap {
        title: title(document, "what the views agree on"),
        values: heat.values.0.iter().map(|&value| f64::from(value) * (heat.max / 255.0)).collect(),
        columns: heat.size,
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        row_title: "samples by cluster".to_owned(),
        column_title: "samples by cluster".to_owned(),
        value_label: "affinity".to_owned(),
    }
    .svg()
}

fn embedding(document: &Document) -> String {
    let samples = &document.samples;
    let name = |cluster| Class { name: format!("cluster {cluster}"), points: Vec::new() };
    let mut classes: Vec<Class> = (0..document.clusters.len()).map(name).collect();
    for ((&cluster, &x), &y) in samples.cluster.0.iter().zip(&samples.x.0).zip(&samples.y.0) {
        classes[usize::from(cluster)].points.push([x.into(), y.into()]);
    }
    Scatter { title: title(document, "the embedding"), classes }.svg()
}

fn convergence(document: &Document) -> Result<String> {
    let mut series: Vec<Series> = Vec::new();
    for row in &document.trace {
        let point = [row.iteration as f64, row.objective];
        match series.iter_mut().find(|series| series.name == row.view) {
            Some(series) => series.points.push(point),
            None => series.push(Series { name: row.view.clone(), points: vec![point] }),
        }
    }
    if series.is_empty() {
        let method = &document.run.method;
        return Err(Error::data(format!("`{method}` does not iterate: there is no convergence to draw")));
    }
    let positive = series.iter().flat_map(|series| &series.points).all(|point| point[1] > 0.0);
    Ok(LineChart {
        title: title(document, "convergence"),
        series,
        x_label: "iteration".to_owned(),
        y_label: "objective".to_owned(),
        y_scale: if positive { AxisScale::Log } else { AxisScale::Linear },
    }
    .svg())
}

/// The views' own clusterings among each other and, in the last row and column, with the consensus.
fn agreement(document: &Document) -> String {
    let own = document.views.iter().map(|view| view.own_nmi);
    let mut values = document.agreement.before.clone();
    values.iter_mut().zip(own.clone()).for_each(|(row, nmi)| row.push(nmi));
    values.push(own.chain([1.0]).collect());
    let names = document.views.iter().map(|view| view.name.clone());
    let names: Vec<String> = names.chain(["consensus".to_owned()]).collect();
    GridMap {
        title: title(document, "agreement of the views"),
        values,
        row_labels: names.clone(),
        column_labels: names,
        value_label: "NMI".to_owned(),
        range: Some([0.0, 1.0]),
        decimals: Some(2),
    }
    .svg()
}

fn tree(document: &Document) -> Result<String> {
    if document.tree.joins.is_empty() {
        return Err(Error::data("there is one cluster, or the run is of before 0.3: there is no tree to draw"));
    }
    let name = |(cluster, found): (usize, &ClusterSummary)| format!("cluster {cluster} ({})", found.size);
    Ok(Dendrogram {
        title: title(document, "how the clusters join"),
        names: document.clusters.iter().enumerate().map(name).collect(),
        joins: document.tree.joins.iter().map(|join| ([join.clusters.0, join.clusters.1], join.height)).collect(),
        height_label: "1 less the share of ties that go to the other".to_owned(),
    }
    .svg())
}

fn confusion(document: &Document) -> Result<String> {
    let Some(truth) = &document.truth else {
        return Err(Error::data_with_hint(
            "the true classes are not known",
            "give them to `cluster` with --truth FILE",
        ));
    };
    let counts = truth.confusion.iter().map(|row| row.iter().map(|&count| count as u64).collect());
    Ok(ConfusionMatrix {
        title: title(document, "clusters against classes"),
        row_labels: (0..truth.confusion.len()).map(|cluster| cluster.to_string()).collect(),
        counts: counts.collect(),
        column_labels: truth.classes.clone(),
        row_title: "cluster".to_owned(),
        column_title: "class".to_owned(),
    }
    .svg())
}

/// Clusters against the features that set them apart.
fn markers(document: &Document) -> Result<String> {
    let Some(picture) = &document.marker_picture else {
        return Err(Error::data("no feature sets a cluster apart: there are no markers to draw"));
    };
    let name = |&place: &usize| {
        let marker = &document.markers[place];
        format!("{}: {}", marker.view, marker.feature)
    };
    // features as rows: their names are long
    let row = |column: usize| picture.means.iter().map(|means| means[column]).collect();
    Ok(GridMap {
        title: title(document, "the features that set clusters apart"),
        values: (0..picture.markers.len()).map(row).collect(),
        row_labels: picture.markers.iter().map(name).collect(),
        column_labels: (0..picture.means.len()).map(|cluster| cluster.to_string()).collect(),
        value_label: "standard deviations from the mean".to_owned(),
        decimals: Some(1),
        ..GridMap::default()
    }
    .svg())
}

/// Stability beside that of a null, the agreement of the views, and the eigenvalues beside those of a null.
fn number_of_clusters(document: &Document) -> Result<String> {
    let Some(choice) = document.choice.as_ref().filter(|choice| !choice.curves.is_empty()) else {
        return Err(Error::data_with_hint(
            "the number of clusters of this run was given, not chosen",
            "let `cluster` choose it: -k auto, or a range such as -k 2-12",
        ));
    };
    let line = |name: &str, value: fn(&KPoint) -> Option<f64>| Series {
        name: name.to_owned(),
        points: choice.curves.iter().filter_map(|point| Some([point.k as f64, value(point)?])).collect(),
    };
    let mut series = vec![
        line("halves agree", |point| Some(point.stability)),
        line("halves, no clusters", |point| Some(point.null_stability)),
        line("views agree", |point| point.agreement),
        line("eigenvalue", |point| Some(point.eigenvalue)),
        line("eigenvalue, no clusters", |point| Some(point.null_eigenvalue)),
    ];
    series.retain(|series| !series.points.is_empty());
    let what = match choice.clusters() {
        1 => "no structure found".to_owned(),
        k => format!("{k} clusters"),
    };
    Ok(LineChart {
        title: title(document, &what),
        series,
        x_label: "number of clusters".to_owned(),
        y_label: "agreement, eigenvalue".to_owned(),
        ..LineChart::default()
    }
    .svg())
}

fn title(document: &Document, what: &str) -> String {
    format!("{}, {}: {what}", document.name, document.run.method)
}
