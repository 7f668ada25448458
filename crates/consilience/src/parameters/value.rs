//! Values of parameters: as they are given, and as they are kept.

use serde_json::Value;

use super::Kind;

/// A value on its way to a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// As typed on a command line or in a plan.
    Text(&'a str),
    /// As it comes from JSON or from another language.
    Value(&'a Value),
}

impl std::fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Value(Value::String(text)) => f.write_str(text),
            Self::Value(value) => write!(f, "{value}"),
        }
    }
}

/// A type that can be a parameter.
pub trait Parameter: Sized {
    /// What values look like.
    const KIND: Kind;

    /// Reads a value; none when it is not one.
    fn read(given: Given<'_>) -> Option<Self>;

    /// The value as JSON.
    fn show(&self) -> Value;

    /// The value as a number, to compare with [`Bounds`](super::Bounds).
    fn magnitude(&self) -> Option<f64> {
        None
    }
}

impl Parameter for usize {
    const KIND: Kind = Kind::Integer;

    fn read(given: Given<'_>) -> Option<Self> {
        match given {
            Given::Text(text) => text.parse().ok(),
            Given::Value(value) => usize::try_from(value.as_u64()?).ok(),
        }
    }

    fn show(&self) -> Value {
        (*self).into()
    }

    fn magnitude(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Parameter for f64 {
    const KIND: Kind = Kind::Real;

    fn read(given: Given<'_>) -> Option<Self> {
        match given {
            Given::Text(text) => text.parse().ok(),
            Given::Value(value) => value.as_f64(),
        }
    }

    fn show(&self) -> Value {
        (*self).into()
    }

    fn magnitude(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Parameter for bool {
    const KIND: Kind = Kind::Flag;

    fn read(given: Given<'_>) -> Option<Self> {
        match given {
            Given::Text(text) => text.parse().ok(),
            Given::Value(value) => value.as_bool(),
        }
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Parameter for String {
    const KIND: Kind = Kind::Text;

    fn read(given: Given<'_>) -> Option<Self> {
        match given {
            Given::Text(text) => Some(text.to_owned()),
            Given::Value(value) => value.as_str().map(str::to_owned),
        }
    }

    fn show(&self) -> Value {
        self.clone().into()
    }
}
