//! What was recognised in each file, for the person who dropped it.

use std::path::Path;

use consilience::{Result, View, ViewSummary};
use consilience_io::{AboutSamples, Inputs, Loaded, ReadOptions, Transpose};
use serde::Serialize;

use crate::told::{Told, told_notes};

/// Names of columns that are listed: nobody picks one of ten thousand from a list.
const MOST_COLUMNS: usize = 200;
/// Ids that are shown.
const FIRST: usize = 3;

/// A file, or why it cannot be read.
#[derive(Serialize)]
pub(crate) struct Looked {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Told>,
    /// Whether a file that holds no view can be a table about the samples.
    table: bool,
    views: Vec<Summary>,
    /// Labels beside the views: how many classes, or none.
    classes: Option<usize>,
    ids: Option<Vec<String>>,
    columns: Vec<String>,
    entries: Vec<String>,
    notes: Vec<Told>,
}

#[derive(Serialize)]
struct Summary {
    #[serde(flatten)]
    summary: ViewSummary,
    /// A few names of features, where the file has them.
    features: Option<Vec<String>>,
}

/// Looks at every file by itself: what is wrong with one says nothing of the others.
pub(crate) fn look(inputs: &Inputs) -> Vec<Looked> {
    inputs.files.iter().map(|path| file(inputs, path)).collect()
}

fn file(inputs: &Inputs, path: &Path) -> Looked {
    let name = path.display().to_string();
    match read(inputs, path) {
        Ok(loaded) => of(name, &loaded),
        Err(error) => Looked {
            name,
            error: Some(Told::error(&error)),
            table: AboutSamples::read(path).is_ok(),
            views: Vec::new(),
            classes: None,
            ids: None,
            columns: Vec::new(),
            entries: Vec::new(),
            notes: Vec::new(),
        },
    }
}

/// A file with those of the columns and turns that are meant for it: a column may be another file's.
fn read(inputs: &Inputs, path: &Path) -> Result<Loaded> {
    let transpose = match &inputs.options.transpose {
        Transpose::Files(names) if !names.iter().any(|name| Path::new(name) == path) => Transpose::None,
        Transpose::Files(_) => Transpose::All,
        other => other.clone(),
    };
    let read = |options: ReadOptions| {
        let options = ReadOptions { transpose: transpose.clone(), ..options };
        let alone = Inputs { files: vec![path.to_owned()], views: inputs.views.clone(), options, ..Inputs::default() };
        alone.read().map(|mut files| files.swap_remove(0).1)
    };
    if let Ok(loaded) = read(inputs.options.clone()) {
        return Ok(loaded);
    }
    let loaded = read(ReadOptions::default())?;
    let Some(columns) = &loaded.columns else { return Ok(loaded) };
    let has = |name: &String| name == ReadOptions::NO_COLUMN || columns.find(name).is_some();
    let all = &inputs.options;
    let own = ReadOptions {
        id_column: all.id_column.clone().filter(has),
        label_column: all.label_column.clone().filter(has),
        drop_columns: all.drop_columns.iter().filter(|name| has(name)).cloned().collect(),
        one_hot: all.one_hot.iter().filter(|name| has(name)).cloned().collect(),
        ..ReadOptions::default()
    };
    if own == ReadOptions::default() { Ok(loaded) } else { read(own) }
}

fn of(name: String, loaded: &Loaded) -> Looked {
    let columns_known = loaded.columns.is_some();
    let columns = loaded.columns.as_ref().and_then(|columns| columns.names.clone()).unwrap_or_default();
    Looked {
        name,
        error: None,
        table: columns_known,
        views: loaded.views.iter().map(summary).collect(),
        classes: loaded.labels.as_ref().map(|labels| labels.names().len()),
        ids: loaded.ids.as_ref().map(|ids| ids.iter().take(FIRST).cloned().collect()),
        columns: columns.into_iter().take(MOST_COLUMNS).collect(),
        entries: loaded.entries.clone(),
        notes: told_notes(&loaded.notes),
    }
}

fn summary(view: &View) -> Summary {
    let names = view.features.as_ref().map(|names| names.iter().take(FIRST).cloned().collect());
    Summary { summary: view.summary(), features: names }
}
