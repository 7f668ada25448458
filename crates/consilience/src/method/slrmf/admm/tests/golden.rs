//! One sweep against numpy's; made by scripts/make_admm_golden.py.

use serde_json::Value;

use super::*;

fn matrix(value: &Value) -> Dense<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

#[test]
fn one_sweep_equals_numpys() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../tests/golden/admm.json")).unwrap();
    let before = |name: &str| matrix(&golden["before"][name]);
    let weight = |name: &str| golden["weights"][name].as_f64().unwrap();
    let graph = Graph::new(Csr::from_dense(&before("W")).unwrap());
    let mut state = State {
        X: Samples::unscaled(&before("X").into()),
        graph: &graph,
        U: before("U"),
        D: before("D"),
        E: before("E"),
        G: before("G"),
        K1: before("K1"),
        K2: before("K2"),
        K3: before("K3"),
        mu: weight("mu"),
    };
    let terms = Terms { lambda1: weight("lambda1"), lambda2: weight("lambda2"), beta: weight("beta") };
    let others = Others { sum: before("other"), count: 1 };
    let change = derived::sweep(&mut state, &others, &terms, true, &EXACT, &Run::default()).unwrap();
    let State { U, D, E, G, K1, K2, K3, .. } = &state;
    for (name, ours) in [("U", U), ("D", D), ("E", E), ("G", G), ("K1", K1), ("K2", K2), ("K3", K3)] {
        let theirs = matrix(&golden["after"][name]);
        let gap = ours.data().iter().zip(theirs.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-9 && ours.rows() == theirs.rows(), "{name}: {gap}");
    }
    assert!((change.residual - golden["residual"].as_f64().unwrap()).abs() < 1e-9);
}
