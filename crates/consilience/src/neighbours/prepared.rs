//! Terms of a distance made ready for blocks of matrix products.

use std::borrow::Cow;

use rayon::prelude::*;

use super::kernels::{products_to_angles, products_to_squares, square_length};
use super::{DistanceMetric, Missing, Term, Weighting};
use crate::matrix::{Csr, Dense, Matrix, ROW_CHUNK, Real};
use crate::{Error, Result};

/// A term ready for blocks of products, in one precision.
pub(super) struct Prepared<'a, T: Real> {
    values: Values<'a, T>,
    metric: DistanceMetric,
    /// Squared lengths (Euclidean), or one over the lengths (cosine).
    lengths: Vec<T>,
    /// What a pair's comparison is multiplied by: a factor per sample.
    factors: Vec<T>,
    missing: Option<Missing<'a>>,
    /// What a pair's term may be off by, over the lengths and factors of the pair.
    relative_error: f64,
    longest: f64,
    largest_factor: f64,
    block: usize,
}

enum Values<'a, T: Real> {
    Dense(Cow<'a, Dense<T>>),
    /// The rows, and every block of rows transposed: the inverted index that products of sparse rows walk along.
    Sparse(Cow<'a, Csr<T>>, Vec<Csr<T>>),
}

impl<T: Real> Values<'_, T> {
    fn features(&self) -> usize {
        match self {
            Self::Dense(m) => m.cols(),
            Self::Sparse(m, _) => m.cols(),
        }
    }
}

impl<'a, T: Real> Prepared<'a, T> {
    /// `term` with the [`offset`] of the reference that it is to be compared with.
    pub(super) fn new(term: &Term<'a>, offset: Option<&[f64]>, block: usize) -> Result<Self> {
        let values = match &term.view.data {
            Matrix::DenseF32(m) => Values::Dense(moved(m, offset)),
            Matrix::DenseF64(m) => Values::Dense(moved(m, offset)),
            Matrix::SparseF32(m) => inverted(m, block),
            Matrix::SparseF64(m) => inverted(m, block),
        };
        Self::from_values(values, term, block)
    }

    /// Plain terms as one: the weights go into the features.
    pub(super) fn side_by_side(terms: &[(&Term<'a>, &Term<'_>)], block: usize) -> Result<Self> {
        let parts: Vec<(f64, Cow<'a, Dense<T>>)> = terms
            .par_iter()
            .filter_map(|(term, reference)| {
                let offset = offset(reference);
                match (&term.weighting, &term.view.data) {
                    (Weighting::Uniform(weight), Matrix::DenseF32(m)) => {
                        Some((weight.sqrt(), moved(m, offset.as_deref())))
                    }
                    (Weighting::Uniform(weight), Matrix::DenseF64(m)) => {
                        Some((weight.sqrt(), moved(m, offset.as_deref())))
                    }
                    _ => None,
                }
            })
            .collect();
        let first = terms[0].0;
        let (rows, width) = (first.view.data.rows(), parts.iter().map(|(_, m)| m.cols()).sum::<usize>());
        let mut wide = Vec::with_capacity(rows * width);
        for i in 0..rows {
            for (scale, m) in &parts {
                let scale = T::from_f64(*scale);
                wide.extend(m.row(i).iter().map(|&x| x * scale));
            }
        }
        let wide = Values::Dense(Cow::Owned(Dense::new(rows, width, wide)?));
        let term = Term { weighting: Weighting::Uniform(1.0), ..first.clone() };
        Self::from_values(wide, &term, block)
    }

    fn from_values(values: Values<'a, T>, term: &Term<'a>, block: usize) -> Result<Self> {
        let square = square_length::<T>;
        let squares: Vec<f64> = match &values {
            Values::Dense(m) => m.iter_rows().map(square).collect(),
            Values::Sparse(m, _) => (0..m.rows()).map(|i| square(m.row(i).1)).collect(),
        };
        let lengths: Vec<T> = squares
            .iter()
            .map(|&square| match term.metric {
                DistanceMetric::Euclidean => T::from_f64(square),
                DistanceMetric::Cosine => T::from_f64(if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }),
            })
            .collect();
        if let Some(row) = lengths.iter().position(|x| !(x.to_f64() * 4.0).is_finite()) {
            return Err(Error::data_with_hint(
                format!("{}: row {} is too long for distances in floating point", term.view.describe(), row + 1),
                "scale the view (zscore or minmax), or divide it by a power of ten",
            ));
        }
        let factors = factors(&term.weighting, squares.len());
        let most = |values: &[T]| values.iter().map(|x| x.to_f64()).fold(0.0, f64::max);
        Ok(Self {
            metric: term.metric,
            missing: term.missing,
            // errors of a sum grow like the root of its length; the rest is room
            relative_error: 8.0 * T::EPSILON * (2.0 + (values.features() as f64).sqrt()),
            longest: most(&lengths),
            largest_factor: most(&factors),
            values,
            lengths,
            factors,
            block,
        })
    }

    /// Number of samples.
    pub(super) fn samples(&self) -> usize {
        self.lengths.len()
    }

    /// What the term between query `i` and any sample of this reference may be off by.
    pub(super) fn rounding(&self, queries: &Self, i: usize) -> f64 {
        let size = match self.metric {
            DistanceMetric::Euclidean => queries.lengths[i].to_f64() + self.longest,
            DistanceMetric::Cosine => 2.0,
        };
        self.relative_error * size * queries.factors[i].to_f64() * self.largest_factor
    }

    /// Distances between block `p` of the queries (rows of `out`) and block `q` of this reference (its columns).
    pub(super) fn fill(&self, queries: &Self, p: usize, q: usize, out: &mut [T]) {
        let (rows, columns) = (queries.range(p), self.range(q));
        match (&queries.values, &self.values) {
            (Values::Dense(a), Values::Dense(b)) => {
                let left = &a.data()[rows.start * a.cols()..rows.end * a.cols()];
                let right = &b.data()[columns.start * b.cols()..columns.end * b.cols()];
                T::product_transposed(out, left, right, b.cols());
            }
            (Values::Sparse(a, _), Values::Sparse(_, index)) => sparse_product(out, a, rows.clone(), &index[q]),
            // queries are stored as their reference is: see `Exact::query`
            _ => out.fill(T::default()),
        }
        let right = (&self.lengths[columns.clone()], &self.factors[columns.clone()]);
        for (i, out) in rows.zip(out.chunks_exact_mut(columns.len())) {
            match self.metric {
                DistanceMetric::Euclidean => {
                    products_to_squares(out, queries.lengths[i], right.0, queries.factors[i], right.1);
                }
                DistanceMetric::Cosine => {
                    products_to_angles(out, queries.lengths[i], right.0, queries.factors[i], right.1);
                }
            }
            self.write_missing(queries, i, columns.clone(), out);
        }
    }

    /// The neutral value wherever query `i` or a sample in `columns` is missing.
    fn write_missing(&self, queries: &Self, i: usize, columns: std::ops::Range<usize>, out: &mut [T]) {
        let Some(neutral) = self.missing.or(queries.missing).map(|missing| T::from_f64(missing.neutral)) else {
            return;
        };
        if queries.missing.is_some_and(|missing| missing.samples[i]) {
            out.fill(neutral);
        } else if let Some(missing) = &self.missing {
            out.iter_mut().zip(&missing.samples[columns]).filter(|(_, gone)| **gone).for_each(|(x, _)| *x = neutral);
        }
    }

    fn range(&self, block: usize) -> std::ops::Range<usize> {
        block * self.block..((block + 1) * self.block).min(self.lengths.len())
    }
}

/// What pairs are multiplied by: the product of a factor for each of the two.
pub(super) fn factors<T: Real>(weighting: &Weighting, samples: usize) -> Vec<T> {
    match weighting {
        Weighting::Uniform(weight) => vec![T::from_f64(weight.sqrt()); samples],
        Weighting::Local(scales) => scales.iter().map(|scale| T::from_f64(1.0 / scale)).collect(),
    }
}

/// What is to be subtracted from the features before products are taken: their mean, where the data lie far from the
/// origin. Distances stay, and the product formula stops cancelling.
pub(super) fn offset(reference: &Term<'_>) -> Option<Vec<f64>> {
    if reference.metric == DistanceMetric::Cosine {
        return None;
    }
    match &reference.view.data {
        Matrix::DenseF32(m) => far_mean(m),
        Matrix::DenseF64(m) => far_mean(m),
        Matrix::SparseF32(_) | Matrix::SparseF64(_) => None,
    }
}

fn far_mean<S: Real>(m: &Dense<S>) -> Option<Vec<f64>> {
    let n = m.rows().max(1) as f64;
    let mut mean = vec![0.0; m.cols()];
    let mut squares = vec![0.0; m.cols()];
    for row in m.iter_rows() {
        for ((sum, square), x) in mean.iter_mut().zip(&mut squares).zip(row) {
            let x = x.to_f64();
            *sum += x;
            *square += x * x;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= n);
    let square = squares.iter().sum::<f64>() / n;
    let distance: f64 = mean.iter().map(|x| x * x).sum();
    // below this the mean costs less than half a bit of the spread
    (distance > 0.3 * square).then_some(mean)
}

/// Converted to the working precision, with `offset` subtracted.
fn moved<'a, S: Real, T: Real>(m: &'a Dense<S>, offset: Option<&[f64]>) -> Cow<'a, Dense<T>> {
    let Some(offset) = offset else {
        return same_precision(m).map_or_else(|| Cow::Owned(m.cast()), Cow::Borrowed);
    };
    let mut moved = Dense::zeros(m.rows(), m.cols());
    let width = m.cols() * ROW_CHUNK;
    moved.data_mut().par_chunks_mut(width).zip(m.data().par_chunks(width)).for_each(|(out, chunk)| {
        for (j, (out, x)) in out.iter_mut().zip(chunk).enumerate() {
            *out = T::from_f64(x.to_f64() - offset[j % m.cols()]);
        }
    });
    Cow::Owned(moved)
}

fn same_precision<S: Real, T: Real>(m: &Dense<S>) -> Option<&Dense<T>> {
    (m as &dyn std::any::Any).downcast_ref()
}

fn inverted<'a, S: Real, T: Real>(m: &'a Csr<S>, block: usize) -> Values<'a, T> {
    let rows = match (m as &dyn std::any::Any).downcast_ref::<Csr<T>>() {
        Some(same) => Cow::Borrowed(same),
        None => Cow::Owned(m.cast()),
    };
    let index = (0..m.rows().div_ceil(block))
        .into_par_iter()
        .map(|b| rows.slice_rows(b * block..((b + 1) * block).min(m.rows())).transposed())
        .collect();
    Values::Sparse(rows, index)
}

fn sparse_product<T: Real>(out: &mut [T], m: &Csr<T>, rows: std::ops::Range<usize>, index: &Csr<T>) {
    out.fill(T::default());
    for (i, out) in rows.zip(out.chunks_exact_mut(index.cols())) {
        let (columns, values) = m.row(i);
        for (&feature, &x) in columns.iter().zip(values) {
            let (samples, weights) = index.row(feature as usize);
            for (&sample, &w) in samples.iter().zip(weights) {
                out[sample as usize] += x * w;
            }
        }
    }
}
