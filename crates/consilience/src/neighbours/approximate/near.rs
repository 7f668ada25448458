//! Which cells are worth comparing: those whose means some of a cell's samples are near to.

use rayon::prelude::*;

use crate::matrix::{Dense, Real};
use crate::neighbours::sweep::BLOCK;
use crate::{Result, Run};

/// The cells with the nearest means are asked about; so many of them every sample names.
const ASKED: usize = 64;
const NAMED: usize = 5;
/// A cell is compared with those that at least this many of its samples name, with no more than so many, and with no fewer
/// than one sample names.
const LEAST_NAMED: usize = 3;
const MOST: usize = 16;

/// Pairs of blocks of `order` to compare, each once, the smaller first.
pub(super) fn near_pairs(points: &Dense<f32>, order: &[u32], run: &Run) -> Result<Vec<(usize, usize)>> {
    let means = Means::new(points, order);
    let blocks = order.len().div_ceil(BLOCK);
    let of = |p: usize| -> Result<Vec<(usize, usize)>> {
        run.check()?;
        let members: Vec<f32> = block(order, p).iter().flat_map(|&i| points.row(i as usize)).copied().collect();
        let named = means.named(&members, &means.nearest(p));
        Ok(named.into_iter().map(|q| (p.min(q), p.max(q))).chain([(p, p)]).collect())
    };
    let pairs: Vec<Vec<(usize, usize)>> = (0..blocks).into_par_iter().map(of).collect::<Result<_>>()?;
    let mut pairs: Vec<(usize, usize)> = pairs.concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

fn block(order: &[u32], p: usize) -> &[u32] {
    &order[p * BLOCK..((p + 1) * BLOCK).min(order.len())]
}

/// The means of the blocks, and their squared lengths.
struct Means {
    points: Dense<f32>,
    squares: Vec<f32>,
}

impl Means {
    fn new(points: &Dense<f32>, order: &[u32]) -> Self {
        let width = points.cols();
        let mut means = Dense::zeros(order.len().div_ceil(BLOCK), width);
        means.data_mut().par_chunks_mut(width.max(1)).enumerate().for_each(|(p, mean)| {
            let members = block(order, p);
            for &i in members {
                mean.iter_mut().zip(points.row(i as usize)).for_each(|(sum, x)| *sum += x);
            }
            mean.iter_mut().for_each(|sum| *sum /= members.len() as f32);
        });
        let squares = means.iter_rows().map(|row| row.iter().map(|x| x * x).sum()).collect();
        Self { points: means, squares }
    }

    /// The blocks whose means are nearest to that of block `p`, rising by distance; `p` is among them.
    fn nearest(&self, p: usize) -> Vec<usize> {
        let blocks = self.squares.len();
        let mut products = vec![0.0; blocks];
        f32::product_transposed(&mut products, self.points.row(p), self.points.data(), self.points.cols());
        let far = products.iter().zip(&self.squares).map(|(product, square)| square - 2.0 * product);
        smallest(far.collect(), ASKED)
    }

    /// Those of `asked` that the `members` (rows side by side) are nearest to, if enough of them are.
    fn named(&self, members: &[f32], asked: &[usize]) -> Vec<usize> {
        let width = self.points.cols();
        let means: Vec<f32> = asked.iter().flat_map(|&q| self.points.row(q)).copied().collect();
        let mut products = vec![0.0; members.len() / width.max(1) * asked.len()];
        f32::product_transposed(&mut products, members, &means, width);
        let mut votes = vec![0_usize; asked.len()];
        for row in products.chunks_exact(asked.len()) {
            let far = row.iter().zip(asked).map(|(product, &q)| self.squares[q] - 2.0 * product);
            smallest(far.collect(), NAMED).into_iter().for_each(|at| votes[at] += 1);
        }
        let mut chosen: Vec<usize> = (0..asked.len()).filter(|&at| votes[at] > 0).collect();
        chosen.sort_by_key(|&at| (std::cmp::Reverse(votes[at]), at));
        // the last block may have few samples, which cannot name any cell often
        let enough = chosen.partition_point(|&at| votes[at] >= LEAST_NAMED).clamp(NAMED, MOST);
        chosen.truncate(enough);
        chosen.into_iter().map(|at| asked[at]).collect()
    }
}

/// The places of the `count` smallest, rising.
fn smallest(values: Vec<f32>, count: usize) -> Vec<usize> {
    let mut places: Vec<(f32, usize)> = values.into_iter().enumerate().map(|(at, x)| (x, at)).collect();
    let nearer = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if places.len() > count {
        places.select_nth_unstable_by(count, nearer);
        places.truncate(count);
    }
    places.sort_unstable_by(nearer);
    places.into_iter().map(|(_, at)| at).collect()
}
