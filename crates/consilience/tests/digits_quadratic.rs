//! What the methods that are n x n by definition must score on the digits. Scores, never times.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use consilience::{Clustering, Corruption, CorruptionMode, Scale, Settings, Termination, Views, cluster, metrics};
use consilience_io::digits;

/// ACC and NMI in percent, z-scored, k = 10, seed 0; `draw` is the seed of 20 % of noise that is added in [-5, 5].
fn score(method: &str, parameters: &[(&str, &str)], draw: Option<u64>) -> (f64, f64, Clustering) {
    let digits = digits().unwrap();
    let (views, truth) = (Views::new(digits.views).unwrap(), digits.labels.unwrap());
    let parameters: Vec<_> = parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let corruption = draw.map(|seed| Corruption { mode: CorruptionMode::Add, seed, ..Corruption::default() });
    let settings = Settings::with_method(10, method, &parameters).unwrap().scale(Scale::Zscore).corruption(corruption);
    let result = cluster(&views, &settings).unwrap();
    let scores = metrics::score(&result.record.labels, truth.codes()).unwrap();
    (100.0 * scores[consilience::metrics::Metric::Acc], 100.0 * scores[consilience::metrics::Metric::Nmi], result)
}

#[test]
#[ignore = "minutes: run by make slow"]
fn rlrr_on_clean_digits() {
    let (acc, nmi, result) = score("rlrr", &[], None);
    assert!((acc - 78.9).abs() < 1.5 && (nmi - 75.2).abs() < 1.5, "{acc:.2} / {nmi:.2}, numpy reference 78.9 / 75.2");
    assert_eq!(result.record.termination, Termination::Converged { iterations: 34 }, "as numpy");
}

#[test]
#[ignore = "minutes: run by make slow"]
fn rlrr_in_single_precision() {
    let (acc, nmi, _) = score("rlrr", &[("precision", "single"), ("tolerance", "1e-6")], None);
    assert!((acc - 78.9).abs() < 1.5 && (nmi - 75.2).abs() < 1.5, "{acc:.2} / {nmi:.2}, numpy reference 78.9 / 75.2");
}

#[test]
#[ignore = "minutes: run by make slow"]
fn lrrgl_on_clean_digits_after_twenty_iterations() {
    let (acc, nmi, _) = score("lrrgl", &[("max_iterations", "20")], None);
    assert!((acc - 81.4).abs() < 1.5 && (nmi - 76.2).abs() < 1.5, "{acc:.2} / {nmi:.2}, numpy reference 81.4 / 76.2");
}

#[test]
#[ignore = "minutes: run by make slow"]
fn lrrgl_on_noisy_digits() {
    let (acc, nmi, result) = score("lrrgl", &[], Some(0));
    assert!((acc - 90.1).abs() < 1.5 && (nmi - 81.5).abs() < 1.5, "{acc:.2} / {nmi:.2}, numpy reference 90.1 / 81.5");
    assert!(!result.record.termination.is_converged());
}
