//! Labels cannot change in silence: `golden/revisions.csv` has a hash of what every method gives on some of the digits, and
//! the revision that gave it. Experiments are kept by revision, so labels that change under the same one would be mixed
//! with results of older code.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::fmt::Write as _;
use std::path::PathBuf;

use consilience::method::{ENGINE_REVISION, REGISTRY};
use consilience::metrics::{self, Metric};
use consilience::{Corruption, CorruptionMode, MethodInfo, Scale, Settings, Views, cluster};
use consilience_io::digits;

/// Set to write the table again.
const UPDATE: &str = "CONSILIENCE_UPDATE_REVISIONS";
/// Every so many-th digit is used: few enough for the methods that are n x n, more than the views have features, so that
/// nothing is degenerate and labels do not hang on the last bit (which differs between processors).
const STEP: usize = 6;
const HEAD: &str = "method,revision,labels,acc_clean,acc_noisy";

/// A line of the table.
#[derive(Debug, PartialEq)]
struct Known {
    method: String,
    revision: String,
    labels: String,
    /// For people: what changed by how much.
    scores: [String; 2],
}

#[test]
fn labels_change_with_the_revision_only() {
    let (before, now) = (read(), REGISTRY.iter().map(known).collect::<Vec<_>>());
    let changed: Vec<&Known> = now
        .iter()
        .filter(|new| before.iter().any(|old| old.revision == new.revision && old.method == new.method && old != *new))
        .collect();
    let complaints: Vec<String> = changed.iter().map(|new| complaint(&before, new)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path(), text(&now)).unwrap();
    } else if before != now {
        panic!(
            "golden/revisions.csv is of other revisions: `{UPDATE}=1 cargo test -p consilience --test revisions` writes it again"
        );
    }
}

/// What to do about labels that changed under the same revision.
fn complaint(before: &[Known], new: &Known) -> String {
    let Known { method, revision, scores, .. } = new;
    let old = before.iter().find(|old| old.method == *method).map(|old| &old.scores);
    format!(
        "labels of `{method}` changed: raise its revision (in its INFO; ENGINE_REVISION when what all methods share changed, \
         now {ENGINE_REVISION}), write the table again with `{UPDATE}=1 cargo test -p consilience --test revisions`, and \
         rerun the experiments that use it (docs/experiments.md). Revision {revision}, ACC clean and noisy was {old:?}, is \
         {scores:?}"
    )
}

/// What the method gives now: clean at the defaults, and under the paper's noise.
fn known(info: &MethodInfo) -> Known {
    let digits = digits().unwrap();
    let rows: Vec<usize> = (0..digits.labels.as_ref().unwrap().len()).step_by(STEP).collect();
    let truth: Vec<u32> = rows.iter().map(|&row| digits.labels.as_ref().unwrap().codes()[row]).collect();
    let views = Views::new(digits.views).unwrap().select(&rows).unwrap();
    let noise = Corruption { mode: CorruptionMode::Add, ..Corruption::default() };
    let (mut hash, mut scores) = (Fnv::new(), Vec::new());
    for (scale, corruption) in [(Scale::Auto, None), (Scale::Zscore, Some(noise))] {
        let settings = Settings::with_method(10, info.id, &[]).unwrap().scale(scale).corruption(corruption);
        let labels = cluster(&views, &settings).unwrap().record.labels;
        labels.iter().for_each(|&label| hash.add(label));
        scores.push(format!("{:.4}", metrics::score(&labels, &truth).unwrap()[Metric::Acc]));
    }
    let scores = [scores.remove(0), scores.remove(0)];
    Known { method: info.id.to_owned(), revision: info.code().to_string(), labels: format!("{:016x}", hash.0), scores }
}

/// Fowler, Noll and Vo's hash: short, and the same everywhere.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, label: usize) {
        self.0 = (self.0 ^ label as u64).wrapping_mul(0x0100_0000_01b3);
    }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/revisions.csv")
}

fn read() -> Vec<Known> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let line = |line: &str| {
        let mut words = line.split(',').map(str::to_owned);
        let mut word = || words.next().unwrap_or_else(|| panic!("{line}"));
        Known { method: word(), revision: word(), labels: word(), scores: [word(), word()] }
    };
    text.lines().skip(1).map(line).collect()
}

fn text(table: &[Known]) -> String {
    let mut text = format!("{HEAD}\n");
    for Known { method, revision, labels, scores } in table {
        writeln!(text, "{method},{revision},{labels},{}", scores.join(",")).unwrap();
    }
    text
}
