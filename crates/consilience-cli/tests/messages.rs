//! Every help text and every error message a user can meet, as snapshots of the real binary.
//!
//! After a change that is meant: `INSTA_UPDATE=always cargo test -p consilience-cli --test messages`, then read the diff.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use common::Workplace;
use insta::{assert_snapshot, with_settings};

#[test]
fn help() {
    let place = Workplace::new();
    assert_snapshot!("help", place.talk(&["--help"]));
    for command in ["cluster", "predict", "evaluate", "inspect", "methods", "demo", "synthesize", "report", "plot"] {
        assert_snapshot!(format!("help-{command}"), place.talk(&[command, "--help"]));
    }
}

#[test]
fn methods() {
    let place = Workplace::new();
    assert_snapshot!("methods", place.talk(&["methods"]));
    assert_snapshot!("methods-single", place.talk(&["methods", "single"]));
    assert_snapshot!("methods-unknown", place.talk(&["methods", "mfmcs"]));
}

#[test]
fn usage_errors() {
    let place = Workplace::new().with_views();
    for (name, arguments) in [
        ("no-files", &["cluster", "-k", "3"][..]),
        ("no-k", &["cluster", "a.csv"]),
        ("k-zero", &["cluster", "a.csv", "-k", "0"]),
        ("k-negative", &["cluster", "a.csv", "-k", "-2"]),
        ("k-word", &["cluster", "a.csv", "-k", "three"]),
        ("k-above-n", &["cluster", "a.csv", "-k", "31"]),
        ("method-unknown", &["cluster", "a.csv", "-k", "3", "--method", "averge"]),
        ("parameter-unknown", &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "neighbors=3"]),
        ("parameter-range", &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "neighbours=0"]),
        ("parameter-choice", &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "weights=heavy"]),
        ("parameter-form", &["cluster", "a.csv", "-k", "3", "--set", "neighbours"]),
        ("view-unknown", &["cluster", "a.csv", "b.csv", "-k", "3", "--views", "a,c"]),
        ("single-view-unknown", &["cluster", "a.csv", "-k", "3", "--method", "single", "--set", "view=z"]),
        ("scale-unknown", &["cluster", "a.csv", "-k", "3", "--scale", "log"]),
        ("corrupt-range", &["cluster", "a.csv", "-k", "3", "--corrupt", "1.5"]),
        ("threads-zero", &["cluster", "a.csv", "-k", "3", "--threads", "0"]),
        ("command-unknown", &["clutser"]),
    ] {
        assert_snapshot!(format!("usage-{name}"), place.talk(arguments));
    }
}

#[test]
fn data_errors() {
    let place = Workplace::new().with_views();
    place.file("short.csv", "u,v\n1,2\n3,4\n");
    place.file("missing.csv", "x,height\n1,2\n3,\n5,6\n");
    place.file("infinite.csv", "1,2\n3,inf\n5,6\n");
    place.file("ragged.csv", "1,2\n3\n5,6\n");
    place.file("words.csv", "u,v\n1,2\n3,four\n5,6\n");
    place.file("empty.csv", "");
    place.file("head.csv", "u,v\n");
    place.file("ids1.csv", "id,x\ns1,1\ns2,2\ns3,9\n");
    place.file("ids2.csv", "id,z\ns1,1\ns3,2\ns4,9\n");
    place.file("two.txt", "1\n2\n");
    place.file("cut.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'");
    place.file("noise.bin", [0_u8, 159, 146, 150, 255, 0, 1, 2]);
    for (name, arguments) in [
        ("file-missing", &["cluster", "nowhere.npy", "-k", "3"][..]),
        ("file-is-folder", &["cluster", ".", "-k", "3"]),
        ("file-empty", &["cluster", "empty.csv", "-k", "3"]),
        ("file-head-only", &["cluster", "head.csv", "-k", "3"]),
        ("file-cut", &["cluster", "cut.npy", "-k", "3"]),
        ("file-noise", &["cluster", "noise.bin", "-k", "3"]),
        ("rows-differ", &["cluster", "a.csv", "short.csv", "-k", "3"]),
        ("names-equal", &["cluster", "a.csv", "a.csv", "-k", "3"]),
        ("value-missing", &["cluster", "missing.csv", "-k", "2"]),
        ("value-infinite", &["cluster", "infinite.csv", "-k", "2"]),
        ("row-ragged", &["cluster", "ragged.csv", "-k", "2"]),
        ("cell-word", &["cluster", "words.csv", "-k", "2"]),
        ("ids-differ", &["cluster", "ids1.csv", "ids2.csv", "-k", "2"]),
        ("truth-short", &["cluster", "a.csv", "-k", "3", "--truth", "two.txt"]),
        ("evaluate-lengths", &["evaluate", "two.txt", "truth.txt"]),
        ("evaluate-missing", &["evaluate", "two.txt", "gone.txt"]),
        ("output-is-file", &["cluster", "a.csv", "-k", "3", "-o", "truth.txt"]),
    ] {
        with_settings!({ filters => vec![(r"\d+\.\d\d s: load.*", "[times]")] }, {
            assert_snapshot!(format!("data-{name}"), place.talk(arguments));
        });
    }
}

#[test]
fn results() {
    let place = Workplace::new().with_views();
    with_settings!({ filters => vec![(r"\d+\.\d\d s: load.*", "[times]")] }, {
        assert_snapshot!("cluster", place.talk(&["cluster", "a.csv", "b.csv", "-k", "3", "--truth", "truth.txt"]));
        assert_snapshot!("cluster-folder", place.talk(&["cluster", "a.csv", "-k", "3", "-o", "out"]));
    });
    assert_snapshot!("evaluate", place.talk(&["evaluate", "out/labels.csv", "truth.txt"]));
    assert_snapshot!("evaluate-json", place.talk(&["evaluate", "out/labels.csv", "truth.txt", "--json"]));
    place.file("odd.csv", "id,u,v,w,label\ns1,0,5,,red\ns2,0,5,2,blue\ns3,0,5,inf,red\n");
    assert_snapshot!("inspect", place.talk(&["inspect", "odd.csv", "b.csv"]));
    assert_snapshot!("inspect-json", place.talk(&["inspect", "odd.csv", "--json"]));
}
