//! From graphs to random walks, and from the common walk to an affinity.

use rayon::prelude::*;

use crate::graph::Graph;
use crate::matrix::{Csr, Dense, Real, TASK_ROWS};
use crate::operator::DenseSymmetric;
use crate::{Result, Run};

/// `T = D^-1 W` (n x n, sparse). A vertex without edges has a zero row.
pub(super) fn of_graph(graph: &Graph) -> Csr<f64> {
    let mut T = graph.weights().clone();
    for (i, degree) in graph.degrees().iter().enumerate().filter(|(_, degree)| **degree > 0.0) {
        T.row_values_mut(i).iter_mut().for_each(|x| *x /= degree);
    }
    T
}

const MOST_STEPS: usize = 2000;
const STILL: f64 = 1e-12;
/// A sample that the walk never visits still needs a root to divide by.
const LEAST_SHARE: f64 = 1e-12;

/// The share of time that the walk `P` spends at every sample: `pi P = pi`, found by walking lazily, so that a walk of
/// period 2 settles too.
pub(super) fn stationary<F: Real>(P: &Dense<F>, run: &Run) -> Result<Vec<f64>> {
    let n = P.rows();
    let mut pi = vec![1.0 / n as f64; n];
    for _ in 0..MOST_STEPS {
        run.check()?;
        let parts = P.data().par_chunks(TASK_ROWS * n).zip(pi.par_chunks(TASK_ROWS)).map(|(rows, pi)| {
            let mut sums = vec![0.0; n];
            for (row, share) in rows.chunks_exact(n).zip(pi) {
                sums.iter_mut().zip(row).for_each(|(sum, p)| *sum += share * p.to_f64());
            }
            sums
        });
        let parts: Vec<Vec<f64>> = parts.collect();
        let next = (0..n).map(|j| 0.5 * (pi[j] + parts.iter().map(|part| part[j]).sum::<f64>()));
        let next: Vec<f64> = next.collect();
        let change: f64 = next.iter().zip(&pi).map(|(a, b)| (a - b).abs()).sum();
        if change < STILL {
            break;
        }
        pi = next;
    }
    Ok(pi)
}

/// `(Pi^1/2 P Pi^-1/2 + Pi^-1/2 P' Pi^1/2) / 2` (Zhou, Huang, Schoelkopf 2005), in the memory of P.
pub(super) fn affinity<F: Real>(mut P: Dense<F>, run: &Run) -> Result<DenseSymmetric<F>> {
    let n = P.rows();
    let roots: Vec<f64> = stationary(&P, run)?.iter().map(|share| share.max(LEAST_SHARE).sqrt()).collect();
    P.data_mut().par_chunks_mut(n).zip(&roots).for_each(|(row, root)| {
        row.iter_mut().zip(&roots).for_each(|(p, other)| *p = F::from_f64(p.to_f64() * root / other));
    });
    Ok(DenseSymmetric::symmetrised(P))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_of_two_samples_by_hand() {
        // pi = (2, 1) / 3; Pi^1/2 P Pi^-1/2 is symmetric, since two states are always reversible
        let P = Dense::new(2, 2, vec![0.75, 0.25, 0.5, 0.5]).unwrap();
        let pi = stationary(&P, &Run::default()).unwrap();
        assert!((pi[0] - 2.0 / 3.0).abs() < 1e-11 && (pi[1] - 1.0 / 3.0).abs() < 1e-11);
        let affinity = affinity(P, &Run::default()).unwrap();
        let expected = [0.75, 0.25 * 2.0_f64.sqrt(), 0.25 * 2.0_f64.sqrt(), 0.5];
        assert!(affinity.table().data().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11));
    }
}
