//! The data sets of a plan: what their files hold, checked before the first run, and loaded by each run.

use std::path::Path;

use consilience::data::{Labels, digits, read, read_labels};
use consilience::matrix::Matrix;
use consilience::{Error, Result, View, Views};
use sha2::{Digest, Sha256};

use crate::plan::{DataSet, Plan, Source};

/// What a set's file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// SHA-256 of the file, or of the file and its subset; `embedded` for the digits.
    pub sha256: String,
    /// Samples.
    pub n: usize,
    /// The views by name, with their numbers of features.
    pub views: Vec<(String, usize)>,
    /// Clusters to find.
    pub clusters: usize,
}

/// What a set is to a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Opened {
    /// Its file is there and fits.
    Ready(Facts),
    /// It is optional and not there; the words say what is missing.
    Absent(String),
}

/// Reads every set of the plan once, to find what does not fit before anything is run.
///
/// # Errors
/// When a file is missing or does not hold what the plan says, with the plan's line.
pub fn open(plan: &Plan) -> Result<Vec<Opened>> {
    plan.sets.iter().map(|set| open_one(&plan.source, set)).collect()
}

fn open_one(source: &Source, set: &DataSet) -> Result<Opened> {
    if let Some(file) = set.file.as_ref().filter(|file| !file.is_file()) {
        let what = format!("there is no file `{}`", file.display());
        if set.optional {
            return Ok(Opened::Absent(what));
        }
        let hint = "paths are relative to the plan; `optional = true` lets a set be absent";
        return Err(source.wrong(&set.span, what, hint));
    }
    let (views, labels) = load(set.file.as_deref(), &set.views, set.subset.as_deref())
        .map_err(|error| source.blame(if set.views.is_empty() { &set.span } else { &set.views_span }, &error))?;
    let clusters = set.clusters.unwrap_or(labels.names().len());
    if clusters > views.samples() {
        let what = format!("`k` = {clusters}, but data set `{}` has {} samples", set.name, views.samples());
        return Err(source.wrong(&set.clusters_span, what, "at most as many clusters as samples"));
    }
    Ok(Opened::Ready(Facts {
        sha256: digest(set)?,
        n: views.samples(),
        views: views.iter().map(|view| (view.name.clone(), view.data.cols())).collect(),
        clusters,
    }))
}

/// The set that `file` holds (the digits inside the program when there is none), with the classes of its samples.
///
/// # Errors
/// When it cannot be read, has no labels, lacks one of the views, or the subset does not fit.
pub fn load(file: Option<&Path>, chosen: &[String], subset: Option<&Path>) -> Result<(Views, Labels)> {
    let loaded = match file {
        Some(path) => read(path)?,
        None => digits()?,
    };
    let name = file.map_or_else(|| "the digits".to_owned(), |path| format!("`{}`", path.display()));
    let mut labels = loaded.labels.ok_or_else(|| {
        let hint = "an experiment needs the true classes to score with, beside the views";
        Error::data_with_hint(format!("{name} has no labels"), hint)
    })?;
    let mut views = pick(loaded.views, chosen)?;
    if let Some(path) = subset {
        let rows = sample_numbers(path, labels.len())?;
        views.iter_mut().for_each(|view| view.data = rows_of(&view.data, &rows));
        let names: Vec<&String> = rows.iter().map(|&row| &labels.names()[labels.codes()[row] as usize]).collect();
        labels = Labels::from_names(&names);
    }
    let views = Views::new(views)?;
    if labels.len() != views.samples() {
        return Err(Error::data(format!("{name} has {} labels for {} samples", labels.len(), views.samples())));
    }
    Ok((views, labels))
}

fn pick(views: Vec<View>, chosen: &[String]) -> Result<Vec<View>> {
    if chosen.is_empty() {
        return Ok(views);
    }
    let known: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
    let find = |name: &String| {
        let found = views.iter().find(|view| view.name == *name).cloned();
        found.ok_or_else(|| Error::Unknown { kind: "view", name: name.clone(), known: known.clone() })
    };
    chosen.iter().map(find).collect()
}

/// Numbers of samples, counted from 0: a list is read as labels are, whose names are then the numbers.
fn sample_numbers(path: &Path, samples: usize) -> Result<Vec<usize>> {
    let list = read_labels(path)?;
    let number = |&code: &u32| {
        let word = &list.names()[code as usize];
        word.parse().ok().filter(|&row: &usize| row < samples).ok_or_else(|| {
            let hint = format!("whole numbers from 0 to {}", samples.saturating_sub(1));
            Error::data_with_hint(format!("`{}` names sample `{word}` of {samples}", path.display()), hint)
        })
    };
    list.codes().iter().map(number).collect()
}

fn rows_of(matrix: &Matrix, rows: &[usize]) -> Matrix {
    match matrix {
        Matrix::DenseF32(m) => m.select_rows(rows).into(),
        Matrix::DenseF64(m) => m.select_rows(rows).into(),
        Matrix::SparseF32(m) => m.select_rows(rows).into(),
        Matrix::SparseF64(m) => m.select_rows(rows).into(),
    }
}

fn digest(set: &DataSet) -> Result<String> {
    let Some(file) = &set.file else { return Ok("embedded".to_owned()) };
    let mut hash = Sha256::new();
    for path in [Some(file), set.subset.as_ref()].into_iter().flatten() {
        hash.update(std::fs::read(path).map_err(|error| Error::reading(path, error))?);
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// Bytes as `sha256sum` prints them.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
