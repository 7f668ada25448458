//! `consilience bench` as a whole: the real binary, real processes, real kills.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::Workplace;
use consilience::Termination;
use consilience::metrics::Metric;
use consilience_experiments::store::{Outcome, RunEntry};
use insta::assert_snapshot;
use serde_json::Value;

/// Cheap methods on the small views of the workplace: a run takes a few hundredths of a second.
const PLAN: &str = r#"title = "Toy"
draws = 3
seeds = 2

[[data]]
name = "toy"
file = "toy.csv"

[[noise]]
share = [0.0, 0.3]

[[method]]
id = "average"
set = { neighbours = 5 }

[[method]]
id = "mfmsc"
set = { neighbours = 5 }
"#;
/// Two seeds on clean data, three draws of two seeds with noise, for two methods.
const RUNS: usize = 2 * (2 + 3 * 2);

/// A small set with labels, and the plan beside it.
fn place() -> Workplace {
    let place = Workplace::new().with_views();
    let rows: String = (0..30)
        .map(|i: usize| format!("{},{},{}\n", 3 * (i % 3) + i % 2, 5 * (i % 3) + i % 7, ["x", "y", "z"][i % 3]))
        .collect();
    place.file("toy.csv", format!("a,b,label\n{rows}"));
    place.file("plan.toml", PLAN);
    place
}

fn lines(place: &Workplace, folder: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path(folder).join("runs.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tables that must not depend on anything but the results.
fn tables(place: &Workplace, folder: &str) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(place.path(folder).join(name)).unwrap();
    ["tables.md", "tables.csv", "tables.tex", "leaderboard.md"].map(read).to_vec()
}

fn bench(place: &Workplace, more: &[&str]) -> Value {
    let output = place.run(&[&["bench", "plan.toml", "--json"], more].concat());
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    let done: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {talk}"));
    // failed runs are no success, and nothing else is a failure
    let failed = done["failed"].as_array().is_some_and(|failed| !failed.is_empty());
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{talk}");
    done
}

fn start(place: &Workplace, folder: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_consilience"))
        .args(["bench", "plan.toml", "-o", folder, "--jobs", "2"])
        .current_dir(place.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn twice_gives_the_same_bytes_and_nothing_is_run_twice() {
    let place = place();
    let first = bench(&place, &["-o", "a"]);
    assert_eq!((first["runs"].as_u64(), first["made"].as_u64()), (Some(RUNS as u64), Some(RUNS as u64)));
    bench(&place, &["-o", "b", "--jobs", "3"]);
    assert_eq!(tables(&place, "a"), tables(&place, "b"));
    assert_snapshot!("bench-tables", tables(&place, "a").join("\n-----\n"));
    let again = bench(&place, &["-o", "a"]);
    assert_eq!(again["made"].as_u64(), Some(0));
    assert_eq!(lines(&place, "a").len(), RUNS);
}

/// The plan that ships for this: twice, with other numbers of processes and threads.
#[test]
fn the_smoke_plan_gives_the_same_bytes_twice() {
    let place = Workplace::new();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/smoke.toml");
    for (folder, jobs) in [("a", "1"), ("b", "2")] {
        let done = place.json(&["bench", plan, "-o", folder, "--jobs", jobs, "--json"]);
        assert_eq!(done["failed"].as_array().map(Vec::len), Some(0), "{done}");
    }
    assert_eq!(tables(&place, "a"), tables(&place, "b"));
}

#[test]
fn records_hold_what_was_promised() {
    let place = place();
    bench(&place, &["-o", "a"]);
    for run in lines(&place, "a") {
        let entry: RunEntry = serde_json::from_value(run).unwrap();
        let (shape, settings) = (&entry.data.shape, entry.settings());
        assert_eq!((shape.sha256.len(), shape.n, shape.views[0].1), (64, 30, 2));
        assert_eq!(settings.method.parameters().values()[0], ("neighbours", 5.into()));
        let Outcome::Done(done) = &entry.outcome else { panic!("{entry:?}") };
        assert!(
            done.run.labels.is_empty() && done.run.findings.trace.is_empty(),
            "nothing that the plan does not keep"
        );
        assert!(done.run.scores.unwrap()[Metric::Acc] > 0.0 && done.run.seconds.graph > 0.0);
        assert_eq!(done.run.termination, Termination::Direct);
    }
}

/// Killed with SIGKILL at several moments and started again: the same tables, nothing lost, nothing doubled.
#[cfg(unix)]
#[test]
fn killed_and_resumed_it_is_as_if_nothing_had_happened() {
    let place = place();
    // enough runs that the first kill always comes in the middle: a run takes at least 10 ms
    place.file("plan.toml", PLAN.replace("draws = 3", "draws = 12"));
    let runs = 2 * (2 + 12 * 2);
    bench(&place, &["-o", "whole", "--jobs", "2"]);
    let (mut before, mut stopped) = (0, 0);
    // moments that depend on the process, so that every test run meets others
    for wait in (0..100).map(|round| 20 + (u64::from(std::process::id()) * 31 + round * 57) % 100) {
        let mut child = start(&place, "cut");
        std::thread::sleep(Duration::from_millis(wait));
        // `kill` is SIGKILL: the process has no say in it
        child.kill().unwrap();
        child.wait().unwrap();
        let done = std::fs::read_to_string(place.path("cut/runs.jsonl")).map_or(0, |text| text.matches('\n').count());
        assert!(done >= before, "a run was lost");
        stopped += usize::from(done < runs);
        before = done;
        if done >= runs {
            break;
        }
    }
    assert!(stopped > 0, "it was over before it could be killed");
    bench(&place, &["-o", "cut", "--jobs", "2"]);
    let keys: Vec<String> = lines(&place, "cut").iter().map(|run| run["key"].as_str().unwrap().to_owned()).collect();
    assert_eq!((keys.len(), keys.iter().collect::<HashSet<_>>().len()), (runs, runs));
    assert_eq!(tables(&place, "whole"), tables(&place, "cut"));
}

#[test]
fn a_torn_last_line_is_made_again() {
    let place = place();
    bench(&place, &["-o", "a"]);
    let (path, whole) = (place.path("a/runs.jsonl"), tables(&place, "a"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 40]).unwrap();
    let again = bench(&place, &["-o", "a"]);
    assert_eq!((again["made"].as_u64(), lines(&place, "a").len()), (Some(1), RUNS));
    assert_eq!(tables(&place, "a"), whole);
    // damage anywhere else is no accident of a kill, and is said
    std::fs::write(&path, format!("{{\"key\":1}}\n{text}")).unwrap();
    let talk = place.talk(&["bench", "plan.toml", "-o", "a"]);
    assert!(talk.contains("a/runs.jsonl:1: not the record of a run") && talk.starts_with("exit 2"), "{talk}");
}

#[cfg(unix)]
#[test]
fn two_benches_cannot_share_a_folder_but_a_dead_one_holds_nothing() {
    let place = place();
    place.file("plan.toml", PLAN.replace("draws = 3", "draws = 400"));
    let mut first = start(&place, "a");
    while !place.path("a/runs.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let talk = place.talk(&["bench", "plan.toml", "-o", "a"]);
    assert!(talk.contains(&format!("is in use by another bench (process {})", first.id())), "{talk}");
    first.kill().unwrap();
    first.wait().unwrap();
    place.file("plan.toml", PLAN);
    assert_eq!(bench(&place, &["-o", "a"])["runs"].as_u64(), Some(RUNS as u64));
}

/// Ctrl-C ends the children, says so, and leaves what is done.
#[cfg(unix)]
#[test]
fn an_interrupted_bench_goes_on_later() {
    let place = place();
    place.file("plan.toml", PLAN.replace("draws = 3", "draws = 400"));
    let mut child = start(&place, "a");
    let done = || std::fs::read_to_string(place.path("a/runs.jsonl")).map_or(0, |text| text.lines().count());
    while done() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(lines(&place, "a").iter().all(|run| run["status"] == "done"), "an ended child is no failed run");
    place.file("plan.toml", PLAN);
    bench(&place, &["-o", "a"]);
}

#[test]
fn a_failed_run_is_written_down_and_tried_again_only_when_asked() {
    let place = place();
    let failing = "\n[[method]]\nid = \"single\"\nset = { view = \"gone\" }\n";
    place.file("plan.toml", format!("{PLAN}{failing}"));
    let first = bench(&place, &["-o", "a"]);
    assert_eq!(first["failed"].as_array().unwrap().len(), RUNS / 2);
    assert_eq!(first["failed"][0]["failure"], "unknown view `gone`");
    let page = std::fs::read_to_string(place.path("a/tables.md")).unwrap();
    assert!(page.contains("| single view=gone | failed (1) |"), "{page}");
    assert!(page.contains("- (1) single view=gone on toy: 2 of 2 runs failed: unknown view `gone` (2)"), "{page}");
    assert_eq!(bench(&place, &["-o", "a"])["made"].as_u64(), Some(0));
    let told = place.run(&["bench", "plan.toml", "-o", "a"]);
    let talk = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1));
    assert!(talk.contains("failed: toy single view=gone, clean, seed 0: failed, unknown view `gone`"), "{talk}");
    assert_eq!(bench(&place, &["-o", "a", "--retry"])["made"].as_u64(), Some(RUNS as u64 / 2));
    assert_eq!(lines(&place, "a").len(), RUNS + RUNS / 2 + RUNS / 2, "a second try is a line of its own");
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let place = place();
    place.file(
        "plan.toml",
        "title = \"t\"\n[[data]]\nname = \"digits\"\nfile = \"digits\"\n[[method]]\nid = \"slrmf\"\n[[method]]\nid = \"mfmsc\"\n",
    );
    let done = bench(&place, &["-o", "a", "--only", "slrmf", "--limit-seconds", "0.02"]);
    assert_eq!((done["runs"].as_u64(), done["failed"][0]["failure"].as_str()), (Some(1), Some("time limit of 0.02 s")));
    let limits = "[limits]\nmemory_gb = 0.001\n";
    place.file(
        "plan.toml",
        format!("title = \"t\"\n[[data]]\nname = \"digits\"\nfile = \"digits\"\n[[method]]\nid = \"slrmf\"\n{limits}"),
    );
    assert_eq!(bench(&place, &["-o", "b"])["failed"][0]["failure"], "memory limit of 0.001 GB");
}

#[test]
fn an_absent_set_stays_in_the_tables() {
    let place = place();
    place.file("plan.toml", format!("{PLAN}\n[[data]]\nname = \"nus\"\nfile = \"nus.npz\"\noptional = true\n"));
    bench(&place, &["-o", "a"]);
    let page = std::fs::read_to_string(place.path("a/tables.md")).unwrap();
    assert!(page.contains("| no data (1) |") && page.contains("- (1) nus: data not available"), "{page}");
}

#[test]
fn tables_can_be_made_from_the_results_in_short() {
    let place = place();
    bench(&place, &["-o", "a", "--export", "short/toy.csv"]);
    assert!(place.run(&["tables", "short/toy.csv", "-o", "b", "--title", "Toy"]).status.success());
    assert_eq!(tables(&place, "a"), tables(&place, "b"));
    let timings = |folder: &str| std::fs::read_to_string(place.path(folder).join("timings.md")).unwrap();
    assert_eq!(timings("a"), timings("b"));
    place.file("broken.csv", "set,n\ntoy,many\n");
    assert!(
        place
            .talk(&["tables", "broken.csv", "-o", "c"])
            .contains("broken.csv:1: not the result of a run: there is no column `k`")
    );
}

/// Parts made by benches of their own, in folders of their own: merged they are the whole, and nothing is run again.
#[test]
fn parts_are_merged_into_the_whole() {
    let place = place();
    bench(&place, &["-o", "whole", "--export", "whole.csv"]);
    let parts: Vec<Value> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|part| bench(&place, &["-o", &format!("part{}", &part[..1]), "--shard", part]))
        .collect();
    let made: u64 = parts.iter().map(|part| part["made"].as_u64().unwrap()).sum();
    assert_eq!(made, RUNS as u64, "every run in one part");
    // without one of them: what is missing is said and can be made
    let some = bench(&place, &["-o", "some", "--with", "part1,part3", "--no-runs", "--export", "some.csv"]);
    assert_eq!((some["made"].as_u64(), some["missing"].as_u64()), (Some(0), parts[1]["made"].as_u64()));
    let merged = bench(&place, &["-o", "merged", "--with", "part1,part2,part3", "--export", "merged.csv"]);
    assert_eq!((merged["made"].as_u64(), merged["missing"].as_u64()), (Some(0), Some(0)));
    assert_eq!(lines(&place, "merged").len(), RUNS, "the folder is whole by itself");
    assert_eq!(tables(&place, "merged"), tables(&place, "whole"));
    assert_eq!(bench(&place, &["-o", "merged", "--with", "part1"])["made"].as_u64(), Some(0));
    assert_eq!(lines(&place, "merged").len(), RUNS, "taken once");
    // a file of results in short says as much
    let short = bench(&place, &["-o", "short", "--with", "some.csv", "--export", "short.csv"]);
    assert_eq!(short["made"].as_u64(), parts[1]["made"].as_u64());
    assert_eq!(tables(&place, "short"), tables(&place, "whole"));
    let talk = place.talk(&["bench", "plan.toml", "-o", "merged", "--with", "gone"]);
    assert!(talk.starts_with("exit 2"), "{talk}");
}

/// A run that failed in one part and came to an end in another is done.
#[test]
fn an_end_counts_more_than_a_failure() {
    let place = place();
    bench(&place, &["-o", "good", "--export", "good.csv"]);
    bench(&place, &["-o", "bad", "--limit-seconds", "0.000001"]);
    for source in ["good", "good.csv"] {
        let merged = bench(&place, &["-o", &format!("from {source}"), "--with", &format!("bad,{source}")]);
        assert_eq!((merged["made"].as_u64(), merged["failed"].as_array().unwrap().len()), (Some(0), 0), "{source}");
        assert_eq!(tables(&place, &format!("from {source}")), tables(&place, "good"));
    }
}

/// Results of other code are neither taken for done nor shown as if this code had made them.
#[test]
fn stale_results_are_run_again_and_named() {
    let place = place();
    bench(&place, &["-o", "a", "--export", "experiments/results/toy.csv"]);
    let csv = std::fs::read_to_string(place.path("experiments/results/toy.csv")).unwrap();
    // as older code of one method would have left them: another revision, and so other keys
    let runs: String = lines(&place, "a")
        .into_iter()
        .map(|mut run| {
            if run["label"].as_str().unwrap().starts_with("mfmsc") {
                run["key"] = Value::from(run["key"].as_str().unwrap().chars().rev().collect::<String>());
                run["revision"] = Value::from("0.7");
            }
            format!("{run}\n")
        })
        .collect();
    std::fs::write(place.path("a/runs.jsonl"), runs).unwrap();
    let output = place.run(&["bench", "plan.toml", "--json", "-o", "a"]);
    let (done, talk) =
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(done["made"].as_u64(), Some(RUNS as u64 / 2));
    assert!(talk.contains("not used, being of other code: results in a, 8 of `mfmsc` (revision 0.7, now "), "{talk}");
    // a file that has grown old is shown, and says so
    let now = consilience::MethodInfo::named("mfmsc").unwrap().code();
    let old: String = csv.lines().map(|line| line.replace(&format!(",{now},"), ",9.9,") + "\n").collect();
    place.file("old.csv", &old);
    let talk = place.talk(&["tables", "old.csv", "-o", "b"]);
    assert!(talk.contains("old.csv was made by older code: 8 of `average` (revision 9.9, now "), "{talk}");
    let page = std::fs::read_to_string(place.path("b/tables.md")).unwrap();
    assert!(page.contains("**Made by older code, to be run again**: 8 of `average`"), "{page}");
    // nothing of it is taken for done, and one that mixes is refused
    assert_eq!(bench(&place, &["-o", "c", "--with", "old.csv", "--no-runs"])["missing"].as_u64(), Some(RUNS as u64));
    place.file("mixed.csv", format!("{csv}{}\n", old.lines().last().unwrap()));
    let talk = place.talk(&["tables", "mixed.csv", "-o", "d"]);
    assert!(
        talk.starts_with("exit 2") && talk.contains("mixed.csv mixes results of different code: `mfmsc`"),
        "{talk}"
    );
}

#[test]
fn messages() {
    let place = place();
    assert_snapshot!("bench-dry-run", place.talk(&["bench", "plan.toml", "-o", "a", "--dry-run"]));
    assert!(!place.path("a").exists(), "a dry run leaves nothing");
    assert_snapshot!("bench-only-unknown", place.talk(&["bench", "plan.toml", "-o", "a", "--only", "mfmcs"]));
    assert_snapshot!("bench-no-plan", place.talk(&["bench", "gone.toml", "-o", "a"]));
    place.file("bad.toml", "title = \"t\"\nseed = 3\n");
    assert_snapshot!("bench-bad-plan", place.talk(&["bench", "bad.toml", "-o", "a"]));
}

#[test]
fn pages_are_filled_and_checked() {
    let place = place();
    bench(&place, &["-o", "a", "--export", "experiments/results/toy.csv"]);
    place.file("experiments/paper-numbers.csv", "metric,set,method,name,value\nacc,toy,average,AVG,99.00\n");
    let head =
        "introduction = \"i\"\ncondition = \"30 % replace\"\nbeside = \"clean\"\ntolerance = 2.0\ncommand = \"c\"\n";
    place.file("experiments/reasons.toml", format!("{head}[[set]]\nname = \"toy\"\ntitle = \"Toy\"\ntext = \"x\"\n"));
    place.file("README.md", "ACC <!-- results: value toy | set=toy | method=mfmsc neighbours=5 -->0<!-- end --> %\n");
    std::fs::create_dir(place.path("docs")).unwrap();
    let stale = place.talk(&["reproduction", "--check"]);
    assert!(stale.starts_with("exit 2") && stale.contains("docs/reproduction.md, README.md"), "{stale}");
    assert!(place.run(&["reproduction"]).status.success());
    let page = std::fs::read_to_string(place.path("README.md")).unwrap();
    assert!(page.contains("-->100.0<!-- end -->"), "{page}");
    assert!(place.run(&["reproduction", "--check", "--fresh"]).status.success());
    // results that have grown old: the ledger names them, and a release can refuse them
    let csv = std::fs::read_to_string(place.path("experiments/results/toy.csv")).unwrap();
    let now = consilience::MethodInfo::named("mfmsc").unwrap().code();
    place.file("experiments/results/toy.csv", csv.replace(&format!(",{now},"), ",9.9,"));
    assert!(place.run(&["reproduction"]).status.success());
    let ledger = std::fs::read_to_string(place.path("docs/reproduction.md")).unwrap();
    assert!(
        ledger.contains("## Stale\n") && ledger.contains("- `toy.csv`: 8 of `average` (revision 9.9, now "),
        "{ledger}"
    );
    let talk = place.talk(&["reproduction", "--check", "--fresh"]);
    assert!(talk.starts_with("exit 2") && talk.contains("toy.csv was made by older code: 8 of `average`"), "{talk}");
}

#[test]
fn what_no_bench_wrote_is_not_replaced() {
    let place = place();
    std::fs::create_dir(place.path("mine")).unwrap();
    place.file("mine/tables.md", "my own notes\n");
    place.file("notes.csv", "a,b\n1,2\n");
    let refused = |line: &[&str], word: &str| {
        let output = place.run(line);
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{talk}");
        assert!(talk.contains(word), "{talk}");
    };
    refused(&["bench", "plan.toml", "-o", "mine"], "`mine` holds tables.md, which consilience did not write");
    refused(&["bench", "plan.toml", "-o", "out", "--export", "notes.csv"], "holds something else than results");
    bench(&place, &["-o", "out", "--export", "results.csv"]);
    bench(&place, &["-o", "out", "--export", "results.csv"]);
    refused(&["tables", "results.csv", "-o", "mine"], "`mine` holds tables.md");
    assert_eq!(std::fs::read_to_string(place.path("mine/tables.md")).unwrap(), "my own notes\n");
    assert_eq!(std::fs::read_to_string(place.path("notes.csv")).unwrap(), "a,b\n1,2\n");
    for _ in 0..2 {
        assert!(place.run(&["tables", "results.csv", "-o", "made"]).status.success());
    }
}
