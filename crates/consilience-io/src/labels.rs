//! Class labels of any kind, as numbers 0..c with names, and what labels are called in files.

use std::collections::BTreeMap;

use consilience::{Error, Result};

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
}
