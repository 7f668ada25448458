//! The input: several feature matrices ("views") of the same samples, checked once.
//!
//! Ground truth cannot reach a solver: it is not a field of [`Views`].

mod check;
mod corrupt;
pub mod robust;
pub(crate) mod samples;
mod scale;
mod summary;

use std::path::PathBuf;

pub use corrupt::{Corruption, CorruptionMode};
pub use scale::Scale;
pub(crate) use scale::looks_like_counts;
pub use summary::ViewSummary;

use crate::matrix::Matrix;
use crate::{Error, Result};

/// One feature matrix: a row per sample, a column per feature.
#[derive(Debug, Clone)]
pub struct View {
    /// The name that messages, reports and `--views` use.
    pub name: String,
    /// The features.
    pub data: Matrix,
    /// The file it came from, for messages.
    pub source: Option<PathBuf>,
    /// Names of the columns, where the file had them.
    pub features: Option<Vec<String>>,
}

impl View {
    /// A view that did not come from a file.
    pub fn new(name: impl Into<String>, data: impl Into<Matrix>) -> Self {
        Self { name: name.into(), data: data.into(), source: None, features: None }
    }

    /// How messages call it: its name, and its file where it has one.
    pub fn describe(&self) -> String {
        match &self.source {
            Some(path) => format!("view `{}` (`{}`)", self.name, path.display()),
            None => format!("view `{}`", self.name),
        }
    }
}

/// Views of the same samples: at least one, none empty, equal numbers of rows, every number finite, names distinct.
#[derive(Debug, Clone)]
pub struct Views {
    views: Vec<View>,
    samples: usize,
}

impl Views {
    /// Checks the views against each other and every number in them.
    ///
    /// # Errors
    /// Names file, view, row and column of the first thing that is wrong.
    pub fn new(views: Vec<View>) -> Result<Self> {
        check::shapes(&views)?;
        for view in &views {
            check::finite(view)?;
        }
        let samples = views.first().map_or(0, |view| view.data.rows());
        Ok(Self { views, samples })
    }

    /// Number of samples, the same in every view.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Number of views, at least one.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Never true: there is at least one view.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The views, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, View> {
        self.views.iter()
    }

    /// The view called `name`.
    ///
    /// # Errors
    /// When there is none, with the names there are.
    pub fn named(&self, name: &str) -> Result<&View> {
        self.views.iter().find(|view| view.name == name).ok_or_else(|| Error::Unknown {
            kind: "view",
            name: name.to_owned(),
            known: self.views.iter().map(|view| view.name.clone()).collect(),
        })
    }

    /// Views that are mostly zeros, stored sparse; the others share their memory.
    ///
    /// # Errors
    /// Never: the numbers do not change.
    pub fn compacted(&self) -> Result<Self> {
        self.map(|view| Ok(view.data.compacted()))
    }

    /// Every view scaled by `scale`.
    ///
    /// # Errors
    /// When scaling overflows the view's precision.
    pub fn scaled(&self, scale: Scale) -> Result<Self> {
        self.map(|view| scale.apply(&view.data))
    }

    /// Every view corrupted, as in the paper's experiments. Each view has its own stream of random numbers, named by
    /// its name, so that adding or reordering views changes nothing in the others.
    ///
    /// # Errors
    /// When the corruption's numbers make no sense, or a sparse view would not fit.
    pub fn corrupted(&self, corruption: &Corruption) -> Result<Self> {
        corruption.check()?;
        self.map(|view| corruption.apply(&view.name, &view.data))
    }

    fn map(&self, change: impl Fn(&View) -> Result<Matrix>) -> Result<Self> {
        let views = self.views.iter().map(|view| Ok(View { data: change(view)?, ..view.clone() }));
        let views = Self { views: views.collect::<Result<_>>()?, samples: self.samples };
        views.iter().try_for_each(check::finite)?;
        Ok(views)
    }
}

impl<'a> IntoIterator for &'a Views {
    type Item = &'a View;
    type IntoIter = std::slice::Iter<'a, View>;

    fn into_iter(self) -> Self::IntoIter {
        self.views.iter()
    }
}
