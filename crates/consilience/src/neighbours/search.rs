//! Which search a run uses.

use super::{Approximate, Distance, Exact, NeighbourSearch, Neighbours};
use crate::{Result, Run, choice};

choice! {
    /// How nearest neighbours are found.
    pub enum Search {
        /// Exactly up to 50,000 samples, approximately above.
        Auto = "auto",
        /// Every sample is compared with every other.
        Exact = "exact",
        /// Samples are compared with those in cells nearby, and with neighbours of neighbours.
        Approximate = "approximate",
    }
}

impl Search {
    /// The most samples that are searched exactly by [`Search::Auto`].
    pub const MOST_EXACT: usize = 50_000;

    fn for_samples(self, samples: usize) -> &'static dyn NeighbourSearch {
        match self {
            Self::Auto if samples <= Self::MOST_EXACT => &Exact,
            Self::Exact => &Exact,
            Self::Auto | Self::Approximate => &Approximate,
        }
    }
}

impl NeighbourSearch for Search {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        self.for_samples(distance.samples()).search(distance, count, run)
    }

    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        Exact.query(queries, reference, count, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use crate::matrix::Dense;
    use crate::neighbours::DistanceMetric;

    #[test]
    fn many_samples_are_searched_approximately_unless_told_otherwise() {
        let searched = |search: Search, samples: usize| {
            let line = View::new("line", Dense::from_fn(samples, 1, |i, _| (i * 7919 % samples) as f64));
            let run = Run::default();
            let found = search.search(&Distance::within(&line, DistanceMetric::Euclidean), 2, &run).unwrap();
            assert_eq!(found.of(0).1[0], 1.0);
            run.approximate_searches().is_some()
        };
        assert!(searched(Search::Auto, Search::MOST_EXACT + 1) && searched(Search::Approximate, 5000));
        assert!(!searched(Search::Auto, 5000) && !searched(Search::Exact, 5000));
    }
}
