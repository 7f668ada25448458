//! The weights' half of the alternation: a problem of V numbers, solved exactly.
//!
//! Minimise `sum beta_i v_i^2` subject to `sum alpha_i v_i^2 = 1`, `sum v_i = 1`, `v >= 0`. With `gamma_i = beta_i /
//! alpha_i` the Lagrange conditions say `alpha_i (gamma_i - lambda) v_i = c` where `v_i > 0`, and `c <= 0` where some
//! `v_i = 0`. The paper looks at all roots of a polynomial of degree 2 (V - 1) in `lambda`; only these can be minima:
//!
//! - `c > 0`: every `v_i > 0` and `lambda < min gamma`. There the equation for `lambda` is monotone: at most one root,
//!   found by bisection. It minimises also without `v >= 0`, so nothing else need be looked at.
//! - `c < 0`: every `gamma_i < lambda` where `v_i > 0`, so the objective falls in any direction that both equations leave
//!   free. A minimum therefore has none: at most two views have weight, and two equations settle two weights.
//! - `c = 0`: the views with weight share one `gamma`; copies of a view do.

/// A smaller gain than this is rounding: the objective is a mean of the `gamma_i`, which lie between 0 and 2.
const GAIN: f64 = 1e-12;

/// The best weights, or `current` when nothing is better.
pub(super) fn optimal(alpha: &[f64], beta: &[f64], current: &[f64]) -> Vec<f64> {
    // a graph without edges does not enter the constraint: no weight can be derived for it
    if !alpha.iter().all(|a| a.is_finite() && *a > 0.0) {
        return current.to_vec();
    }
    let objective = |v: &[f64]| beta.iter().zip(v).map(|(b, v)| b * v * v).sum::<f64>();
    let candidates = match interior(alpha, beta) {
        Some(v) => vec![v],
        None => copies(alpha, beta).into_iter().chain(pairs(alpha)).collect(),
    };
    let least = candidates.into_iter().min_by(|a, b| objective(a).total_cmp(&objective(b)));
    least.filter(|v| objective(v) < objective(current) - GAIN).unwrap_or_else(|| current.to_vec())
}

/// `gamma_i - min gamma`.
fn gaps(alpha: &[f64], beta: &[f64]) -> Vec<f64> {
    let gamma: Vec<f64> = beta.iter().zip(alpha).map(|(b, a)| b / a).collect();
    let least = gamma.iter().copied().fold(f64::INFINITY, f64::min);
    gamma.iter().map(|gamma| gamma - least).collect()
}

/// `v_i ~ 1 / (alpha_i (gamma_i - lambda))` with `lambda = min gamma - delta`. The ratio `(sum v)^2 / sum alpha v^2`,
/// which must be 1, rises with `delta`.
fn interior(alpha: &[f64], beta: &[f64]) -> Option<Vec<f64>> {
    let gaps = gaps(alpha, beta);
    // times delta, so that nothing overflows near the pole
    let direction =
        |delta: f64| -> Vec<f64> { alpha.iter().zip(&gaps).map(|(a, gap)| delta / (a * (gap + delta))).collect() };
    let ratio = |delta: f64| {
        let x = direction(delta);
        x.iter().sum::<f64>().powi(2) / alpha.iter().zip(&x).map(|(a, x)| a * x * x).sum::<f64>()
    };
    let (mut low, mut high) = (1e-20_f64, 1e20_f64);
    if ratio(low) >= 1.0 || ratio(high) <= 1.0 {
        return None;
    }
    loop {
        // in the middle of the exponents: delta may be of any size
        let middle = (low * high).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if ratio(middle) < 1.0 { low = middle } else { high = middle }
    }
    let x = direction(high);
    let sum: f64 = x.iter().sum();
    Some(x.iter().map(|x| x / sum).collect())
}

/// Weights on the views with the least `gamma` only, where several share it: any feasible point is a minimum. On the line
/// from the centre `v_i ~ 1 / alpha_i` to the view with the largest `alpha`, the constraint is a quadratic without a
/// linear term.
fn copies(alpha: &[f64], beta: &[f64]) -> Option<Vec<f64>> {
    let tied: Vec<bool> = gaps(alpha, beta).iter().map(|gap| *gap == 0.0).collect();
    let inverse: Vec<f64> = alpha.iter().zip(&tied).map(|(a, tied)| if *tied { 1.0 / a } else { 0.0 }).collect();
    let sum: f64 = inverse.iter().sum();
    let end = (0..alpha.len()).filter(|&i| tied[i]).max_by(|&i, &j| alpha[i].total_cmp(&alpha[j]))?;
    let step = ((1.0 - 1.0 / sum) / (alpha[end] - 1.0 / sum)).sqrt();
    let v = |i: usize| (1.0 - step) * inverse[i] / sum + if i == end { step } else { 0.0 };
    (0.0..=1.0).contains(&step).then(|| (0..alpha.len()).map(v).collect())
}

/// The two feasible points of every two views.
fn pairs(alpha: &[f64]) -> Vec<Vec<f64>> {
    let mut found = Vec::new();
    for i in 0..alpha.len() {
        for j in 0..i {
            // alpha_i t^2 + alpha_j (1 - t)^2 = 1
            let (sum, product) = (alpha[i] + alpha[j], alpha[i] * alpha[j]);
            for sign in [-1.0, 1.0] {
                // no number at all when the two have no feasible point
                let t = (alpha[j] + sign * (sum - product).sqrt()) / sum;
                if (0.0..=1.0).contains(&t) {
                    let mut v = vec![0.0; alpha.len()];
                    (v[i], v[j]) = (t, 1.0 - t);
                    found.push(v);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn objective(beta: &[f64], v: &[f64]) -> f64 {
        beta.iter().zip(v).map(|(b, v)| b * v * v).sum()
    }

    fn violation(alpha: &[f64], v: &[f64]) -> f64 {
        let sphere: f64 = alpha.iter().zip(v).map(|(a, v)| a * v * v).sum();
        (sphere - 1.0).abs().max((v.iter().sum::<f64>() - 1.0).abs())
    }

    /// `alpha` scaled so that `v` is feasible, as the eigenvectors make it.
    fn scaled(alpha: &[f64], v: &[f64]) -> Vec<f64> {
        let size: f64 = alpha.iter().zip(v).map(|(a, v)| a * v * v).sum();
        alpha.iter().map(|a| a / size).collect()
    }

    /// Feasible points of three views: all `v_0` in steps, and the two `v_1` that go with each.
    fn grid(alpha: &[f64]) -> Vec<Vec<f64>> {
        let mut points = Vec::new();
        for step in 0..=4000 {
            let x = f64::from(step) / 4000.0;
            // a_1 y^2 + a_2 (1 - x - y)^2 = 1 - a_0 x^2
            let (rest, room) = (1.0 - x, 1.0 - alpha[0] * x * x);
            let (a, b, c) = (alpha[1] + alpha[2], alpha[2] * rest, alpha[2] * rest * rest - room);
            for sign in [-1.0, 1.0] {
                let y = (b + sign * (b * b - a * c).sqrt()) / a;
                if y >= 0.0 && rest - y >= 0.0 {
                    points.push(vec![x, y, rest - y]);
                }
            }
        }
        points
    }

    proptest! {
        #[test]
        fn three_views_are_feasible_and_beat_every_point_of_a_grid(
            alpha in prop::collection::vec(0.05..4.0_f64, 3),
            gamma in prop::collection::vec(0.0..1.0_f64, 3),
            share in prop::collection::vec(0.01..1.0_f64, 3),
        ) {
            let sum: f64 = share.iter().sum();
            let current: Vec<f64> = share.iter().map(|s| s / sum).collect();
            let alpha = scaled(&alpha, &current);
            let beta: Vec<f64> = alpha.iter().zip(&gamma).map(|(a, g)| a * g).collect();
            let v = optimal(&alpha, &beta, &current);
            prop_assert!(violation(&alpha, &v) < 1e-9 && v.iter().all(|v| *v >= 0.0), "{v:?}");
            let points = grid(&alpha);
            let least = points.iter().map(|point| objective(&beta, point)).fold(f64::INFINITY, f64::min);
            prop_assert!(objective(&beta, &v) <= least + 1e-9, "{} at {v:?}, grid {least}", objective(&beta, &v));
            // optimal() must not merely keep what it was given
            let far = points.iter().max_by(|a, b| objective(&beta, a).total_cmp(&objective(&beta, b)));
            if let Some(far) = far {
                prop_assert!(objective(&beta, &optimal(&alpha, &beta, far)) <= least + 1e-9);
            }
        }

        #[test]
        fn ten_views_with_copies_are_feasible_and_never_worse(
            alpha in prop::collection::vec(0.05..4.0_f64, 5),
            gamma in prop::collection::vec(0.0..1.0_f64, 5),
            share in prop::collection::vec(0.01..1.0_f64, 10),
        ) {
            let sum: f64 = share.iter().sum();
            let current: Vec<f64> = share.iter().map(|s| s / sum).collect();
            let twice: Vec<f64> = (0..10).map(|i| alpha[i % 5]).collect();
            let alpha = scaled(&twice, &current);
            let beta: Vec<f64> = (0..10).map(|i| alpha[i] * gamma[i % 5]).collect();
            let v = optimal(&alpha, &beta, &current);
            prop_assert!(violation(&alpha, &v) < 1e-9 && v.iter().all(|v| *v >= 0.0), "{v:?}");
            prop_assert!(objective(&beta, &v) <= objective(&beta, &current) + 1e-12);
        }
    }

    #[test]
    fn two_views_have_two_points_and_the_better_one_is_taken() {
        // 3 t^2 + (1 - t)^2 = 1: t = 0 or 1/2
        let (alpha, current) = ([3.0, 1.0], [0.5, 0.5]);
        assert_eq!(optimal(&alpha, &[0.3, 0.9], &current), current, "0.3 against 0.9");
        let changed = optimal(&alpha, &[2.7, 0.1], &current);
        assert!(changed[0].abs() < 1e-12 && (changed[1] - 1.0).abs() < 1e-12, "{changed:?}");
    }

    #[test]
    fn three_copies_of_the_best_view_share_the_weight() {
        // no two of them are feasible: 2.5 (t^2 + (1 - t)^2) >= 1.25
        let (alpha, beta) = ([2.5, 2.5, 2.5, 1.0], [0.25, 0.25, 0.25, 0.9]);
        let v = optimal(&alpha, &beta, &[0.0, 0.0, 0.0, 1.0]);
        assert!(violation(&alpha, &v) < 1e-12 && v[3] == 0.0 && v.iter().all(|v| *v >= 0.0), "{v:?}");
        assert!((objective(&beta, &v) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn one_view_and_views_without_edges_keep_their_weights() {
        assert_eq!(optimal(&[1.0], &[0.3], &[1.0]), [1.0]);
        assert_eq!(optimal(&[0.0, 2.0], &[0.0, 0.5], &[0.5, 0.5]), [0.5, 0.5]);
        assert_eq!(optimal(&[2.0, 2.0], &[0.0, 0.0], &[0.5, 0.5]), [0.5, 0.5]);
    }
}
