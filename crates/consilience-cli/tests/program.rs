//! What the program promises to scripts: JSON, files, exit codes, pipes, signals.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use common::Workplace;
use consilience::method::Property;
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn cluster_json_keeps_the_contract() {
    let place = Workplace::new().with_views();
    let run = place.json(&["cluster", "a.csv", "b.csv", "-k", "3", "--seed", "5", "--truth", "truth.txt", "--json"]);
    for key in [
        "method",
        "n",
        "k",
        "seed",
        "views",
        "parameters",
        "labels",
        "scores",
        "termination",
        "inputs",
        "ids",
        "seconds",
        "peak_rss_mb",
        "warnings",
    ] {
        assert!(run.get(key).is_some(), "{key} is missing");
    }
    assert_eq!((run["n"].as_u64(), run["k"].as_u64(), run["seed"].as_u64()), (Some(30), Some(3), Some(5)));
    assert_eq!((run["views"][1]["name"].as_str(), run["views"][1]["d"].as_u64()), (Some("b"), Some(3)));
    assert_eq!(run["labels"].as_array().unwrap().len(), 30);
    assert_eq!(keys(&run["scores"]), ["acc", "nmi", "ari", "purity", "fscore"]);
    assert_eq!(keys(&run["termination"]), ["reason", "iterations"]);
    assert_eq!(keys(&run["seconds"]), ["load", "prepare", "graph", "solve", "assign", "total"]);
    assert_eq!(run["scores"]["acc"].as_f64(), Some(1.0));
    let bare = place.json(&["cluster", "a.csv", "-k", "3", "--json"]);
    assert!(bare["scores"].is_null());
}

#[test]
fn a_folder_holds_the_same_run() {
    let place = Workplace::new().with_views();
    let run = place.json(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "deep/out", "--json"]);
    let kept: Value = serde_json::from_slice(&std::fs::read(place.path("deep/out/run.json")).unwrap()).unwrap();
    assert_eq!(run, kept);
    // enough to make the run again from anywhere
    assert!(Path::new(kept["inputs"]["files"][0].as_str().unwrap()).is_absolute());
    let record = consilience_io::folder::read(&place.path("deep/out")).unwrap();
    assert_eq!((record.record.settings.clusters, record.record.settings.method.info().id), (3, "slrmf"));
    assert_eq!(serde_json::to_value(&record).unwrap(), kept);
    let labels = std::fs::read_to_string(place.path("deep/out/labels.csv")).unwrap();
    assert_eq!(labels.lines().next(), Some("sample,label,confidence"));
    assert_eq!(labels.lines().count(), 31);
    let embedding = consilience_io::read(&place.path("deep/out/embedding.npy")).unwrap();
    assert_eq!((embedding.views[0].data.rows(), embedding.views[0].data.cols()), (30, 7), "k + 4 columns");
    let left: Vec<_> = std::fs::read_dir(place.path("deep/out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 6, "no temporary file stays: {left:?}");
}

#[test]
fn seeds_threads_and_corruption() {
    let place = Workplace::new().with_views();
    let labels = |more: &[&str]| {
        let base = ["cluster", "a.csv", "b.csv", "-k", "4", "--json"];
        place.json(&[&base[..], more].concat())["labels"].clone()
    };
    assert_eq!(labels(&["--threads", "1"]), labels(&["--threads", "2"]));
    let noisy = ["--corrupt", "0.4", "--corrupt-mode", "add", "--corrupt-seed"];
    assert_eq!(labels(&[&noisy[..], &["1"]].concat()), labels(&[&noisy[..], &["1"]].concat()));
    assert_ne!(labels(&[&noisy[..], &["1"]].concat()), labels(&[&noisy[..], &["2"]].concat()));
}

#[test]
fn ids_and_labels_inside_a_table_are_used_and_hidden_from_the_solver() {
    let place = Workplace::new();
    let rows: String = (0..12).map(|i| format!("s{i},{},{},{}\n", i % 2 * 9, i % 3, ["x", "y"][i % 2])).collect();
    place.file("t.csv", format!("sample,a,b,truth\n{rows}"));
    let run = place.json(&["cluster", "t.csv", "-k", "2", "--json", "--set", "neighbours=3"]);
    assert_eq!(run["views"][0]["d"].as_u64(), Some(2));
    assert!(run["scores"]["acc"].is_number());
    let output = place.run(&["cluster", "t.csv", "-k", "2"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("\ns11,"));
}

#[test]
fn demo_shows_every_quick_method_and_writes_its_folder() {
    let place = Workplace::new();
    let demo = place.json(&["demo", "--json", "-o", "out"]);
    let methods: Vec<&str> =
        demo["runs"].as_array().unwrap().iter().map(|run| run["method"].as_str().unwrap()).collect();
    for info in consilience::method::REGISTRY {
        assert_eq!(
            methods.contains(&info.id),
            !info.has(Property::Quadratic) && !info.has(Property::Study),
            "{}",
            info.id
        );
    }
    assert!(["run.json", "labels.csv", "model.safetensors"].iter().all(|name| place.path("out").join(name).is_file()));
    let again = place.run(&["demo", "-o", "out"]);
    assert_eq!(again.status.code(), Some(2), "the folder holds a run");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Workplace::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_consilience"))
        .args(["methods", "single"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .current_dir(place.path(""))
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut talk = String::new();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert!(child.wait().unwrap().success() && talk.is_empty(), "{talk}");
}

/// A run, interrupted by a real signal once it says that it begins, stops and leaves no file.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_cleanly() {
    let place = Workplace::new();
    // from 20,000 samples on, the program says what the run will take before it makes it
    let rows: String = (0..20_000_u64)
        .map(|i| {
            let cells: Vec<String> = (0..20_u64).map(|j| ((i * 7919 + j * 104_729) % 1009).to_string()).collect();
            cells.join(",") + "\n"
        })
        .collect();
    place.file("big.csv", rows);
    let mut child = Command::new(env!("CARGO_BIN_EXE_consilience"))
        .args(["cluster", "big.csv", "-k", "20", "-o", "out", "--threads", "1"])
        .current_dir(place.path(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(talk.any(|line| line.unwrap().starts_with("plan: 20000 samples")), "no plan was told");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!place.path("out").exists(), "nothing is written by an interrupted run");
}
