//! Whole runs on small data sets.

use super::*;
use crate::datasets::Blobs;
use crate::matrix::Matrix;
use crate::metrics::{Metric, score};
use crate::neighbours::{Distance, Exact};
use crate::operator::TopEigen;
use crate::spectral::{KMeans, embed};

fn graphs(views: &Views) -> Vec<Graph> {
    let settings = GraphSettings::default();
    let build = |view| settings.build(&Distance::within(view, settings.metric), &Exact, &Run::default()).unwrap();
    views.iter().map(build).collect()
}

pub(super) fn solve(method: &SlrmfAdmm, views: &Views, k: usize) -> Factors {
    method.iterate(views, &graphs(views), k, 0, &Run::default()).unwrap()
}

/// ACC and NMI of the labels from `W`.
fn scores(result: &Factors, k: usize, truth: &[usize]) -> (f64, f64) {
    let affinity = LowRank::normalised(consensus_factor(result.U.clone(), 0.01));
    let eigen = TopEigen::new(k).solve(&affinity, None, &Run::default()).unwrap();
    let labels = KMeans::new(k).fit(&embed(eigen.vectors)).unwrap().labels;
    let scores = score(&labels, truth).unwrap();
    (scores[Metric::Acc], scores[Metric::Nmi])
}

fn blobs(samples: usize) -> (Views, Vec<usize>) {
    Blobs { samples, clusters: 3, features: vec![10, 15], separation: 12.0, seed: 5 }.generate().unwrap()
}

#[test]
fn separable_clusters_are_found_by_both_updates_from_both_starts() {
    let (views, truth) = blobs(150);
    for updates in BOTH {
        for start in [AdmmStart::Indicator, AdmmStart::Anchors] {
            let method = SlrmfAdmm { start, max_iterations: 30, ..with_updates(updates) };
            let result = solve(&method, &views, 3);
            let acc = scores(&result, 3, &truth).0;
            // Eq. `uil` as printed blurs similarities that are not exclusive from the start
            let least = if (updates, start) == (AdmmUpdates::Printed, AdmmStart::Anchors) { 0.9 } else { 1.0 };
            assert!(acc >= least, "{updates:?} {start:?} {acc}");
            assert!(result.findings.trace.iter().all(|row| row.objective.is_finite() && row.residual.is_finite()));
            let agreement = result.findings.agreement.unwrap();
            assert!(agreement.after[0][1] >= least - 0.2 && agreement.after[0][0] == 1.0, "{updates:?} {agreement:?}");
        }
    }
}

#[test]
fn derived_converges_and_leaves_converged_views() {
    let (views, _) = blobs(150);
    let result = solve(&SlrmfAdmm { max_iterations: 400, ..with_updates(AdmmUpdates::Derived) }, &views, 3);
    assert!(result.termination.is_converged(), "{:?}", result.findings.trace.last());
    let last = |view: &str| result.findings.trace.iter().rfind(|row| row.view == view).unwrap();
    assert!(last("view1").residual < 1e-3 && last("view2").residual < 1e-3);
    assert_eq!(result.termination.iterations(), last("view1").iteration.max(last("view2").iteration));
}

#[test]
fn any_number_of_threads_gives_the_same_numbers() {
    let (views, _) = blobs(2300);
    let graphs = graphs(&views);
    for updates in BOTH {
        let method = SlrmfAdmm { max_iterations: 3, ..with_updates(updates) };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| method.iterate(&views, &graphs, 3, 0, &Run::default()).unwrap())
        };
        let (one, four) = (on(1), on(4));
        assert_eq!(one.findings, four.findings);
        assert!(one.U.iter().zip(&four.U).all(|(a, b)| a.data() == b.data()), "{updates:?}");
    }
}

#[test]
fn sparse_views_and_other_units_give_the_same() {
    let (views, _) = blobs(100);
    let graphs = graphs(&views);
    let data = |view: &View| match &view.data {
        Matrix::DenseF64(data) => data.clone(),
        _ => panic!(),
    };
    let sparse = views.iter().map(|view| View::new(view.name.clone(), Csr::from_dense(&data(view)).unwrap()));
    let sparse = Views::new(sparse.collect()).unwrap();
    let large = views.iter().map(|view| {
        let data = data(view);
        View::new(view.name.clone(), Dense::from_fn(data.rows(), data.cols(), |i, j| 1000.0 * data.get(i, j)))
    });
    let large = Views::new(large.collect()).unwrap();
    let method = SlrmfAdmm { max_iterations: 5, ..with_updates(AdmmUpdates::Derived) };
    let on = |views: &Views| method.iterate(views, &graphs, 3, 0, &Run::default()).unwrap().U;
    let (dense, sparse, large) = (on(&views), on(&sparse), on(&large));
    for i in 0..2 {
        assert!(frobenius_distance(&dense[i], &sparse[i]) < 1e-6);
        assert!(frobenius_distance(&dense[i], &large[i]) < 1e-6);
    }
}

#[test]
fn every_idea_can_be_switched_off() {
    let (views, _) = blobs(90);
    for updates in BOTH {
        let all = SlrmfAdmm { max_iterations: 4, ..with_updates(updates) };
        let full = solve(&all, &views, 3);
        let differs = |method: &SlrmfAdmm| {
            let other = solve(method, &views, 3);
            other.U.iter().chain(&full.U).all(|U| U.data().iter().all(|x| x.is_finite()))
                && other.findings.trace != full.findings.trace
        };
        // as printed, lambda1 / mu = 2000 leaves no E after the first pass anyway (N10)
        assert!(updates == AdmmUpdates::Printed || differs(&SlrmfAdmm { robust: false, ..all.clone() }));
        assert!(differs(&SlrmfAdmm { beta: 0.0, ..all.clone() }));
        assert!(differs(&SlrmfAdmm { lambda2: 0.0, ..all.clone() }), "the objective has the term with both updates");
    }
    let result =
        solve(&SlrmfAdmm { robust: false, max_iterations: 2, ..with_updates(AdmmUpdates::Derived) }, &views, 3);
    assert!(result.findings.corruption.is_empty());
}

#[test]
fn too_large_views_are_refused_with_numbers() {
    let empty = Csr::<f64>::new(40_000, 10_000, vec![0; 40_001], vec![], vec![]).unwrap();
    let views = Views::new(vec![View::new("words", empty)]).unwrap();
    let message = state::check_memory(&views).unwrap_err().to_string();
    assert!(message.contains("8.9 GiB") && message.contains("at most 8 GiB"), "{message}");
}

#[test]
fn small_and_negative_entries_leave_the_consensus() {
    let U = [Dense::new(2, 2, vec![1.0, -3.0, 0.2, 2.0]).unwrap(), Dense::new(2, 1, vec![0.5, 0.1]).unwrap()];
    let root = 0.5_f64.sqrt();
    let B = consensus_factor(U.to_vec(), 0.21);
    assert_eq!((B.rows(), B.cols()), (2, 3));
    let expected = [root, 0.0, 0.5 * root, 0.0, 2.0 * root, 0.0];
    assert!(B.data().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn one_view_an_empty_view_and_extreme_numbers_of_clusters_do_no_harm() {
    let (views, _) = blobs(30);
    let first = views.iter().next().unwrap().clone();
    let zero = View::new("zero", Dense::<f64>::zeros(30, 4));
    let cases = [
        (Views::new(vec![first.clone()]).unwrap(), 3),
        (Views::new(vec![first, zero]).unwrap(), 3),
        (views.clone(), 1),
        (views, 30),
    ];
    for (views, k) in cases {
        for updates in BOTH {
            let result = solve(&SlrmfAdmm { max_iterations: 5, ..with_updates(updates) }, &views, k);
            let shapes = result.U.iter().all(|U| (U.rows(), U.cols()) == (30, k));
            assert!(shapes && result.U.iter().all(|U| U.data().iter().all(|x| x.is_finite())), "{updates:?} {k}");
            assert!(consensus_factor(result.U.clone(), 0.01).data().iter().all(|x| *x >= 0.0));
        }
    }
}
