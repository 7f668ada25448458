//! Approximate nearest neighbours of many samples: n times a few thousand comparisons instead of n^2.
//!
//! Samples are ordered into cells of a block each; every block is compared with the blocks that its samples are near to, by the
//! same products and short lists as in the exact search; then neighbours of neighbours are looked at until hardly anything
//! changes. Distances are measured by differences in double precision, and the share of true neighbours found is estimated on a
//! sample. No step depends on chance or on threads.

mod cells;
mod coordinates;
mod descent;
mod near;
mod reordered;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::cells::cells;
use self::coordinates::coordinates;
use self::descent::Lists;
use self::near::near_pairs;
use self::reordered::Reordered;
use super::sweep::{BLOCK, Sides, Sweep};
use super::{
    Distance, DistanceMetric, Exact, Missing, NeighbourSearch, Neighbours, Term, Weighting, mean_square_distance,
};
use crate::matrix::Real;
use crate::run::Warning;
use crate::{Result, Run, View, Views};

/// Fewer samples than this are compared with each other: approximation would not be faster.
const FEWEST: usize = 16 * BLOCK;
/// Samples whose neighbours are also found exactly, to estimate how many of the nearest are found.
const ASKED: usize = 128;
/// The part of the distance to the last neighbour that rounding may be.
const MOST_ROUNDING: f64 = 0.25;
/// A warning below this share.
const ENOUGH: f64 = 0.9;

/// Approximate search; the exact one for fewer than a few thousand samples, and for samples that are not in the reference.
#[derive(Debug, Clone, Copy, Default)]
pub struct Approximate;

impl NeighbourSearch for Approximate {
    fn search(&self, distance: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        if distance.samples() < FEWEST || count >= BLOCK || count == 0 {
            return Exact.search(distance, count, run);
        }
        let points = coordinates(distance);
        let order = cells(&points, run)?;
        let pairs = near_pairs(&points, &order, run)?;
        drop(points);
        let found = match find::<f32>(distance, &order, &pairs, count, run) {
            Ok((found, true)) => found,
            Err(crate::Error::Cancelled) => return Err(crate::Error::Cancelled),
            // neighbours too near for single precision, or rows too long for it
            _ => find::<f64>(distance, &order, &pairs, count, run)?.0,
        };
        let recall = recall(distance, &found, run)?;
        run.searched_approximately(recall);
        if recall < ENOUGH {
            run.warn(Warning::ApproximateNeighbours { recall });
        }
        Ok(found)
    }

    fn query(&self, queries: &Distance<'_>, reference: &Distance<'_>, count: usize, run: &Run) -> Result<Neighbours> {
        Exact.query(queries, reference, count, run)
    }
}

/// The samples in an order in which every block is a cell, by the sum of the views' squared distances, each divided by its mean.
pub(crate) fn cell_order(views: &Views, run: &Run) -> Result<Vec<u32>> {
    fn term(view: &View) -> Term<'_> {
        let mean = mean_square_distance(&view.data);
        let weighting = Weighting::Uniform(if mean > 0.0 { 1.0 / mean } else { 0.0 });
        let missing = view.absent().map(|samples| Missing { samples, neutral: 0.0 });
        Term { view, metric: DistanceMetric::Euclidean, weighting, missing }
    }
    cells(&coordinates(&Distance::of(views.iter().map(term).collect())), run)
}

/// The neighbours, and whether the precision told them apart from others.
fn find<T: Real>(
    distance: &Distance<'_>,
    order: &[u32],
    pairs: &[(usize, usize)],
    count: usize,
    run: &Run,
) -> Result<(Neighbours, bool)> {
    let n = order.len();
    let (lists, precise) = {
        let ordered = Reordered::new::<T>(distance, order);
        let ordered = ordered.distance();
        let sides = Sides::<T>::new(None, &ordered)?;
        // some more than asked for: the last ones are the most likely to be wrong
        let keep = count + count / 4 + 4;
        let sweep = Sweep { sides: &sides, rows: n, columns: n, within: true, keep };
        let mut lists = Lists::new(sweep.compare(pairs, run)?, n, keep);
        lists.descend(&sides, run)?;
        let precise = is_precise(&lists, &sides, n);
        (lists, precise)
    };
    // measured in the order of the cells, where neighbours lie side by side
    let measured: Vec<(f64, u32)> = (0..n)
        .into_par_iter()
        .flat_map_iter(|at| {
            let i = order[at] as usize;
            let others = lists.of(at).map(|place| order[place as usize]);
            let mut row: Vec<(f64, u32)> = others.map(|j| (distance.between(i, j as usize), j)).collect();
            row.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            row.truncate(count);
            row
        })
        .collect();
    let mut place = vec![0_u32; n];
    order.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at as u32);
    let mut found = Neighbours::unfilled(n, count);
    found.rows_mut().zip(place).for_each(|((samples, distances), at)| {
        let row = &measured[at as usize * count..(at as usize + 1) * count];
        samples.iter_mut().zip(row).for_each(|(sample, &(_, j))| *sample = j);
        distances.iter_mut().zip(row).for_each(|(distance, &(d, _))| *distance = d);
    });
    Ok((found, precise))
}

/// Whether rounding is small beside the distances to the last neighbours, for nearly all of some samples at even steps.
fn is_precise<T: Real>(lists: &Lists<T>, sides: &Sides<'_, T>, n: usize) -> bool {
    let asked = (0..n).step_by(n.div_ceil(ASKED));
    let imprecise = asked.filter(|&at| {
        let rounding: f64 = sides.reference.iter().map(|term| term.rounding(term, at)).sum();
        let farthest = lists.farthest(at).to_f64();
        farthest > 0.0 && rounding > MOST_ROUNDING * farthest
    });
    imprecise.count() * 10 <= ASKED
}

/// The share of the nearest neighbours that were found, of samples at even steps; of equal distances any counts.
fn recall(distance: &Distance<'_>, found: &Neighbours, run: &Run) -> Result<f64> {
    let n = distance.samples();
    let asked: Vec<u32> = (0..n as u32).step_by(n.div_ceil(ASKED)).collect();
    let queries = Reordered::new::<f64>(distance, &asked);
    // one more, for the sample itself
    let exact = Exact.query(&queries.distance(), distance, found.count() + 1, run)?;
    let hits = asked.iter().enumerate().map(|(at, &i)| {
        let (samples, distances) = exact.of(at);
        let others = samples.iter().zip(distances).filter(|(sample, _)| **sample != i).map(|(_, d)| *d);
        let farthest = others.take(found.count()).fold(0.0, f64::max);
        found.of(i as usize).1.iter().filter(|&&d| d <= farthest).count()
    });
    Ok(hits.sum::<usize>() as f64 / (asked.len() * found.count()) as f64)
}
