//! What is known of a method besides its code: its name and source, what it costs and can do, how it is made, and which code
//! made a result: a number for what all methods share, and one for each method.
//!
//! Results outlive the code that made them. Whoever keeps some (the laboratory does) writes the [`Revision`] beside them and
//! can tell later whether this code would give the same. `tests/revisions.rs` fails when labels change and no number does.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DEFAULT_METHOD, Method, REGISTRY};
use crate::parameters::{Given, ParameterInfo, Parameters};
use crate::{Error, Hint, Result, Views};

/// Makes a method from names and values of its parameters.
pub type BuildMethod = fn(&[(&str, Given<'_>)]) -> Result<Arc<dyn Method>>;

/// What sets methods apart for those who choose among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Property {
    /// It is n x n by definition: too slow for a quick look and for many samples.
    Quadratic,
    /// It is kept to study its paper, not for use: left out of the demo, and of all methods in a plan.
    Study,
    /// It weighs the views, so that the weights can be given.
    Weighted,
    /// It can use views that do not know every sample.
    Incomplete,
    /// It can use views that are affinities ([`View::precomputed`](crate::View::precomputed)) instead of features.
    Affinities,
    /// Its default `max_iterations` is a budget and not a limit: labels hardly change after it, so nobody is warned that the
    /// objective still would.
    Budget,
}

/// What the registry knows of a method. A builder of constants:
///
/// ```
/// use consilience::method::{Mfmsc, MethodInfo, Property};
///
/// const INFO: MethodInfo = MethodInfo::of::<Mfmsc>("own", "a method of mine")
///     .summary("Does what I want.")
///     .properties(&[Property::Weighted]);
/// assert!(INFO.has(Property::Weighted) && !INFO.has(Property::Quadratic));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Its name on the command line and in Python.
    pub id: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// How its time grows.
    pub time: &'static str,
    /// How its memory grows.
    pub memory: &'static str,
    /// Raised whenever the labels it gives may change, by its code or its defaults: results of other revisions are stale.
    pub revision: u32,
    /// What sets it apart.
    pub properties: &'static [Property],
    /// Its parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterInfo>,
    /// Makes it from `name, value` pairs.
    pub build: BuildMethod,
}

impl MethodInfo {
    /// The method `M` by its name on the command line and its name in words, at its first revision.
    pub const fn of<M: Method + Parameters + 'static>(id: &'static str, title: &'static str) -> Self {
        Self {
            id,
            title,
            summary: "",
            citation: "",
            time: "",
            memory: "",
            revision: 1,
            properties: &[],
            parameters: M::table,
            build: configure::<M>,
        }
    }

    /// Says what it does.
    #[must_use]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Says where it comes from.
    #[must_use]
    pub const fn citation(self, citation: &'static str) -> Self {
        Self { citation, ..self }
    }

    /// Says how its time and its memory grow.
    #[must_use]
    pub const fn cost(self, time: &'static str, memory: &'static str) -> Self {
        Self { time, memory, ..self }
    }

    /// Sets its revision.
    #[must_use]
    pub const fn revision(self, revision: u32) -> Self {
        Self { revision, ..self }
    }

    /// Says what sets it apart.
    #[must_use]
    pub const fn properties(self, properties: &'static [Property]) -> Self {
        Self { properties, ..self }
    }

    /// Whether it has the property.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// Everything known of it, as `consilience methods --json` prints it and the Python classes are made from.
    pub fn describe(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Described<'a> {
            id: &'a str,
            title: &'a str,
            summary: &'a str,
            citation: &'a str,
            time: &'a str,
            memory: &'a str,
            revision: u32,
            quadratic: bool,
            study: bool,
            weighted: bool,
            incomplete: bool,
            affinities: bool,
            parameters: Vec<ParameterInfo>,
            default: bool,
        }
        Described {
            id: self.id,
            title: self.title,
            summary: self.summary,
            citation: self.citation,
            time: self.time,
            memory: self.memory,
            revision: self.revision,
            quadratic: self.has(Property::Quadratic),
            study: self.has(Property::Study),
            weighted: self.has(Property::Weighted),
            incomplete: self.has(Property::Incomplete),
            affinities: self.has(Property::Affinities),
            parameters: (self.parameters)(),
            default: self.id == DEFAULT_METHOD,
        }
    }

    /// Refuses views that lack samples, unless the method can use them, and views that lack all.
    ///
    /// # Errors
    /// When it cannot, with those that can.
    pub fn check_complete(&self, views: &Views) -> Result<()> {
        if let Some(view) = views.iter().find(|view| view.absences() == views.samples()) {
            return Err(Error::data_with_hint(
                format!("{} knows none of the {} samples", view.describe(), views.samples()),
                Hint::ChooseViews,
            ));
        }
        let Some(view) = views.iter().find(|view| view.absent().is_some()).filter(|_| !self.has(Property::Incomplete))
        else {
            return Ok(());
        };
        let able: Vec<&str> =
            REGISTRY.iter().filter(|info| info.has(Property::Incomplete)).map(|info| info.id).collect();
        Err(Error::data_with_hint(
            format!(
                "`{}` needs every sample in every view, and {} lacks {} of {} (rows that are NaN or not there)",
                self.id,
                view.describe(),
                view.absences(),
                views.samples()
            ),
            Hint::CompleteSamples { able },
        ))
    }

    /// Refuses views that are affinities, unless the method can use them.
    ///
    /// # Errors
    /// When it cannot, with those that can.
    pub fn check_features(&self, views: &Views) -> Result<()> {
        let Some(view) = views.iter().find(|view| view.is_affinity()).filter(|_| !self.has(Property::Affinities))
        else {
            return Ok(());
        };
        let able: Vec<&str> =
            REGISTRY.iter().filter(|info| info.has(Property::Affinities)).map(|info| info.id).collect();
        Err(Error::data_with_hint(
            format!(
                "`{}` works on features, and {} has none: it is an affinity of the samples",
                self.id,
                view.describe()
            ),
            format!("these can use affinities: {}", able.join(", ")),
        ))
    }

    /// The method called `id`.
    ///
    /// # Errors
    /// When there is none, with those there are.
    pub fn named(id: &str) -> Result<&'static Self> {
        let known = || REGISTRY.iter().map(|info| info.id);
        REGISTRY.iter().find(|info| info.id == id).ok_or_else(|| Error::unknown("method", id, known()))
    }

    /// The method with parameters set from `name, value` pairs as they are typed.
    ///
    /// # Errors
    /// When a parameter is unknown or a value not allowed.
    pub fn from_text(&self, settings: &[(String, String)]) -> Result<Arc<dyn Method>> {
        self.from_given(settings.iter().map(|(name, value)| (name.as_str(), Given::Text(value))))
    }

    /// The method with parameters set from names and values.
    ///
    /// # Errors
    /// When a parameter is unknown or a value not allowed.
    pub fn from_given<'a>(&self, given: impl IntoIterator<Item = (&'a str, Given<'a>)>) -> Result<Arc<dyn Method>> {
        (self.build)(&given.into_iter().collect::<Vec<_>>())
    }
}

/// Makes a method from names and values: the `build` of every [`MethodInfo`].
///
/// # Errors
/// When a parameter is unknown or a value not allowed.
pub fn configure<M: Method + Parameters + 'static>(given: &[(&str, Given<'_>)]) -> Result<Arc<dyn Method>> {
    let mut method = M::default();
    for &(name, value) in given {
        if !method.set(name, value)? {
            return Err(Error::unknown("parameter", name, M::table().iter().map(|info| info.name)));
        }
    }
    Ok(Arc::new(method))
}

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
    use crate::View;
    use crate::matrix::Dense;

    #[test]
    fn ids_are_distinct_and_every_entry_is_complete() {
        for (place, info) in REGISTRY.iter().enumerate() {
            assert!(REGISTRY[..place].iter().all(|other| other.id != info.id));
            assert!(!info.summary.is_empty() && !info.citation.is_empty() && !info.time.is_empty());
            assert!(info.revision > 0, "0 stands for a revision that nobody wrote down");
            let method = info.from_text(&[]).unwrap();
            assert_eq!(method.info().id, info.id);
            let table = (info.parameters)();
            assert!(
                table
                    .iter()
                    .zip(method.parameters().values())
                    .all(|(row, (name, value))| row.name == name && row.default == value)
            );
            assert!(table.iter().all(|row| !row.doc.is_empty()));
        }
    }

    #[test]
    fn a_view_that_knows_nobody_is_refused() {
        let nothing = View::new("n", Dense::from_fn(4, 1, |_, _| f64::NAN));
        let views = Views::new(vec![View::new("a", Dense::from_fn(4, 1, |i, _| i as f64)), nothing]).unwrap();
        let error = MethodInfo::named("slrmf").unwrap().check_complete(&views).unwrap_err();
        assert_eq!(error.to_string(), "view `n` knows none of the 4 samples");
    }

    #[test]
    fn unknown_methods_and_parameters_are_named() {
        assert_eq!(
            MethodInfo::named("avrage").unwrap_err().hint().unwrap().text().unwrap().split('?').next(),
            Some("did you mean `average`")
        );
        let average = MethodInfo::named("average").unwrap();
        let error = average.from_text(&[("neighbors".into(), "3".into())]).err().unwrap();
        assert_eq!(error.to_string(), "unknown parameter `neighbors`");
        assert!(error.hint().unwrap().text().unwrap().starts_with("did you mean `neighbours`?"));
    }

    #[test]
    fn revisions_are_read_back_from_their_text() {
        let revision = Revision { engine: 3, method: 12 };
        assert_eq!((revision.to_string().as_str(), "3.12".parse::<Revision>().unwrap()), ("3.12", revision));
        for wrong in ["", "3", "3.", "a.b", "-1.2", "1.2.3"] {
            assert!(wrong.parse::<Revision>().is_err(), "{wrong}");
        }
    }
}
