//! What a command reads is never what it replaces, whatever the names are that lead to it.
#![cfg(unix)]
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use common::{Workplace, shell, words};

fn files(place: &Workplace) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in ["", "out/"] {
        for entry in std::fs::read_dir(place.path(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                let name = format!("{folder}{}", entry.file_name().to_string_lossy());
                found.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn no_command_replaces_what_it_reads() {
    let place = Workplace::new().with_views();
    let made = shell(
        &place,
        "consilience cluster a.csv b.csv -k 3 -o out --report -q && \
        ln -s out/labels.csv link.csv && ln out/labels.csv hard.csv && ln -s out/../a.csv far.csv && ln a.csv twin.csv && \
        seq 30 | sed '1i n' > m.csv",
    );
    assert!(made.status.success(), "{}", words(&made.stderr));
    let before = files(&place);
    for line in [
        "cluster a.csv b.csv -k 3 -o out --force --report --metadata out/labels.csv",
        "cluster a.csv b.csv -k 3 -o out --force --report --metadata link.csv",
        "cluster a.csv b.csv -k 3 -o out --force --report --metadata hard.csv",
        "cluster a.csv b.csv -k 3 -o out --force --report --metadata out/report.json",
        "cluster a.csv -k 3 -o out --force --truth hard.csv",
        "cluster out/embedding.npy -k 3 -o out --force",
        "cluster - -k 3 -o out --force < out/embedding.npy",
        "cluster /dev/stdin -k 3 -o out --force < out/embedding.npy",
        "cluster a.csv -k 3 >> a.csv",
        "predict out a.csv b.csv -o out/model.safetensors --force",
        "predict out a.csv b.csv -o far.csv --force",
        "predict out a.csv b.csv -o twin.csv --force",
        "predict out a.csv b.csv -o out/labels.csv --force",
        "predict out - --views a -o a.csv --force < a.csv",
        "report out --metadata m.csv -o m.csv --force",
        "report out -o a.csv --force",
        "report out -o out/run.json --force",
        "plot embedding out -o out/run.json --force",
    ] {
        let output = shell(&place, &format!("consilience {line}"));
        let told = words(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        let known = ["its own input", "which this command reads", "is a part of the run", "neither .svg nor .png"];
        assert!(known.iter().any(|words| told.contains(words)), "{line}: {told}");
        assert_eq!(files(&place), before, "{line}");
    }
}

#[test]
fn a_persons_files_in_the_folder_of_a_run_stay() {
    let place = Workplace::new().with_views();
    let run = |line: &str| place.run(&line.split(' ').collect::<Vec<_>>());
    assert!(run("cluster a.csv b.csv -k 3 -o out").status.success());
    place.file("out/report.html", "mine");
    assert!(run("cluster a.csv b.csv -k 2 -o out --force").status.success());
    assert_eq!(std::fs::read_to_string(place.path("out/report.html")).unwrap(), "mine");
    for line in ["cluster a.csv b.csv -k 2 -o out --force --report", "report out"] {
        let refused = run(line);
        let told = words(&refused.stderr);
        assert!(
            refused.status.code() == Some(2) && told.contains("report.html, which its run did not write"),
            "{told}"
        );
    }
    // what was changed by hand is no file of the run any more
    std::fs::remove_file(place.path("out/report.html")).unwrap();
    place.file("out/labels.csv", "sample,label\nmine,1\n");
    let refused = run("cluster a.csv b.csv -k 3 -o out --force");
    assert!(words(&refused.stderr).contains("labels.csv, changed since the run wrote it"));
    assert_eq!(std::fs::read_to_string(place.path("out/labels.csv")).unwrap(), "sample,label\nmine,1\n");
    assert!(run("report out").status.success(), "a report replaces no labels");
    assert!(words(&run("cluster a.csv -k 3 -o out --force").stderr).contains("labels.csv, changed"));
}

#[test]
fn two_runs_at_once_are_one_run_and_a_refusal() {
    let place = Workplace::new().with_views();
    // the first waits for its input with the folder taken
    let both = shell(
        &place,
        "mkfifo late; consilience cluster late -k 3 -o new -q & first=$!; exec 3> late; \
        consilience cluster a.csv -k 2 -o new; echo code $?; cat a.csv >&3; exec 3>&-; wait $first; echo code $?",
    );
    assert_eq!(words(&both.stdout), "code 2\ncode 0\n", "{}", words(&both.stderr));
    assert!(words(&both.stderr).contains("another run is being written into `new`"), "{}", words(&both.stderr));
    let labels = std::fs::read_to_string(place.path("new/labels.csv")).unwrap();
    assert!(labels.contains(",2,"), "three clusters: {labels}");
}
