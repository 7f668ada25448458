//! Conjugate gradients for many right sides at once: the columns share every product with the operator.
//!
//! faer's `matrix_free::conjugate_gradient` is block CG for one operator: it takes no shift per column, tests one residual
//! for the whole block and cannot be cancelled (its callback returns nothing). Here every column has its own shift and its
//! own tolerance, and a column that has converged is left alone.

use super::LinOp;
use crate::matrix::{Dense, column_sums, update_entries};
use crate::{Result, Run};

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub struct ConjugateGradient {
    /// A column is solved when `|b - A x|` is at most this, relative to `|b|`.
    pub tolerance: f64,
    /// Products of the operator with the block after which the best so far is returned.
    pub max_iterations: usize,
}

impl Default for ConjugateGradient {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 500 }
    }
}

/// How far it went.
#[derive(Debug, Clone, Copy)]
pub struct ConjugateGradientInfo {
    /// Products of the operator with the block.
    pub iterations: usize,
    /// The largest `|b - A x|` of a column, relative to `|b|`, by the recurrence.
    pub residual: f64,
    /// Whether every column is within the tolerance.
    pub converged: bool,
}

impl ConjugateGradient {
    /// Solves `(A + shifts[j] I) x_j = b_j` for every column j. `x` (n x b) is where the search begins and what it
    /// finds; `A + shifts[j] I` must be positive definite.
    ///
    /// # Errors
    /// When the run is cancelled. Not converging is no error: see [`ConjugateGradientInfo::converged`].
    pub fn solve(
        &self,
        operator: &dyn LinOp,
        shifts: &[f64],
        b: &Dense<f64>,
        x: &mut Dense<f64>,
        run: &Run,
    ) -> Result<ConjugateGradientInfo> {
        let width = b.cols();
        let mut image = Dense::zeros(b.rows(), width);
        apply_shifted(operator, shifts, x, &mut image);
        let mut residual = b.clone();
        update_entries(&mut residual, &image, |r, image, _| r - image);
        let mut direction = residual.clone();
        let sizes = column_dots(b, b);
        let mut squares = column_dots(&residual, &residual);
        let goals: Vec<f64> = sizes.iter().map(|size| self.tolerance.powi(2) * size).collect();
        let mut iterations = 1;
        // a finished column rests: more steps would only gather rounding errors
        let mut working: Vec<bool> = squares.iter().zip(&goals).map(|(square, goal)| square > goal).collect();
        while working.contains(&true) && iterations < self.max_iterations {
            run.check()?;
            apply_shifted(operator, shifts, &direction, &mut image);
            iterations += 1;
            let curvature = column_dots(&direction, &image);
            let step: Vec<f64> = (0..width)
                .map(|j| if working[j] && curvature[j] > 0.0 { squares[j] / curvature[j] } else { 0.0 })
                .collect();
            update_entries(x, &direction, |x, direction, j| x + step[j] * direction);
            update_entries(&mut residual, &image, |r, image, j| r - step[j] * image);
            let new = column_dots(&residual, &residual);
            let turn: Vec<f64> = (0..width).map(|j| if squares[j] > 0.0 { new[j] / squares[j] } else { 0.0 }).collect();
            update_entries(&mut direction, &residual, |direction, r, j| r + turn[j] * direction);
            (0..width).for_each(|j| working[j] &= new[j] > goals[j] && step[j] > 0.0);
            squares = new;
        }
        let relative = |(&square, &size): (&f64, &f64)| if square > 0.0 { (square / size).sqrt() } else { 0.0 };
        let largest = squares.iter().zip(&sizes).map(relative).fold(0.0, f64::max);
        let converged = squares.iter().zip(&goals).all(|(square, goal)| square <= goal);
        Ok(ConjugateGradientInfo { iterations, residual: largest, converged })
    }
}

fn apply_shifted(operator: &dyn LinOp, shifts: &[f64], x: &Dense<f64>, out: &mut Dense<f64>) {
    operator.apply(x, out);
    update_entries(out, x, |out, x, j| out + shifts[j] * x);
}

fn column_dots(a: &Dense<f64>, b: &Dense<f64>) -> Vec<f64> {
    column_sums(a, b, |x, y| x * y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    /// Tridiagonal, 2.1 and -1: positive definite.
    fn chain(n: usize) -> Csr<f64> {
        let entries = (0..n).flat_map(|i| {
            let diagonal = [(i, i as u32, 2.1)];
            let next = (i + 1 < n).then_some([(i, i as u32 + 1, -1.0), (i + 1, i as u32, -1.0)]);
            diagonal.into_iter().chain(next.into_iter().flatten())
        });
        Csr::from_entries(n, n, entries.collect()).unwrap()
    }

    #[test]
    fn two_by_two_by_hand() {
        // [[2.1, -1], [-1, 2.1]] x = (1, 0): x = (2.1, 1) / 3.41
        let mut x = Dense::zeros(2, 1);
        let b = Dense::new(2, 1, vec![1.0, 0.0]).unwrap();
        let info = ConjugateGradient::default().solve(&chain(2), &[0.0], &b, &mut x, &Run::default()).unwrap();
        assert!(info.converged && info.iterations <= 3);
        assert!((x.get(0, 0) - 2.1 / 3.41).abs() < 1e-12 && (x.get(1, 0) - 1.0 / 3.41).abs() < 1e-12);
    }

    #[test]
    fn the_residual_is_within_the_tolerance_for_every_shift() {
        let (n, shifts) = (3000, [0.0, 0.5, 30.0]);
        let b = Dense::from_fn(n, 3, |i, j| ((i * (j + 3)) % 17) as f64 - 8.0);
        let mut x = Dense::from_fn(n, 3, |i, _| (i % 5) as f64);
        let method = ConjugateGradient { tolerance: 1e-10, ..ConjugateGradient::default() };
        let info = method.solve(&chain(n), &shifts, &b, &mut x, &Run::default()).unwrap();
        assert!(info.converged && info.residual <= 1e-10);
        let mut image = Dense::zeros(n, 3);
        apply_shifted(&chain(n), &shifts, &x, &mut image);
        update_entries(&mut image, &b, |image, b, _| b - image);
        let errors = column_dots(&image, &image);
        assert!(errors.iter().zip(column_dots(&b, &b)).all(|(error, size)| error.sqrt() <= 2e-10 * size.sqrt()));
    }

    #[test]
    fn the_answer_is_a_good_start_and_no_right_side_means_no_work() {
        let b = Dense::from_fn(50, 2, |i, j| if j == 0 { i as f64 } else { 0.0 });
        let mut x = Dense::zeros(50, 2);
        let method = ConjugateGradient::default();
        let cold = method.solve(&chain(50), &[0.0, 0.0], &b, &mut x, &Run::default()).unwrap();
        let warm = ConjugateGradient { tolerance: 1e-7, ..method }
            .solve(&chain(50), &[0.0, 0.0], &b, &mut x, &Run::default())
            .unwrap();
        assert!(cold.converged && cold.iterations > 5 && warm.converged && warm.iterations == 1);
        assert!((0..50).all(|i| x.get(i, 1) == 0.0));
    }

    #[test]
    fn too_few_steps_are_reported() {
        let b = Dense::from_fn(200, 1, |i, _| i as f64);
        let method = ConjugateGradient { max_iterations: 3, ..ConjugateGradient::default() };
        let info = method.solve(&chain(200), &[0.0], &b, &mut Dense::zeros(200, 1), &Run::default()).unwrap();
        assert!(!info.converged && info.iterations == 3 && info.residual > 1e-8);
    }
}
