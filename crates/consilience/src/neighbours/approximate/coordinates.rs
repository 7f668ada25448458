//! Samples as points: what cells are made of.

use rayon::prelude::*;

use crate::matrix::{Dense, Matrix, ROW_CHUNK, Real, fold, for_matrix, median};
use crate::neighbours::{Distance, DistanceMetric, Term, Weighting};

/// Terms of more features than this are folded to so many columns: distances stay about what they were, and cells only have to
/// be about right.
const MOST_COLUMNS: usize = 128;

/// All terms side by side, n x columns; squared distances between rows are about those of the sum of terms.
pub(super) fn coordinates(distance: &Distance<'_>) -> Dense<f32> {
    let terms: Vec<Placed<'_>> = distance.terms().iter().map(Placed::new).collect();
    let width: usize = terms.iter().map(|term| term.columns).sum();
    let mut points = Dense::zeros(distance.samples(), width);
    points.data_mut().par_chunks_mut(ROW_CHUNK * width.max(1)).enumerate().for_each(|(chunk, rows)| {
        for (at, mut row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            for term in &terms {
                let (own, rest) = row.split_at_mut(term.columns);
                term.write(chunk * ROW_CHUNK + at, own);
                row = rest;
            }
        }
    });
    points
}

/// A term and the columns that it gets.
struct Placed<'a> {
    term: &'a Term<'a>,
    columns: usize,
    /// The root of the weight; of local scales, that of a sample in the middle.
    scale: f64,
}

impl<'a> Placed<'a> {
    fn new(term: &'a Term<'a>) -> Self {
        let scale = match &term.weighting {
            Weighting::Uniform(weight) => weight.max(0.0).sqrt(),
            Weighting::Local(scales) => 1.0 / median(scales.clone()).max(f64::MIN_POSITIVE),
        };
        Self { term, columns: term.view.data.cols().min(MOST_COLUMNS), scale }
    }

    /// Writes sample `i`; one that the term does not know stays in the origin.
    fn write(&self, i: usize, out: &mut [f32]) {
        if self.term.missing.is_some_and(|missing| missing.samples[i]) {
            return;
        }
        match &self.term.view.data {
            Matrix::DenseF32(m) => self.add(m.row(i).iter().enumerate().map(|(j, x)| (j, x.to_f64())), out),
            Matrix::DenseF64(m) => self.add(m.row(i).iter().copied().enumerate(), out),
            Matrix::SparseF32(_) | Matrix::SparseF64(_) => for_matrix!(
                &self.term.view.data,
                dense _m => {},
                sparse m => {
                    let (columns, values) = m.row(i);
                    self.add(columns.iter().zip(values).map(|(&j, x)| (j as usize, x.to_f64())), out);
                },
            ),
        }
        if self.term.metric == DistanceMetric::Cosine {
            let length = out.iter().map(|x| x * x).sum::<f32>().sqrt();
            out.iter_mut().for_each(|x| *x /= length.max(f32::MIN_POSITIVE));
        }
        out.iter_mut().for_each(|x| *x *= self.scale as f32);
    }

    fn add(&self, entries: impl Iterator<Item = (usize, f64)>, out: &mut [f32]) {
        let folded = self.term.view.data.cols() > self.columns;
        for (j, x) in entries {
            let (column, sign) = if folded { fold(j, self.columns) } else { (j, 1.0) };
            out[column] += (sign * x) as f32;
        }
    }
}
