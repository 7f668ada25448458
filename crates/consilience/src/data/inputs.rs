//! Which files hold the views of a run, and what they say together.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Labels, Loaded, ReadOptions, STDIN, digits, read_labels, read_with};
use crate::{Error, Result, View, Views};

/// What stands for the digits inside the program where a file is expected.
pub const DIGITS: &str = ":digits";

/// The files of a run and how they are to be read: kept in its record, so that the run can be made again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The files; [`DIGITS`] stands for those inside the program.
    pub files: Vec<PathBuf>,
    /// What the files do not say themselves.
    #[serde(flatten)]
    pub options: ReadOptions,
    /// Only these views, in this order; all when empty.
    #[serde(default)]
    pub views: Vec<String>,
    /// A file with the true labels, instead of those in the other files.
    #[serde(default)]
    pub truth: Option<PathBuf>,
}

/// Everything the files said, checked against each other.
#[derive(Debug, Clone)]
pub struct Input {
    /// The views.
    pub views: Views,
    /// The samples' ids, where a file had them.
    pub ids: Option<Vec<String>>,
    /// Known classes, for scoring only.
    pub truth: Option<Truth>,
}

/// Known classes, and where they came from.
#[derive(Debug, Clone)]
pub struct Truth {
    /// The class of every sample.
    pub labels: Labels,
    /// The file.
    pub source: PathBuf,
    /// Found beside the views, not named by the user.
    pub found: bool,
}

impl Inputs {
    /// Reads each file by itself.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(&self) -> Result<Vec<(PathBuf, Loaded)>> {
        let named = self.files.iter().chain(&self.truth).filter(|path| path.as_os_str() == STDIN).count();
        if named > 1 {
            return Err(Error::data_with_hint(
                format!("`{STDIN}` (standard input) was named {named} times, but can be read only once"),
                "give the others by name, or as <(command)",
            ));
        }
        let mut options = ReadOptions { views: self.views.clone(), ..self.options.clone() };
        let mut read = |path: &Path| {
            let loaded = if path == Path::new(DIGITS) { digits() } else { read_with(path, &options) }?;
            // what is free is asked anew for every file; a limit that was given is for all of them
            let taken = loaded.views.iter().map(|view| view.data.memory()).sum();
            options.memory = options.memory.map(|memory| memory.saturating_sub(taken));
            Ok(loaded)
        };
        self.files.iter().map(|path| Ok((path.clone(), read(path)?))).collect()
    }

    /// Nothing when every file can be read a second time, as making a run again does.
    ///
    /// # Errors
    /// When one of them was a pipe or standard input: what came from it is gone.
    pub fn check_repeatable(&self) -> Result<()> {
        let gone = |path: &&PathBuf| {
            let is_file = || std::fs::metadata(path).map_or(true, |about| about.is_file());
            path.as_os_str() == STDIN || (path.as_os_str() != DIGITS && !is_file())
        };
        match self.files.iter().chain(&self.truth).find(gone) {
            Some(path) => Err(Error::data_with_hint(
                format!("the data were read from `{}`, which cannot be read again", path.display()),
                "save them in a file and cluster that; or ask for the report in the same command (--report)",
            )),
            None => Ok(()),
        }
    }

    /// Reads the files into views of the same samples.
    ///
    /// # Errors
    /// When a file cannot be read, the files do not describe the same samples, or a view is unknown.
    pub fn load(&self) -> Result<Input> {
        let (mut views, mut entries, mut ids, mut truth) = (Vec::new(), Vec::new(), None, None);
        for (path, loaded) in self.read()? {
            views.extend(loaded.views);
            entries.extend(loaded.entries);
            if let Some(new) = loaded.ids {
                same_ids(&mut ids, new, &path)?;
            }
            if let Some(labels) = loaded.labels {
                same_labels(&mut truth, Truth { labels, source: path, found: true }, self.truth.is_some())?;
            }
        }
        // checked after the choice: a broken view that is not used does no harm
        let views = Views::new(chosen(views, &self.views, &entries)?)?;
        if let Some(path) = &self.truth {
            truth = Some(Truth { labels: read_labels(path)?, source: path.clone(), found: false });
        }
        if let Some(Truth { labels, source, .. }) = &truth
            && labels.len() != views.samples()
        {
            return Err(Error::data_with_hint(
                format!("`{}` has {} labels for {} samples", source.display(), labels.len(), views.samples()),
                "one label per sample, in the order of the samples",
            ));
        }
        Ok(Input { views, ids: ids.map(|(ids, _)| ids), truth })
    }

    /// The same files, found from any folder.
    ///
    /// # Errors
    /// When the current folder cannot be found out.
    pub fn absolute(&self) -> Result<Self> {
        let absolute = |path: &PathBuf| match path.to_str() {
            Some(DIGITS | STDIN) => Ok(path.clone()),
            _ => std::path::absolute(path).map_err(|source| Error::reading(path, source)),
        };
        let files = self.files.iter().map(absolute).collect::<Result<_>>()?;
        Ok(Self { files, truth: self.truth.as_ref().map(absolute).transpose()?, ..self.clone() })
    }
}

/// The views called `names`, in that order; all when none are named.
///
/// # Errors
/// When there is no view of a name; the message names those there are, and those that the files `offered` without giving
/// them ([`Loaded::entries`]).
pub fn chosen(views: Vec<View>, names: &[String], offered: &[String]) -> Result<Vec<View>> {
    if names.is_empty() {
        return Ok(views);
    }
    let known = || views.iter().map(|view| view.name.as_str()).chain(offered.iter().map(String::as_str));
    let pick = |name: &String| {
        let mut found = views.iter().filter(|view| view.name == *name);
        let first = found.next().cloned();
        match (&first, found.next()) {
            (Some(first), Some(second)) => Err(Error::data_with_hint(
                format!("the view `{name}` is in two files: {} and {}", first.describe(), second.describe()),
                "say which with the file's name before it: FILE:VIEW in .h5ad, another name elsewhere",
            )),
            _ => first.ok_or_else(|| Error::unknown("view", name, known())),
        }
    };
    names.iter().map(pick).collect()
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
