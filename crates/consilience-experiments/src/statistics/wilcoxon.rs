//! Wilcoxon's signed-rank test, exact: the pairs are few, so every sign pattern can be counted.

/// With fewer pairs than this no outcome reaches p < 0.05 (five pairs give 1/16 at best).
pub const FEWEST_PAIRS: usize = 6;

/// The two-sided exact p-value of the differences being centred at 0. Zero differences are left out, as Wilcoxon did;
/// equal sizes share their mean rank. None when fewer than [`FEWEST_PAIRS`] differences are left.
pub fn wilcoxon(differences: &[f64]) -> Option<f64> {
    let mut left: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && d.is_finite()).collect();
    if left.len() < FEWEST_PAIRS {
        return None;
    }
    left.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&left);
    let positive: usize = left.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let total: usize = ranks.iter().sum();
    // share[w]: probability that the positive ranks sum to w when every sign is a coin
    let mut share = vec![0.0; total + 1];
    share[0] = 1.0;
    for &rank in &ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= rank { share[sum - rank] } else { 0.0 };
            share[sum] = 0.5 * (share[sum] + with);
        }
    }
    let extreme = positive.min(total - positive);
    let tail: f64 = share[..=extreme].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Twice the ranks of sorted numbers by size, so that shared ranks stay whole.
fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    while ranks.len() < sorted.len() {
        let first = ranks.len();
        // sizes that differ by rounding only are equal
        let same = sorted[first..].iter().take_while(|d| d.abs() - sorted[first].abs() < 1e-12).count();
        ranks.extend(std::iter::repeat_n(2 * first + same + 1, same));
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_wins_of_six() {
        // one pattern of 64 on each side
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), Some(2.0 / 64.0));
        assert_eq!(wilcoxon(&[-0.1, -0.2, -0.3, -0.4, -0.5, -0.6]), Some(2.0 / 64.0));
    }

    #[test]
    fn one_small_loss_of_seven() {
        // W- = 1: the patterns with sums 0 and 1, two of 128 on each side; scipy says 0.03125
        assert_eq!(wilcoxon(&[1.1, 2.2, 3.3, -0.5, 4.0, 0.7, 2.0]), Some(0.03125));
    }

    #[test]
    fn equal_sizes_share_their_rank() {
        // ranks 1.5 1.5 3 4 5 6, W- = 1.5: sums 0, 1.5 (twice) of 64 on each side
        assert_eq!(wilcoxon(&[1.0, -1.0, 2.0, 3.0, 4.0, 5.0]), Some(6.0 / 64.0));
        assert_eq!(doubled_ranks(&[1.0, -1.0, 2.0, 3.0]), [3, 3, 6, 8]);
    }

    #[test]
    fn too_few_pairs_say_nothing() {
        assert_eq!(wilcoxon(&[1.0; 5]), None);
        assert_eq!(wilcoxon(&[1.0, 1.0, 1.0, 1.0, 1.0, 0.0]), None, "a zero is no pair");
    }
}
