//! What graphs say of every number of clusters, beside what those of clouds without clusters say.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::curves::{Spectrum, means};
use super::{KPoint, rank};
use crate::matrix::Csr;
use crate::{Result, Run};

/// Random halves of the samples that are clustered again, and of every cloud.
const HALVES: usize = 8;
const CLOUD_HALVES: usize = 4;
/// The cloud's stability is a mean of few halves: points beside each other share theirs.
const CLOUD_SMOOTHING: f64 = 0.25;

/// A graph, n x n and normalised, and the same graph of clouds without clusters.
pub(super) struct Beside {
    pub(super) graph: Arc<Csr<f64>>,
    pub(super) clouds: Vec<Arc<Csr<f64>>>,
}

/// What is asked, of graphs of the same samples.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    /// The numbers of clusters.
    pub(super) range: &'a RangeInclusive<usize>,
    pub(super) seed: u64,
    pub(super) run: &'a Run,
}

impl Asking<'_> {
    /// A point for every number of clusters, without agreement and score, and the clusters.
    pub(super) fn account(&self, of: &Beside) -> Result<(Vec<KPoint>, Vec<Vec<usize>>)> {
        let Self { range, seed, run } = *self;
        let spectrum = Spectrum::new(&of.graph, range, seed, run)?;
        let labels = spectrum.labels(run)?;
        let stability = spectrum.returned(&labels, HALVES, run)?;
        let (mut eigenvalues, mut stabilities) = (Vec::new(), Vec::new());
        for cloud in &of.clouds {
            let spectrum = Spectrum::new(cloud, range, seed, run)?;
            stabilities.push(spectrum.returned(&spectrum.labels(run)?, CLOUD_HALVES, run)?);
            eigenvalues.push(spectrum.eigenvalues);
        }
        let null_eigenvalues = means(&eigenvalues);
        let null_stability = rank::smoothed(&means(&stabilities), CLOUD_SMOOTHING);
        let point = |(at, k): (usize, usize)| KPoint {
            k,
            eigenvalue: spectrum.eigenvalues[k - 1],
            null_eigenvalue: null_eigenvalues[k - 1],
            gap: spectrum.eigenvalues[k - 1] - spectrum.eigenvalues[k],
            null_gap: null_eigenvalues[k - 1] - null_eigenvalues[k],
            stability: stability[at],
            null_stability: null_stability[at],
            smoothed: None,
            agreement: None,
            score: 0.0,
        };
        Ok((range.clone().enumerate().map(point).collect(), labels))
    }
}
