//! The similarity of two samples of a view, and the view's local kernel (Wang et al. 2014, online methods).

use rayon::prelude::*;

use super::pattern::{Pattern, TASK_ROWS};
use crate::graph::neighbours::{Distance, Exact, Metric, NeighbourSearch, Neighbours};
use crate::matrix::Csr;
use crate::{Result, Run, View};

/// Scales below this share of the mean scale are raised to it: crowds of equal samples have none of their own.
const LEAST_SCALE: f64 = 1e-6;
/// Distances beyond this many mean scales are all the same, and their squares stay finite.
const FARTHEST: f64 = 1e100;

/// `W(i, j) = exp(-rho^2 / (2 (mu eps)^2)) / eps`: the normal density of the distance `rho`, as the authors' programs
/// have it, with `eps = (mean_i + mean_j + rho) / 3`. Constant factors are left out: every use normalises.
pub(super) struct Kernel<'a> {
    distance: Distance<'a>,
    /// Mean distance of every sample to its K neighbours, in units of their mean.
    means: Vec<f64>,
    unit: f64,
    /// mu.
    spread: f64,
}

impl<'a> Kernel<'a> {
    /// The kernel of `view`, and its local kernel `S`, n x n.
    pub(super) fn new(view: &'a View, neighbours: usize, spread: f64, run: &Run) -> Result<(Self, Csr<f64>)> {
        let distance = Distance::within(view, Metric::Euclidean);
        let found = Exact.search(&distance, neighbours, run)?;
        let mean = |i| found.of(i).1.iter().map(|square| square.sqrt()).sum::<f64>() / found.count().max(1) as f64;
        let means: Vec<f64> = (0..found.len()).map(mean).collect();
        let unit = Some(means.iter().sum::<f64>() / means.len() as f64).filter(|unit| *unit > 0.0).unwrap_or(1.0);
        let means = means.into_iter().map(|mean| mean / unit).collect();
        let kernel = Self { distance, means, unit, spread };
        let S = kernel.local(&found)?;
        Ok((kernel, S))
    }

    /// `W(i, j)`, from the squared distance.
    fn weight(&self, i: usize, j: usize, square: f64) -> f64 {
        let rho = (square.sqrt() / self.unit).min(FARTHEST);
        let eps = ((self.means[i] + self.means[j] + rho) / 3.0).max(LEAST_SCALE);
        let z = rho / (self.spread * eps);
        (-0.5 * z * z).exp() / eps
    }

    /// `S`: `W` from every sample to itself and its K neighbours, rows of sum 1 (Eq. 3: the neighbours include the
    /// sample).
    fn local(&self, found: &Neighbours) -> Result<Csr<f64>> {
        let (n, width) = (found.len(), found.count() + 1);
        let (mut columns, mut values) = (Vec::with_capacity(n * width), Vec::with_capacity(n * width));
        for i in 0..n {
            let (samples, squares) = found.of(i);
            let others = samples.iter().zip(squares).map(|(&j, &square)| (j, self.weight(i, j as usize, square)));
            let mut row: Vec<(u32, f64)> = others.chain([(i as u32, self.weight(i, i, 0.0))]).collect();
            row.sort_unstable_by_key(|&(j, _)| j);
            let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
            columns.extend(row.iter().map(|&(j, _)| j));
            values.extend(row.iter().map(|&(_, weight)| weight / sum));
        }
        Csr::new(n, n, (0..=n).map(|i| i * width).collect(), columns, values)
    }

    /// `W` on the lower triangle of `pattern`; zeros elsewhere.
    pub(super) fn on(&self, pattern: &Pattern, run: &Run) -> Result<Vec<f64>> {
        let mut W = vec![0.0; pattern.len()];
        pattern.tasks(&mut W).into_par_iter().enumerate().try_for_each(|(task, out)| {
            run.check()?;
            let (first, begin) = (task * TASK_ROWS, pattern.places(task * TASK_ROWS).start);
            for i in first..pattern.samples().min(first + TASK_ROWS) {
                for place in pattern.places(i) {
                    let j = pattern.columns()[place] as usize;
                    if j < i {
                        out[place - begin] = self.weight(i, j, self.distance.between(i, j));
                    }
                }
            }
            Ok(())
        })?;
        Ok(W)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    #[test]
    fn weights_by_hand() {
        let view = View::new("line", Dense::new(3, 1, vec![0.0, 1.0, 3.0]).unwrap());
        let (kernel, S) = Kernel::new(&view, 1, 0.5, &Run::default()).unwrap();
        // mean distances 1, 1, 2, so the unit is 4/3; the pair 0, 1 has eps = 1 of the data's own units
        let expected = |rho: f64, eps: f64| (-2.0 * (rho / eps).powi(2)).exp() / (eps * 0.75);
        assert!((kernel.weight(0, 1, 1.0) - expected(1.0, 1.0)).abs() < 1e-14);
        assert!((kernel.weight(1, 2, 4.0) - expected(2.0, 5.0 / 3.0)).abs() < 1e-14);
        let (near, own) = (expected(1.0, 1.0), expected(0.0, 2.0 / 3.0));
        assert_eq!(S.row(0).0, [0, 1]);
        assert!((S.row(0).1[1] - near / (near + own)).abs() < 1e-14);
    }

    #[test]
    fn equal_samples_and_a_lonely_one_have_finite_weights() {
        for rows in [1, 6] {
            let view = View::new("same", Dense::<f64>::zeros(rows, 2));
            let (kernel, S) = Kernel::new(&view, 3, 0.5, &Run::default()).unwrap();
            let sums = (0..rows).map(|i| S.row(i).1.iter().sum::<f64>());
            assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-14));
            assert!(kernel.on(&Pattern::full(rows), &Run::default()).unwrap().iter().all(|w| w.is_finite()));
        }
    }
}
