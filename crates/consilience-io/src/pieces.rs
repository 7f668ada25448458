//! Files a piece at a time, for what needs every sample once and none for long, and a run by landmarks on them.
//!
//! What a table's columns are for is decided by its first piece, which is [`crate::source::PIECE`] bytes long; a later cell that is not what
//! its column should hold is an error, with its line. Several files are read side by side where their samples are the same
//! in the same order, which is found out by going through their ids first.

use consilience::landmarks::SampleSource;
use consilience::matrix::{Matrix, Real};
use consilience::plan::Size;
use consilience::run::Note;
use consilience::views::Missing;
use consilience::{Error, Result, Run, View, Views};

use super::inputs::{check_columns, part};
use super::join::{Join, join};
use super::source::{Source, Stream};
use super::{Alignment, DIGITS, Inputs, Loaded, ReadOptions, STDIN, Transpose, formats};

/// Samples of several files, a piece at a time.
pub struct Pieces {
    files: Vec<File>,
    /// Which view of all comes first, second and so on.
    order: Vec<usize>,
    /// Samples that have been handed over.
    before: usize,
    /// Samples in all, once they have been counted.
    count: Option<usize>,
    /// Whether a file holds labels of the samples, which are not handed over.
    pub labelled: bool,
    /// What was decided on the way.
    pub notes: Vec<Note>,
}

/// A file and what has been read of it but not been handed over.
struct File {
    name: String,
    stream: Box<dyn Stream>,
    waiting: Option<(Vec<View>, Option<Vec<String>>)>,
}

/// Some samples.
#[derive(Debug)]
pub struct Piece {
    /// Their views.
    pub views: Views,
    /// Their ids, where a file has some.
    pub ids: Option<Vec<String>>,
    /// How many came before.
    pub before: usize,
}

impl Inputs {
    /// The files a piece at a time; none when they have to be read as a whole: because of what is asked (a join,
    /// transposing, one-hot coding, missing values, a choice of views that leaves files out), of the format, of where they come from (a pipe, a
    /// packed file), or because their samples are not in the same order.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn pieces(&self) -> Result<Option<Pieces>> {
        let options = &ReadOptions { views: self.views.clone(), ..self.options.clone() };
        let whole = self.join != Join::default()
            || self.missing != Missing::default()
            || options.transpose != Transpose::None
            || !self.precomputed.is_empty()
            || !options.one_hot.is_empty();
        let is_file = |path: &std::path::PathBuf| {
            path.as_os_str() != STDIN
                && path.as_os_str() != DIGITS
                && std::fs::metadata(path).is_ok_and(|a| a.is_file())
        };
        if whole || !self.files.iter().all(is_file) {
            return Ok(None);
        }
        let mut files = Vec::new();
        for path in &self.files {
            let source = Source::open(path, options.memory)?;
            if !source.is_on_disk() {
                return Ok(None);
            }
            let Some(stream) = formats::detect(&source)?.stream(source, options)? else { return Ok(None) };
            files.push(File { name: path.display().to_string(), stream, waiting: None });
        }
        let Some(Begun { order, notes, labelled }) = self.begin(&mut files)? else { return Ok(None) };
        let mut pieces = Pieces { files, order, before: 0, count: None, labelled, notes };
        if pieces.files.len() > 1 {
            let Some(count) = same_samples(&mut pieces.files)? else { return Ok(None) };
            pieces.count = Some(count);
        }
        pieces.rewind();
        Ok(Some(pieces))
    }

    /// Looks at the first piece of every file; none when the files are not views that lie side by side.
    fn begin(&self, files: &mut [File]) -> Result<Option<Begun>> {
        let mut first: Vec<Loaded> = Vec::new();
        for file in files.iter_mut() {
            let Some(mut loaded) = file.stream.next()? else { return Ok(None) };
            loaded.views.iter_mut().for_each(|view| drop(view.tell_columns_apart()));
            first.push(loaded);
        }
        let found: Vec<_> = self.files.iter().cloned().zip(&first).collect();
        check_columns(&self.options, &found)?;
        let Some(order) = self.order(&first) else { return Ok(None) };
        let mut notes: Vec<Note> = first.iter_mut().flat_map(|loaded| std::mem::take(&mut loaded.notes)).collect();
        let common = first.iter().map(|loaded| loaded.views[0].data.rows()).min().unwrap_or(0);
        first.iter_mut().filter_map(|loaded| loaded.ids.as_mut()).for_each(|ids| ids.truncate(common));
        let parts: Vec<_> = files.iter().zip(&first).map(|(file, loaded)| part(&file.name, loaded)).collect();
        let Ok(joined) = join(&parts, Join::Strict) else { return Ok(None) };
        notes.extend(joined.notes);
        let labelled = first.iter().any(|loaded| loaded.labels.is_some());
        let same = joined.parts.iter().all(|part| *part == Alignment::Same);
        Ok(same.then_some(Begun { order, notes, labelled }))
    }

    /// The order of the views that are asked for; none when a file has no view, or one that is not asked for.
    fn order(&self, files: &[Loaded]) -> Option<Vec<usize>> {
        let names: Vec<&str> = files.iter().flat_map(|file| &file.views).map(|view| view.name.as_str()).collect();
        let empty = files.iter().any(|file| file.views.is_empty());
        if empty || (!self.views.is_empty() && self.views.len() != names.len()) {
            return None;
        }
        if self.views.is_empty() {
            return Some((0..names.len()).collect());
        }
        self.views.iter().map(|wanted| names.iter().position(|name| name == wanted)).collect()
    }
}

/// What the first pieces say.
struct Begun {
    order: Vec<usize>,
    notes: Vec<Note>,
    labelled: bool,
}

/// How many rows the files have, when they have equally many, with the same ids where they have some.
fn same_samples(files: &mut [File]) -> Result<Option<usize>> {
    let mut count = 0;
    files.iter_mut().for_each(|file| file.stream.rewind());
    let mut waiting: Vec<(usize, Option<Vec<String>>)> = vec![(0, None); files.len()];
    loop {
        let mut ended = 0;
        for (file, waiting) in files.iter_mut().zip(&mut waiting).filter(|(_, waiting)| waiting.0 == 0) {
            match file.stream.next_ids()? {
                Some(next) => *waiting = next,
                None => ended += 1,
            }
        }
        if ended > 0 {
            return Ok((ended == files.len()).then_some(count));
        }
        let common = waiting.iter().map(|(rows, _)| *rows).min().unwrap_or(0);
        let mut heads = waiting.iter().filter_map(|(_, ids)| ids.as_deref()).map(|ids| &ids[..common]);
        let first = heads.next();
        if heads.any(|ids| Some(ids) != first) {
            return Ok(None);
        }
        count += common;
        for (rows, ids) in &mut waiting {
            *rows -= common;
            ids.iter_mut().for_each(|ids| drop(ids.drain(..common)));
        }
    }
}

impl Pieces {
    /// How many samples there are; a text table is gone through to find out.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn count(&mut self) -> Result<usize> {
        if let Some(count) = self.count {
            return Ok(count);
        }
        // one file has as many rows as itself
        let count = same_samples(&mut self.files)?.unwrap_or(0);
        self.count = Some(count);
        self.rewind();
        Ok(count)
    }

    /// Begins again with the first sample.
    pub fn rewind(&mut self) {
        self.before = 0;
        for file in &mut self.files {
            file.stream.rewind();
            file.waiting = None;
        }
    }

    /// The next samples.
    ///
    /// # Errors
    /// When a file cannot be read, its rows are not what its first ones were, or values are missing.
    pub fn next_piece(&mut self) -> Result<Option<Piece>> {
        for file in self.files.iter_mut().filter(|file| file.waiting.is_none()) {
            let Some(mut loaded) = file.stream.next()? else { return Ok(None) };
            loaded.views.iter_mut().for_each(|view| drop(view.tell_columns_apart()));
            file.waiting = Some((loaded.views, loaded.ids));
        }
        let rows = |file: &File| file.waiting.as_ref().map_or(0, |(views, _)| views[0].data.rows());
        let common = self.files.iter().map(rows).min().unwrap_or(0);
        let (mut views, mut ids) = (Vec::new(), None);
        for file in &mut self.files {
            let Some((mut own, mut names)) = file.waiting.take() else { continue };
            let all = own[0].data.rows();
            if all > common {
                let later = names.as_mut().map(|names| names.split_off(common));
                let part = |rows: std::ops::Range<usize>| -> Vec<View> {
                    let rows: Vec<usize> = rows.collect();
                    own.iter().map(|view| view.with_data(view.data.select_rows(&rows))).collect()
                };
                file.waiting = Some((part(common..all), later));
                own = part(0..common);
            }
            own.iter().try_for_each(|view| check_values(view, self.before))?;
            views.extend(own.into_iter().map(Some));
            ids = ids.or(names);
        }
        let views: Vec<View> = self.order.iter().filter_map(|&at| views.get_mut(at)?.take()).collect();
        let before = self.before;
        self.before += common;
        Ok(Some(Piece { views: Views::new(views)?, ids, before }))
    }

    /// Bytes that have been read, and that there are.
    pub fn progress(&self) -> (usize, usize) {
        let sum = |(done, total): (usize, usize), file: &File| {
            let (read, all) = file.stream.progress();
            (done + read as usize, total + all as usize)
        };
        self.files.iter().fold((0, 0), sum)
    }
}

/// Refuses missing and infinite values by their row in the file. A row without any value is a sample that the view does not
/// know, and goes on.
fn check_values(view: &View, before: usize) -> Result<()> {
    fn all_or_nothing<T: Real>(row: &[T]) -> bool {
        row.iter().all(|x| x.to_f64().is_finite()) || row.iter().all(|x| x.to_f64().is_nan())
    }
    let usable = |row: usize| match &view.data {
        Matrix::DenseF32(m) => all_or_nothing(m.row(row)),
        Matrix::DenseF64(m) => all_or_nothing(m.row(row)),
        Matrix::SparseF32(m) => m.row(row).1.iter().all(|x| x.is_finite()),
        Matrix::SparseF64(m) => m.row(row).1.iter().all(|x| x.is_finite()),
    };
    match (0..view.data.rows()).find(|&row| !usable(row)) {
        None => Ok(()),
        Some(row) => Err(Error::data_with_hint(
            format!("{}: sample {} has a value that is missing or infinite", view.describe(), before + row + 1),
            "new samples need every feature of a view, or none: a row without any value is one that the view does not know",
        )),
    }
}

/// Samples in files.
pub struct Streamed {
    pieces: Pieces,
    count: usize,
    ids: Option<Vec<String>>,
}

impl Streamed {
    /// The samples of some files.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn new(mut pieces: Pieces) -> Result<Self> {
        let count = pieces.count()?;
        Ok(Self { pieces, count, ids: None })
    }

    /// How large they are, by the first of them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn size(&mut self) -> Result<Size> {
        self.pieces.rewind();
        let first = self.pieces.next_piece()?.map(|piece| Size::of(&piece.views));
        self.pieces.rewind();
        let (views, features) = first.map_or((0, 0), |size| (size.views, size.features));
        Ok(Size { samples: self.count, views, features, held: 0 })
    }

    /// The ids of the samples, where a file has some, after they have been gone through.
    pub fn into_ids(self) -> Option<Vec<String>> {
        self.ids
    }

    fn go(&mut self, run: &Run, mut take: impl FnMut(Piece) -> Result<()>) -> Result<()> {
        self.pieces.rewind();
        while let Some(piece) = self.pieces.next_piece()? {
            run.check()?;
            take(piece)?;
            let (done, total) = self.pieces.progress();
            run.progress(done, total);
        }
        Ok(())
    }
}

impl SampleSource for Streamed {
    fn count(&self) -> usize {
        self.count
    }

    fn some(&mut self, rows: &[usize], run: &Run) -> Result<Views> {
        let mut parts: Vec<Views> = Vec::new();
        let mut next = 0;
        self.go(run, |piece| {
            let end = piece.before + piece.views.samples();
            let inside: Vec<usize> =
                rows[next..].iter().take_while(|&&row| row < end).map(|row| row - piece.before).collect();
            next += inside.len();
            if !inside.is_empty() {
                parts.push(piece.views.select(&inside)?);
            }
            Ok(())
        })?;
        stacked(&parts)
    }

    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        let mut ids: Option<Vec<String>> = None;
        self.go(run, |piece| {
            if let Some(more) = piece.ids {
                ids.get_or_insert_default().extend(more);
            }
            // how far all of them are is told by the files
            take(&piece.views, &run.nested())
        })?;
        self.ids = ids;
        Ok(())
    }
}

/// Views of some samples, and of others under them.
fn stacked(parts: &[Views]) -> Result<Views> {
    let Some(first) = parts.first() else { return Views::new(Vec::new()) };
    let views = (0..first.len()).map(|v| {
        let same: Vec<&View> = parts.iter().filter_map(|part| part.iter().nth(v)).collect();
        View::stacked(&same)
    });
    Views::new(views.collect::<Result<_>>()?)
}
