//! The model: residuals on one side of the centre are a body, or a body with a shelf under its tail.
//!
//! Clean residuals fall off: they are normal, of Student's t, of Laplace's distribution or of one with a sharper peak. Replaced
//! entries lie flat as far as the noise goes: a share of the residuals is uniform or normal and several times as wide as the
//! body. Both are fitted to all columns together, by likelihood. Sizes are counted in bins, so that the models are tables and
//! nothing hangs on a few extreme values.

use std::sync::LazyLock;

use rayon::prelude::*;

/// Inner edges of the bins, in spreads: from here to there in equal ratios. The first bin begins at 0, the last has no end.
const EDGES: Ratios = Ratios(0.1, 60.0, 56);
const BINS: usize = EDGES.2 + 1;
/// Kinds of body: from normal to Cauchy's, so that no tail is called a shelf for being long, and two with a peak.
const BODIES: [Body; 10] = [
    Body::NORMAL,
    Body::Power(1.0, std::f64::consts::FRAC_1_SQRT_2),
    Body::Power(0.7, 0.32),
    Body::Student(12.0),
    Body::Student(6.0),
    Body::Student(4.0),
    Body::Student(3.0),
    Body::Student(2.0),
    Body::Student(1.5),
    Body::Student(1.0),
];
/// Scales of the body.
const SCALES: Ratios = Ratios(0.3, 2.5, 22);
/// Ends of a uniform shelf and standard deviations of a normal one, and how many scales of the body these are at least: what
/// reaches no farther is another body, and does little harm.
const ENDS: Ratios = Ratios(3.4, 40.0, 12);
const LEAST_END: f64 = 4.2;
const WIDTHS: Ratios = Ratios(3.3, 20.0, 8);
const LEAST_WIDTH: f64 = 3.0;
/// Shares of the shelf. Fewer than 3 % are not looked for: bodies that are not quite of the family have as much.
const SHARES: [f64; 8] = [0.03, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5];
/// Intervals of Simpson's rule in a bin.
const INTERVALS: usize = 8;
const LEAST_PROBABILITY: f64 = 1e-12;

/// From, to, and how many numbers in equal ratios.
struct Ratios(f64, f64, usize);

impl Ratios {
    fn numbers(self) -> impl Iterator<Item = f64> {
        let Self(first, last, count) = self;
        (0..count).map(move |at| first * (last / first).powf(at as f64 / (count - 1) as f64))
    }
}

/// What the sizes of entries that were not replaced look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Body {
    /// `exp(-|x / unit|^p)`: the normal distribution (2), Laplace's (1), and sharper peaks below; the unit makes the variance 1.
    Power(f64, f64),
    /// Student's t, of so many degrees of freedom.
    Student(f64),
}

impl Body {
    pub(super) const NORMAL: Self = Self::Power(2.0, std::f64::consts::SQRT_2);

    /// The density of sizes (above zero), at scale 1.
    pub(super) fn density(self, size: f64) -> f64 {
        self.height() * self.fall(size)
    }

    pub(super) fn height(self) -> f64 {
        match self {
            Self::Power(p, unit) => (-libm::lgamma(1.0 + 1.0 / p)).exp() / unit,
            Self::Student(freedom) => {
                let log = libm::lgamma(0.5 * (freedom + 1.0)) - libm::lgamma(0.5 * freedom);
                2.0 * log.exp() / (freedom * std::f64::consts::PI).sqrt()
            }
        }
    }

    /// The density over that at 0.
    pub(super) fn fall(self, size: f64) -> f64 {
        match self {
            Self::Power(p, unit) => (-(size / unit).powf(p)).exp(),
            Self::Student(freedom) => (-0.5 * (freedom + 1.0) * (size * size / freedom).ln_1p()).exp(),
        }
    }

    /// What a size counts for in the scale, by expectation maximisation.
    pub(super) fn weight(self, size: f64) -> f64 {
        match self {
            Self::Power(..) => 1.0,
            Self::Student(freedom) => (freedom + 1.0) / (freedom + size * size),
        }
    }
}

/// What is said of one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// Logarithm of the likelihood ratio of the best body with a shelf and the best one without.
    pub(super) gain: f64,
    /// Share of the shelf.
    pub(super) share: f64,
    /// Where the shelf begins to outweigh the body, when it does anywhere.
    pub(super) cut: Option<Cut>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub(super) at: f64,
    /// Of the shelf, and of the body, the part that is farther.
    pub(super) shelf: f64,
    pub(super) body: f64,
}

/// A body, and a share of a shelf.
struct Model {
    body: usize,
    shelf: Option<(usize, f64)>,
}

/// All models, as tables of the probabilities of the bins.
pub(super) struct Tails {
    edges: Vec<f64>,
    bodies: Vec<Vec<f64>>,
    shelves: Vec<Vec<f64>>,
    models: Vec<Model>,
    /// Of the models' probabilities, model by model.
    logarithms: Vec<f32>,
}

impl Tails {
    /// The tables depend on nothing: they are made once.
    pub(super) fn get() -> &'static Self {
        static TAILS: LazyLock<Tails> = LazyLock::new(Tails::new);
        &TAILS
    }

    fn new() -> Self {
        let edges: Vec<f64> = std::iter::once(0.0).chain(EDGES.numbers()).collect();
        let table = |body: Body, scale: f64| bins(&edges, |x| body.density(x / scale) / scale);
        let uniform = |end: f64| {
            let below = |edge: f64| (edge / end).min(1.0);
            edges.windows(2).map(|pair| below(pair[1]) - below(pair[0])).chain([0.0]).collect::<Vec<f64>>()
        };
        let kinds = BODIES.into_iter().flat_map(|kind| SCALES.numbers().map(move |scale| (kind, scale)));
        let (scales, bodies): (Vec<f64>, Vec<Vec<f64>>) =
            kinds.map(|(kind, scale)| (scale, table(kind, scale))).unzip();
        let ends = ENDS.numbers().map(|end| (end / LEAST_END, uniform(end)));
        let widths = WIDTHS.numbers().map(|width| (width / LEAST_WIDTH, table(Body::NORMAL, width)));
        let (widest, shelves): (Vec<f64>, Vec<Vec<f64>>) = ends.chain(widths).unzip();
        let mut models = Vec::new();
        for (body, scale) in scales.iter().enumerate() {
            models.push(Model { body, shelf: None });
            for shelf in (0..shelves.len()).filter(|&shelf| *scale <= widest[shelf]) {
                models.extend(SHARES.map(|share| Model { body, shelf: Some((shelf, share)) }));
            }
        }
        let mut tails = Self { edges, bodies, shelves, models, logarithms: Vec::new() };
        let log = |model: &Model| {
            let bins = (0..BINS).map(|bin| tails.probability(model, bin).max(LEAST_PROBABILITY).ln() as f32);
            bins.collect::<Vec<f32>>()
        };
        let logarithms: Vec<Vec<f32>> = tails.models.par_iter().map(log).collect();
        tails.logarithms = logarithms.concat();
        tails
    }

    fn probability(&self, model: &Model, bin: usize) -> f64 {
        let body = self.bodies[model.body][bin];
        model.shelf.map_or(body, |(shelf, share)| (1.0 - share) * body + share * self.shelves[shelf][bin])
    }

    /// The best body with a shelf against the best body without.
    pub(super) fn compare(&self, sizes: impl Iterator<Item = f64>) -> Side {
        let mut counts = vec![0.0_f32; BINS];
        sizes.for_each(|size| counts[self.edges.partition_point(|edge| *edge <= size).saturating_sub(1)] += 1.0);
        let likelihood =
            |logs: &[f32]| logs.iter().zip(&counts).map(|(log, count)| f64::from(log * count)).sum::<f64>();
        let likelihoods: Vec<f64> = self.logarithms.par_chunks(BINS).map(likelihood).collect();
        let (mut alone, mut best, mut most) = (f64::NEG_INFINITY, (0, 0, 0.0), f64::NEG_INFINITY);
        for (model, likelihood) in self.models.iter().zip(likelihoods) {
            match model.shelf {
                None => alone = alone.max(likelihood),
                Some((shelf, share)) if likelihood > most => (best, most) = ((model.body, shelf, share), likelihood),
                Some(_) => {}
            }
        }
        let (body, shelf, share) = best;
        let (p, q) = (&self.bodies[body], &self.shelves[shelf]);
        let outweighs = |bin: &usize| share * q[*bin] > ((1.0 - share) * p[*bin]).max(1e-9);
        let cut = (0..BINS).find(outweighs).map(|bin| {
            let beyond = |probabilities: &[f64]| probabilities[bin..].iter().sum();
            Cut { at: self.edges[bin], shelf: beyond(q), body: beyond(p) }
        });
        Side { gain: most - alone, share, cut }
    }
}

/// Probabilities of the bins under a density of sizes; the last one is what remains.
fn bins(edges: &[f64], density: impl Fn(f64) -> f64) -> Vec<f64> {
    let simpson = |pair: &[f64]| {
        let step = (pair[1] - pair[0]) / INTERVALS as f64;
        let weight = |at: usize| if at.is_multiple_of(INTERVALS) { 1.0 } else { (2 + 2 * (at % 2)) as f64 };
        (0..=INTERVALS).map(|at| weight(at) * density(pair[0] + at as f64 * step)).sum::<f64>() * step / 3.0
    };
    let mut probabilities: Vec<f64> = edges.windows(2).map(simpson).collect();
    let sum: f64 = probabilities.iter().sum();
    // the rule makes a little too much of a peak
    probabilities.iter_mut().for_each(|probability| *probability /= sum.max(1.0));
    probabilities.push((1.0 - sum).max(0.0));
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_distributions() {
        let tails = Tails::get();
        for table in tails.bodies.iter().chain(&tails.shelves) {
            assert!((table.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{}", table.iter().sum::<f64>());
        }
        // within a scale: 68.27 % of the normal distribution, 1 - exp(-sqrt 2) of Laplace's, half of Cauchy's
        for (body, expected) in [(BODIES[0], 0.6827), (BODIES[1], 0.7569), (Body::Student(1.0), 0.5)] {
            let within = bins(&[0.0, 0.5, 1.0], |x| body.density(x));
            assert!((within[0] + within[1] - expected).abs() < 1e-4, "{body:?}");
        }
    }

    #[test]
    fn heavy_tails_have_no_shelf_and_uniform_noise_has_one() {
        let tails = Tails::get();
        // the middle of every bin as often as a model has it, of 8,000 sizes
        let of = |model: &Model| {
            let middle = |bin: usize| (tails.edges[bin] * tails.edges.get(bin + 1).unwrap_or(&90.0)).sqrt();
            let times = |bin: usize| (8000.0 * tails.probability(model, bin)).round() as usize;
            tails.compare((0..BINS).flat_map(|bin| std::iter::repeat_n(middle(bin), times(bin))))
        };
        for body in (0..BODIES.len()).map(|kind| kind * SCALES.2 + 11) {
            assert!(of(&Model { body, shelf: None }).gain < 3.0, "{body}");
        }
        for (body, shelf) in [(11, 2), (4 * SCALES.2 + 11, 3)] {
            let found = of(&Model { body, shelf: Some((shelf, 0.08)) });
            assert!(found.gain > 10.0 && (found.share - 0.08).abs() < 0.05, "{found:?}");
            let cut = found.cut.unwrap();
            assert!(cut.at > 2.0 && cut.at < 5.0 && cut.shelf > 10.0 * cut.body, "{cut:?}");
        }
    }
}
