//! Dependencies point one way: no circle among the top-level modules of any crate of the workspace, through `crate::` or `super::`.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The sources of a crate, by their path below `src`.
type Sources = BTreeMap<PathBuf, String>;

#[test]
fn no_crate_has_a_circle_of_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["crates", "examples", "r/src"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let crates: Vec<PathBuf> = folders.into_iter().flatten().map(|entry| entry.unwrap().path().join("src")).collect();
    let mut seen = 0;
    for source in crates.iter().filter(|source| source.is_dir()) {
        let name = source.parent().unwrap().file_name().unwrap().to_string_lossy();
        let mut sources = Sources::new();
        gather(source, source, &mut sources);
        assert!(!sources.is_empty(), "{name} has no source");
        let circle = circle(&sources);
        assert!(circle.is_empty(), "modules of {name} depend on themselves: {circle:?}");
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} crates were found");
}

#[test]
fn circles_are_found_however_they_are_written() {
    let of = |files: &[(&str, &str)]| {
        circle(&files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect())
    };
    let root = ("main.rs", "mod a;\nmod b;\nmod c;\npub use b::{Item, other as Renamed};");
    let leaf = ("b.rs", "// crate::a\nfn f() {}\n#[cfg(test)]\nmod tests {\n use crate::a;\n}");
    for a in ["use crate::b::f;", "use crate::{c, b};", "use super::b;", "fn f() { crate::Item::g() }"] {
        assert_eq!(of(&[root, ("a.rs", a), leaf]), [""; 0], "{a}");
        assert_eq!(of(&[root, ("a.rs", a), ("b/mod.rs", "use crate::{c::{d}, a::e};"), ("c.rs", "")]), ["a", "b"]);
        assert_eq!(of(&[root, ("a.rs", a), ("b.rs", "mod d;"), ("b/d.rs", "use super::super::a;")]), ["a", "b"]);
    }
    assert_eq!(of(&[root, ("a.rs", "use crate::{c::{b}};"), ("b.rs", "use super::a;"), ("c.rs", "")]), [""; 0]);
    assert_eq!(of(&[root, ("a.rs", "use crate::c;"), ("c.rs", "use crate::b;"), ("b.rs", "use crate::a;")]).len(), 3);
}

/// Every source below `folder`, without files of tests.
fn gather(root: &Path, folder: &Path, sources: &mut Sources) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            sources.insert(path.strip_prefix(root).unwrap().to_owned(), text);
        }
    }
}

/// The modules that depend on themselves by way of others.
fn circle(sources: &Sources) -> Vec<String> {
    let is_root = |path: &Path| path == Path::new("lib.rs") || path == Path::new("main.rs");
    let modules: BTreeSet<String> =
        sources.keys().filter(|path| !is_root(path)).map(|path| module(path)[0].clone()).collect();
    let mut exported = BTreeMap::new();
    for text in sources.iter().filter(|(path, _)| is_root(path)).map(|(_, text)| code(text)) {
        for used in text.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
            let (home, names) = used.split_once("::").unwrap_or((used, ""));
            exported.extend(words(names).map(|name| (name.to_owned(), home.to_owned())));
        }
    }
    let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources.iter().filter(|(path, _)| !is_root(path)) {
        let place = module(path);
        if place.iter().any(|part| part == "tests") {
            continue;
        }
        let to_root = "super::".repeat(place.len());
        let text = code(text).replace(&to_root, "crate::");
        let named = named_in_crate(&text).into_iter().map(|name| exported.get(&name).cloned().unwrap_or(name));
        let used = named.filter(|name| modules.contains(name) && *name != place[0]);
        below.entry(place[0].clone()).or_default().extend(used);
    }
    modules.into_iter().filter(|module| reached(module, &below).contains(module)).collect()
}

/// The path of the module that a file is.
fn module(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
    if parts.len() > 1 && parts.last().is_some_and(|part| part == "mod") {
        parts.pop();
    }
    parts
}

/// A source without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The first names of all paths that begin with `crate::`.
fn named_in_crate(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in text.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => names.extend(words(rest).next().map(str::to_owned)),
            Some(group) => names.extend(heads(group)),
        }
    }
    names
}

/// The first name of each part of a group, up to the brace that ends it.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            letter if depth == 0 => parts.last_mut().unwrap().push(letter),
            _ => {}
        }
    }
    parts.iter().filter_map(|part| words(part).next()).map(str::to_owned).collect()
}

fn reached<'a>(from: &str, below: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for next in below.get(module).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}
