//! The data sets of a plan: what their files hold, checked before the first run, and loaded by each run.

use std::fs::File;
use std::path::{Path, PathBuf};

use consilience::{Error, Result, Views};
use consilience_io::{DIGITS, Input, Inputs, Labels, read_labels};
use sha2::{Digest, Sha256};

use crate::plan::{DataSet, Plan, Source};

/// What a set's files hold.
#[derive(Debug, Clone)]
pub(crate) struct DataSetShape {
    /// SHA-256 of the files, and of the list of the samples to use; `embedded` for all of the digits inside the program.
    pub(crate) sha256: String,
    /// Samples.
    pub(crate) n: usize,
    /// The views by name.
    pub(crate) views: Vec<String>,
    /// Classes of the samples.
    pub(crate) classes: usize,
}

/// Loads every set of the plan, to find what does not fit before anything is run; none for an optional one that is not there.
///
/// # Errors
/// When a file is missing or does not hold what the plan says, with the plan's line.
pub(crate) fn open(plan: &Plan) -> Result<Vec<Option<DataSetShape>>> {
    plan.sets.iter().map(|set| open_one(&plan.source, set)).collect()
}

fn open_one(source: &Source, set: &DataSet) -> Result<Option<DataSetShape>> {
    if let Some(file) = set.inputs.files.iter().find(|file| !embedded(file) && !file.is_file()) {
        if set.optional {
            return Ok(None);
        }
        let what = format!("there is no file `{}`", file.display());
        let hint = "paths are relative to the plan; `optional = true` lets a set be absent";
        return Err(source.wrong(&set.span, what, hint));
    }
    let (loaded, sha256) = std::thread::scope(|scope| {
        // beside the reader: what one of the two fetches is in memory for the other, so the disk is read once
        let digest = scope.spawn(|| digest(set));
        (load(&set.inputs, set.subset.as_deref()), digest.join())
    });
    let sha256 = sha256.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let span = if set.inputs.views.is_empty() { &set.span } else { &set.views_span };
    let (views, labels) = loaded.map_err(|error| source.blame(span, &error))?;
    Ok(Some(DataSetShape {
        sha256: sha256?,
        n: views.samples(),
        views: views.iter().map(|view| view.name.clone()).collect(),
        classes: labels.names().len(),
    }))
}

/// The samples of a set (those that the list `subset` names, where there is one) with their classes.
///
/// # Errors
/// When it cannot be read, has no labels, lacks one of the views, or the subset does not fit.
pub(crate) fn load(inputs: &Inputs, subset: Option<&Path>) -> Result<(Views, Labels)> {
    let Input { views, truth, .. } = inputs.load()?;
    let labels = truth.map(|truth| truth.labels).ok_or_else(|| {
        let files: Vec<String> = inputs.files.iter().map(|file| format!("`{}`", file.display())).collect();
        let hint = "an experiment needs the true classes to score with, beside the views";
        Error::data_with_hint(format!("{} has no labels", files.join(", ")), hint)
    })?;
    let Some(subset) = subset else { return Ok((views, labels)) };
    let rows = sample_numbers(subset, labels.len())?;
    let names: Vec<&String> = rows.iter().map(|&row| &labels.names()[labels.codes()[row] as usize]).collect();
    Ok((views.select(&rows)?, Labels::from_names(&names)))
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

fn embedded(file: &Path) -> bool {
    file == Path::new(DIGITS)
}

fn digest(set: &DataSet) -> Result<String> {
    let files: Vec<&PathBuf> = set.inputs.files.iter().filter(|file| !embedded(file)).chain(&set.subset).collect();
    if files.is_empty() {
        return Ok("embedded".to_owned());
    }
    let mut hash = Sha256::new();
    for path in files {
        let read = File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut hash));
        read.map_err(|error| Error::reading(path, error))?;
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// Bytes as `sha256sum` prints them.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
