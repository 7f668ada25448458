//! `predict` on the real program: a run folder with its model places new samples.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Workplace;

/// Samples `from` to `to` of three classes; every class has its own corner.
fn table(features: [&str; 3], rows: std::ops::Range<usize>, shift: f64) -> String {
    let row = |i: usize| {
        let wobble = |j: usize| (i * (7 + 4 * j) % 13) as f64 / 13.0;
        let cell = |j: usize| format!("{:.3}", shift + wobble(j) + if i % 3 == j { 8.0 } else { 0.0 });
        format!("s{i:03},{},{},{}\n", cell(0), cell(1), cell(2))
    };
    format!("sample,{}\n{}", features.join(","), rows.map(row).collect::<String>())
}

/// A finished run of 60 samples, and 9 new ones in files of other names and with columns in another order.
fn fitted() -> Workplace {
    let place = Workplace::new();
    place.file("a.csv", table(["p", "q", "r"], 0..60, 0.0));
    place.file("b.csv", table(["x", "y", "z"], 0..60, 5.0));
    place.file("new_a.csv", table(["p", "q", "r"], 60..69, 0.0));
    place.file("new_b.csv", table(["x", "y", "z"], 60..69, 5.0));
    run(&place, &["cluster", "a.csv", "b.csv", "-k", "3", "-o", "run"], 0);
    place
}

fn run(place: &Workplace, line: &[&str], code: i32) -> (String, String) {
    let output = place.run(line);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(code), "{line:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn labels(table: &str) -> Vec<String> {
    table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn new_samples_get_labels_ids_and_confidence() {
    let place = fitted();
    let (table, talk) = run(&place, &["predict", "run", "new_a.csv", "new_b.csv"], 0);
    assert!(table.starts_with("sample,label,confidence,distance,unlike\ns060,0,1.0000,"), "{table}");
    assert_eq!(labels(&table), ["0", "1", "2", "0", "1", "2", "0", "1", "2"]);
    assert!(talk.contains("`new_a` is taken for view `a`, by its features"), "{talk}");
    // one view, the other left out; the order of the files does not matter; the model by itself
    let (one, _) = run(&place, &["predict", "run/model.safetensors", "new_b.csv"], 0);
    assert_eq!(labels(&one), labels(&table));
    let (turned, _) = run(&place, &["predict", "run", "new_b.csv", "new_a.csv"], 0);
    assert_eq!(turned, table);
    let (json, _) = run(&place, &["predict", "run", "new_a.csv", "--json"], 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ids"][8], &json["labels"][8], &json["unlike"][8]), (&"s068".into(), &2.into(), &false.into()));
}

#[test]
fn the_samples_of_the_fit_keep_their_labels() {
    let place = fitted();
    let (again, _) = run(&place, &["predict", "run", "a.csv", "b.csv"], 0);
    assert_eq!(labels(&again), labels(&std::fs::read_to_string(place.path("run/labels.csv")).unwrap()));
}

#[test]
fn nothing_is_overwritten_and_wrong_things_are_refused() {
    let place = fitted();
    run(&place, &["predict", "run", "new_a.csv", "-o", "out.csv"], 0);
    let (_, talk) = run(&place, &["predict", "run", "new_a.csv", "-o", "out.csv"], 2);
    assert!(talk.contains("--force"), "{talk}");
    run(&place, &["predict", "run", "new_a.csv", "-o", "out.csv", "--force"], 0);
    let (_, talk) = run(&place, &["predict", "run", "new_a.csv", "-o", "new_a.csv", "--force"], 2);
    assert!(talk.contains("never replaced"), "{talk}");
    let (_, talk) = run(&place, &["predict", "a.csv", "new_a.csv"], 2);
    assert!(talk.contains("`a.csv`: not a model"), "{talk}");
    let (_, talk) = run(&place, &["predict", ".", "new_a.csv"], 2);
    assert!(talk.contains("not the folder of a finished run"), "{talk}");
    let (_, talk) = run(&place, &["predict", "run", "new_a.csv", "--drop-columns", "q"], 2);
    assert!(talk.contains("`new_a`"), "{talk}");
}

#[test]
fn samples_of_another_kind_are_flagged() {
    let place = fitted();
    place.file("far.csv", table(["p", "q", "r"], 60..69, 300.0));
    let (table, talk) = run(&place, &["predict", "run", "far.csv"], 0);
    assert!(table.lines().skip(1).all(|line| line.ends_with(",1")), "{table}");
    assert!(talk.contains("9 of 9 samples are unlike anything") && talk.contains("same units"), "{talk}");
}

#[test]
fn a_run_with_noise_of_its_own_has_no_model() {
    let place = fitted();
    run(&place, &["cluster", "a.csv", "-k", "3", "--corrupt", "0.1", "-o", "noisy"], 0);
    let (_, talk) = run(&place, &["predict", "noisy", "a.csv"], 2);
    assert!(talk.contains("has no model.safetensors"), "{talk}");
}

/// A fit of incomplete views, and new samples of which a view may know nothing.
#[test]
fn views_may_lack_samples_in_the_fit_and_in_the_prediction() {
    let place = fitted();
    place.file("late_b.csv", table(["x", "y", "z"], 12..72, 5.0));
    run(&place, &["cluster", "a.csv", "late_b.csv", "--join", "outer", "-k", "3", "-o", "partial"], 0);
    let (own, _) = run(&place, &["predict", "partial", "a.csv"], 0);
    let fit = std::fs::read_to_string(place.path("partial/labels.csv")).unwrap();
    assert_eq!(labels(&own), labels(&fit)[..60]);

    let mut rows: Vec<String> = table(["x", "y", "z"], 60..69, 5.0).lines().map(str::to_owned).collect();
    rows[4] = "s063,,,".to_owned();
    place.file("gap_b.csv", rows.join("\n"));
    let expected = ["0", "1", "2", "0", "1", "2", "0", "1", "2"];
    let (both, _) = run(&place, &["predict", "run", "new_a.csv", "gap_b.csv"], 0);
    assert_eq!(labels(&both), expected);
    let (_, refused) = run(&place, &["predict", "run", "gap_b.csv"], 2);
    assert!(refused.contains("no value"), "{refused}");
    rows[4] = "s063,,1,1".to_owned();
    place.file("gap_b.csv", rows.join("\n"));
    let (_, refused) = run(&place, &["predict", "run", "new_a.csv", "gap_b.csv"], 2);
    assert!(refused.contains("sample 4 has a value that is missing"), "{refused}");
}
