//! The condition under which a method met a data set: clean, or so much noise of a kind.

use std::fmt;
use std::str::FromStr;

use consilience::{Corruption, CorruptionMode, Error, Result};
use serde::{Deserialize, Deserializer};

use crate::rows::rounded;

/// What was done to the data, as tables name it: `clean`, `20 % add`. Runs that differ in the draw only share it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// Nothing.
    Clean,
    /// Noise.
    Noisy {
        /// Share of the entries in %, to four decimals.
        percent: f64,
        /// What happens to them.
        mode: CorruptionMode,
        /// Half the width of the noise.
        amplitude: f64,
    },
}

impl From<Option<Corruption>> for Condition {
    fn from(corruption: Option<Corruption>) -> Self {
        corruption.map_or(Self::Clean, |Corruption { fraction, mode, amplitude, .. }| Self::Noisy {
            percent: rounded(100.0 * fraction, 4),
            mode,
            amplitude,
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clean => f.write_str("clean"),
            Self::Noisy { percent, mode, amplitude } => {
                write!(f, "{percent} % {mode}")?;
                // the paper's width needs no word
                if *amplitude == Corruption::default().amplitude { Ok(()) } else { write!(f, ", width {amplitude}") }
            }
        }
    }
}

impl FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "clean" {
            return Ok(Self::Clean);
        }
        let wrong = || Error::data_with_hint(format!("`{text}` is no condition"), "like `clean` or `20 % add`");
        let (percent, rest) = text.split_once(" % ").ok_or_else(wrong)?;
        let usual = Corruption::default().amplitude;
        let (mode, amplitude) = match rest.split_once(", width ") {
            Some((mode, width)) => (mode, width.parse().map_err(|_| wrong())?),
            None => (rest, usual),
        };
        Ok(Self::Noisy { percent: percent.parse().map_err(|_| wrong())?, mode: mode.parse()?, amplitude })
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_back_from_their_words() {
        for (text, fraction, amplitude) in [("20 % add", 0.2, 5.0), ("12.5 % add, width 0.5", 0.125, 0.5)] {
            let corruption = Corruption { fraction, mode: CorruptionMode::Add, amplitude, seed: 7 };
            assert_eq!(Condition::from(Some(corruption)).to_string(), text);
            assert_eq!(text.parse::<Condition>().unwrap(), Some(corruption).into());
        }
        assert_eq!("clean".parse::<Condition>().unwrap(), None.into());
        for wrong in ["20% add", "20 % ad", "x % add", "20 % add, width y", ""] {
            assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
        }
    }
}
