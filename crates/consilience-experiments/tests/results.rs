//! From results in short to cells, tables, ranks and figures, with numbers that were computed by hand.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use consilience::method::Revision;
use consilience::metrics::{Metric, Scores};
use consilience::{Corruption, CorruptionMode, Scale, Termination};
use consilience_experiments::condition::Condition;
use consilience_experiments::figures::parameter_grid;
use consilience_experiments::leaderboard::{NotRanked, Ranking};
use consilience_experiments::noise_curves::{over_noise, over_sets};
use consilience_experiments::paper::PaperNumbers;
use consilience_experiments::rows::{self, Row, Status};
use consilience_experiments::summary::Summary;
use consilience_experiments::tables::{Entry, Lead, ScoreTable};

fn row(set: &str, label: &str, draw: u64, seed: u64, acc: f64) -> Row {
    let corruption = Corruption { fraction: 0.2, mode: CorruptionMode::Add, seed: draw, amplitude: 5.0 };
    Row {
        set: set.to_owned(),
        n: Some(30),
        k: Some(3),
        views: vec!["a".to_owned(), "b".to_owned()],
        scale: Scale::Auto,
        method: label.to_owned(),
        label: label.to_owned(),
        corruption: Some(corruption),
        seed,
        status: Status::Done,
        scores: [(Metric::Acc, acc), (Metric::Nmi, 0.5)].into_iter().collect(),
        seconds: Some(1.25),
        peak_mb: Some(20.0),
        termination: Some(Termination::Direct),
        version: "0.1.0".to_owned(),
        revision: Some(Revision { engine: 1, method: 2 }),
        key: format!("{draw}{seed}"),
        ..Row::default()
    }
}

fn failed(set: &str, label: &str, why: &str) -> Row {
    let scores = Scores::default();
    Row { status: Status::Failed, note: why.to_owned(), scores, termination: None, ..row(set, label, 0, 0, 0.0) }
}

const NOISY: Condition = Condition::Noisy { percent: 20.0, mode: CorruptionMode::Add, amplitude: 5.0 };

#[test]
fn seeds_are_averaged_within_draws_first() {
    // draw 0: (0.6 + 0.8)/2 = 0.7, draw 1: 0.9; mean 0.8, not the 0.7667 of all runs; deviation 0.1414
    let rows = [row("s", "m", 0, 0, 0.6), row("s", "m", 0, 1, 0.8), row("s", "m", 1, 0, 0.9)];
    let summary = Summary::new(&rows);
    let score = summary.cell("s", NOISY, "m").unwrap().score(Metric::Acc).unwrap();
    assert!((score.mean - 0.8).abs() < 1e-12 && (score.spread.unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
    assert_eq!((score.draws, score.runs), (2, 3));
    // one draw: the spread is that of the seeds
    let one = Summary::new(&rows[..2]);
    let spread = one.cell("s", NOISY, "m").unwrap().score(Metric::Acc).unwrap().spread.unwrap();
    assert!((spread - 0.02_f64.sqrt()).abs() < 1e-12);
}

fn entries(rows: &[Row]) -> Vec<(String, String, bool, Option<bool>)> {
    let table = ScoreTable::new(&Summary::new(rows), NOISY, Metric::Acc, &PaperNumbers::default());
    let entry = |(label, entries): &(String, Vec<Entry>)| {
        let entry = &entries[0];
        (label.clone(), entry.text.clone(), entry.best, entry.lead.map(Lead::significant))
    };
    table.rows.iter().map(entry).collect()
}

#[test]
fn a_lead_is_tested_over_draws() {
    let draws = |label: &str, scores: &[f64]| -> Vec<Row> {
        scores.iter().enumerate().map(|(draw, score)| row("s", label, draw as u64, 0, *score)).collect()
    };
    let low = [0.50, 0.52, 0.54, 0.51, 0.53, 0.55];
    let ahead: Vec<f64> = low.iter().map(|score| score + 0.1).collect();
    let rows = [draws("a", &low), draws("b", &ahead)].concat();
    let found = entries(&rows);
    assert_eq!(found[1], ("b".into(), "62.5".into(), true, Some(true)), "six wins of six: p = 1/32");
    assert!(!found[0].2);
    // one loss of six that is not the smallest: not beyond chance
    let mut mixed = ahead.clone();
    mixed[2] = 0.34;
    let rows = [draws("a", &low), draws("b", &mixed)].concat();
    assert_eq!(entries(&rows)[1].3, Some(false));
    // five draws: nobody can tell, and the table does not pretend
    let rows = [draws("a", &low[..5]), draws("b", &ahead[..5])].concat();
    let table = ScoreTable::new(&Summary::new(&rows), NOISY, Metric::Acc, &PaperNumbers::default());
    assert_eq!(table.rows[1].1[0].lead, Some(Lead::Unknown));
    // equal as shown: both are best, and no lead is claimed
    let rows = [draws("a", &[0.5001]), draws("b", &[0.5])].concat();
    let found = entries(&rows);
    assert!(found[0].2 && found[1].2 && found[0].3.is_none());
}

#[test]
fn ranks_count_failures_last_and_leave_out_what_was_not_run() {
    let rows = [
        row("s", "a", 0, 0, 0.9),
        row("s", "b", 0, 0, 0.5),
        row("s", "c", 0, 0, 0.9),
        row("t", "a", 0, 0, 0.7),
        failed("t", "b", "time limit of 1 s"),
        row("t", "c", 0, 0, 0.6),
        row("s", "d", 0, 0, 1.0),
    ];
    let ranking = Ranking::new(&Summary::new(&rows), NOISY, Metric::Acc);
    let found: Vec<(&str, f64)> = ranking.methods.iter().map(|method| (method.label.as_str(), method.rank)).collect();
    // s: a and c share 1.5, b 3; t: a 1, c 2, b last
    assert_eq!(found, [("a", 1.25), ("c", 1.75), ("b", 3.0)]);
    assert_eq!(ranking.methods[2].failed, ["t"]);
    assert_eq!(ranking.left_out, [NotRanked { label: "d".into(), sets: vec!["t".into()], why: None }]);
    let sentences = ranking.sentences().join(" ");
    assert!(sentences.contains("b failed on t: last there.") && sentences.contains("d is not ranked: no run on t."));
}

#[test]
fn what_a_plan_leaves_out_says_why_and_is_no_failure() {
    let large = |label: &str| Row { status: Status::LeftOut, note: "n > 2,000".to_owned(), ..failed("u", label, "") };
    let mut rows = Vec::new();
    for set in ["s", "t", "u"] {
        rows.push(row(set, "a", 0, 0, 0.7));
        rows.push(row(set, "b", 0, 0, 0.6));
    }
    rows.extend([row("s", "c", 0, 0, 0.9), row("t", "c", 0, 0, 0.8), large("c")]);
    let summary = Summary::new(&rows);
    let table = ScoreTable::new(&summary, NOISY, Metric::Acc, &PaperNumbers::default());
    assert_eq!((table.rows[2].1[2].text.as_str(), table.notes.len()), ("n > 2,000", 0));
    let whole = Ranking::new(&summary, NOISY, Metric::Acc);
    assert_eq!((whole.sets.len(), whole.methods.len()), (3, 2));
    assert!(whole.sentences().contains(&"c is not ranked: no run on u (n > 2,000).".to_owned()));
    let common = Ranking::on_common_sets(&summary, NOISY, Metric::Acc).unwrap();
    assert_eq!((common.sets.len(), common.methods[0].label.as_str(), common.methods.len()), (2, "c", 3));
    assert!(Ranking::on_common_sets(&Summary::new(&rows[..6]), NOISY, Metric::Acc).is_none(), "nothing is left out");
}

#[test]
fn a_file_that_mixes_results_of_different_code_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.csv");
    let newer = Row { revision: Some(Revision { engine: 1, method: 3 }), ..row("s", "m", 1, 0, 0.5) };
    rows::write(&path, &[row("s", "m", 0, 0, 0.5), newer]).unwrap();
    let error = rows::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("results.csv mixes results of different code: `m` of revision 1.2 and 1.3"), "{error}");
}

#[test]
fn results_in_short_survive_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/results.csv");
    let awkward = Row { note: "a \"quoted\", long\nnote".to_owned(), ..failed("s", "m", "") };
    let rows = vec![row("s", "m", 3, 7, 0.123_456), awkward];
    rows::write(&path, &rows).unwrap();
    assert_eq!(rows::read(&path).unwrap(), rows);
}

#[test]
fn committed_results_are_read_and_written_again_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/results");
    let again = tempfile::tempdir().unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "csv") {
            let copy = again.path().join("again.csv");
            rows::write(&copy, &rows::read(&path).unwrap_or_else(|error| panic!("{error}"))).unwrap();
            assert!(std::fs::read(&copy).unwrap() == std::fs::read(&path).unwrap(), "{}", path.display());
            files += 1;
        }
    }
    assert!(files >= 9);
}

#[test]
fn a_score_from_before_its_metric_is_unknown_and_no_failure() {
    let old = Row { scores: [(Metric::Nmi, 0.5)].into_iter().collect(), ..row("s", "old", 0, 0, 0.0) };
    let mut rows = vec![row("s", "new", 0, 0, 0.9), row("s", "other", 0, 0, 0.5), old];
    rows.extend(["new", "other", "old"].map(|label| row("t", label, 0, 0, 0.7)));
    let summary = Summary::new(&rows);
    let table = ScoreTable::new(&summary, NOISY, Metric::Acc, &PaperNumbers::default());
    let texts: Vec<&str> = table.rows.iter().map(|(_, entries)| entries[0].text.as_str()).collect();
    assert_eq!((texts, table.notes.len()), (vec!["90.0", "50.0", "unknown"], 0));
    let ranking = Ranking::new(&summary, NOISY, Metric::Acc);
    let not_ranked = NotRanked { label: "old".into(), sets: vec!["s".into()], why: None };
    assert_eq!((ranking.methods.len(), &ranking.left_out[..]), (2, &[not_ranked][..]));
    assert_eq!(Ranking::new(&summary, NOISY, Metric::Nmi).methods.len(), 3);
}

#[test]
fn figures_get_plain_numbers() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let point = |x: &str, y: &str, acc| Row {
        label: format!("m beta={x} lambda2={y}"),
        parameters: vec![pair("beta", x), pair("lambda2", y), pair("updates", "derived")],
        ..row("s", "m", 0, 0, acc)
    };
    let rows = [point("1", "0.5", 0.4), point("0.1", "0.5", 0.3), point("0.1", "2", 0.2)];
    let grid = parameter_grid(&rows, "s", NOISY, Metric::Acc, "beta", "lambda2");
    assert_eq!((grid.x, grid.y), (vec![0.1, 1.0], vec![0.5, 2.0]));
    assert_eq!(grid.mean, [[Some(0.3), Some(0.4)], [Some(0.2), None]]);
    let clean = Row { corruption: None, ..row("s", "m", 0, 0, 0.9) };
    let rows = [row("s", "m", 0, 0, 0.6), row("s", "m", 1, 0, 0.8), clean];
    let curves = over_noise(&rows, "s", CorruptionMode::Add, Metric::Acc);
    assert_eq!(curves.len(), 1);
    let [at_zero, at_fifth] = curves[0].points[..] else { panic!() };
    assert_eq!(at_zero, (0.0, 0.9, None));
    assert!(at_fifth.0 == 0.2 && (at_fifth.1 - 0.7).abs() < 1e-12 && at_fifth.2.is_some());
    assert!(
        over_noise(&rows, "s", CorruptionMode::Replace, Metric::Acc)[0].points.len() == 1,
        "the other kind of noise"
    );
    let other = [row("t", "m", 0, 0, 0.5), row("t", "n", 0, 0, 0.3)];
    let both: Vec<Row> = rows.iter().chain(&other).cloned().collect();
    let means = over_sets(&both, CorruptionMode::Add, Metric::Acc);
    // `t` has no clean run of `m`, and `s` none of `n`
    assert_eq!(means[0].points.len(), 1);
    assert!(means[0].points[0].0 == 0.2 && (means[0].points[0].1 - 0.6).abs() < 1e-12);
    assert_eq!(means[1].points, [(0.2, 0.3, None)]);
}
