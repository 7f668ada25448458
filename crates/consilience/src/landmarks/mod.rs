//! More samples than can be compared with each other: some of them, drawn at random, are clustered in full, and all find
//! their places among means of those.
//!
//! The draw depends on the numbers of the samples and the seed only, and a sample's place on the sample only, so the
//! result is the same for any pieces in which the samples come, for any number of threads, and on any number of machines.
//!
//! ```
//! use consilience::datasets::{Curves, MadeView};
//! use consilience::settings::Landmarks;
//! use consilience::{Settings, cluster};
//!
//! let views = vec![MadeView::Dense(8), MadeView::Dense(12)];
//! let (views, _) = Curves { samples: 3_000, clusters: 4, views, separation: 9.0, seed: 1 }.generate()?;
//! let found = cluster(&views, &Settings::new(4).landmarks(Landmarks::Count(500)))?;
//! assert_eq!(found.record.labels.len(), 3_000);
//! assert_eq!(found.record.by_landmarks.unwrap().count, 500);
//! # Ok::<(), consilience::Error>(())
//! ```

mod fit;
mod parts;

pub use fit::{Examinable, cluster_pieces};
pub(crate) use fit::{fit, means, most_landmarks};
#[doc(hidden)]
pub use parts::{cluster_first, read_first};

use crate::{Result, Run, Views};

/// Samples that can be gone through more than once.
pub trait SampleSource: Send {
    /// How many there are.
    fn count(&self) -> usize;

    /// The views of the samples `rows`, which rise.
    ///
    /// # Errors
    /// When they cannot be read, or the run is cancelled.
    fn some(&mut self, rows: &[usize], run: &Run) -> Result<Views>;

    /// Hands over all samples in their order, some at a time, with the run that may be told how far these are.
    ///
    /// # Errors
    /// When they cannot be read, `take` fails, or the run is cancelled.
    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()>;
}

impl SampleSource for &Views {
    fn count(&self) -> usize {
        self.samples()
    }

    fn some(&mut self, rows: &[usize], _: &Run) -> Result<Views> {
        self.select(rows)
    }

    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        take(self, run)
    }
}

/// Golden ratio, the odd number of the splitmix generator.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// `count` of `n` samples, the first to be drawn first.
fn drawn(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let count = count.min(n);
    // nobody with a larger hash is among the first, but with a probability that is none
    let share = (count as f64 + 12.0 * (count as f64).sqrt() + 100.0) / n.max(1) as f64;
    let bound = if share >= 1.0 { u64::MAX } else { (share * u64::MAX as f64) as u64 };
    let below = |bound: u64| (0..n).map(|i| (hash(seed, i), i)).filter(move |(hash, _)| *hash <= bound);
    let mut found: Vec<(u64, usize)> = below(bound).collect();
    if found.len() < count {
        found = below(u64::MAX).collect();
    }
    found.sort_unstable();
    found.truncate(count);
    found.into_iter().map(|(_, sample)| sample).collect()
}

/// The splitmix generator's number for a place.
fn hash(seed: u64, place: usize) -> u64 {
    let mut z = seed.wrapping_mul(STEP).wrapping_add((place as u64 + 1).wrapping_mul(STEP));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_are_the_same_and_some_more() {
        let many = drawn(10_000, 2_000, 5);
        assert_eq!(drawn(10_000, 500, 5), many[..500]);
        assert_ne!(drawn(10_000, 500, 6), many[..500]);
        let mut sorted = many.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 2_000);
        assert_eq!(drawn(20, 50, 0).len(), 20);
        assert!(drawn(0, 5, 0).is_empty());
    }

    #[test]
    fn every_part_has_its_share() {
        let drawn = drawn(100_000, 10_000, 0);
        for part in 0..10 {
            let inside = drawn.iter().filter(|&&i| i / 10_000 == part).count();
            assert!((900..1_100).contains(&inside), "{inside} in part {part}");
        }
    }
}
