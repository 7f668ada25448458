//! Class labels of any kind, as numbers 0..c with names, and what labels are called in files.
//!
//! Labels are matched to samples by id where both sides have ids, by the order of the rows otherwise.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use consilience::{Error, Result};

use super::join::{Alignment, Join, JoinFile, Joined, join};
use super::{Labelled, Note};

/// The names under which labels are customarily kept, in the order in which they are believed.
pub(super) const LABEL_NAMES: [&str; 7] = ["labels", "y", "Y", "gt", "gnd", "truth", "label"];

/// Whether an array of this name holds labels. Letters count: `gt` does, `GT` may be a view.
pub(super) fn is_label_name(name: &str) -> bool {
    LABEL_NAMES.contains(&name)
}

/// A whole number in one way of writing: `3.0` is `3`, `-0` is `0`. Digits are not parsed, so that none is lost; anything
/// else stays as it is.
pub(super) fn plain_number(text: &str) -> &str {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) => return text,
        None => text,
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    match digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() {
        true if digits.bytes().all(|b| b == b'0') => "0",
        true => whole,
        false => text,
    }
}

/// One label per sample. Labels are for scoring: nothing that clusters takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Labels {
    /// Labels from their names. Classes are numbered in the order of their names; numbers in numeric order. Names are
    /// compared as they are written, digit by digit: whole numbers of any length stay apart, and only `3.0` is also `3`.
    pub fn from_names<S: AsRef<str>>(labels: &[S]) -> Self {
        // numbers that f64 cannot tell apart have as many digits, and so their order as text
        let key = |name: &str| {
            let name = plain_number(name);
            (name.parse::<f64>().map_or(u64::MAX, order_of), name.to_owned())
        };
        let mut classes: BTreeMap<_, u32> = labels.iter().map(|name| (key(name.as_ref()), 0)).collect();
        for (code, class) in classes.values_mut().enumerate() {
            *class = code as u32;
        }
        let codes = labels.iter().map(|name| classes[&key(name.as_ref())]).collect();
        Self { codes, names: classes.into_keys().map(|(_, name)| name).collect() }
    }

    /// The labels of some of the samples, in the order of `rows`; classes that none of them has are gone.
    ///
    /// # Errors
    /// When a row lies outside.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        let name = |&row: &usize| self.codes.get(row).map(|&code| self.names[code as usize].as_str());
        let names: Option<Vec<&str>> = rows.iter().map(name).collect();
        let outside = || Error::data(format!("a choice among {} labels lies outside", self.len()));
        Ok(Self::from_names(&names.ok_or_else(outside)?))
    }

    /// Labels from numbers; none when one of them is missing.
    pub fn from_numbers(labels: &[f64]) -> Option<Self> {
        // `+ 0.0` so that -0 and 0 are one class
        let names: Vec<String> = labels.iter().map(|label| (label + 0.0).to_string()).collect();
        labels.iter().all(|label| !label.is_nan()).then(|| Self::from_names(&names))
    }

    /// The class of every sample, 0..c.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The name of every class.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }
}

/// A number's place in the order of numbers, as an integer that a map can sort by.
fn order_of(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_sign_negative() { !bits } else { bits | (1 << 63) }
}

/// Known classes, and where they came from.
#[derive(Debug, Clone)]
pub struct Truth {
    /// The class of every sample.
    pub labels: Labels,
    /// The file.
    pub source: PathBuf,
    /// Found beside the views, not named by the user.
    pub found: bool,
}

/// The samples that labels are wanted for.
pub(super) struct Unlabelled<'a> {
    pub(super) ids: Option<&'a [String]>,
    pub(super) count: usize,
    /// Rows of the first file were moved or left out: labels without ids would not fit.
    pub(super) changed: bool,
}

impl Unlabelled<'_> {
    /// The labels of these samples among those of the file called `name`, which may have more.
    pub(super) fn labels(&self, name: &str, labelled: &Labelled, notes: &mut Vec<Note>) -> Result<Labels> {
        let theirs = labelled.ids.as_deref();
        let own: Option<Vec<String>> = self.ids.map(<[String]>::to_vec).or_else(|| numbers_like(theirs?, self.count));
        let (Some(own), Some(theirs)) = (own, theirs) else { return self.by_position(name, labelled) };
        let part = |name, ids| JoinFile { name, ids: Some(ids), columns: None };
        let parts = [part(Note::VIEWS, &own), part(name, theirs)];
        let known: HashSet<&str> = theirs.iter().map(String::as_str).collect();
        let absent: Vec<&String> = own.iter().filter(|id| !known.contains(id.as_str())).collect();
        // equal sets, or numbers that only count rows
        let found = match join(&parts, Join::Strict) {
            Ok(found) => found,
            Err(error) if known.len() < theirs.len() => return Err(error),
            Err(_) if absent.is_empty() => {
                notes.push(Note::UnusedLabels { file: name.to_owned(), unused: theirs.len() - own.len() });
                join(&parts, Join::Inner)?
            }
            Err(_) => return Err(no_label(name, own.len(), &absent)),
        };
        notes.extend(found.notes.iter().filter(|note| !matches!(note, Note::Dropped { .. })).cloned());
        aligned(&labelled.labels, &found, &parts, 1)
    }

    fn by_position(&self, name: &str, labelled: &Labelled) -> Result<Labels> {
        let labels = &labelled.labels;
        if self.changed {
            return Err(Error::data_with_hint(
                format!(
                    "`{name}` has no ids, but the samples were matched by id and are no longer in the order of the file"
                ),
                "put the ids beside the labels, in a table with a column of ids and one of labels",
            ));
        }
        if labels.len() != self.count {
            return Err(Error::data_with_hint(
                format!("`{name}` has {} labels for {} samples", labels.len(), self.count),
                "one label per sample: in the order of the samples, or in any order with the samples' ids beside them",
            ));
        }
        Ok(labels.clone())
    }
}

fn no_label(name: &str, samples: usize, absent: &[&String]) -> Error {
    let examples: Vec<String> = absent.iter().take(3).map(|id| format!("`{id}`")).collect();
    let more = if absent.len() > 3 { ", .." } else { "" };
    Error::data_with_hint(
        format!("`{name}` has no label for {} of {samples} samples ({}{more})", absent.len(), examples.join(", ")),
        "labels are matched by id; every sample needs one to be scored",
    )
}

/// Two lists of labels of the same samples.
#[derive(Debug, Clone)]
pub struct MatchedLabels {
    /// What was predicted.
    pub predicted: Labels,
    /// What is true, sample by sample.
    pub truth: Labels,
    /// What was done, for the user.
    pub notes: Vec<Note>,
}

/// Matches two files of labels, each with the name that messages call it.
///
/// # Errors
/// When they do not label the same samples.
pub fn match_labels(predicted: (&str, &Labelled), truth: (&str, &Labelled), how: Join) -> Result<MatchedLabels> {
    let counts = [predicted.1.labels.len(), truth.1.labels.len()];
    let ids = [predicted.1.ids.as_deref(), truth.1.ids.as_deref()];
    let full = |at: usize| ids[at].map(<[String]>::to_vec).or_else(|| numbers_like(ids[1 - at]?, counts[at]));
    let ids = [full(0), full(1)];
    if (ids[0].is_none() || ids[1].is_none()) && counts[0] != counts[1] {
        return Err(Error::data_with_hint(
            format!("`{}` has {} labels, `{}` has {}", predicted.0, counts[0], truth.0, counts[1]),
            "both must label the same samples: in the same order, or with the samples' ids beside the labels",
        ));
    }
    let both = ids[0].is_some() && ids[1].is_some();
    let part = |at: usize, name| JoinFile { name, ids: ids[at].as_deref().filter(|_| both), columns: None };
    let parts = [part(0, predicted.0), part(1, truth.0)];
    let joined = join(&parts, how)?;
    Ok(MatchedLabels {
        predicted: aligned(&predicted.1.labels, &joined, &parts, 0)?,
        truth: aligned(&truth.1.labels, &joined, &parts, 1)?,
        notes: joined.notes,
    })
}

fn aligned(labels: &Labels, joined: &Joined, parts: &[JoinFile<'_>], at: usize) -> Result<Labels> {
    match (&joined.parts[at], &joined.complete(parts)?[at]) {
        (Alignment::Rows(_), Some(rows)) => labels.select(rows),
        _ => Ok(labels.clone()),
    }
}

/// The ids of rows that have none, when the other side's ids are their numbers in another order.
fn numbers_like(ids: &[String], count: usize) -> Option<Vec<String>> {
    if ids.len() != count {
        return None;
    }
    let given: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let counted = |from: usize| (from..from + count).map(|number| number.to_string()).collect::<Vec<String>>();
    let same = |numbers: &Vec<String>| numbers.iter().all(|number| given.contains(number.as_str()));
    [0, 1].map(counted).into_iter().find(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_as_numbers_and_words_as_words() {
        let labels = Labels::from_names(&["10", "2", "-1", "2"]);
        assert_eq!(labels.codes(), [2, 1, 0, 1]);
        assert_eq!(labels.names(), ["-1", "2", "10"]);
        assert_eq!(Labels::from_names(&["dog", "cat", "dog"]).codes(), [1, 0, 1]);
    }

    #[test]
    fn long_numbers_stay_apart_and_one_number_is_one_class() {
        let labels = Labels::from_names(&["9007199254740993", "9007199254740992", "9007199254740993.0"]);
        assert_eq!(labels.codes(), [1, 0, 1]);
        assert_eq!(Labels::from_names(&["1.0", "-0.0", "0", "1", "-1.00"]).names(), ["-1", "0", "1"]);
        assert_eq!(
            Labels::from_names(&["1.5", ".0", "v1.0", "1.0.0", "007"]).names().len(),
            5,
            "no other text changes"
        );
        assert_eq!(Labels::from_names(&["b", "a", "c"]).select(&[2, 0]).unwrap().names(), ["b", "c"]);
        assert!(Labels::from_names(&["b"]).select(&[1]).is_err());
    }

    #[test]
    fn whole_numbers_are_named_without_a_point() {
        assert_eq!(Labels::from_numbers(&[2.0, -0.0, 0.0]).unwrap().names(), ["0", "2"]);
        assert!(Labels::from_numbers(&[1.0, f64::NAN]).is_none());
    }

    fn labelled(ids: &str, labels: &str) -> Labelled {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        Labelled { labels: Labels::from_names(&words(labels)), ids: (!ids.is_empty()).then(|| words(ids)) }
    }

    fn matched(a: &Labelled, b: &Labelled, how: Join) -> Result<Vec<(u32, u32)>> {
        let found = match_labels(("p", a), ("t", b), how)?;
        Ok(found.predicted.codes().iter().copied().zip(found.truth.codes().iter().copied()).collect())
    }

    #[test]
    fn ids_decide_and_rows_only_where_there_are_none() {
        let predicted = labelled("1 2 3 4", "a a b b");
        let same = [(0, 0), (0, 0), (1, 1), (1, 1)];
        for truth in [
            labelled("3 1 4 2", "y x y x"),
            labelled("1 2 3 4", "x x y y"),
            labelled("", "x x y y"),
            labelled("s t u v", "x x y y"),
            labelled("0 1 2 3", "x x y y"),
        ] {
            assert_eq!(matched(&predicted, &truth, Join::Strict).unwrap(), same);
        }
        assert_eq!(matched(&labelled("", "a a b b"), &labelled("2 0 3 1", "y x y x"), Join::Strict).unwrap(), same);
        let error = matched(&labelled("p q r s", "a a b b"), &labelled("p q r", "x x y"), Join::Strict).unwrap_err();
        assert!(error.to_string().contains("3 samples in common, 1 only in `p` (`s`)"), "{error}");
        let inner = matched(&labelled("p q r s", "a a b b"), &labelled("r q p", "y x x"), Join::Inner).unwrap();
        assert_eq!(inner, same[..3]);
        assert!(matched(&labelled("", "a"), &labelled("", "a b"), Join::Strict).is_err());
    }

    #[test]
    fn a_truth_may_have_more_samples_but_not_less() {
        let ids: Vec<String> = ["q", "p"].map(str::to_owned).to_vec();
        let samples = Unlabelled { ids: Some(&ids), count: 2, changed: true };
        let mut notes = Vec::new();
        let labels = samples.labels("t", &labelled("p q r", "x y z"), &mut notes).unwrap();
        assert_eq!((labels.names(), labels.codes()), (&["x".to_owned(), "y".to_owned()][..], &[1, 0][..]));
        assert_eq!(notes, [Note::UnusedLabels { file: "t".into(), unused: 1 }]);
        let lacking = samples.labels("t", &labelled("p r", "x z"), &mut notes).unwrap_err();
        assert_eq!(lacking.to_string(), "`t` has no label for 1 of 2 samples (`q`)");
        assert!(samples.labels("t", &labelled("", "x z"), &mut notes).unwrap_err().to_string().contains("has no ids"));
        let repeated = samples.labels("t", &labelled("p q p", "x z z"), &mut notes).unwrap_err();
        assert!(repeated.to_string().contains("rows 1 and 3 have the same id `p`"));
    }
}
