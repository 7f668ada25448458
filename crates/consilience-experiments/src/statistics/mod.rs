//! The little statistics that tables need: means and spreads, a paired test, ranks.

mod ranks;
mod wilcoxon;

pub use ranks::{Friedman, average_ranks, friedman, groups, nemenyi_difference};
pub use wilcoxon::{FEWEST_PAIRS, wilcoxon};

/// The mean; none of nothing.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The standard deviation of a sample (divided by n - 1); none of fewer than two.
pub fn deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers).filter(|_| numbers.len() > 1)?;
    let sum: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    Some((sum / (numbers.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), mean(&[])), (Some(3.0), None));
        assert_eq!(deviation(&[1.0, 2.0, 6.0]), Some(7_f64.sqrt()));
        assert_eq!(deviation(&[4.0]), None);
    }
}
