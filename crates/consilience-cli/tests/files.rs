//! The files people really have, on the real program: nothing is lost, and nothing is silently wrong. Every case was found
//! by trying the program hard.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use common::Workplace;

const N: usize = 60;

/// The class of a sample.
fn class(i: usize) -> usize {
    i % 3
}

/// The features of a sample in a view, as cells.
fn cells(i: usize, view: usize) -> String {
    let wobble = (i * 7 % 10) as f64 / 20.0;
    let centre = (class(i) * (8 + view)) as f64;
    format!("{:.3},{:.3},{:.3}", centre + wobble, 2.0 * wobble - centre, wobble + 0.125)
}

/// The samples in an order that has nothing to do with their classes.
fn shuffled() -> Vec<usize> {
    (0..N).map(|i| i * 23 % N).collect()
}

/// A table with `id` and three features, rows in the given order.
fn table(header: &str, rows: &[usize], view: usize, id: impl Fn(usize) -> String) -> String {
    let body: String = rows.iter().map(|&i| format!("{},{}\n", id(i), cells(i, view))).collect();
    format!("{header},p,q,r\n{body}")
}

fn named(i: usize) -> String {
    format!("s{i:02}")
}

/// Two views with text ids, the second in another order, and a truth in yet another.
fn with_ids() -> Workplace {
    let place = Workplace::new();
    let in_order: Vec<usize> = (0..N).collect();
    let reversed: Vec<usize> = (0..N).rev().collect();
    place.file("a.csv", table("sample", &in_order, 0, named));
    place.file("b.csv", table("sample", &shuffled(), 1, named));
    let truth: String = reversed.iter().map(|&i| format!("{},{}\n", named(i), ["x", "y", "z"][class(i)])).collect();
    place.file("truth.csv", format!("sample,label\n{truth}"));
    place
}

fn stderr(place: &Workplace, line: &[&str], code: i32) -> String {
    let output = place.run(line);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{line:?}: {talk}");
    talk
}

fn read(place: &Workplace, file: &str) -> String {
    std::fs::read_to_string(place.path(file)).unwrap()
}

#[test]
fn inputs_and_truth_are_never_overwritten() {
    let place = with_ids();
    let labels = read(&place, "truth.csv");
    place.file("labels.csv", &labels);
    for more in [&[][..], &["--force"]] {
        let line = [&["cluster", "a.csv", "-k", "3", "--truth", "labels.csv", "-o", "."][..], more].concat();
        assert!(stderr(&place, &line, 2).contains("replace its own input `labels.csv`"));
        // somebody else's file, which is no input
        let line = [&["cluster", "a.csv", "-k", "3", "-o", "."][..], more].concat();
        assert!(stderr(&place, &line, 2).contains("already holds labels.csv, which no run wrote"));
    }
    assert_eq!(read(&place, "labels.csv"), labels);
    place.run(&["cluster", "a.csv", "-k", "3", "-o", "out"]);
    std::fs::copy(place.path("out/embedding.npy"), place.path("embedding.npy")).unwrap();
    let before = std::fs::read(place.path("embedding.npy")).unwrap();
    let line = ["cluster", "embedding.npy", "-k", "3", "-o", ".", "--force"];
    assert!(stderr(&place, &line, 2).contains("replace its own input"));
    assert_eq!(std::fs::read(place.path("embedding.npy")).unwrap(), before);
}

#[test]
fn a_folder_holds_one_run() {
    let place = with_ids();
    let line = ["cluster", "a.csv", "-k", "3", "-o", "out"];
    assert!(place.run(&[&line[..], &["--report"]].concat()).status.success());
    let refused = stderr(&place, &line, 2);
    assert!(refused.contains(
        "`out` already holds run.json, labels.csv, embedding.npy, memberships.npy, model.safetensors, report.json, report.html"
    ));
    assert!(refused.contains("--force"), "{refused}");
    place.file("out/mine.txt", "mine");
    let line = ["cluster", "a.csv", "-k", "2", "-o", "out", "--force"];
    assert!(place.run(&line).status.success());
    assert!(!place.path("out/report.html").exists() && !place.path("out/report.json").exists());
    assert_eq!(read(&place, "out/mine.txt"), "mine");
    assert!(read(&place, "out/.consilience-run").contains("\"layout\""));
    assert!(stderr(&place, &["cluster", "a.csv", "-k", "3", "--force"], 2).contains("--output"));
}

#[test]
fn report_and_plot_say_when_a_folder_is_no_run_and_replace_nothing() {
    let place = with_ids();
    std::fs::create_dir(place.path("empty")).unwrap();
    assert!(stderr(&place, &["report", "empty"], 2).contains("`empty` is not the folder of a finished run"));
    assert!(place.run(&["cluster", "a.csv", "-k", "3", "-o", "out"]).status.success());
    place.file("page.html", "mine");
    assert!(stderr(&place, &["report", "out", "-o", "page.html"], 2).contains("`page.html` exists"));
    for kept in ["out/labels.csv", "out/run.json", "a.csv"] {
        let before = read(&place, kept);
        let refused = stderr(&place, &["report", "out", "-o", kept, "--force"], 2);
        let why = if kept == "a.csv" { "which this command reads" } else { "is a part of the run in" };
        assert!(refused.contains(why), "{refused}");
        assert_eq!(read(&place, kept), before);
    }
    assert_eq!(read(&place, "page.html"), "mine");
    assert!(place.run(&["report", "out", "-o", "page.html", "--force", "--resamples", "0"]).status.success());
    assert!(read(&place, "page.html").contains("<html"));
    place.file("p.svg", "mine");
    assert!(stderr(&place, &["plot", "embedding", "out", "-o", "p.svg"], 2).contains("`p.svg` exists"));
    std::fs::remove_file(place.path("out/.consilience-run")).unwrap();
    assert!(stderr(&place, &["report", "out"], 2).contains("not the folder of a finished run"));
}

#[cfg(unix)]
#[test]
fn a_symlink_and_a_device_are_written_to_and_stay() {
    let place = with_ids();
    assert!(place.run(&["cluster", "a.csv", "-k", "3", "-o", "out"]).status.success());
    place.file("target.svg", "old");
    std::os::unix::fs::symlink("target.svg", place.path("link.svg")).unwrap();
    assert!(place.run(&["plot", "embedding", "out", "-o", "link.svg"]).status.success());
    assert!(std::fs::symlink_metadata(place.path("link.svg")).unwrap().is_symlink());
    assert!(read(&place, "target.svg").starts_with("<svg"));
    assert!(place.run(&["report", "out", "-o", "/dev/null"]).status.success());
    assert!(!std::fs::symlink_metadata("/dev/null").unwrap().is_file());
}

#[test]
fn labels_of_another_length_than_their_view_are_refused() {
    let place = with_ids();
    let pairs: String = (0..N - 1).map(|i| format!("{}\n", class(i))).collect();
    place.file("labels.txt", pairs);
    let refused = stderr(&place, &["cluster", "a.csv", "-k", "3", "--truth", "labels.txt"], 2);
    assert!(refused.contains("`labels.txt` has 59 labels for 60 samples"), "{refused}");
}

#[test]
fn views_and_truth_are_matched_by_id() {
    let place = with_ids();
    let line = ["cluster", "a.csv", "b.csv", "-k", "3", "--truth", "truth.csv", "--json"];
    let run = place.json(&line);
    assert_eq!(run["scores"]["acc"], 1.0);
    assert_eq!(run["ids"][1], "s01");
    assert!(run["notes"].as_array().unwrap().iter().any(|note| note["kind"] == "reordered"));
    let talk = stderr(&place, &line, 0);
    assert_eq!(talk.matches("the rows of `b.csv` were put into the order of `a.csv`, by id").count(), 1);

    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "out"]).status.success());
    assert_eq!(place.json(&["evaluate", "out/labels.csv", "truth.csv", "--json"])["acc"], 1.0);
    let kept: serde_json::Value = serde_json::from_str(&read(&place, "out/run.json")).unwrap();
    assert_eq!(kept["ids"].as_array().unwrap().len(), N);
}

#[test]
fn other_samples_are_refused_with_numbers_or_joined() {
    let place = with_ids();
    let few: Vec<usize> = (5..N).rev().collect();
    place.file("few.csv", table("sample", &few, 1, |i| if i == 5 { "other".into() } else { named(i) }));
    let refused = stderr(&place, &["cluster", "a.csv", "few.csv", "-k", "3"], 2);
    let counts = "`a.csv` and `few.csv` have 54 samples in common, 6 only in `a.csv` (`s00`, `s01`, `s02`, ..), 1 only in \
                  `few.csv` (`other`)";
    assert!(
        refused.contains(counts) && refused.contains("--join inner") && refused.contains("--join outer"),
        "{refused}"
    );
    let inner = ["cluster", "a.csv", "few.csv", "-k", "3", "--join", "inner", "--truth", "truth.csv", "--json"];
    let run = place.json(&inner);
    assert_eq!((run["n"].as_u64(), run["scores"]["acc"].as_f64()), (Some(54), Some(1.0)));
    assert!(stderr(&place, &inner, 0).contains("6 of 60 samples of `a.csv` are not in every table"));
    let outer = ["cluster", "a.csv", "few.csv", "-k", "3", "--join", "outer", "--json"];
    let run = place.json(&outer);
    assert_eq!((run["n"].as_u64(), run["ids"][60].as_str()), (Some(61), Some("other")));
    let lacks = |view: &str, samples: u64| {
        let warnings = run["warnings"].as_array().unwrap().clone();
        warnings.iter().any(|one| one["kind"] == "missing_samples" && one["view"] == view && one["samples"] == samples)
    };
    assert!(lacks("a", 1) && lacks("few", 6), "{}", run["warnings"]);
    let labels: Vec<u64> = run["labels"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
    assert!((0..N).all(|i| (labels[i] == labels[i % 3]) == (class(i) == class(i % 3))), "{labels:?}");
    let refused = stderr(&place, &[&outer[..], &["--method", "comvsc"]].concat(), 2);
    assert!(
        refused.contains("`comvsc` needs every sample in every view") && refused.contains("slrmf, snf"),
        "{refused}"
    );
    assert!(place.run(&["cluster", "a.csv", "few.csv", "-k", "3", "--join", "outer", "-o", "out"]).status.success());
    assert!(place.run(&["report", "out", "-o", "report.html"]).status.success());
    assert!(read(&place, "report.html").contains("\"presence\":{\"known\":[60,55]"));
    assert!(!refused.contains("sort both files"));
}

#[test]
fn repeated_ids_are_refused_with_their_rows() {
    let place = with_ids();
    place.file("twice.csv", table("sample", &[0, 1, 2, 3], 0, |i| named(i % 3)));
    assert!(stderr(&place, &["cluster", "twice.csv", "-k", "2"], 2).contains("rows 1 and 4 have the same id `s00`"));
    let none = ["cluster", "twice.csv", "-k", "2", "--id-column", "none"];
    assert!(stderr(&place, &none, 2).contains("--drop-columns sample"), "a column of text");
}

#[test]
fn numeric_id_columns_are_ids_and_named() {
    for name in ["ID", "patient_id", "PatientID", "barcode", "subject", "index", ""] {
        let place = Workplace::new();
        let id = |i: usize| (1000 + 37 * i).to_string();
        place.file("a.csv", table(name, &(0..N).collect::<Vec<_>>(), 0, id));
        place.file("b.csv", table(name, &shuffled(), 1, id));
        let truth: String = (0..N).map(|i| format!("{}\n", class(i))).collect();
        place.file("truth.txt", truth);
        let line = ["cluster", "a.csv", "b.csv", "-k", "3", "--truth", "truth.txt", "--json"];
        let run = place.json(&line);
        assert_eq!((run["views"][0]["d"].as_u64(), run["scores"]["acc"].as_f64()), (Some(3), Some(1.0)), "{name}");
        assert!(stderr(&place, &line, 0).contains("is taken for the samples' ids; if it is a feature"), "{name}");
        let none = place.json(&[&line[..], &["--id-column", "none"]].concat());
        assert_eq!(none["views"][0]["d"].as_u64(), Some(4), "{name}");
    }
}

#[test]
fn headers_of_integers_and_columns_called_y() {
    let place = Workplace::new();
    let rows: String = (0..N).map(|i| cells(i, 0) + "\n").collect();
    place.file("range.csv", format!("0,1,2\n{rows}"));
    assert_eq!(place.json(&["cluster", "range.csv", "-k", "3", "--json"])["n"].as_u64(), Some(N as u64));
    place.file(
        "xyz.csv",
        format!("x,y,z\n{}", (0..N).map(|i| format!("{i}.5,{}.25,{i}.75\n", i * 7)).collect::<String>()),
    );
    let line = ["cluster", "xyz.csv", "-k", "3", "--json"];
    let run = place.json(&line);
    assert_eq!((run["views"][0]["d"].as_u64(), run["scores"].is_null()), (Some(3), true));
    assert!(stderr(&place, &line, 0).contains("column 2 (`y`) stays a feature"));
    for name in ["Label", "class", "target", "subtype"] {
        let rows: String = (0..N).map(|i| format!("{},{}\n", cells(i, 0), class(i))).collect();
        place.file("t.csv", format!("p,q,r,{name}\n{rows}"));
        let run = place.json(&["cluster", "t.csv", "-k", "3", "--json"]);
        assert_eq!((run["views"][0]["d"].as_u64(), run["scores"]["acc"].as_f64()), (Some(3), Some(1.0)), "{name}");
    }
}

#[test]
fn named_columns_need_not_be_in_every_file() {
    let place = with_ids();
    let rows: String = (0..N).map(|i| format!("{},{},{}\n", named(i), class(i) * 5, cells(i, 1))).collect();
    place.file("clinical.csv", format!("sample,stage,p,q,r\n{rows}"));
    let line = ["cluster", "a.csv", "clinical.csv", "-k", "3", "--json", "--label-column", "stage"];
    let run = place.json(&line);
    assert_eq!((run["views"][1]["d"].as_u64(), run["scores"]["acc"].as_f64()), (Some(3), Some(1.0)));
    let line = ["cluster", "a.csv", "clinical.csv", "-k", "3", "--json", "--drop-columns", "stage,p"];
    let run = place.json(&line);
    assert_eq!((run["views"][0]["d"].as_u64(), run["views"][1]["d"].as_u64()), (Some(2), Some(2)));
    let refused = stderr(&place, &["cluster", "a.csv", "clinical.csv", "-k", "3", "--label-column", "grade"], 2);
    assert!(refused.contains("no file has a column `grade`"), "{refused}");
}

#[test]
fn text_columns_are_refused_by_name_with_both_ways_out() {
    let place = Workplace::new();
    let rows: String =
        (0..N).map(|i| format!("{},{},{}\n", cells(i, 0), ["m", "f"][i % 2], ["ulm", "bonn"][i % 2])).collect();
    place.file("t.csv", format!("p,q,r,sex,city\n{rows}"));
    let refused = stderr(&place, &["cluster", "t.csv", "-k", "3"], 2);
    assert!(refused.contains("column 4 (`sex`), column 5 (`city`) hold text"), "{refused}");
    assert!(refused.contains("--drop-columns sex,city") && refused.contains("--one-hot sex,city"), "{refused}");
    let run = place.json(&["cluster", "t.csv", "-k", "3", "--drop-columns", "city", "--one-hot", "sex", "--json"]);
    assert_eq!(run["views"][0]["d"].as_u64(), Some(5));
}

#[test]
fn turned_tables_are_recognised_and_turned() {
    let place = with_ids();
    let head: Vec<String> = (0..N).map(named).collect();
    let gene = |g: usize| {
        let values: Vec<String> = (0..N).map(|i| cells(i, 1).split(',').nth(g).unwrap().to_owned()).collect();
        format!("g{g},{}\n", values.join(","))
    };
    place.file("genes.csv", format!("gene,{}\n{}", head.join(","), (0..3).map(gene).collect::<String>()));
    let refused = stderr(&place, &["cluster", "a.csv", "genes.csv", "-k", "3"], 2);
    assert!(refused.contains("the header of `genes.csv` holds the sample ids of `a.csv`"), "{refused}");
    assert!(refused.contains("turn it with --transpose=genes.csv"), "{refused}");
    for name in ["genes", "genes.csv"] {
        let turn = format!("--transpose={name}");
        let run = place.json(&["cluster", "a.csv", "genes.csv", "-k", "3", "--json", &turn, "--truth", "truth.csv"]);
        assert_eq!((run["views"][1]["d"].as_u64(), run["scores"]["acc"].as_f64()), (Some(3), Some(1.0)));
    }
    let run = place.json(&["cluster", "genes.csv", "-k", "3", "--json", "--transpose"]);
    assert_eq!((run["n"].as_u64(), run["ids"][2].as_str()), (Some(N as u64), Some("s02")));
    assert!(stderr(&place, &["cluster", "genes.csv", "-k", "3", "--transpose=rna"], 2).contains("unknown file `rna`"));
}

#[test]
fn missing_values_are_refused_filled_in_or_left_out() {
    let place = with_ids();
    let rows: String = (0..N)
        .map(|i| match i {
            3 | 9 => format!("{},,{}\n", named(i), cells(i, 0).split_once(',').unwrap().1),
            _ => format!("{},{}\n", named(i), cells(i, 0)),
        })
        .collect();
    place.file("holes.csv", format!("sample,p,q,r\n{rows}"));
    let line = ["cluster", "holes.csv", "b.csv", "-k", "3", "--truth", "truth.csv", "--json"];
    let refused = stderr(&place, &line, 2);
    let counts =
        "2 of 180 values are missing (NaN), in 2 of 60 samples and 1 of 3 features; the first is in row 4, column 1";
    assert!(refused.contains(counts) && refused.contains("--missing impute"), "{refused}");
    let with = |missing| place.json(&[&line[..], &["--missing", missing]].concat());
    assert_eq!((with("impute")["n"].as_u64(), with("impute")["scores"]["acc"].as_f64()), (Some(60), Some(1.0)));
    let dropped = with("drop-samples");
    assert_eq!((dropped["n"].as_u64(), dropped["scores"]["acc"].as_f64()), (Some(58), Some(1.0)));
    assert_eq!(
        (dropped["ids"][3].as_str(), dropped["inputs"]["missing"].as_str()),
        (Some("s04"), Some("drop-samples"))
    );
    assert_eq!(with("drop-features")["views"][0]["d"].as_u64(), Some(2));
    let talk = stderr(&place, &[&line[..], &["--missing", "impute"]].concat(), 0);
    assert!(talk.contains("view `holes`: 2 missing values of 180 were filled in"), "{talk}");
}

#[test]
fn labels_are_compared_exactly() {
    let place = Workplace::new();
    place.file("p.txt", "9007199254740992\n9007199254740993\n9007199254740992\n9007199254740993\n");
    place.file("t.txt", "a\nb\na\nb\n");
    assert_eq!(place.json(&["evaluate", "p.txt", "t.txt", "--json"])["acc"], 1.0);
}

#[test]
fn weights_of_the_user_for_methods_that_weigh() {
    let place = with_ids();
    let line = ["cluster", "a.csv", "b.csv", "-k", "3", "--json", "--weights"];
    let run = place.json(&[&line[..], &["a=3,b=1"]].concat());
    assert_eq!((run["views"][0]["weight"].as_f64(), run["weights"]["a"].as_f64()), (Some(0.75), Some(3.0)));
    let refused = stderr(&place, &[&line[..], &["a=3,b=1", "--method", "snf"]].concat(), 2);
    assert!(refused.contains("`snf` does not weigh views") && refused.contains("slrmf"), "{refused}");
    assert!(stderr(&place, &[&line[..], &["a=3"]].concat(), 2).contains("view `b` has no weight"));
    assert!(stderr(&place, &[&line[..], &["a"]].concat(), 2).contains("view=number"));
}

#[test]
fn quiet_and_verbose() {
    let place = with_ids();
    let line = ["cluster", "a.csv", "b.csv", "-k", "3"];
    assert_eq!(stderr(&place, &[&line[..], &["-q"]].concat(), 0), "");
    let some = stderr(&place, &line, 0);
    assert!(!some.contains("is taken for the samples' ids"), "ids of text are no surprise");
    assert!(
        stderr(&place, &[&line[..], &["-v"]].concat(), 0).contains("column 1 (`sample`) is taken for the samples' ids")
    );
    assert!(stderr(&place, &["cluster", "gone.csv", "-k", "3", "-q"], 2).starts_with("error: "));
    assert_eq!(stderr(&place, &["-q", "cluster", "a.csv", "-k", "3"], 0), "");
}

#[test]
fn names_in_files_cannot_move_the_cursor() {
    let place = Workplace::new();
    place.file("t.csv", "id,a\u{1b}[31m\u{1b}[2J,b\nx\u{1b}[1m,1,2\ny,,4\nz,5,6\n");
    for line in [&["cluster", "t.csv", "-k", "2"][..], &["inspect", "t.csv"], &["inspect", "t.csv", "--json"]] {
        let output = place.run(line);
        let all = [output.stdout, output.stderr].concat();
        assert!(!all.contains(&0x1b), "{}", String::from_utf8_lossy(&all));
    }
}

#[test]
fn data_without_structure_are_never_labelled_in_silence() {
    let place = Workplace::new();
    let rows = |value: &str| format!("p,q\n{}", format!("{value},{value}\n").repeat(30));
    for (name, value) in [("same", "1.5"), ("tiny", "1e-300"), ("zero", "0")] {
        place.file(&format!("{name}.csv"), rows(value));
        let run = place.json(&["cluster", &format!("{name}.csv"), "-k", "3", "--json"]);
        let told = run["warnings"].to_string();
        assert!(told.contains("does not vary") && !told.contains("the other views decide"), "{name}: {told}");
    }
    // sizes at both ends of what a number can be: the answer is right
    for scale in ["e300", "e-300"] {
        let rows: String =
            (0..N).map(|i| format!("{}.{}{scale},{}.5{scale}\n", class(i) * 2, i % 7, class(i))).collect();
        place.file("x.csv", format!("p,q\n{rows}"));
        place.file("truth.txt", (0..N).map(|i| format!("{}\n", class(i))).collect::<String>());
        for method in ["slrmf", "average", "kmeans"] {
            let line = ["cluster", "x.csv", "-k", "3", "--truth", "truth.txt", "--json", "--method", method];
            let run = place.json(&line);
            assert_eq!(run["scores"]["acc"], 1.0, "{method} {scale}: {}", run["warnings"]);
            assert!(!run["warnings"].to_string().contains("all-zero"), "{method} {scale}");
        }
    }
}

/// Three clear clusters in two views, the rows of the second in another order: thirds of the rows against every third row.
fn shuffled_views() -> Workplace {
    let table = |class: fn(usize) -> usize, seed: usize| {
        // scattered, and each view in its own way
        let scatter = |i: usize, by: usize| (i * i * 31 + i * by * seed) % 97;
        let row = |i: usize| format!("{}.{:02},{}.{:02}\n", class(i) * 10, scatter(i, 7), class(i) * 5, scatter(i, 11));
        (0..90).map(row).collect::<String>()
    };
    let place = Workplace::new();
    place
        .file("a.csv", "x,y\n".to_owned() + &table(|i| i % 3, 1))
        .file("b.csv", "u,v\n".to_owned() + &table(|i| i / 30, 5));
    place
}

#[test]
fn rows_in_another_order_are_told_and_kept() {
    let place = shuffled_views();
    let record = place.json(&["cluster", "a.csv", "b.csv", "-k", "3", "--json"]);
    let told = record["warnings"].as_array().unwrap();
    let told: Vec<_> = told.iter().filter(|warning| warning["kind"] == "unrelated_view").collect();
    assert_eq!((told.len(), &told[0]["view"], &told[0]["others"]), (1, &"b".into(), &serde_json::json!(["a"])));
    let talk = place.talk(&["cluster", "a.csv", "b.csv", "-k", "3", "--method", "kmeans"]);
    let words = "views `a` and `b` agree no more than by chance: are their rows in the same order?";
    assert!(talk.contains(words), "{talk}");
    let single = place.talk(&["cluster", "a.csv", "b.csv", "-k", "3", "--method", "single", "--set", "view=a"]);
    assert!(single.starts_with("exit 0") && !single.contains("by chance"), "{single}");
}
