//! Whether many samples are clustered by landmarks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Up to this many samples all are compared with all.
pub const MOST_COMPARED: usize = 50_000;
/// Fewer landmarks are no basis for anything.
const FEWEST: usize = 10;

/// Whether a run is made by landmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Landmarks {
    /// Above [`MOST_COMPARED`] samples, with as many landmarks as it takes until more of them change little.
    #[default]
    Auto,
    /// Never.
    Off,
    /// So many, when there are more samples.
    Count(usize),
}

impl Landmarks {
    /// Whether `n` samples are clustered by landmarks.
    pub fn apply(self, n: usize) -> bool {
        match self {
            Self::Auto => n > MOST_COMPARED,
            Self::Off => false,
            Self::Count(count) => count < n,
        }
    }

    pub(crate) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

impl fmt::Display for Landmarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

impl FromStr for Landmarks {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            number => match number.parse() {
                Ok(count) if count >= FEWEST => Ok(Self::Count(count)),
                _ => Err(Error::data_with_hint(
                    format!("`{number}` is no number of landmarks"),
                    "say `auto`, `off`, or a number from 10 on",
                )),
            },
        }
    }
}

impl Serialize for Landmarks {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Landmarks {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        for (text, landmarks) in [("auto", Landmarks::Auto), ("off", Landmarks::Off), ("250", Landmarks::Count(250))] {
            assert_eq!(text.parse::<Landmarks>().unwrap(), landmarks);
            assert_eq!(landmarks.to_string(), text);
            let json = serde_json::to_string(&landmarks).unwrap();
            assert_eq!(serde_json::from_str::<Landmarks>(&json).unwrap(), landmarks);
        }
        for wrong in ["", "-1", "9", "many", "1e3"] {
            assert!(wrong.parse::<Landmarks>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_many_samples_are_clustered_by_landmarks() {
        assert!(!Landmarks::Auto.apply(MOST_COMPARED) && Landmarks::Auto.apply(MOST_COMPARED + 1));
        assert!(!Landmarks::Off.apply(usize::MAX));
        assert!(Landmarks::Count(10).apply(11) && !Landmarks::Count(10).apply(10));
    }
}
