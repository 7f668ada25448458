//! Distances between samples as sums of terms, one or more per view.
//!
//! Concatenating features is a sum of squared distances, a joint graph a weighted one; with the sum made block by
//! block, dense and sparse views mix freely.

use super::kernels::square_distance;
use super::prepared::Prepared;
use crate::matrix::{Real, for_matrix};
use crate::parameters::choice;
use crate::{Result, View};

choice! {
    /// How two samples of a view are compared.
    pub enum Metric {
        /// Squared Euclidean distance.
        #[default]
        Euclidean = "euclidean",
        /// One minus the cosine of the angle; an all-zero sample is at distance 1 from every other.
        Cosine = "cosine",
    }
}

/// What a term is multiplied by.
#[derive(Debug, Clone)]
pub enum Weighting {
    /// The same for every pair.
    Uniform(f64),
    /// `1 / (s_i s_j)` with a scale `s` per sample.
    Local(Vec<f64>),
}

/// One view's part of a distance.
#[derive(Debug, Clone)]
pub struct Term<'a> {
    /// The view.
    pub view: &'a View,
    /// How its samples are compared.
    pub metric: Metric,
    /// What the comparison is multiplied by.
    pub weighting: Weighting,
    /// Samples that this view does not know.
    pub missing: Option<Missing<'a>>,
}

/// Samples without features in a view: whoever they are compared with, the term has the same value.
#[derive(Debug, Clone, Copy)]
pub struct Missing<'a> {
    /// Whether each sample is missing.
    pub samples: &'a [bool],
    /// The value of the term for a pair with a missing sample.
    pub neutral: f64,
}

impl Missing<'_> {
    pub(super) fn concerns(&self, i: usize, j: usize) -> bool {
        self.samples[i] || self.samples[j]
    }
}

impl Term<'_> {
    /// A weighted squared distance of dense features: several of these are one, of the weighted features side by side.
    fn is_plain(&self) -> bool {
        let uniform = matches!(self.weighting, Weighting::Uniform(_));
        uniform && self.metric == Metric::Euclidean && self.missing.is_none() && !self.view.data.is_sparse()
    }
}

/// A sum of terms over the same samples.
#[derive(Debug, Clone)]
pub struct Distance<'a> {
    terms: Vec<Term<'a>>,
}

impl<'a> Distance<'a> {
    /// The distance within one view.
    pub fn within(view: &'a View, metric: Metric) -> Self {
        Self::sum([view], metric)
    }

    /// The sum of the views' distances: for the Euclidean metric, that of the concatenated features.
    pub fn sum(views: impl IntoIterator<Item = &'a View>, metric: Metric) -> Self {
        let term = |view| Term { view, metric, weighting: Weighting::Uniform(1.0), missing: None };
        Self { terms: views.into_iter().map(term).collect() }
    }

    /// Any sum of terms.
    pub fn of(terms: Vec<Term<'a>>) -> Self {
        Self { terms }
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.terms.first().map_or(0, |term| term.view.data.rows())
    }

    /// The distance between two samples, by differences and in double precision: right to the last digits also where
    /// the product formula cancels.
    pub fn between(&self, i: usize, j: usize) -> f64 {
        let term = |term: &Term<'_>| {
            if let Some(missing) = term.missing.filter(|missing| missing.concerns(i, j)) {
                return missing.neutral;
            }
            let plain = for_matrix!(
                &term.view.data,
                dense m => match term.metric {
                    Metric::Euclidean => square_distance(m.row(i), m.row(j)),
                    Metric::Cosine => compare(m.row(i).iter().zip(m.row(j)).map(|(a, b)| (a.to_f64(), b.to_f64())), term.metric),
                },
                sparse m => compare(paired(m.row(i), m.row(j)), term.metric),
            );
            match &term.weighting {
                Weighting::Uniform(weight) => weight * plain,
                Weighting::Local(scale) => plain / (scale[i] * scale[j]),
            }
        };
        self.terms.iter().map(term).sum()
    }

    pub(super) fn prepare<T: Real>(&self, block: usize) -> Result<Vec<Prepared<'_, T>>> {
        let (plain, others): (Vec<_>, Vec<_>) = self.terms.iter().partition(|term| term.is_plain());
        let mut prepared: Vec<_> = others.iter().map(|term| Prepared::new(term, block)).collect::<Result<_>>()?;
        match plain.as_slice() {
            [] => {}
            [one] => prepared.push(Prepared::new(one, block)?),
            // one wide product is faster than several narrow ones
            several => prepared.push(Prepared::side_by_side(several, block)?),
        }
        Ok(prepared)
    }
}

fn compare(pairs: impl Iterator<Item = (f64, f64)>, metric: Metric) -> f64 {
    match metric {
        Metric::Euclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum(),
        Metric::Cosine => {
            let add = |(aa, bb, ab), (a, b): (f64, f64)| (aa + a * a, bb + b * b, ab + a * b);
            let (aa, bb, ab) = pairs.fold((0.0, 0.0, 0.0), add);
            if aa > 0.0 && bb > 0.0 { (1.0 - ab / (aa * bb).sqrt()).max(0.0) } else { 1.0 }
        }
    }
}

/// The entries of two sparse rows side by side, zero where only one has an entry.
fn paired<T: Real>(a: (&[u32], &[T]), b: (&[u32], &[T])) -> impl Iterator<Item = (f64, f64)> {
    let (mut p, mut q) = (0, 0);
    std::iter::from_fn(move || {
        let (from_a, from_b) = match (a.0.get(p), b.0.get(q)) {
            (None, None) => return None,
            (Some(x), Some(y)) => (x <= y, y <= x),
            (x, _) => (x.is_some(), x.is_none()),
        };
        let pair = (if from_a { a.1[p].to_f64() } else { 0.0 }, if from_b { b.1[q].to_f64() } else { 0.0 });
        p += usize::from(from_a);
        q += usize::from(from_b);
        Some(pair)
    })
}
