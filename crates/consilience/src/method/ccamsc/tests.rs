use serde_json::Value;

use super::*;
use crate::matrix::{Csr, Matrix};
use crate::method::common::test_support::{golden, matrix, numbers, projector_distance};
use crate::{Run, Views};

/// What numpy computed; made by `scripts/make_ccamsc_golden.py`.
struct Golden(Value);

impl Golden {
    fn load() -> Self {
        Self(golden(include_str!("../../../tests/golden/ccamsc.json")))
    }

    fn views(&self) -> Vec<Dense<f64>> {
        self.0["views"].as_array().unwrap().iter().map(matrix).collect()
    }
}

fn views(matrices: impl IntoIterator<Item = impl Into<Matrix>>) -> Views {
    let views = matrices.into_iter().enumerate().map(|(i, data)| View::new(format!("view{i}"), data));
    Views::new(views.collect()).unwrap()
}

fn problem<'a>(views: &'a Views, clusters: usize, run: &'a Run) -> Problem<'a> {
    Problem::new(views, clusters, run)
}

fn eigenvalues(common: &Common<'_>) -> Vec<f64> {
    (0..common.G.cols()).map(|j| common.explained.iter().map(|shares| shares[j]).sum()).collect()
}

fn nearly(ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < tolerance), "{ours:?} against {theirs:?}");
}

#[test]
fn the_common_subspace_and_its_graph_equal_the_reference() {
    let golden = Golden::load();
    let (views, run) = (views(golden.views()), Run::default());
    let method = Ccamsc { graph: GraphSettings { neighbours: 10, ..GraphSettings::default() }, ..Ccamsc::default() };
    let common = method.common_subspace(&problem(&views, 4, &run), MAX_FACTORISED).unwrap();
    nearly(&eigenvalues(&common), &numbers(&golden.0["values"]), 1e-8);
    let gap = projector_distance(&common.G, &matrix(&golden.0["common"]));
    assert!(gap < 1e-6, "{gap:e}");
    let consensus = method.solve(&problem(&views, 4, &run)).unwrap();
    let eigen = TopEigen::new(4).solve(consensus.affinity.as_ref(), None, &run).unwrap();
    assert!(projector_distance(&eigen.vectors, &matrix(&golden.0["vectors"])) < 1e-6);
}

#[test]
fn eigenvalues_of_two_views_are_one_plus_their_canonical_correlations() {
    let golden = Golden::load();
    let (views, run) = (views(golden.views().into_iter().take(2)), Run::default());
    let correlations = numbers(&golden.0["correlations"]);
    let method = Ccamsc { ridge: 0.0, dimensions: correlations.len(), ..Ccamsc::default() };
    let common = method.common_subspace(&problem(&views, 4, &run), MAX_FACTORISED).unwrap();
    nearly(&common.correlations(), &correlations, 1e-9);
    nearly(&common.view_weights(), &[0.5, 0.5], 1e-9);
}

#[test]
fn factorising_and_iterating_give_the_same_subspace_dense_or_sparse() {
    let golden = Golden::load();
    // 240 samples, so that the eigen-solver iterates; a third of the entries, so that sparse is sparse
    let thinned = golden.views().into_iter().map(|m| {
        Dense::from_fn(240, m.cols(), |i, j| {
            if (i * 7 + j * 3 + i / 60) % 3 == 0 { m.get(i % 60, j) + i as f64 / 300.0 } else { 0.0 }
        })
    });
    let thinned: Vec<Dense<f64>> = thinned.collect();
    let sparse: Vec<Csr<f64>> = thinned.iter().map(|m| Csr::from_dense(m).unwrap()).collect();
    let (dense, sparse, run) = (views(thinned), views(sparse), Run::default());
    let of = |views: &Views, factorised| {
        let common = Ccamsc::default().common_subspace(&problem(views, 4, &run), factorised).unwrap();
        (eigenvalues(&common), common.G)
    };
    let (values, G) = of(&dense, MAX_FACTORISED);
    for (views, factorised) in [(&dense, 0), (&sparse, MAX_FACTORISED), (&sparse, 0)] {
        let (others, H) = of(views, factorised);
        nearly(&values, &others, 1e-6);
        assert!(projector_distance(&G, &H) < 1e-4, "{factorised}: {}", projector_distance(&G, &H));
    }
    assert!(run.finish().1.is_empty(), "everything has converged");
}

#[test]
fn one_view_gives_its_principal_directions() {
    let (X, run) = (Golden::load().views().remove(0), Run::default());
    let centred = Centred::new(&X.clone().into());
    let expected = TopEigen::new(2).solve(&centred, None, &run).unwrap().vectors;
    let views = views([X]);
    for ridge in [0.0, 1e-4] {
        let common =
            Ccamsc { ridge, ..Ccamsc::default() }.common_subspace(&problem(&views, 3, &run), MAX_FACTORISED).unwrap();
        assert!(projector_distance(&common.G, &expected) < 1e-6 && common.view_weights() == [1.0]);
    }
}

#[test]
fn dimensions_stop_at_the_rank_and_constant_views_have_no_weight() {
    let golden = Golden::load();
    let constant = Dense::from_fn(60, 3, |_, j| 0.1 * j as f64);
    let views = views([golden.views().remove(1), constant]);
    let run = Run::default();
    let method = Ccamsc { dimensions: 40, ..Ccamsc::default() };
    let common = method.common_subspace(&problem(&views, 4, &run), MAX_FACTORISED).unwrap();
    assert_eq!(common.G.cols(), 5, "the view has rank 5");
    assert_eq!(common.view_weights(), [1.0, 0.0]);
}

#[test]
fn points_have_unit_spread_or_their_correlation_and_may_be_a_views_own() {
    let golden = Golden::load();
    let (views, run) = (views(golden.views().into_iter().take(2)), Run::default());
    let common = Ccamsc::default().common_subspace(&problem(&views, 4, &run), MAX_FACTORISED).unwrap();
    let spread = |points: &Dense<f64>| -> Vec<f64> {
        column_sums(points, points, |x, y| x * y).iter().map(|square| (square / 60.0).sqrt()).collect()
    };
    nearly(&spread(&common.points(None, false)), &[1.0; 3], 1e-9);
    nearly(&spread(&common.points(Some(1), false)), &[1.0; 3], 1e-9);
    nearly(&spread(&common.points(None, true)), &common.correlations(), 1e-9);
    let own = common.points(Some(0), false);
    assert!(crate::matrix::frobenius_distance(&own, &common.points(None, false)) > 0.1);
    let unknown = Ccamsc { projection: "view9".to_owned(), ..Ccamsc::default() };
    assert!(unknown.solve(&problem(&views, 4, &run)).is_err());
}
