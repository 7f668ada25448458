//! The permutation test: is a statistic of several views of the same samples more than it is when each view's samples are permuted
//! by themselves?

use rayon::prelude::*;

use super::{permuted, stream};

/// Permutations that show what a statistic is by chance: its mean and its deviation.
const FEW: u64 = 30;
/// A statistic agrees when it is more than under each of these: by chance one time in a thousand, whatever its distribution.
const MANY: u64 = 999;
/// So many deviations above its mean under the first few there is no need for the others. The heaviest tail that such sums of
/// products have is that of a squared normal number, for views of one feature: four in ten thousand are beyond.
const PLAIN_DEVIATIONS: f64 = 12.0;

/// A statistic of the views' orders: sample `i` of a view counts as `orders[view][i]`.
pub(crate) struct Permutations<S> {
    pub(crate) samples: usize,
    pub(crate) views: usize,
    pub(crate) seed: u64,
    pub(crate) statistic: S,
}

impl<S: Fn(&[Vec<usize>]) -> f64 + Sync> Permutations<S> {
    /// The statistic of the views as they are.
    pub(crate) fn observed(&self) -> f64 {
        (self.statistic)(&vec![(0..self.samples).collect(); self.views])
    }

    /// Its mean and standard deviation under a few permutations.
    pub(crate) fn mean_and_deviation(&self) -> (f64, f64) {
        mean_and_deviation(&self.few())
    }

    /// Whether the views agree more than by chance.
    pub(crate) fn agree(&self) -> bool {
        let (observed, few) = (self.observed(), self.few());
        // most views that do not agree are known by these, and most of those that do
        if few.iter().any(|&value| value >= observed) {
            return false;
        }
        let (mean, deviation) = mean_and_deviation(&few);
        observed > mean + PLAIN_DEVIATIONS * deviation
            || !(FEW..MANY).into_par_iter().any(|draw| self.under(draw) >= observed)
    }

    fn few(&self) -> Vec<f64> {
        (0..FEW).into_par_iter().map(|draw| self.under(draw)).collect()
    }

    fn under(&self, draw: u64) -> f64 {
        let mut rng = stream(self.seed, draw);
        let orders: Vec<Vec<usize>> = (0..self.views).map(|_| permuted(self.samples, &mut rng)).collect();
        (self.statistic)(&orders)
    }
}

fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (numbers.len() - 1) as f64;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many samples two views have in the same place: of permuted ones 1 in the mean, with deviation 1.
    fn in_place(samples: usize, moved: usize) -> Permutations<impl Fn(&[Vec<usize>]) -> f64 + Sync> {
        let statistic = move |orders: &[Vec<usize>]| {
            let same = |i: &usize| orders[0][*i] == orders[1][if *i < moved { (i + 1) % moved } else { *i }];
            (0..samples).filter(same).count() as f64
        };
        Permutations { samples, views: 2, seed: 1, statistic }
    }

    #[test]
    fn the_null_has_the_mean_and_deviation_of_matches() {
        let test = in_place(200, 0);
        assert_eq!(test.observed(), 200.0);
        let (mean, deviation) = test.mean_and_deviation();
        assert!((0.4..1.6).contains(&mean) && (0.6..1.5).contains(&deviation), "{mean} {deviation}");
    }

    #[test]
    fn agreement_is_plain_or_more_than_every_permutation() {
        assert!(in_place(200, 0).agree());
        // 8 in place are met by chance one time in 100,000, 3 one time in twelve, 0 always
        assert!(in_place(200, 192).agree() && !in_place(200, 197).agree() && !in_place(200, 200).agree());
    }
}
