//! Distances between samples as sums of terms, one or more per view.
//!
//! Concatenating features is a sum of squared distances, a joint graph a weighted one; with the sum made block by
//! block, dense and sparse views mix freely.

use super::kernels::square_distance;
use crate::matrix::{Dense, Matrix, Real};
use crate::{Error, Result, View, choice};

choice! {
    /// How two samples of a view are compared.
    pub enum DistanceMetric {
        /// Squared Euclidean distance.
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
    pub metric: DistanceMetric,
    /// What the comparison is multiplied by.
    pub weighting: Weighting,
    /// Samples that this view does not know.
    pub missing: Option<UnknownSamples<'a>>,
}

/// Samples without features in a view: whoever they are compared with, the term has the same value.
#[derive(Debug, Clone, Copy)]
pub struct UnknownSamples<'a> {
    /// Whether each sample is missing.
    pub samples: &'a [bool],
    /// The value of the term for a pair with a missing sample.
    pub neutral: f64,
}

/// How much of a sum of terms a pair of samples shares: views that do not know both say nothing about it.
///
/// The distance becomes `(sum + prior) / (weight of the views that know both + prior)`: the mean over what the pair shares,
/// drawn towards 1 the more, the less that is.
#[derive(Debug, Clone)]
pub struct Shared {
    /// n x views: the root of the view's weight for a sample that it knows, else 0.
    pub(super) roots: Dense<f64>,
    pub(super) prior: f64,
}

impl Shared {
    /// From the views' weights, which samples each knows (none: all of `samples`), and the weight of what is not known.
    pub fn new(samples: usize, views: &[(f64, Option<&[bool]>)], prior: f64) -> Self {
        let known = |i: usize, absent: Option<&[bool]>| !absent.is_some_and(|absent| absent[i]);
        let root = |i: usize, v: usize| if known(i, views[v].1) { views[v].0.max(0.0).sqrt() } else { 0.0 };
        Self { roots: Dense::from_fn(samples, views.len(), root), prior }
    }

    /// The distance of a pair with this sum of terms.
    fn mean(&self, i: usize, other: &Self, j: usize, sum: f64) -> f64 {
        let both: f64 = self.roots.row(i).iter().zip(other.roots.row(j)).map(|(a, b)| a * b).sum();
        (sum + self.prior) / (both + self.prior)
    }
}

/// A sum of terms over the same samples.
#[derive(Debug, Clone)]
pub struct Distance<'a> {
    terms: Vec<Term<'a>>,
    shared: Option<Shared>,
}

impl<'a> Distance<'a> {
    /// The distance within one view.
    pub fn within(view: &'a View, metric: DistanceMetric) -> Self {
        Self::sum([view], metric)
    }

    /// The sum of the views' distances: for the Euclidean metric, that of the concatenated features.
    pub fn sum(views: impl IntoIterator<Item = &'a View>, metric: DistanceMetric) -> Self {
        let term = |view| Term { view, metric, weighting: Weighting::Uniform(1.0), missing: None };
        Self::of(views.into_iter().map(term).collect())
    }

    /// Any sum of terms.
    pub fn of(terms: Vec<Term<'a>>) -> Self {
        Self { terms, shared: None }
    }

    /// The mean over what a pair shares, instead of the sum; terms must be 0 where a view does not know a sample.
    #[must_use]
    pub fn over_shared(self, shared: impl Into<Option<Shared>>) -> Self {
        Self { shared: shared.into(), ..self }
    }

    /// How much the pairs share, where not everything.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_ref()
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.terms.first().map_or(0, |term| term.view.data.rows())
    }

    /// The terms of the sum.
    pub fn terms(&self) -> &[Term<'a>] {
        &self.terms
    }

    /// The distance between two samples, by differences and in double precision: right to the last digits also where
    /// the product formula cancels.
    pub fn between(&self, i: usize, j: usize) -> f64 {
        self.across(i, self, j)
    }

    /// The distance from sample `i` of these to sample `j` of `reference`, which is a sum of the same terms.
    pub fn across(&self, i: usize, reference: &Distance<'_>, j: usize) -> f64 {
        let sum = self.terms.iter().zip(&reference.terms).map(|(own, other)| own.across(i, other, j)).sum();
        match (&self.shared, &reference.shared) {
            (Some(own), Some(other)) => own.mean(i, other, j, sum),
            _ => sum,
        }
    }

    /// Refuses queries whose distance is not made of the same terms as the reference's.
    ///
    /// # Errors
    /// When the numbers of terms, their metrics, uniform weights, kinds of weighting or numbers of features differ.
    pub fn check_queries(&self, reference: &Distance<'_>) -> Result<()> {
        let of = |shared: &Option<Shared>| shared.as_ref().map(|shared| (shared.roots.cols(), shared.prior));
        if of(&self.shared) != of(&reference.shared) {
            return Err(Error::data("queries and reference must take their means over the same views"));
        }
        if self.terms.len() != reference.terms.len() {
            let what = format!("queries have {} terms, the reference {}", self.terms.len(), reference.terms.len());
            return Err(Error::data(what));
        }
        for (own, other) in self.terms.iter().zip(&reference.terms) {
            let weighting = match (&own.weighting, &other.weighting) {
                (Weighting::Uniform(a), Weighting::Uniform(b)) => a == b,
                (Weighting::Local(_), Weighting::Local(_)) => true,
                _ => false,
            };
            if own.metric != other.metric || !weighting || own.view.data.cols() != other.view.data.cols() {
                return Err(Error::data_with_hint(
                    format!("queries cannot be compared with {}", other.view.describe()),
                    "both need the same features, metric and weighting",
                ));
            }
        }
        Ok(())
    }
}

impl Term<'_> {
    fn is_missing(&self, i: usize) -> bool {
        self.missing.is_some_and(|missing| missing.samples[i])
    }

    fn across(&self, i: usize, other: &Term<'_>, j: usize) -> f64 {
        if self.is_missing(i) || other.is_missing(j) {
            return other.missing.or(self.missing).map_or(0.0, |missing| missing.neutral);
        }
        let plain = match (&self.view.data, &other.view.data) {
            (Matrix::DenseF32(a), Matrix::DenseF32(b)) => compare_dense(a.row(i), b.row(j), self.metric),
            (Matrix::DenseF64(a), Matrix::DenseF64(b)) => compare_dense(a.row(i), b.row(j), self.metric),
            (Matrix::SparseF32(a), Matrix::SparseF32(b)) => compare(paired(a.row(i), b.row(j)), self.metric),
            (Matrix::SparseF64(a), Matrix::SparseF64(b)) => compare(paired(a.row(i), b.row(j)), self.metric),
            (a, b) => {
                let (a, b) = (a.row_entries(i), b.row_entries(j));
                compare(paired((&a.0, &a.1), (&b.0, &b.1)), self.metric)
            }
        };
        match (&self.weighting, &other.weighting) {
            (Weighting::Local(own), Weighting::Local(other)) => plain / (own[i] * other[j]),
            (Weighting::Uniform(weight), _) | (_, Weighting::Uniform(weight)) => weight * plain,
        }
    }
}

fn compare_dense<T: Real>(a: &[T], b: &[T], metric: DistanceMetric) -> f64 {
    match metric {
        DistanceMetric::Euclidean => square_distance(a, b),
        DistanceMetric::Cosine => compare(a.iter().zip(b).map(|(a, b)| (a.to_f64(), b.to_f64())), metric),
    }
}

fn compare(pairs: impl Iterator<Item = (f64, f64)>, metric: DistanceMetric) -> f64 {
    match metric {
        DistanceMetric::Euclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum(),
        DistanceMetric::Cosine => {
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
