//! What the methods must score on the digits that the crate carries (issue: foundation). Scores, never times.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use consilience::data::digits;
use consilience::{Scale, Settings, Views, cluster, metrics};

/// ACC and NMI in percent, z-scored, k = 10, seed 0.
fn score(method: &str, parameters: &[(&str, &str)]) -> (f64, f64) {
    let digits = digits().unwrap();
    let (views, truth) = (Views::new(digits.views).unwrap(), digits.labels.unwrap());
    let parameters: Vec<_> = parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let settings = Settings { scale: Scale::Zscore, ..Settings::with_method(10, method, &parameters).unwrap() };
    let labels = cluster(&views, &settings).unwrap().labels;
    let scores = metrics::score(&labels, truth.codes()).unwrap();
    (100.0 * scores.acc, 100.0 * scores.nmi)
}

#[test]
fn concatenation_with_self_tuning_gaussian_weights() {
    let (acc, nmi) = score("mfmsc", &[("neighbours", "20"), ("weights", "gaussian")]);
    assert!(acc >= 94.5 && nmi >= 89.5, "{acc:.2} / {nmi:.2}, numpy reference 94.9 / 89.8");
}

#[test]
fn concatenation_with_binary_weights() {
    let (acc, nmi) = score("mfmsc", &[("neighbours", "10"), ("weights", "binary")]);
    assert!(acc >= 96.0 && nmi >= 92.0, "{acc:.2} / {nmi:.2}, scikit-learn 96.6 / 92.4");
}

#[test]
fn the_better_view_alone() {
    let (acc, nmi) = score("single", &[("view", "fac")]);
    assert!((acc - 92.9).abs() < 1.0 && (nmi - 86.8).abs() < 1.0, "{acc:.2} / {nmi:.2}, numpy reference 92.9 / 86.8");
}
