//! Scores that name every cluster by a class: accuracy by the one-to-one assignment that gets most samples right, purity by
//! the majority.
//!
//! The assignment is made by shortest augmenting paths with potentials (Jonker and Volgenant 1987), on the cells of a sparse
//! table that exist. A row may stay without a column, so a search ends near its root instead of walking all zeros of the
//! table. The dense `kuhn_munkres` of `pathfinding`, our oracle in the tests, takes 20 to 45 seconds for 2000 random clusters.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Cell, Contingency};

/// Share of samples that are right under the best assignment of clusters to classes, each used at most once; the
/// samples of clusters left over are wrong. 1 for no samples.
pub fn accuracy(table: &Contingency) -> f64 {
    if table.samples() == 0 {
        return 1.0;
    }
    let right = heaviest(table.row_sums().len(), table.column_sums().len(), table.cells());
    right as f64 / table.samples() as f64
}

/// Share of samples that belong to their cluster's most frequent class; 1 for no samples. It never falls when a
/// cluster is split, so it means little for many clusters.
pub fn purity(table: &Contingency) -> f64 {
    if table.samples() == 0 {
        return 1.0;
    }
    let mut largest = vec![0; table.row_sums().len()];
    for cell in table.cells() {
        largest[cell.row] = cell.count.max(largest[cell.row]);
    }
    largest.iter().sum::<u64>() as f64 / table.samples() as f64
}

/// Most samples that an assignment of `rows` to `columns` gets right. Cells come by rows.
pub(super) fn heaviest(rows: usize, columns: usize, cells: &[Cell]) -> i64 {
    let assignment = Assignment::solved(rows, columns, cells);
    // by duality, and without a look-up of the chosen cells
    -(assignment.row_potentials.iter().sum::<i64>() + assignment.column_potentials.iter().sum::<i64>())
}

/// The column of every row in the heaviest assignment; a row for which no column is left that it shares a cell with has
/// none. Cells come by rows.
pub(crate) fn pairing(rows: usize, columns: usize, cells: &[Cell]) -> Vec<Option<usize>> {
    Assignment::solved(rows, columns, cells).column_of
}

/// Where a search may end.
#[derive(Clone, Copy)]
enum Goal {
    /// A row gives up its column, or never gets one.
    Leave(usize),
    /// A column that was free.
    Take(usize),
}

/// A row's cost of a column is minus the count, and 0 for none; a cost less both potentials is never negative.
struct Assignment<'a> {
    cells: &'a [Cell],
    starts: Vec<usize>,
    row_potentials: Vec<i64>,
    column_potentials: Vec<i64>,
    column_of: Vec<Option<usize>>,
    row_of: Vec<Option<usize>>,
    /// Of the search under way: distance of every column from the root and the row before it on the way, columns that
    /// wait, all columns seen, and columns whose distance is final.
    distances: Vec<i64>,
    before: Vec<usize>,
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
    seen: Vec<usize>,
    settled: Vec<usize>,
}

impl<'a> Assignment<'a> {
    fn solved(rows: usize, columns: usize, cells: &'a [Cell]) -> Self {
        let mut assignment = Self::new(rows, columns, cells);
        for row in 0..rows {
            assignment.place(row);
        }
        assignment
    }

    fn new(rows: usize, columns: usize, cells: &'a [Cell]) -> Self {
        let mut row_potentials = vec![0; rows];
        for cell in cells {
            row_potentials[cell.row] = (-(cell.count as i64)).min(row_potentials[cell.row]);
        }
        Self {
            cells,
            starts: (0..=rows).map(|row| cells.partition_point(|cell| cell.row < row)).collect(),
            row_potentials,
            column_potentials: vec![0; columns],
            column_of: vec![None; rows],
            row_of: vec![None; columns],
            distances: vec![i64::MAX; columns],
            before: vec![0; columns],
            waiting: BinaryHeap::new(),
            seen: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Gives `root` a column, if that is worth it, moving other rows out of the way.
    fn place(&mut self, root: usize) {
        let (goal, length) = self.search(root);
        self.row_potentials[root] += length;
        for &column in &self.settled {
            let rest = length - self.distances[column];
            self.column_potentials[column] -= rest;
            if let Some(row) = self.row_of[column] {
                self.row_potentials[row] += rest;
            }
        }
        self.augment(root, goal);
        for column in self.seen.drain(..) {
            self.distances[column] = i64::MAX;
        }
        self.settled.clear();
        self.waiting.clear();
    }

    /// The nearest goal from `root` and its distance.
    fn search(&mut self, root: usize) -> (Goal, i64) {
        let (mut row, mut reached) = (root, 0);
        let (mut goal, mut bound) = (Goal::Leave(root), -self.row_potentials[root]);
        loop {
            if reached - self.row_potentials[row] < bound {
                (goal, bound) = (Goal::Leave(row), reached - self.row_potentials[row]);
            }
            for cell in &self.cells[self.starts[row]..self.starts[row + 1]] {
                let column = cell.column;
                let cost = -(cell.count as i64) - self.row_potentials[row] - self.column_potentials[column];
                let distance = reached + cost;
                if distance >= bound || distance >= self.distances[column] {
                    continue;
                }
                if self.distances[column] == i64::MAX {
                    self.seen.push(column);
                }
                (self.distances[column], self.before[column]) = (distance, row);
                if self.row_of[column].is_none() {
                    (goal, bound) = (Goal::Take(column), distance);
                } else {
                    self.waiting.push(Reverse((distance, column)));
                }
            }
            let Some((next, distance)) = self.settle_next(bound) else { return (goal, bound) };
            (row, reached) = (next, distance);
        }
    }

    /// Takes the nearest waiting column below `bound`: the row that holds it, and its distance.
    fn settle_next(&mut self, bound: i64) -> Option<(usize, i64)> {
        while let Some(Reverse((distance, column))) = self.waiting.pop() {
            if distance >= bound {
                return None;
            }
            // an entry above the column's distance was overtaken by a shorter way
            if let Some(row) = self.row_of[column].filter(|_| distance == self.distances[column]) {
                self.settled.push(column);
                return Some((row, distance));
            }
        }
        None
    }

    /// Exchanges columns along the way back from the goal to `root`.
    fn augment(&mut self, root: usize, goal: Goal) {
        let mut free = match goal {
            Goal::Take(column) => Some(column),
            Goal::Leave(row) => self.column_of[row].take(),
        };
        while let Some(column) = free {
            let row = self.before[column];
            self.row_of[column] = Some(row);
            free = self.column_of[row].replace(column);
            if row == root {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathfinding::prelude::{Matrix, kuhn_munkres};

    fn accuracy_of(predicted: &[usize], truth: &[usize]) -> f64 {
        accuracy(&Contingency::new(predicted, truth).unwrap())
    }

    #[test]
    fn the_best_assignment_is_not_the_greedy_one() {
        // cluster 0 shares 3 samples with class 0 and 2 with class 1, cluster 1 shares 2 with class 0: 2 + 2 beats 3
        assert_eq!(accuracy_of(&[0, 0, 0, 0, 0, 1, 1], &[0, 0, 0, 1, 1, 0, 0]), 4.0 / 7.0);
    }

    #[test]
    fn clusters_and_classes_left_over() {
        assert_eq!(accuracy_of(&[0, 1, 2, 3], &[0, 0, 1, 1]), 0.5);
        assert_eq!(accuracy_of(&[0, 0, 1, 1], &[0, 1, 2, 3]), 0.5);
        assert_eq!(accuracy_of(&[4, 4, 4], &[9, 9, 9]), 1.0);
        assert_eq!(accuracy_of(&[], &[]), 1.0);
    }

    #[test]
    fn thousands_of_clusters() {
        let permuted: Vec<usize> = (0..100_000).map(|i| i * 7919 % 100_000).collect();
        let counted: Vec<usize> = (0..100_000).collect();
        assert_eq!(accuracy_of(&permuted, &counted), 1.0);
        // a ring of 2000 clusters: two samples in each, the second with the next class
        let predicted: Vec<usize> = (0..4000).map(|i| i / 2).collect();
        let truth: Vec<usize> = (0..4000_usize).map(|i| i.div_ceil(2) % 2000).collect();
        assert_eq!(accuracy_of(&predicted, &truth), 0.5);
        // no structure at all: the slowest case
        let scrambled = |by: usize| (0..20_000_usize).map(|i| i.wrapping_mul(by).wrapping_mul(i ^ by) % 2003).collect();
        let (predicted, truth): (Vec<usize>, Vec<usize>) = (scrambled(2_654_435_761), scrambled(40_503));
        assert!(accuracy_of(&predicted, &truth) < 0.2);
    }

    #[test]
    fn purity_by_hand() {
        let purity_of = |predicted: &[usize], truth: &[usize]| purity(&Contingency::new(predicted, truth).unwrap());
        assert_eq!(purity_of(&[0, 0, 0, 1, 1], &[0, 0, 1, 1, 2]), 0.6);
        assert_eq!(purity_of(&[0, 1, 2], &[0, 0, 0]), 1.0);
        assert_eq!(purity_of(&[], &[]), 1.0);
    }

    #[test]
    fn equal_to_the_dense_solver() {
        let mut state = 1_u64;
        for (rows, columns, share) in
            [(5, 5, 1), (8, 30, 2), (30, 8, 2), (25, 25, 3), (40, 40, 9), (1, 6, 1), (60, 60, 1)]
        {
            for _ in 0..20 {
                let mut draw = |below: u64| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) % below
                };
                let count = |_| if draw(share) == 0 { draw(9) } else { 0 };
                let counts: Vec<u64> = (0..rows * columns).map(count).collect();
                let all = counts.iter().enumerate();
                let all = all.map(|(at, &count)| Cell { row: at / columns, column: at % columns, count });
                let cells: Vec<Cell> = all.filter(|cell| cell.count > 0).collect();
                let padded = rows.max(columns);
                let dense = Matrix::from_fn(padded, padded, |(i, j)| {
                    if i < rows && j < columns { counts[i * columns + j] as i64 } else { 0 }
                });
                assert_eq!(heaviest(rows, columns, &cells), kuhn_munkres(&dense).0);
                let pairs = pairing(rows, columns, &cells);
                let chosen = pairs.iter().enumerate().filter_map(|(i, j)| j.map(|j| counts[i * columns + j]));
                assert_eq!(chosen.sum::<u64>() as i64, kuhn_munkres(&dense).0);
            }
        }
    }
}
