//! Connected components of a graph.

use crate::matrix::Csr;

/// How many components share no edge. Edges of weight zero do not connect.
pub(super) fn count(weights: &Csr<f64>) -> usize {
    let mut seen = vec![false; weights.rows()];
    let mut open = Vec::new();
    let mut components = 0;
    for start in 0..weights.rows() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        components += 1;
        open.push(start);
        while let Some(i) = open.pop() {
            let (columns, values) = weights.row(i);
            for (&j, _) in columns.iter().zip(values).filter(|(_, weight)| **weight > 0.0) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    open.push(j as usize);
                }
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_by_hand() {
        let edge = |i: usize, j: u32, w| [(i, j, w), (j as usize, i as u32, w)];
        let edges: Vec<_> = [edge(0, 1, 1.0), edge(2, 3, 1.0), edge(1, 2, 0.0)].concat();
        let graph = Csr::from_entries(5, 5, edges).unwrap();
        assert_eq!(count(&graph), 3, "{{0, 1}}, {{2, 3}} and the lonely 4");
    }
}
