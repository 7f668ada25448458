//! The plan's text: what a line says and where it stands, so that every complaint can name its line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use consilience::{Error, Hint, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Spanned, Value};

/// A TOML file with its text, for messages that say `file:line`.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    text: String,
}

impl Source {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::reading(path, error))?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// The content; a mistake in it is reported with its line.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().trim().replace('\n', "; ");
            // serde lists what it expected after the comma: that is the hint
            let (what, hint) = match message.split_once(", expected ") {
                Some((what, expected)) => (what.to_owned(), format!("expected {expected}")),
                None if message.starts_with("expected ") => ("this is not understood".to_owned(), message),
                None => {
                    (message, "docs/experiments.md describes plans; experiments/smoke.toml is a small one".to_owned())
                }
            };
            self.wrong(&error.span().unwrap_or(0..0), what, hint)
        })
    }

    /// An error about the text at `span`.
    pub(crate) fn wrong(&self, span: &Range<usize>, what: impl std::fmt::Display, hint: impl Into<Hint>) -> Error {
        Error::data_with_hint(format!("{}:{}: {what}", self.path.display(), self.line(span)), hint)
    }

    /// Another part's error, put at the line that caused it.
    pub(crate) fn blame(&self, span: &Range<usize>, error: &Error) -> Error {
        match error.hint() {
            Some(hint) => self.wrong(span, error, hint),
            None => Error::data(format!("{}:{}: {error}", self.path.display(), self.line(span))),
        }
    }

    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        before.matches('\n').count() + 1
    }

    /// A path in the plan, which is relative to the plan.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// A plan as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanText {
    pub(super) title: String,
    pub(super) draws: Option<Spanned<Numbers>>,
    pub(super) seeds: Option<Spanned<Numbers>>,
    #[serde(default)]
    pub(super) limits: LimitsText,
    #[serde(default)]
    pub(super) noise: Vec<NoiseText>,
    #[serde(default)]
    pub(super) data: Vec<DataText>,
    #[serde(default)]
    pub(super) method: Vec<Spanned<MethodText>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsText {
    pub(super) seconds: Option<Spanned<f64>>,
    pub(super) memory_gb: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoiseText {
    pub(super) share: Spanned<Shares>,
    pub(super) mode: Option<Spanned<String>>,
    pub(super) data: Option<Vec<Spanned<String>>>,
    pub(super) draws: Option<Spanned<Numbers>>,
    pub(super) seeds: Option<Spanned<Numbers>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DataText {
    pub(super) name: Spanned<String>,
    pub(super) file: Spanned<String>,
    pub(super) views: Option<Spanned<Vec<String>>>,
    pub(super) scale: Option<Spanned<String>>,
    pub(super) subset: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) optional: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodText {
    pub(super) id: Spanned<String>,
    pub(super) name: Option<Spanned<String>>,
    pub(super) quadratic: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) set: Assignments,
    #[serde(default)]
    pub(super) grid: Assignments,
    pub(super) data: Option<Vec<Spanned<String>>>,
    pub(super) draws: Option<Spanned<Numbers>>,
    pub(super) seeds: Option<Spanned<Numbers>>,
    pub(super) max_samples: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) limits: LimitsText,
}

/// Parameters by name.
pub(super) type Assignments = BTreeMap<Spanned<String>, Spanned<Value>>;

/// A count (`10` stands for 0 to 9) or the numbers themselves.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a count, or a list of whole numbers from 0")]
pub(super) enum Numbers {
    Count(u64),
    List(Vec<u64>),
}

/// One share or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number from 0 to 1, or a list of them")]
pub(super) enum Shares {
    One(f64),
    Many(Vec<f64>),
}

impl Shares {
    pub(super) fn list(&self) -> Vec<f64> {
        match self {
            Self::One(share) => vec![*share],
            Self::Many(shares) => shares.clone(),
        }
    }
}
