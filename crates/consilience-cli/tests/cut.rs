//! `consilience cut`: fewer clusters of a finished run, on the real program.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod common;

use common::Workplace;

/// Six groups on a line, two by two near each other.
fn run() -> Workplace {
    let place = Workplace::new();
    let row = |i: usize| {
        let group = i % 6;
        let centre = (group / 2 * 60 + group % 2 * 9) as f64;
        format!("s{i},{:.2},{:.2}\n", centre + (i * 7 % 10) as f64 / 5.0, centre / 2.0 - (i * 3 % 7) as f64 / 5.0)
    };
    let rows: String = (0..120).map(row).collect();
    place.file("a.csv", format!("sample,x,y\n{rows}"));
    assert!(place.run(&["cluster", "a.csv", "-k", "6", "-o", "out"]).status.success());
    place
}

fn labels(table: &str) -> Vec<usize> {
    table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect()
}

#[test]
fn clusters_join_two_by_two() {
    let place = run();
    let output = place.run(&["cut", "out", "-k", "3"]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("sample,label,confidence\ns0,0,"), "{table}");
    // groups 0 and 1, 2 and 3, 4 and 5
    let expected: Vec<usize> = (0..120).map(|i| i % 6 / 2).collect();
    assert_eq!(labels(&table), expected);

    assert!(place.run(&["cut", "out", "-k", "3", "-o", "three"]).status.success());
    assert_eq!(std::fs::read_to_string(place.path("three/labels.csv")).unwrap(), table);
    let shares = std::fs::read(place.path("three/memberships.npy")).unwrap();
    assert!(shares.windows(8).any(|bytes| bytes == b"(120, 3,") || shares.windows(7).any(|bytes| bytes == b"(120,3,"));
    let again = place.run(&["cut", "out", "-k", "2", "-o", "three"]);
    assert!(
        again.status.code() == Some(2)
            && labels(&std::fs::read_to_string(place.path("three/labels.csv")).unwrap()) == expected
    );
    assert!(place.run(&["cut", "out", "-k", "2", "-o", "three", "--force"]).status.success());

    assert!(place.run(&["plot", "tree", "out", "-o", "tree.svg"]).status.success());
    assert!(std::fs::read_to_string(place.path("tree.svg")).unwrap().contains("cluster 5 (20)"));
}

#[test]
fn clusters_split_when_that_was_asked_for() {
    let place = run();
    assert!(place.run(&["cluster", "a.csv", "-k", "4", "-o", "coarse", "--splits"]).status.success());
    let output = place.run(&["cut", "coarse", "-k", "6"]);
    let table = String::from_utf8(output.stdout).unwrap();
    // nothing is known of memberships in the parts
    assert!(table.starts_with("sample,label\n"), "{table}");
    let pairs: std::collections::BTreeSet<(usize, usize)> =
        labels(&table).into_iter().enumerate().map(|(i, label)| (i % 6, label)).collect();
    assert_eq!(pairs.len(), 6, "every group is a cluster: {pairs:?}");
    let labels_of = |k: &str| labels(&String::from_utf8(place.run(&["cut", "coarse", "-k", k]).stdout).unwrap());
    assert_eq!(labels_of("2").into_iter().max(), Some(1));
    assert_eq!(place.run(&["cut", "coarse", "-k", "9"]).status.code(), Some(2), "each cluster splits in two at most");
}

#[test]
fn a_run_is_not_cut_into_more_clusters_nor_into_itself() {
    let place = run();
    let words = |line: &[&str]| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let refused = words(&["cut", "out", "-k", "7"]);
    assert!(refused.contains("the run has 6 clusters; it does not say how they would split"), "{refused}");
    assert!(refused.contains("hint: make the run again with `cluster --splits`"), "{refused}");
    let before = std::fs::read(place.path("out/labels.csv")).unwrap();
    assert!(words(&["cut", "out", "-k", "3", "-o", "out", "--force"]).contains("is a part of the run"));
    assert_eq!(std::fs::read(place.path("out/labels.csv")).unwrap(), before);
    assert!(words(&["cut", "nothing", "-k", "3"]).contains("nothing"));
}
