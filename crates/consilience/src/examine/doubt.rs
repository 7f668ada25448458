//! Which samples to look at first: one number for how doubtful a sample's cluster is.
//!
//! Three things are known of a sample without its class: how much of its affinity stays in its cluster, how many resampled runs
//! put it there, and how many views would put it elsewhere. Which of them finds wrong samples best was measured on sets with
//! labels (`experiments/facts/doubt.csv`, made by `scripts/doubt.py`).

use super::Stability;

/// From 0, nothing speaks against its cluster, to 1: the mean of what speaks against it. What is not known is left out.
pub(super) fn doubt(confidence: &[f64], stability: Option<&Stability>, disagreement: &[f64]) -> Vec<f64> {
    let one = |i: usize| {
        let parts = [Some(1.0 - confidence[i]), stability.map(|s| 1.0 - s.by_sample[i]), Some(disagreement[i])];
        let known: Vec<f64> = parts.into_iter().flatten().collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    (0..confidence.len()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_by_hand() {
        let stability = Stability { runs: 2, share: 0.8, by_sample: vec![1.0, 0.5], by_cluster: vec![], mean: 0.75 };
        assert_eq!(doubt(&[1.0, 0.25], Some(&stability), &[0.0, 1.0]), [0.0, 0.75]);
        assert_eq!(doubt(&[1.0, 0.5], None, &[0.0, 1.0]), [0.0, 0.75]);
    }
}
