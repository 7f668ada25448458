//! One view of the reference samples, and what new samples are compared by.

use crate::matrix::{Dense, Matrix, Real, for_matrix, median};
use crate::neighbours::{
    Distance, DistanceMetric, Exact, NeighbourSearch, Spread, Term, UnknownSamples, Weighting, mean_square_distance,
};
use crate::views::{Scaler, hellinger, looks_like_counts, zero_rows};
use crate::{Result, Run, View};

/// Fewer samples have no distances worth comparing.
const LEAST_KNOWN: usize = 3;

/// A view of the reference samples.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// n x d: scaled, and counts as Hellinger's distance wants them.
    pub(super) view: View,
    pub(super) weight: f64,
    pub(super) scaler: Scaler,
    /// Never negative and mostly zero.
    pub(super) is_counts: bool,
    /// Columns in which all reference samples are the same: what new samples have there cannot be compared with anything.
    pub(super) constant: Vec<usize>,
    /// Samples that the view does not know.
    pub(super) missing: Vec<bool>,
    pub(super) spread: Option<Spread>,
}

impl Reference {
    /// A view whose distances are not measured yet.
    pub(super) fn new(view: &View, scaler: &Scaler, weight: f64) -> Result<Self> {
        let scaled = view.with_data(scaler.transform(&view.data)?).blanked();
        let is_counts = looks_like_counts(&scaled.known().data);
        let missing = missing(&scaled, is_counts);
        let data = prepared(&scaled.data, is_counts).detached();
        Ok(Self {
            constant: constant_columns(&data, &missing),
            // which samples it knows is what `missing` says
            view: View::new(scaled.name.clone(), data).with_features(scaled.features.clone()),
            weight,
            scaler: scaler.clone(),
            is_counts,
            missing,
            spread: None,
        })
    }

    /// Measures how far the samples are from each other: a neighbour search.
    pub(super) fn measure(&mut self, run: &Run) -> Result<()> {
        self.spread = self.spread(run)?;
        Ok(())
    }

    fn spread(&self, run: &Run) -> Result<Option<Spread>> {
        let (known, sub) = (self.known(), self.known_view());
        let mean = mean_square_distance(&sub.data);
        if known.len() < LEAST_KNOWN || mean <= 0.0 {
            return Ok(None);
        }
        let distance = Distance::within(&sub, DistanceMetric::Euclidean);
        let found = Exact.search(&distance, Spread::LOCAL_NEIGHBOUR, run)?;
        Ok(Some(Spread::new(self.missing.len(), &known, mean, &found)))
    }

    /// The samples that the view knows.
    pub(super) fn known(&self) -> Vec<usize> {
        (0..self.missing.len()).filter(|&i| !self.missing[i]).collect()
    }

    /// The view of the samples that it knows: itself when it knows them all.
    pub(super) fn known_view(&self) -> View {
        if self.missing.contains(&true) {
            self.view.with_data(self.view.data.select_rows(&self.known()))
        } else {
            self.view.clone()
        }
    }

    /// New samples as the reference's are stored, and which of them the view does not know.
    pub(super) fn prepare(&self, new: &View) -> Result<(View, Vec<bool>)> {
        let scaled = new.with_data(self.scaler.transform(&new.data)?).blanked();
        let missing = missing(&scaled, self.is_counts);
        let mut data = prepared(&scaled.data, self.is_counts).stored_like(&self.view.data);
        match (&mut data, &self.view.data) {
            (Matrix::DenseF32(new), Matrix::DenseF32(old)) => self.level(new, old),
            (Matrix::DenseF64(new), Matrix::DenseF64(old)) => self.level(new, old),
            _ => {}
        }
        Ok((View::new(new.name.clone(), data), missing))
    }
}

impl Reference {
    /// Gives new samples the one value that columns without spread have.
    fn level<T: Real>(&self, new: &mut Dense<T>, old: &Dense<T>) {
        if self.constant.is_empty() {
            return;
        }
        let (width, any) = (new.cols().max(1), self.missing.iter().position(|missing| !missing).unwrap_or(0));
        for row in new.data_mut().chunks_exact_mut(width) {
            self.constant.iter().for_each(|&j| row[j] = old.get(any, j));
        }
    }
}

/// Samples that the view does not know, or of which a view of counts has nothing but zeros.
fn missing(view: &View, is_counts: bool) -> Vec<bool> {
    match view.absent() {
        // their rows are zeros too
        _ if is_counts => zero_rows(&view.data),
        Some(absent) => absent.to_vec(),
        None => vec![false; view.data.rows()],
    }
}

/// Columns of a dense matrix in which all samples that are not missing are the same.
pub(super) fn constant_columns(data: &Matrix, missing: &[bool]) -> Vec<usize> {
    fn of<T: Real>(m: &Dense<T>, known: &[usize]) -> Vec<usize> {
        (0..m.cols()).filter(|&j| known.iter().all(|&i| m.get(i, j) == m.get(known[0], j))).collect()
    }
    let known: Vec<usize> = (0..missing.len()).filter(|&i| !missing[i]).collect();
    for_matrix!(data, dense m => of(m, &known), sparse _m => Vec::new())
}

impl Spread {
    /// By the mean of the view's distances.
    pub(super) fn by_mean<'a>(&self, view: &'a View, missing: &'a [bool]) -> Term<'a> {
        term(view, Weighting::Uniform(1.0 / self.mean), missing, 1.0)
    }

    /// The mean squared distance by the local scales of the middle: what a pair is taken for that the view does not know.
    pub(super) fn neutral(&self) -> f64 {
        let middle = median(self.scales.clone());
        self.mean / (middle * middle)
    }
}

/// A view's part of a joint distance.
pub(super) fn term<'a>(view: &'a View, weighting: Weighting, missing: &'a [bool], neutral: f64) -> Term<'a> {
    let missing = missing.contains(&true).then_some(UnknownSamples { samples: missing, neutral });
    Term { view, metric: DistanceMetric::Euclidean, weighting, missing }
}

/// Scaled data as they are compared and kept: in single precision where that loses nothing but digits.
fn prepared(scaled: &Matrix, is_counts: bool) -> Matrix {
    let data = if is_counts { hellinger(scaled) } else { scaled.clone() };
    let small = |x: f64| x == 0.0 || (1e-30..1e30).contains(&x.abs());
    fn all<T: Real>(values: &[T], small: impl Fn(f64) -> bool) -> bool {
        values.iter().all(|x| small(x.to_f64()))
    }
    if !for_matrix!(&data, dense m => all(m.data(), small), sparse m => all(m.values(), small)) {
        return data;
    }
    match data {
        Matrix::DenseF64(m) => Matrix::DenseF32(m.cast()),
        Matrix::SparseF64(m) => Matrix::SparseF32(m.cast()),
        single => single,
    }
}
