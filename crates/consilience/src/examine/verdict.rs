//! What follows from what was measured: a state of the whole and one of every cluster. The words are the report's.

use super::{Examination, Stability, Structure};
use crate::Clustering;
use crate::states::{ClusterState, ClusterVerdict, State};

/// A cluster that comes back less than this is fragile: of clusters below .6 one in eleven is one, of those from .6 to .8 one in four
/// (docs/verdict.md).
const COMES_BACK: f64 = 0.6;
/// Views that agree less than this describe different things.
const LOW_AGREEMENT: f64 = 0.2;

/// The verdict on a clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// In one word.
    pub state: State,
    /// Of every cluster that was asked for.
    pub clusters: Vec<ClusterVerdict>,
    /// Pairs of views whose own clusters hardly agree.
    pub unlike: Vec<(usize, usize)>,
}

impl Verdict {
    /// Judges what `examination` found of `clustering`.
    pub fn new(clustering: &Clustering, examination: &Examination) -> Self {
        let k = clustering.record.settings.clusters;
        let mut sizes = vec![0; k];
        clustering.record.labels.iter().for_each(|&label| sizes[label] += 1);
        let Examination { structure, stability, .. } = examination;
        let (state, clusters) = judged(&sizes, stability.as_ref(), structure.as_ref());
        Self { state, clusters, unlike: unlike(&examination.agreement) }
    }
}

/// The states of the whole and of clusters of these sizes.
fn judged(sizes: &[usize], stability: Option<&Stability>, structure: Option<&Structure>) -> (State, Vec<ClusterVerdict>) {
    let mut clusters = vec![ClusterVerdict::default(); sizes.len()];
    let (Some(stability), true) = (stability, sizes.len() > 1) else { return (State::Untested, clusters) };
    let joined = structure.map(Structure::joined).unwrap_or_default();
    for (cluster, verdict) in clusters.iter_mut().enumerate() {
        verdict.stability = stability.by_cluster.get(cluster).copied();
        verdict.state = verdict.stability.map(|stability| match stability {
            low if low < COMES_BACK => ClusterState::Fragile,
            _ if joined.contains(&cluster) => ClusterState::Touching,
            _ => ClusterState::Solid,
        });
    }
    (State::Touching, clusters)
}

fn unlike(agreement: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let pairs = (0..agreement.len()).flat_map(|a| (a + 1..agreement.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| agreement[a][b] < LOW_AGREEMENT).collect()
}
