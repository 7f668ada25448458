//! Among which numbers of clusters to choose.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// The most clusters that are tried when nobody says how many.
const MOST_BY_DEFAULT: usize = 30;
/// Halves of the samples are clustered: each cluster needs some samples in each.
const LEAST_SAMPLES_PER_CLUSTER: usize = 4;
/// Fewer samples than this cannot tell structure from chance.
pub(super) const LEAST_SAMPLES: usize = 20;

/// Among which numbers of clusters to choose; written `auto` or `2-12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KRange {
    /// From 2 to the root of the number of samples, at most 30.
    Auto,
    /// From the first to the second number, both of them included.
    Between(usize, usize),
}

impl KRange {
    /// The numbers, for `n` samples.
    ///
    /// # Errors
    /// When they do not rise from 2, or there are too few samples for them.
    pub fn of(self, n: usize) -> Result<RangeInclusive<usize>> {
        if n < LEAST_SAMPLES {
            return Err(Error::data_with_hint(
                format!("{n} samples are too few to choose the number of clusters by: {LEAST_SAMPLES} are needed"),
                "give the number itself instead of a range",
            ));
        }
        match self {
            Self::Auto => Ok(2..=n.isqrt().clamp(2, MOST_BY_DEFAULT)),
            Self::Between(least, most) if least < 2 || most < least => Err(Error::data_with_hint(
                format!("`{self}` is no range of numbers of clusters"),
                "a range begins at 2 or later and does not fall: 2-12",
            )),
            Self::Between(_, most) if most > n / LEAST_SAMPLES_PER_CLUSTER => Err(Error::data_with_hint(
                format!("up to {most} clusters cannot be compared by {n} samples"),
                format!("let the range end at {} or before", n / LEAST_SAMPLES_PER_CLUSTER),
            )),
            Self::Between(least, most) => Ok(least..=most),
        }
    }
}

impl KRange {
    /// The numbers that were asked for, of `all` that are looked at.
    pub(super) fn of_any(self, all: &RangeInclusive<usize>) -> RangeInclusive<usize> {
        match self {
            Self::Auto => all.clone(),
            Self::Between(least, most) => least..=most,
        }
    }
}

impl fmt::Display for KRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Between(least, most) => write!(f, "{least}-{most}"),
        }
    }
}

impl FromStr for KRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = || {
            let (least, most) = text.split_once('-')?;
            Some(Self::Between(least.trim().parse().ok()?, most.trim().parse().ok()?))
        };
        let known = if text == "auto" { Some(Self::Auto) } else { numbers() };
        known.ok_or_else(|| {
            Error::data_with_hint(format!("`{text}` is no range of numbers of clusters"), "write `auto` or `2-12`")
        })
    }
}

impl Serialize for KRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_as_they_are_read() {
        for (text, n, numbers) in
            [("auto", 100, 2..=10), ("auto", 10_000, 2..=30), ("auto", 20, 2..=4), ("3-5", 20, 3..=5)]
        {
            let range: KRange = text.parse().unwrap();
            assert_eq!((range.to_string(), range.of(n).unwrap()), (text.to_owned(), numbers));
            let json = serde_json::to_string(&range).unwrap();
            assert_eq!(serde_json::from_str::<KRange>(&json).unwrap(), range);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in ["", "2-", "-3", "2..5", "Auto", "2-3-4", "99999999999999999999999-3"] {
            assert!(text.parse::<KRange>().is_err(), "{text}");
        }
        for (range, n) in [(KRange::Between(1, 4), 100), (KRange::Between(5, 4), 100), (KRange::Between(2, 26), 100)] {
            assert!(range.of(n).unwrap_err().hint().unwrap().text().unwrap().contains("range"), "{range}");
        }
        assert!(KRange::Auto.of(19).unwrap_err().to_string().contains("19 samples are too few"));
    }
}
