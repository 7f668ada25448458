//! Where the search for the eigenvectors of a large graph begins: at those of a small one, in which every vertex stands for some that
//! lie side by side.
//!
//! A run of many samples is made in the order of their cells (`order.rs`), so that those side by side are near each other and most
//! of them in the same cluster. In any other order the start is no worse than chance.

use rayon::prelude::*;

use super::TopEigen;
use crate::matrix::{Csr, Dense};
use crate::{Result, Run};

/// Vertices that one stands for.
const GROUP: usize = 32;
/// Accuracy of the small graph's eigenvectors, and the products they may take.
const TOLERANCE: f64 = 1e-2;
const MOST_PRODUCTS: usize = 100;

/// A start for the `count` largest eigenvalues of `graph` (n x n): n x count.
pub(crate) fn coarse_start(graph: &Csr<f64>, count: usize, seed: u64, run: &Run) -> Result<Dense<f64>> {
    let small = coarse(graph)?;
    let count = count.min(small.rows());
    let request = TopEigen { tolerance: TOLERANCE, max_products: MOST_PRODUCTS, ..TopEigen::for_labels(count, seed) };
    let found = request.solve(&small, None, &run.nested())?.vectors;
    Ok(Dense::from_fn(graph.rows(), count, |i, j| found.get(i / GROUP, j)))
}

/// `P'AP` where a column of P is a group of vertices, of length 1.
fn coarse(graph: &Csr<f64>) -> Result<Csr<f64>> {
    let (n, groups) = (graph.rows(), graph.rows().div_ceil(GROUP));
    let size = |group: usize| (n - group * GROUP).min(GROUP) as f64;
    let rows: Vec<Vec<(u32, f64)>> = (0..groups)
        .into_par_iter()
        .map(|group| {
            let members = group * GROUP..(group * GROUP + GROUP).min(n);
            let mut entries: Vec<(u32, f64)> = Vec::new();
            for i in members {
                let (columns, values) = graph.row(i);
                entries.extend(columns.iter().zip(values).map(|(&j, &value)| (j / GROUP as u32, value)));
            }
            // stable: sums are reproducible
            entries.sort_by_key(|&(other, _)| other);
            entries.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                sum.1 += if same { next.1 } else { 0.0 };
                same
            });
            entries.iter_mut().for_each(|(other, value)| *value /= (size(group) * size(*other as usize)).sqrt());
            entries
        })
        .collect();
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    });
    let indptr = std::iter::once(0).chain(ends).collect();
    let (indices, values) = rows.into_iter().flatten().unzip();
    Csr::new(groups, groups, indptr, indices, values)
}

#[cfg(test)]
mod tests {
    use super::super::tests::rings;
    use super::*;

    #[test]
    fn groups_are_vertices_with_the_sum_of_the_edges() {
        // 48 vertices: groups of 32 and 16; a ring has 31 and 15 edges within and 2 between them
        let small = coarse(&rings(1, 48)).unwrap();
        let between = 1.0 / (32.0_f64 * 16.0).sqrt();
        let close = |row: &[f64], expected: [f64; 2]| row.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12);
        assert!(close(small.row(0).1, [31.0 / 32.0, between]) && close(small.row(1).1, [between, 15.0 / 16.0]));
    }

    #[test]
    fn the_start_is_near_the_eigenvectors() {
        // three rings: the three eigenvectors of 1 are constant on each
        let graph = rings(3, 640);
        let start = coarse_start(&graph, 3, 1, &Run::default()).unwrap();
        assert_eq!((start.rows(), start.cols()), (1920, 3));
        let mut image = Dense::zeros(1920, 3);
        crate::operator::LinOp::apply(&graph, &start, &mut image);
        assert!(image.data().iter().zip(start.data()).all(|(y, x)| (y - x).abs() < 1e-2));
    }
}
