//! Which code made a result: a number for what all methods share, and one for each method.
//!
//! Results outlive the code that made them. Whoever keeps some (the experiments do) writes the [`Revision`] beside them and
//! can tell later whether this code would give the same. `tests/revisions.rs` fails when labels change and no number does.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::MethodInfo;
use crate::{Error, Result};

/// Raised whenever a stage that methods share (scaling, noise, neighbours, graphs, eigenvectors, k-means) may give other
/// labels than before. It makes every result stale; a change that one method alone feels raises its own
/// [`MethodInfo::revision`].
pub const ENGINE_REVISION: u32 = 1;

/// The code that makes a method's labels; as text `ENGINE.METHOD`, for example `1.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision {
    /// Of what all methods share; 0 when nobody wrote it down.
    pub engine: u32,
    /// Of the method; 0 when nobody wrote it down.
    pub method: u32,
}

impl MethodInfo {
    /// The revision of everything between views and labels when this method is used.
    pub fn code(&self) -> Revision {
        Revision { engine: ENGINE_REVISION, method: self.revision }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.engine, self.method)
    }
}

impl FromStr for Revision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts =
            text.split_once('.').and_then(|(engine, method)| Some((engine.parse().ok()?, method.parse().ok()?)));
        let wrong = || Error::data_with_hint(format!("`{text}` is no revision"), "two whole numbers, like `1.2`");
        parts.map(|(engine, method)| Self { engine, method }).ok_or_else(wrong)
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_read_back_from_their_text() {
        let revision = Revision { engine: 3, method: 12 };
        assert_eq!((revision.to_string().as_str(), "3.12".parse::<Revision>().unwrap()), ("3.12", revision));
        for wrong in ["", "3", "3.", "a.b", "-1.2", "1.2.3"] {
            assert!(wrong.parse::<Revision>().is_err(), "{wrong}");
        }
    }
}
