//! Many samples: made up, clustered by landmarks from memory and a piece at a time, reported.
#![cfg(unix)]
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Workplace, shell, words};

#[test]
fn samples_are_made_up_and_clustered_by_landmarks() {
    let place = Workplace::new();
    let made = shell(&place, "consilience synthesize data -n 3000 -k 4 --features 10,15 --counts 200 --separation 8");
    assert!(made.status.success(), "{}", words(&made.stderr));
    assert!(words(&made.stderr).contains("view1.npy, view2.npy, view3.npz, labels.npy"), "{}", words(&made.stderr));
    let again = shell(&place, "consilience synthesize data -n 3000");
    assert_eq!(again.status.code(), Some(2));
    assert!(words(&again.stderr).contains("exists and would be replaced"), "{}", words(&again.stderr));

    let run = "consilience cluster data/view*.np? --truth data/labels.npy -k 4 --landmarks 400 -o run --report";
    let run = shell(&place, run);
    assert!(run.status.success(), "{}", words(&run.stderr));
    assert!(words(&run.stderr).contains("by landmarks: 400 samples clustered in full"), "{}", words(&run.stderr));
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("run/run.json")).unwrap()).unwrap();
    assert_eq!((&record["by_landmarks"]["count"], &record["n"]), (&400.into(), &3000.into()));
    assert!(record["scores"]["nmi"].as_f64().unwrap() > 0.95, "{}", record["scores"]);
    let labels = std::fs::read_to_string(place.path("run/labels.csv")).unwrap();
    assert_eq!(labels.lines().count(), 3001);
    let report = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(report.contains("400 of 3000 samples were clustered in full"));
    // the same labels for samples that are predicted, and a report that is made again
    let same = "consilience predict run data/view*.np? -o again.csv && cut -d, -f1,2 again.csv > again && cut -d, -f1,2 run/labels.csv | diff - again";
    let same = shell(&place, same);
    assert!(same.status.success(), "{}", words(&same.stdout));
    let made_again = shell(&place, "rm run/report.json && consilience report run");
    assert!(made_again.status.success(), "{}", words(&made_again.stderr));

    let wrong = shell(&place, "consilience cluster data/view1.npy -k 4 --landmarks few");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(words(&wrong.stderr).contains("is no number of landmarks"), "{}", words(&wrong.stderr));
}

/// How a run would be made is said without making it, and memory that is given decides.
#[test]
fn a_plan_is_told_and_kept_to() {
    let place = Workplace::new();
    let made = shell(&place, "consilience synthesize data -n 45000 -k 3 --features 60,60 --separation 9");
    assert!(made.status.success(), "{}", words(&made.stderr));
    let run = |options: &str| shell(&place, &format!("consilience cluster data/view*.npy -k 3 {options}"));
    let told = words(&run("--plan --threads 2").stdout);
    let expected = "plan: 45000 samples, all compared with each other: about ";
    assert!(told.starts_with(expected) && told.ends_with(" s on 2 threads\n"), "{told}");
    let plan = |options: &str| -> serde_json::Value {
        serde_json::from_slice(&run(&format!("--plan --json {options}")).stdout).unwrap()
    };
    let exact = plan("--threads 2");
    assert_eq!(exact["way"], "exact");
    assert_eq!(plan("--landmarks 1000")["way"], "landmarks");
    // a little less than all samples take
    let memory = format!("--memory {}M", exact["memory"].as_f64().unwrap() / 1e6 - 1.0);
    let kept = run(&format!("{memory} -o run"));
    assert!(kept.status.success(), "{}", words(&kept.stderr));
    let said = words(&kept.stderr);
    assert!(said.contains("plan: 45000 samples, by landmarks") && said.contains("by landmarks: "), "{said}");
    let refused = run(&format!("{memory} --landmarks off"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(words(&refused.stderr).contains("cluster by landmarks: --landmarks auto"), "{}", words(&refused.stderr));
    for wrong in ["few", "1K", "-3G", "3X", ""] {
        assert_eq!(run(&format!("--memory '{wrong}'")).status.code(), Some(2), "{wrong}");
    }
}

/// Files of 68 MB in all are not held in memory, and give what they give in memory.
#[test]
fn large_files_are_read_a_piece_at_a_time() {
    let place = Workplace::new();
    let made = "consilience synthesize data -n 100000 -k 3 --features 110,60 --separation 9 --seed 2";
    assert!(shell(&place, made).status.success());
    let run = |files: &str, out: &str| {
        let common = "--method average -k 3 --landmarks 300 --truth data/labels.npy";
        let run = shell(&place, &format!("consilience cluster {files} {common} -o {out}"));
        assert!(run.status.success(), "{}", words(&run.stderr));
        let record = std::fs::read(place.path(&format!("{out}/run.json"))).unwrap();
        serde_json::from_slice::<serde_json::Value>(&record).unwrap()
    };
    let streamed = run("data/view1.npy data/view2.npy", "streamed");
    // missing values are one of the things for which files are read whole
    let whole = run("data/view1.npy data/view2.npy --missing impute", "whole");
    assert_eq!(streamed["labels"], whole["labels"]);
    let chosen = run("data/view2.npy data/view1.npy --views view1,view2", "chosen");
    assert_eq!((&streamed["labels"], &streamed["views"]), (&chosen["labels"], &chosen["views"]));
    assert!(streamed["scores"]["nmi"].as_f64().unwrap() > 0.9, "{}", streamed["scores"]);
    let memory = |record: &serde_json::Value| record["peak_rss_mb"].as_f64().unwrap();
    for streamed in [&streamed, &chosen] {
        assert!(memory(streamed) < memory(&whole), "{} and {} MB", memory(streamed), memory(&whole));
    }
}
