//! Weights of views that the user gives, instead of those that a method would find.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::method::Property;
use crate::{Error, MethodInfo, Result, Views};

/// A weight per view, by name. Only their ratios count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GivenWeights(BTreeMap<String, f64>);

impl GivenWeights {
    /// Weights of at least 0, one of them above.
    ///
    /// # Errors
    /// When a weight is negative or no number, a view is named twice, or all weights are 0.
    pub fn new(weights: impl IntoIterator<Item = (String, f64)>) -> Result<Self> {
        let mut given = BTreeMap::new();
        for (view, weight) in weights {
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Error::data(format!("the weight of view `{view}` is {weight}; it must be at least 0")));
            }
            if given.insert(view.clone(), weight).is_some() {
                return Err(Error::data(format!("view `{view}` has two weights")));
            }
        }
        if !given.values().any(|weight| *weight > 0.0) {
            return Err(Error::data("no view has a weight above 0"));
        }
        Ok(Self(given))
    }

    /// The weights of `views`, which sum to 1.
    ///
    /// # Errors
    /// When the method does not weigh views, a view has no weight, or a weight has no view.
    pub(crate) fn of(&self, views: &Views, method: &MethodInfo) -> Result<Vec<f64>> {
        if !method.has(Property::Weighted) {
            let known: Vec<&str> = crate::method::REGISTRY
                .iter()
                .filter(|info| info.has(Property::Weighted))
                .map(|info| info.id)
                .collect();
            return Err(Error::data_with_hint(
                format!("`{}` does not weigh views, so it can take no weights", method.id),
                format!("methods that do: {}", known.join(", ")),
            ));
        }
        self.0.keys().try_for_each(|name| views.named(name).map(|_| ()))?;
        let weight = |name: &String| {
            let names = || self.0.keys().cloned().collect::<Vec<_>>().join(", ");
            self.0.get(name).copied().ok_or_else(|| {
                Error::data_with_hint(
                    format!("view `{name}` has no weight"),
                    format!("weights were given for {}", names()),
                )
            })
        };
        let weights: Vec<f64> = views.iter().map(|view| weight(&view.name)).collect::<Result<_>>()?;
        // by the largest first: a sum of large numbers may be none, and a product of small ones nothing
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let weights: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        let total: f64 = weights.iter().sum();
        Ok(weights.iter().map(|weight| weight / total).collect())
    }

    /// The weights of some of the views; none when nothing above 0 is left, and all are then the same.
    pub(crate) fn among(&self, views: &Views) -> Option<Self> {
        let weights = views.iter().filter_map(|view| Some((view.name.clone(), *self.0.get(&view.name)?)));
        Self::new(weights).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::{Settings, cluster};

    fn views() -> Views {
        Blobs { samples: 60, clusters: 3, features: vec![4, 5], separation: 9.0, seed: 3 }.generate().unwrap().0
    }

    fn given(weights: &[(&str, f64)]) -> Result<GivenWeights> {
        GivenWeights::new(weights.iter().map(|(name, weight)| ((*name).to_owned(), *weight)))
    }

    #[test]
    fn every_weighing_method_uses_them_and_the_others_refuse() {
        let views = views();
        for info in crate::method::REGISTRY.iter().filter(|info| !info.has(Property::Quadratic)) {
            let settings = Settings::with_method(3, info.id, &[])
                .unwrap()
                .weights(given(&[("view1", 3.0), ("view2", 1.0)]).unwrap());
            match cluster(&views, &settings) {
                Ok(found) => {
                    assert!(info.has(Property::Weighted), "{}", info.id);
                    if info.id != "kmeans" {
                        let weights: Vec<f64> = found.record.views.iter().map(|view| view.weight).collect();
                        assert_eq!(weights, [0.75, 0.25], "{}", info.id);
                    }
                }
                Err(error) => {
                    assert!(
                        !info.has(Property::Weighted) && error.to_string().contains("does not weigh views"),
                        "{}",
                        info.id
                    );
                }
            }
        }
    }

    #[test]
    fn a_view_of_weight_zero_has_no_say() {
        let views = views();
        // the second view tells other groups than the first
        let mut turned: Vec<crate::View> = views.iter().cloned().collect();
        let rows: Vec<usize> = (0..60).map(|i| i * 7 % 60).collect();
        turned[1] = turned[1].with_data(turned[1].data.select_rows(&rows));
        let (mixed, alone) = (Views::new(turned.clone()).unwrap(), Views::new(vec![turned[0].clone()]).unwrap());
        for method in ["slrmf", "average", "mfmsc", "kmeans"] {
            let settings = Settings::with_method(3, method, &[]).unwrap();
            let expected = cluster(&alone, &settings).unwrap().record.labels;
            let settings = settings.weights(given(&[("view1", 1.0), ("view2", 0.0)]).unwrap());
            assert_eq!(cluster(&mixed, &settings).unwrap().record.labels, expected, "{method}");
        }
    }

    #[test]
    fn weights_must_be_of_the_views() {
        let info = MethodInfo::named("slrmf").unwrap();
        let message = |weights: &[(&str, f64)]| {
            given(weights).and_then(|given| given.of(&views(), info)).unwrap_err().to_string()
        };
        assert_eq!(message(&[("view1", 1.0)]), "view `view2` has no weight");
        assert_eq!(message(&[("view1", 1.0), ("rna", 1.0)]), "unknown view `rna`");
        assert!(message(&[("view1", -1.0)]).contains("at least 0"));
        assert!(message(&[("view1", f64::NAN)]).contains("at least 0"));
        assert!(message(&[("view1", 0.0)]).contains("no view has a weight above 0"));
        assert!(message(&[("view1", 1.0), ("view1", 2.0)]).contains("two weights"));
    }
}
