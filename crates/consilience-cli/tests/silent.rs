//! Silent wrongs that were found by trying the program hard: each is right or refused now.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Workplace, shell, words};

fn refused(place: &Workplace, line: &str) -> String {
    let output = place.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(2), "{line}: {}", words(&output.stderr));
    words(&output.stderr)
}

fn sizes(labels: &serde_json::Value) -> Vec<usize> {
    let labels: Vec<usize> = labels.as_array().unwrap().iter().map(|l| l.as_u64().unwrap() as usize).collect();
    let mut sizes: Vec<usize> = (0..10).map(|k| labels.iter().filter(|l| **l == k).count()).collect();
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable();
    sizes
}

#[test]
fn columns_of_the_same_name_are_told_apart() {
    let place = Workplace::new();
    let row = |i: usize| format!("{},{},{}\n", i % 3 * 10 + i % 2, (i + 1) % 3 * 10, i % 7);
    let rows: String = (0..60).map(row).collect();
    place.file("a.csv", format!("x,x,y\n{rows}"));
    let talk = place.talk(&["cluster", "a.csv", "-k", "3", "-o", "run"]);
    assert!(talk.contains("2 columns are called `x`: they are `x` and `x.2` now"), "{talk}");
    let told = place.json(&["predict", "run", "a.csv", "--json"])["labels"].clone();
    assert_eq!(told.as_array().unwrap().len(), 60);
    let narrow: String = (0..60).map(|i| format!("{},{}\n", i % 3 * 10 + i % 2, i % 7)).collect();
    place.file("a.csv", format!("x,y\n{narrow}"));
    assert!(refused(&place, "predict run a.csv").contains("lacks 1 of the 2 features"));
}

#[test]
fn only_ratios_of_weights_count_whatever_their_size() {
    let place = Workplace::new().with_views();
    for method in ["slrmf", "mfmsc"] {
        let with = |weights: &str| {
            place.json(&["cluster", "a.csv", "b.csv", "-k", "3", "--json", "--method", method, "--weights", weights])
        };
        let (large, usual) = (with("a=1e308,b=1e308"), with("a=1,b=1"));
        assert_eq!(large["labels"], usual["labels"], "{method}");
        assert_eq!(large["views"][0]["weight"], 0.5);
        assert_eq!(with("a=5e-324,b=5e-324")["labels"], usual["labels"], "{method}");
    }
}

#[test]
fn views_with_a_comma_or_an_equals_sign_can_be_named() {
    let place = Workplace::new().with_views();
    std::fs::rename(place.path("a.csv"), place.path("a,1=2.csv")).unwrap();
    let line = ["cluster", "a,1=2.csv", "b.csv", "-k", "3", "--json", "--weights", r#""a,1=2"=3,b=1"#];
    let run = place.json(&line);
    assert_eq!((&run["views"][0]["name"], &run["views"][0]["weight"]), (&"a,1=2".into(), &0.75.into()));
    let run = place.json(&["cluster", "a,1=2.csv", "b.csv", "-k", "3", "--json", "--views", r#"b,"a,1=2""#]);
    assert_eq!((&run["views"][0]["name"], &run["views"][1]["name"]), (&"b".into(), &"a,1=2".into()));
    assert!(refused(&place, "cluster a,1=2.csv b.csv -k 3 --weights b").contains("`b` is no weight of a view"));
}

#[test]
fn zeros_of_a_single_binary_column_are_values() {
    let place = Workplace::new();
    place.file("a.csv", "x\n".to_owned() + &(0..60).map(|i| format!("{}\n", i % 2)).collect::<String>());
    let run = place.json(&["cluster", "a.csv", "-k", "2", "--json"]);
    assert_eq!(sizes(&run["labels"]), [30, 30], "{}", run["warnings"]);
}

#[test]
fn sizes_beyond_reason_are_refused_with_the_size() {
    let place = Workplace::new();
    let told = refused(&place, "synthesize out -n 100 --features 1000000000000");
    assert!(told.contains("400000.0 GB"), "{told}");
    let told = refused(&place, "synthesize out -n 18446744073709551615");
    assert!(told.contains(" GB"), "{told}");
    assert!(!place.path("out").exists());
}

#[test]
fn edited_records_are_refused_and_not_believed() {
    let place = Workplace::new().with_views();
    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "out"]).status.success());
    let whole = std::fs::read_to_string(place.path("out/run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&whole).unwrap();
    type Edit = fn(&mut serde_json::Value);
    let edits: [(&str, Edit); 10] = [
        ("markers[0]", |record| record["markers"][0]["column"] = 999_999.into()),
        ("markers[0]", |record| record["markers"][0]["view"] = "c".into()),
        ("markers[0]", |record| record["markers"][0]["cluster"] = 77.into()),
        ("restarts", |record| record["restarts"] = i64::MAX.into()),
        ("that there are not", |record| record["views"][0]["d"] = 70.into()),
        ("labels", |record| record["labels"] = vec![0; 7].into()),
        ("labels", |record| record["labels"][3] = 3_000_000_000_u64.into()),
        ("ids", |record| record["ids"] = vec!["a"; 3].into()),
        ("views", |record| record["views"] = serde_json::json!([])),
        ("0 samples", |record| record["n"] = 0.into()),
    ];
    for (what, edit) in edits {
        let mut edited = record.clone();
        edit(&mut edited);
        place.file("out/run.json", edited.to_string());
        for line in ["report out", "plot markers out -o p.svg --force", "plot embedding out -o p.svg --force"] {
            let told = refused(&place, line);
            assert!(told.contains(what), "{what}: {told}");
        }
    }
}

#[test]
fn a_closed_output_is_an_error_and_a_full_one_too() {
    let place = Workplace::new().with_views();
    let closed = shell(&place, "consilience cluster a.csv b.csv -k 3 >&-");
    assert_eq!(closed.status.code(), Some(1), "{}", words(&closed.stderr));
    assert!(words(&closed.stderr).contains("standard output is closed"));
    assert!(shell(&place, "consilience cluster a.csv b.csv -k 3 -o out >&-").status.success(), "nothing is printed");
    assert!(shell(&place, "consilience cluster a.csv b.csv -k 3 > /dev/null").status.success());
    assert!(shell(&place, "consilience cluster a.csv b.csv -k 3 1<> /dev/null").status.success());
    assert_eq!(shell(&place, "consilience cluster a.csv b.csv -k 3 > /dev/full").status.code(), Some(1));
}

#[test]
fn memory_is_kept_or_refused_with_true_numbers() {
    let place = Workplace::new();
    let told = refused(&place, "cluster :digits -k 10 --memory 1M");
    assert!(told.contains(" MB of memory, but only 1 MB may be used"), "{told}");
}

#[test]
fn what_can_be_refused_is_refused_before_the_work() {
    let place = Workplace::new().with_views();
    let told = refused(&place, "cluster a.csv b.csv -k 3 -o out --report --metadata nofile.csv");
    assert!(told.contains("`nofile.csv`") && !told.contains("samples"), "{told}");
    assert!(!place.path("out").exists());
    place.file("file", "x");
    for line in [
        "cluster a.csv b.csv -k 3 -o file/out",
        "cluster a.csv b.csv -k 3 -o /proc/out",
        "cluster a.csv b.csv -k 3 -o /dev/null",
    ] {
        let output = place.run(&line.split(' ').collect::<Vec<_>>());
        assert!(matches!(output.status.code(), Some(1 | 2)), "{line}");
        assert!(!words(&output.stderr).contains("slrmf:"), "the run was made before it was refused: {line}");
    }
    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "out"]).status.success());
    for line in ["predict out a.csv b.csv -o no/p.csv", "report out -o no/p.html", "plot embedding out -o no/p.svg"] {
        let output = place.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(1), "{line}: {}", words(&output.stderr));
        assert!(!place.path("out/report.json").exists(), "{line}");
    }
}

#[test]
fn cells_that_a_spreadsheet_would_run_are_text() {
    let place = Workplace::new();
    let rows: String = (0..30).map(|i| format!("{}s{i},{},{}\n", ["=", "+", "x"][i % 3], i % 3 * 10, i % 3)).collect();
    place.file("a.csv", format!("id,p,q\n{rows}"));
    let labels = place.run(&["cluster", "a.csv", "-k", "3"]).stdout;
    let labels = words(&labels);
    let rows: Vec<&str> = labels.lines().collect();
    assert!(
        rows[1].starts_with("'=s0,0,") && rows[2].starts_with("'+s1,1,") && rows[3].starts_with("xs2,2,"),
        "{rows:?}"
    );
    assert!(place.run(&["cluster", "a.csv", "-k", "3", "-o", "out"]).status.success());
    assert!(words(&place.run(&["predict", "out", "a.csv"]).stdout).contains("\n'=s0,0,"));
    // and are what they were when they are read back
    place.file(
        "truth.csv",
        "id,label\n".to_owned()
            + &(0..30).map(|i| format!("{}s{i},{}\n", ["=", "+", "x"][i % 3], i % 3)).collect::<String>(),
    );
    assert_eq!(place.json(&["evaluate", "out/labels.csv", "truth.csv", "--json"])["acc"], 1.0);
}
