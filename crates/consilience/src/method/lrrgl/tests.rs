use serde_json::Value;

use super::*;
use crate::matrix::{frobenius, frobenius_distance, from_mat, symmetric_eigen};
use crate::method::common::test_support::{matrix, quadratic_golden};
use crate::{Error, Settings, Views, cluster};

fn view_data<F: Real>(golden: &Value) -> Vec<ViewData<F>> {
    let pair = |(X, W): (&Value, &Value)| {
        let graph = Graph::new(Csr::from_dense(&matrix(W)).unwrap());
        ViewData::new(&View::new("view", matrix(X)), graph)
    };
    let (views, weights) = (golden["views"].as_array().unwrap(), golden["weights"].as_array().unwrap());
    views.iter().zip(weights).map(pair).collect()
}

fn terms(golden: &Value) -> Terms {
    let weight = |name: &str| golden["lrrgl"][name].as_f64().unwrap();
    Terms { lambda1: weight("lambda1"), lambda2: weight("lambda2"), beta: weight("beta") }
}

/// The objective at matrices that fulfil the constraints: E is what X Z leaves of X. Everything is kept transposed.
fn objective(Z: &[Dense<f64>], data: &[ViewData<f64>], terms: Terms) -> f64 {
    let one = |i: usize| {
        let squares = symmetric_eigen((Z[i].as_mat().transpose() * Z[i].as_mat()).as_ref()).unwrap();
        let nuclear: f64 = squares.values.iter().map(|square| square.max(0.0).sqrt()).sum();
        let X = data[i].rows.as_mat();
        let E = from_mat(&(X - Z[i].as_mat() * X));
        let others: Vec<_> = (0..Z.len()).filter(|j| *j != i).map(|j| &Z[j]).collect();
        let error = E.data().iter().map(|e| e.abs()).sum();
        nuclear + smooth_objective(&data[i], &Z[i], &others, error, terms)
    };
    (0..Z.len()).map(one).sum()
}

fn exact() -> Lrrgl {
    Lrrgl { max_iterations: 20_000, tolerance: 1e-9, ..Lrrgl::default() }
}

/// The problem is convex: a solver that converges converges to this.
#[test]
fn admm_reaches_the_optimum_that_numpys_slow_solver_found() {
    let golden = quadratic_golden();
    let (data, terms) = (view_data::<f64>(&golden), terms(&golden));
    let found = admm::solve(&exact(), terms, &data, &Run::default()).unwrap();
    assert!(found.termination.is_converged());
    let expected = golden["lrrgl"]["objective"].as_f64().unwrap();
    let ours = objective(&found.Z, &data, terms);
    assert!((ours - expected).abs() < 1e-6 * expected, "{ours} is not {expected}");
    let last: f64 = found.trace[found.trace.len() - 2..].iter().map(|row| row.objective).sum();
    assert!((last - expected).abs() < 1e-6 * expected, "the trace says {last}");
    for (ours, theirs) in found.Z.iter().zip(golden["lrrgl"]["representations"].as_array().unwrap()) {
        let gap = frobenius_distance(&ours.transposed(), &matrix(theirs));
        assert!(gap < 1e-6, "{gap}");
    }
}

/// Other penalties take another way to the same place.
#[test]
fn the_optimum_does_not_depend_on_the_penalties() {
    let golden = quadratic_golden();
    let (data, terms) = (view_data::<f64>(&golden), terms(&golden));
    let other = Lrrgl { mu_x: 3.0, mu_z: 4.0, ..exact() };
    let found = admm::solve(&other, terms, &data, &Run::default()).unwrap();
    let expected = golden["lrrgl"]["objective"].as_f64().unwrap();
    assert!((objective(&found.Z, &data, terms) - expected).abs() < 1e-5 * expected);
}

#[test]
fn single_precision_is_near_double() {
    let golden = quadratic_golden();
    let method = Lrrgl { max_iterations: 60, tolerance: 0.0, ..Lrrgl::default() };
    let double = admm::solve(&method, terms(&golden), &view_data::<f64>(&golden), &Run::default()).unwrap();
    let single = admm::solve(&method, terms(&golden), &view_data::<f32>(&golden), &Run::default()).unwrap();
    for (double, single) in double.Z.iter().zip(&single.Z) {
        assert!(frobenius_distance(double, &single.cast()) < 1e-3 * frobenius(double));
    }
}

fn blobs(views: usize) -> Views {
    let entry = |i: usize, j: usize, view: usize| {
        // no two samples are the same
        9.0 * ((i % 3) == (j + view) % 3) as u8 as f64 + ((i * 7 + j * 5) % 11) as f64 / 11.0 + i as f64 * 1e-3
    };
    let view = |v: usize| View::new(format!("view {v}"), Dense::from_fn(50, 3, |i, j| entry(i, j, v)));
    Views::new((0..views).map(view).collect()).unwrap()
}

#[test]
fn the_iteration_limit_is_reported_with_the_residual() {
    let parameters = [("max_iterations".to_owned(), "3".to_owned())];
    let result = cluster(&blobs(2), &Settings::with_method(3, "lrrgl", &parameters).unwrap()).unwrap();
    assert_eq!(result.record.termination, Termination::IterationLimit { iterations: 3 });
    let warnings = &result.record.warnings;
    assert!(
        warnings.iter().any(|warning| warning.to_string().starts_with("lrrgl stopped at its limit of 3 iterations"))
    );
    assert_eq!((result.record.findings.trace.len(), result.record.findings.corruption.len()), (6, 2));
    assert_eq!(result.record.findings.corruption[0].by_feature.len(), 3);
}

/// Memory is asked for before anything is made: 2 views need 2 x 5 matrices, 2 x 12 for two eigendecompositions, and one
/// for the features.
#[test]
fn too_little_memory_is_refused_with_numbers() {
    let with = |precision: &str, memory| {
        let parameters = [("precision".to_owned(), precision.to_owned())];
        let settings = Settings::with_method(2, "lrrgl", &parameters).unwrap();
        // the plan of a run would refuse so little before
        crate::pipeline::cluster_all(&blobs(2), &Settings { memory: Some(memory), ..settings }, &Run::default())
    };
    let error = with("double", 699_999).err().unwrap();
    assert!(matches!(error, Error::Memory { needed: 700_000, available: 699_999, .. }), "{error}");
    assert!(error.hint().unwrap().text().unwrap().contains("precision=single"));
    assert!(with("double", 700_000).is_ok());
    assert!(with("single", 590_000).is_ok() && with("single", 589_999).is_err());
}

#[test]
fn the_affinity_of_two_views_by_hand() {
    // unit rows (.6, .8) and (1, 0); the second view knows nothing of the second sample. Off the diagonal the mean
    // is (.8 + 0)/2 and its mirror (1 + 0)/2: .45 both, and all of the degree
    let first = Dense::new(2, 2, vec![3.0_f64, 4.0, 2.0, 1e-9]).unwrap();
    let second = Dense::new(2, 2, vec![-1.0, 1e-4, 0.0, 0.0]).unwrap();
    let affinity = super::affinity(vec![first, second], 1e-3);
    assert!((affinity.matrix().get(0, 1) - 1.0).abs() < 1e-12 && affinity.matrix().get(0, 0) == 0.0);
    assert_eq!(affinity.matrix().get(0, 1), affinity.matrix().get(1, 0));
}
