//! Tables for the test of small views: bodies of a column's side, alone and with a shelf under their tails.
//!
//! Bins of sizes are in equal ratios, and so are scales of bodies: all tables of a kind of body are parts of one.

use std::sync::LazyLock;

use multiversion::multiversion;

use super::tail_model::{LEAST_PROBABILITY, bodies, geometric, height, kernel};

/// Edges of the bins, in spreads of the column, in equal ratios from the first; the first bin begins at 0, the last has no
/// end. 60 bins are a factor of 1000.
const FIRST: f64 = 0.02;
pub(super) const BINS: usize = 62;
const HALF_BIN: f64 = 1.059_253_725_177_289;
/// Scales of bodies: so many half bins above the first edge, a bin apart.
const SMALLEST_SCALE: usize = 20;
pub(super) const SCALES: usize = 29;
pub(super) const KINDS: usize = BODIES.len();
/// Kinds of body, as for large views but for the heaviest: few entries cannot tell a shelf from t with 2 degrees of freedom, whose
/// variance is infinite, and with that kind at hand 4 in 10 views of 300 x 5 with replaced entries and t with 3 were passed.
const BODIES: [f64; 7] = bodies(2.5);
/// Ends of a uniform shelf and widths of a normal one: replaced entries are more spread than the column as a whole, which a
/// uniform distribution is from 1.73 standard deviations on.
const ENDS: (f64, f64, usize) = (2.1, 12.0, 12);
const WIDTHS: (f64, f64, usize) = (1.25, 8.0, 7);
/// How many scales of the body these are at least, as for large views.
const LEAST_END: f64 = 3.5;
const LEAST_WIDTH: f64 = 3.0;
/// Shelves that end within so many spreads are hardly more than another body, and bodies that are not quite of the family
/// look like one.
const NARROW_END: f64 = 3.2;
const NARROW_WIDTH: f64 = 1.8;
const SHARES: [f64; 6] = [0.03, 0.05, 0.08, 0.12, 0.2, 0.35];
/// Those of a first look. It takes all shelves: what a uniform one reaches decides more than its share.
const FIRST_SHARES: [f64; 2] = [0.05, 0.2];

pub(super) struct Tables {
    pub(super) edges: Vec<f64>,
    /// By kind, scale and bin.
    pub(super) bodies: Vec<Vec<Vec<f64>>>,
    /// Logarithms of the bodies alone.
    pub(super) alone: LogTable,
    pub(super) noises: Vec<Noise>,
}

/// A share of the entries comes from a shelf.
pub(super) struct Noise {
    pub(super) share: f64,
    /// Probabilities of the bins.
    pub(super) shelf: Vec<f64>,
    pub(super) is_narrow: bool,
    /// Logarithms of the bodies with the shelf.
    pub(super) mixed: LogTable,
    /// One of the noises of a first look.
    pub(super) is_first: bool,
}

/// Logarithms of probabilities, by bin, then kind and scale.
pub(super) struct LogTable {
    logarithms: Vec<f32>,
    /// Scales that are in the table, from the smallest.
    scales: usize,
}

impl LogTable {
    fn new(bodies: &[Vec<Vec<f64>>], scales: usize, probability: impl Fn(&[f64], usize) -> f64) -> Self {
        let mut logarithms = Vec::with_capacity(BINS * KINDS * scales);
        for bin in 0..BINS {
            let all = bodies.iter().flat_map(|kind| &kind[..scales]);
            logarithms.extend(all.map(|body| probability(body, bin).max(LEAST_PROBABILITY).ln() as f32));
        }
        Self { logarithms, scales }
    }

    /// Log-likelihoods of the counts for every kind and scale, kinds one after the other; so many scales of each.
    pub(super) fn likelihoods(&self, counts: &[(usize, f64)]) -> (Vec<f64>, usize) {
        let width = KINDS * self.scales;
        let mut sums = vec![0.0; width];
        for &(bin, count) in counts {
            add_scaled(&mut sums, count, &self.logarithms[bin * width..(bin + 1) * width]);
        }
        (sums, self.scales)
    }

    /// Log-likelihoods of the counts for every kind, over all scales alike.
    pub(super) fn by_kind(&self, counts: &[(usize, f64)]) -> [f64; KINDS] {
        let (likelihoods, scales) = self.likelihoods(counts);
        let mut kinds = [f64::NEG_INFINITY; KINDS];
        for (kind, found) in kinds.iter_mut().zip(likelihoods.chunks_exact(scales.max(1))) {
            let largest = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = found.iter().filter(|x| **x > largest - 30.0).map(|x| (x - largest).exp()).sum();
            *kind = largest + (sum / SCALES as f64).ln();
        }
        kinds
    }
}

#[multiversion(targets = "simd")]
fn add_scaled(sums: &mut [f64], factor: f64, row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * f64::from(*x));
}

/// Of a body, in spreads of the column.
pub(super) fn scale(at: usize) -> f64 {
    FIRST * HALF_BIN.powi((SMALLEST_SCALE + 2 * at) as i32)
}

impl Tables {
    /// The tables depend on nothing: they are made once.
    pub(super) fn get() -> &'static Self {
        static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
        &TABLES
    }

    fn new() -> Self {
        let inner = (0..BINS - 1).map(|at| FIRST * HALF_BIN.powi(2 * at as i32));
        let edges: Vec<f64> = std::iter::once(0.0).chain(inner).collect();
        let bodies: Vec<Vec<Vec<f64>>> = BODIES.into_iter().map(body).collect();
        let alone = LogTable::new(&bodies, SCALES, |body, bin| body[bin]);
        let uniform = geometric(ENDS).map(|end| {
            let probabilities = differences(edges.iter().map(|edge| (edge / end).min(1.0)));
            (probabilities, end / LEAST_END, end < NARROW_END)
        });
        let normal = within(f64::INFINITY);
        let normal = geometric(WIDTHS).map(|width| {
            // the nearest place in the table: widths need not be exact
            let half_bins = ((width / FIRST).ln() / HALF_BIN.ln()).round() as usize;
            (scaled(&normal, half_bins), width / LEAST_WIDTH, width < NARROW_WIDTH)
        });
        let mut noises = Vec::new();
        for (shelf, largest, is_narrow) in uniform.chain(normal) {
            let scales = (0..SCALES).take_while(|&at| scale(at) <= largest * (1.0 + 1e-9)).count();
            for share in SHARES {
                let mixed = LogTable::new(&bodies, scales, |body, bin| (1.0 - share) * body[bin] + share * shelf[bin]);
                let is_first = FIRST_SHARES.contains(&share);
                noises.push(Noise { share, shelf: shelf.clone(), is_narrow, mixed, is_first });
            }
        }
        Self { edges, bodies, alone, noises }
    }

    pub(super) fn bin(&self, size: f64) -> usize {
        self.edges.partition_point(|edge| *edge <= size).saturating_sub(1)
    }

    /// Share of a body beyond so many of its scales.
    pub(super) fn beyond(&self, (kind, at): (usize, usize), scales: f64) -> f64 {
        let bins = self.edges.iter().zip(&self.bodies[kind][at]).filter(|(edge, _)| **edge >= scales * scale(at));
        bins.map(|(_, p)| p).sum()
    }
}

/// Half bins from the smallest edge over the largest scale to the largest edge over the smallest scale, with room for the
/// widest shelf.
const BELOW: usize = 110;
const WITHIN: usize = BELOW + 2 * (BINS - 2) + 1;

/// Probabilities that a body of scale 1 has within every half bin's edge.
fn within(freedom: f64) -> Vec<f64> {
    let height = 2.0 * height(freedom);
    let density = |x: f64| height * kernel(x, freedom);
    let (mut sum, mut from) = (0.0, 0.0);
    let places = (0..WITHIN).map(|at| HALF_BIN.powi(at as i32 - BELOW as i32));
    let add = |to: f64| {
        sum += (density(from) + 4.0 * density(f64::midpoint(from, to)) + density(to)) * (to - from) / 6.0;
        from = to;
        sum.min(1.0)
    };
    places.map(add).collect()
}

/// Probabilities of the bins for the body whose scale is so many half bins above the first edge.
fn scaled(within: &[f64], half_bins: usize) -> Vec<f64> {
    let inner = (0..BINS - 1).map(|at| within[BELOW + 2 * at - half_bins]);
    differences(std::iter::once(0.0).chain(inner))
}

fn body(freedom: f64) -> Vec<Vec<f64>> {
    let within = within(freedom);
    (0..SCALES).map(|at| scaled(&within, SMALLEST_SCALE + 2 * at)).collect()
}

/// What lies between the numbers, and beyond the last.
fn differences(below: impl Iterator<Item = f64>) -> Vec<f64> {
    let below: Vec<f64> = below.chain([1.0]).collect();
    below.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_distributions() {
        let tables = Tables::get();
        for probabilities in tables.bodies.iter().flatten().chain(tables.noises.iter().map(|noise| &noise.shelf)) {
            assert!(
                (probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9 && probabilities.iter().all(|p| *p >= -1e-9)
            );
        }
        // the normal distribution has 68.27 % within its scale, here the 29th edge;
        // t with 2.5 degrees of freedom 59.59 %, Laplace's 1 - exp(-sqrt 2)
        let inside = |kind: usize| tables.bodies[kind][18][..=28].iter().sum::<f64>();
        assert!((inside(6) - 0.682_689).abs() < 1e-4, "{}", inside(6));
        assert!((inside(1) - 0.595_939).abs() < 1e-4, "{}", inside(1));
        assert!((inside(0) - 0.756_883).abs() < 1e-4, "{}", inside(0));
    }

    #[test]
    fn likelihoods_by_hand() {
        let tables = Tables::get();
        let counts = [(20, 3.0), (40, 1.0)];
        let (found, scales) = tables.alone.likelihoods(&counts);
        let body = &tables.bodies[6][10];
        let expected = 3.0 * body[20].max(LEAST_PROBABILITY).ln() + body[40].max(LEAST_PROBABILITY).ln();
        assert!((found[6 * scales + 10] - expected).abs() < 1e-4);
        let sum: f64 = found[6 * scales..].iter().map(|x| x.exp()).sum();
        assert!((tables.alone.by_kind(&counts)[6] - (sum / SCALES as f64).ln()).abs() < 1e-6);
    }
}
