//! Kinds of data without clusters and with clear ones, each in two views of the same hidden positions.

use consilience::matrix::Dense;
use consilience::{View, Views};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Data of `n` samples from a seed.
pub(crate) type Structureless = fn(usize, u64) -> Views;
/// Data of `n` samples in `k` clusters from a seed.
pub(crate) type Clustered = fn(usize, usize, u64) -> Views;

/// Hidden positions that go on and on, or nothing at all.
pub(crate) const STRUCTURELESS: [(&str, Structureless); 10] = [
    ("gradient", |n, seed| shown(n, seed, |rng| vec![12.0 * rng.random::<f64>()])),
    ("arc", |n, seed| {
        shown(n, seed, |rng| {
            let angle = 4.0 * rng.random::<f64>();
            vec![6.0 * angle.cos(), 6.0 * angle.sin()]
        })
    }),
    ("ring", |n, seed| {
        shown(n, seed, |rng| {
            let angle = std::f64::consts::TAU * rng.random::<f64>();
            vec![6.0 * angle.cos(), 6.0 * angle.sin()]
        })
    }),
    ("sheet", |n, seed| shown(n, seed, |rng| (0..2).map(|_| 8.0 * rng.random::<f64>()).collect())),
    ("cube", |n, seed| shown(n, seed, |rng| (0..4).map(|_| 8.0 * rng.random::<f64>()).collect())),
    ("blob", |n, seed| shown(n, seed, |rng| (0..3).map(|_| 3.0 * normal(rng)).collect())),
    ("long blob", |n, seed| shown(n, seed, |rng| vec![8.0 * normal(rng), 2.0 * normal(rng)])),
    ("heavy tails", |n, seed| {
        shown(n, seed, |rng| {
            // Student's t of three degrees of freedom
            let scale = 3.0 / ((0..3).map(|_| normal(rng).powi(2)).sum::<f64>() / 3.0).sqrt();
            (0..3).map(|_| scale * normal(rng)).collect()
        })
    }),
    ("skewed", |n, seed| shown(n, seed, |rng| (0..3).map(|_| (1.0 + 0.7 * normal(rng)).exp()).collect())),
    ("noise", |n, seed| shown(n, seed, |_| vec![0.0])),
];

/// Hidden positions in groups with gaps between them.
pub(crate) const CLUSTERED: [(&str, Clustered); 8] = [
    ("balls", |n, k, seed| grouped(n, k, seed, |rng, c, _| apart(c, k, 9.0, |_| normal(rng)))),
    ("unequal sizes", |n, k, seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let of = move |i: usize, n: usize| (0..k).find(|c| i < n * (c + 1) * (c + 2) / (k * (k + 1))).unwrap_or(k - 1);
        views(n, seed, |i| apart(of(i, n), k, 9.0, |_| normal(&mut rng)))
    }),
    ("unequal widths", |n, k, seed| {
        grouped(n, k, seed, |rng, c, _| apart(c, k, 12.0, |_| (0.5 + c as f64 / k as f64) * normal(rng)))
    }),
    ("sticks", |n, k, seed| {
        grouped(n, k, seed, |rng, c, _| {
            let along = 10.0 * rng.random::<f64>();
            let mut place = apart(c, k, 10.0, |_| 0.5 * normal(rng));
            place.push(along);
            place
        })
    }),
    ("boxes", |n, k, seed| grouped(n, k, seed, |rng, c, _| apart(c, k, 9.0, |_| 3.0 * rng.random::<f64>()))),
    ("wide", |n, k, seed| {
        grouped(n, k, seed, |rng, c, _| {
            let mut place = apart(c, k, 16.0, |_| normal(rng));
            place.extend((0..80).map(|_| normal(rng)));
            place
        })
    }),
    ("a view of noise", |n, k, seed| {
        let both = grouped(n, k, seed, |rng, c, _| apart(c, k, 12.0, |_| normal(rng)));
        let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000);
        let noise = View::new("noise", Dense::from_fn(n, 8, |_, _| normal(&mut rng)));
        Views::new(both.iter().cloned().chain([noise]).collect()).unwrap()
    }),
    ("counts", |n, k, seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut view = |name: &str| {
            let own = |i: usize, j: usize| if j % k == i % k { 0.6 } else { 0.05 };
            let word = |i: usize, j: usize| (0..6).filter(|_| rng.random::<f64>() < own(i, j)).count() as f64;
            let counts = Dense::from_fn(n, 20 * k, word);
            View::new(name, consilience::matrix::Csr::from_dense(&counts).unwrap())
        };
        Views::new(vec![view("words"), view("links")]).unwrap()
    }),
];

/// Positions of samples without groups, seen by two views.
fn shown(n: usize, seed: u64, mut place: impl FnMut(&mut ChaCha8Rng) -> Vec<f64>) -> Views {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    views(n, seed, |_| place(&mut rng))
}

/// Positions of samples in `k` equal groups, seen by two views.
fn grouped(n: usize, k: usize, seed: u64, mut place: impl FnMut(&mut ChaCha8Rng, usize, usize) -> Vec<f64>) -> Views {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    views(n, seed, |i| place(&mut rng, i % k, i))
}

/// A position around the centre of group `c` of `k`; all centres are `distance` apart.
fn apart(c: usize, k: usize, distance: f64, mut around: impl FnMut(usize) -> f64) -> Vec<f64> {
    (0..k).map(|axis| around(axis) + if axis == c { distance / 2.0_f64.sqrt() } else { 0.0 }).collect()
}

/// Every view turns the hidden positions in a way of its own into six more features than they have dimensions, and adds noise.
fn views(n: usize, seed: u64, mut place: impl FnMut(usize) -> Vec<f64>) -> Views {
    let places: Vec<Vec<f64>> = (0..n).map(&mut place).collect();
    let hidden = places[0].len();
    let view = |number: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let features = hidden + 6;
        // columns of about unit length: distances stay what they are
        let scale = 1.0 / (features as f64).sqrt();
        let turn: Vec<f64> = (0..hidden * features).map(|_| scale * normal(&mut rng)).collect();
        let turned = |i: usize, j: usize| (0..hidden).map(|h| places[i][h] * turn[h * features + j]).sum::<f64>();
        View::new(format!("view{number}"), Dense::from_fn(n, features, |i, j| turned(i, j) + 0.3 * normal(&mut rng)))
    };
    Views::new(vec![view(1), view(2)]).unwrap()
}

/// Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt() * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}
