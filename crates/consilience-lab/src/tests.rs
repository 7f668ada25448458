//! Plans: multiplied out, and every mistake named with its line and what would be right, before anything is run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use consilience::Hint;
use consilience::Result;
use insta::{assert_snapshot, with_settings};
use tempfile::TempDir;

use crate::data::open;
use crate::job::{Expanded, Job, expand};
use crate::plan::Plan;
use crate::selection::Selection;

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

/// A folder with the plan and some files to name in it.
fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    for (name, text) in [
        ("plan.toml", text),
        ("views.csv", "a,b\n1,2\n3,4\n5,6\n"),
        ("labelled.csv", "a,b,label\n1,2,x\n3,4,y\n5,6,x\n"),
        ("rows.txt", "0\n3\n"),
        ("two.txt", "0\n1\n"),
        ("others.txt", "1\n2\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    (folder, path)
}

fn expanded(path: &Path) -> Result<(Plan, Expanded)> {
    let plan = Plan::read(path)?;
    let expanded = expand(&plan, &open(&plan)?)?;
    Ok((plan, expanded))
}

fn jobs(text: &str) -> Vec<Job> {
    expanded(&written(text).1).unwrap().1.runs
}

/// The error in two lines when there is one.
fn complaint(text: &str) -> String {
    let (folder, path) = written(text);
    match expanded(&path) {
        Ok((_, expanded)) => format!("no complaint, {} runs", expanded.runs.len()),
        Err(error) => {
            let text = format!("{error}\nhint: {}", error.hint().as_ref().and_then(Hint::text).unwrap_or("none"));
            text.replace(&folder.path().display().to_string(), "DIR")
        }
    }
}

#[test]
fn a_plan_is_multiplied_out() {
    let jobs = jobs(GOOD);
    // clean: one draw, two seeds; noisy: two draws for slrmf's two points, one for mfmsc
    assert_eq!(jobs.len(), 2 * 3 + 2 * (2 * 2 + 1));
    let labels: Vec<&str> = jobs[1..5].iter().map(|job| job.row.get("label")).collect();
    let points = ["slrmf beta=0.1 own_share=0.5", "slrmf beta=1 own_share=0.5", "slrmf beta=1 own_share=0.5", "mfmsc"];
    assert_eq!(labels, points);
    let asked = jobs[6].row.asked().join(",");
    assert_eq!(
        asked,
        format!("digits,2000,10,fou+fac,auto,slrmf,{},beta=0.1 own_share=0.5,0.2,add,5.0,0,0", points[0])
    );
    assert_eq!(jobs[6].settings.clusters, 10);
    let again = self::jobs(GOOD);
    assert!(jobs.iter().zip(&again).all(|(a, b)| a.key() == b.key()), "keys depend on nothing else");
    let keys: HashSet<&str> = jobs.iter().map(Job::key).collect();
    assert_eq!(keys.len(), jobs.len(), "draws and seeds are runs of their own");
}

#[test]
fn the_key_knows_what_decides_a_result() {
    let base = jobs(GOOD)[0].key().to_owned();
    let changed = |from: &str, to: &str| jobs(&GOOD.replace(from, to))[0].key().to_owned();
    for (from, to) in [
        ("[0.1, 1]", "[0.2, 1]"),
        ("seeds = [0, 5]", "seeds = [1, 5]"),
        ("file = \"digits\"", "file = \"digits\"\nscale = \"unit\""),
        ("file = \"digits\"", "file = \"digits\"\nviews = [\"fac\"]"),
        ("name = \"digits\"", "name = \"numbers\""),
        ("[0.0, 0.2]", "[0.1]"),
        ("id = \"slrmf\"", "id = \"slrmf\"\nname = \"other\""),
    ] {
        assert_ne!(base, changed(from, to), "{to}");
    }
    assert_eq!(base, changed("draws = 1", "draws = 1\nlimits = { seconds = 5 }"), "limits decide nothing");
    let small = GOOD.replace("file = \"digits\"", "file = \"labelled.csv\"\nsubset = \"two.txt\"");
    assert_ne!(jobs(&small)[0].key(), jobs(&small.replace("two", "others"))[0].key(), "other samples");
}

/// A set that is too large for a method, or not there, has no runs, and its line says why.
#[test]
fn cells_without_a_run_say_why() {
    let cells = |text: &str| -> (usize, Vec<String>) {
        let Expanded { runs, empty } = expanded(&written(text).1).unwrap().1;
        let words = ["set", "label", "mode", "status", "note"];
        let line = |row: &crate::row::Row| words.map(|column| row.get(column)).join(",");
        (runs.len(), empty.iter().map(line).collect())
    };
    let limited = |most: usize| cells(&GOOD.replace("draws = 1", &format!("max_samples = {most}")));
    assert_eq!(limited(2000), (18, Vec::new()));
    let lines = ["digits,mfmsc,,left out,n > 1,999", "digits,mfmsc,add,left out,n > 1,999"].map(str::to_owned);
    assert_eq!(limited(1999), (12, lines.to_vec()));
    let gone = GOOD.replace("file = \"digits\"", "file = \"gone.npz\"\noptional = true");
    let (runs, empty) = cells(&gone);
    assert_eq!((runs, empty.len(), empty[5].as_str()), (0, 6, "digits,mfmsc,add,absent,data not available"));
}

/// Parts that several benches make are the plan, each run once.
#[test]
fn parts_of_a_plan_are_the_plan() {
    let (_folder, path) = written(GOOD);
    let (plan, Expanded { runs, .. }) = expanded(&path).unwrap();
    let keys = |selection: &Selection| -> Vec<String> {
        selection.choose(&plan, &runs).unwrap().iter().map(|job| job.key().to_owned()).collect()
    };
    let part = |text: &str| keys(&Selection { shard: Some(text.parse().unwrap()), ..Selection::default() });
    let parts = [part("1/3"), part("2/3"), part("3/3")].concat();
    assert_eq!((parts.len(), parts.into_iter().collect::<HashSet<_>>().len()), (runs.len(), runs.len()));
    let some = |only: &str, data: &str, noise: &str| {
        let [only, data, noise] = [only, data, noise].map(|name| vec![name.to_owned()]);
        Selection { only, data, noise, shard: None }
    };
    assert_eq!(keys(&some("mfmsc", "digits", "clean")).len(), 2);
    assert_eq!(keys(&some("slrmf", "digits", "20 % add")).len(), 8);
    for (wrong, why) in [
        (some("mfmcs", "digits", "clean"), "unknown method of the plan `mfmcs`"),
        (some("mfmsc", "digits", "30 % add"), "unknown condition of the plan `30 % add`"),
        (some("mfmsc", "awa", "clean"), "unknown data set of the plan `awa`"),
    ] {
        assert_eq!(wrong.choose(&plan, &runs).err().unwrap().to_string(), why);
    }
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
        ("unknown field of data", change(digits, "file = \"digits\"\nfil = \"digits\"")),
        ("no file", change("file = \"digits\"\n", "")),
        ("no data", complaint("title = \"t\"\n[[method]]\nid = \"mfmsc\"\n")),
        ("no method", complaint("title = \"t\"\n[[data]]\nname = \"d\"\nfile = \"digits\"\n")),
        ("missing file", change(digits, "file = \"gone.npz\"")),
        ("no labels", change(digits, "file = \"views.csv\"")),
        ("unknown view", change(digits, "file = \"digits\"\nviews = [\"fou\", \"fax\"]")),
        ("scale", change(digits, "file = \"digits\"\nscale = \"zscor\"")),
        ("missing subset", change(digits, "file = \"digits\"\nsubset = \"gone.npy\"")),
        ("subset out of range", change(digits, "file = \"labelled.csv\"\nsubset = \"rows.txt\"")),
        ("two sets of one name", change("[[noise]]", "[[data]]\nname = \"digits\"\nfile = \"digits\"\n[[noise]]")),
        ("share", change("[0.0, 0.2]", "[0.0, 1.2]")),
        ("share a word", change("[0.0, 0.2]", "\"much\"")),
        ("mode", change("\"add\"", "\"ad\"")),
        ("no draws", change("draws = 2", "draws = 0")),
        ("a seed twice", change("[0, 5]", "[5, 5]")),
        ("negative seed", change("[0, 5]", "[-1]")),
        ("limit", complaint(&format!("{GOOD}\n[limits]\nseconds = 0.0\n"))),
        ("unknown method", change("id = \"mfmsc\"", "id = \"mfmcs\"")),
        ("unknown parameter", change("id = \"mfmsc\"", "id = \"mfmsc\"\nset = { neighbors = 3 }")),
        ("parameter out of range", change("id = \"mfmsc\"", "id = \"mfmsc\"\nset = { neighbours = 0 }")),
        ("grid of a single value", change("own_share = [0.5]", "own_share = 0.5")),
        ("grid and set", change("id = \"slrmf\"", "id = \"slrmf\"\nset = { beta = 1 }")),
        ("grid value out of range", change("own_share = [0.5]", "own_share = [0.5, -1]")),
        ("two methods of one name", change("id = \"mfmsc\"", "id = \"mfmsc\"\n[[method]]\nid = \"mfmsc\"")),
        ("no samples", change("id = \"mfmsc\"", "id = \"mfmsc\"\nmax_samples = 0")),
        ("quadratic without all", change("id = \"mfmsc\"", "id = \"mfmsc\"\nquadratic = true")),
        ("a name for all", change("id = \"mfmsc\"", "id = \"all\"\nname = \"every\"")),
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
fn every_plan_that_ships_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let plans =
        files.filter(|path| path.extension().is_some_and(|end| end == "toml") && !path.ends_with("reasons.toml"));
    let read = plans.map(|path| Plan::read(&path).unwrap_or_else(|error| panic!("{error}")));
    assert!(read.count() >= 6);
}
