//! Which samples to look at first: one number for how doubtful a sample's cluster is.
//!
//! Three things are known of a sample without its class: how much of its affinity stays in its cluster, how many resampled runs
//! put it there, and how many views would put it elsewhere. Which of them finds wrong samples best was measured on sets with
//! labels (`experiments/facts/doubt.csv`, made by `scripts/doubt.py`): the first two together, and the third makes them worse.

use super::Stability;

/// From 0, nothing speaks against its cluster, to 1: one less the mean of confidence and stability, or less the confidence where the
/// stability is not known.
pub(super) fn doubt(confidence: &[f64], stability: Option<&Stability>) -> Vec<f64> {
    let sure =
        |(i, &confidence): (usize, &f64)| stability.map_or(confidence, |s| f64::midpoint(confidence, s.by_sample[i]));
    confidence.iter().enumerate().map(|one| 1.0 - sure(one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_by_hand() {
        let stability = Stability { runs: 2, share: 0.8, by_sample: vec![1.0, 0.5], by_cluster: vec![], mean: 0.75 };
        assert_eq!(doubt(&[1.0, 0.25], Some(&stability)), [0.0, 0.625]);
        assert_eq!(doubt(&[1.0, 0.25], None), [0.0, 0.75]);
    }
}
