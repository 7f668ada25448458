//! Every help text and every error message a user can meet, as snapshots of the real binary.
//!
//! Each group of messages is one snapshot. After a change that is meant: `INSTA_UPDATE=always cargo test -p consilience-cli --test messages`, then read the diff.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use common::Workplace;
use insta::{assert_snapshot, with_settings};

/// What the binary answers to each of some commands, one after the other.
fn answers(place: &Workplace, commands: &[&[&str]]) -> String {
    let answer = |command: &&[&str]| format!("$ consilience {}\n{}", command.join(" "), place.talk(command));
    commands.iter().map(answer).collect::<Vec<_>>().join("\n")
}

#[test]
fn help() {
    let place = Workplace::new();
    let overview = place.talk(&["--help"]);
    let listed = overview.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // what is indented further goes on with the line before
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    let commands: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(commands.contains(&"cluster") && commands.contains(&"predict"), "{overview}");
    let pages: Vec<String> = commands.iter().map(|command| answers(&place, &[&[command, "--help"]])).collect();
    assert_snapshot!("help", format!("{overview}\n{}", pages.join("\n")));
}

#[test]
fn methods() {
    let commands = [&["methods"][..], &["methods", "single"], &["methods", "mfmcs"]];
    assert_snapshot!("methods", answers(&Workplace::new(), &commands));
}

#[test]
fn usage_errors() {
    let place = Workplace::new().with_views();
    let commands: [&[&str]; 17] = [
        &["cluster", "-k", "3"],
        &["cluster", "a.csv"],
        &["cluster", "a.csv", "-k", "0"],
        &["cluster", "a.csv", "-k", "-2"],
        &["cluster", "a.csv", "-k", "three"],
        &["cluster", "a.csv", "-k", "31"],
        &["cluster", "a.csv", "-k", "3", "--method", "averge"],
        &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "neighbors=3"],
        &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "neighbours=0"],
        &["cluster", "a.csv", "-k", "3", "--method", "mfmsc", "--set", "weights=heavy"],
        &["cluster", "a.csv", "-k", "3", "--set", "neighbours"],
        &["cluster", "a.csv", "b.csv", "-k", "3", "--views", "a,c"],
        &["cluster", "a.csv", "-k", "3", "--method", "single", "--set", "view=z"],
        &["cluster", "a.csv", "-k", "3", "--scale", "log"],
        &["cluster", "a.csv", "-k", "3", "--corrupt", "1.5"],
        &["cluster", "a.csv", "-k", "3", "--threads", "0"],
        &["clutser"],
    ];
    assert_snapshot!("usage-errors", answers(&place, &commands));
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
    let commands: [&[&str]; 17] = [
        &["cluster", "nowhere.npy", "-k", "3"],
        &["cluster", ".", "-k", "3"],
        &["cluster", "empty.csv", "-k", "3"],
        &["cluster", "head.csv", "-k", "3"],
        &["cluster", "cut.npy", "-k", "3"],
        &["cluster", "noise.bin", "-k", "3"],
        &["cluster", "a.csv", "short.csv", "-k", "3"],
        &["cluster", "a.csv", "a.csv", "-k", "3"],
        &["cluster", "missing.csv", "-k", "2"],
        &["cluster", "infinite.csv", "-k", "2"],
        &["cluster", "ragged.csv", "-k", "2"],
        &["cluster", "words.csv", "-k", "2"],
        &["cluster", "ids1.csv", "ids2.csv", "-k", "2"],
        &["cluster", "a.csv", "-k", "3", "--truth", "two.txt"],
        &["evaluate", "two.txt", "truth.txt"],
        &["evaluate", "two.txt", "gone.txt"],
        &["cluster", "a.csv", "-k", "3", "-o", "truth.txt"],
    ];
    with_settings!({ filters => vec![(r"\d+\.\d\d s: load.*", "[times]")] }, {
        assert_snapshot!("data-errors", answers(&place, &commands));
    });
}

#[test]
fn results() {
    let place = Workplace::new().with_views();
    place.file("odd.csv", "id,u,v,w,label\ns1,0,5,,red\ns2,0,5,2,blue\ns3,0,5,inf,red\n");
    let commands: [&[&str]; 6] = [
        &["cluster", "a.csv", "b.csv", "-k", "3", "--truth", "truth.txt"],
        &["cluster", "a.csv", "-k", "3", "-o", "out"],
        &["evaluate", "out/labels.csv", "truth.txt"],
        &["evaluate", "out/labels.csv", "truth.txt", "--json"],
        &["inspect", "odd.csv", "b.csv"],
        &["inspect", "odd.csv", "--json"],
    ];
    with_settings!({ filters => vec![(r"\d+\.\d\d s: load.*", "[times]")] }, {
        assert_snapshot!("results", answers(&place, &commands));
    });
}
