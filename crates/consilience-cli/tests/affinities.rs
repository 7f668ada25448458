//! Files of affinities and distances: named on the command line, kept in the record, matched by id in both directions.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Workplace;

/// A square table with ids in rows and columns: samples of one class (by the number of their id) are alike.
fn alike(order: &[usize], columns: &[usize], value: impl Fn(usize, usize) -> f64) -> String {
    let names: Vec<String> = columns.iter().map(|i| format!("s{i}")).collect();
    let mut table = format!("id,{}\n", names.join(","));
    for &i in order {
        let row: Vec<String> = columns.iter().map(|&j| value(i, j).to_string()).collect();
        table += &format!("s{i},{}\n", row.join(","));
    }
    table
}

fn affinity(i: usize, j: usize) -> f64 {
    if i == j { 1.0 } else { [0.01, 0.9][usize::from(i % 3 == j % 3)] + (i * j % 7) as f64 / 1000.0 }
}

/// Features of 30 samples with ids, and a square table of them in another order.
fn place() -> Workplace {
    let place = Workplace::new();
    let mut features = "id,p,q\n".to_owned();
    for i in 0..30_usize {
        features += &format!("s{i},{},{}\n", 9.0 * (i % 3) as f64 + (i * 7 % 10) as f64 / 20.0, i * 7 % 5);
    }
    let turned: Vec<usize> = (0..30).rev().collect();
    let truth: String = (0..30_usize).map(|i| format!("{}\n", i % 3)).collect();
    place.file("x.csv", features).file("g.csv", alike(&turned, &turned, affinity)).file("truth.txt", truth);
    place
}

#[test]
fn a_graph_is_used_kept_in_the_record_and_left_out_of_the_model() {
    let place = place();
    let run =
        ["cluster", "x.csv", "g.csv", "--affinity", "g", "-k", "3", "--truth", "truth.txt", "-o", "run", "--report"];
    let talk = place.talk(&run);
    assert!(talk.starts_with("exit 0") && talk.contains("views x (2), g (affinity)"), "{talk}");
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("run/run.json")).unwrap()).unwrap();
    assert_eq!(record["scores"]["nmi"], 1.0, "rows and columns follow the ids");
    assert_eq!(record["inputs"]["precomputed"], serde_json::json!([["g", "affinity"]]));
    assert_eq!(
        (&record["views"][0]["affinity"], &record["views"][1]["affinity"]),
        (&serde_json::Value::Null, &true.into())
    );
    let markers = record["markers"].as_array().unwrap();
    assert!(!markers.is_empty() && markers.iter().all(|marker| marker["view"] == "x"));
    // made again from the record, and new samples by their features
    assert!(place.talk(&["report", "run", "--force", "--resamples", "2"]).starts_with("exit 0"));
    let placed = place.talk(&["predict", "run", "x.csv"]);
    assert!(placed.starts_with("exit 0"), "{placed}");
    let refused = place.talk(&["predict", "run", "g.csv"]);
    assert!(!refused.starts_with("exit 0"), "{refused}");
}

#[test]
fn distances_alone_leave_no_model() {
    let place = place();
    let order: Vec<usize> = (0..30).collect();
    place.file("d.csv", alike(&order, &order, |i, j| 1.0 - affinity(i, j)));
    let record = place.json(&["cluster", "d.csv", "--distance", "d", "-k", "3", "--truth", "truth.txt", "--json"]);
    assert_eq!((&record["scores"]["nmi"], &record["graph"]), (&1.0.into(), &serde_json::Value::Null));
    let talk = place.talk(&["cluster", "d.csv", "--distance", "d", "-k", "3", "-o", "run"]);
    assert!(talk.contains("wrote labels.csv, memberships.npy, embedding.npy and run.json to run"), "{talk}");
    assert!(!place.path("run/model.safetensors").exists());
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let place = place();
    let order: Vec<usize> = (0..30).collect();
    let turned: Vec<usize> = (0..30).rev().collect();
    place.file("mixed.csv", alike(&order, &turned, affinity));
    let asked = |words: &[&str]| place.talk(&[&["cluster"], words, &["-k", "3"]].concat());
    let talk = asked(&["mixed.csv", "--affinity", "mixed"]);
    assert!(talk.contains("row 1 is sample `s0`, and column 1 is sample `s29`"), "{talk}");
    let talk = asked(&["x.csv", "--affinity", "x"]);
    assert!(talk.contains("is 30 x 2, and an affinity is of samples x samples"), "{talk}");
    let talk = asked(&["x.csv", "g.csv", "--affinity", "h"]);
    assert!(talk.contains("unknown view `h`"), "{talk}");
    let talk = asked(&["x.csv", "g.csv", "--affinity", "g", "--method", "kmeans"]);
    assert!(talk.contains("`kmeans` works on features") && talk.contains("these can use affinities: slrmf"), "{talk}");
}
