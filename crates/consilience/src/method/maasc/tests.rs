use super::*;
use crate::graph::neighbours::Distance;
use crate::method::joint::tests::{distance, matrix};
use crate::{MemoryLimit, View, Views};

/// What the numpy reference computed; made by `scripts/make_maasc_golden.py`.
struct Golden(Value);

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

impl Golden {
    fn load() -> Self {
        Self(serde_json::from_str(include_str!("../../../tests/golden/maasc.json")).unwrap())
    }

    fn views(&self) -> Views {
        let views = self.0["views"].as_array().unwrap().iter().enumerate();
        Views::new(views.map(|(i, view)| View::new(format!("view{i}"), matrix(view))).collect()).unwrap()
    }

    fn graphs(&self) -> Vec<Graph> {
        let settings = list(&self.0["neighbours"])
            .into_iter()
            .map(|s| GraphSettings { neighbours: s as usize, ..GraphSettings::default() });
        let build = |(settings, view): (GraphSettings, &View)| {
            settings.build(&Distance::within(view, settings.metric), "golden", &Run::default()).unwrap()
        };
        settings.zip(&self.views()).map(build).collect()
    }
}

#[test]
fn weights_and_eigenvectors_equal_the_reference() {
    let golden = Golden::load();
    let (graphs, views, run) = (golden.graphs(), golden.views(), Run::default());
    let problem = Problem { views: &views, clusters: 4, seed: 0, memory: MemoryLimit::new(None), run: &run };
    for (name, traces) in [("all", Traces::All), ("second", Traces::Second)] {
        let theirs = &golden.0[name];
        let method = Maasc { traces, tolerance: 1e-9, max_iterations: 200, ..Maasc::default() };
        let ours = method.aggregate(&graphs, &["a", "b", "c"], &problem).unwrap();
        let worst = ours.v.iter().zip(list(&theirs["v"])).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-7, "{name}: {:?} against {}", ours.v, theirs["v"]);
        assert!((ours.v[0] - 1.0 / 3.0).abs() > 0.01, "the weights have moved");
        let gap = distance(&ours.sum.eigen.vectors, &matrix(&theirs["vectors"]));
        assert!(gap < 1e-6, "{name}: {gap:e}, weights {worst:e}");
        assert_eq!(ours.stop.reason, "converged");
        assert!(ours.trace.iter().all(|row| row.residual < 1e-7), "{name}: the constraint holds");
    }
}

#[test]
fn one_view_is_spectral_clustering_of_it() {
    let views = Views::new(Golden::load().views().iter().take(1).cloned().collect()).unwrap();
    let of = |method: &str| crate::cluster(&views, &crate::Settings::with_method(4, method, &[]).unwrap()).unwrap();
    let (ours, plain) = (of("maasc"), of("single"));
    assert_eq!(ours.labels, plain.labels);
    assert!(ours.views[0].weight == 1.0 && ours.stop.reason == "converged");
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
    let problem = Problem { views: &views, clusters: 3, seed: 0, memory: MemoryLimit::new(None), run: &run };
    let ours = Maasc::default().aggregate(&graphs, &["a", "b", "c"], &problem).unwrap();
    assert!(ours.v.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-6), "{:?}", ours.v);
}
