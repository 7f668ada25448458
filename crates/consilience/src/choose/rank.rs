//! From curves to candidates, and what speaks against any.

use super::{Candidate, KPoint};

/// Stability and agreement take this much from each of the two numbers beside: a number of clusters that is only right by
/// accident is not nearly right one cluster up or down.
const FROM_NEIGHBOURS: f64 = 0.2;
/// Weight of the views' agreement beside stability.
const AGREEMENT_WEIGHT: f64 = 1.0;
/// Of the step of the cost, relative to the largest, in the plain graph and in the smoothed one; what one lacks goes to the other.
const STEP_WEIGHTS: [f64; 2] = [0.35, 0.4];
/// Of how much easier than a cloud's the last cut is, relative to the easiest.
const EASE_WEIGHT: f64 = 0.2;
/// A cut that costs less than this is as good as free: two of them are not told apart by how much less.
const FREE: f64 = 0.01;
/// The score is multiplied by the logarithm of k to this power: the same agreement says more about more clusters.
const LOG_POWER: f64 = 0.1;
/// Candidates after the first have at least this share of its score.
const LEAST_SHARE: f64 = 0.75;
const MOST_CANDIDATES: usize = 3;
/// The mean logarithm, over eigenvalues 2 to k, of the null's `1 - eigenvalue` over that of the data; less will do where the cost
/// steps up after k by this logarithm beyond what it does in the null.
pub(super) const LEAST_EXCESS: f64 = 0.5;
const CLEAR_STEP: f64 = 0.4;
/// Stability, on a scale from that of the null (0) to full agreement (1).
const LEAST_STABILITY: f64 = 0.15;

/// Stability on a scale from that of the null (0) to full agreement (1).
pub(super) fn corrected(stability: f64, null: f64) -> f64 {
    let null = null.clamp(0.0, 0.95);
    (stability - null) / (1.0 - null)
}

/// Every value with some of the two beside it; beyond the ends the last value goes on.
pub(super) fn smoothed(values: &[f64], share: f64) -> Vec<f64> {
    let at = |i: usize| values[i.min(values.len() - 1)];
    let smooth = |i: usize| (1.0 - 2.0 * share) * values[i] + share * (at(i.saturating_sub(1)) + at(i + 1));
    (0..values.len()).map(smooth).collect()
}

/// How many times as much as the last of k parts one part more costs to cut off.
fn times(eigenvalue: f64, gap: f64) -> f64 {
    (1.0 - eigenvalue + gap + FREE) / (1.0 - eigenvalue + FREE)
}

/// The step of the cost after k parts, on a logarithmic scale, beyond what a cloud without clusters has there: where cuts are
/// cheap a small drop of the eigenvalues says more than a large one where they are dear.
pub(super) fn step(point: &KPoint) -> f64 {
    let (own, null) = (times(point.eigenvalue, point.gap), times(point.null_eigenvalue, point.null_gap));
    (own / null).ln().max(0.0)
}

/// Stability on a scale from that of the clouds to full agreement.
pub(super) fn own_stability(point: &KPoint) -> f64 {
    corrected(point.stability, point.null_stability)
}

/// Divided by the largest.
fn relative(values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    values.into_iter().map(|value| value / largest).collect()
}

/// Fills in the scores of the points.
pub(super) fn score(points: &mut [KPoint]) {
    let mean = |plain: f64, smoothed: Option<f64>| smoothed.map_or(plain, |smoothed| f64::midpoint(plain, smoothed));
    let stability = points.iter().map(|point| mean(own_stability(point), point.smoothed.map(|found| found.stability)));
    let stability: Vec<f64> = stability.collect();
    let agreement: Vec<f64> = points.iter().map(|point| point.agreement.unwrap_or(0.0)).collect();
    let plain_step = relative(points.iter().map(step).collect());
    let smoothed_step = relative(points.iter().map(|point| point.smoothed.map_or(0.0, |found| found.step)).collect());
    let ease = relative(points.iter().map(|point| ease(point).max(0.0)).collect());
    let [stability, agreement] = [stability, agreement].map(|curve| smoothed(&curve, FROM_NEIGHBOURS));
    for (i, point) in points.iter_mut().enumerate() {
        let steps = [plain_step[i], point.smoothed.map_or(plain_step[i], |_| smoothed_step[i])];
        let step = STEP_WEIGHTS[0] * steps[0] + STEP_WEIGHTS[1] * steps[1];
        let sum = stability[i] + AGREEMENT_WEIGHT * agreement[i] + step + EASE_WEIGHT * ease[i];
        point.score = sum * (point.k as f64).ln().powf(LOG_POWER);
    }
}

/// The best number of clusters and up to two others that stand out from those beside them.
pub(super) fn candidates(points: &[KPoint]) -> Vec<Candidate> {
    let mut peaks: Vec<usize> = (0..points.len()).collect();
    peaks.retain(|&i| {
        let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter_map(|j| points.get(j));
        beside.into_iter().all(|other| points[i].score >= other.score)
    });
    // of equal scores the fewer clusters
    peaks.sort_by(|&a, &b| points[b].score.total_cmp(&points[a].score).then(a.cmp(&b)));
    let best = peaks.first().map_or(0.0, |&i| points[i].score);
    let worthy = peaks.into_iter().enumerate().filter(|(rank, i)| *rank == 0 || points[*i].score >= LEAST_SHARE * best);
    worthy.take(MOST_CANDIDATES).map(|(_, i)| Candidate { k: points[i].k, evidence: evidence(points, i) }).collect()
}

/// Whether the cost steps up after this number as it does in no cloud: clusters that overlap are hardly easier to cut than a cloud.
pub(super) fn steps_up(point: &KPoint) -> bool {
    step(point) >= CLEAR_STEP
}

/// What speaks against any clusters at all at the best number, as a sentence; none when nothing does.
pub(super) fn objection(points: &[KPoint], best: &KPoint) -> Option<String> {
    let excess = excess(points, best.k);
    if excess < LEAST_EXCESS && !steps_up(best) {
        return Some(format!(
            "the samples are not much easier to cut into {} clusters than a cloud without clusters of the same size and \
             covariance (a factor of {:.2})",
            best.k,
            excess.exp()
        ));
    }
    if own_stability(best) < LEAST_STABILITY {
        return Some(format!(
            "halves of the samples that are clustered again hardly agree more with the whole ({:.2}) than those of a cloud without \
             clusters ({:.2})",
            best.stability, best.null_stability
        ));
    }
    None
}

/// How much easier than a null's the samples are to cut, over the eigenvalues up to `k`.
pub(super) fn excess(points: &[KPoint], k: usize) -> f64 {
    let upto: Vec<&KPoint> = points.iter().filter(|point| point.k <= k).collect();
    upto.iter().map(|point| ease(point)).sum::<f64>() / upto.len().max(1) as f64
}

/// The logarithm of how much easier than a null's the last of k parts is to cut.
fn ease(point: &KPoint) -> f64 {
    let cost = |eigenvalue: f64| (1.0 - eigenvalue).max(1e-6);
    (cost(point.null_eigenvalue) / cost(point.eigenvalue)).ln()
}

/// What speaks for a number of clusters, in sentences.
fn evidence(points: &[KPoint], at: usize) -> Vec<String> {
    let point = &points[at];
    let mut sentences = vec![format!(
        "Halves of the samples that are clustered again agree with the whole by {:.2}; those of a cloud without clusters by {:.2}.",
        point.stability, point.null_stability
    )];
    if let Some(agreement) = point.agreement {
        let rank = 1 + points.iter().filter(|other| other.agreement > point.agreement).count();
        let rank = placed(rank, points.len(), "highest");
        sentences.push(format!("The views by themselves find these clusters by {agreement:.2}, {rank}."));
    }
    let rank = 1 + points.iter().filter(|other| step(other) > step(point)).count();
    sentences.push(format!(
        "Eigenvalue {} of the joint graph is {:.3}, in a cloud without clusters {:.3}; one cluster more costs {:.1} times as \
         much ({:.1} times in the cloud), {}.",
        point.k,
        point.eigenvalue,
        point.null_eigenvalue,
        times(point.eigenvalue, point.gap),
        times(point.null_eigenvalue, point.null_gap),
        placed(rank, points.len(), "largest step")
    ));
    sentences
}

fn placed(rank: usize, of: usize, most: &str) -> String {
    match rank {
        1 => format!("the {most} of {of}"),
        _ => format!("number {rank} of {of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::Smoothed;

    /// Eigenvalues stay near 1 up to `k` and the halves agree there.
    fn points(k: usize) -> Vec<KPoint> {
        let point = |at: usize| KPoint {
            k: at,
            eigenvalue: if at <= k { 0.98 } else { 0.7 },
            null_eigenvalue: 0.7,
            gap: if at == k { 0.28 } else { 0.0 },
            null_gap: 0.0,
            stability: if at == k { 0.95 } else { 0.6 },
            null_stability: 0.3,
            smoothed: None,
            agreement: Some(if at == k { 0.8 } else { 0.5 }),
            score: 0.0,
        };
        let mut points: Vec<KPoint> = (2..=9).map(point).collect();
        score(&mut points);
        points
    }

    #[test]
    fn the_number_that_stands_out_is_first_and_has_evidence() {
        for k in [2, 5, 9] {
            let found = candidates(&points(k));
            assert_eq!(found[0].k, k);
            assert!(found[0].evidence[0].contains("agree with the whole by 0.95"), "{:?}", found[0].evidence);
            assert!(
                found[0].evidence[1].contains("the highest of 8")
                    && found[0].evidence[2].contains("the largest step of 8")
            );
        }
    }

    /// Measured on 120 samples in three clear clusters: their parts have a larger drop of the eigenvalues than they.
    #[test]
    fn a_large_drop_where_cuts_are_dear_does_not_outweigh_a_step_from_cuts_that_are_free() {
        let measured = [
            (0.9996, 0.987, 0.000, 0.629, 0.570, 0.428),
            (0.9996, 0.949, 0.104, 1.000, 0.500, 0.751),
            (0.896, 0.920, 0.002, 0.828, 0.516, 0.756),
            (0.894, 0.888, 0.024, 0.742, 0.550, 0.717),
            (0.870, 0.850, 0.180, 0.759, 0.527, 0.757),
            (0.690, 0.806, 0.038, 0.737, 0.526, 0.701),
        ];
        let point = |(at, &(eigenvalue, null_eigenvalue, gap, stability, null_stability, agreement))| {
            let (k, null_gap, agreement) = (at + 2, 0.04, Some(agreement));
            let smoothed = None;
            KPoint {
                k,
                eigenvalue,
                null_eigenvalue,
                gap,
                null_gap,
                stability,
                null_stability,
                smoothed,
                agreement,
                score: 0.0,
            }
        };
        let mut points: Vec<KPoint> = measured.iter().enumerate().map(point).collect();
        score(&mut points);
        assert_eq!(candidates(&points)[0].k, 3, "{points:#?}");
    }

    #[test]
    fn the_step_by_hand() {
        let point = KPoint { eigenvalue: 0.99, gap: 0.18, null_eigenvalue: 0.5, null_gap: 0.0, ..points(4)[0].clone() };
        assert!((step(&point) - 10.0_f64.ln()).abs() < 1e-12);
        let cloud = KPoint { eigenvalue: 0.5, gap: 0.0, null_eigenvalue: 0.99, null_gap: 0.18, ..point };
        assert_eq!(step(&cloud), 0.0);
    }

    #[test]
    fn every_kind_of_missing_structure_is_named() {
        let told = |points: &[KPoint]| objection(points, &points[2]);
        assert_eq!(told(&points(4)), None);
        let mut flat = points(4);
        flat.iter_mut().for_each(|point| point.eigenvalue = 0.71);
        assert_eq!(told(&flat), None, "the step is clear");
        flat[2].gap = 0.0;
        assert!(told(&flat).unwrap().contains("not much easier to cut into 4"));
        let mut shaky = points(4);
        shaky.iter_mut().for_each(|point| point.null_stability = point.stability - 0.005);
        assert!(told(&shaky).unwrap().contains("hardly agree more with the whole (0.95)"));
    }

    #[test]
    fn smoothed_graphs_count_as_much_as_plain_ones() {
        let mut points = points(4);
        for point in &mut points {
            let stands_out = f64::from(u8::from(point.k == 7));
            point.smoothed = Some(Smoothed { stability: 0.9 * stands_out, step: 3.0 * stands_out });
            (point.stability, point.agreement) = (0.5, None);
        }
        score(&mut points);
        assert_eq!(candidates(&points)[0].k, 7);
    }

    #[test]
    fn smoothing_by_hand() {
        assert_eq!(smoothed(&[1.0, 0.0, 0.0, 2.0], 0.25), [0.75, 0.25, 0.5, 1.5]);
        assert_eq!(smoothed(&[3.0], 0.25), [3.0]);
    }
}
