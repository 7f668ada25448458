//! Values of parameters, as they are given and as they are kept, and enums whose variants are words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::Error;

/// A value as records, other languages and defaults have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// Words.
    Text(String),
}

impl Value {
    /// The words, where it is text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A value on its way to a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// As typed on a command line or in a plan.
    Text(&'a str),
    /// As it comes from a record or from another language.
    Value(&'a Value),
}

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
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

    /// The value as records keep it.
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
            Given::Value(Value::Integer(number)) => usize::try_from(*number).ok(),
            Given::Value(_) => None,
        }
    }

    fn show(&self) -> Value {
        i64::try_from(*self).map_or(Value::Real(*self as f64), Value::Integer)
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
            Given::Value(Value::Integer(number)) => Some(*number as f64),
            Given::Value(Value::Real(number)) => Some(*number),
            Given::Value(_) => None,
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
            Given::Value(Value::Flag(flag)) => Some(*flag),
            Given::Value(_) => None,
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
        Value::Text(self.clone())
    }
}

/// Declares an enum whose variants are words of the command line, of files and of JSON; the first is the default.
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)+ }

        #[allow(dead_code)] // a choice that nobody lists is one all the same
        impl $name {
            /// Every choice, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// What it means, in a sentence.
            pub fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim(),)+ }
            }

            /// The word for it on the command line, in files and in JSON.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::Error;

            fn from_str(word: &str) -> $crate::Result<Self> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::parameters::unknown_choice(stringify!($name), word, &[$($word),+])),
                }
            }
        }

        impl $crate::parameters::Parameter for $name {
            const KIND: $crate::parameters::Kind = $crate::parameters::Kind::Choice { of: &[$($word),+] };

            fn read(given: $crate::parameters::Given<'_>) -> Option<Self> {
                let word = match &given {
                    $crate::parameters::Given::Text(word) => word,
                    $crate::parameters::Given::Value(value) => value.as_str()?,
                };
                word.parse().ok()
            }

            fn show(&self) -> $crate::parameters::Value {
                self.name().into()
            }
        }

        impl $crate::parameters::serde::Serialize for $name {
            fn serialize<S: $crate::parameters::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::parameters::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::parameters::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let word = <String as $crate::parameters::serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err($crate::parameters::serde::de::Error::custom)
            }
        }
    };
}
#[doc(inline)]
pub use choice;

/// `CorruptionMode` as `corruption mode`, with the words that would have been understood.
#[doc(hidden)]
pub fn unknown_choice(type_name: &'static str, word: &str, known: &[&str]) -> Error {
    let kind = type_name.chars().enumerate().flat_map(|(at, letter)| {
        let gap = (at > 0 && letter.is_uppercase()).then_some(' ');
        gap.into_iter().chain(letter.to_lowercase())
    });
    Error::unknown(kind.collect::<String>(), word, known.iter().copied())
}
