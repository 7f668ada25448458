use faer::Mat;
use proptest::prelude::*;
use serde_json::Value;

use super::shrink::ACCURACY;
use super::*;
use crate::Run;
use crate::matrix::{Dense, frobenius, frobenius_distance, from_mat, symmetric_eigen};

/// Numpy's results; made by scripts/make_quadratic_golden.py.
pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../../../tests/golden/quadratic.json")).unwrap()
}

pub(crate) fn matrix(value: &Value) -> Dense<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

/// Numbers between -1 and 1 that look random.
fn noise(n: usize, seed: usize) -> Dense<f64> {
    Dense::from_fn(n, n, |i, j| ((i * 7919 + j * 104_729 + seed * 1_299_709) as f64).sin())
}

/// `H S K` with two reflections H and K: singular values `value(0), value(1), ..`.
fn with_values(n: usize, seed: usize, value: impl Fn(usize) -> f64) -> Dense<f64> {
    let reflection = |seed: usize| {
        let u: Vec<f64> = (0..n).map(|i| ((i * 7919 + seed) as f64).sin()).collect();
        let square: f64 = u.iter().map(|x| x * x).sum();
        Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square)
    };
    let middle = Mat::from_fn(n, n, |i, j| if i == j { value(i) } else { 0.0 });
    from_mat(&(reflection(seed) * middle * reflection(seed + 1)))
}

fn singular_values(m: &Mat<f64>) -> Vec<f64> {
    let eigen = symmetric_eigen((m.transpose() * m).as_ref()).unwrap();
    eigen.values.iter().map(|square| square.max(0.0).sqrt()).collect()
}

fn shrunk(m: &Dense<f64>, threshold: f64) -> (Dense<f64>, Shrunk) {
    let mut out = Dense::zeros(m.rows(), m.cols());
    let found = Shrink::default().apply(m, threshold, &mut out, &Run::default()).unwrap();
    (out, found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// `M - J` must be t times a subgradient of the nuclear norm at J: at most t in norm, and `<M - J, J> = t |J|_*`.
    #[test]
    fn the_result_fulfils_its_optimality_conditions(n in 1..14_usize, seed in 0..1000_usize, threshold in 0.05..3.0_f64) {
        let m = noise(n, seed);
        let (out, found) = shrunk(&m, threshold);
        let gap = m.as_mat() - out.as_mat();
        let largest = singular_values(&gap)[0];
        prop_assert!(largest <= threshold + 1e-9, "{largest} above {threshold}");
        let nuclear: f64 = singular_values(&out.as_mat().to_owned()).iter().sum();
        let inner: f64 = (0..n).map(|i| (0..n).map(|j| gap[(i, j)] * out.get(i, j)).sum::<f64>()).sum();
        prop_assert!((inner - threshold * nuclear).abs() < 1e-6);
        prop_assert!((found.nuclear - nuclear).abs() < 1e-6 && (found.moved - frobenius(&out).powi(2)).abs() < 1e-8);
    }
}

/// A table that changes a little from step to step, as in an iteration: searched from the last vectors, and afresh.
#[test]
fn the_search_equals_the_whole_solution() {
    let (n, threshold) = (320, 0.3);
    let base = with_values(n, 3, |i| 3.0 * 0.9_f64.powi(i as i32));
    let turn = with_values(n, 8, |i| 0.02 / (1 + i) as f64);
    let (mut memory, mut out) = (Shrink::default(), Dense::zeros(n, n));
    for step in 0..4 {
        let m = Dense::from_fn(n, n, |i, j| base.get(i, j) + f64::from(step) * turn.get(i, j));
        let found = memory.apply(&m, threshold, &mut out, &Run::default()).unwrap();
        let (exact, expected) = shrunk(&m, threshold);
        assert_eq!(found.rank, expected.rank);
        let bound = ACCURACY * threshold * (found.rank as f64 + 16.0).sqrt();
        assert!(frobenius_distance(&out, &exact) <= bound, "{} above {bound}", frobenius_distance(&out, &exact));
    }
    assert_eq!(memory.whole, 1, "only the first step is solved whole");
}

#[test]
fn many_values_above_the_threshold_are_solved_whole() {
    let m = with_values(300, 5, |i| if i < 200 { 2.0 } else { 0.1 });
    let (mut memory, mut out) = (Shrink::default(), Dense::zeros(300, 300));
    for whole in 1..=2 {
        let found = memory.apply(&m, 1.0, &mut out, &Run::default()).unwrap();
        assert!(found.rank == 200 && (found.nuclear - 200.0).abs() < 1e-8 && memory.whole == whole);
    }
}

#[test]
fn single_precision_is_near_double_and_small_tables_vanish() {
    let m = noise(60, 2);
    let (double, _) = shrunk(&m, 2.0);
    let mut single = Dense::<f32>::zeros(60, 60);
    Shrink::default().apply(&m.cast::<f32>(), 2.0, &mut single, &Run::default()).unwrap();
    assert!(frobenius_distance(&double, &single.cast()) < 1e-5 * frobenius(&double));
    let (nothing, found) = shrunk(&m, 1e3);
    assert!(found.rank == 0 && nothing.data().iter().all(|x| *x == 0.0));
}
