//! Class labels of any kind, as numbers 0..c with names, and what labels are called in files.

use std::collections::BTreeMap;

/// The names under which labels are customarily kept, in the order in which they are believed.
pub(super) const LABEL_NAMES: [&str; 7] = ["labels", "y", "Y", "gt", "gnd", "truth", "label"];

/// Whether an array or column of this name holds labels. Letters count: `gt` does, `GT` may be a view.
pub(super) fn is_label_name(name: &str) -> bool {
    LABEL_NAMES.contains(&name)
}

/// One label per sample. Labels are for scoring: nothing that clusters takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Labels {
    /// Labels from their names. Classes are numbered in the order of their names; numbers in numeric order.
    pub fn from_names<S: AsRef<str>>(labels: &[S]) -> Self {
        let key = |name: &str| (name.parse::<f64>().map_or(u64::MAX, order_of), name.to_owned());
        let mut classes: BTreeMap<_, u32> = labels.iter().map(|name| (key(name.as_ref()), 0)).collect();
        for (code, class) in classes.values_mut().enumerate() {
            *class = code as u32;
        }
        let codes = labels.iter().map(|name| classes[&key(name.as_ref())]).collect();
        Self { codes, names: classes.into_keys().map(|(_, name)| name).collect() }
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
    fn whole_numbers_are_named_without_a_point() {
        assert_eq!(Labels::from_numbers(&[2.0, -0.0, 0.0]).unwrap().names(), ["0", "2"]);
        assert!(Labels::from_numbers(&[1.0, f64::NAN]).is_none());
    }
}
