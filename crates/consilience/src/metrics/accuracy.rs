//! Clustering accuracy: clusters are named by the one-to-one assignment to classes that gets most samples right.

use pathfinding::kuhn_munkres::{Weights, kuhn_munkres};

use super::{Cell, Contingency};

/// Share of samples that are right under the best assignment of clusters to classes, each used at most once; the
/// samples of clusters left over are wrong. 1 for no samples.
pub fn accuracy(table: &Contingency) -> f64 {
    if table.samples() == 0 {
        return 1.0;
    }
    let right: i64 = components(table).iter().map(|cells| best_assignment(cells)).sum();
    right as f64 / table.samples() as f64
}

/// The cells that hang together through shared rows or columns. Assignments in different components do not compete,
/// so each is solved alone: the solver is cubic, and thousands of clusters usually fall apart into small blocks.
fn components(table: &Contingency) -> Vec<Vec<Cell>> {
    let rows = table.row_sums().len();
    let mut parents: Vec<usize> = (0..rows + table.column_sums().len()).collect();
    for cell in table.cells() {
        let (a, b) = (root(&mut parents, cell.row), root(&mut parents, rows + cell.column));
        parents[a.max(b)] = a.min(b);
    }
    let mut blocks: Vec<Vec<Cell>> = vec![Vec::new(); rows];
    for &cell in table.cells() {
        // the smallest member of a component is always a row: rows come first, and no column is without a row
        blocks[root(&mut parents, cell.row)].push(cell);
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}

/// Most samples that a one-to-one assignment within `cells` gets right.
fn best_assignment(cells: &[Cell]) -> i64 {
    let one_row = cells.iter().all(|cell| cell.row == cells[0].row);
    let one_column = cells.iter().all(|cell| cell.column == cells[0].column);
    if one_row || one_column {
        return cells.iter().map(|cell| cell.count as i64).max().unwrap_or(0);
    }
    kuhn_munkres(&Block::new(cells)).0
}

/// The weights of one component for the solver, which wants no more rows than columns. Kept sparse: a dense table of
/// tens of thousands of clusters on both sides would not fit in memory.
#[derive(Clone)]
struct Block {
    columns: usize,
    starts: Vec<usize>,
    entries: Vec<(usize, i64)>,
}

impl Block {
    fn new(cells: &[Cell]) -> Self {
        let (mut rows, mut columns) = (places(cells, |cell| cell.row), places(cells, |cell| cell.column));
        if rows.distinct > columns.distinct {
            std::mem::swap(&mut rows, &mut columns);
        }
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_unstable_by_key(|&at| (rows.of_cell[at], columns.of_cell[at]));
        let mut starts = vec![0; rows.distinct + 1];
        for &row in &rows.of_cell {
            starts[row + 1] += 1;
        }
        for row in 0..rows.distinct {
            starts[row + 1] += starts[row];
        }
        let entries = order.into_iter().map(|at| (columns.of_cell[at], cells[at].count as i64)).collect();
        Self { columns: columns.distinct, starts, entries }
    }
}

impl Weights<i64> for Block {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        let entries = &self.entries[self.starts[row]..self.starts[row + 1]];
        let place = entries.partition_point(|entry| entry.0 < column);
        entries.get(place).filter(|entry| entry.0 == column).map_or(0, |entry| entry.1)
    }

    fn neg(&self) -> Self {
        let entries = self.entries.iter().map(|&(column, count)| (column, -count)).collect();
        Self { entries, ..self.clone() }
    }
}

/// The rows (or columns) of a component numbered from 0.
struct Places {
    of_cell: Vec<usize>,
    distinct: usize,
}

fn places(cells: &[Cell], key: impl Fn(&Cell) -> usize) -> Places {
    let mut keys: Vec<usize> = cells.iter().map(&key).collect();
    keys.sort_unstable();
    keys.dedup();
    let of_cell = cells.iter().map(|cell| keys.partition_point(|&other| other < key(cell))).collect();
    Places { of_cell, distinct: keys.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn separate_components_are_solved_apart() {
        let table = Contingency::new(&[0_usize, 0, 1, 2, 2, 3], &[0_usize, 1, 1, 2, 2, 2]).unwrap();
        assert_eq!(components(&table).len(), 2);
        assert_eq!(accuracy(&table), 4.0 / 6.0);
    }

    #[test]
    fn thousands_of_clusters() {
        let permuted: Vec<usize> = (0..100_000).map(|i| i * 7919 % 100_000).collect();
        let counted: Vec<usize> = (0..100_000).collect();
        assert_eq!(accuracy_of(&permuted, &counted), 1.0);
        // one component of 2000 x 2000: two samples per cluster, the second with the next class
        let predicted: Vec<usize> = (0..4000).map(|i| i / 2).collect();
        let truth: Vec<usize> = (0..4000_usize).map(|i| i.div_ceil(2) % 2000).collect();
        assert_eq!(accuracy_of(&predicted, &truth), 0.5);
    }
}
