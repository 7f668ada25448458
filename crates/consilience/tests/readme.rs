//! The page of the repository and the page of the crate show one example, which the documentation tests run.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::Path;

/// The first block of Rust on a page.
fn example(page: &str) -> &str {
    page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap()
}

#[test]
fn both_pages_show_the_same_example() {
    let of_crate = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let of_repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    // a published crate has left its repository behind
    let Ok(repository) = std::fs::read_to_string(of_repository) else {
        eprintln!("skipped: there is no repository around this crate");
        return;
    };
    assert_eq!(example(&std::fs::read_to_string(of_crate).unwrap()), example(&repository));
}
