//! Every number that the repository's pages take from results is the number that the committed results give.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

#[test]
fn pages_are_what_the_committed_results_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_consilience"))
        .args(["reproduction", "--check"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Scores (`94.0 / 88.8`) in pages stand in results blocks: typed ones grow old unseen.
#[test]
fn no_page_has_a_score_that_was_typed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = consilience_experiments::blocks::pages(&[root.join("README.md"), root.join("docs")]).unwrap();
    assert!(pages.len() > 10);
    for page in pages.iter().filter(|page| !page.ends_with("reproduction.md")) {
        let text = std::fs::read_to_string(page).unwrap();
        let typed = typed_scores(&text);
        assert!(typed.is_empty(), "{}: {typed:?} belong in results blocks (docs/experiments.md)", page.display());
    }
}

#[test]
fn typed_scores_are_seen() {
    assert_eq!(typed_scores("a <!-- results: value x -->94.0 / 88.8<!-- end --> b 1 / 2 and 3.5 / n"), [""; 0]);
    assert_eq!(typed_scores("digits: 94.0 / 88.8, then\n```\n1.0 / 2.0\n```"), ["94.0 / 88.8"]);
}

/// `x.y / x.y` outside of results blocks and fenced code.
fn typed_scores(text: &str) -> Vec<String> {
    let mut own = String::new();
    for (at, part) in text.split("<!-- results: ").enumerate() {
        own += if at == 0 { part } else { part.split_once("<!-- end -->").map_or("", |(_, rest)| rest) };
    }
    let unfenced = own.split("```").step_by(2);
    let decimal = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let found = unfenced.flat_map(|part| {
        let words: Vec<&str> =
            part.split_whitespace().map(|word| word.trim_matches([',', '(', ')', ';', ':', '*', '`', '.'])).collect();
        let pairs = words.windows(3).filter(|three| decimal(three[0]) && three[1] == "/" && decimal(three[2]));
        pairs.map(|three| three.join(" ")).collect::<Vec<_>>()
    });
    found.collect()
}
