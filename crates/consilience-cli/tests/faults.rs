//! What a kill or a failed write leaves behind, at every write, rename, sync and removal of the commands that write: the old
//! run or the new one, and never a folder that the next run is locked out of. `FAULTS=all` tries every point, each after another
//! share of the bytes of a write, as `make fuzz` does; by default every thirteenth is tried. `FAULT_CASE=report` tries one case.
#![cfg(all(unix, debug_assertions))]
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use common::{Workplace, shell, words};

type Files = BTreeMap<String, Vec<u8>>;

const KILL: i32 = 9;

/// Whether it is a name of what is not finished.
fn is_unfinished(name: &str) -> bool {
    name.contains(".consilience") && name != ".consilience-run"
}

/// The files of a folder by name, but for those that are not finished.
fn files(folder: &Path) -> Files {
    let Ok(entries) = std::fs::read_dir(folder) else { return Files::new() };
    let named = entries.map(|entry| entry.unwrap().path());
    let named = named.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    named.filter(|(name, _)| !is_unfinished(name)).map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

struct Case {
    name: &'static str,
    /// What is there before, as commands.
    before: &'static [&'static str],
    line: &'static str,
    /// The folder that may hold the old or the new, and a person's file that must stay.
    folder: &'static str,
    mine: Option<&'static str>,
}

const CASES: [Case; 9] = [
    Case { name: "new", before: &[], line: "cluster a.csv b.csv -k 3 -o out -q", folder: "out", mine: None },
    Case {
        name: "deep",
        before: &[],
        line: "cluster a.csv -k 3 --method kmeans -o deep/er/out -q",
        folder: "deep/er/out",
        mine: None,
    },
    Case {
        name: "new beside a person's files",
        before: &[],
        line: "cluster a.csv b.csv -k 3 -o out -q",
        folder: "out",
        mine: Some("out/notes.txt"),
    },
    Case {
        name: "replace",
        before: &["cluster a.csv b.csv -k 2 -o out -q --report"],
        line: "cluster a.csv b.csv -k 3 -o out -q --force",
        folder: "out",
        mine: None,
    },
    Case {
        name: "replace beside a person's files",
        before: &["cluster a.csv b.csv -k 2 -o out -q --report"],
        line: "cluster a.csv b.csv -k 3 -o out -q --force",
        folder: "out",
        mine: Some("out/notes.txt"),
    },
    Case {
        name: "report with the run",
        before: &["cluster a.csv b.csv -k 2 -o out -q"],
        line: "cluster a.csv b.csv -k 3 -o out -q --force --report",
        folder: "out",
        mine: None,
    },
    Case {
        name: "report",
        before: &["cluster a.csv b.csv -k 2 -o out -q"],
        line: "report out -q --resamples 2",
        folder: "out",
        mine: Some("out/mine.html"),
    },
    Case {
        name: "predict",
        before: &["cluster a.csv b.csv -k 3 -o run -q", "predict run a.csv -o out/new.csv -q"],
        line: "predict run a.csv b.csv -o out/new.csv --force -q",
        folder: "out",
        mine: Some("out/notes.txt"),
    },
    Case {
        name: "synthesize",
        before: &["synthesize out -n 40 -k 2 --features 3 --seed 1 -q"],
        line: "synthesize out -n 40 -k 2 --features 3 --counts 20 --force --seed 1 -q",
        folder: "out",
        mine: Some("out/notes.txt"),
    },
];

impl Case {
    fn prepare(&self) -> Workplace {
        let place = Workplace::new().with_views();
        std::fs::create_dir_all(place.path("out")).unwrap();
        for line in self.before {
            let output = place.run(&line.split(' ').collect::<Vec<_>>());
            assert!(output.status.success(), "{}", words(&output.stderr));
        }
        if let Some(mine) = self.mine {
            place.file(mine, "mine");
        } else if self.before.is_empty() {
            std::fs::remove_dir(place.path("out")).unwrap();
        }
        place
    }

    fn run(&self, place: &Workplace, fault: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consilience"));
        command.args(self.line.split(' ')).current_dir(place.path("")).env("CONSILIENCE_FAULT", fault);
        command.output().unwrap()
    }

    fn files(&self, place: &Workplace) -> Files {
        files(&place.path(self.folder))
    }

    /// Whether files appear together, or each by itself.
    fn is_run(&self) -> bool {
        self.line.starts_with("cluster") || self.line.starts_with("report")
    }

    /// Tries some points; says how many there were of each kind.
    fn try_points(&self, first: usize, step: usize, shares: &[usize], counts: &mut [usize; 2]) {
        let prepared = self.prepare();
        let old = self.files(&prepared);
        let whole = self.prepare();
        let counted = self.run(&whole, "count:0");
        assert!(counted.status.success(), "{}: {}", self.name, words(&counted.stderr));
        let points = words(&counted.stderr).lines().filter(|line| *line == "point").count();
        let new = self.files(&whole);
        for (at, share) in (first..points).step_by(step).flat_map(|at| shares.iter().map(move |share| (at, share))) {
            for (how, count) in ["kill", "fail"].iter().zip(counts.iter_mut()) {
                let place = Workplace::new();
                let copied = Command::new("cp").arg("-a").arg(prepared.path(".")).arg(place.path(".")).status();
                assert!(copied.unwrap().success());
                let output = self.run(&place, &format!("{how}:{at}:{share}"));
                let what = format!("{}, {how} at {at} of {points}, {share}/4: {}", self.name, words(&output.stderr));
                match (*how, output.status.code()) {
                    ("kill", None) => assert_eq!(output.status.signal(), Some(KILL), "{what}"),
                    ("fail", Some(1)) => assert!(words(&output.stderr).contains("cannot write"), "{what}"),
                    // some failures are got over: what could not be removed, an exchange that becomes a move
                    ("fail", Some(0)) => assert_eq!(self.files(&place).len(), new.len(), "{what}"),
                    other => panic!("{what}: {other:?}"),
                }
                *count += 1;
                self.check(&place, &old, &new, &what);
            }
        }
    }

    /// The old or the new, the person's files, and a next command that goes on from there and leaves nothing behind.
    fn check(&self, place: &Workplace, old: &Files, new: &Files, what: &str) {
        let mut after = self.files(place);
        if place.path(self.folder).join(".consilience-ready").exists() {
            // the new run is there; whoever reads it first puts it into its place
            let read = place.run(&["report", self.folder, "-o", "page.html", "-q"]);
            assert!(read.status.success(), "{what}: {}", words(&read.stderr));
            after = self.files(place);
        }
        if self.is_run() {
            assert!(after == *old || self.is_whole_run(place, new), "{what}: neither the old run nor the new one");
        } else {
            // these are files by themselves
            let known =
                |(name, bytes): (&String, &Vec<u8>)| old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
            assert!(after.iter().all(known) && old.keys().all(|name| after.contains_key(name)), "{what}");
        }
        let again = place.run(&self.line.split(' ').collect::<Vec<_>>());
        let done = again.status.code() == Some(2) && after != *old && words(&again.stderr).contains("already holds");
        assert!(again.status.success() || done, "{what}: locked out: {}", words(&again.stderr));
        if let Some(mine) = self.mine {
            assert_eq!(std::fs::read_to_string(place.path(mine)).unwrap(), "mine", "{what}");
        }
        let folder = place.path(self.folder);
        for around in [folder.as_path(), folder.parent().unwrap()] {
            let names = std::fs::read_dir(around).unwrap().map(|entry| entry.unwrap().file_name());
            let left: Vec<_> = names.filter(|name| is_unfinished(&name.to_string_lossy())).collect();
            assert!(left.is_empty(), "{what}: {left:?} is left behind");
        }
    }

    /// Whether the folder is one run: its labels are the new ones, and its files those that its mark lists, as they were written.
    fn is_whole_run(&self, place: &Workplace, new: &Files) -> bool {
        let files = self.files(place);
        let Some(mark) = files.get(".consilience-run") else { return false };
        let mark: serde_json::Value = serde_json::from_slice(mark).unwrap();
        let listed = mark["files"].as_object().unwrap();
        let sums = Command::new("sha256sum").args(listed.keys()).current_dir(place.path(self.folder)).output().unwrap();
        let sums = words(&sums.stdout);
        let right = |(name, hash): (&String, &serde_json::Value)| {
            sums.lines().any(|line| line.ends_with(&format!("  {name}")) && line.starts_with(hash.as_str().unwrap()))
        };
        let own = |name: &String| name == ".consilience-run" || listed.contains_key(name) || self.is_mine(name);
        listed.iter().all(right) && files.keys().all(own) && files.get("labels.csv") == new.get("labels.csv")
    }

    fn is_mine(&self, name: &str) -> bool {
        self.mine.is_some_and(|mine| mine.ends_with(name))
    }
}

/// The system's own limit, as a full disk: no file above a kilobyte.
#[test]
fn a_full_disk_leaves_the_old_run() {
    let place = Workplace::new().with_views();
    let made = shell(&place, "consilience cluster a.csv b.csv -k 3 -o out -q --report");
    assert!(made.status.success(), "{}", words(&made.stderr));
    let before = files(&place.path("out"));
    for line in
        ["cluster a.csv b.csv -k 2 -o out --force", "report out --resamples 2", "plot embedding out -o out/new.svg"]
    {
        let script = format!("(ulimit -f 1; trap '' XFSZ; consilience {line})");
        let failed = shell(&place, &script);
        let told = words(&failed.stderr);
        assert!(failed.status.code() == Some(1) && told.contains("cannot write"), "{line}: {told}");
        assert_eq!(files(&place.path("out")), before, "{line}");
        assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 4, "{line}: a.csv, b.csv, truth.txt, out");
    }
    assert!(shell(&place, "consilience cluster a.csv b.csv -k 2 -o out --force").status.success());
}

#[test]
fn a_kill_or_a_failed_write_leaves_the_old_run_or_the_new_one() {
    let all = std::env::var("FAULTS").is_ok_and(|which| which == "all");
    let (step, shares) = if all { (1, &[0, 1, 2, 3, 4][..]) } else { (13, &[2][..]) };
    let only = std::env::var("FAULT_CASE").ok();
    let mut counts = [0, 0];
    for (place, case) in CASES.iter().enumerate().filter(|(_, case)| only.as_ref().is_none_or(|only| case.name == only))
    {
        case.try_points(place % step, step, shares, &mut counts);
        eprintln!("{}: {} kills and {} failed writes so far", case.name, counts[0], counts[1]);
    }
    eprintln!("{} kills and {} failed writes, nothing lost", counts[0], counts[1]);
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}
