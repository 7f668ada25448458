//! `predict` reads files a piece at a time: the same table as when they are read whole, and memory that does not grow.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fmt::Write;
use std::process::{Command, Stdio};

use common::Workplace;

const WIDTH: usize = 40;

/// Samples of three classes, a line each; `order` says which comes when.
fn table(kind: char, rows: usize, shift: usize, order: impl Fn(usize) -> usize) -> String {
    let mut text = "sample".to_owned();
    (0..WIDTH).for_each(|j| write!(text, ",{kind}{j}").unwrap());
    for i in (0..rows).map(order) {
        write!(text, "\ns{i}").unwrap();
        for j in 0..WIDTH {
            let wobble = (i * (7 + 4 * j) + shift) % 997;
            write!(text, ",{}.{wobble:03}", if i % 3 == j % 3 { 8 } else { 0 }).unwrap();
        }
    }
    text + "\n"
}

fn fitted() -> Workplace {
    let place = Workplace::new();
    place.file("a.csv", table('f', 90, 0, |i| i)).file("b.csv", table('g', 90, 5, |i| i));
    ok(&place, &["cluster", "a.csv", "b.csv", "-k", "3", "-o", "run", "--method", "average"]);
    place
}

fn ok(place: &Workplace, line: &[&str]) -> (String, String) {
    let output = place.run(line);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// The table of a file that comes through a pipe, which is read whole.
fn through_a_pipe(place: &Workplace, name: &str) -> String {
    let file = std::fs::File::open(place.path(name)).unwrap();
    let mut cat = Command::new("cat").stdin(file).stdout(Stdio::piped()).spawn().unwrap();
    let mut predict = Command::new(env!("CARGO_BIN_EXE_consilience"));
    predict.args(["predict", "run", "-"]).current_dir(place.path(".")).stdin(cat.stdout.take().unwrap());
    let output = predict.output().unwrap();
    assert!(cat.wait().unwrap().success());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn pieces_give_the_same_table_as_the_whole_file() {
    let place = fitted();
    // 25 MB: a piece, and some of another
    place.file("a.csv", table('f', 100_000, 3, |i| i)).file("b.csv", table('g', 100_000, 4, |i| i));
    let (streamed, _) = ok(&place, &["predict", "run", "a.csv"]);
    assert_eq!(streamed.lines().count(), 100_001);
    assert_eq!(streamed, through_a_pipe(&place, "a.csv"));
    let (both, _) = ok(&place, &["predict", "run", "a.csv", "b.csv"]);
    let json = place.json(&["predict", "run", "a.csv", "b.csv", "--json"]);
    assert_eq!(json["ids"].as_array().unwrap().len(), 100_000);
    // views whose samples are in another order are read whole, and matched
    place.file("b.csv", table('g', 100_000, 4, |i| 99_999 - i));
    assert_eq!(ok(&place, &["predict", "run", "a.csv", "b.csv"]).0, both);
    // and so they are when a file is longer
    place.file("b.csv", table('g', 100_001, 4, |i| i));
    let output = place.run(&["predict", "run", "a.csv", "b.csv"]);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty());
}

#[test]
fn what_is_wrong_further_down_is_told_with_its_line() {
    let place = fitted();
    let mut text = table('f', 100_000, 3, |i| i);
    place.file("a.csv", text.clone() + "last,1,2\n");
    let output = place.run(&["predict", "run", "a.csv", "-o", "out.csv"]);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{talk}");
    assert!(talk.contains("line 100002 has 3 columns"), "{talk}");
    assert!(!place.path("out.csv").exists(), "nothing half-written");
    let at = text.find("\ns90000,").unwrap() + 8;
    text.replace_range(at..at + 5, "nan  ");
    place.file("a.csv", text);
    let output = place.run(&["predict", "run", "a.csv"]);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && talk.contains("sample 90001 has a value that is missing"), "{talk}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_samples() {
    let place = fitted();
    let most = |rows: usize| {
        place.file("a.csv", table('f', rows, 3, |i| i)).file("b.csv", table('g', rows, 4, |i| i));
        let mut predict = Command::new(env!("CARGO_BIN_EXE_consilience"));
        predict.args(["predict", "run", "a.csv", "b.csv", "-o", "out.csv", "--force"]).current_dir(place.path("."));
        peak(&mut predict)
    };
    // 50 and 120 MB per file: from three pieces on, a piece and what is left of the one before are all that is held
    let (few, many) = (most(200_000), most(500_000));
    assert!(many < few * 5 / 4, "{few} kB for 200,000 samples, {many} kB for 500,000");
}

/// The most memory that a process held, in kB, as the system counts it.
#[cfg(target_os = "linux")]
fn peak(command: &mut Command) -> u64 {
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let found = line.and_then(|line| line.split_ascii_whitespace().next()?.parse().ok());
        most = most.max(found.unwrap_or(0));
        if let Some(done) = child.try_wait().unwrap() {
            assert!(done.success());
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
