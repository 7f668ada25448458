//! Enums whose variants are words.

use crate::Error;

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
