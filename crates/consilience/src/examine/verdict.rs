//! What follows from what was measured: a state of the whole and one of every cluster. The words are the report's.
//!
//! The numbers below were chosen on one half of the made-up families and judged on the other and on sets with classes: docs/verdict.md.

use super::{Border, Examination, Stability, Structure};
use crate::Clustering;
use crate::states::{ClusterState, ClusterVerdict, State};

/// A cluster that comes back less than this is fragile: of those below, one in eleven is one.
const COMES_BACK: f64 = 0.6;
/// With more of the samples than this in fragile clusters, or clusters that come back less than [`WHOLE`] in the mean over the samples,
/// nothing is said of borders.
const MOSTLY: f64 = 0.5;
const WHOLE: f64 = 0.65;
/// A border is a valley where samples are at most this dense, relative to the insides beside it.
const VALLEY: f64 = 0.67;
/// Clusters are pieces when their borders are denser than this in the mean.
const UNBROKEN: f64 = 0.67;
/// With this share of the samples in solid clusters the whole is separate.
const SEPARATE: f64 = 0.8;
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
        let mut sizes = vec![0; clustering.record.settings.clusters];
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
    for (verdict, stability) in clusters.iter_mut().zip(&stability.by_cluster) {
        verdict.stability = Some(*stability);
    }
    // borders are asked of clusters that come back
    let Some(structure) = structure else { return (State::Untested, clusters) };
    for border in structure.borders.iter().filter(|border| !is_valley(border)) {
        let (a, b) = border.clusters;
        clusters[a].touches.push(b);
        clusters[b].touches.push(a);
    }
    for verdict in &mut clusters {
        verdict.touches.sort_unstable();
        verdict.state = verdict.stability.map(|stability| match (stability < COMES_BACK, verdict.touches.is_empty()) {
            (true, _) => ClusterState::Fragile,
            (false, true) => ClusterState::Solid,
            (false, false) => ClusterState::Touching,
        });
    }
    (whole(sizes, &clusters, structure), clusters)
}

fn whole(sizes: &[usize], clusters: &[ClusterVerdict], structure: &Structure) -> State {
    let all = sizes.iter().sum::<usize>().max(1) as f64;
    let share = |state: ClusterState| {
        let of = sizes.iter().zip(clusters).filter(|(_, cluster)| cluster.state == Some(state));
        of.map(|(size, _)| *size as f64).sum::<f64>() / all
    };
    let back = sizes.iter().zip(clusters).map(|(size, cluster)| *size as f64 * cluster.stability.unwrap_or(0.0));
    if share(ClusterState::Fragile) > MOSTLY || back.sum::<f64>() / all < WHOLE {
        State::Unstable
    } else if structure.density.is_some_and(|density| density > UNBROKEN) {
        State::Pieces
    } else if share(ClusterState::Solid) >= SEPARATE {
        State::Separate
    } else {
        State::Touching
    }
}

/// Where too few samples say how dense a border is, there is none to be seen.
fn is_valley(border: &Border) -> bool {
    border.density.is_some_and(|density| density <= VALLEY)
}

fn unlike(agreement: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let pairs = (0..agreement.len()).flat_map(|a| (a + 1..agreement.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| agreement[a][b] < LOW_AGREEMENT).collect()
}
