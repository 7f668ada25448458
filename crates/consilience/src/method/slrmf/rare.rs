//! Rare kinds: a few samples that are near each other and far from all others. A graph has to tie them to strangers, because every
//! sample gets its neighbours, and no half of the samples keeps enough of them: they are seen in the distances alone.

use crate::neighbours::Neighbours;

/// Members of a rare kind: fewer could be outliers, more have neighbours enough among themselves.
const SIZES: std::ops::RangeInclusive<usize> = 3..=10;
/// The next sample is so many times farther than the members, in squared distance.
const FARTHER: f64 = 4.0;
/// And so many times as far as the same neighbour of any sample that is in no such group.
const BEYOND_ALL: f64 = 2.0;

/// The groups, by their first member.
pub(super) fn rare_groups(found: &Neighbours) -> Vec<Vec<usize>> {
    let group = |i: usize| {
        let (samples, distances) = found.of(i);
        let is_last = |inside: &usize| {
            let (within, next) = (distances.get(inside - 2), distances.get(inside - 1));
            within.zip(next).is_some_and(|(within, next)| *next > FARTHER * within)
        };
        let size = SIZES.into_iter().find(is_last)?;
        let mut members: Vec<usize> = samples[..size - 1].iter().map(|&sample| sample as usize).collect();
        members.push(i);
        members.sort_unstable();
        Some(members)
    };
    let own: Vec<Option<Vec<usize>>> = (0..found.len()).map(group).collect();
    let is_mutual = |members: &Vec<usize>| members.iter().all(|&member| own[member].as_ref() == Some(members));
    let first = |i: usize| own[i].clone().filter(|members| members[0] == i && is_mutual(members));
    let groups: Vec<Vec<usize>> = (0..found.len()).filter_map(first).collect();
    let mut grouped = vec![false; found.len()];
    groups.iter().flatten().for_each(|&member| grouped[member] = true);
    let distance = |sample: usize, size: usize| found.of(sample).1.get(size - 1).copied().unwrap_or(f64::INFINITY);
    let is_far = |members: &Vec<usize>| {
        let others = (0..found.len()).filter(|&sample| !grouped[sample]);
        let most = others.map(|sample| distance(sample, members.len())).fold(0.0, f64::max);
        members.iter().all(|&member| distance(member, members.len()) > BEYOND_ALL * most)
    };
    groups.into_iter().filter(is_far).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;
    use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
    use crate::{Run, View};

    fn groups(points: &[f64]) -> Vec<Vec<usize>> {
        let view = View::new("a", Dense::new(points.len(), 1, points.to_vec()).unwrap());
        let distance = Distance::within(&view, DistanceMetric::Euclidean);
        rare_groups(&Exact.search(&distance, 12, &Run::default()).unwrap())
    }

    #[test]
    fn a_few_samples_far_from_all_are_a_group() {
        let crowd = (0..20).map(f64::from);
        let with = |few: &[f64]| groups(&crowd.clone().chain(few.iter().copied()).collect::<Vec<_>>());
        assert_eq!(with(&[60.0, 61.0, 62.0]), [vec![20, 21, 22]]);
        assert_eq!(with(&[60.0, 61.0, 62.0, 90.0, 90.5, 91.0]), [vec![20, 21, 22], vec![23, 24, 25]]);
        assert!(with(&[60.0]).is_empty() && with(&[60.0, 61.0]).is_empty(), "outliers");
        assert!(with(&[22.0, 23.0, 24.0]).is_empty(), "not far");
        // an outlier is as far
        assert!(with(&[60.0, 61.0, 62.0, 110.0]).is_empty());
    }
}
