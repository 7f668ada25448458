//! Which pairs of samples the networks keep: the same for all views and iterations, so that it is made once.

use rayon::prelude::*;

use crate::matrix::Csr;
use crate::{Result, Run, View, Views};

/// Rows that one task makes; no sum crosses rows, so the number is free.
pub(super) const TASK_ROWS: usize = 128;
/// At most this many samples may choose the same one. Only many equal samples, which all have the same few neighbours,
/// come near; without a bound their rows would make the work quadratic.
const MAX_IN_DEGREE: usize = 4096;

/// A symmetric set of pairs, every sample paired with itself too. Networks are lists of numbers in its order.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Where the pairs of every sample begin and end, as in a sparse matrix.
    indptr: Vec<usize>,
    /// The second sample of every pair.
    indices: Vec<u32>,
    /// Where the pair `(j, i)` of every `(i, j)` lies.
    mirror: Vec<usize>,
}

impl Pattern {
    /// All pairs of `n` samples.
    pub(super) fn full(n: usize) -> Self {
        let indices = (0..n).flat_map(|_| 0..n as u32).collect();
        Self::new((0..=n).map(|i| i * n).collect(), indices)
    }

    /// For every sample the `most` others with whom it shares most neighbours, by the product of the mean `S` of `locals`
    /// (n x n each) with its transpose; a pair is kept when either chose the other.
    pub(super) fn of_shared_neighbours(locals: &[Csr<f64>], most: usize, run: &Run) -> Result<Self> {
        let mut S = Csr::from_entries(locals[0].rows(), locals[0].cols(), Vec::new())?;
        for local in locals {
            S = S.merged(local, |sum, x| sum + x)?;
        }
        let n = S.rows();
        let transposed = largest_of_rows(&S.transposed(), MAX_IN_DEGREE)?;
        let tasks = (0..n.div_ceil(TASK_ROWS)).into_par_iter();
        let rows = tasks.map_init(
            || vec![0.0; n],
            |sums, task| {
                run.check()?;
                let rows = task * TASK_ROWS..n.min((task + 1) * TASK_ROWS);
                Ok(rows.map(|i| most_shared(i, &S, &transposed, most, sums)).collect())
            },
        );
        let rows: Vec<Vec<Vec<(u32, f64)>>> = rows.collect::<Result<_>>()?;
        let chosen = Csr::from_rows(n, rows.into_iter().flatten())?;
        let limited = largest_of_rows(&chosen.transposed(), MAX_IN_DEGREE)?;
        let both = limited.merged(&limited.transposed(), f64::max)?;
        Ok(Self::new(both.indptr().to_vec(), both.indices().to_vec()))
    }

    fn new(indptr: Vec<usize>, indices: Vec<u32>) -> Self {
        // rows are visited in rising order, so the pairs (j, 0), (j, 1) .. of a row j are met one after the other
        let mut next = indptr.clone();
        let mirror = indices.iter().map(|&j| {
            next[j as usize] += 1;
            next[j as usize] - 1
        });
        Self { mirror: mirror.collect(), indptr, indices }
    }

    /// Number of samples.
    pub(super) fn samples(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of pairs, both directions counted.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// Where the pairs of sample `i` lie.
    pub(super) fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.indptr[i]..self.indptr[i + 1]
    }

    /// The second sample of every pair.
    pub(super) fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The position of the pair at `position` in the lower triangle, where the second sample is not after the first.
    pub(super) fn lower(&self, position: usize) -> usize {
        position.max(self.mirror[position])
    }

    /// A network as a matrix, n x n.
    pub(super) fn matrix(&self, values: Vec<f64>) -> Result<Csr<f64>> {
        let n = self.samples();
        Csr::new(n, n, self.indptr.clone(), self.indices.clone(), values)
    }

    /// `values` cut into the slices that belong to one task's rows each.
    pub(super) fn tasks<'a>(&self, mut values: &'a mut [f64]) -> Vec<&'a mut [f64]> {
        let ends = self.indptr[1..].chunks(TASK_ROWS).filter_map(|rows| rows.last());
        let mut done = 0;
        let slices = ends.map(|&end| {
            let (slice, rest) = std::mem::take(&mut values).split_at_mut(end - done);
            (values, done) = (rest, end);
            slice
        });
        slices.collect()
    }
}

/// The columns of row `i` of `S S'` with the largest values: `most` besides `i` itself, in rising order. `sums` are n
/// zeros, before and after.
fn most_shared(i: usize, S: &Csr<f64>, transposed: &Csr<f64>, most: usize, sums: &mut [f64]) -> Vec<(u32, f64)> {
    let mut touched = Vec::new();
    for (&a, &weight) in S.row(i).0.iter().zip(S.row(i).1) {
        for (j, value) in transposed.entries(a as usize) {
            let sum = &mut sums[j];
            if *sum == 0.0 {
                touched.push(j as u32);
            }
            *sum += weight * value;
        }
    }
    // a product that underflowed to zero may be noted twice
    touched.sort_unstable();
    touched.dedup();
    let mut row: Vec<(u32, f64)> = touched.iter().map(|&j| (j, std::mem::take(&mut sums[j as usize]))).collect();
    row.retain(|&(j, _)| j as usize != i);
    keep_largest(&mut row, most);
    row.push((i as u32, f64::INFINITY));
    row.sort_unstable_by_key(|&(j, _)| j);
    row
}

/// The `most` largest of `row`; the lower column of equals.
fn keep_largest(row: &mut Vec<(u32, f64)>, most: usize) {
    if row.len() > most {
        row.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        row.truncate(most);
    }
}

fn largest_of_rows(matrix: &Csr<f64>, most: usize) -> Result<Csr<f64>> {
    if (0..matrix.rows()).all(|i| matrix.row(i).0.len() <= most) {
        return Ok(matrix.clone());
    }
    let rows = (0..matrix.rows()).map(|i| {
        let mut row: Vec<(u32, f64)> = matrix.entries(i).map(|(j, x)| (j as u32, x)).collect();
        keep_largest(&mut row, most);
        row.sort_unstable_by_key(|&(j, _)| j);
        row
    });
    Csr::from_rows(matrix.cols(), rows)
}

/// The row of every sample among those that the view knows.
pub(super) fn places(view: &View) -> Vec<Option<usize>> {
    let mut next = 0..view.data.rows();
    (0..view.data.rows()).map(|i| if view.is_absent(i) { None } else { next.next() }).collect()
}

/// The local kernels of the samples that the views know (n_v x n_v), over all samples (n x n). The row of a sample that a view
/// does not know is the mean of its rows in the others.
pub(super) fn spread_locals(locals: Vec<Csr<f64>>, views: &Views) -> Result<Vec<Csr<f64>>> {
    if views.is_complete() {
        return Ok(locals);
    }
    let n = views.samples();
    let spread: Vec<Csr<f64>> =
        locals.iter().zip(views).map(|(local, view)| local.spread(&view.present(), n)).collect::<Result<_>>()?;
    let mut sum = Csr::from_entries(n, n, Vec::new())?;
    for local in &spread {
        sum = sum.merged(local, |sum, x| sum + x)?;
    }
    let filled = |(local, view): (Csr<f64>, &View)| {
        let Some(absent) = view.absent() else { return Ok(local) };
        let mut entries = Vec::with_capacity(sum.nnz());
        for i in 0..n {
            let (columns, values) = if absent[i] { sum.row(i) } else { local.row(i) };
            // rows of every view that knows the sample sum to 1
            let total: f64 = values.iter().sum();
            entries.extend(columns.iter().zip(values).map(|(&j, x)| (i, j, x / total)));
        }
        Csr::from_entries(n, n, entries)
    };
    spread.into_iter().zip(views).map(filled).collect()
}

/// Where a view does not know both samples of a pair, the mean similarity over the views that do; none where no view does.
pub(super) fn fill_similarities(similarities: &mut [Vec<f64>], pattern: &Pattern, places: &[Vec<Option<usize>>]) {
    if places.iter().flatten().all(Option::is_some) {
        return;
    }
    let knows = |view: usize, i: usize, j: usize| places[view][i].is_some() && places[view][j].is_some();
    for i in 0..pattern.samples() {
        for position in pattern.range(i) {
            let j = pattern.indices()[position] as usize;
            let known: Vec<f64> =
                (0..places.len()).filter(|&view| knows(view, i, j)).map(|view| similarities[view][position]).collect();
            if known.is_empty() || known.len() == places.len() {
                continue;
            }
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            (0..places.len()).filter(|&view| !knows(view, i, j)).for_each(|view| similarities[view][position] = mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pattern: &Pattern) -> Vec<Vec<u32>> {
        (0..pattern.samples()).map(|i| pattern.indices()[pattern.range(i)].to_vec()).collect()
    }

    /// A chain 0 - 1 - 2 - 3 - 4, every sample with itself and its neighbours.
    fn chain() -> Csr<f64> {
        let near = (0..5_usize).flat_map(|i| (0..5_u32).map(move |j| (i, j, 3.0 - (i as f64 - f64::from(j)).abs())));
        Csr::from_entries(5, 5, near.filter(|entry| entry.2 >= 2.0).collect()).unwrap()
    }

    #[test]
    fn samples_that_share_most_neighbours_are_paired_both_ways() {
        let run = Run::default();
        // S S' of the chain: direct neighbours share 12 (at an end) or 12, those two steps apart 4
        let all = Pattern::of_shared_neighbours(&[chain()], 5, &run).unwrap();
        assert_eq!(rows(&all), [vec![0, 1, 2], vec![0, 1, 2, 3], vec![0, 1, 2, 3, 4], vec![1, 2, 3, 4], vec![2, 3, 4]]);
        let few = Pattern::of_shared_neighbours(&[chain(), chain()], 1, &run).unwrap();
        // of equals the lower: 1 and 2 and 3 choose the one before, 4 chooses 3
        assert_eq!(rows(&few), [vec![0, 1], vec![0, 1, 2], vec![1, 2, 3], vec![2, 3, 4], vec![3, 4]]);
    }

    #[test]
    fn lower_positions_name_the_same_pair() {
        let pattern = Pattern::of_shared_neighbours(&[chain()], 2, &Run::default()).unwrap();
        for i in 0..5 {
            for position in pattern.range(i) {
                let j = pattern.indices()[position] as usize;
                let lower = pattern.lower(position);
                assert!(pattern.range(i.max(j)).contains(&lower) && pattern.indices()[lower] as usize == i.min(j));
            }
        }
    }

    #[test]
    fn a_full_pattern_and_its_tasks_cover_everything() {
        let pattern = Pattern::full(300);
        assert_eq!(pattern.len(), 90_000);
        let mut values = vec![0.0; 90_000];
        let sizes: Vec<usize> = pattern.tasks(&mut values).iter().map(|slice| slice.len()).collect();
        assert_eq!(sizes, [128 * 300, 128 * 300, 44 * 300]);
    }
}
