use serde_json::Value;

use super::*;
use crate::method::common::test_support::{golden, matrix, numbers, projector_distance};
use crate::neighbours::{Distance, Exact};
use crate::{View, Views};

/// What the numpy reference computed; made by `scripts/make_maasc_golden.py`.
struct Golden(Value);

impl Golden {
    fn load() -> Self {
        Self(golden(include_str!("../../../tests/golden/maasc.json")))
    }

    fn views(&self) -> Views {
        let views = self.0["views"].as_array().unwrap().iter().enumerate();
        Views::new(views.map(|(i, view)| View::new(format!("view{i}"), matrix(view))).collect()).unwrap()
    }

    fn graphs(&self) -> Vec<Graph> {
        let settings = numbers(&self.0["neighbours"])
            .into_iter()
            .map(|s| GraphSettings { neighbours: s as usize, ..GraphSettings::default() });
        let build = |(settings, view): (GraphSettings, &View)| {
            settings.build(&Distance::within(view, settings.metric), &Exact, &Run::default()).unwrap()
        };
        settings.zip(&self.views()).map(build).collect()
    }
}

#[test]
fn weights_and_eigenvectors_equal_the_reference() {
    let golden = Golden::load();
    let (graphs, views, run) = (golden.graphs(), golden.views(), Run::default());
    let problem = Problem::new(&views, 4, &run);
    for (name, traces) in [("all", MaascTraces::All), ("second", MaascTraces::Second)] {
        let theirs = &golden.0[name];
        let method = Maasc { traces, tolerance: 1e-9, max_iterations: 200, ..Maasc::default() };
        let ours = method.aggregate(&graphs, &["a", "b", "c"], &problem).unwrap();
        let worst = ours.v.iter().zip(numbers(&theirs["v"])).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-7, "{name}: {:?} against {}", ours.v, theirs["v"]);
        assert!((ours.v[0] - 1.0 / 3.0).abs() > 0.01, "the weights have changed");
        let gap = projector_distance(&ours.sum.eigen.vectors, &matrix(&theirs["vectors"]));
        assert!(gap < 1e-6, "{name}: {gap:e}, weights {worst:e}");
        assert!(ours.termination.is_converged());
        assert!(ours.trace.iter().all(|row| row.residual < 1e-7), "{name}: the constraint holds");
    }
}

#[test]
fn one_view_is_spectral_clustering_of_it() {
    let views = Views::new(Golden::load().views().iter().take(1).cloned().collect()).unwrap();
    let of = |method: &str| crate::cluster(&views, &crate::Settings::with_method(4, method, &[]).unwrap()).unwrap();
    let (ours, plain) = (of("maasc"), of("single"));
    assert_eq!(ours.record.labels, plain.record.labels);
    assert!(ours.record.views[0].weight == 1.0 && ours.record.termination.is_converged());
}

#[test]
fn graphs_of_equal_degrees_leave_the_weights_no_room() {
    // three rings with different steps: every degree is 2
    let ring = |step: usize| {
        let edges = (0..20).flat_map(|i| [(i, ((i + step) % 20) as u32, 1.0), ((i + step) % 20, i as u32, 1.0)]);
        Graph::new(Csr::from_entries(20, 20, edges.collect()).unwrap())
    };
    let graphs = [ring(1), ring(3), ring(7)];
    let (views, run) = (Golden::load().views(), Run::default());
    let problem = Problem::new(&views, 3, &run);
    let ours = Maasc::default().aggregate(&graphs, &["a", "b", "c"], &problem).unwrap();
    assert!(ours.v.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-6), "{:?}", ours.v);
}
