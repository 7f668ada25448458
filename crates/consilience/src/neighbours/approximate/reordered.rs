//! A distance over some of the samples in another order and precision.

use std::any::TypeId;

use rayon::prelude::*;

use crate::View;
use crate::matrix::{Dense, Matrix, Real};
use crate::neighbours::{Distance, DistanceMetric, Missing, Shared, Term, Weighting};

/// What the terms of a [`Distance`] borrow.
pub(super) struct Reordered {
    terms: Vec<Owned>,
    shared: Option<Shared>,
}

struct Owned {
    view: View,
    metric: DistanceMetric,
    weighting: Weighting,
    /// The samples that are missing, and the value of the term for them.
    missing: Option<(Vec<bool>, f64)>,
}

impl Reordered {
    /// The samples `rows` of `distance`, for a search in the precision `T`.
    pub(super) fn new<T: Real>(distance: &Distance<'_>, rows: &[u32]) -> Self {
        let terms = distance.terms().iter().map(|term| Owned::new::<T>(term, rows)).collect();
        let places: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        Self { terms, shared: distance.shared().map(|shared| shared.select(&places)) }
    }

    pub(super) fn distance(&self) -> Distance<'_> {
        let terms = self.terms.iter().map(|term| Term {
            view: &term.view,
            metric: term.metric,
            weighting: term.weighting.clone(),
            missing: term.missing.as_ref().map(|(samples, neutral)| Missing { samples, neutral: *neutral }),
        });
        Distance::of(terms.collect()).over_shared(self.shared.clone())
    }
}

impl Owned {
    fn new<T: Real>(term: &Term<'_>, rows: &[u32]) -> Self {
        let weighting = match &term.weighting {
            Weighting::Uniform(weight) => Weighting::Uniform(*weight),
            Weighting::Local(scales) => Weighting::Local(rows.iter().map(|&i| scales[i as usize]).collect()),
        };
        let missing =
            term.missing.map(|missing| (rows.iter().map(|&i| missing.samples[i as usize]).collect(), missing.neutral));
        let view = term.view.with_data(selected::<T>(&term.view.data, rows));
        Self { view, metric: term.metric, weighting, missing }
    }
}

/// The rows; of dense features only the precision that is needed, since there may be many of them.
fn selected<T: Real>(data: &Matrix, rows: &[u32]) -> Matrix {
    match data {
        Matrix::DenseF64(m) if TypeId::of::<T>() == TypeId::of::<f32>() => {
            let mut out = Dense::<f32>::zeros(rows.len(), m.cols());
            out.data_mut().par_chunks_exact_mut(m.cols().max(1)).zip(rows).for_each(|(out, &row)| {
                out.iter_mut().zip(m.row(row as usize)).for_each(|(out, x)| *out = *x as f32);
            });
            out.into()
        }
        other => other.select_rows(&rows.iter().map(|&row| row as usize).collect::<Vec<usize>>()),
    }
}
