//! The features of new samples in the order of the model's: by name where both have names, by number otherwise.

use std::collections::{HashMap, HashSet};

use crate::matrix::Matrix;
use crate::run::Warning;
use crate::{Error, Result, View, Views};

use super::Model;
use super::reference::Reference;

/// So many names are given as examples.
const EXAMPLES: usize = 3;

impl Model {
    /// Views under the names that the model knows them by, and what was decided: a view goes by its name, else by the names
    /// of its features, else, when there are as many as the model has, by its place.
    ///
    /// # Errors
    /// When it is not clear which view is which.
    pub fn recognise(&self, views: &Views) -> Result<(Views, Vec<String>)> {
        let known: Vec<&str> = self.view_names().collect();
        let strangers: Vec<&View> = views.iter().filter(|view| !known.contains(&view.name.as_str())).collect();
        if strangers.is_empty() {
            return Ok((views.clone(), Vec::new()));
        }
        let by_features: Option<Vec<&str>> = views.iter().map(|view| self.with_features_of(view)).collect();
        let by_place = || (views.len() == known.len() && strangers.len() == known.len()).then(|| known.clone());
        let (names, how) = match by_features {
            Some(names) => (names, "by its features"),
            None => match by_place() {
                Some(names) => (names, "by its place"),
                None => return Err(Error::unknown("view", &strangers[0].name, known)),
            },
        };
        let named = views.iter().zip(&names).map(|(view, name)| view.clone().renamed(*name));
        let notes =
            views.iter().zip(&names).map(|(view, name)| format!("`{}` is taken for view `{name}`, {how}", view.name));
        Ok((Views::new(named.collect())?, notes.collect()))
    }

    /// The one view of the model whose features `view` has.
    fn with_features_of(&self, view: &View) -> Option<&str> {
        let given: HashSet<&str> = view.features.as_ref()?.iter().map(String::as_str).collect();
        let fits = |known: &&Reference| {
            known.view.features.as_ref().is_some_and(|wanted| wanted.iter().all(|name| given.contains(name.as_str())))
        };
        let mut found = self.references.iter().filter(fits);
        let first = found.next()?;
        found.next().is_none().then_some(first.view.name.as_str())
    }
}

/// The data of `view` with the columns that `known` has, in its order. Other columns are left out, and `warnings` get a word.
///
/// # Errors
/// When features are missing, or their names are not distinct.
pub(super) fn matched(view: &View, known: &View, warnings: &mut Vec<Warning>) -> Result<Matrix> {
    let (Some(given), Some(wanted)) = (&view.features, &known.features) else {
        return by_number(view, known);
    };
    if given == wanted {
        return Ok(view.data.clone());
    }
    let mut places = HashMap::new();
    for (place, name) in given.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some() {
            let what = format!("{} has more than one feature called `{name}`", view.describe());
            return Err(Error::data_with_hint(what, "features are matched by name: names must be distinct"));
        }
    }
    let missing: Vec<&str> = wanted.iter().map(String::as_str).filter(|name| !places.contains_key(name)).collect();
    if !missing.is_empty() {
        let what = format!(
            "{} lacks {} of the {} features that the model was fitted on: {}",
            view.describe(),
            missing.len(),
            wanted.len(),
            examples(&missing)
        );
        return Err(Error::data_with_hint(what, "new samples need every feature of the fit, by the same names"));
    }
    let order: Vec<usize> = wanted.iter().map(|name| places[name.as_str()]).collect();
    let ignored = given.len() - wanted.len();
    if ignored > 0 {
        let known: HashSet<&str> = wanted.iter().map(String::as_str).collect();
        let extra: Vec<&str> = given.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
        warnings.push(Warning::UnknownFeatures { view: view.name.clone(), count: ignored, examples: examples(&extra) });
    }
    view.data.select_columns(&order)
}

fn by_number(view: &View, known: &View) -> Result<Matrix> {
    if view.data.cols() == known.data.cols() {
        return Ok(view.data.clone());
    }
    let what = format!(
        "{} has {} features, and the model was fitted on {}",
        view.describe(),
        view.data.cols(),
        known.data.cols()
    );
    Err(Error::data_with_hint(
        what,
        "new samples need the features of the fit, in the same order where they have no names",
    ))
}

fn examples(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(EXAMPLES).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > EXAMPLES { ", .." } else { "" };
    format!("{}{more}", shown.join(", "))
}
