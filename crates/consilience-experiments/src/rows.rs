//! Results in short: a line of CSV per run, enough to make every table again. Tables are only ever made from these.

use std::path::Path;

use consilience::data::write_atomically;
use consilience::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::Scores;
use crate::job::{Absent, Planned, meets};
use crate::plan::Plan;
use crate::record::{Outcome, Record};
use crate::store::Records;

/// A run in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The data set.
    pub set: String,
    /// Its samples; unknown when it is absent.
    pub n: Option<usize>,
    /// Clusters asked for.
    pub k: Option<usize>,
    /// Its views, joined by `+`.
    pub views: String,
    /// Scaling.
    pub scale: String,
    /// The method's id.
    pub method: String,
    /// The method's name in tables.
    pub label: String,
    /// Parameters that the plan sets, as `name=value`, joined by spaces; the others are at their defaults.
    pub parameters: String,
    /// Share of the entries with noise; 0 for clean data.
    pub noise: f64,
    /// `add` or `replace`; empty for clean data.
    pub mode: String,
    /// Half the width of the noise; 0 for clean data.
    pub amplitude: f64,
    /// Draw of the noise.
    pub draw: u64,
    /// Seed of the method.
    pub seed: u64,
    /// How it went.
    pub status: Status,
    /// Accuracy.
    pub acc: Option<f64>,
    /// Normalised mutual information.
    pub nmi: Option<f64>,
    /// Adjusted Rand index.
    pub ari: Option<f64>,
    /// Purity.
    pub purity: Option<f64>,
    /// Pairwise F-score.
    pub fscore: Option<f64>,
    /// Wall-clock seconds.
    pub seconds: Option<f64>,
    /// Most memory that the process held.
    pub peak_mb: Option<f64>,
    /// How the iteration ended.
    pub stop: String,
    /// Version of consilience.
    pub version: String,
    /// Why it failed, or why the data are absent.
    pub note: String,
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It has scores.
    Done,
    /// It was tried.
    Failed,
    /// The data are not available.
    Absent,
}

impl Row {
    /// Its scores, when it has them.
    pub fn scores(&self) -> Option<Scores> {
        Some(Scores { acc: self.acc?, nmi: self.nmi?, ari: self.ari?, purity: self.purity?, fscore: self.fscore? })
    }

    /// The condition under which it ran, in a few words: `clean`, `20 % add`.
    pub fn condition(&self) -> String {
        if self.noise == 0.0 {
            return "clean".to_owned();
        }
        let share = format!("{} % {}", rounded(100.0 * self.noise, 4), self.mode);
        // the paper's width needs no word
        if self.amplitude == 5.0 { share } else { format!("{share}, width {}", self.amplitude) }
    }

    fn new(record: &Record) -> Self {
        let (set, noise) = (&record.data, record.noise.as_ref());
        let words: Vec<String> = record.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut row = Self {
            set: set.name.clone(),
            n: Some(set.n),
            k: Some(set.k),
            views: set.views.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("+"),
            scale: set.scale.clone(),
            method: record.method.clone(),
            label: record.label.clone(),
            parameters: words.join(" "),
            noise: noise.map_or(0.0, |noise| noise.share),
            mode: noise.map_or_else(String::new, |noise| noise.mode.clone()),
            amplitude: noise.map_or(0.0, |noise| noise.amplitude),
            draw: record.draw,
            seed: record.seed,
            status: Status::Failed,
            acc: None,
            nmi: None,
            ari: None,
            purity: None,
            fscore: None,
            seconds: Some(rounded(record.seconds(), 2)),
            peak_mb: None,
            stop: String::new(),
            version: record.version.clone(),
            note: String::new(),
        };
        match &record.outcome {
            Outcome::Done(done) => {
                row.status = Status::Done;
                let Scores { acc, nmi, ari, purity, fscore } = done.scores;
                let share = |score| Some(rounded(score, 6));
                (row.acc, row.nmi, row.ari, row.purity) = (share(acc), share(nmi), share(ari), share(purity));
                row.fscore = share(fscore);
                row.peak_mb = done.peak_mb.map(|mb| rounded(mb, 0));
                row.stop.clone_from(&done.stop.reason);
                row.note = done.warnings.join("; ");
            }
            Outcome::Failed(failed) => {
                row.peak_mb = failed.peak_mb.map(|mb| rounded(mb, 0));
                row.note.clone_from(&failed.failure);
            }
        }
        row
    }
}

/// A number with so many decimals.
pub(crate) fn rounded(x: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (x * unit).round() / unit
}

/// The runs of the plan that have been made, in the plan's order, and a line for each cell of an absent set.
pub fn rows(plan: &Plan, planned: &[Planned], absent: &[Absent], records: &Records) -> Vec<Row> {
    let mut rows = Vec::new();
    for set in &plan.sets {
        let made = planned.iter().filter(|planned| planned.job.data.name == set.name);
        rows.extend(made.filter_map(|planned| records.get(&planned.job.key)).map(Row::new));
        if let Some(absent) = absent.iter().find(|absent| absent.set == set.name) {
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
        n: None,
        k: None,
        views: String::new(),
        scale: absent.scale.clone(),
        method: method.id.clone(),
        label: method.label.clone(),
        parameters: method.set.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "),
        noise: noise.share,
        mode: if noise.share > 0.0 { noise.mode.name().to_owned() } else { String::new() },
        amplitude: if noise.share > 0.0 { noise.amplitude } else { 0.0 },
        draw: 0,
        seed: 0,
        status: Status::Absent,
        acc: None,
        nmi: None,
        ari: None,
        purity: None,
        fscore: None,
        seconds: None,
        peak_mb: None,
        stop: String::new(),
        version: String::new(),
        note: "data not available".to_owned(),
    })
    .collect()
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
        let mut table = csv::Writer::from_writer(file);
        rows.iter().try_for_each(|row| table.serialize(row))?;
        table.flush()
    })
}

/// Reads results in short.
///
/// # Errors
/// When the file cannot be read or a line is not a run, with its number.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, error))?;
    let mut table = csv::Reader::from_reader(bytes.as_slice());
    let rows = table.deserialize().collect::<std::result::Result<Vec<Row>, _>>();
    rows.map_err(|error| {
        let line = error.position().map_or(0, csv::Position::line);
        let what = format!("{}:{line}: not the result of a run: {error}", path.display());
        Error::data_with_hint(what, "files like this are written by `consilience bench PLAN -o DIR --export FILE`")
    })
}
