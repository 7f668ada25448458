//! More samples than can be compared with each other: some of them, drawn at random, are clustered in full, and all find
//! their places among means of those.
//!
//! The draw depends on the numbers of the samples and the seed only, and a sample's place on the sample only, so the
//! result is the same for any pieces in which the samples come, for any number of threads, and on any number of machines.
//!
//! ```
//! use consilience::data::{Curves, MadeView};
//! use consilience::landmarks::Landmarks;
//! use consilience::{Settings, cluster};
//!
//! let views = vec![MadeView::Dense(8), MadeView::Dense(12)];
//! let (views, _) = Curves { samples: 3_000, clusters: 4, views, separation: 9.0, seed: 1 }.generate()?;
//! let found = cluster(&views, &Settings::new(4).landmarks(Landmarks::Count(500)))?;
//! assert_eq!(found.record.labels.len(), 3_000);
//! assert_eq!(found.record.by_landmarks.unwrap().count, 500);
//! # Ok::<(), consilience::Error>(())
//! ```

mod draw;
mod fit;
mod parts;
mod samples;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use fit::{Examinable, LandmarkFit, cluster_pieces};
pub(crate) use fit::{MOST_LANDMARKS, fit, means, most_landmarks};
pub use parts::{cluster_first, read_first};
pub use samples::{Samples, Streamed};

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

/// How a run was made by landmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LandmarkRecord {
    /// Samples that were clustered in full.
    pub count: usize,
    /// Means of them that all samples were compared with.
    pub means: usize,
    /// The numbers of landmarks that were tried, when it was not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Trial>,
}

/// A number of landmarks, and how far it agrees with the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Number of landmarks.
    pub count: usize,
    /// Normalised mutual information between where these landmarks and those tried before put other samples; none for the
    /// first.
    pub agreement: Option<f64>,
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
