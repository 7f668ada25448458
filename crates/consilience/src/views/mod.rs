//! The input: several feature matrices ("views") of the same samples, checked once.
//!
//! Ground truth cannot reach a solver: it is not a field of [`Views`].
//!
//! ```
//! use consilience::{Scale, View, Views, matrix::Dense};
//!
//! let views = Views::new(vec![
//!     View::new("height", Dense::new(3, 1, vec![1.0, 2.0, 3.0])?),
//!     View::new("shape", Dense::from_fn(3, 2, |i, j| (i * j) as f64)),
//! ])?;
//! assert_eq!((views.samples(), views.len()), (3, 2));
//! let scalers = views.fit_scalers(Scale::Minmax);
//! assert_eq!(views.transformed(&scalers)?.named("height")?.data.rows(), 3);
//! let short = View::new("short", Dense::<f64>::zeros(2, 1));
//! assert!(Views::new(vec![views.named("height")?.clone(), short]).is_err(), "other samples");
//! # Ok::<(), consilience::Error>(())
//! ```

mod affinity;
mod check;
mod corrupt;
mod counts;
mod missing;
mod names;
mod presence;
mod scale;
mod summary;
pub(crate) mod two_sided;

use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use affinity::LOCAL_SCALE_NEIGHBOUR;
pub use affinity::Precomputed;
pub use check::shapes as check_shapes;
pub use corrupt::{Corruption, CorruptionMode};
pub(crate) use counts::{hellinger, raw_counts, suspicious_zero_rows, zero_rows};
pub use missing::{Missing, Resolved};
pub(crate) use scale::looks_like_counts;
#[cfg(test)]
pub(crate) use scale::moments_of_dense;
pub use scale::{Scale, Scaler};
pub use summary::ViewSummary;

use crate::matrix::{Matrix, count_distinct};
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
    /// Whether each sample is one that the view does not know; none when it knows all.
    absent: Option<Arc<[bool]>>,
    kind: affinity::Kind,
}

impl View {
    /// A view that did not come from a file.
    pub fn new(name: impl Into<String>, data: impl Into<Matrix>) -> Self {
        let kind = affinity::Kind::Features;
        Self { name: name.into(), data: data.into(), source: None, features: None, absent: None, kind }
    }

    /// The same view of other numbers: name, source, features and, for as many samples, which of them it knows are kept;
    /// data are not copied.
    #[must_use]
    pub fn with_data(&self, data: impl Into<Matrix>) -> Self {
        let data = data.into();
        let absent = self.absent.clone().filter(|absent| absent.len() == data.rows());
        let (name, source, features) = (self.name.clone(), self.source.clone(), self.features.clone());
        Self { name, data, source, features, absent, kind: self.kind }
    }

    /// The same view under another name.
    #[must_use]
    pub fn renamed(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same view with names of its columns.
    #[must_use]
    pub fn with_features(self, features: Option<Vec<String>>) -> Self {
        Self { features, ..self }
    }

    /// What a feature is called: its name, or "column" and its number from 1.
    pub fn feature_name(&self, feature: usize) -> String {
        let named = self.features.as_ref().and_then(|names| names.get(feature).cloned());
        named.unwrap_or_else(|| format!("column {}", feature + 1))
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
    /// Checks the views against each other and every number in them. A row that holds nothing but missing values (NaN) is a
    /// sample that the view does not know.
    ///
    /// # Errors
    /// Names file, view, row and column of the first thing that is wrong.
    pub fn new(views: Vec<View>) -> Result<Self> {
        check::shapes(&views)?;
        let views = views.into_iter().map(View::without_empty_rows).collect::<Result<Vec<View>>>()?;
        for view in &views {
            check::finite(view)?;
        }
        presence::somewhere(&views)?;
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
        let known = || self.views.iter().map(|view| view.name.as_str());
        self.views.iter().find(|view| view.name == name).ok_or_else(|| Error::unknown("view", name, known()))
    }

    /// Whether every view knows every sample.
    pub fn is_complete(&self) -> bool {
        self.views.iter().all(|view| view.absent().is_none())
    }

    /// Views that are mostly zeros, stored sparse; the others share their memory.
    #[must_use]
    pub fn compacted(&self) -> Self {
        // the zeros of samples that a view does not know say nothing about it
        let mostly_zeros = |view: &View| view.absent().is_none() || view.known().data.compacted().is_sparse();
        let compact = |view: &View| {
            if !view.is_affinity() && mostly_zeros(view) { view.data.compacted() } else { view.data.clone() }
        };
        let views = self.views.iter().map(|view| view.with_data(compact(view)));
        Self { views: views.collect(), samples: self.samples }
    }

    /// A scaler for every view; affinities stay as they are.
    pub fn fit_scalers(&self, scale: Scale) -> Vec<Scaler> {
        let scaler = |view: &View| match view.is_affinity() {
            true => Scaler::fit(Scale::None, &view.data),
            false => Scaler::fit(scale, &view.known().data),
        };
        self.views.iter().map(scaler).collect()
    }

    /// Every view scaled by its scaler.
    ///
    /// # Errors
    /// When a scaler was fitted on other features, or scaling overflows the view's precision.
    pub fn transformed(&self, scalers: &[Scaler]) -> Result<Self> {
        if scalers.len() != self.len() {
            return Err(Error::data(format!("there are {} scalers for {} views", scalers.len(), self.len())));
        }
        self.map(self.views.iter().zip(scalers).map(|(view, scaler)| scaler.transform(&view.data)))
    }

    /// Every view scaled by `scale`.
    ///
    /// # Errors
    /// When scaling overflows the view's precision.
    pub fn scaled(&self, scale: Scale) -> Result<Self> {
        self.transformed(&self.fit_scalers(scale))
    }

    /// Some of the samples, in the order of `rows`.
    ///
    /// # Errors
    /// When there are none, or a row lies outside.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        if rows.is_empty() || rows.iter().any(|&row| row >= self.samples) {
            return Err(Error::data(format!("a choice among {} samples is empty or lies outside", self.samples)));
        }
        let views = self.views.iter().map(|view| view.select_rows(rows));
        Ok(Self { views: views.collect(), samples: rows.len() })
    }

    /// Numbers that are equal for equal samples: sums of their entries, by view.
    pub(crate) fn sample_sums(&self, i: usize) -> Vec<u64> {
        self.views.iter().flat_map(|view| view.data.row_sums_of(i).map(f64::to_bits)).collect()
    }

    /// Whether two samples are the same in every view.
    pub(crate) fn are_equal(&self, a: usize, b: usize) -> bool {
        let same = |view: &View| view.is_absent(a) == view.is_absent(b) && view.data.row_key(a) == view.data.row_key(b);
        self.views.iter().all(same)
    }

    /// How many samples differ in any view; counting ends after one more than `most`.
    pub(crate) fn distinct_samples(&self, most: usize) -> usize {
        let key = |i: usize| self.views.iter().map(|view| view.data.row_key(i)).collect::<Vec<_>>();
        count_distinct((0..self.samples).map(key), most)
    }

    /// Every view with features corrupted, as in experiments; affinities stay as they are. Each view has its own stream of random numbers, named by
    /// its name, so that adding or reordering views changes nothing in the others.
    ///
    /// # Errors
    /// When the corruption's numbers make no sense, or a sparse view would not fit.
    pub fn corrupted(&self, corruption: &Corruption) -> Result<Self> {
        corruption.check()?;
        if corruption.mode == CorruptionMode::Lose {
            let lost = corruption.lost(&self.views);
            let views = self.views.iter().zip(&lost).map(|(view, lost)| {
                let kept = view.is_affinity();
                let gone = lost.iter().enumerate().map(|(i, lost)| !kept && *lost || view.is_absent(i));
                view.with_absent(&gone.collect::<Vec<bool>>())
            });
            return Self::new(views.collect::<Result<_>>()?);
        }
        self.map(self.views.iter().map(|view| match view.is_affinity() {
            true => Ok(view.data.clone()),
            false => corruption.apply(&view.name, &view.data),
        }))
    }

    fn map(&self, data: impl Iterator<Item = Result<Matrix>>) -> Result<Self> {
        let views = self.views.iter().zip(data).map(|(view, data)| Ok(view.with_data(data?).blanked()));
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
