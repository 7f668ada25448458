//! Files to views: the same samples from one file or many.

use std::path::{Path, PathBuf};

use consilience::data::{Labels, Loaded, ReadOptions, digits, read_labels, read_with};
use consilience::{Error, Result, Views};

use crate::args::InputOptions;

/// What stands for the digits inside the program where a file is expected.
pub(crate) const DIGITS: &str = ":digits";

/// Everything the files said, checked against each other.
pub(crate) struct Input {
    pub(crate) views: Views,
    pub(crate) ids: Option<Vec<String>>,
    pub(crate) truth: Option<Truth>,
}

/// Known classes, and where they came from.
pub(crate) struct Truth {
    pub(crate) labels: Labels,
    pub(crate) source: PathBuf,
    /// Found beside the views, not named by the user.
    pub(crate) found: bool,
}

/// Reads each file.
pub(crate) fn read_files(options: &InputOptions) -> Result<Vec<(PathBuf, Loaded)>> {
    let how = ReadOptions { id_column: options.id_column.clone(), label_column: options.label_column.clone() };
    let read = |path: &Path| if path == Path::new(DIGITS) { digits() } else { read_with(path, &how) };
    options.files.iter().map(|path| Ok((path.clone(), read(path)?))).collect()
}

/// Reads the files into views; `chosen` picks and orders them, `truth` overrides labels inside the files.
pub(crate) fn load(options: &InputOptions, chosen: &[String], truth: Option<&Path>) -> Result<Input> {
    let (mut views, mut ids, mut found) = (Vec::new(), None, None);
    for (path, loaded) in read_files(options)? {
        views.extend(loaded.views);
        if let Some(new) = loaded.ids {
            same_ids(&mut ids, new, &path)?;
        }
        if let Some(labels) = loaded.labels {
            same_labels(&mut found, Truth { labels, source: path, found: true }, truth.is_some())?;
        }
    }
    if !chosen.is_empty() {
        // checked after the choice: a broken view that is not used does no harm
        let names: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
        let pick = |name: &String| match views.iter().find(|view| view.name == *name) {
            Some(view) => Ok(view.clone()),
            None => Err(Error::Unknown { kind: "view", name: name.clone(), known: names.clone() }),
        };
        views = chosen.iter().map(pick).collect::<Result<_>>()?;
    }
    let views = Views::new(views)?;
    if let Some(path) = truth {
        found = Some(Truth { labels: read_labels(path)?, source: path.to_owned(), found: false });
    }
    if let Some(Truth { labels, source, .. }) = &found
        && labels.len() != views.samples()
    {
        return Err(Error::data_with_hint(
            format!("`{}` has {} labels for {} samples", source.display(), labels.len(), views.samples()),
            "one label per sample, in the order of the samples",
        ));
    }
    Ok(Input { views, ids: ids.map(|(ids, _)| ids), truth: found })
}

fn same_ids(known: &mut Option<(Vec<String>, PathBuf)>, new: Vec<String>, path: &Path) -> Result<()> {
    let Some((ids, first)) = known else {
        *known = Some((new, path.to_owned()));
        return Ok(());
    };
    let Some(row) = ids.iter().zip(&new).position(|(a, b)| a != b) else { return Ok(()) };
    Err(Error::data_with_hint(
        format!(
            "row {} is sample `{}` in `{}` but `{}` in `{}`",
            row + 1,
            ids[row],
            first.display(),
            new[row],
            path.display()
        ),
        "sort both files by the id; views must describe the same samples in the same order",
    ))
}

fn same_labels(known: &mut Option<Truth>, new: Truth, overridden: bool) -> Result<()> {
    match known {
        Some(first) if !overridden && first.labels != new.labels => Err(Error::data_with_hint(
            format!("the labels in `{}` and `{}` differ", first.source.display(), new.source.display()),
            "say which to score with: --truth FILE",
        )),
        Some(_) => Ok(()),
        None => {
            *known = Some(new);
            Ok(())
        }
    }
}
