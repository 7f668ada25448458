//! Which files hold the views of a run, and what they say together.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::join::{Alignment, Join, JoinFile, join};
use super::labels::{Truth, Unlabelled};
use super::{Labelled, Loaded, ReadOptions, STDIN, Transpose, digits, is_called, read_labelled, read_one};
use consilience::matrix::Dense;
use consilience::run::Note;
use consilience::views::{Missing, Precomputed, check_shapes};
use consilience::{Error, Hint, Result, View, Views};

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
    /// Which samples are kept when the files do not have the same ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub join: Join,
    /// What becomes of missing values.
    #[serde(default, skip_serializing_if = "is_default")]
    pub missing: Missing,
    /// Views that are affinities of the samples, or distances between them, instead of features.
    #[serde(default, skip_serializing_if = "is_default")]
    pub precomputed: Vec<(String, Precomputed)>,
}

/// Records say what differs from the default, so that those of before the option existed are the same.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
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
    /// What was decided on the way.
    pub notes: Vec<Note>,
}

impl Inputs {
    /// Reads each file by itself.
    ///
    /// # Errors
    /// When one cannot be read, or a named column or file is in none of them.
    pub fn read(&self) -> Result<Vec<(PathBuf, Loaded)>> {
        let named = self.files.iter().chain(&self.truth).filter(|path| path.as_os_str() == STDIN).count();
        if named > 1 {
            return Err(Error::data_with_hint(
                format!("`{STDIN}` (standard input) was named {named} times, but can be read only once"),
                "give the others by name, or as <(command)",
            ));
        }
        if let Transpose::Files(names) = &self.options.transpose
            && let Some(name) = names.iter().find(|name| !self.files.iter().any(|path| is_called(path, name)))
        {
            return Err(Error::unknown("file", name, self.files.iter().map(|path| path.display().to_string())));
        }
        let mut options = ReadOptions { views: self.views.clone(), ..self.options.clone() };
        let mut read = |path: &Path| {
            let loaded = if path == Path::new(DIGITS) { digits() } else { read_one(path, &options) }?;
            // what is free is asked anew for every file; a limit that was given is for all of them
            let taken = loaded.views.iter().map(|view| view.data.memory()).sum();
            options.memory = options.memory.map(|memory| memory.saturating_sub(taken));
            Ok(loaded)
        };
        let files: Vec<_> = self.files.iter().map(|path| Ok((path.clone(), read(path)?))).collect::<Result<_>>()?;
        let found: Vec<_> = files.iter().map(|(path, loaded)| (path.clone(), loaded)).collect();
        check_columns(&self.options, &found)?;
        Ok(files)
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
                "save them in a file and cluster that; or ask for the report in the same command",
            )),
            None => Ok(()),
        }
    }

    /// Reads the files into views of the same samples, matched by their ids.
    ///
    /// # Errors
    /// When a file cannot be read, the files do not describe the same samples, or a view is unknown.
    pub fn load(&self) -> Result<Input> {
        let mut files = self.read()?;
        let notes = files.iter_mut().flat_map(|(_, loaded)| std::mem::take(&mut loaded.notes)).collect();
        self.check_views(&files)?;
        self.take_for_precomputed(&mut files)?;
        // a broken view that is not used does no harm, and neither does a file
        let used = |loaded: &Loaded| loaded.views.iter().any(|view| self.wants(view));
        let (used, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, loaded)| used(loaded));
        let mut aligned = self.align(used, notes)?;
        self.find_truth(&mut aligned, others)?;
        self.without_missing(aligned)
    }

    /// Takes the views that are named for affinities or distances: before rows are moved, which then takes columns along.
    fn take_for_precomputed(&self, files: &mut [(PathBuf, Loaded)]) -> Result<()> {
        for (name, what) in &self.precomputed {
            let known: Vec<String> =
                files.iter().flat_map(|(_, loaded)| &loaded.views).map(|view| view.name.clone()).collect();
            let found = files.iter_mut().find_map(|(path, loaded)| {
                let named = |view: &&mut View| view.name == *name || is_called(path, name);
                Some((loaded.views.iter_mut().find(named)?, loaded.ids.as_deref()))
            });
            let Some((view, ids)) = found else { return Err(Error::unknown("view", name, known)) };
            check_square_names(view, ids)?;
            *view = std::mem::replace(view, View::new("", Dense::<f64>::zeros(0, 0))).precomputed(*what)?;
        }
        Ok(())
    }

    /// The views of files, and the labels in them, with the same samples in the same rows.
    fn align(&self, files: Vec<(PathBuf, Loaded)>, mut notes: Vec<Note>) -> Result<Aligned> {
        let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        let parts: Vec<JoinFile<'_>> = files.iter().zip(&names).map(|((_, loaded), name)| part(name, loaded)).collect();
        let joined = join(&parts, self.join)?;
        notes.extend(joined.notes);
        let (mut views, mut truth) = (Vec::new(), None);
        for (((source, loaded), name), rows) in files.into_iter().zip(&names).zip(&joined.parts) {
            if let Some(labels) = loaded.labels {
                let count = loaded.views.first().map_or(0, |view| view.data.rows());
                let labelled = Labelled { labels, ids: None };
                let labels = Unlabelled { ids: None, count, changed: false }.labels(name, &labelled, &mut notes)?;
                match rows.complete() {
                    Some(None) => self.add_truth(&mut truth, Truth { labels, source, found: true })?,
                    Some(Some(rows)) => {
                        let labels = labels.select(&rows)?;
                        self.add_truth(&mut truth, Truth { labels, source, found: true })?;
                    }
                    // labels of a part of the samples score nothing
                    None => notes.push(Note::PartialLabels { file: name.clone() }),
                }
            }
            for view in loaded.views.into_iter().filter(|view| self.wants(view)) {
                views.push(match rows {
                    Alignment::Rows(rows) => view.aligned(rows)?,
                    Alignment::Same => view,
                });
            }
        }
        let views = chosen(views, &self.views, &[])?;
        check_shapes(&views)?;
        Ok(Aligned {
            views,
            ids: joined.ids,
            changed: matches!(joined.parts.first(), Some(Alignment::Rows(_))),
            truth,
            notes,
        })
    }

    /// Labels in files that hold nothing else, and those that the user names.
    fn find_truth(&self, aligned: &mut Aligned, others: Vec<(PathBuf, Loaded)>) -> Result<()> {
        let Aligned { views, ids, changed, truth, notes } = aligned;
        let count = views.first().map_or(0, |view| view.data.rows());
        let samples = Unlabelled { ids: ids.as_deref(), count, changed: *changed };
        for (source, loaded) in others {
            let Some(labels) = loaded.labels else { continue };
            let labelled = Labelled { labels, ids: loaded.ids };
            let labels = samples.labels(&source.display().to_string(), &labelled, notes)?;
            self.add_truth(truth, Truth { labels, source, found: true })?;
        }
        if let Some(named) = self.read_truth(ids.as_deref(), count, *changed, notes)? {
            *truth = Some(named);
        }
        Ok(())
    }

    /// The labels that the user names, of `count` samples that come with these ids.
    ///
    /// # Errors
    /// When they cannot be read or are of other samples.
    pub fn named_truth(&self, ids: Option<&[String]>, count: usize, notes: &mut Vec<Note>) -> Result<Option<Truth>> {
        self.read_truth(ids, count, false, notes)
    }

    fn read_truth(
        &self,
        ids: Option<&[String]>,
        count: usize,
        changed: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Truth>> {
        let Some(source) = &self.truth else { return Ok(None) };
        let samples = Unlabelled { ids, count, changed };
        let labels = samples.labels(&source.display().to_string(), &read_labelled(source)?, notes)?;
        Ok(Some(Truth { labels, source: source.clone(), found: false }))
    }

    /// Deals with missing values, and takes samples that are left out from everything.
    fn without_missing(&self, aligned: Aligned) -> Result<Input> {
        let Aligned { views, mut ids, mut truth, mut notes, .. } = aligned;
        let resolved = self.missing.resolve(views)?;
        if let Some(kept) = &resolved.kept {
            ids = ids.map(|ids| kept.iter().map(|&row| ids[row].clone()).collect());
            if let Some(truth) = &mut truth {
                truth.labels = truth.labels.select(kept)?;
            }
        }
        notes.extend(resolved.notes);
        Ok(Input { views: Views::new(resolved.views)?, ids, truth, notes })
    }

    fn add_truth(&self, known: &mut Option<Truth>, new: Truth) -> Result<()> {
        match known {
            Some(first) if self.truth.is_none() && first.labels != new.labels => Err(Error::data_with_hint(
                format!("the labels in `{}` and `{}` differ", first.source.display(), new.source.display()),
                Hint::NameTruth,
            )),
            Some(_) => Ok(()),
            None => {
                *known = Some(new);
                Ok(())
            }
        }
    }

    /// Whether the view is one of those that were asked for.
    fn wants(&self, view: &View) -> bool {
        self.views.is_empty() || self.views.contains(&view.name)
    }

    fn check_views(&self, files: &[(PathBuf, Loaded)]) -> Result<()> {
        let known = || files.iter().flat_map(|(_, loaded)| &loaded.views).map(|view| view.name.as_str());
        let offered = || files.iter().flat_map(|(_, loaded)| &loaded.entries).map(String::as_str);
        match self.views.iter().find(|name| !known().any(|known| known == name.as_str())) {
            Some(name) => Err(Error::unknown("view", name, known().chain(offered()))),
            None => Ok(()),
        }
    }

    /// Every file that is read, the truth among them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let files = self.files.iter().filter(|path| path.as_path() != Path::new(DIGITS));
        files.chain(&self.truth).cloned().collect()
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

/// Views of the same samples, before missing values are dealt with.
struct Aligned {
    views: Vec<View>,
    ids: Option<Vec<String>>,
    /// Rows of the first file were moved or left out.
    changed: bool,
    truth: Option<Truth>,
    notes: Vec<Note>,
}

/// Where a square table names its columns and its rows, they are the same samples in the same order.
fn check_square_names(view: &View, ids: Option<&[String]>) -> Result<()> {
    let (Some(columns), Some(rows)) = (view.features.as_deref(), ids) else { return Ok(()) };
    match columns.iter().zip(rows).position(|(column, row)| column != row) {
        Some(place) if columns.len() == rows.len() => Err(Error::data_with_hint(
            format!(
                "{}: row {} is sample `{}`, and column {} is sample `{}`",
                view.describe(),
                place + 1,
                rows[place],
                place + 1,
                columns[place]
            ),
            "rows and columns of affinities and distances must be the same samples in the same order",
        )),
        _ => Ok(()),
    }
}

/// Columns that were named must be in one of the files at least; ids, labels and covariates are often in one only.
pub(super) fn check_columns(options: &ReadOptions, files: &[(PathBuf, &Loaded)]) -> Result<()> {
    for wanted in options.named_columns() {
        let tables = || files.iter().filter_map(|(path, loaded)| Some((path, loaded.columns.as_ref()?)));
        if tables().any(|(_, columns)| columns.find(wanted).is_some()) {
            continue;
        }
        let what = match (tables().next(), files) {
            (Some((path, columns)), [_]) => {
                return Err(Error::format(path, format!("there is no column `{wanted}`: {}", columns.describe())));
            }
            (Some((path, columns)), _) => {
                format!("no file has a column `{wanted}`; of `{}`, {}", path.display(), columns.describe())
            }
            (None, _) => format!("there is no column `{wanted}`: none of the files is a table with columns"),
        };
        return Err(Error::data(what));
    }
    Ok(())
}

pub(super) fn part<'a>(name: &'a str, loaded: &'a Loaded) -> JoinFile<'a> {
    let columns = loaded.views.first().and_then(|view| view.features.as_deref());
    JoinFile { name, ids: loaded.ids.as_deref(), columns }
}
