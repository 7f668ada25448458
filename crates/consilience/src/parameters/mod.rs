//! Parameters that describe and check themselves: one table per method, from which the command line, the Python package,
//! the documentation and the checks all read. Methods outside this crate declare theirs with the same macros:
//!
//! ```
//! use consilience::parameters::{Bounds, Given, ParameterValues, Parameters};
//!
//! consilience::choice! {
//!     /// How rows are weighted.
//!     pub enum Emphasis {
//!         /// All the same.
//!         Equal = "equal",
//!         /// By their length.
//!         Length = "length",
//!     }
//! }
//!
//! consilience::parameters! {
//!     /// An example.
//!     pub struct Example {
//!         /// How many.
//!         count: usize = 3, Bounds::between(1.0, 9.0), "s";
//!         /// Which rows matter.
//!         emphasis: Emphasis = Emphasis::Equal, Bounds::ANY, "";
//!     }
//! }
//!
//! let mut example = Example::default();
//! example.set("count", Given::Text("7"))?;
//! assert_eq!(example.count, 7);
//! assert!(Example { count: 0, ..example }.check().is_err());
//! # Ok::<(), consilience::Error>(())
//! ```

mod value;

use serde::Serialize;

pub use value::{Given, Parameter, Value, choice, unknown_choice};

use crate::{Error, Result};

/// For what the macros write in other crates.
#[doc(hidden)]
pub use ::serde;

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
            Value::Text(words) if words.is_empty() => "\"\"".to_owned(),
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

/// The current values of a group of parameters, however they got there: made by [`crate::parameters!`], never by hand.
pub trait ParameterValues {
    /// Every name with its current value, in the order of the table.
    fn values(&self) -> Vec<(&'static str, Value)>;

    /// Refuses values out of bounds, in the words in which they would be refused as text.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first of them.
    fn check(&self) -> Result<()>;
}

/// A group of parameters: made by [`crate::parameters!`], never by hand.
pub trait Parameters: ParameterValues + Default {
    /// The table, with defaults.
    fn table() -> Vec<ParameterInfo>;

    /// Sets one parameter. `Ok(false)` when it has another name.
    ///
    /// # Errors
    /// When the value is not allowed.
    fn set(&mut self, name: &str, given: Given<'_>) -> Result<bool>;
}

impl ParameterInfo {
    /// Reads and checks one value; used by [`crate::parameters!`].
    ///
    /// # Errors
    /// When it is not allowed.
    pub fn read<P: Parameter>(&self, given: Given<'_>) -> Result<P> {
        P::read(given).filter(|value| self.allows(value)).ok_or_else(|| self.refusal(given.to_string()))
    }

    /// Checks a value that is there already; used by [`crate::parameters!`].
    ///
    /// # Errors
    /// When it is not allowed.
    pub fn check<P: Parameter>(&self, value: &P) -> Result<()> {
        if self.allows(value) { Ok(()) } else { Err(self.refusal(Given::Value(&value.show()).to_string())) }
    }

    fn allows<P: Parameter>(&self, value: &P) -> bool {
        let Some(x) = value.magnitude() else { return true };
        x.is_finite() && self.bounds.is_none_or(|bounds| (bounds.min..=bounds.max).contains(&x))
    }

    fn refusal(&self, value: String) -> Error {
        Error::Parameter { name: self.name.to_owned(), value, expected: format!("must be {}", self.allowed()) }
    }
}

/// Declares a struct of parameters: `name: type = default, bounds, "symbol";` for each, then `shares { name: type; }`
/// for groups of parameters that other methods have too. The doc comment of a field is the documentation users see.
#[macro_export]
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

        impl $crate::parameters::ParameterValues for $name {
            fn values(&self) -> Vec<(&'static str, $crate::parameters::Value)> {
                #[allow(unused_mut)]
                let mut values = vec![
                    $((stringify!($field), $crate::parameters::Parameter::show(&self.$field))),*
                ];
                $($(values.extend($crate::parameters::ParameterValues::values(&self.$group));)+)?
                values
            }

            fn check(&self) -> $crate::Result<()> {
                let table = <Self as $crate::parameters::Parameters>::table();
                let mut infos = table.iter();
                let _ = &mut infos; // a method may have no parameters at all
                $(if let Some(info) = infos.next() {
                    info.check::<$type>(&self.$field)?;
                })*
                $($($crate::parameters::ParameterValues::check(&self.$group)?;)+)?
                Ok(())
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

            fn set(&mut self, name: &str, given: $crate::parameters::Given<'_>) -> $crate::Result<bool> {
                let table = Self::table();
                let info = table.iter().find(|info| info.name == name);
                let Some(info) = info else { return Ok(false) };
                let _ = (info, given); // a method may have no parameters at all
                $(if name == stringify!($field) {
                    self.$field = info.read(given)?;
                    return Ok(true);
                })*
                $($(if $crate::parameters::Parameters::set(&mut self.$group, name, given)? {
                    return Ok(true);
                })+)?
                Ok(false)
            }
        }
    };
}
#[doc(inline)]
pub use parameters;

#[cfg(test)]
#[allow(unreachable_pub)] // what the macros declare is public
mod tests {
    use super::*;
    use crate::Hint;

    choice! {
        /// For the tests.
        pub enum Colour {
            /// Red.
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
        assert!(example.set("count", Given::Text("7")).unwrap() && example.set("colour", Given::Text("blue")).unwrap());
        assert_eq!((example.shared.count, example.colour), (7, Colour::Blue));
        assert_eq!(example.values()[2], ("count", Value::Integer(7)));
        assert!(!example.set("size", Given::Text("7")).unwrap(), "unknown names are somebody else's");
        for (name, text) in [("count", "0"), ("count", "10"), ("amount", "-1"), ("amount", "nan"), ("colour", "green")]
        {
            let message = example.set(name, Given::Text(text)).unwrap_err().to_string();
            assert!(message.starts_with(&format!("parameter `{name}` = `{text}`: must be ")), "{message}");
        }
    }

    #[test]
    fn values_keep_their_type() {
        let mut example = Example::default();
        for (name, value) in [("amount", Value::from(2)), ("count", Value::from(4)), ("colour", Value::from("blue"))] {
            assert!(example.set(name, Given::Value(&value)).unwrap());
        }
        assert_eq!((example.amount, example.shared.count, example.colour), (2.0, 4, Colour::Blue));
        for (name, value) in [("count", Value::from(4.5)), ("count", Value::from("4")), ("amount", Value::from(true))] {
            assert!(example.set(name, Given::Value(&value)).is_err(), "{name} = {value}");
        }
    }

    #[test]
    fn values_set_in_rust_are_refused_as_their_text_is() {
        let built = Example { shared: Shared { count: 0 }, ..Example::default() };
        let typed = Example::default().set("count", Given::Text("0")).unwrap_err();
        assert_eq!(built.check().unwrap_err().to_string(), typed.to_string());
        assert!(Example { amount: f64::NAN, ..Example::default() }.check().is_err());
        assert!(Example::default().check().is_ok());
    }

    #[test]
    fn choices_are_words_everywhere() {
        assert_eq!(serde_json::to_value(Colour::Blue).unwrap(), "blue");
        assert_eq!(serde_json::from_value::<Colour>("red".into()).unwrap(), Colour::Red);
        let error = "green".parse::<Colour>().unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.hint().as_ref().and_then(Hint::text)),
            ("unknown colour `green`", Some("known: red, blue"))
        );
    }
}
