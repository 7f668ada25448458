//! The same shelf in every column of a small view: what many entries say together in a large view, few must say better.
//!
//! Every side of every column has a body of its own, Laplace's or Student's t with any degrees of freedom and scale, so that
//! columns of different shapes do not look like a shelf when they are thrown together. Replaced entries come from one
//! distribution: their share and how far they reach, in standard deviations of the column, are the same everywhere. The gain
//! in likelihood must come from all columns, and what stands off must not be whole samples.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::outlier_test::NO_CUT;
use super::residuals::Deviations;
use super::tail_model::{BODIES, LEAST_PROBABILITY, geometric, kernel};

/// Edges of the bins, in standard deviations of the column, in equal ratios from the first; the first bin begins at 0, the
/// last has no end. Scales of bodies begin there too, in steps of half a bin: all tables of a body are parts of one.
const FIRST: f64 = 0.02;
const PER_STEP: usize = 2;
const BINS: usize = 62;
const SCALES: usize = 77;
/// 60 bins are a factor of 1000.
const STEP: f64 = 1.059_253_725_177_289;
/// Ends of a uniform shelf and widths of a normal one: replaced entries are more spread than the column as a whole, which a
/// uniform distribution is from 1.73 standard deviations on.
const ENDS: (f64, f64, usize) = (2.1, 12.0, 18);
const WIDTHS: (f64, f64, usize) = (1.25, 8.0, 10);
/// How many scales of the body these are at least, as for large views.
const LEAST_END: f64 = 3.5;
const LEAST_WIDTH: f64 = 3.0;
const SHARES: [f64; 6] = [0.03, 0.05, 0.08, 0.12, 0.2, 0.35];
/// A first look takes one in so many shelves and shares, and ends the test when it is so far from what is needed: nearly all
/// clean views are, and a full one takes four times as long.
const FIRST_LOOK: usize = 2;
const HOPELESS: f64 = 8.0;
/// The gain that is more than chance: at 3, there were 9, 6 and 7 alarms in 1,500 clean views of 100 x 5, 100 x 10 and 300 x 10, and
/// one in forty in those of Student's t with 3 degrees of freedom. Beyond so many entries, bodies that are not quite of the
/// family give more for each: 12,000 of Student's t had 14 and more, and 15,000 with 5 % replaced had 50 at least.
const CHANCE_GAIN: f64 = 4.0;
const FREE_ENTRIES: f64 = 2600.0;
const GAIN_PER_ENTRY: f64 = 0.0025;
/// The sides with most gain count as the best of the others, with few of them less: clusters that stick out of some columns
/// make a shelf there. Their share and number at least, and the number of sides at which they count for nothing.
const TOP: (f64, usize) = (0.2, 4);
const FEW_SIDES: f64 = 6.0;
/// Of the entries that the shelf puts beyond the cut, each side of the view has this share at least.
const ON_EACH_SIDE: f64 = 0.5;
/// Share of those beyond the cut that must also be so many standard deviations from their column's mean.
const OUT_OF_RANGE: (f64, f64) = (0.3, 1.5);
/// Sizes of a sample's deviations are as good as independent in noise that replaces entries, and correlated where whole
/// samples are outliers or clusters are of different widths: the largest correlation, besides chance.
const CORRELATION: f64 = 0.075;
/// Steps by which the share is made exact in the end.
const SHARE_STEPS: usize = 30;

/// A shelf that all columns share.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedShelf {
    pub(super) share: f64,
    /// Share of the bodies that lies as far out as evidence is counted.
    pub(super) body_beyond: f64,
}

struct Tables {
    edges: Vec<f64>,
    /// By kind of body, logarithm of scale and bin.
    bodies: Vec<Vec<Vec<f64>>>,
    logarithms: Vec<Vec<Vec<f64>>>,
    shelves: Vec<ShelfTable>,
}

struct ShelfTable {
    probabilities: Vec<f64>,
    /// Scales of a body that it reaches out of.
    scales: usize,
}

impl Tables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
        &TABLES
    }

    fn new() -> Self {
        let place = |half_bins: f64| FIRST * STEP.powf(half_bins);
        let edges: Vec<f64> =
            std::iter::once(0.0).chain((0..BINS - 1).map(|at| place((PER_STEP * at) as f64))).collect();
        let bodies: Vec<Vec<Vec<f64>>> = BODIES.iter().map(|&(freedom, constant)| body(freedom, constant)).collect();
        let logarithm = |p: &f64| p.max(LEAST_PROBABILITY).ln();
        let logarithms = bodies.iter().map(|kind| kind.iter().map(|p| p.iter().map(logarithm).collect()).collect());
        let scales = |largest: f64| (0..SCALES).take_while(|&at| place(at as f64) <= largest).count();
        let uniform = geometric(ENDS).map(|end| ShelfTable {
            probabilities: differences(edges.iter().map(|edge| (edge / end).min(1.0))),
            scales: scales(end / LEAST_END),
        });
        let normal = within(f64::INFINITY, BODIES[BODIES.len() - 1].1);
        let normal = geometric(WIDTHS).map(|width| {
            // the nearest place in the table: widths need not be exact
            let steps = ((width / FIRST).ln() / STEP.ln()).round() as usize;
            ShelfTable { probabilities: scaled(&normal, steps), scales: scales(width / LEAST_WIDTH) }
        });
        let shelves = uniform.chain(normal).collect();
        Self { logarithms: logarithms.collect(), edges, bodies, shelves }
    }

    /// Share of a body beyond so many of its scales that evidence is counted there.
    fn far_out(&self, (kind, scale): (usize, usize)) -> f64 {
        let from = NO_CUT * FIRST * STEP.powf(scale as f64);
        let bins = self.edges.iter().zip(&self.bodies[kind][scale]).filter(|(edge, _)| **edge >= from);
        bins.map(|(_, p)| p).sum()
    }
}

/// Half bins from the smallest edge over the largest scale to the largest edge over the smallest scale, with room for the
/// widest shelf.
const BELOW: usize = 110;
const WITHIN: usize = BELOW + PER_STEP * (BINS - 2) + 1;

/// Probabilities that a body of scale 1 has within every half bin's edge.
fn within(freedom: f64, constant: f64) -> Vec<f64> {
    let density = |x: f64| 2.0 * constant * kernel(x, freedom);
    let (mut sum, mut from) = (0.0, 0.0);
    let places = (0..WITHIN).map(|at| STEP.powi(at as i32 - BELOW as i32));
    let add = |to: f64| {
        sum += (density(from) + 4.0 * density(f64::midpoint(from, to)) + density(to)) * (to - from) / 6.0;
        from = to;
        sum.min(1.0)
    };
    places.map(add).collect()
}

/// Probabilities of the bins for the body whose scale is so many half bins above the smallest.
fn scaled(within: &[f64], steps: usize) -> Vec<f64> {
    let inner = (0..BINS - 1).map(|at| within[BELOW + PER_STEP * at - steps]);
    differences(std::iter::once(0.0).chain(inner))
}

fn body(freedom: f64, constant: f64) -> Vec<Vec<f64>> {
    let within = within(freedom, constant);
    (0..SCALES).map(|steps| scaled(&within, steps)).collect()
}

/// What lies between the numbers, and beyond the last.
fn differences(below: impl Iterator<Item = f64>) -> Vec<f64> {
    let below: Vec<f64> = below.chain([1.0]).collect();
    below.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// A shelf and its share.
#[derive(Debug, Clone, Copy)]
struct Noise {
    shelf: usize,
    share: f64,
}

/// Numbers of deviations in the bins that have any, on one side of a column.
struct Side {
    counts: Vec<(usize, f64)>,
    /// The best scale of every kind of body without a shelf, and the best likelihood of all.
    scales: Vec<usize>,
    without: f64,
}

impl Side {
    fn new(tables: &Tables, sizes: impl Iterator<Item = f64>) -> Self {
        let mut counts = vec![0.0; BINS];
        for size in sizes {
            counts[tables.edges.partition_point(|edge| *edge <= size).saturating_sub(1)] += 1.0;
        }
        let counts: Vec<(usize, f64)> = counts.into_iter().enumerate().filter(|(_, count)| *count > 0.0).collect();
        let of = |table: &Vec<f64>| counts.iter().map(|&(bin, count)| count * table[bin]).sum::<f64>();
        let (mut scales, mut without) = (Vec::new(), f64::NEG_INFINITY);
        for kind in &tables.logarithms {
            let (mut at, mut most) = (0, f64::NEG_INFINITY);
            for (scale, table) in kind.iter().enumerate() {
                let found = of(table);
                if found > most {
                    (at, most) = (scale, found);
                }
            }
            scales.push(at);
            without = without.max(most);
        }
        Self { counts, scales, without }
    }

    /// The gain of some noise, and the kind and scale of the body beside it.
    fn gain(&self, tables: &Tables, noise: Noise) -> (f64, usize, usize) {
        let shelf = &tables.shelves[noise.shelf];
        let likelihood = |kind: usize, scale: usize| {
            let body = &tables.bodies[kind][scale];
            let mixed = |bin: usize| {
                ((1.0 - noise.share) * body[bin] + noise.share * shelf.probabilities[bin]).max(LEAST_PROBABILITY)
            };
            self.counts.iter().map(|&(bin, count)| count * mixed(bin).ln()).sum::<f64>()
        };
        let mut best = (f64::NEG_INFINITY, 0, 0);
        for (kind, &start) in self.scales.iter().enumerate() {
            // beside a shelf the body is narrower than without: downhill from there as long as it gets better
            let mut scale = start.min(shelf.scales.saturating_sub(1));
            let mut found = likelihood(kind, scale);
            while scale > 0 {
                let narrower = likelihood(kind, scale - 1);
                if narrower <= found {
                    break;
                }
                (scale, found) = (scale - 1, narrower);
            }
            if found > best.0 {
                best = (found, kind, scale);
            }
        }
        (best.0 - self.without, best.1, best.2)
    }
}

/// A shelf under both tails of all columns, if there is one.
pub(super) fn shared_shelf(deviations: &Deviations) -> Option<SharedShelf> {
    let tables = Tables::get();
    let columns = deviations.sizes.cols();
    let sides: Vec<Side> = (0..2 * columns)
        .into_par_iter()
        .map(|at| {
            let sign = if at % 2 == 0 { 1.0 } else { -1.0 };
            let column = deviations.sizes.iter_rows().map(|row| sign * row[at / 2]);
            Side::new(tables, column.filter(|size| *size > 0.0))
        })
        .collect();
    let every = |step: usize| -> Vec<Noise> {
        let shelves = (0..tables.shelves.len()).step_by(step);
        shelves.flat_map(|shelf| SHARES.into_iter().step_by(step).map(move |share| Noise { shelf, share })).collect()
    };
    let best = |noises: Vec<Noise>| {
        let gain = |noise: Noise| even_gain(sides.iter().map(|side| side.gain(tables, noise).0).collect());
        let gains = noises.into_par_iter().map(|noise| (gain(noise), noise));
        gains.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.shelf.cmp(&a.1.shelf)).then(b.1.share.total_cmp(&a.1.share)))
    };
    let needed = CHANCE_GAIN.max(GAIN_PER_ENTRY * (deviations.sizes.data().len() as f64 - FREE_ENTRIES));
    best(every(FIRST_LOOK)).filter(|first| first.0 > needed - HOPELESS)?;
    let (_, noise) = best(every(1)).filter(|best| best.0 > needed)?;
    let bodies: Vec<(usize, usize)> =
        sides.iter().map(|side| side.gain(tables, noise)).map(|at| (at.1, at.2)).collect();
    let replaced = beyond(tables, deviations, &bodies, noise).looks_replaced() && correlation(deviations) < CORRELATION;
    replaced.then(|| SharedShelf {
        share: exact_share(tables, &sides, &bodies, noise),
        body_beyond: bodies.iter().map(|&body| tables.far_out(body)).sum::<f64>() / bodies.len() as f64,
    })
}

/// The sum of the gains, of which the largest count less.
fn even_gain(mut gains: Vec<f64>) -> f64 {
    gains.sort_unstable_by(f64::total_cmp);
    let count = gains.len();
    let top = ((TOP.0 * count as f64).ceil() as usize).max(TOP.1).min(count.saturating_sub(2));
    let others = &gains[..count - top];
    let weight = (1.0 - FEW_SIDES / count as f64).max(0.0);
    others.iter().sum::<f64>() + weight * top as f64 * others.last().copied().unwrap_or(0.0)
}

/// What lies where the shelf outweighs the body, above and below.
#[derive(Debug, Default, PartialEq)]
struct Beyond {
    found: [f64; 2],
    out_of_range: [f64; 2],
    /// On each side, if entries were replaced.
    expected: f64,
}

fn beyond(tables: &Tables, deviations: &Deviations, bodies: &[(usize, usize)], noise: Noise) -> Beyond {
    let shelf = &tables.shelves[noise.shelf].probabilities;
    let outweighs = |side: usize| {
        let body = &tables.bodies[bodies[side].0][bodies[side].1];
        (0..BINS).find(|&bin| noise.share * shelf[bin] > ((1.0 - noise.share) * body[bin]).max(1e-9))
    };
    let mut all = Beyond::default();
    for column in 0..deviations.sizes.cols() {
        // one cut for both sides: noise is on both, even where one has a tail that hides it
        let Some(bin) = [2 * column, 2 * column + 1].into_iter().filter_map(outweighs).min() else { continue };
        let cut = tables.edges[bin];
        for (row, scores) in deviations.sizes.iter_rows().zip(deviations.scores.iter_rows()) {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                if sign * row[column] > cut {
                    all.found[side] += 1.0;
                    all.out_of_range[side] += f64::from(u8::from(sign * scores[column] > OUT_OF_RANGE.1));
                }
            }
        }
        let rows = deviations.sizes.rows() as f64;
        all.expected += 0.5 * noise.share * rows * shelf[bin..].iter().sum::<f64>();
    }
    all
}

impl Beyond {
    fn looks_replaced(&self) -> bool {
        self.found.iter().zip(&self.out_of_range).all(|(found, out_of_range)| {
            *found > ON_EACH_SIDE * self.expected && *out_of_range > OUT_OF_RANGE.0 * found
        })
    }
}

/// The mean correlation of the sizes of two deviations of the same sample, less what chance makes of independent ones. Sizes
/// are counted by their ranks in the column as those of an exponential distribution, which looks at large ones most.
fn correlation(deviations: &Deviations) -> f64 {
    let (n, d) = (deviations.sizes.rows(), deviations.sizes.cols());
    let mut sums = vec![0.0; n];
    let scores: Vec<f64> = (0..n).map(|rank| -(1.0 - (rank as f64 + 0.5) / n as f64).ln()).collect();
    for column in 0..d {
        let size = |i: usize| deviations.sizes.get(i, column).abs();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b)));
        order.into_iter().zip(&scores).for_each(|(i, score)| sums[i] += score);
    }
    let variance = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n as f64;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64
    };
    let independent = d as f64 * variance(&scores);
    (variance(&sums) / independent - 1.0 - 2.0 * (2.0 / n as f64).sqrt()) / (d as f64 - 1.0)
}

/// The share at which the likelihood of all sides together is largest.
fn exact_share(tables: &Tables, sides: &[Side], bodies: &[(usize, usize)], noise: Noise) -> f64 {
    let shelf = &tables.shelves[noise.shelf].probabilities;
    let total: f64 = sides.iter().flat_map(|side| &side.counts).map(|(_, count)| count).sum();
    let mut share = noise.share;
    for _ in 0..SHARE_STEPS {
        let shelved = sides.iter().zip(bodies).flat_map(|(side, &(kind, scale))| {
            let body = &tables.bodies[kind][scale];
            side.counts.iter().map(move |&(bin, count)| {
                let noisy = share * shelf[bin];
                count * noisy / ((1.0 - share) * body[bin] + noisy).max(LEAST_PROBABILITY)
            })
        });
        share = shelved.sum::<f64>() / total;
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    #[test]
    fn the_tables_are_distributions() {
        let tables = Tables::get();
        let shelves = tables.shelves.iter().map(|shelf| &shelf.probabilities);
        for probabilities in tables.bodies.iter().flatten().chain(shelves) {
            assert!(
                (probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9 && probabilities.iter().all(|p| *p >= -1e-9)
            );
        }
        // the normal distribution has 68.27 % within its scale, here the 57th half bin, which is the 28th edge and a half;
        // t with 2 degrees of freedom 57.74 %, Laplace's 1 - exp(-sqrt 2)
        let inside = |kind: usize| tables.bodies[kind][56][..=28].iter().sum::<f64>();
        assert!((inside(6) - 0.682_689).abs() < 1e-4, "{}", inside(6));
        assert!((inside(1) - 0.577_350).abs() < 1e-4, "{}", inside(1));
        assert!((inside(0) - 0.756_883).abs() < 1e-4, "{}", inside(0));
    }

    #[test]
    fn gains_of_few_sides_count_as_those_of_the_others() {
        // of 10 sides 4 are dropped and count as the best of the others, 4, by 1 - 6 / 10
        let gains = vec![9.0, 1.0, 2.0, 100.0, 3.0, 4.0, 50.0, 7.0, -5.0, 0.0];
        assert!((even_gain(gains) - (5.0 + 0.4 * 4.0 * 4.0)).abs() < 1e-12);
        // of 30 sides 6, by 1 - 6 / 30
        let gains = (0..30).map(f64::from).collect();
        assert!((even_gain(gains) - (276.0 + 0.8 * 6.0 * 23.0)).abs() < 1e-12);
    }

    #[test]
    fn sizes_of_whole_samples_are_correlated_and_others_are_not() {
        let of = |sizes: Dense<f64>| correlation(&Deviations { scores: sizes.clone(), sizes });
        let chance = 2.0 * (2.0_f64 / 200.0).sqrt() / 3.0;
        // the same order in all four columns: a correlation of 1
        let whole = of(Dense::from_fn(200, 4, |i, j| if j % 2 == 0 { i as f64 } else { -(2.0 * i as f64) }));
        assert!((whole - (1.0 - chance)).abs() < 1e-9, "{whole}");
        let apart = of(Dense::from_fn(200, 4, |i, j| ((i * [1, 47, 83, 141][j]) % 200) as f64));
        assert!(apart.abs() < 0.15, "{apart}");
    }

    #[test]
    fn both_sides_must_have_what_the_shelf_puts_there_and_far_out() {
        let found = |found: [f64; 2], out_of_range: [f64; 2]| Beyond { found, out_of_range, expected: 10.0 };
        assert!(found([9.0, 6.0], [5.0, 3.0]).looks_replaced());
        assert!(!found([9.0, 4.0], [5.0, 3.0]).looks_replaced());
        assert!(!found([9.0, 20.0], [5.0, 5.0]).looks_replaced());
    }

    /// Normal quantiles in every column, and the same with every twentieth entry moved to an even grid of [-4, 4].
    #[test]
    fn an_even_grid_in_every_column_is_a_shelf_and_normal_quantiles_are_not() {
        let quantile = |p: f64| {
            // Tukey's lambda distribution is normal to a percent
            (p.powf(0.135) - (1.0 - p).powf(0.135)) / 0.1975
        };
        let place = |i: usize, j: usize| (i * [7, 11, 13, 17, 19, 23, 29, 31][j] + 37 * j) % 400;
        let clean = Dense::from_fn(400, 8, |i, j| quantile((place(i, j) as f64 + 0.5) / 400.0));
        let wrong = |i: usize, j: usize| (i + 3 * j).is_multiple_of(20);
        let noisy = Dense::from_fn(400, 8, |i, j| {
            if wrong(i, j) { 8.0 * ((i / 20) as f64 + 0.5) / 20.0 - 4.0 } else { clean.get(i, j) }
        });
        let of = |sizes: Dense<f64>| shared_shelf(&Deviations { scores: sizes.clone(), sizes });
        assert!(of(clean).is_none());
        let found = of(noisy).unwrap();
        assert!((found.share - 0.05).abs() < 0.025, "{found:?}");
    }
}
