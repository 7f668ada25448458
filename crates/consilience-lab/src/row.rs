//! Results in short: a line of CSV per run, as a cell of text per column. Tables are only ever made from these.

use std::fmt::Debug;
use std::path::Path;
use std::sync::LazyLock;

use consilience::metrics::Metric;
use consilience::{Corruption, Error, Result};
use consilience_io::write_atomically;

/// The columns before the scores, of which there is one column per [`Metric`], and those after. Up to `status` they say
/// what was asked.
const BEFORE: &str = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status";
const AFTER: &str = "seconds,peak_mb,stop,version,revision,key,note";

static COLUMNS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let scores = Metric::ALL.iter().map(|metric| metric.name());
    BEFORE.split(',').chain(scores).chain(AFTER.split(',')).collect()
});

/// A run, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row(Vec<String>);

/// The words of the column `status` of a run that was made.
pub(crate) const DONE: &str = "done";
pub(crate) const FAILED: &str = "failed";

impl Row {
    pub(crate) fn new() -> Self {
        Self(vec![String::new(); COLUMNS.len()])
    }

    /// The text in a column; empty where nothing is known.
    pub(crate) fn get(&self, column: &str) -> &str {
        COLUMNS.iter().zip(&self.0).find(|(name, _)| **name == column).map_or("", |(_, cell)| cell)
    }

    // numbers are given as they are
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn set(&mut self, column: &str, text: impl ToString) {
        if let Some(at) = COLUMNS.iter().position(|name| *name == column) {
            // a row is one line of the file: what was torn by a kill is then what has no line end
            self.0[at] = text.to_string().replace(['\n', '\r'], " ");
        }
    }

    /// A number so that it is read back as the same number; nothing where it is unknown.
    pub(crate) fn set_number(&mut self, column: &str, number: Option<impl Debug>) {
        self.set(column, number.map_or(String::new(), |number| format!("{number:?}")));
    }

    /// The noise: its share, kind and width, and its draw.
    pub(crate) fn set_noise(&mut self, corruption: Option<Corruption>) {
        let noise =
            corruption.unwrap_or(Corruption { fraction: 0.0, amplitude: 0.0, seed: 0, ..Corruption::default() });
        self.set_number("noise", Some(noise.fraction));
        self.set("mode", corruption.map_or("", |noise| noise.mode.name()));
        self.set_number("amplitude", Some(noise.amplitude));
        self.set("draw", noise.seed);
    }

    /// What was asked, cell by cell.
    pub(crate) fn asked(&self) -> &[String] {
        &self.0[..BEFORE.split(',').count() - 1]
    }

    pub(crate) fn done(&self) -> bool {
        self.get("status") == DONE
    }

    /// As a line of the file.
    pub(crate) fn line(&self) -> Result<String> {
        line(&self.0)
    }
}

/// The condition of a run, as tables name it: `clean`, `20 % add`.
pub(crate) fn condition(corruption: Option<&Corruption>) -> String {
    corruption.map_or("clean".to_owned(), |noise| format!("{} % {}", rounded(100.0 * noise.fraction, 4), noise.mode))
}

/// A number with so many decimals.
pub(crate) fn rounded(x: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (x * unit).round() / unit
}

/// The first line of a file of results.
pub(crate) fn head() -> Result<String> {
    line(COLUMNS.as_slice())
}

fn line(cells: &[impl AsRef<[u8]>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(cells).map_err(|error| Error::data(error.to_string()));
    let bytes = written.and_then(|()| writer.into_inner().map_err(|error| Error::data(error.to_string())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rows of a file. One that was written before a metric existed has no column for it: that score is unknown.
///
/// # Errors
/// Names the line that is no run, and why.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Row>> {
    let wrong = |line: u64, why: String| {
        let what = format!("{}:{line}: not the result of a run: {why}", path.display());
        Error::data_with_hint(what, "files like this are written by `consilience-lab bench PLAN -o DIR --export FILE`")
    };
    let damaged = |error: csv::Error| wrong(error.position().map_or(1, csv::Position::line), error.to_string());
    let mut table = csv::Reader::from_reader(bytes);
    let head = table.headers().map_err(damaged)?.clone();
    if let Some(stranger) = head.iter().find(|name| !COLUMNS.contains(name)) {
        return Err(wrong(1, format!("there is a column `{stranger}`")));
    }
    let places: Vec<Option<usize>> =
        COLUMNS.iter().map(|column| head.iter().position(|name| name == *column)).collect();
    let later = |column: &str| Metric::ALL.iter().any(|metric| metric.name() == column);
    if let Some((column, _)) = COLUMNS.iter().zip(&places).find(|(column, place)| place.is_none() && !later(column)) {
        return Err(wrong(1, format!("there is no column `{column}`")));
    }
    let row = |fields: csv::Result<csv::StringRecord>| {
        let fields = fields.map_err(damaged)?;
        let cell = |place: &Option<usize>| place.and_then(|at| fields.get(at)).unwrap_or_default().to_owned();
        let row = Row(places.iter().map(cell).collect());
        let status = row.get("status");
        if ["absent", "left out", DONE, FAILED].contains(&status) {
            return Ok(row);
        }
        Err(wrong(fields.position().map_or(1, csv::Position::line), format!("its status is `{status}`")))
    };
    table.records().map(row).collect()
}

/// Reads a file of results in short.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    parse(path, &std::fs::read(path).map_err(|error| Error::reading(path, error))?)
}

/// Writes results in short.
pub(crate) fn write(path: &Path, rows: &[Row]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    }
    let text = rows.iter().map(Row::line).collect::<Result<String>>()?;
    let head = head()?;
    write_atomically(path, |file| file.write_all(head.as_bytes()).and_then(|()| file.write_all(text.as_bytes())))
}

/// Refuses a file that is there and holds anything but results in short.
///
/// # Errors
/// When writing to `path` would lose something else.
pub(crate) fn check_replaceable(path: &Path) -> Result<()> {
    if !path.is_file() || read(path).is_ok() {
        return Ok(());
    }
    let what = format!("`{}` exists and holds something else than results", path.display());
    Err(Error::data_with_hint(what, "write to another place; only results are replaced by results"))
}
