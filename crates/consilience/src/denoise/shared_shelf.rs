//! The same shelf in every column of a view of few rows or columns: what many entries say together in a large view, few must say
//! better.
//!
//! Every entry is compared with its cluster (`cells.rs`). Every side of every column has a body of its own, of any scale;
//! its kind, Laplace's or Student's t with some degrees of freedom, is drawn from shares that all sides have in common. So
//! columns may differ, and where they are alike their tails are known from all of them: that is what few entries need most.
//! Replaced entries come from one distribution: their share and how far they reach, in spreads of the column, are the same
//! everywhere. The gain in likelihood must come from many sides, and what stands off must not be whole samples.

use rayon::prelude::*;

use super::cells::residuals_from_clusters;
use super::column::{Column, has_shared_values};
use super::outlier_test::NO_CUT;
use super::shelf_tables::{BINS, KINDS, Noise, Tables, scale};
use super::tail_model::LEAST_PROBABILITY;
use crate::matrix::Dense;
use crate::run::CorruptionEvidence;
use crate::{Result, Run};

/// Columns that are too few to say anything.
const LEAST_COLUMNS: usize = 3;
/// A column's spread counts sizes above this quantile as that, and is that of normal data times this.
const SPREAD: (f64, f64) = (0.9, 1.15);
/// A first look at some of the noises ends the test when it is so far from what is needed: nearly all clean views are.
const HOPELESS: f64 = 6.0;
/// The gain that is more than chance, and what a shelf of little reach needs besides. In more entries than so many, bodies that are
/// not quite of the family give more for each. Of 1,500 clean views of ten kinds and 100 x 5, 12 had more (at 3, 20), of 100 x 10 7,
/// of 300 x 5 4.
const CHANCE_GAIN: f64 = 3.5;
const NARROW_GAIN: f64 = 2.5;
const FREE_ENTRIES: f64 = 500.0;
const GAIN_PER_ENTRY: f64 = 0.001;
/// The sides with most gain count as the best of the others, with few of them less: clusters that stick out of some columns
/// make a shelf there. Their share and number at least, and the number of sides at which they count for nothing.
const TOP: (f64, usize) = (0.2, 4);
const FEW_SIDES: f64 = 6.0;
/// The gain that must be left then.
const EVEN_GAIN: f64 = -1.0;
/// Of the entries that the shelf puts beyond the cut, each side of the view has this share at least.
const ON_EACH_SIDE: f64 = 0.5;
/// Share of them that must also be so many standard deviations from their column's mean: farther than evenly spread entries can
/// be, which stand off the centres of any clusters that they are cut into.
const OUT_OF_RANGE: (f64, f64) = (0.3, 1.8);
/// Sizes of a sample's deviations are as good as independent in noise that replaces entries, and correlated where whole
/// samples are outliers or clusters are of different widths: the largest correlation, besides chance.
const CORRELATION: f64 = 0.075;
/// Steps by which shares of the kinds are found, at first and in the end, and for how many of the noises the latter.
const STEPS: (usize, usize) = (4, 30);
const BEST_NOISES: usize = 12;
/// Steps by which the share is made exact in the end.
const SHARE_STEPS: usize = 30;

/// A shelf that all columns share.
#[derive(Debug, Clone)]
pub(super) struct SharedShelf {
    pub(super) share: f64,
    pub(super) evidence: CorruptionEvidence,
}

/// How far entries stand off what is expected of them.
pub(super) struct Deviations {
    /// From their cluster's centre, in spreads of the column.
    sizes: Dense<f64>,
    /// From the column's mean, in standard deviations.
    scores: Dense<f64>,
}

impl Deviations {
    /// Of some rows and columns; nothing when few of these vary.
    ///
    /// # Errors
    /// When the run is cancelled.
    pub(super) fn new(x: &Dense<f64>, rows: &[usize], columns: &[usize], run: &Run) -> Result<Option<Self>> {
        let column = |&j: &usize| {
            let values: Vec<f64> = rows.iter().map(|&i| x.get(i, j)).collect();
            if has_shared_values(&values) {
                return None;
            }
            let column = Column::new(values).filter(|column| !column.is_binary)?;
            let spread = spread(&column.values);
            (spread > 0.0).then_some((column, spread))
        };
        let columns: Vec<(Column, f64)> = columns.par_iter().filter_map(column).collect();
        if columns.len() < LEAST_COLUMNS {
            return Ok(None);
        }
        let values = Dense::from_fn(rows.len(), columns.len(), |i, j| columns[j].0.values[i]);
        let mut sizes = residuals_from_clusters(&values, run)?;
        for row in sizes.data_mut().chunks_exact_mut(columns.len()) {
            row.iter_mut().zip(&columns).for_each(|(x, (_, spread))| *x /= spread);
        }
        Ok(Some(Self { sizes, scores: Dense::from_fn(rows.len(), columns.len(), |i, j| columns[j].0.score(i)) }))
    }
}

/// The spread of a column to which a few far entries count for little: the standard deviation would shrink the others the more,
/// the farther these are, which looks like a shelf.
fn spread(values: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = values.iter().map(|x| x.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let most = sizes[((SPREAD.0 * sizes.len() as f64) as usize).min(sizes.len() - 1)];
    SPREAD.1 * (sizes.iter().map(|size| size.min(most).powi(2)).sum::<f64>() / sizes.len() as f64).sqrt()
}

/// Numbers of deviations in the bins that have any, on one side of a column.
type Counts = Vec<(usize, f64)>;

/// A noise, and what it explains.
struct Explained<'a> {
    noise: &'a Noise,
    /// Over all sides, less what chance gives.
    gain: f64,
    /// Without the sides that gain most.
    even: f64,
    /// Logarithms of the shares of the kinds of body.
    kinds: [f64; KINDS],
}

/// A shelf under both tails of all columns, if there is one.
pub(super) fn shared_shelf(deviations: &Deviations) -> Option<SharedShelf> {
    let tables = Tables::get();
    let sides = sides(tables, deviations);
    let alone: Vec<[f64; KINDS]> = sides.iter().map(|side| tables.alone.by_kind(side)).collect();
    let alone = pooled(&alone, STEPS.1).0;
    let explain = |noise: &'static Noise, by_kind: &[[f64; KINDS]], steps: usize| {
        let (with, kinds) = pooled(by_kind, steps);
        let gains: Vec<f64> = with.iter().zip(&alone).map(|(with, alone)| with - alone).collect();
        let gain = gains.iter().sum::<f64>() - if noise.is_narrow { NARROW_GAIN } else { 0.0 };
        Explained { noise, gain, even: even_gain(gains), kinds }
    };
    let look = |first: bool| -> Vec<(Vec<[f64; KINDS]>, Explained<'static>)> {
        let noises = tables.noises.par_iter().filter(|noise| !first || noise.is_first);
        noises
            .map(|noise| {
                let by_kind: Vec<[f64; KINDS]> = sides.iter().map(|side| noise.mixed.by_kind(side)).collect();
                let explained = explain(noise, &by_kind, STEPS.0);
                (by_kind, explained)
            })
            .collect()
    };
    let needed = needed(deviations);
    let largest = |found: &[(Vec<[f64; KINDS]>, Explained)]| {
        found.iter().map(|(_, explained)| explained.gain).fold(f64::NEG_INFINITY, f64::max)
    };
    if largest(&look(true)) < needed - HOPELESS {
        return None;
    }
    let mut found = look(false);
    found.sort_by(|a, b| b.1.gain.total_cmp(&a.1.gain));
    let best = found.iter().take(BEST_NOISES).map(|(by_kind, rough)| explain(rough.noise, by_kind, STEPS.1));
    let best = best.filter(|best| best.even > EVEN_GAIN).max_by(|a, b| a.gain.total_cmp(&b.gain))?;
    if best.gain < needed {
        return None;
    }
    let bodies: Vec<(usize, usize)> = sides.iter().map(|side| likeliest(&best, side)).collect();
    let replaced =
        beyond(tables, deviations, &bodies, best.noise).looks_replaced() && correlation(deviations) < CORRELATION;
    replaced.then(|| SharedShelf {
        share: exact_share(tables, &sides, &bodies, best.noise),
        evidence: evidence(tables, deviations, &bodies),
    })
}

/// What stands so many scales of its side's body off the centre.
fn evidence(tables: &Tables, deviations: &Deviations, bodies: &[(usize, usize)]) -> CorruptionEvidence {
    let columns = deviations.sizes.cols();
    let (mut beyond, mut on_both_sides) = (0, 0);
    for column in 0..columns {
        let beyond_on = |side: usize, sign: f64| {
            let from = NO_CUT * scale(bodies[2 * column + side].1);
            deviations.sizes.iter_rows().filter(|row| sign * row[column] > from).count()
        };
        let found = (beyond_on(0, 1.0), beyond_on(1, -1.0));
        beyond += found.0 + found.1;
        on_both_sides += usize::from(found.0 > 0 && found.1 > 0);
    }
    CorruptionEvidence {
        spreads: NO_CUT,
        beyond: beyond as f64 / deviations.sizes.data().len() as f64,
        expected: bodies.iter().map(|&body| tables.beyond(body, NO_CUT)).sum::<f64>() / bodies.len() as f64,
        columns: on_both_sides,
        tested: columns,
    }
}

fn needed(deviations: &Deviations) -> f64 {
    CHANCE_GAIN + GAIN_PER_ENTRY * (deviations.sizes.data().len() as f64 - FREE_ENTRIES).max(0.0)
}

/// Above and below the centre, column by column.
fn sides(tables: &Tables, deviations: &Deviations) -> Vec<Counts> {
    let side = |at: usize| {
        let sign = if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut counts = vec![0.0; BINS];
        let sizes = deviations.sizes.iter_rows().map(|row| sign * row[at / 2]);
        sizes.filter(|size| *size > 0.0).for_each(|size| counts[tables.bin(size)] += 1.0);
        counts.into_iter().enumerate().filter(|(_, count)| *count > 0.0).collect()
    };
    (0..2 * deviations.sizes.cols()).into_par_iter().map(side).collect()
}

/// Log-likelihoods of the sides when all draw their kind of body from the same shares, and the logarithms of these shares, which
/// are found by expectation maximisation.
fn pooled(by_kind: &[[f64; KINDS]], steps: usize) -> (Vec<f64>, [f64; KINDS]) {
    let mut kinds = [-(KINDS as f64).ln(); KINDS];
    let weighed = |side: &[f64; KINDS], kinds: &[f64; KINDS]| {
        let mut weights: [f64; KINDS] = std::array::from_fn(|kind| side[kind] + kinds[kind]);
        let largest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weights.iter_mut().for_each(|weight| *weight = (*weight - largest).exp());
        let sum: f64 = weights.iter().sum();
        (weights.map(|weight| weight / sum), largest + sum.ln())
    };
    for _ in 0..steps {
        let mut sums = [0.0; KINDS];
        for side in by_kind {
            weighed(side, &kinds).0.iter().zip(&mut sums).for_each(|(weight, sum)| *sum += weight);
        }
        kinds = sums.map(|sum| (sum / by_kind.len() as f64).max(1e-9).ln());
    }
    (by_kind.iter().map(|side| weighed(side, &kinds).1).collect(), kinds)
}

/// Kind and scale of the body of a side beside a noise.
fn likeliest(best: &Explained, side: &Counts) -> (usize, usize) {
    let (likelihoods, scales) = best.noise.mixed.likelihoods(side);
    let value = |at: usize| likelihoods[at] + best.kinds[at / scales];
    let at = (0..likelihoods.len()).fold(0, |best, at| if value(at) > value(best) { at } else { best });
    (at / scales, at % scales)
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

fn beyond(tables: &Tables, deviations: &Deviations, bodies: &[(usize, usize)], noise: &Noise) -> Beyond {
    let shelf = &noise.shelf;
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
            // where one tail is longer, as in counts, it has more beyond the cut than the shelf puts there
            let shelved = found.min(self.expected);
            *found > ON_EACH_SIDE * self.expected && *out_of_range > OUT_OF_RANGE.0 * shelved
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
fn exact_share(tables: &Tables, sides: &[Counts], bodies: &[(usize, usize)], noise: &Noise) -> f64 {
    let shelf = &noise.shelf;
    let total: f64 = sides.iter().flatten().map(|(_, count)| count).sum();
    let mut share = noise.share;
    for _ in 0..SHARE_STEPS {
        let shelved = sides.iter().zip(bodies).flat_map(|(side, &(kind, scale))| {
            let body = &tables.bodies[kind][scale];
            side.iter().map(move |&(bin, count)| {
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
        assert!(found([9.0, 20.0], [5.0, 4.0]).looks_replaced());
        assert!(!found([9.0, 20.0], [5.0, 2.0]).looks_replaced());
    }

    /// Normal quantiles in every column in an order of its own, and the same with every twentieth entry moved to an even grid
    /// of [-4, 4].
    #[test]
    fn an_even_grid_in_every_column_is_a_shelf_and_normal_quantiles_are_not() {
        // Tukey's lambda distribution is normal to a percent
        let quantile = |p: f64| (p.powf(0.135) - (1.0 - p).powf(0.135)) / 0.1975;
        let column = |j: usize| {
            let key = |i: &usize| (43_758.545_3 * ((i * 7919 + j * 104_729) as f64).sin()).rem_euclid(1.0);
            let mut order: Vec<usize> = (0..400).collect();
            order.sort_by(|a, b| key(a).total_cmp(&key(b)));
            order
        };
        let columns: Vec<Vec<usize>> = (0..8).map(column).collect();
        let clean = Dense::from_fn(400, 8, |i, j| quantile((columns[j][i] as f64 + 0.5) / 400.0));
        let wrong = |i: usize, j: usize| (i + 3 * j).is_multiple_of(20);
        let noisy = Dense::from_fn(400, 8, |i, j| {
            if wrong(i, j) { 8.0 * ((i / 20) as f64 + 0.5) / 20.0 - 4.0 } else { clean.get(i, j) }
        });
        let all: Vec<usize> = (0..400).collect();
        let of = |x: &Dense<f64>| shared_shelf(&Deviations::new(x, &all, &all[..8], &Run::default()).unwrap().unwrap());
        assert!(of(&clean).is_none());
        let found = of(&noisy).unwrap();
        assert!((found.share - 0.05).abs() < 0.025, "{found:?}");
        // a twentieth is even over [-4, 4], a quarter of it beyond 3 scales; 0.3 % of the normal body is
        let evidence = found.evidence;
        assert!((0.008..0.03).contains(&evidence.beyond) && evidence.expected < 0.008, "{evidence:?}");
        assert_eq!((evidence.columns, evidence.tested), (8, 8));
    }

    /// Sides of the same kind are better explained by that kind alone, and their likelihood is that of it.
    #[test]
    fn kinds_are_learned_from_all_sides() {
        let mut side = [-10.0; KINDS];
        side[2] = -9.0;
        let (found, kinds) = pooled(&vec![side; 20], 200);
        assert!(kinds[2] > -1e-3 && found.iter().all(|x| (x + 9.0).abs() < 1e-2), "{kinds:?} {found:?}");
    }

    #[test]
    fn far_entries_hardly_widen_a_spread() {
        let sizes: Vec<f64> = (0..100).map(|i| (f64::from(i) - 49.5) / 50.0).collect();
        let mut far = sizes.clone();
        far[99] = 500.0;
        assert!((spread(&far) / spread(&sizes) - 1.0).abs() < 0.02);
    }
}
