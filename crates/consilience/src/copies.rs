//! Samples that are the same in every view (technical replicates, answers to few questions). They would fill each other's
//! neighbour lists, so they are one point that counts as often as it occurs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::method::Findings;
use crate::operator::{Copied, LinOp};
use crate::run::Warning;
use crate::{View, Views};

/// Which samples are copies of which.
pub(crate) struct Copies {
    /// The first of each kind, rising.
    pub(crate) firsts: Vec<usize>,
    /// For every sample the place of its first one among `firsts`.
    pub(crate) of: Vec<usize>,
    /// How often each occurs.
    pub(crate) counts: Vec<f64>,
}

impl Copies {
    /// None when all samples differ; samples of given affinities do.
    pub(crate) fn of(views: &Views) -> Option<Self> {
        if views.iter().any(View::is_affinity) {
            return None;
        }
        let mut copies = Self { firsts: Vec::new(), of: Vec::with_capacity(views.samples()), counts: Vec::new() };
        // equal samples have equal sums; those that have are compared
        let mut alike: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
        for i in 0..views.samples() {
            let places = alike.entry(views.sample_sums(i)).or_default();
            let known = places.iter().copied().find(|&place| views.are_equal(copies.firsts[place], i));
            let place = known.unwrap_or_else(|| {
                copies.firsts.push(i);
                copies.counts.push(0.0);
                places.push(copies.firsts.len() - 1);
                copies.firsts.len() - 1
            });
            copies.of.push(place);
            copies.counts[place] += 1.0;
        }
        (copies.firsts.len() < views.samples()).then_some(copies)
    }

    /// What the user should know of it.
    pub(crate) fn warning(&self) -> Warning {
        let samples = self.of.iter().filter(|&&place| self.counts[place] > 1.0).count();
        Warning::Replicates { samples, distinct: self.firsts.len() }
    }

    /// The samples that `place` stands for.
    fn samples(&self) -> Vec<Vec<usize>> {
        let mut samples = vec![Vec::new(); self.firsts.len()];
        self.of.iter().enumerate().for_each(|(i, &place)| samples[place].push(i));
        samples
    }

    /// What was found of the firsts, said of all samples.
    pub(crate) fn spread_findings(&self, findings: &mut Findings) {
        let samples = self.samples();
        for found in &mut findings.disagreements {
            found.samples = found.samples.iter().flat_map(|&place| samples[place].iter().copied()).collect();
            found.samples.sort_unstable();
            found.count = found.samples.len();
        }
        for found in findings.corruption.iter_mut().filter(|found| !found.by_sample.is_empty()) {
            found.by_sample = self.of.iter().map(|&place| found.by_sample[place]).collect();
        }
        if let Some(stability) = findings.readings.as_mut().and_then(|readings| readings.stability.as_mut()) {
            stability.by_sample = self.of.iter().map(|&place| stability.by_sample[place]).collect();
        }
    }

    /// The affinity of all samples: `S A S'`, where column j of S (n x firsts) has unit length and is the same for all copies.
    pub(crate) fn spread_affinity(&self, affinity: Arc<dyn LinOp>) -> Arc<dyn LinOp> {
        Arc::new(Copied::new(affinity, self.of.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    #[test]
    fn copies_are_the_same_in_every_view() {
        let a = View::new("a", Dense::new(5, 2, vec![1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.0, 2.0, 2.0, 1.0]).unwrap());
        let b = View::new("b", Dense::new(5, 1, vec![7.0, 7.0, 7.0, 8.0, 7.0]).unwrap());
        let copies = Copies::of(&Views::new(vec![a.clone(), b]).unwrap()).unwrap();
        assert_eq!(
            (copies.firsts, copies.of, copies.counts),
            (vec![0, 1, 3], vec![0, 1, 0, 2, 1], vec![2.0, 2.0, 1.0])
        );
        let c = View::new("c", Dense::from_fn(5, 1, |i, _| i as f64));
        assert!(Copies::of(&Views::new(vec![a, c]).unwrap()).is_none());
    }

    #[test]
    fn a_sample_that_a_view_lacks_is_no_copy_of_one_with_zeros() {
        let a =
            View::new("a", Dense::new(3, 1, vec![0.0, 0.0, 5.0]).unwrap()).with_absent(&[true, false, false]).unwrap();
        let b = View::new("b", Dense::new(3, 1, vec![1.0, 1.0, 1.0]).unwrap());
        assert!(Copies::of(&Views::new(vec![a, b]).unwrap()).is_none());
    }
}
