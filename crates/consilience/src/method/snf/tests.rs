//! The sparse method against the dense one in numpy, and what must hold of every fused network.

use serde_json::Value;

use super::*;
use crate::datasets::Blobs;
use crate::matrix::Dense;
use crate::method::common::test_support::{golden, matrix, written_out};
use crate::neighbours::{Distance, Exact, NeighbourSearch};
use crate::operator::TopEigen;
use crate::views::Precomputed;
use crate::{MemoryLimit, Run, Views};

fn solve(method: &Snf, views: &Views) -> Consensus {
    let memory = MemoryLimit::new(None);
    method.solve(&Problem { memory, ..Problem::new(views, 3, &Run::default()) }).unwrap()
}

fn largest_difference(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn blobs(samples: usize) -> Views {
    Blobs { samples, clusters: 3, features: vec![5, 8], separation: 3.0, seed: 4 }.generate().unwrap().0
}

/// What dense SNF gave in numpy; made by `scripts/make_snf_golden.py`.
struct Golden(Value);

impl Golden {
    fn load() -> Self {
        Self(golden(include_str!("../../../tests/golden/snf.json")))
    }

    fn views(&self) -> Vec<View> {
        let views = self.0["views"].as_array().unwrap().iter().enumerate();
        views.map(|(v, rows)| View::new(format!("view{v}"), matrix(rows))).collect()
    }

    fn method(&self, entries: usize) -> Snf {
        Snf { neighbours: self.0["neighbours"].as_u64().unwrap() as usize, entries, ..Snf::default() }
    }
}

#[test]
fn with_all_entries_it_is_dense_snf() {
    let golden = Golden::load();
    let views = golden.views();
    let both = solve(&golden.method(45), &Views::new(views.clone()).unwrap());
    assert!(largest_difference(&written_out(both.affinity.as_ref()), &matrix(&golden.0["normalised"])) < 1e-10);
    let alone = solve(&golden.method(45), &Views::new(views[..1].to_vec()).unwrap());
    assert!(largest_difference(&written_out(alone.affinity.as_ref()), &matrix(&golden.0["alone"])) < 1e-10);
}

#[test]
fn with_few_entries_the_leading_eigenvectors_are_nearly_those_of_dense_snf() {
    let golden = Golden::load();
    let sparse = solve(&golden.method(15), &Views::new(golden.views()).unwrap());
    let ours = TopEigen::new(3).solve(sparse.affinity.as_ref(), None, &Run::default()).unwrap().vectors;
    let theirs = matrix(&golden.0["vectors"]);
    let cosines = crate::matrix::gram(ours.as_mat(), theirs.as_mat());
    // the mean squared cosine of the principal angles
    let shared = cosines.norm_l2().powi(2) / 3.0;
    assert!(shared > 0.97 && shared < 1.0 - 1e-9, "{shared}");
}

#[test]
fn two_copies_of_a_view_fuse_to_its_own_diffusion() {
    let view = blobs(150).iter().next().unwrap().clone();
    let copy = view.clone().renamed("copy");
    let method = Snf { entries: 30, ..Snf::default() };
    let alone = solve(&method, &Views::new(vec![view.clone()]).unwrap());
    let twice = solve(&method, &Views::new(vec![view, copy]).unwrap());
    assert!(largest_difference(&written_out(alone.affinity.as_ref()), &written_out(twice.affinity.as_ref())) < 1e-12);
    assert!(twice.findings.trace.iter().all(|row| row.objective < 1e-24));
}

#[test]
fn the_fused_network_is_symmetric_not_negative_and_converges() {
    let result = solve(&Snf { entries: 40, ..Snf::default() }, &blobs(300));
    let matrix = written_out(result.affinity.as_ref());
    assert!(largest_difference(&matrix, &matrix.transposed()) == 0.0);
    assert!(matrix.data().iter().all(|x| *x >= 0.0) && matrix.data().contains(&0.0));
    assert_eq!(result.termination, Termination::Converged { iterations: 20 });
    let trace = &result.findings.trace;
    assert!(trace.len() == 40 && trace[38].change < 1e-4 * trace[2].change, "{}", trace[38].change);
    let short = solve(&Snf { iterations: 1, entries: 40, ..Snf::default() }, &blobs(300));
    assert!(!short.termination.is_converged());
}

/// `S P S'` cut to the pattern, by dense products from the same starting network.
#[test]
fn one_iteration_equals_dense_products_cut_to_the_pattern() {
    let views = blobs(200);
    let run = Run::default();
    let (kernels, locals): (Vec<_>, Vec<_>) =
        views.iter().map(|view| Network::of(view, 10, 0.5, &Exact, &run).unwrap()).unzip();
    let pattern = Pattern::of_shared_neighbours(&locals, 25, &run).unwrap();
    let all: Vec<Option<usize>> = (0..200).map(Some).collect();
    let similarities = || kernels.iter().map(|kernel| kernel.on(&pattern, &all, &run).unwrap()).collect();
    let start = |v: usize| {
        let one = vec![kernels[v].on(&pattern, &all, &run).unwrap()];
        let network = Fusion::new(&pattern, &locals[v..=v], one).networks.remove(0);
        pattern.matrix(network).unwrap().to_dense()
    };
    let mut fusion = Fusion::new(&pattern, &locals, similarities());
    fusion.iterate(&run).unwrap();
    let ours = fusion.finish().unwrap();

    let product = |a: &Dense<f64>, b: &Dense<f64>| {
        Dense::from_fn(200, 200, |i, j| (0..200).map(|l| a.get(i, l) * b.get(j, l)).sum::<f64>())
    };
    let stored: Vec<Vec<bool>> =
        (0..200).map(|i| (0..200).map(|j| ours.row(i).0.contains(&(j as u32))).collect()).collect();
    let normalise = |X: &Dense<f64>| {
        let kept = |i: usize, j: usize| if i != j && stored[i][j] { X.get(i, j) } else { 0.0 };
        let sums: Vec<f64> = (0..200).map(|i| (0..200).map(|j| kept(i, j)).sum()).collect();
        let half = |i: usize, j: usize| if i == j { 0.5 } else { kept(i, j) / (2.0 * sums[i]) };
        Dense::from_fn(200, 200, |i, j| 0.5 * (half(i, j) + half(j, i)))
    };
    let [first, second] = [(0, 1), (1, 0)].map(|(v, other)| {
        let S = locals[v].to_dense();
        normalise(&product(&product(&S, &start(other)), &S))
    });
    let mean = normalise(&Dense::from_fn(200, 200, |i, j| 0.5 * (first.get(i, j) + second.get(i, j))));
    let gap = largest_difference(&ours.to_dense(), &mean);
    assert!(gap < 1e-14, "{gap:e}");
}

#[test]
fn all_pairs_are_asked_for_before_they_are_taken() {
    let views = blobs(300);
    let run = Run::default();
    let problem = Problem { memory: MemoryLimit::new(Some(1 << 20)), ..Problem::new(&views, 3, &run) };
    let error = Snf { entries: 300, ..Snf::default() }.solve(&problem).err().unwrap();
    assert!(matches!(error, crate::Error::Memory { .. }) && error.hint().unwrap().text().unwrap().contains("entries"));
    assert!(Snf { entries: 299, ..Snf::default() }.solve(&problem).is_ok());
}

#[test]
fn equal_samples_keep_short_rows() {
    // all have the same few neighbours: the lowest of equals
    let same = View::new("same", Dense::<f64>::zeros(5000, 1));
    let distance = Distance::within(&same, DistanceMetric::Euclidean);
    assert_eq!(Exact.search(&distance, 2, &Run::default()).unwrap().of(4999).0, [0, 1]);
    let (_, S) = Network::of(&same, 2, 0.5, &Exact, &Run::default()).unwrap();
    let pattern = Pattern::of_shared_neighbours(&[S], 10, &Run::default()).unwrap();
    assert!((0..5000).all(|i| pattern.range(i).len() <= 4096 + 11));
}

#[test]
fn weights_by_hand() {
    let view = View::new("line", Dense::new(3, 1, vec![0.0, 1.0, 3.0]).unwrap());
    let (network, S) = Network::of(&view, 1, 0.5, &Exact, &Run::default()).unwrap();
    let Network::Kernel(kernel) = network else { panic!("features") };
    // mean distances 1, 1, 2, so the unit is 4/3; the pair 0, 1 has eps = 1 of the data's own units
    let expected = |rho: f64, eps: f64| (-2.0 * (rho / eps).powi(2)).exp() / (eps * 0.75);
    assert!((kernel.weight(0, 1, 1.0) - expected(1.0, 1.0)).abs() < 1e-14);
    assert!((kernel.weight(1, 2, 4.0) - expected(2.0, 5.0 / 3.0)).abs() < 1e-14);
    let (near, own) = (expected(1.0, 1.0), expected(0.0, 2.0 / 3.0));
    assert_eq!(S.row(0).0, [0, 1]);
    assert!((S.row(0).1[1] - near / (near + own)).abs() < 1e-14);
}

#[test]
fn given_similarities_are_taken_as_they_are() {
    let rows = [[1.0, 0.8, 0.2], [0.8, 1.0, 0.4], [0.2, 0.4, 1.0]];
    let view = View::new("given", Dense::from_fn(3, 3, |i, j| rows[i][j]));
    let view = view.precomputed(Precomputed::Affinity).unwrap();
    let (network, S) = Network::of(&view, 1, 0.5, &Exact, &Run::default()).unwrap();
    // the largest is 1; itself as much as the one it is most alike
    assert_eq!((S.row(0), S.row(2)), ((&[0, 1][..], &[0.5, 0.5][..]), (&[1, 2][..], &[0.5, 0.5][..])));
    let all: Vec<Option<usize>> = (0..3).map(Some).collect();
    let on = network.on(&Pattern::full(3), &all, &Run::default()).unwrap();
    assert_eq!(on, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.25, 0.5, 0.0], "the lower triangle");
}

#[test]
fn equal_samples_and_a_lonely_one_have_finite_weights() {
    for rows in [1, 6] {
        let view = View::new("same", Dense::<f64>::zeros(rows, 2));
        let (kernel, S) = Network::of(&view, 3, 0.5, &Exact, &Run::default()).unwrap();
        let sums = (0..rows).map(|i| S.row(i).1.iter().sum::<f64>());
        assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-14));
        let all: Vec<Option<usize>> = (0..rows).map(Some).collect();
        assert!(kernel.on(&Pattern::full(rows), &all, &Run::default()).unwrap().iter().all(|w| w.is_finite()));
    }
}
