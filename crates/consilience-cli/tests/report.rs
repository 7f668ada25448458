//! `report` and `plot` on the real program: run folders to pages and pictures.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use common::Workplace;
use serde_json::Value;

fn text(place: &Workplace, file: &str) -> String {
    std::fs::read_to_string(place.path(file)).unwrap()
}

fn document(place: &Workplace, folder: &str) -> Value {
    serde_json::from_str(&text(place, &format!("{folder}/report.json"))).unwrap()
}

/// The two views of the workplace clustered into `folder`.
fn clustered(folder: &str, more: &[&str]) -> Workplace {
    let place = Workplace::new().with_views();
    let line = ["cluster", "a.csv", "b.csv", "-k", "3", "-o", folder];
    let output = place.run(&line.into_iter().chain(more.iter().copied()).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place
}

#[test]
fn a_report_is_the_same_with_the_run_and_after_it() {
    let place = clustered("at-once", &["--report"]);
    let page = text(&place, "at-once/report.html");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    assert!(!page.contains("http-equiv=\"refresh\"") && page.contains("Content-Security-Policy"));

    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "later"]).status.success());
    assert!(!place.path("later/report.json").exists());
    assert!(place.run(&["report", "later"]).status.success());
    let (mut first, mut second) = (document(&place, "at-once"), document(&place, "later"));
    for document in [&mut first, &mut second] {
        let run = document["run"].as_object_mut().unwrap();
        assert!(run.remove("seconds").is_some() && run.remove("peak_rss_mb").is_some());
        assert!(run.remove("origin").is_some());
        document.as_object_mut().unwrap().remove("name");
    }
    assert_eq!(first, second);
    assert_eq!(first["stability"]["share_of_samples"], 0.5);
    assert_eq!(first["verdict"]["state"], "separate");
    assert_eq!(first["verdict"]["parts"].as_array().unwrap().len(), 3);
    assert_eq!(first["views"].as_array().unwrap().len(), 2);
}

/// One number per name: terminal, page, `report.json` and `run.json` tell the same.
#[test]
fn all_places_tell_the_same_numbers() {
    let place = Workplace::new().with_views();
    let output = place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "out", "--report"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let (report, page) = (document(&place, "out"), text(&place, "out/report.html"));
    let record: Value = serde_json::from_str(&text(&place, "out/run.json")).unwrap();
    let (state, headline) = (&report["verdict"]["state"], report["verdict"]["headline"].as_str().unwrap());
    assert!(said.contains(&format!("{}: {headline}", state.as_str().unwrap())), "{said}");
    assert!(page.contains(headline));
    assert_eq!(&record["verdict"]["state"], state);
    for (told, kept) in report["clusters"].as_array().unwrap().iter().zip(record["clusters"].as_array().unwrap()) {
        for name in ["state", "stability", "touches"] {
            assert!(told[name] == kept[name] && !told[name].is_null(), "{name}: {told} {kept}");
        }
    }
    assert_eq!(report["run"]["eigenvalues"], record["eigenvalues"]);
    let readings = &record["findings"]["readings"]["stability"];
    assert_eq!((&report["stability"]["mean"], &report["stability"]["runs"]), (&readings["mean"], &readings["runs"]));
    let with_consensus = record["findings"]["agreement"]["with_consensus"]["before"].as_array().unwrap();
    for ((told, nmi), kept) in
        report["views"].as_array().unwrap().iter().zip(with_consensus).zip(record["views"].as_array().unwrap())
    {
        assert_eq!((&told["own_nmi"], &told["weight"]), (nmi, &kept["weight"]));
    }
    // a report made later puts its verdict into the run, too
    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "3", "-o", "later"]).status.success());
    let state = |place: &Workplace| {
        let record: Value = serde_json::from_str(&text(place, "later/run.json")).unwrap();
        record["verdict"]["state"].clone()
    };
    assert_eq!(state(&place), "untested");
    assert!(place.run(&["report", "later", "--resample-share", "0.6"]).status.success());
    assert_eq!(state(&place), report["verdict"]["state"]);
    assert_eq!(place.run(&["report", "later", "--resample-share", "1"]).status.code(), Some(2));
}

#[test]
fn a_report_says_where_the_run_came_from_and_what_it_cost() {
    let place = clustered("out", &["--corrupt", "0.1", "--seed", "3"]);
    assert!(place.run(&["report", "out", "--resamples", "0"]).status.success());
    let record: Value = serde_json::from_str(&text(&place, "out/run.json")).unwrap();
    let about = &document(&place, "out")["run"];
    // the run's own time and memory, not those of the report
    assert_eq!((&about["seconds"], &about["peak_rss_mb"]), (&record["seconds"], &record["peak_rss_mb"]));
    assert_eq!(about["corruption"]["fraction"], 0.1);
    let origin = &about["origin"];
    assert_eq!(origin["command"], "consilience cluster a.csv b.csv -k 3 -o out --corrupt 0.1 --seed 3");
    let files = origin["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!(files[0]["bytes"].as_u64().unwrap(), text(&place, "a.csv").len() as u64);
    assert_eq!(files[0]["sha256"].as_str().unwrap().len(), 64);
    // the agreement before the method is the record's
    assert_eq!(document(&place, "out")["agreement"]["before"], record["findings"]["agreement"]["before"]);
}

#[test]
fn two_views_alone_are_the_runs_without_the_other() {
    let place = clustered("out", &["--report"]);
    let views = document(&place, "out")["views"].as_array().unwrap().clone();
    assert_eq!(views[0]["own_nmi"], views[1]["without"]["nmi"]);
    assert_eq!(views[1]["own_nmi"], views[0]["without"]["nmi"]);
    assert_eq!(views[0]["effect"]["runs"], 5);
}

#[test]
fn markers_are_kept_and_metadata_are_joined_by_id() {
    let place = Workplace::new();
    let row = |i: usize| format!("s{i},{},{}", i % 2 * 10 + i % 3, (i * 37) % 11);
    let rows: Vec<String> = (0..40).map(row).collect();
    std::fs::write(place.path("view.csv"), format!("id,level,other\n{}\n", rows.join("\n"))).unwrap();
    let about: Vec<String> =
        (0..39).rev().map(|i| format!("{},s{i},{}", if i % 2 == 0 { "north" } else { "south" }, i)).collect();
    std::fs::write(place.path("about.csv"), format!("site,patient,age\n{}\n", about.join("\n"))).unwrap();
    let line = ["cluster", "view.csv", "-k", "2", "-o", "out", "--report", "--metadata", "about.csv"];
    let output = place.run(&line);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_str(&text(&place, "out/run.json")).unwrap();
    let clearest = &record["markers"][0];
    assert_eq!((&clearest["feature"], &clearest["view"]), (&"level".into(), &"view".into()));
    let auc = clearest["auc"].as_f64().unwrap();
    assert!(auc == 0.0 || auc == 1.0, "{clearest}");
    let metadata = document(&place, "out")["metadata"].as_array().unwrap().clone();
    assert_eq!(metadata.iter().map(|column| column["name"].as_str().unwrap()).collect::<Vec<_>>(), ["site", "age"]);
    assert!(metadata[0]["effect"].as_f64().unwrap() > 0.9, "{}", metadata[0]["effect"]);
    assert!(place.run(&["plot", "markers", "out", "-o", "m.svg"]).status.success());
    assert!(text(&place, "m.svg").contains("view: level"));

    std::fs::write(place.path("wrong.csv"), "site,patient\nnorth,x1\n").unwrap();
    let refused = place.run(&["report", "out", "--metadata", "wrong.csv"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("holds the samples' ids, such as `s0`"), "{said}");
}

#[test]
fn a_document_is_kept_until_other_runs_are_asked_for() {
    let place = clustered("out", &["--report"]);
    std::fs::remove_file(place.path("a.csv")).unwrap();
    assert!(place.run(&["report", "out", "-o", "kept.html"]).status.success());
    // the files are gone: nothing can be made again
    let output = place.run(&["report", "out", "--resamples", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("a.csv"));
}

#[test]
fn files_that_have_changed_are_noticed() {
    let place = clustered("out", &[]);
    // the same samples in another order
    for file in ["a.csv", "b.csv"] {
        let table = text(&place, file);
        let (head, rows) = table.split_once('\n').unwrap();
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.sort_by_key(|row| row.split(',').next().unwrap().parse::<f64>().unwrap().round() as i64);
        place.file(file, format!("{head}\n{}\n", rows.join("\n")));
    }
    let output = place.run(&["report", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("gives other labels now"));
}

#[test]
fn several_runs_become_a_comparison() {
    let place = clustered("one", &[]);
    assert!(place.run(&["cluster", "a.csv", "b.csv", "-k", "2", "--method", "kmeans", "-o", "two"]).status.success());
    assert!(place.run(&["report", "one", "two"]).status.success());
    let page = text(&place, "comparison.html");
    assert!(page.contains("\"name\":\"one\"") && page.contains("\"name\":\"two\""));
}

#[test]
fn runs_of_other_samples_are_not_compared() {
    let place = Workplace::new();
    let view = |from: usize| {
        let rows: Vec<String> = (from..from + 40).map(|i| format!("s{i},{},{}", i % 2 * 10 + i % 3, i % 7)).collect();
        format!("id,level,other\n{}\n", rows.join("\n"))
    };
    for (name, from) in [("first", 0), ("shifted", 10), ("others", 100)] {
        place.file(&format!("{name}.csv"), view(from));
        let line = ["cluster", &format!("{name}.csv"), "-k", "2", "-o", name];
        assert!(place.run(&line).status.success());
    }
    let compared = |others: &str| {
        let output = place.run(&["report", "first", others, "--resamples", "0", "--force", "-o", "both.html"]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = compared("others");
    assert!(code == Some(2) && said.contains("no samples in common (40 and 40 samples)"), "{said}");
    assert!(!place.path("both.html").exists() && !place.path("first/report.json").exists());
    let (code, said) = compared("shifted");
    assert!(code == Some(0) && said.contains("30 samples in common, of 40 and 40"), "{said}");
    // every setting is there to be compared, also those without a field of their own
    assert_eq!(document(&place, "first")["run"]["other_settings"]["restarts"], 10);
}

#[test]
fn every_picture_as_svg_and_png() {
    let place = clustered("out", &["--truth", "truth.txt"]);
    for picture in ["affinity", "embedding", "convergence", "agreement", "confusion"] {
        for kind in ["svg", "png"] {
            let file = format!("{picture}.{kind}");
            let output = place.run(&["plot", picture, "out", "-o", &file]);
            assert!(output.status.success(), "{picture}: {}", String::from_utf8_lossy(&output.stderr));
            let bytes = std::fs::read(place.path(&file)).unwrap();
            let start: &[u8] = if kind == "svg" { b"<svg" } else { b"\x89PNG" };
            assert!(bytes.starts_with(start) && bytes.len() > 500, "{file}");
        }
    }
}

/// A cluster has one colour, on the page and in pictures: up to eight from one list, more from another.
#[test]
fn pictures_have_the_colours_of_the_page() {
    for (k, palette, colours) in [("8", "OKABE_ITO", 8), ("10", "PETROFF", 10)] {
        let place = Workplace::new().with_views();
        let line = ["cluster", "a.csv", "b.csv", "-k", k, "--method", "kmeans", "-o", "out", "--report"];
        assert!(place.run(&line).status.success());
        assert!(place.run(&["plot", "embedding", "out", "-o", "e.svg"]).status.success());
        let (page, picture) = (text(&place, "out/report.html"), text(&place, "e.svg"));
        let list = page.split_once(&format!("const {palette} = [")).unwrap().1.split_once(']').unwrap().0;
        let list: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(list.len(), colours);
        let missing: Vec<&&str> =
            list.iter().filter(|colour| !picture.contains(&format!("fill=\"{colour}\""))).collect();
        assert!(missing.is_empty(), "{palette}: {missing:?}");
    }
}

#[test]
fn pictures_that_cannot_be_are_refused_with_a_reason() {
    let place = clustered("out", &["--method", "average"]);
    let refused = |line: &[&str]| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&["plot", "confusion", "out", "-o", "c.svg"]).contains("--truth FILE"));
    assert!(refused(&["plot", "convergence", "out", "-o", "c.svg"]).contains("does not iterate"));
    assert!(refused(&["plot", "affinity", "out", "-o", "c.gif"]).contains("neither .svg nor .png"));
    assert!(refused(&["report", "nowhere"]).contains("run.json"));
    assert!(refused(&["cluster", "a.csv", "-k", "2", "--report"]).contains("--output"));
}

#[test]
fn degenerate_runs_have_reports_too() {
    let place = Workplace::new().with_views();
    for (folder, line) in [("one", ["a.csv", "-k", "1"]), ("all", ["a.csv", "-k", "30"])] {
        let line: Vec<&str> = ["cluster"].into_iter().chain(line).chain(["-o", folder, "--report"]).collect();
        let output = place.run(&line);
        assert!(output.status.success(), "{folder}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(place.path(folder).join("report.html").is_file());
    }
}

/// A table of 120 samples in three groups: uniform noise about the place of each group.
fn table(place: &Workplace, file: &str, group_at: impl Fn(usize) -> f64, seed: u64) {
    let mut state = seed;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut row = |i: usize| (0..3).map(|_| (group_at(i % 3) + noise()).to_string()).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..120).map(&mut row).collect();
    std::fs::write(place.path(file), format!("x,y,z\n{}\n", rows.join("\n"))).unwrap();
}

#[test]
fn a_chosen_number_of_clusters_is_kept_reported_and_drawn() {
    let place = Workplace::new();
    // three groups, in other places in the other view
    table(&place, "a.csv", |group| 20.0 * group as f64, 1);
    table(&place, "b.csv", |group| [30.0, 0.0, 60.0][group], 2);
    let output = place.run(&["cluster", "a.csv", "b.csv", "-k", "2-6", "-o", "out"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("chosen k = 3: Halves of the samples"), "{said}");
    let record: Value = serde_json::from_str(&text(&place, "out/run.json")).unwrap();
    assert_eq!((&record["k"], &record["choice"]["asked"]), (&3.into(), &"2-6".into()));
    assert_eq!(record["choice"]["curves"].as_array().unwrap().len(), 5);
    assert_eq!(record["choice"]["candidates"][0]["k"], 3);

    // the report makes the fit again, not the choice
    assert!(place.run(&["report", "out", "--resamples", "0"]).status.success());
    assert_eq!(document(&place, "out")["choice"], record["choice"]);
    assert!(place.run(&["plot", "k", "out", "-o", "k.svg"]).status.success());
    let drawn = text(&place, "k.svg");
    assert!(drawn.contains("3 clusters") && drawn.contains("views agree") && drawn.contains("number of clusters"));
}

#[test]
fn a_given_number_of_clusters_has_no_curve_to_draw() {
    let place = clustered("out", &["--report"]);
    let output = place.run(&["plot", "k", "out", "-o", "k.svg"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && said.contains("given, not chosen") && said.contains("-k auto"),
        "{said}"
    );
}

#[test]
fn no_structure_is_said_and_is_one_cluster() {
    let place = Workplace::new();
    table(&place, "noise.csv", |_| 0.0, 1);
    let output = place.run(&["cluster", "noise.csv", "-k", "auto", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("warning: no structure found"), "{said}");
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(record["k"] == 1 && record["choice"]["objection"].is_string());
    assert!(record["labels"].as_array().unwrap().iter().all(|label| label == 0));
    assert_eq!(record["warnings"][0]["kind"], "no_structure");

    let refused = place.run(&["cluster", "noise.csv", "-k", "2-60"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("let the range end at 30 or before"), "{said}");
}
