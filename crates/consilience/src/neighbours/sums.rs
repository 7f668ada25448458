//! Distances as sums of plain comparisons of views: what is compared once serves every distance that it is part of.

use super::kernels::{add_weighted_row, sums_to_means};
use super::{Distance, Term, UnknownSamples, Weighting};
use crate::matrix::{Dense, Real};

/// A distance between queries and a reference, in one precision.
pub(super) struct Sum<'a, T> {
    terms: Vec<Summand<'a, T>>,
    shared: Option<SharedRoots<T>>,
    /// The comparison that is the distance as it is, where one is.
    pub(super) plain: Option<usize>,
}

/// A term: which plain comparison, and what it is multiplied by.
struct Summand<'a, T> {
    comparison: usize,
    queries: Side<'a, T>,
    reference: Side<'a, T>,
    /// The largest factor of the reference.
    largest: f64,
}

/// A factor per sample, and the samples whose term is neutral.
struct Side<'a, T> {
    factors: Vec<T>,
    missing: Option<UnknownSamples<'a>>,
}

/// What pairs share: see [`Shared`](super::Shared).
struct SharedRoots<T> {
    queries: Dense<T>,
    reference: Dense<T>,
    prior: f64,
}

impl<'a, T: Real> Sum<'a, T> {
    /// The comparison of every term by its number.
    pub(super) fn new(queries: &'a Distance<'_>, reference: &'a Distance<'_>, comparisons: &[usize]) -> Self {
        let terms = queries.terms().iter().zip(reference.terms()).zip(comparisons);
        let shared = queries.shared().zip(reference.shared()).map(|(own, other)| SharedRoots {
            queries: own.roots.cast(),
            reference: other.roots.cast(),
            prior: other.prior,
        });
        let terms: Vec<_> = terms.map(|((own, other), &comparison)| Summand::new(comparison, own, other)).collect();
        let one = |side: &Side<'_, T>| side.missing.is_none() && side.factors.iter().all(|x| x.to_f64() == 1.0);
        let plain = match terms.as_slice() {
            [term] if shared.is_none() && one(&term.queries) && one(&term.reference) => Some(term.comparison),
            _ => None,
        };
        Self { terms, shared, plain }
    }

    /// The distances `out` of query `i` from the samples of the reference from `first` on. `compared` has the comparisons of the same
    /// samples, by number.
    pub(super) fn add_up<'t>(
        &self,
        (i, first): (usize, usize),
        compared: impl Fn(usize) -> &'t [T],
        out: &mut [T],
        scratch: &mut Vec<T>,
    ) where
        T: 't,
    {
        out.fill(T::default());
        self.terms.iter().for_each(|term| term.add(i, first, compared(term.comparison), out));
        if let Some(SharedRoots { queries, reference, prior }) = &self.shared {
            let views = reference.cols();
            scratch.resize(out.len(), T::default());
            let others = &reference.data()[first * views..(first + out.len()) * views];
            T::product_transposed(scratch, queries.row(i), others, views);
            sums_to_means(out, scratch, T::from_f64(*prior));
        }
    }

    /// What the distances of query `i` may be off by, up to distances of `beyond`; `of` says it of the comparisons.
    pub(super) fn rounding(&self, i: usize, beyond: f64, of: impl Fn(usize) -> f64) -> f64 {
        let off = |term: &Summand<'_, T>| of(term.comparison) * term.queries.factors[i].to_f64() * term.largest;
        let sum: f64 = self.terms.iter().map(off).sum();
        // a mean over what is shared divides by the prior at least, and adds some roundings of its own
        self.shared.as_ref().map_or(sum, |shared| {
            sum / shared.prior + 8.0 * T::EPSILON * shared.reference.cols() as f64 * (1.0 + beyond)
        })
    }
}

impl<'a, T: Real> Summand<'a, T> {
    fn new(comparison: usize, queries: &Term<'a>, reference: &Term<'a>) -> Self {
        let (queries, reference) = (Side::new(queries), Side::new(reference));
        let largest = reference.factors.iter().map(|x: &T| x.to_f64()).fold(0.0, f64::max);
        Self { comparison, queries, reference, largest }
    }

    fn add(&self, i: usize, first: usize, compared: &[T], sum: &mut [T]) {
        let (own, other) = (&self.queries, &self.reference);
        let (factor, factors) = (own.factors[i], &other.factors[first..first + sum.len()]);
        let Some(neutral) = other.missing.or(own.missing).map(|missing| T::from_f64(missing.neutral)) else {
            return add_weighted_row(sum, compared, factor, factors);
        };
        if own.missing.is_some_and(|missing| missing.samples[i]) {
            return sum.iter_mut().for_each(|sum| *sum += neutral);
        }
        let gone = |j: usize| other.missing.is_some_and(|missing| missing.samples[first + j]);
        for (j, ((sum, &x), &other)) in sum.iter_mut().zip(compared).zip(factors).enumerate() {
            *sum += if gone(j) { neutral } else { x * (factor * other) };
        }
    }
}

impl<'a, T: Real> Side<'a, T> {
    fn new(term: &Term<'a>) -> Self {
        let factors = match &term.weighting {
            Weighting::Uniform(weight) => vec![T::from_f64(weight.sqrt()); term.view.data.rows()],
            Weighting::Local(scales) => scales.iter().map(|scale| T::from_f64(1.0 / scale)).collect(),
        };
        Self { factors, missing: term.missing }
    }
}
