//! Rare kinds: a few samples that are near each other and far from all others. A graph has to tie them to strangers, because every
//! sample gets its neighbours, and no half of the samples keeps enough of them: they are seen in the distances alone.

use std::ops::RangeInclusive;

use crate::neighbours::Neighbours;

/// Members of a rare kind: fewer could be outliers, more have neighbours enough among themselves.
const SIZES: RangeInclusive<usize> = 3..=10;
/// All kinds together; where there are more, samples were measured repeatedly.
const MOST: f64 = 0.1;
/// Near is up to this many times the squared distance that all but a few samples have from their second neighbour.
const NEAR: f64 = 2.0;
const ALL_BUT_A_FEW: f64 = 0.98;

/// The groups, by their first member: what hangs together over distances that are near.
pub(super) fn rare_groups(found: &Neighbours) -> Vec<Vec<usize>> {
    let n = found.len();
    let mut seconds: Vec<f64> = (0..n).filter_map(|i| found.of(i).1.get(1).copied()).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    let usual = seconds.len().checked_sub(1).map(|last| seconds[(ALL_BUT_A_FEW * last as f64) as usize]);
    let Some(near) = usual.map(|usual| NEAR * usual) else { return Vec::new() };
    let mut above: Vec<usize> = (0..n).collect();
    for i in 0..n {
        let (samples, distances) = found.of(i);
        for (&sample, _) in samples.iter().zip(distances).take_while(|(_, distance)| **distance <= near) {
            let (a, b) = (first(&mut above, i), first(&mut above, sample as usize));
            above[a.max(b)] = a.min(b);
        }
    }
    let mut members = vec![Vec::new(); n];
    (0..n).for_each(|i| members[first(&mut above, i)].push(i));
    members.retain(|group| SIZES.contains(&group.len()));
    let all: usize = members.iter().map(Vec::len).sum();
    if all as f64 <= MOST * n as f64 { members } else { Vec::new() }
}

/// The first sample of those that hang together with `i`; shortens the way to it.
fn first(above: &mut [usize], mut i: usize) -> usize {
    while above[i] != i {
        above[i] = above[above[i]];
        i = above[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;
    use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
    use crate::{Run, View};

    /// Of 200 samples at distances of 1, and some more.
    fn groups(more: &[f64]) -> Vec<Vec<usize>> {
        let points: Vec<f64> = (0..200).map(f64::from).chain(more.iter().copied()).collect();
        let view = View::new("a", Dense::new(points.len(), 1, points).unwrap());
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        rare_groups(&Exact.search(&distance, 12, &Run::default()).unwrap())
    }

    #[test]
    fn a_few_samples_far_from_all_are_a_group() {
        let few = [400.0, 401.0, 402.0, 500.0, 500.5, 501.0];
        assert_eq!(groups(&few[..3]), [vec![200, 201, 202]]);
        assert_eq!(groups(&few), [vec![200, 201, 202], vec![203, 204, 205]]);
        assert!(groups(&[400.0, 410.0, 420.0]).is_empty(), "outliers");
        assert!(groups(&[200.4, 201.8, 203.2]).is_empty(), "not far");
        assert!(groups(&(0..11).map(|i| 400.0 + f64::from(i)).collect::<Vec<_>>()).is_empty(), "they have neighbours");
        let many: Vec<f64> = (0..24).map(|i| f64::from(100 * (i / 3) + 400 + i % 3)).collect();
        assert!(groups(&many).is_empty(), "repeated measurements");
    }
}
