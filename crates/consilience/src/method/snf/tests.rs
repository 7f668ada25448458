//! The sparse method against the dense one in numpy, and what must hold of every fused network.

use serde_json::Value;

use super::*;
use crate::data::Blobs;
use crate::graph::neighbours::{Distance, Exact, Metric, NeighbourSearch};
use crate::matrix::Dense;
use crate::operator::{LinOp, TopEigen};
use crate::{MemoryLimit, Run, View, Views};

fn solve(method: &Snf, views: &Views) -> Consensus {
    let memory = MemoryLimit::new(None);
    method.solve(&Problem { views, clusters: 3, seed: 0, memory, run: &Run::default() }).unwrap()
}

fn written_out(operator: &dyn LinOp) -> Dense<f64> {
    let n = operator.size();
    let mut table = Dense::zeros(n, n);
    operator.apply(&Dense::from_fn(n, n, |i, j| f64::from(i == j)), &mut table);
    table
}

fn furthest(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
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
        Self(serde_json::from_str(include_str!("../../../tests/golden/snf.json")).unwrap())
    }

    fn matrix(rows: &Value) -> Dense<f64> {
        let rows = rows.as_array().unwrap();
        let data: Vec<f64> = rows.iter().flat_map(|row| row.as_array().unwrap()).map(|x| x.as_f64().unwrap()).collect();
        Dense::new(rows.len(), data.len() / rows.len(), data).unwrap()
    }

    fn views(&self) -> Vec<View> {
        let views = self.0["views"].as_array().unwrap().iter().enumerate();
        views.map(|(v, rows)| View::new(format!("view{v}"), Self::matrix(rows))).collect()
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
    assert!(furthest(&written_out(both.affinity.as_ref()), &Golden::matrix(&golden.0["normalised"])) < 1e-10);
    let alone = solve(&golden.method(45), &Views::new(views[..1].to_vec()).unwrap());
    assert!(furthest(&written_out(alone.affinity.as_ref()), &Golden::matrix(&golden.0["alone"])) < 1e-10);
}

#[test]
fn with_few_entries_the_leading_eigenvectors_are_nearly_those_of_dense_snf() {
    let golden = Golden::load();
    let sparse = solve(&golden.method(15), &Views::new(golden.views()).unwrap());
    let ours = TopEigen::new(3).solve(sparse.affinity.as_ref(), None, &Run::default()).unwrap().vectors;
    let theirs = Golden::matrix(&golden.0["vectors"]);
    let cosines = crate::matrix::gram(ours.as_mat(), theirs.as_mat());
    // the mean squared cosine of the principal angles
    let shared = cosines.norm_l2().powi(2) / 3.0;
    assert!(shared > 0.97 && shared < 1.0 - 1e-9, "{shared}");
}

#[test]
fn two_copies_of_a_view_fuse_to_its_own_diffusion() {
    let view = blobs(150).iter().next().unwrap().clone();
    let copy = View { name: "copy".into(), ..view.clone() };
    let method = Snf { entries: 30, ..Snf::default() };
    let alone = solve(&method, &Views::new(vec![view.clone()]).unwrap());
    let twice = solve(&method, &Views::new(vec![view, copy]).unwrap());
    assert!(furthest(&written_out(alone.affinity.as_ref()), &written_out(twice.affinity.as_ref())) < 1e-12);
    assert!(twice.findings.trace.iter().all(|row| row.objective < 1e-24));
}

#[test]
fn the_fused_network_is_symmetric_not_negative_and_settles() {
    let result = solve(&Snf { entries: 40, ..Snf::default() }, &blobs(300));
    let table = written_out(result.affinity.as_ref());
    assert!(furthest(&table, &table.transposed()) == 0.0);
    assert!(table.data().iter().all(|x| *x >= 0.0) && table.data().contains(&0.0));
    assert_eq!(result.stop, Stop { reason: "converged", iterations: 20 });
    let trace = &result.findings.trace;
    assert!(trace.len() == 40 && trace[38].change < 1e-4 * trace[2].change, "{}", trace[38].change);
    let short = solve(&Snf { iterations: 1, entries: 40, ..Snf::default() }, &blobs(300));
    assert_eq!(short.stop.reason, "iteration limit");
}

/// `S P S'` cut to the pattern, by dense products from the same starting network.
#[test]
fn one_iteration_equals_dense_products_cut_to_the_pattern() {
    let views = blobs(200);
    let run = Run::default();
    let (kernels, locals): (Vec<_>, Vec<_>) =
        views.iter().map(|view| Kernel::new(view, 10, 0.5, &run).unwrap()).unzip();
    let pattern = Pattern::of_shared_neighbours(&locals, 25, &run).unwrap();
    let similarities = || kernels.iter().map(|kernel| kernel.on(&pattern, &run).unwrap()).collect();
    let start = |v: usize| {
        let one = vec![kernels[v].on(&pattern, &run).unwrap()];
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
    let gap = furthest(&ours.to_dense(), &mean);
    assert!(gap < 1e-14, "{gap:e}");
}

#[test]
fn all_pairs_are_asked_for_before_they_are_taken() {
    let views = blobs(300);
    let problem =
        Problem { views: &views, clusters: 3, seed: 0, memory: MemoryLimit::new(Some(1 << 20)), run: &Run::default() };
    let error = Snf { entries: 300, ..Snf::default() }.solve(&problem).err().unwrap();
    assert!(matches!(error, crate::Error::Memory { .. }) && error.hint().unwrap().contains("entries"));
    assert!(Snf { entries: 299, ..Snf::default() }.solve(&problem).is_ok());
}

#[test]
fn crowds_of_equal_samples_keep_short_rows() {
    // everybody has the same few neighbours: the lowest of equals
    let same = View::new("same", Dense::<f64>::zeros(5000, 1));
    let distance = Distance::within(&same, Metric::Euclidean);
    assert_eq!(Exact.search(&distance, 2, &Run::default()).unwrap().of(4999).0, [0, 1]);
    let (_, S) = Kernel::new(&same, 2, 0.5, &Run::default()).unwrap();
    let pattern = Pattern::of_shared_neighbours(&[S], 10, &Run::default()).unwrap();
    assert!((0..5000).all(|i| pattern.places(i).len() <= 4096 + 11));
}
