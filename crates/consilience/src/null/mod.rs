//! What chance would have it: samples that are permuted or drawn at random, and clouds without clusters. Whoever compares the data
//! with chance (`pairing`, `choose`, `examine`) does it with these.

mod clouds;
mod overlap;
mod permutation;

pub(crate) use clouds::{Clouds, side_by_side};
pub use overlap::Overlap;
pub(crate) use overlap::overlap;
pub(crate) use permutation::Permutations;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

/// Random numbers of a seed; every `number` has its own.
pub(crate) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// At most `most` of `n` samples, rising.
pub(crate) fn drawn(n: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut drawn = sample(rng, n, most).into_vec();
    drawn.sort_unstable();
    drawn
}

/// `n` samples in another order.
pub(crate) fn permuted(n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_rise_and_hang_on_seed_and_stream() {
        let draw = |seed, number| drawn(1_000, 100, &mut stream(seed, number));
        let first = draw(1, 0);
        assert!(first.len() == 100 && first.windows(2).all(|pair| pair[0] < pair[1]) && first[99] < 1_000);
        assert!(first == draw(1, 0) && first != draw(1, 1) && first != draw(2, 0));
        assert_eq!(drawn(3, 5, &mut stream(1, 0)), [0, 1, 2]);
        let mut order = permuted(100, &mut stream(1, 0));
        assert!(order != permuted(100, &mut stream(1, 1)));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
