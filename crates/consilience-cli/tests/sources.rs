//! Where data come from: pipes, standard input, FIFOs, packed files; and what happens when there is too much of them.
#![cfg(unix)]
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use common::{Workplace, shell, words};

/// A table of 300 rows, which is more than any buffer that looks at the first bytes.
fn table() -> String {
    let mut text = "width,height\n".to_owned();
    for i in 0..300 {
        let class = f64::from(i % 3);
        writeln!(text, "{},{}", 10.0 * class + f64::from(i) / 1000.0, f64::from(i * 7 % 10) / 20.0 - 5.0 * class)
            .unwrap();
    }
    text
}

#[test]
fn a_pipe_gives_what_the_file_gives() {
    let place = Workplace::new();
    place.file("c.csv", table());
    let named = shell(&place, "consilience cluster c.csv -k 3");
    assert!(named.status.success(), "{}", words(&named.stderr));
    assert_eq!(words(&named.stdout).lines().count(), 301);
    for script in [
        "consilience cluster <(cat c.csv) -k 3",
        "cat c.csv | consilience cluster - -k 3",
        "consilience cluster - -k 3 < c.csv",
        "cat c.csv | consilience cluster /dev/stdin -k 3",
        "gzip -c c.csv | consilience cluster - -k 3",
        "mkfifo f; cat c.csv > f & consilience cluster f -k 3",
    ] {
        let piped = shell(&place, script);
        assert!(piped.status.success(), "{script}: {}", words(&piped.stderr));
        assert_eq!(words(&piped.stdout), words(&named.stdout), "{script}");
    }
    let truth = shell(
        &place,
        "consilience cluster c.csv -k 3 -o out && consilience evaluate - out/labels.csv < out/labels.csv",
    );
    assert!(words(&truth.stdout).contains("100.0"), "{}{}", words(&truth.stdout), words(&truth.stderr));
}

/// What the real mudata wrote; its modalities are in different orders.
#[test]
fn views_of_mudata_are_chosen_by_modality_and_entry() {
    let place = Workplace::new();
    let file = "cells.h5mu";
    let packed =
        std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../consilience-io/tests/files.zip")).unwrap();
    let mut cells = Vec::new();
    zip::ZipArchive::new(packed).unwrap().by_name(file).unwrap().read_to_end(&mut cells).unwrap();
    place.file(file, cells);
    let asked = ["cluster", file, "-k", "3", "--views", "rna:X_pca,prot", "--label-column", "cell_type", "--json"];
    let run = place.json(&asked);
    let named: Vec<_> = run["views"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["rna:X_pca", "prot"]);
    assert_eq!(run["ids"][11], "cell11");
    assert!(run["scores"]["acc"].is_number(), "the labels in obs are for scoring");
    let seen = place.json(&["inspect", file, "--json"]);
    assert_eq!(seen["files"][0]["entries"][1], "rna:X_pca");
    let wrong = place.talk(&["cluster", file, "-k", "3", "--views", "rna:X_pcaa"]);
    assert!(wrong.starts_with("exit 2") && wrong.contains("it holds rna:X, rna:X_pca, prot:X"), "{wrong}");
}

#[test]
fn standard_input_is_read_once_and_said_to_be_gone() {
    let place = Workplace::new();
    place.file("c.csv", table());
    let twice = shell(&place, "consilience cluster - - -k 3 < c.csv");
    assert_eq!(twice.status.code(), Some(2));
    assert!(words(&twice.stderr).contains("`-` (standard input) was named 2 times"), "{}", words(&twice.stderr));
    let again = shell(&place, "consilience cluster - -k 3 -o out < c.csv && consilience report out < /dev/null");
    assert_eq!(again.status.code(), Some(2));
    assert!(words(&again.stderr).contains("read from `-`, which cannot be read again"), "{}", words(&again.stderr));
    let empty = shell(&place, "consilience cluster - -k 3 < /dev/null");
    assert!(words(&empty.stderr).contains("`-`: the file is empty (0 bytes)"), "{}", words(&empty.stderr));
}

#[test]
fn ctrl_c_ends_the_wait_for_a_fifo() {
    let place = Workplace::new();
    assert!(Command::new("mkfifo").arg(place.path("f")).status().unwrap().success());
    for command in [&["cluster", "f", "-k", "3"][..], &["inspect", "f"], &["evaluate", "f", "f"]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_consilience"));
        let mut child = program.args(command).current_dir(place.path(".")).stderr(Stdio::null()).spawn().unwrap();
        // it can be opened for writing once the program has opened it for reading
        let writer = std::fs::OpenOptions::new().write(true).open(place.path("f")).unwrap();
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        // a shell that starts jobs in the background has them ignore Ctrl-C, which every command undoes
        let ended = child.wait().unwrap();
        drop(writer);
        assert_eq!(ended.code(), Some(130), "{command:?}");
    }
}

#[test]
fn an_endless_device_is_not_waited_for() {
    let place = Workplace::new();
    let zeros = shell(&place, "consilience inspect /dev/zero");
    assert_eq!(zeros.status.code(), Some(2));
    assert!(words(&zeros.stderr).contains("not a format that can be read"), "{}", words(&zeros.stderr));
    let endless = shell(&place, "yes 1,2 | consilience cluster - -k 2 --memory 0.05");
    assert_eq!(endless.status.code(), Some(2));
    assert!(words(&endless.stderr).contains("but only 50 MB may be used"), "{}", words(&endless.stderr));
}

/// A file of 1 MB that says in all honesty that it unpacks to a gigabyte, under half of that in address space.
#[test]
fn what_unpacks_to_more_than_there_is_memory_is_an_error() {
    let place = Workplace::new();
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (125000, 1000), }");
    npy.extend_from_slice(&(header.len() as u16).to_le_bytes());
    npy.extend_from_slice(header.as_bytes());
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&npy).unwrap();
    for _ in 0..1000 {
        gz.write_all(&vec![0; 1_000_000]).unwrap();
    }
    place.file("bomb.npy.gz", gz.finish().unwrap());
    let limited = shell(&place, "ulimit -v 1000000; consilience inspect bomb.npy.gz");
    assert_eq!(limited.status.code(), Some(2), "{}", words(&limited.stderr));
    assert!(words(&limited.stderr).contains(" may be used"), "{}", words(&limited.stderr));
    let asked = shell(&place, "consilience cluster bomb.npy.gz -k 2 --memory 0.5");
    assert!(words(&asked.stderr).contains("but only 500 MB may be used"), "{}", words(&asked.stderr));
    place.file("empty.npy", [&npy[..10], header.replace("(125000, 1000)", "(0, 999999999)").as_bytes()].concat());
    let empty = shell(&place, "consilience inspect empty.npy");
    assert_eq!(empty.status.code(), Some(2));
    assert!(words(&empty.stderr).contains("is empty: 0 rows x 999999999 columns"), "{}", words(&empty.stderr));
}
