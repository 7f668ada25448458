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
/// A border is a valley where samples are at most this dense, relative to the insides beside it, or to borders of clouds without
/// clusters where these are denser than insides: positions are less exact where features are many and samples few. Clusters whose
/// borders are no valleys in the mean are pieces.
const VALLEY: f64 = 0.7;
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
fn judged(
    sizes: &[usize],
    stability: Option<&Stability>,
    structure: Option<&Structure>,
) -> (State, Vec<ClusterVerdict>) {
    let mut clusters = vec![ClusterVerdict::default(); sizes.len()];
    let (Some(stability), true) = (stability, sizes.len() > 1) else { return (State::Untested, clusters) };
    for (verdict, stability) in clusters.iter_mut().zip(&stability.by_cluster) {
        verdict.stability = Some(*stability);
    }
    // borders are asked of clusters that come back
    let Some(structure) = structure else { return (State::Untested, clusters) };
    let valley = valley(structure);
    // where too few samples say how dense a border is, there is none to be seen
    let open = |border: &&Border| border.density.is_none_or(|density| density > valley);
    for border in structure.borders.iter().filter(open) {
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
    } else if structure.density.is_some_and(|density| density > valley(structure)) {
        State::Pieces
    } else if share(ClusterState::Solid) >= SEPARATE {
        State::Separate
    } else {
        State::Touching
    }
}

/// The density up to which a border is a valley.
fn valley(structure: &Structure) -> f64 {
    VALLEY * structure.null.map_or(1.0, |null| null.density.max(1.0))
}

fn unlike(agreement: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let pairs = (0..agreement.len()).flat_map(|a| (a + 1..agreement.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| agreement[a][b] < LOW_AGREEMENT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(by_cluster: &[f64], borders: &[(usize, usize, f64)]) -> (State, Vec<ClusterVerdict>) {
        let stability = Stability { runs: 4, share: 0.5, by_cluster: by_cluster.to_vec(), ..Stability::default() };
        let border =
            |&(a, b, density): &(usize, usize, f64)| Border { clusters: (a, b), leak: 1.0, density: Some(density) };
        let logs: f64 = borders.iter().map(|border| border.2.ln()).sum();
        let structure = Structure {
            leaks: vec![Some(1.0); by_cluster.len()],
            apart: 0.0,
            borders: borders.iter().map(border).collect(),
            density: (!borders.is_empty()).then(|| (logs / borders.len() as f64).exp()),
            null: None,
            samples: 40 * by_cluster.len(),
            overlap: None,
        };
        judged(&vec![40; by_cluster.len()], Some(&stability), Some(&structure))
    }

    #[test]
    fn the_states_follow_from_stability_and_borders() {
        use ClusterState::{Fragile, Solid, Touching};
        assert_eq!(found(&[1.0, 0.9, 0.9], &[]).0, State::Separate);
        let (state, clusters) = found(&[1.0, 0.9, 0.9, 0.5], &[(0, 1, 0.3), (1, 2, 0.9), (2, 3, 0.3)]);
        let states: Vec<_> = clusters.iter().map(|cluster| cluster.state.unwrap()).collect();
        assert_eq!((state, states), (State::Touching, vec![Solid, Touching, Touching, Fragile]));
        assert_eq!((&clusters[1].touches, &clusters[2].touches), (&vec![2], &vec![1]));
        assert_eq!(found(&[1.0, 0.9, 0.9], &[(0, 1, 0.9), (1, 2, 1.1)]).0, State::Pieces);
        assert_eq!(found(&[0.5, 0.4, 0.9], &[(0, 1, 0.3)]).0, State::Unstable);
        assert_eq!(judged(&[40, 40], None, None).0, State::Untested);
    }
}
