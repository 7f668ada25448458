//! Cells of equal size: samples that are near each other, a block of the sweep each.

use rayon::prelude::*;

use crate::matrix::Dense;
use crate::neighbours::sweep::BLOCK;
use crate::{Result, Run};

/// Samples that say where a set is cut, and steps of their two means.
const ASKED: usize = 256;
const STEPS: usize = 3;

/// The samples in an order in which every block of [`BLOCK`] is a cell, by halving: a set is cut across the line between its two
/// means, at the place that leaves whole blocks on both sides.
pub(super) fn cells(points: &Dense<f32>, run: &Run) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..points.rows() as u32).collect();
    halve(points, &mut order, run)?;
    Ok(order)
}

fn halve(points: &Dense<f32>, set: &mut [u32], run: &Run) -> Result<()> {
    let blocks = set.len().div_ceil(BLOCK);
    if blocks < 2 {
        return Ok(());
    }
    run.check()?;
    let direction = between_means(points, set);
    let along = |&sample: &u32| {
        let row = points.row(sample as usize);
        (row.iter().zip(&direction).map(|(x, y)| x * y).sum::<f32>(), sample)
    };
    let mut placed: Vec<(f32, u32)> = set.par_iter().map(along).collect();
    let left = (blocks / 2) * BLOCK;
    // the order is total, so that the cut does not depend on how it was found
    placed.select_nth_unstable_by(left, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    placed[..left].sort_unstable_by_key(|&(_, sample)| sample);
    placed[left..].sort_unstable_by_key(|&(_, sample)| sample);
    set.iter_mut().zip(&placed).for_each(|(sample, &(_, other))| *sample = other);
    drop(placed);
    let (near, far) = set.split_at_mut(left);
    let (a, b) = rayon::join(|| halve(points, near, run), || halve(points, far, run));
    a.and(b)
}

/// From one to the other of two means of some of the `set`, taken at even steps.
fn between_means(points: &Dense<f32>, set: &[u32]) -> Vec<f32> {
    let step = set.len().div_ceil(ASKED);
    let asked: Vec<&[f32]> = set.iter().step_by(step).map(|&sample| points.row(sample as usize)).collect();
    // the farthest from the first, and the farthest from that one
    let farthest = |from: &[f32]| {
        let far = |&(a, b): &(usize, f32), (at, row): (usize, &&[f32])| {
            let d = square(from, row);
            if d > b { (at, d) } else { (a, b) }
        };
        asked.iter().enumerate().fold((0, -1.0), |best, row| far(&best, row)).0
    };
    let one = farthest(asked[0]);
    let mut means = [asked[one].to_vec(), asked[farthest(asked[one])].to_vec()];
    for _ in 0..STEPS {
        let mut sums = [vec![0.0_f32; points.cols()], vec![0.0_f32; points.cols()]];
        let mut counts = [0.0_f32; 2];
        for row in &asked {
            let side = usize::from(square(&means[1], row) < square(&means[0], row));
            counts[side] += 1.0;
            sums[side].iter_mut().zip(*row).for_each(|(sum, x)| *sum += x);
        }
        for ((mean, sum), count) in means.iter_mut().zip(&sums).zip(counts).filter(|(_, count)| *count > 0.0) {
            mean.iter_mut().zip(sum).for_each(|(mean, sum)| *mean = sum / count);
        }
    }
    let [a, b] = means;
    b.iter().zip(&a).map(|(b, a)| b - a).collect()
}

fn square(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
