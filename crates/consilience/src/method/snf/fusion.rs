//! The fusion: every view's network is diffused through the view's own neighbours, starting from the others' networks.

use rayon::prelude::*;

use super::pattern::{Pattern, TASK_ROWS};
use crate::matrix::Csr;
use crate::{Result, Run};

/// The networks while they are fused. A network is symmetric, so that one number serves a pair of samples; where
/// products are made, only the lower triangle is.
pub(super) struct Fusion<'a> {
    pattern: &'a Pattern,
    /// `S_v`, n x n each.
    locals: &'a [Csr<f64>],
    /// `P_v` on the pattern.
    pub(super) networks: Vec<Vec<f64>>,
    /// The sum of the `P_v`.
    total: Vec<f64>,
    /// Room for what one view is diffused from, and for the product.
    others: Vec<f64>,
    product: Vec<f64>,
}

/// What an update did to a network.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Update {
    /// Sum of the squared changes.
    squared_change: f64,
    /// Sum of the squares.
    squared_norm: f64,
    /// The largest difference of a row's sum from 1.
    pub(super) row_sum_error: f64,
}

impl Update {
    /// Change of the network, relative to its norm.
    pub(super) fn change(&self) -> f64 {
        (self.squared_change / self.squared_norm).sqrt()
    }

    fn add(self, other: Self) -> Self {
        Self {
            squared_change: self.squared_change + other.squared_change,
            squared_norm: self.squared_norm + other.squared_norm,
            row_sum_error: self.row_sum_error.max(other.row_sum_error),
        }
    }
}

impl<'a> Fusion<'a> {
    /// Starts from similarities `W_v`, given on the lower triangle of the pattern.
    pub(super) fn new(pattern: &'a Pattern, locals: &'a [Csr<f64>], similarities: Vec<Vec<f64>>) -> Self {
        let zeros = || vec![0.0; pattern.len()];
        let network = |W: Vec<f64>| {
            let mut P = zeros();
            normalise(pattern, &W, &mut P);
            P
        };
        let networks = similarities.into_iter().map(network).collect();
        let mut fusion = Self { pattern, locals, networks, total: zeros(), others: zeros(), product: zeros() };
        fusion.sum();
        fusion
    }

    /// One iteration over all views, each from the others' networks before it: `P_v <- S_v (mean of P_w, w != v) S_v'`,
    /// normalised again. A single view is diffused from its own network.
    pub(super) fn iterate(&mut self, run: &Run) -> Result<Vec<Update>> {
        let count = self.networks.len();
        let mut updates = Vec::with_capacity(count);
        for (P, S) in self.networks.iter_mut().zip(self.locals) {
            let share = 1.0 / (count.max(2) - 1) as f64;
            let mean = |total: f64, own: f64| if count > 1 { share * (total - own) } else { own };
            let entries = self.others.iter_mut().zip(self.total.iter().zip(P.iter()));
            entries.for_each(|(other, (&total, &own))| *other = mean(total, own));
            diffuse(self.pattern, S, &self.others, &mut self.product, run)?;
            updates.push(normalise(self.pattern, &self.product, P));
        }
        self.sum();
        Ok(updates)
    }

    fn sum(&mut self) {
        self.total.fill(0.0);
        for P in &self.networks {
            self.total.iter_mut().zip(P).for_each(|(sum, x)| *sum += x);
        }
    }

    /// `|P_v - mean|^2 / |mean|^2` of every view: how far it is from what the views agree on.
    pub(super) fn disagreement(&self) -> Vec<f64> {
        let share = 1.0 / self.networks.len() as f64;
        let size: f64 = self.total.iter().map(|x| (share * x).powi(2)).sum();
        let far =
            |P: &Vec<f64>| P.iter().zip(&self.total).map(|(x, sum)| (x - share * sum).powi(2)).sum::<f64>() / size;
        self.networks.iter().map(far).collect()
    }

    /// The mean of the networks, normalised as they are, n x n.
    pub(super) fn finish(mut self) -> Result<Csr<f64>> {
        normalise(self.pattern, &self.total, &mut self.product);
        self.pattern.matrix(self.product)
    }
}

/// `S Q S'` on the lower triangle of the pattern, for a symmetric network `Q`. Row i of `S Q` is laid out over all
/// samples; an entry of the product then gathers it at the few neighbours of j.
fn diffuse(pattern: &Pattern, S: &Csr<f64>, Q: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
    let n = pattern.samples();
    let tasks = pattern.tasks(out).into_par_iter().enumerate();
    tasks.try_for_each_init(
        || vec![0.0; n],
        |row, (task, out)| {
            run.check()?;
            let (first, begin) = (task * TASK_ROWS, pattern.range(task * TASK_ROWS).start);
            for i in first..n.min(first + TASK_ROWS) {
                add_row_product(pattern, S.row(i), Q, row);
                for position in pattern.range(i) {
                    let j = pattern.indices()[position] as usize;
                    if j >= i {
                        break;
                    }
                    let (columns, values) = S.row(j);
                    let terms = columns.iter().zip(values).map(|(&b, value)| value * row[b as usize]);
                    out[position - begin] = terms.sum();
                }
                clear(pattern, S.row(i).0, row);
            }
            Ok(())
        },
    )
}

/// `row += s Q` for a row `s` of `S`.
fn add_row_product(pattern: &Pattern, s: (&[u32], &[f64]), Q: &[f64], row: &mut [f64]) {
    for (&a, &weight) in s.0.iter().zip(s.1) {
        let range = pattern.range(a as usize);
        for (&j, q) in pattern.indices()[range.clone()].iter().zip(&Q[range]) {
            row[j as usize] += weight * q;
        }
    }
}

/// Zeros wherever `add_row_product` wrote: all of a short row, the visited positions of a long one.
fn clear(pattern: &Pattern, visited: &[u32], row: &mut [f64]) {
    let touched: usize = visited.iter().map(|&a| pattern.range(a as usize).len()).sum();
    // filling is a few numbers per cycle, visiting a few cycles per number
    if row.len() < 8 * touched {
        return row.fill(0.0);
    }
    for &a in visited {
        pattern.indices()[pattern.range(a as usize)].iter().for_each(|&j| row[j as usize] = 0.0);
    }
}

/// Eq. 2: off the diagonal every row sums to 1/2, and the diagonal is 1/2; then the mean with the transpose. `X` is
/// symmetric and read on the lower triangle only, so that both steps are one factor per entry.
fn normalise(pattern: &Pattern, X: &[f64], P: &mut [f64]) -> Update {
    let n = pattern.samples();
    let inverse = |i: usize| {
        let others = pattern.range(i).filter(|&position| pattern.indices()[position] as usize != i);
        let sum: f64 = others.map(|position| X[pattern.lower(position)]).sum();
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    };
    let inverses: Vec<f64> = (0..n).into_par_iter().with_min_len(TASK_ROWS).map(inverse).collect();
    let rows = |(task, out): (usize, &mut [f64])| {
        let (first, begin) = (task * TASK_ROWS, pattern.range(task * TASK_ROWS).start);
        let mut update = Update::default();
        for i in first..n.min(first + TASK_ROWS) {
            let mut sum = 0.0;
            for position in pattern.range(i) {
                let j = pattern.indices()[position] as usize;
                let factor = 0.25 * (inverses[i] + inverses[j]);
                let new = if i == j { 0.5 } else { factor * X[pattern.lower(position)] };
                let old = std::mem::replace(&mut out[position - begin], new);
                update.squared_change += (new - old) * (new - old);
                update.squared_norm += new * new;
                sum += new;
            }
            update.row_sum_error = update.row_sum_error.max((sum - 1.0).abs());
        }
        update
    };
    let updates: Vec<Update> = pattern.tasks(P).into_par_iter().enumerate().map(rows).collect();
    updates.into_iter().fold(Update::default(), Update::add)
}
