//! What the library and the readers say is shown by the program, by Python and by pages: none of it may be in the words of one
//! of them. Options are named by hints, which each of them words.
// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

/// The string literals of a Rust source, as they are written, without comments.
fn literals(source: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['/', '"', '\'']) {
        let before = rest[..at].trim_end_matches('#');
        let (hashes, raw) = (rest[..at].len() - before.len(), before.ends_with('r'));
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, next)| next);
        } else if rest.starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let mut end = 1;
            while !rest[end..].starts_with(&close) {
                let escape = !raw && rest[end..].starts_with('\\');
                end += rest[end..].chars().take(1 + usize::from(escape)).map(char::len_utf8).sum::<usize>();
            }
            found.push(rest[1..end].to_owned());
            rest = &rest[end + close.len()..];
        } else {
            // a quotation mark may be a character, too
            rest = ["'\"'", "'\\\"'", "'\\''", "'/'"]
                .iter()
                .find_map(|quoted| rest.strip_prefix(quoted))
                .unwrap_or(&rest[1..]);
        }
    }
    found
}

fn names_a_flag(text: &str) -> bool {
    let is_long =
        |word: &str| word.strip_prefix("--").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    let words = |text: &str| {
        text.split(|c: char| c.is_whitespace() || "`\"\\(,;".contains(c)).map(str::to_owned).collect::<Vec<_>>()
    };
    words(text).iter().any(|word| is_long(word) || ["-k", "-o"].contains(&word.as_str()))
        || text.contains("`consilience ")
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
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&here.join("src"), &mut files);
    sources(&here.join("../consilience/src"), &mut files);
    assert!(files.len() > 100, "only {} sources found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let texts = literals(&std::fs::read_to_string(&file).unwrap());
        wrong.extend(
            texts.into_iter().filter(|text| names_a_flag(text)).map(|text| format!("{}: {text}", file.display())),
        );
    }
    assert!(
        wrong.is_empty(),
        "these belong into a `Hint`, worded in hints.rs of program and Python:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn flags_are_found_in_strings_and_only_there() {
    let source = r##"
        // "--comment"
        let a = '"'; let b = "say \"--join inner\""; /// --doc
        let c = r#"a "--raw" one"#; let d = "-k auto"; let e = "a -- b, x-k"; let life: &'a str = "--landmarks";
    "##;
    let found = literals(source);
    assert_eq!(found.len(), 5, "{found:?}");
    let flags: Vec<bool> = found.iter().map(|text| names_a_flag(text)).collect();
    assert_eq!(flags, [true, true, true, false, true], "{found:?}");
}
