//! Is there a shelf under one side of some residuals? A likelihood ratio of two models of their sizes.
//!
//! Clean residuals fall off: they are Laplace's or Student's t with some degrees of freedom
//! (2 to infinity) and scale. Replaced entries lie flat as far as the noise goes: besides such a body there is a share of
//! a uniform or a normal distribution several times as wide. Sizes are counted in bins, so that the models are tables and nothing depends on a few
//! extreme values.

use std::sync::LazyLock;

/// Inner edges of the bins, in spreads: from here to there in equal ratios. The first bin begins at 0, the last has no end.
const EDGES: (f64, f64, usize) = (0.25, 64.0, 49);
/// Degrees of freedom of the bodies; 1 stands for Laplace's distribution, infinity for the normal one, which comes last.
const BODIES: [f64; 7] = bodies(2.0);
const LAPLACE: f64 = 1.0;
/// Scales of the body.
const SCALES: (f64, f64, usize) = (0.4, 2.0, 14);
/// Ends of a uniform shelf, and how many scales of the body it must reach at least.
const ENDS: (f64, f64, usize) = (2.2, 60.0, 16);
const LEAST_END: f64 = 3.5;
/// Standard deviations of a normal shelf, and how many scales of the body it must be at least.
const WIDTHS: (f64, f64, usize) = (2.0, 40.0, 14);
const LEAST_WIDTH: f64 = 3.0;
/// Shares of the shelf. Fewer than 3 % are not looked for: bodies that are not quite of the family have as much.
const SHARES: [f64; 11] = [0.03, 0.04, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.45, 0.55, 0.65];
/// Shares by which pairs of a body and a shelf are compared at first, and how many pairs are looked at with all shares.
const FEW_SHARES: [f64; 3] = [0.04, 0.12, 0.35];
const BEST_PAIRS: usize = 60;
/// Steps by which the share is made exact in the end.
const SHARE_STEPS: usize = 30;
/// Intervals of Simpson's rule in a bin.
const INTERVALS: usize = 8;
pub(super) const LEAST_PROBABILITY: f64 = 1e-12;

/// Both models, as tables of probabilities of the bins.
pub(super) struct TailModels {
    edges: Vec<f64>,
    bodies: Vec<Component>,
    shelves: Vec<Component>,
    /// What is compared at first.
    pairs: Vec<Pair>,
}

/// A body and a shelf that reaches out of it.
struct Pair {
    body: usize,
    shelf: usize,
    /// Logarithms of the probabilities of the bins, one table for each of [`FEW_SHARES`].
    logarithms: Vec<f64>,
}

struct Component {
    /// Of a body: its scale. Of a shelf: the largest scale of a body that it reaches out of.
    scale: f64,
    probabilities: Vec<f64>,
}

/// What was found on one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shelf {
    /// Logarithm of the likelihood ratio.
    pub(super) gain: f64,
    /// Share of the shelf.
    pub(super) share: f64,
    /// Where the shelf begins to outweigh the body, when it does anywhere.
    pub(super) cut: Option<f64>,
    /// Share of the body that lies beyond the cut.
    pub(super) body_beyond: f64,
}

/// `count` numbers in equal ratios.
pub(super) fn geometric((first, last, count): (f64, f64, usize)) -> impl Iterator<Item = f64> {
    (0..count).map(move |at| first * (last / first).powf(at as f64 / (count - 1) as f64))
}

impl TailModels {
    /// The tables depend on nothing: they are made once.
    pub(super) fn get() -> &'static Self {
        static MODELS: LazyLock<TailModels> = LazyLock::new(TailModels::new);
        &MODELS
    }

    fn new() -> Self {
        let edges: Vec<f64> = std::iter::once(0.0).chain(geometric(EDGES)).collect();
        let component = |freedom: f64, width: f64, scale: f64| {
            let height = 2.0 * height(freedom) / width;
            Component { scale, probabilities: bins(&edges, |x| height * kernel(x / width, freedom)) }
        };
        let bodies = BODIES.into_iter().flat_map(|freedom| geometric(SCALES).map(move |scale| (freedom, scale)));
        let bodies = bodies.map(|(freedom, scale)| component(freedom, scale, scale));
        let uniform = geometric(ENDS).map(|end| {
            let below = |edge: f64| (edge / end).min(1.0);
            let mut probabilities: Vec<f64> = edges.windows(2).map(|pair| below(pair[1]) - below(pair[0])).collect();
            probabilities.push(0.0);
            Component { scale: end / LEAST_END, probabilities }
        });
        let normal = geometric(WIDTHS).map(|width| component(f64::INFINITY, width, width / LEAST_WIDTH));
        let (bodies, shelves): (Vec<_>, Vec<_>) = (bodies.collect(), uniform.chain(normal).collect());
        let pairs = pairs(&bodies, &shelves);
        Self { edges, bodies, shelves, pairs }
    }

    /// Numbers of sizes in each bin.
    pub(super) fn count(&self, sizes: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut counts = vec![0.0; self.edges.len()];
        for size in sizes {
            counts[self.edges.partition_point(|edge| *edge <= size).saturating_sub(1)] += 1.0;
        }
        counts
    }

    /// The best body with a shelf against the best body without.
    pub(super) fn compare(&self, counts: &[f64]) -> Shelf {
        // empty bins say nothing
        let filled: Vec<usize> = (0..counts.len()).filter(|&bin| counts[bin] > 0.0).collect();
        let without = self.bodies.iter().map(|body| likelihood(counts, &filled, |bin| body.probabilities[bin]));
        let without = without.fold(f64::NEG_INFINITY, f64::max);
        let mixed = |body: &Component, shelf: &Component, share: f64| {
            likelihood(counts, &filled, |bin| mixture(body, shelf, share, bin))
        };
        let rough = |pair: &Pair| {
            let tables = pair.logarithms.chunks_exact(counts.len());
            let of = |table: &[f64]| filled.iter().map(|&bin| counts[bin] * table[bin]).sum::<f64>();
            tables.map(of).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut pairs: Vec<(f64, &Component, &Component)> =
            self.pairs.iter().map(|pair| (rough(pair), &self.bodies[pair.body], &self.shelves[pair.shelf])).collect();
        // the likelihood is concave in the share: the best pairs are good at some of a few shares
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut best, mut most) = (None, f64::NEG_INFINITY);
        for &(_, body, shelf) in pairs.iter().take(BEST_PAIRS) {
            for share in SHARES {
                let found = mixed(body, shelf, share);
                if found > most {
                    (best, most) = (Some((body, shelf, share)), found);
                }
            }
        }
        match best.filter(|_| !filled.is_empty()) {
            Some((body, shelf, share)) => self.described(counts, body, shelf, share, most - without),
            None => Shelf { gain: 0.0, share: 0.0, cut: None, body_beyond: 0.0 },
        }
    }

    fn described(&self, counts: &[f64], body: &Component, shelf: &Component, share: f64, gain: f64) -> Shelf {
        let (p, q) = (&body.probabilities, &shelf.probabilities);
        let first = (0..p.len()).find(|&bin| share * q[bin] > (1.0 - share) * p[bin] && share * q[bin] > 1e-9);
        let body_beyond = first.map_or(0.0, |first| p[first..].iter().sum());
        let mut exact = share;
        let total: f64 = counts.iter().sum();
        for _ in 0..SHARE_STEPS {
            let shelved =
                |bin: usize| exact * q[bin] / ((1.0 - exact) * p[bin] + exact * q[bin]).max(LEAST_PROBABILITY);
            exact = (0..p.len()).map(|bin| counts[bin] * shelved(bin)).sum::<f64>() / total;
        }
        Shelf { gain, share: exact, cut: first.map(|first| self.edges[first]), body_beyond }
    }
}

/// Every body with every shelf that reaches out of it.
fn pairs(bodies: &[Component], shelves: &[Component]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (b, body) in bodies.iter().enumerate() {
        for (s, shelf) in shelves.iter().enumerate().filter(|(_, shelf)| shelf.scale >= body.scale * (1.0 - 1e-9)) {
            let table = |share: f64| {
                let bins = 0..body.probabilities.len();
                bins.map(move |bin| mixture(body, shelf, share, bin).max(LEAST_PROBABILITY).ln())
            };
            pairs.push(Pair { body: b, shelf: s, logarithms: FEW_SHARES.into_iter().flat_map(table).collect() });
        }
    }
    pairs
}

/// The probability of a bin when the shelf has this share.
fn mixture(body: &Component, shelf: &Component, share: f64, bin: usize) -> f64 {
    (1.0 - share) * body.probabilities[bin] + share * shelf.probabilities[bin]
}

/// Logarithm of the likelihood of the counts in the filled bins.
fn likelihood(counts: &[f64], filled: &[usize], probability: impl Fn(usize) -> f64) -> f64 {
    filled.iter().map(|&bin| counts[bin] * probability(bin).max(LEAST_PROBABILITY).ln()).sum()
}

/// Kinds of body: Laplace's, the heaviest of Student's t with so many degrees of freedom, lighter ones, the normal one.
pub(super) const fn bodies(heaviest: f64) -> [f64; 7] {
    [LAPLACE, heaviest, 3.0, 4.0, 6.0, 12.0, f64::INFINITY]
}

/// A density at 0.
pub(super) fn height(freedom: f64) -> f64 {
    if freedom == LAPLACE {
        std::f64::consts::FRAC_1_SQRT_2
    } else if freedom.is_infinite() {
        1.0 / std::f64::consts::TAU.sqrt()
    } else {
        student_height(freedom)
    }
}

/// That of Student's t.
pub(super) fn student_height(freedom: f64) -> f64 {
    let log = libm::lgamma(0.5 * (freedom + 1.0)) - libm::lgamma(0.5 * freedom);
    log.exp() / (freedom * std::f64::consts::PI).sqrt()
}

/// A density over that at 0.
pub(super) fn kernel(x: f64, freedom: f64) -> f64 {
    if freedom == LAPLACE {
        (-std::f64::consts::SQRT_2 * x.abs()).exp()
    } else if freedom.is_infinite() {
        (-0.5 * x * x).exp()
    } else {
        (1.0 + x * x / freedom).powf(-0.5 * (freedom + 1.0))
    }
}

/// Probabilities of the bins under a density of sizes; the last one is what remains.
fn bins(edges: &[f64], density: impl Fn(f64) -> f64) -> Vec<f64> {
    let simpson = |from: f64, to: f64| {
        let step = (to - from) / INTERVALS as f64;
        let weight = |at: usize| if at.is_multiple_of(INTERVALS) { 1.0 } else { (2 + 2 * (at % 2)) as f64 };
        (0..=INTERVALS).map(|at| weight(at) * density(from + at as f64 * step)).sum::<f64>() * step / 3.0
    };
    let mut probabilities: Vec<f64> = edges.windows(2).map(|pair| simpson(pair[0], pair[1])).collect();
    probabilities.push((1.0 - probabilities.iter().sum::<f64>()).max(0.0));
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_of_densities() {
        // t with 2 degrees of freedom has 1 / sqrt 8 at 0, with 4 3 / 8
        for (freedom, expected) in [(2.0, 0.125_f64.sqrt()), (4.0, 0.375), (f64::INFINITY, 0.398_942_280_401_4)] {
            assert!((height(freedom) - expected).abs() < 1e-12, "{freedom}");
        }
    }

    #[test]
    fn the_tables_are_distributions() {
        let models = TailModels::get();
        for component in models.bodies.iter().chain(&models.shelves) {
            let sum: f64 = component.probabilities.iter().sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
        // half of the probability of the normal distribution is within 0.674 standard deviations
        let within = |component: &Component| -> f64 {
            let inner = models.edges.windows(2).zip(&component.probabilities);
            inner.filter(|(pair, _)| pair[1] <= 0.7 * component.scale).map(|(_, p)| p).sum()
        };
        let normal = models.bodies.iter().rev().take(SCALES.2).map(within);
        assert!(normal.into_iter().all(|share| (0.35..0.53).contains(&share)));
    }

    /// Quantiles of the models themselves: 4,000 sizes of t with 3 degrees of freedom have no shelf, and a twentieth of
    /// a uniform distribution up to 5 on a normal body has one.
    #[test]
    fn heavy_tails_have_no_shelf_and_uniform_noise_has_one() {
        let models = TailModels::get();
        let heavy = &models.bodies[2 * SCALES.2 + 7].probabilities;
        let counts: Vec<f64> = heavy.iter().map(|p| (4000.0 * p).round()).collect();
        assert!(models.compare(&counts).gain < 3.0);
        let (body, shelf) = (&models.bodies[6 * SCALES.2 + 8].probabilities, &models.shelves[4].probabilities);
        let counts: Vec<f64> = body.iter().zip(shelf).map(|(p, q)| (4000.0 * (0.9 * p + 0.1 * q)).round()).collect();
        let found = models.compare(&counts);
        assert!(found.gain > 8.0 && (found.share - 0.1).abs() < 0.05 && found.cut.is_some(), "{found:?}");
    }
}
