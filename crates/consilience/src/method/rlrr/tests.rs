use serde_json::Value;

use super::*;
use crate::matrix::frobenius_distance;
use crate::method::common::test_support::{matrix, quadratic_golden};
use crate::operator::TopEigen;
use crate::spectral::embed;
use crate::{Error, Settings, View, Views, cluster};

fn walks(golden: &Value) -> Vec<Csr<f64>> {
    let weights = golden["weights"].as_array().unwrap().iter();
    weights.map(|W| random_walk(&Graph::new(Csr::from_dense(&matrix(W)).unwrap()))).collect()
}

fn schedule(golden: &Value) -> Schedule {
    Rlrr { lambda: golden["rlrr"]["lambda"].as_f64().unwrap(), ..Rlrr::default() }.schedule(1)
}

/// `U U'` of an orthonormal basis of the columns of `U`, applied to everything.
fn projector(U: &Dense<f64>) -> Dense<f64> {
    let gram = crate::matrix::from_mat(&crate::matrix::gram(U.as_mat(), U.as_mat()));
    let inverse = crate::matrix::symmetric_function(&gram, |w| 1.0 / w).unwrap();
    crate::matrix::from_mat(&(U.as_mat() * inverse.as_mat() * U.as_mat().transpose()))
}

#[test]
fn the_walk_and_its_embedding_equal_numpys() {
    let golden = quadratic_golden();
    let result = solver::solve::<f64>(&schedule(&golden), &walks(&golden), &["a", "b"], &Run::default()).unwrap();
    assert_eq!(result.termination, crate::Termination::Converged { iterations: 34 });
    assert_eq!(result.termination.iterations(), golden["rlrr"]["iterations"].as_u64().unwrap() as usize);
    let gap = frobenius_distance(&result.P, &matrix(&golden["rlrr"]["walk"]));
    assert!(gap < 1e-8, "{gap}");
    let affinity = affinity(result.P, &Run::default()).unwrap();
    let theirs = matrix(&golden["rlrr"]["embedding"]);
    let ours = TopEigen::new(theirs.cols()).solve(&affinity, None, &Run::default()).unwrap().vectors;
    let angle = frobenius_distance(&projector(&embed(ours)), &projector(&theirs));
    assert!(angle < 1e-6, "{angle}");
}

#[test]
fn rows_are_walks_and_the_trace_is_the_objective() {
    let golden = quadratic_golden();
    let T = walks(&golden);
    let schedule = schedule(&golden);
    let result = solver::solve::<f64>(&schedule, &T, &["a", "b"], &Run::default()).unwrap();
    for row in result.P.iter_rows() {
        assert!(row.iter().all(|p| *p >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    // at the end T = P + E and P = Q, so the objective can be made from P alone
    let squares = crate::matrix::symmetric_eigen((result.P.as_mat().transpose() * result.P.as_mat()).as_ref()).unwrap();
    let nuclear: f64 = squares.values.iter().map(|square| square.max(0.0).sqrt()).sum();
    let gap = |T: &Csr<f64>| T.to_dense().data().iter().zip(result.P.data()).map(|(t, p)| (t - p).abs()).sum::<f64>();
    let expected = nuclear + schedule.lambda * T.iter().map(gap).sum::<f64>();
    let last: f64 = result.trace[result.trace.len() - 2..].iter().map(|row| row.objective).sum();
    assert!((last - expected).abs() < 1e-4 * expected, "{last} is not {expected}");
    assert!(result.corrupted.iter().all(|share| (0.0..=1.0).contains(share)));
}

#[test]
fn single_precision_is_near_double() {
    let golden = quadratic_golden();
    let schedule = Schedule { tolerance: 1e-5, ..schedule(&golden) };
    let double = solver::solve::<f64>(&schedule, &walks(&golden), &["a", "b"], &Run::default()).unwrap();
    let single = solver::solve::<f32>(&schedule, &walks(&golden), &["a", "b"], &Run::default()).unwrap();
    let gap = frobenius_distance(&double.P, &single.P.cast());
    assert!(gap < 1e-4, "{gap}");
    assert!(single.termination.is_converged());
}

#[test]
fn an_iteration_limit_is_reported() {
    let golden = quadratic_golden();
    let run = Run::default();
    let schedule = Schedule { max_iterations: 5, ..schedule(&golden) };
    let result = solver::solve::<f64>(&schedule, &walks(&golden), &["a", "b"], &run).unwrap();
    assert_eq!(result.termination, crate::Termination::IterationLimit { iterations: 5 });
    assert!(run.finish().1[0].to_string().starts_with("rlrr stopped at its limit of 5 iterations"));
}

/// Memory is asked for before anything is made: 2 views of 50 samples need 2 + 3 + 12 matrices of 20 000 bytes.
#[test]
fn too_little_memory_is_refused_with_numbers() {
    let views = Views::new(vec![
        View::new("a", Dense::from_fn(50, 3, |i, j| ((i * 7 + j * 5) % 11) as f64)),
        View::new("b", Dense::from_fn(50, 2, |i, j| ((i * 3 + j) % 7) as f64)),
    ])
    .unwrap();
    let with = |precision: &str, memory| {
        let parameters = [("precision".to_owned(), precision.to_owned())];
        let settings = Settings::with_method(2, "rlrr", &parameters).unwrap();
        cluster(&views, &Settings { memory: Some(memory), ..settings })
    };
    let error = with("double", 339_999).err().unwrap();
    assert!(matches!(error, Error::Memory { needed: 340_000, available: 339_999, .. }), "{error}");
    assert!(error.to_string().starts_with("17 matrices of 50 x 50 numbers of 8 bytes need "), "{error}");
    assert!(error.hint().unwrap().text().unwrap().contains("precision=single"));
    assert!(with("double", 340_000).is_ok());
    assert!(with("single", 290_000).is_ok(), "29 matrices of 10 000 bytes");
    assert!(with("single", 289_999).is_err());
}

#[test]
fn a_walk_of_two_samples_by_hand() {
    // pi = (2, 1) / 3; Pi^1/2 P Pi^-1/2 is symmetric, since two states are always reversible
    let P = Dense::new(2, 2, vec![0.75, 0.25, 0.5, 0.5]).unwrap();
    let pi = stationary(&P, &Run::default()).unwrap();
    assert!((pi[0] - 2.0 / 3.0).abs() < 1e-11 && (pi[1] - 1.0 / 3.0).abs() < 1e-11);
    let affinity = affinity(P, &Run::default()).unwrap();
    let expected = [0.75, 0.25 * 2.0_f64.sqrt(), 0.25 * 2.0_f64.sqrt(), 0.5];
    assert!(affinity.matrix().data().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11));
}
