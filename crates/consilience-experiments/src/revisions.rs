//! Results of older code: which they are, and that they are never mixed with newer ones.
//!
//! A file of results is of one code: one revision of what methods share, one of each method. Such a file may grow old as a
//! whole, or one method of it; it is still shown then, and every page says so. A file that mixes revisions is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use consilience::MethodInfo;
use consilience::method::Revision;

use crate::rows::{Row, Status};
use crate::store::Entries;

/// Results of one method that were made by other code than this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The method's id.
    pub method: String,
    /// The code that made them.
    pub made: Revision,
    /// The code of this program.
    pub now: Revision,
    /// How many they are.
    pub results: usize,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}` (revision {}, now {})", self.results, self.method, self.made, self.now)
    }
}

/// Several of them in a sentence.
pub fn listed(stale: &[Stale]) -> String {
    stale.iter().map(Stale::to_string).collect::<Vec<_>>().join(", ")
}

/// The results in short that are stale, by method.
pub fn stale_rows(rows: &[Row]) -> Vec<Stale> {
    stale(made(rows))
}

/// The results of a bench's folder that are stale, by method.
pub fn stale_entries(entries: &Entries) -> Vec<Stale> {
    stale(entries.iter().map(|entry| (entry.settings().method.info().id, entry.revision)))
}

/// What is mixed in results that should be of one code; nothing when they are.
pub fn mixture(rows: &[Row]) -> Option<String> {
    let mut revisions: BTreeMap<&str, BTreeSet<Revision>> = BTreeMap::new();
    made(rows).for_each(|(method, revision)| _ = revisions.entry(method).or_default().insert(revision));
    let words = |(method, of): (&str, &BTreeSet<Revision>)| {
        let of: Vec<String> = of.iter().map(Revision::to_string).collect();
        format!("`{method}` of revision {}", of.join(" and "))
    };
    if let Some((method, of)) = revisions.iter().find(|(_, of)| of.len() > 1) {
        return Some(words((method, of)));
    }
    // now each method has one: two methods may still differ in what they share
    let mut engines = revisions.iter().filter_map(|(method, of)| Some((method, of, of.first()?.engine)));
    let (method, of, engine) = engines.next()?;
    let (other, others, _) = engines.find(|(_, _, another)| *another != engine)?;
    Some(format!("{} and {}", words((method, of)), words((other, others))))
}

/// Method and code of every run that was made; a line that does not say its code is of revision 0.0.
fn made(rows: &[Row]) -> impl Iterator<Item = (&str, Revision)> {
    let tried = rows.iter().filter(|row| matches!(row.status, Status::Done | Status::Failed));
    tried.map(|row| (row.method.as_str(), row.revision.unwrap_or_default()))
}

fn stale<'a>(made: impl Iterator<Item = (&'a str, Revision)>) -> Vec<Stale> {
    let mut counts: BTreeMap<(&str, Revision), usize> = BTreeMap::new();
    made.for_each(|run| *counts.entry(run).or_default() += 1);
    let judged = counts.into_iter().filter_map(|((method, made), results)| {
        // results outlive methods: of one that is gone there is nothing newer
        let now = MethodInfo::named(method).ok()?.code();
        (made != now).then(|| Stale { method: method.to_owned(), made, now, results })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use consilience::method::ENGINE_REVISION;

    use super::*;

    fn row(method: &str, engine: u32, of_method: u32) -> Row {
        let revision = Some(Revision { engine, method: of_method });
        Row { method: method.to_owned(), status: Status::Done, revision, ..Row::default() }
    }

    #[test]
    fn what_is_of_other_code_is_counted() {
        let now = MethodInfo::named("mfmsc").unwrap().code();
        let rows = [
            row("mfmsc", now.engine, now.method),
            row("mfmsc", now.engine, now.method + 1),
            row("mfmsc", now.engine, now.method + 1),
            row("average", 0, 0),
            row("a method that is gone", 9, 9),
            Row { status: Status::Absent, method: "snf".to_owned(), ..Row::default() },
            Row { status: Status::Failed, method: "snf".to_owned(), ..Row::default() },
        ];
        let found = stale_rows(&rows);
        let short: Vec<(&str, usize)> = found.iter().map(|stale| (stale.method.as_str(), stale.results)).collect();
        assert_eq!(short, [("average", 1), ("mfmsc", 2), ("snf", 1)]);
        assert!(listed(&found).starts_with("1 of `average` (revision 0.0, now "), "{}", listed(&found));
        assert!(stale_rows(&rows[..1]).is_empty());
    }

    #[test]
    fn a_file_is_of_one_code() {
        let old = ENGINE_REVISION + 1;
        // old as a whole, or one method of it: not mixed
        assert_eq!(mixture(&[row("mfmsc", old, 1), row("average", old, 3), row("mfmsc", old, 1)]), None);
        let twice = mixture(&[row("mfmsc", 1, 1), row("average", 1, 1), row("mfmsc", 1, 2)]);
        assert_eq!(twice.as_deref(), Some("`mfmsc` of revision 1.1 and 1.2"));
        let shared = mixture(&[row("mfmsc", 1, 1), row("average", 2, 1)]);
        assert_eq!(shared.as_deref(), Some("`average` of revision 2.1 and `mfmsc` of revision 1.1"));
    }
}
