//! What the library and the readers say is shown by the program, by Python and by pages: none of it may be in the words of one
//! of them. Hints name the options, and each of them words hints.
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

/// Whether a line of Rust names a flag or a command of the program: outside strings and comments nothing looks like one.
fn names_a_flag(line: &str) -> bool {
    let code = line.split("// ").next().unwrap_or_default().trim_start();
    let long = |(at, _): (usize, &str)| code[at + 2..].starts_with(|c: char| c.is_ascii_lowercase());
    !code.starts_with("//")
        && (code.match_indices("--").any(long)
            || [" -k ", "`-k ", "\"-k ", " -o "].iter().any(|flag| code.contains(flag))
            || code.contains("`consilience "))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_string_names_a_flag_of_the_command_line() {
    let (here, mut files) = (Path::new(env!("CARGO_MANIFEST_DIR")), Vec::new());
    sources(&here.join("src"), &mut files);
    sources(&here.join("../consilience/src"), &mut files);
    assert!(files.len() > 100, "only {} sources found", files.len());
    let wrong = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().filter(|line| names_a_flag(line)).map(str::trim);
        lines.map(|line| format!("{}: {line}", file.display())).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = files.iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "make them a `Hint`, worded by program and Python in hints.rs:\n{}", wrong.join("\n"));
}

#[test]
fn flags_are_found_in_strings_and_only_there() {
    let lines = [
        ("say(\"with --join inner\"); // why", true),
        ("\"say `-k auto`\"", true),
        ("\"`consilience inspect` shows them\"", true),
        ("/// as `--join` says", false),
        ("let x = a - -b; // --join", false),
        ("\"a -- b, x-k\"", false),
    ];
    for (line, flag) in lines {
        assert_eq!(names_a_flag(line), flag, "{line}");
    }
}
