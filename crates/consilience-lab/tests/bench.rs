//! `consilience-lab bench` as a whole: the real program, real processes, a real kill.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use insta::assert_snapshot;
use tempfile::TempDir;

/// Cheap methods on a small set: a run takes a few hundredths of a second.
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
/// What differs from run to run: seconds and memory.
const VARYING: [&str; 2] = ["seconds", "peak_mb"];

/// A folder with a small set and the plan beside it, where the program runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let row = |i: usize| format!("{},{},{}\n", 3 * (i % 3) + i % 2, 5 * (i % 3) + i % 7, ["x", "y", "z"][i % 3]);
        place.file("toy.csv", &format!("a,b,label\n{}", (0..30).map(row).collect::<String>()));
        place.file("plan.toml", PLAN);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consilience-lab"));
        command.args(words.split(' ')).current_dir(self.0.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Exit code, stdout and stderr in one text.
    fn talk(&self, words: &str) -> String {
        let Output { status, stdout, stderr } = self.command(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", status.code().unwrap(), text(&stdout), text(&stderr))
    }

    /// A bench that must succeed: how many runs it made.
    fn bench(&self, more: &str) -> usize {
        let talk = self.talk(&format!("bench plan.toml {more}"));
        assert!(talk.starts_with("exit 0"), "{talk}");
        let told = talk.lines().find_map(|line| line.strip_suffix(" to make")).unwrap_or_else(|| panic!("{talk}"));
        told.rsplit(' ').next().unwrap().parse().unwrap()
    }

    fn start(&self, folder: &str) -> Child {
        self.command(&format!("bench plan.toml -o {folder} --jobs 2"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Waits until so many runs are written down: moments are counted in runs, not in time.
    fn wait_for(&self, folder: &str, runs: usize) {
        let path = self.path(&format!("{folder}/runs.csv"));
        while std::fs::read_to_string(&path).map_or(0, |text| text.matches('\n').count()) <= runs {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }

    /// The rows of a file as cells by column, in an order of their own, without what varies.
    fn rows(&self, name: &str) -> Vec<Vec<(String, String)>> {
        let mut reader = csv::Reader::from_path(self.path(name)).unwrap();
        let head = reader.headers().unwrap().clone();
        let cells = |row: csv::StringRecord| {
            let pairs = head.iter().zip(row.iter()).filter(|(column, _)| !VARYING.contains(column));
            pairs.map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect::<Vec<_>>()
        };
        let mut rows: Vec<_> = reader.records().map(|row| cells(row.unwrap())).collect();
        rows.sort();
        rows
    }
}

#[test]
fn twice_gives_the_same_results_and_nothing_is_run_twice() {
    let place = Place::new();
    assert_eq!(place.bench("-o a --export a.csv"), RUNS);
    assert_eq!(place.bench("-o b --jobs 3 --threads 1 --export b.csv"), RUNS);
    let rows = place.rows("a.csv");
    assert_eq!((rows.len(), &rows), (RUNS, &place.rows("b.csv")));
    let done = |row: &Vec<(String, String)>| row.contains(&("status".to_owned(), "done".to_owned()));
    assert!(rows.iter().all(done));
    assert_eq!(place.bench("-o a"), 0);
    assert_eq!(place.rows("a/runs.csv"), rows);
    assert_snapshot!("tables", place.talk("tables a.csv"));
}

/// The plan that ships for this.
#[test]
fn the_smoke_plan_runs() {
    let place = Place::new();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/smoke.toml");
    let talk = place.talk(&format!("bench {plan} -o a --jobs 2"));
    assert!(talk.starts_with("exit 0") && talk.contains("12 runs, 12 to make"), "{talk}");
}

/// An append-only file that was cut anywhere, as a kill may leave it: the bench goes on, nothing is lost or doubled.
#[test]
fn a_file_that_was_cut_anywhere_is_completed() {
    let place = Place::new();
    place.bench("-o whole");
    let text = place.read("whole/runs.csv");
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    std::fs::create_dir(place.path("cut")).unwrap();
    for cut in [0, 10, ends[0] - 1, ends[0], ends[0] + 1, ends[7], ends[12] + 20, text.len() - 1] {
        place.file("cut/runs.csv", &text[..cut]);
        let whole_lines = text[..cut].matches('\n').count().saturating_sub(1);
        assert_eq!(place.bench("-o cut --jobs 2"), RUNS - whole_lines, "cut at {cut}");
        assert_eq!(place.rows("cut/runs.csv"), place.rows("whole/runs.csv"), "cut at {cut}");
    }
    // damage anywhere else is no accident of a kill, and is said
    place.file("cut/runs.csv", &text.replacen(",done,", ",won,", 1));
    let talk = place.talk("bench plan.toml -o cut");
    assert!(talk.starts_with("exit 2") && talk.contains("cut/runs.csv:2: not the result of a run"), "{talk}");
}

/// While a bench works nobody else has its folder; killed in the middle it holds nothing, and what it had done stays.
#[cfg(unix)]
#[test]
fn killed_in_the_middle_it_is_as_if_nothing_had_happened() {
    let place = Place::new();
    place.bench("-o whole");
    place.file("plan.toml", &PLAN.replace("draws = 3", "draws = 4000"));
    let mut first = place.start("cut");
    place.wait_for("cut", 3);
    let talk = place.talk("bench plan.toml -o cut");
    assert!(talk.contains(&format!("is in use by another bench (process {})", first.id())), "{talk}");
    place.wait_for("cut", 5);
    // `kill` is SIGKILL: the process has no say in it
    first.kill().unwrap();
    first.wait().unwrap();
    place.file("plan.toml", PLAN);
    assert!(place.bench("-o cut --export cut.csv") <= RUNS - 5);
    assert_eq!(place.rows("cut.csv"), place.rows("whole/runs.csv"));
}

/// A kill or a failed write at every write and sync: what is written stays whole, and the same command goes on from there.
#[cfg(debug_assertions)]
#[test]
fn kills_and_failed_writes_lose_nothing() {
    let place = Place::new();
    place.bench("-o whole --export whole.csv");
    let all = std::env::var("FAULTS").is_ok_and(|which| which == "all");
    let (step, shares) = if all { (1, &["0", "1", "2", "3", "4"][..]) } else { (17, &["2"][..]) };
    let counted =
        place.command("bench plan.toml -o counted --export counted.csv").env("CONSILIENCE_FAULT", "count:0").output();
    let points = String::from_utf8_lossy(&counted.unwrap().stderr).matches("point\n").count();
    let mut tried = 0;
    for (at, share) in (0..points).step_by(step).flat_map(|at| shares.iter().map(move |share| (at, share))) {
        for how in ["kill", "fail"] {
            tried += 1;
            let line = format!("bench plan.toml -o f{tried} --export f{tried}.csv --jobs 2");
            let hit = place.command(&line).env("CONSILIENCE_FAULT", format!("{how}:{at}:{share}")).output().unwrap();
            let what = format!("{how} at {at}, {share}/4: {}", String::from_utf8_lossy(&hit.stderr));
            let expected = if how == "kill" { None } else { Some(1) };
            // the folder of an export that is there need not be on the disk for the file to be there
            assert!(hit.status.code() == expected || hit.status.code() == Some(0), "{what}");
            let again = place.talk(&format!("bench plan.toml -o f{tried} --export f{tried}.csv"));
            assert!(again.starts_with("exit 0"), "{what}: {again}");
            assert_eq!(place.rows(&format!("f{tried}/runs.csv")), place.rows("whole/runs.csv"), "{what}");
            assert_eq!(place.rows(&format!("f{tried}.csv")), place.rows("whole.csv"), "{what}");
        }
    }
    assert!(tried >= 4, "{points} points");
}

#[test]
fn an_export_never_replaces_what_is_read() {
    let place = Place::new();
    place.bench("-o a --export a.csv");
    let before = [place.read("a/runs.csv"), place.read("a.csv"), place.read("plan.toml"), place.read("toy.csv")];
    for (with, export) in [("a.csv", "a.csv"), ("a", "a/runs.csv"), ("a.csv", "plan.toml"), ("a.csv", "toy.csv")] {
        let talk = place.talk(&format!("bench plan.toml -o b --with {with} --export {export}"));
        assert!(talk.starts_with("exit 2"), "{talk}");
    }
    assert_eq!(before, [place.read("a/runs.csv"), place.read("a.csv"), place.read("plan.toml"), place.read("toy.csv")]);
}

/// Ctrl-C ends the children, says so, and leaves what is done.
#[cfg(unix)]
#[test]
fn an_interrupted_bench_goes_on_later() {
    let place = Place::new();
    place.file("plan.toml", &PLAN.replace("draws = 3", "draws = 4000"));
    let mut child = place.start("a");
    place.wait_for("a", 2);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!place.read("a/runs.csv").contains(",failed,"), "an ended child is no failed run");
    place.file("plan.toml", PLAN);
    place.bench("-o a");
}

#[test]
fn a_failed_run_is_written_down_and_tried_again_only_when_asked() {
    let place = Place::new();
    let single = |view: &str| format!("{PLAN}\n[[method]]\nid = \"single\"\nset = {{ view = \"{view}\" }}\n");
    place.file("plan.toml", &single("gone"));
    let talk = place.talk("bench plan.toml -o a --export bad.csv");
    assert!(
        talk.starts_with("exit 1") && talk.contains("toy single view=gone, clean, seed 0: failed, unknown view `gone`")
    );
    assert!(talk.contains("8 runs failed; `--retry` tries them again"), "{talk}");
    let talk = place.talk("bench plan.toml -o a");
    assert!(talk.starts_with("exit 1") && talk.contains(", 0 to make"), "{talk}");
    assert!(place.talk("bench plan.toml -o a --retry").contains(", 8 to make"));
    assert_eq!(place.read("a/runs.csv").lines().count(), 1 + RUNS + 8 + 8, "a second try is a line of its own");
    // a run that failed in one place and came to an end in another is done
    let bad = place.read("bad.csv");
    place.file("good.csv", &bad.replace(",failed,,", ",done,0.5,"));
    assert_eq!(place.bench("-o a --with good.csv"), 0);
    assert_eq!(place.bench("-o a --with bad.csv"), 0);
}

#[test]
fn a_run_that_takes_too_much_is_ended() {
    let place = Place::new();
    for (limit, why) in
        [("seconds = 0.001", "time limit of 0.001 s"), ("memory_gb = 0.001", "memory limit of 0.001 GB")]
    {
        let plan = "title = \"t\"\n[[data]]\nname = \"digits\"\nfile = \"digits\"\n[[method]]\nid = \"slrmf\"\n";
        place.file("plan.toml", &format!("{plan}[limits]\n{limit}\n"));
        let talk = place.talk(&format!("bench plan.toml -o {}", &limit[..3]));
        assert!(talk.starts_with("exit 1") && talk.contains(&format!("failed, {why}")), "{talk}");
    }
}

/// Parts made by benches of their own, in folders of their own: merged they are the whole, and nothing is run again.
#[test]
fn parts_are_merged_into_the_whole() {
    let place = Place::new();
    place.bench("-o whole");
    let parts = ["1", "2", "3"].map(|part| place.bench(&format!("-o part{part} --shard {part}/3")));
    assert_eq!(parts.iter().sum::<usize>(), RUNS, "every run in one part");
    // without one of them: what is missing is said and can be made
    let talk = place.talk("bench plan.toml -o some --with part1,part3 --no-runs --export some.csv");
    assert!(talk.contains(&format!("{} runs are still to be made", parts[1])), "{talk}");
    assert_eq!(place.bench("-o short --with some.csv"), parts[1], "a file of results says as much as a folder");
    assert_eq!(place.bench("-o merged --with part1,part2,part3"), 0);
    assert_eq!(place.bench("-o merged --with part1"), 0);
    for merged in ["short/runs.csv", "merged/runs.csv"] {
        assert_eq!(place.rows(merged), place.rows("whole/runs.csv"), "taken once, and the folder is whole by itself");
    }
    assert!(place.talk("bench plan.toml -o merged --with gone").starts_with("exit 2"));
}

/// Results of other code are neither taken for done nor lost; a column of a metric that came later is unknown.
#[test]
fn results_of_other_code_are_run_again() {
    let place = Place::new();
    place.bench("-o a");
    let now = consilience::MethodInfo::named("mfmsc").unwrap().code();
    // as older code of one method would have left them: another revision, and so other keys
    let aged = |line: &str| match line.contains(",mfmsc,") {
        true => line.replace(&format!(",0.1.0,{now},"), ",0.1.0,0.7,f") + "\n",
        false => format!("{line}\n"),
    };
    let old: String = place
        .read("a/runs.csv")
        .replace(concat!(",", env!("CARGO_PKG_VERSION"), ","), ",0.1.0,")
        .lines()
        .map(aged)
        .collect();
    place.file("a/runs.csv", &old);
    let talk = place.talk("bench plan.toml -o a");
    assert!(
        talk.contains(&format!("in a, 8 of `mfmsc` (revision 0.7, now {now})")) && talk.contains(" 8 to make"),
        "{talk}"
    );
    place.file("b.csv", &old.replacen(",fscore", ",cosine", 1));
    let talk = place.talk("bench plan.toml -o b --with b.csv");
    assert!(talk.contains("b.csv:1: not the result of a run: there is a column `cosine`"), "{talk}");
}

#[test]
fn messages() {
    let place = Place::new();
    place.file("notes.csv", "a,b\n1,2\n");
    place.file("bad.toml", "title = \"t\"\nseed = 3\n");
    assert_snapshot!("dry-run", place.talk("bench plan.toml -o a --dry-run"));
    assert!(!place.path("a").exists(), "a dry run leaves nothing");
    let talk = ["--only mfmcs", "--export notes.csv"].map(|more| place.talk(&format!("bench plan.toml -o a {more}")));
    let plans = ["gone.toml", "bad.toml"].map(|plan| place.talk(&format!("bench {plan} -o a")));
    assert_snapshot!("refused", [talk, plans].concat().join("\n"));
    assert_eq!(place.read("notes.csv"), "a,b\n1,2\n", "only results are replaced by results");
}

/// Every number that the repository's pages take from results is the number that the committed results give.
#[test]
fn pages_are_what_the_committed_results_give() {
    let talk = Place::new().talk("reproduction --check");
    assert!(talk.starts_with("exit 0"), "{talk}");
}

/// The tests of the script that makes pages.
#[test]
fn the_script_passes_its_tests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
    let output = Command::new("python3").args(["-m", "unittest", "-q"]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
