//! Views made ready for blocks of matrix products.

use std::borrow::Cow;

use rayon::prelude::*;

use super::DistanceMetric;
use super::kernels::{products_to_angles, products_to_squares, square_length};
use crate::matrix::{Csr, Dense, Matrix, ROW_CHUNK, Real, for_matrix};
use crate::{Error, Result, View};

/// Samples per block: two blocks of 500 features and their products stay in a core's cache.
pub(super) const BLOCK: usize = 256;

/// A view's samples ready for blocks of products, in one precision. What is compared is plain: weights and missing samples are
/// the affair of the [`Sum`](super::sums::Sum) that a comparison is part of.
pub(super) struct Prepared<'a, T: Real> {
    values: Values<'a, T>,
    metric: DistanceMetric,
    /// Squared lengths (Euclidean), or one over the lengths (cosine).
    lengths: Vec<T>,
    /// What a pair's comparison may be off by, over the lengths of the pair.
    relative_error: f64,
    longest: f64,
}

enum Values<'a, T: Real> {
    Dense(Cow<'a, Dense<T>>),
    /// The rows, and every block of rows transposed: the inverted index that products of sparse rows walk along.
    Sparse(Cow<'a, Csr<T>>, Vec<Csr<T>>),
}

impl<'a, T: Real> Prepared<'a, T> {
    /// `view` with the [`offset`] of the reference that it is to be compared with.
    pub(super) fn new(view: &'a View, metric: DistanceMetric, offset: Option<&[f64]>) -> Result<Self> {
        let values = for_matrix!(&view.data, dense m => Values::Dense(moved(m, offset)), sparse m => inverted(m));
        let square = square_length::<T>;
        let squares: Vec<f64> = match &values {
            Values::Dense(m) => m.iter_rows().map(square).collect(),
            Values::Sparse(m, _) => (0..m.rows()).map(|i| square(m.row(i).1)).collect(),
        };
        let length = |&square: &f64| match metric {
            DistanceMetric::Euclidean => T::from_f64(square),
            DistanceMetric::Cosine => T::from_f64(if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }),
        };
        let lengths: Vec<T> = squares.iter().map(length).collect();
        if let Some(row) = lengths.iter().position(|x| !(x.to_f64() * 4.0).is_finite()) {
            return Err(Error::data_with_hint(
                format!("{}: row {} is too long for distances in floating point", view.describe(), row + 1),
                "scale the view (zscore or minmax), or divide it by a power of ten",
            ));
        }
        Ok(Self {
            // errors of a sum grow like the root of its length; the rest is room
            relative_error: 8.0 * T::EPSILON * (2.0 + (view.data.cols() as f64).sqrt()),
            longest: lengths.iter().map(|x| x.to_f64()).fold(0.0, f64::max),
            values,
            metric,
            lengths,
        })
    }

    /// Number of samples.
    pub(super) fn samples(&self) -> usize {
        self.lengths.len()
    }

    /// What the comparison of query `i` with any sample of this reference may be off by.
    pub(super) fn rounding(&self, queries: &Self, i: usize) -> f64 {
        let size = match self.metric {
            DistanceMetric::Euclidean => queries.lengths[i].to_f64() + self.longest,
            DistanceMetric::Cosine => 2.0,
        };
        self.relative_error * size
    }

    /// Compares block `p` of the queries (rows of `out`) with block `q` of this reference (its columns).
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
        let finish = match self.metric {
            DistanceMetric::Euclidean => products_to_squares,
            DistanceMetric::Cosine => products_to_angles,
        };
        let lengths = &self.lengths[columns];
        rows.zip(out.chunks_exact_mut(lengths.len())).for_each(|(i, out)| finish(out, queries.lengths[i], lengths));
    }

    fn range(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.lengths.len())
    }
}

/// What is to be subtracted from the features of a reference, and of all that is compared with it, before products are taken: their
/// mean, where the data lie far from the origin. Distances stay, and the product formula stops cancelling.
pub(super) fn offset(reference: &View, metric: DistanceMetric) -> Option<Vec<f64>> {
    match &reference.data {
        Matrix::DenseF32(m) if metric == DistanceMetric::Euclidean => far_mean(m),
        Matrix::DenseF64(m) if metric == DistanceMetric::Euclidean => far_mean(m),
        _ => None,
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

fn inverted<'a, S: Real, T: Real>(m: &'a Csr<S>) -> Values<'a, T> {
    let rows = match (m as &dyn std::any::Any).downcast_ref::<Csr<T>>() {
        Some(same) => Cow::Borrowed(same),
        None => Cow::Owned(m.cast()),
    };
    let index = (0..m.rows().div_ceil(BLOCK))
        .into_par_iter()
        .map(|b| rows.slice_rows(b * BLOCK..((b + 1) * BLOCK).min(m.rows())).transposed())
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
