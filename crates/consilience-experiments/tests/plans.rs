//! Plans: every mistake is named with its line and what would be right, before anything is run.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use consilience::Hint;
use consilience_experiments::Plan;
use consilience_experiments::data::{Opened, open};
use consilience_experiments::job::{Expanded, Job, Planned, expand, key};
use consilience_experiments::known::Known;
use consilience_experiments::plan::DEFAULT_METRICS;
use consilience_experiments::rows::{Status, rows};
use consilience_experiments::selection::Selection;
use consilience_experiments::store::Outcome;
use consilience_experiments::worker::{Order, execute};
use insta::{assert_snapshot, with_settings};

const GOOD: &str = r#"title = "t"
draws = 2
seeds = [0, 5]

[[data]]
name = "digits"
file = "digits"

[[noise]]
share = [0.0, 0.2]
mode = "add"

[[method]]
id = "slrmf"
grid = { beta = [0.1, 1], own_share = [0.5] }

[[method]]
id = "mfmsc"
draws = 1
"#;

/// Reads a plan and opens its data; the error in two lines when there is one.
fn complaint(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(folder.path().join("views.csv"), "a,b\n1,2\n3,4\n5,6\n").unwrap();
    std::fs::write(folder.path().join("labelled.csv"), "a,b,label\n1,2,x\n3,4,y\n5,6,x\n").unwrap();
    std::fs::write(folder.path().join("rows.txt"), "0\n3\n").unwrap();
    let outcome = Plan::read(&path).and_then(|plan| {
        let opened = open(&plan)?;
        expand(&plan, &opened)
    });
    match outcome {
        Ok(expanded) => format!("no complaint, {} runs", expanded.runs.len()),
        Err(error) => {
            let text = format!("{error}\nhint: {}", error.hint().as_ref().and_then(Hint::text).unwrap_or("none"));
            text.replace(&folder.path().display().to_string(), "DIR")
        }
    }
}

fn jobs(text: &str) -> Vec<Planned> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, text).unwrap();
    let plan = Plan::read(&path).unwrap();
    expand(&plan, &open(&plan).unwrap()).unwrap().runs
}

#[test]
fn a_plan_is_multiplied_out() {
    let jobs = jobs(GOOD);
    // clean: one draw, two seeds; noisy: two draws for slrmf's two points, one for mfmsc
    assert_eq!(jobs.len(), 2 * 3 + 2 * (2 * 2 + 1));
    let labels: Vec<&str> = jobs.iter().map(|planned| planned.job.label.as_str()).collect();
    assert_eq!(
        labels[..5],
        [
            "slrmf beta=0.1 own_share=0.5",
            "slrmf beta=0.1 own_share=0.5",
            "slrmf beta=1 own_share=0.5",
            "slrmf beta=1 own_share=0.5",
            "mfmsc"
        ]
    );
    assert!(jobs.iter().all(|planned| planned.job.settings.clusters == 10 && planned.job.data.shape.n == 2000));
    let again = self::jobs(GOOD);
    assert!(jobs.iter().zip(&again).all(|(a, b)| a.job.key == b.job.key), "keys depend on nothing else");
}

#[test]
fn the_key_knows_what_decides_a_result() {
    let first = |text: &str| jobs(text)[0].job.key.clone();
    let base = first(GOOD);
    for (from, to) in [
        ("[0.1, 1]", "[0.2, 1]"),
        ("seeds = [0, 5]", "seeds = [1, 5]"),
        ("file = \"digits\"", "file = \"digits\"\nk = 9"),
        ("file = \"digits\"", "file = \"digits\"\nscale = \"unit\""),
        ("file = \"digits\"", "file = \"digits\"\nviews = [\"fac\"]"),
        ("name = \"digits\"", "name = \"numbers\""),
        ("[0.0, 0.2]", "[0.1]"),
        ("id = \"slrmf\"", "id = \"slrmf\"\nname = \"other\""),
        ("draws = 2", "keep = [\"trace\"]"),
    ] {
        assert_ne!(base, first(&GOOD.replace(from, to)), "{to}");
    }
    assert_eq!(base, first(&format!("{GOOD}\n[limits]\nseconds = 5")), "limits decide nothing");
    let job = jobs(GOOD).remove(0).job;
    for revision in ["1.0", "0.1"] {
        // a revision that this code does not have
        let other = Job { revision: revision.parse().unwrap(), ..job.clone() };
        assert_ne!(key(&other).unwrap(), job.key, "results of other code are other runs");
    }
    assert_eq!(job.revision, job.settings.method.info().code());
    let planned = jobs(GOOD);
    let keys: HashSet<&str> = planned.iter().map(|planned| planned.job.key.as_str()).collect();
    assert_eq!(keys.len(), planned.len(), "draws and seeds are runs of their own");
}

#[test]
fn a_list_of_samples_is_part_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, GOOD.replace("file = \"digits\"", "file = \"digits\"\nsubset = \"rows.txt\"")).unwrap();
    let key = |rows: std::ops::Range<usize>| {
        let list: String = rows.map(|row| format!("{row}\n")).collect();
        std::fs::write(folder.path().join("rows.txt"), list).unwrap();
        let plan = Plan::read(&path).unwrap();
        let job = expand(&plan, &open(&plan).unwrap()).unwrap().runs[0].job.clone();
        assert_eq!((job.data.shape.n, job.data.shape.sha256.len()), (500, 64));
        job.key
    };
    assert_ne!(key(0..500), key(500..1000));
}

/// A set that is too large for a method has no runs, and the cell says why.
#[test]
fn a_method_may_be_kept_from_large_sets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let limited = |most: usize| {
        std::fs::write(&path, GOOD.replace("id = \"mfmsc\"", &format!("id = \"mfmsc\"\nmax_samples = {most}")))
            .unwrap();
        let plan = Plan::read(&path).unwrap();
        let expanded = expand(&plan, &open(&plan).unwrap()).unwrap();
        let made = expanded.runs.iter().filter(|planned| planned.job.label == "mfmsc").count();
        let rows = rows(&plan, &expanded, &Known::default());
        (
            made,
            rows.into_iter()
                .map(|row| (row.label.clone(), row.condition().to_string(), row.status, row.note))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(limited(2000), (4, Vec::new()));
    let cell = |condition: &str| ("mfmsc".to_owned(), condition.to_owned(), Status::LeftOut, "n > 1,999".to_owned());
    assert_eq!(limited(1999), (0, vec![cell("clean"), cell("20 % add")]));
}

/// Parts that several benches make are the plan, each run once.
#[test]
fn parts_of_a_plan_are_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, GOOD).unwrap();
    let plan = Plan::read(&path).unwrap();
    let planned = expand(&plan, &open(&plan).unwrap()).unwrap().runs;
    let keys = |selection: &Selection| -> Vec<String> {
        selection.choose(&plan, &planned).unwrap().into_iter().map(|planned| planned.job.key).collect()
    };
    let all: HashSet<String> = keys(&Selection::default()).into_iter().collect();
    let part = |text: &str| keys(&Selection { shard: Some(text.parse().unwrap()), ..Selection::default() });
    let parts = [part("1/3"), part("2/3"), part("3/3")].concat();
    assert_eq!((parts.len(), parts.into_iter().collect::<HashSet<_>>()), (planned.len(), all));
    let some = |only: &str, noise: &str| Selection {
        only: vec![only.to_owned()],
        noise: vec![noise.parse().unwrap()],
        data: vec!["digits".to_owned()],
        ..Selection::default()
    };
    assert_eq!(keys(&some("mfmsc", "clean")).len(), 2);
    for (wrong, why) in [
        (some("mfmcs", "clean"), "unknown method of the plan `mfmcs`"),
        (some("mfmsc", "30 % add"), "unknown condition of the plan `30 % add`"),
        (Selection { data: vec!["awa".to_owned()], ..Selection::default() }, "unknown data set of the plan `awa`"),
    ] {
        assert_eq!(wrong.choose(&plan, &planned).unwrap_err().to_string(), why);
    }
}

#[test]
fn a_job_is_the_same_job_on_the_other_side_of_a_pipe() {
    for Planned { job, .. } in jobs(&GOOD.replace("[0.1, 1]", "[0.1, 0.30000000000000004]")) {
        let text = serde_json::to_string(&job).unwrap();
        let read: Job = serde_json::from_str(&text).unwrap();
        assert_eq!((&job.key, &key(&read).unwrap()), (&read.key, &job.key));
        assert_eq!(format!("{:?}", job.settings), format!("{:?}", read.settings));
    }
}

/// A program that was built again under a running bench does not pass its results off as those of the old code.
#[test]
fn a_worker_of_other_code_refuses_the_job() {
    let job = Job { revision: "0.7".parse().unwrap(), ..jobs(GOOD).remove(0).job };
    let now = job.settings.method.info().code();
    let outcome = execute(&Order { job, threads: 1, memory: None });
    let Outcome::Failed(failed) = outcome else { panic!("{outcome:?}") };
    assert_eq!(failed.failure, format!("the program is of revision {now}, the bench that started it of 0.7"));
}

#[test]
fn every_mistake_has_its_line_and_a_hint() {
    let change = |from: &str, to: &str| complaint(&GOOD.replace(from, to));
    let digits = "file = \"digits\"";
    let mut text = String::new();
    for (name, complaint) in [
        ("good", complaint(GOOD)),
        ("not TOML", change("draws = 2", "draws 2")),
        ("unknown field", change("draws = 2", "drawz = 2")),
        ("unknown field of data", change(digits, "fil = \"digits\"")),
        ("no file", change("file = \"digits\"\n", "")),
        ("no data", complaint("title = \"t\"\n[[method]]\nid = \"mfmsc\"\n")),
        ("no method", complaint("title = \"t\"\n[[data]]\nname = \"d\"\nfile = \"digits\"\n")),
        ("missing file", change(digits, "file = \"gone.npz\"")),
        ("no labels", change(digits, "file = \"views.csv\"")),
        ("unknown view", change(digits, "file = \"digits\"\nviews = [\"fou\", \"fax\"]")),
        ("k above n", change(digits, "file = \"labelled.csv\"\nk = 4")),
        ("k zero", change(digits, "file = \"digits\"\nk = 0")),
        ("scale", change(digits, "file = \"digits\"\nscale = \"zscor\"")),
        ("missing subset", change(digits, "file = \"digits\"\nsubset = \"gone.npy\"")),
        ("subset out of range", change(digits, "file = \"labelled.csv\"\nsubset = \"rows.txt\"")),
        ("two sets of one name", change("[[noise]]", "[[data]]\nname = \"digits\"\nfile = \"digits\"\n[[noise]]")),
        ("share", change("[0.0, 0.2]", "[0.0, 1.2]")),
        ("share a word", change("[0.0, 0.2]", "\"much\"")),
        ("mode", change("\"add\"", "\"ad\"")),
        ("amplitude", change("mode = \"add\"", "amplitude = -1.0")),
        ("no draws", change("draws = 2", "draws = 0")),
        ("a seed twice", change("[0, 5]", "[5, 5]")),
        ("negative seed", change("[0, 5]", "[-1]")),
        ("limit", complaint(&format!("{GOOD}\n[limits]\nseconds = 0.0\n"))),
        ("metric", complaint(&GOOD.replace("draws = 2", "metrics = [\"acc\", \"nmj\"]"))),
        ("keep", complaint(&GOOD.replace("draws = 2", "keep = [\"labels\"]"))),
        ("unknown method", change("id = \"mfmsc\"", "id = \"mfmcs\"")),
        ("unknown parameter", change("id = \"mfmsc\"", "id = \"mfmsc\"\nset = { neighbors = 3 }")),
        ("parameter out of range", change("id = \"mfmsc\"", "id = \"mfmsc\"\nset = { neighbours = 0 }")),
        ("grid of a single value", change("own_share = [0.5]", "own_share = 0.5")),
        ("grid and set", change("id = \"slrmf\"", "id = \"slrmf\"\nset = { beta = 1 }")),
        ("grid value out of range", change("own_share = [0.5]", "own_share = [0.5, -1]")),
        ("two methods of one name", change("id = \"mfmsc\"", "id = \"mfmsc\"\n[[method]]\nid = \"mfmsc\"")),
        ("no samples", change("id = \"mfmsc\"", "id = \"mfmsc\"\nmax_samples = 0")),
        ("except without all", change("id = \"mfmsc\"", "id = \"mfmsc\"\nexcept = [\"slrmf\"]")),
        ("method on unknown data", change("id = \"mfmsc\"", "id = \"mfmsc\"\ndata = [\"digit\"]")),
        ("the same condition twice", change("[0.0, 0.2]", "[0.2, 0.2]")),
    ] {
        text += &format!("== {name}\n{complaint}\n");
    }
    // the list of methods grows
    with_settings!({ omit_expression => true, filters => vec![(r"nown: slrmf, .*", "nown: [the registry]")] }, {
        assert_snapshot!("complaints", text);
    });
}

#[test]
fn an_optional_set_may_be_absent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let more = "[[data]]\nname = \"nus\"\nfile = \"gone.npz\"\noptional = true\n";
    std::fs::write(&path, format!("{GOOD}{more}")).unwrap();
    let plan = Plan::read(&path).unwrap();
    let opened = open(&plan).unwrap();
    assert!(matches!(opened[1], Opened::Absent(_)));
    let Expanded { runs: jobs, absent, .. } = expand(&plan, &opened).unwrap();
    assert!(jobs.iter().all(|planned| planned.job.data.name == "digits"));
    assert_eq!(absent[0].set, "nus");
    assert_eq!(plan.metrics, DEFAULT_METRICS);
}

#[test]
fn every_plan_that_ships_is_right() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut plans = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") && !path.ends_with("reasons.toml") {
            Plan::read(&path).unwrap_or_else(|error| panic!("{error}"));
            plans += 1;
        }
    }
    assert!(plans >= 6);
}
