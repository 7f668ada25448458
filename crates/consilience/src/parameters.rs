//! Parameters that describe themselves: one table per method, from which the command line, the Python package, the
//! documentation and the checks all read.

use serde::Serialize;
use serde_json::Value;

use crate::{Error, Result};

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "type")]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A number.
    Real,
    /// `true` or `false`.
    Flag,
    /// Any words.
    Text,
    /// One of these words.
    Choice {
        /// The words.
        of: &'static [&'static str],
    },
}

/// The smallest and largest value allowed, both included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Smallest value.
    pub min: f64,
    /// Largest value; `null` in JSON when there is none.
    pub max: f64,
}

impl Bounds {
    /// No bounds.
    pub const ANY: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };

    /// `min` or more.
    pub const fn at_least(min: f64) -> Self {
        Self { min, max: f64::INFINITY }
    }

    /// From `min` to `max`.
    pub const fn between(min: f64, max: f64) -> Self {
        Self { min, max }
    }
}

/// Everything known about one parameter.
#[derive(Debug, Clone, Serialize)]
pub struct ParameterInfo {
    /// Its name, for `--set name=value`.
    pub name: &'static str,
    /// What it may be.
    #[serde(flatten)]
    pub kind: Kind,
    /// Its range, for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// The value used when none is given.
    pub default: Value,
    /// The paper's letter for it, empty when it has none.
    pub symbol: &'static str,
    /// What it does.
    pub doc: String,
}

impl ParameterInfo {
    /// The default as it would be typed.
    pub fn typed_default(&self) -> String {
        match &self.default {
            Value::String(words) if words.is_empty() => "\"\"".to_owned(),
            Value::String(words) => words.clone(),
            other => other.to_string(),
        }
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        let range = match self.bounds {
            Some(Bounds { min, max }) if min.is_finite() && max.is_finite() => format!(" from {min} to {max}"),
            Some(Bounds { min, .. }) if min.is_finite() => format!(", at least {min}"),
            _ => String::new(),
        };
        match self.kind {
            Kind::Integer => format!("a whole number{range}"),
            Kind::Real => format!("a number{range}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Text => "any text".to_owned(),
            Kind::Choice { of } => format!("one of {}", of.join(", ")),
        }
    }
}

/// A type that can be a parameter.
pub trait Parameter: Sized {
    /// What values look like.
    const KIND: Kind;

    /// Reads a value as written on a command line.
    fn read(text: &str) -> Option<Self>;

    /// The value as JSON.
    fn show(&self) -> Value;

    /// The value as a number, to compare with [`Bounds`].
    fn magnitude(&self) -> Option<f64> {
        None
    }
}

impl Parameter for usize {
    const KIND: Kind = Kind::Integer;

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
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

    fn read(text: &str) -> Option<Self> {
        text.parse().ok().filter(|x: &Self| x.is_finite())
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

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Parameter for String {
    const KIND: Kind = Kind::Text;

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn show(&self) -> Value {
        self.clone().into()
    }
}

/// A group of parameters: made by `parameters!`, never by hand.
pub trait Parameters: Default {
    /// The table, with defaults.
    fn table() -> Vec<ParameterInfo>;

    /// Every name with its current value, in the order of the table.
    fn values(&self) -> Vec<(&'static str, Value)>;

    /// Sets one parameter from text. `Ok(false)` when it has another name.
    ///
    /// # Errors
    /// When the value is not allowed.
    fn set(&mut self, name: &str, text: &str) -> Result<bool>;
}

/// Reads and checks one value; used by `parameters!`.
pub(crate) fn read_checked<P: Parameter>(info: &ParameterInfo, text: &str) -> Result<P> {
    let inside = |value: &P| match (info.bounds, value.magnitude()) {
        (Some(bounds), Some(x)) => (bounds.min..=bounds.max).contains(&x),
        _ => true,
    };
    P::read(text).filter(inside).ok_or_else(|| Error::Parameter {
        name: info.name.to_owned(),
        value: text.to_owned(),
        expected: format!("must be {}", info.allowed()),
    })
}

/// Declares an enum whose variants are words of the command line.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $crate::parameters::Parameter for $name {
            const KIND: $crate::parameters::Kind = $crate::parameters::Kind::Choice { of: &[$($word),+] };

            fn read(text: &str) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)+ _ => None }
            }

            fn show(&self) -> serde_json::Value {
                match self { $(Self::$variant => $word.into(),)+ }
            }
        }
    };
}
pub(crate) use choice;

/// Declares a struct of parameters: `name: type = default, bounds, "symbol";` for each, then `shares { name: type; }`
/// for groups of parameters that other methods have too. The doc comment of a field is the documentation users see.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:expr, $bounds:expr, $symbol:literal;)*
        }
        $(shares { $($(#[doc = $group_doc:literal])+ $group:ident: $group_type:ty;)+ })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
            $($($(#[doc = $group_doc])+ pub $group: $group_type,)+)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($($group: Default::default(),)+)? }
            }
        }

        impl $crate::parameters::Parameters for $name {
            fn table() -> Vec<$crate::parameters::ParameterInfo> {
                let defaults = Self::default();
                let _ = &defaults;
                #[allow(unused_mut)]
                let mut table = vec![$({
                    let bounds: $crate::parameters::Bounds = $bounds;
                    $crate::parameters::ParameterInfo {
                        name: stringify!($field),
                        kind: <$type as $crate::parameters::Parameter>::KIND,
                        bounds: (bounds != $crate::parameters::Bounds::ANY).then_some(bounds),
                        default: $crate::parameters::Parameter::show(&defaults.$field),
                        symbol: $symbol,
                        doc: concat!($($doc, "\n"),+).lines().map(str::trim).collect::<Vec<_>>().join(" "),
                    }
                }),*];
                $($(table.extend(<$group_type as $crate::parameters::Parameters>::table());)+)?
                table
            }

            fn values(&self) -> Vec<(&'static str, serde_json::Value)> {
                #[allow(unused_mut)]
                let mut values = vec![
                    $((stringify!($field), $crate::parameters::Parameter::show(&self.$field))),*
                ];
                $($(values.extend($crate::parameters::Parameters::values(&self.$group));)+)?
                values
            }

            fn set(&mut self, name: &str, text: &str) -> $crate::Result<bool> {
                let table = Self::table();
                let info = table.iter().find(|info| info.name == name);
                let Some(info) = info else { return Ok(false) };
                let _ = (info, text); // a method may have no parameters at all
                $(if name == stringify!($field) {
                    self.$field = $crate::parameters::read_checked(info, text)?;
                    return Ok(true);
                })*
                $($(if $crate::parameters::Parameters::set(&mut self.$group, name, text)? {
                    return Ok(true);
                })+)?
                Ok(false)
            }
        }
    };
}
pub(crate) use parameters;

#[cfg(test)]
#[allow(unreachable_pub)] // what the macros declare is public
mod tests {
    use super::*;

    choice! {
        /// For the tests.
        pub enum Colour {
            /// Red.
            #[default]
            Red = "red",
            /// Blue.
            Blue = "blue",
        }
    }

    parameters! {
        /// Shared.
        pub struct Shared {
            /// How many.
            count: usize = 3, Bounds::between(1.0, 9.0), "s";
        }
    }

    parameters! {
        /// For the tests.
        pub struct Example {
            /// How much
            /// of it.
            amount: f64 = 0.5, Bounds::at_least(0.0), "";
            /// Which.
            colour: Colour = Colour::Red, Bounds::ANY, "";
        }
        shares {
            /// The rest.
            shared: Shared;
        }
    }

    #[test]
    fn the_table_knows_every_parameter() {
        let table = Example::table();
        let names: Vec<_> = table.iter().map(|info| info.name).collect();
        assert_eq!(names, ["amount", "colour", "count"]);
        assert_eq!(table[0].doc, "How much of it.");
        assert_eq!(table[1].allowed(), "one of red, blue");
        assert_eq!(table[2].symbol, "s");
    }

    #[test]
    fn values_are_read_checked_and_shown() {
        let mut example = Example::default();
        assert!(example.set("count", "7").unwrap() && example.set("colour", "blue").unwrap());
        assert_eq!((example.shared.count, example.colour), (7, Colour::Blue));
        assert_eq!(example.values()[2], ("count", 7.into()));
        assert!(!example.set("size", "7").unwrap(), "unknown names are somebody else's");
        for (name, text) in [("count", "0"), ("count", "10"), ("amount", "-1"), ("amount", "nan"), ("colour", "green")]
        {
            let message = example.set(name, text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("parameter `{name}` = `{text}`: must be ")), "{message}");
        }
    }
}
