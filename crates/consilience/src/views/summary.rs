//! What a view looks like, for `inspect`: computed before any check, so that broken data can be looked at.

use serde::Serialize;

use super::{Scale, View};
use crate::matrix::{Real, for_matrix};

/// Shape and health of one view.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ViewSummary {
    /// Its name.
    pub name: String,
    /// Number of samples.
    pub n: usize,
    /// Number of features.
    pub d: usize,
    /// `f32` or `f64`.
    pub precision: &'static str,
    /// `dense` or `sparse`, as stored.
    pub storage: &'static str,
    /// Share of the entries that are zero.
    pub zeros: f64,
    /// Smallest finite value.
    pub min: Option<f64>,
    /// Largest finite value.
    pub max: Option<f64>,
    /// Samples that are zero in every feature.
    pub zero_rows: usize,
    /// Features that have one value for all samples.
    pub constant_columns: usize,
    /// Entries that are not a number.
    pub missing: usize,
    /// Entries that are infinite.
    pub infinite: usize,
    /// The scaling that `auto` stands for here.
    pub auto_scale: &'static str,
}

/// Running account of a matrix, entry by entry.
struct Tally {
    zeros: usize,
    missing: usize,
    infinite: usize,
    low: Vec<f64>,
    high: Vec<f64>,
    zero_rows: usize,
}

impl Tally {
    fn add(&mut self, column: usize, x: f64) {
        self.zeros += usize::from(x == 0.0);
        self.missing += usize::from(x.is_nan());
        self.infinite += usize::from(x.is_infinite());
        if x.is_finite() {
            self.low[column] = self.low[column].min(x);
            self.high[column] = self.high[column].max(x);
        }
    }
}

impl View {
    /// Shape, range, zero rows, constant columns and missing values.
    pub fn summary(&self) -> ViewSummary {
        let (n, d) = (self.data.rows(), self.data.cols());
        let mut tally = Tally {
            zeros: 0,
            missing: 0,
            infinite: 0,
            low: vec![f64::INFINITY; d],
            high: vec![f64::NEG_INFINITY; d],
            zero_rows: 0,
        };
        for_matrix!(
            &self.data,
            dense m => for row in m.iter_rows() {
                row.iter().enumerate().for_each(|(j, x)| tally.add(j, x.to_f64()));
                tally.zero_rows += usize::from(row.iter().all(|x| x.to_f64() == 0.0));
            },
            sparse m => {
                let mut filled = vec![0_usize; d];
                for i in 0..n {
                    for (j, x) in m.entries(i) {
                        tally.add(j, x.to_f64());
                        filled[j] += 1;
                    }
                    tally.zero_rows += usize::from(m.entries(i).all(|(_, x)| x.to_f64() == 0.0));
                }
                tally.zeros += n * d - m.nnz();
                for j in (0..d).filter(|&j| filled[j] < n) {
                    tally.low[j] = tally.low[j].min(0.0);
                    tally.high[j] = tally.high[j].max(0.0);
                }
            },
        );
        let finite = |x: f64| x.is_finite().then_some(x);
        ViewSummary {
            name: self.name.clone(),
            n,
            d,
            precision: self.data.precision(),
            storage: if self.data.is_sparse() { "sparse" } else { "dense" },
            zeros: tally.zeros as f64 / ((n * d) as f64).max(1.0),
            min: finite(tally.low.iter().copied().fold(f64::INFINITY, f64::min)),
            max: finite(tally.high.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            zero_rows: tally.zero_rows,
            constant_columns: tally.low.iter().zip(&tally.high).filter(|(low, high)| low >= high).count(),
            missing: tally.missing,
            infinite: tally.infinite,
            auto_scale: Scale::Auto.resolve(&self.data).name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Dense};

    #[test]
    fn dense_and_sparse_agree_by_hand() {
        let dense = Dense::new(3, 3, vec![0.0, 5.0, 1.0, 0.0, 0.0, 0.0, 0.0, 5.0, -2.0]).unwrap();
        let sparse = View::new("s", Csr::from_dense(&dense).unwrap()).summary();
        let dense = View::new("d", dense).summary();
        for summary in [dense, sparse] {
            assert_eq!((summary.min, summary.max), (Some(-2.0), Some(5.0)));
            assert_eq!((summary.zero_rows, summary.constant_columns, summary.missing), (1, 1, 0));
            assert!((summary.zeros - 5.0 / 9.0).abs() < 1e-15);
        }
    }

    #[test]
    fn broken_numbers_are_counted_not_refused() {
        let m = Dense::new(2, 2, vec![f64::NAN, 1.0, f64::INFINITY, f64::NAN]).unwrap();
        let summary = View::new("x", m).summary();
        assert_eq!((summary.missing, summary.infinite, summary.min), (2, 1, Some(1.0)));
    }
}
