//! Results in short: a line of CSV per run, enough to make every table again. Tables are only ever made from these.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use consilience::method::Revision;
use consilience::metrics::{Metric, Scores};
use consilience::{Corruption, Error, Result, Scale, Settings, Termination, Warning, choice};
use consilience_io::write_atomically;
use csv::StringRecord;
use serde::Serialize;

use crate::condition::Condition;
use crate::job::{Absent, Expanded, JobData, LeftOut, meets};
use crate::known::Known;
use crate::plan::Plan;
use crate::revisions;
use crate::store::{Outcome, RunEntry};

/// The columns before the scores, of which there is one column per [`Metric`], and those after.
const BEFORE: &str = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status";
const AFTER: &str = "seconds,peak_mb,stop,version,revision,key,note";

/// The first line of a file of results is shorter than this.
const MOST_HEAD: u64 = 4096;

/// A run in short.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The data set.
    pub set: String,
    /// Its samples; unknown when it is absent.
    pub n: Option<usize>,
    /// Clusters asked for.
    pub k: Option<usize>,
    /// Its views; joined by `+` in the file.
    pub views: Vec<String>,
    /// Scaling.
    pub scale: Scale,
    /// The method's id. Not a method of the registry: results outlive methods.
    pub method: String,
    /// The method's name in tables.
    pub label: String,
    /// Parameters that the plan sets; the others are at their defaults. In the file `name=value`, joined by spaces.
    pub parameters: Vec<(String, String)>,
    /// The noise, whose seed is the draw; none on clean data. In the file `noise` (the share), `mode`, `amplitude`, `draw`.
    pub corruption: Option<Corruption>,
    /// Seed of the method.
    pub seed: u64,
    /// How it went.
    pub status: Status,
    /// Its scores. A file that was written before a metric existed has no column for it: that score is unknown.
    pub scores: Scores,
    /// Wall-clock seconds.
    pub seconds: Option<f64>,
    /// Most memory that the process held.
    pub peak_mb: Option<f64>,
    /// How the iteration ended. The file keeps no count of iterations: it is 0 in a row that was read.
    pub termination: Option<Termination>,
    /// Version of consilience.
    pub version: String,
    /// The code that made it; none where nothing was run.
    pub revision: Option<Revision>,
    /// Which run of a plan it is; empty where nothing was run.
    pub key: String,
    /// Why it failed, why there is no run, or what it warned of.
    pub note: String,
}

choice! {
    /// How a run went.
    pub enum Status {
        /// It has scores.
        Done = "done",
        /// It was tried.
        Failed = "failed",
        /// The data are not available.
        Absent = "absent",
        /// The plan does not want it.
        LeftOut = "left out",
    }
}

impl Row {
    /// The condition under which it ran.
    pub fn condition(&self) -> Condition {
        self.corruption.into()
    }

    /// Draw of the noise.
    pub fn draw(&self) -> u64 {
        self.corruption.map_or(0, |corruption| corruption.seed)
    }

    /// What was asked.
    fn asked(data: &JobData, label: &str, set: &[(String, String)], settings: &Settings) -> Self {
        Self {
            set: data.name.clone(),
            n: Some(data.shape.n),
            k: Some(settings.clusters),
            views: data.shape.views.iter().map(|(name, _)| name.clone()).collect(),
            scale: settings.scale,
            method: settings.method.info().id.to_owned(),
            label: label.to_owned(),
            parameters: set.to_vec(),
            corruption: settings.corruption,
            seed: settings.seed,
            ..Self::default()
        }
    }

    /// A cell that the plan leaves empty.
    fn left_out(LeftOut { job, why }: &LeftOut) -> Self {
        let asked = Self::asked(&job.data, &job.label, &job.set, &job.settings);
        Self { status: Status::LeftOut, note: why.clone(), ..asked }
    }

    /// A run of a bench.
    pub(crate) fn new(entry: &RunEntry) -> Self {
        let megabytes = |peak: Option<f64>| peak.map(|mb| rounded(mb, 0));
        let row = Self {
            seconds: Some(rounded(entry.seconds(), 2)),
            revision: Some(entry.revision),
            key: entry.key.clone(),
            ..Self::asked(&entry.data, &entry.label, &entry.set, entry.settings())
        };
        match &entry.outcome {
            Outcome::Done(done) => Self {
                status: Status::Done,
                scores: done
                    .run
                    .scores
                    .iter()
                    .flat_map(Scores::iter)
                    .map(|(m, score)| (m, rounded(score, 6)))
                    .collect(),
                peak_mb: megabytes(done.run.peak_rss_mb),
                termination: Some(done.run.termination),
                version: done.run.version.clone(),
                note: done.run.warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; "),
                ..row
            },
            Outcome::Failed(failed) => Self {
                status: Status::Failed,
                peak_mb: megabytes(failed.peak_rss_mb),
                version: failed.version.clone(),
                note: failed.failure.clone(),
                ..row
            },
        }
    }

    /// In the order of the columns.
    fn fields(&self) -> impl Serialize {
        let parameters: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let Corruption { fraction, amplitude, seed: draw, .. } =
            self.corruption.unwrap_or(Corruption { fraction: 0.0, amplitude: 0.0, ..Corruption::default() });
        let mode = self.corruption.map(|corruption| corruption.mode);
        let (views, parameters) = (self.views.join("+"), parameters.join(" "));
        let before = (&self.set, self.n, self.k, views, self.scale, &self.method, &self.label, parameters);
        let before = (before, fraction, mode, amplitude, draw, self.seed, self.status);
        let scores: Vec<Option<f64>> = Metric::ALL.iter().map(|&metric| self.scores.get(metric)).collect();
        let stop = self.termination.map(|termination| termination.to_string());
        (before, scores, (self.seconds, self.peak_mb, stop, &self.version, self.revision, &self.key, &self.note))
    }

    fn parse(line: &Line<'_>) -> Result<Self> {
        let words = |name, separator| line.text(name).split(separator).filter(|word| !word.is_empty());
        let mut parameters: Vec<(String, String)> = Vec::new();
        for word in words("parameters", ' ') {
            match (word.split_once('='), parameters.last_mut()) {
                (Some((name, value)), _) => parameters.push((name.to_owned(), value.to_owned())),
                // a value of several words
                (None, Some((_, value))) => *value += &format!(" {word}"),
                (None, None) => return Err(Error::data(format!("`{word}` is not name=value"))),
            }
        }
        let (fraction, amplitude, seed) = (line.read("noise")?, line.read("amplitude")?, line.read("draw")?);
        let corruption = match line.optional("mode")? {
            Some(mode) => Some(Corruption { fraction, mode, seed, amplitude }),
            None if fraction == 0.0 => None,
            None => return Err(Error::data("there is noise without a mode")),
        };
        let mut scores = Scores::default();
        for &metric in Metric::ALL {
            if let Some(score) = line.optional(metric.name())? {
                scores.set(metric, score);
            }
        }
        Ok(Self {
            set: line.text("set").to_owned(),
            n: line.optional("n")?,
            k: line.optional("k")?,
            views: words("views", '+').map(str::to_owned).collect(),
            scale: line.read("scale")?,
            method: line.text("method").to_owned(),
            label: line.text("label").to_owned(),
            parameters,
            corruption,
            seed: line.read("seed")?,
            status: line.read("status")?,
            scores,
            seconds: line.optional("seconds")?,
            peak_mb: line.optional("peak_mb")?,
            termination: termination(line.text("stop"))?,
            version: line.text("version").to_owned(),
            revision: line.optional("revision")?,
            key: line.text("key").to_owned(),
            note: line.text("note").to_owned(),
        })
    }
}

/// The end that goes by this word; none for no word.
fn termination(word: &str) -> Result<Option<Termination>> {
    let all = [Termination::Direct, Termination::after(0, true), Termination::after(0, false)];
    let found = all.into_iter().find(|termination| termination.to_string() == word);
    if found.is_none() && !word.is_empty() {
        return Err(Error::unknown("end of an iteration", word, all.map(|termination| termination.to_string())));
    }
    Ok(found)
}

/// A line of the file under its head.
struct Line<'a> {
    head: &'a StringRecord,
    fields: &'a StringRecord,
}

impl Line<'_> {
    /// The text in a column; empty when there is no such column, which only a metric may lack.
    fn text(&self, column: &str) -> &str {
        let at = self.head.iter().position(|name| name == column);
        at.and_then(|at| self.fields.get(at)).unwrap_or_default()
    }

    fn read<T: FromStr<Err: fmt::Display>>(&self, column: &str) -> Result<T> {
        let text = self.text(column);
        text.parse().map_err(|error| Error::data(format!("`{text}` in column `{column}`: {error}")))
    }

    fn optional<T: FromStr<Err: fmt::Display>>(&self, column: &str) -> Result<Option<T>> {
        if self.text(column).is_empty() { Ok(None) } else { self.read(column).map(Some) }
    }
}

/// A number with so many decimals.
pub(crate) fn rounded(x: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (x * unit).round() / unit
}

/// The runs of the plan that have been made, in the plan's order, and a line for each cell of an absent set and each that
/// the plan leaves out.
pub fn rows(plan: &Plan, expanded: &Expanded, known: &Known) -> Vec<Row> {
    let mut rows = Vec::new();
    for set in &plan.sets {
        let here = |name: &str| name == set.name;
        let planned = expanded.runs.iter().filter(|planned| here(&planned.job.data.name));
        rows.extend(planned.filter_map(|planned| known.row(&planned.job.key)));
        rows.extend(expanded.left_out.iter().filter(|cell| here(&cell.job.data.name)).map(Row::left_out));
        if let Some(absent) = expanded.absent.iter().find(|absent| here(&absent.set)) {
            rows.extend(absent_rows(plan, absent));
        }
    }
    rows
}

fn absent_rows(plan: &Plan, absent: &Absent) -> Vec<Row> {
    let cells = plan.noise.iter().flat_map(|noise| plan.methods.iter().map(move |method| (noise, method)));
    let here = cells
        .filter(|(noise, method)| meets(noise.data.as_ref(), &absent.set) && meets(method.data.as_ref(), &absent.set));
    here.map(|(noise, method)| Row {
        set: absent.set.clone(),
        scale: absent.scale,
        method: method.method.info().id.to_owned(),
        label: method.label.clone(),
        parameters: method.set.clone(),
        corruption: noise.corruption,
        status: Status::Absent,
        note: "data not available".to_owned(),
        ..Row::default()
    })
    .collect()
}

fn columns() -> impl Iterator<Item = &'static str> {
    BEFORE.split(',').chain(Metric::ALL.iter().map(|metric| metric.name())).chain(AFTER.split(','))
}

/// Writes results in short.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    }
    write_atomically(path, |file| {
        let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
        table.write_record(columns())?;
        rows.iter().try_for_each(|row| table.serialize(row.fields()))?;
        table.flush()
    })
}

/// Refuses a file that is there and holds anything but results in short.
///
/// # Errors
/// When writing to `path` would lose something else.
pub fn check_replaceable(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let failed = |error| Error::reading(path, error);
    let mut head = String::new();
    let mut start = std::fs::File::open(path).map_err(failed)?.take(MOST_HEAD);
    // what is no text is no result either
    let is_text = start.read_to_string(&mut head).is_ok();
    let names: Vec<&str> = head.lines().next().unwrap_or_default().split(',').collect();
    if is_text && names.contains(&"key") && names.iter().all(|name| columns().any(|known| known == *name)) {
        return Ok(());
    }
    let what = format!("`{}` exists and holds something else than results", path.display());
    Err(Error::data_with_hint(what, "write to another place; only results are replaced by results"))
}

/// Reads results in short.
///
/// # Errors
/// When the file cannot be read, a line is not a run, with its number, or results of different code are mixed in it.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
    let rows = parse(&bytes).map_err(|(line, error)| {
        let what = format!("{}:{line}: not the result of a run: {error}", path.display());
        Error::data_with_hint(what, "files like this are written by `consilience bench PLAN -o DIR --export FILE`")
    })?;
    match revisions::mixture(&rows) {
        None => Ok(rows),
        Some(mixture) => {
            let what = format!("{} mixes results of different code: {mixture}", path.display());
            Err(Error::data_with_hint(what, "`bench PLAN -o DIR --with FILE --export FILE` runs again what is stale"))
        }
    }
}

/// The rows, or the line that is none and why.
pub(crate) fn parse(bytes: &[u8]) -> std::result::Result<Vec<Row>, (u64, Error)> {
    let damaged = |error: csv::Error| (error.position().map_or(0, csv::Position::line), Error::data(error.to_string()));
    let mut table = csv::Reader::from_reader(bytes);
    let head = table.headers().map_err(damaged)?.clone();
    if let Some(stranger) = head.iter().find(|name| columns().all(|known| known != *name)) {
        return Err((1, Error::data(format!("there is a column `{stranger}`"))));
    }
    let mut needed = BEFORE.split(',').chain(AFTER.split(','));
    if let Some(missing) = needed.find(|column| head.iter().all(|name| name != *column)) {
        return Err((1, Error::data(format!("there is no column `{missing}`"))));
    }
    let mut rows = Vec::new();
    for fields in table.records() {
        let fields = fields.map_err(damaged)?;
        let line = fields.position().map_or(0, csv::Position::line);
        rows.push(Row::parse(&Line { head: &head, fields: &fields }).map_err(|error| (line, error))?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_came_later_is_unknown_and_any_other_is_needed() {
        let head = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status,acc,seconds,peak_mb,stop,\
                    version,revision,key,note\n";
        let line = "toy,30,3,a+b,auto,mfmsc,mfmsc,view=a b x=1,0.2,add,5.0,4,0,done,0.5,1.5,20.0,iteration limit,0.1.0,1.2,k,\n";
        let row = parse(format!("{head}{line}").as_bytes()).unwrap().remove(0);
        assert_eq!(
            (row.status, row.scores.get(Metric::Acc), row.scores.get(Metric::Nmi)),
            (Status::Done, Some(0.5), None)
        );
        assert_eq!(row.parameters, [("view".into(), "a b".into()), ("x".into(), "1".into())]);
        assert_eq!((row.draw(), row.termination), (4, Some(Termination::after(0, false))));
        assert_eq!((row.revision, row.key.as_str()), (Some(Revision { engine: 1, method: 2 }), "k"));
        for (from, to, why) in
            [("stop,", "", "there is no column `stop`"), ("acc,", "accuracy,", "there is a column `accuracy`")]
        {
            let (at, error) = parse(format!("{}{line}", head.replace(from, to)).as_bytes()).unwrap_err();
            assert_eq!((at, error.to_string().as_str()), (1, why));
        }
        for (from, to, why) in [
            ("30", "many", "`many` in column `n`: invalid digit found in string"),
            ("auto", "huge", "`huge` in column `scale`: unknown scale `huge`"),
            ("done", "won", "`won` in column `status`: unknown status `won`"),
            ("iteration limit", "tired", "unknown end of an iteration `tired`"),
        ] {
            let (at, error) = parse(format!("{head}{}", line.replacen(from, to, 1)).as_bytes()).unwrap_err();
            assert_eq!((at, error.to_string().as_str()), (2, why));
        }
    }
}
