//! Lloyd's iterations: every point to its nearest centre, every centre to the mean of its points, until nothing moves.

use multiversion::multiversion;

use super::points::{Points, add_weighted, half_square, squared_distance};
use super::repair;
use crate::{Result, Run};

/// When to stop.
pub(super) struct Limits {
    pub(super) iterations: usize,
    /// Total squared movement of the centres that counts as standing still.
    pub(super) squared_shift: f64,
}

/// One finished restart, at the best it reached. The labels are the nearest of these very centres.
pub(super) struct Best {
    pub(super) labels: Vec<usize>,
    pub(super) centres: Vec<f64>,
    pub(super) inertia: f64,
    pub(super) iterations: usize,
}

/// Iterates from the given centres, `k x d`.
pub(super) fn run(points: &Points, centres: Vec<f64>, limits: &Limits, run: &Run) -> Result<Best> {
    let mut state = State::new(points, centres);
    state.assign();
    let mut iterations = 0;
    while iterations < limits.iterations {
        iterations += 1;
        run.check()?;
        let shift = state.update();
        let changed = state.assign();
        // a standstill with an empty cluster is not the end: the next update repairs it, unless no label can change
        if !changed || (shift <= limits.squared_shift && !state.sizes.contains(&0)) {
            break;
        }
    }
    let State { labels, centres, .. } = state;
    let inertia = inertia(points, &centres, &labels);
    Ok(Best { labels, centres, inertia, iterations })
}

struct State<'a> {
    points: &'a Points,
    labels: Vec<usize>,
    sizes: Vec<usize>,
    /// What the points of every cluster count together.
    masses: Vec<f64>,
    centres: Vec<f64>,
    /// The centres before the update.
    previous: Vec<f64>,
    half_squares: Vec<f64>,
    /// Of one chunk: products, nearest centres, and their values.
    room: Vec<f64>,
    nearest: Vec<usize>,
    least: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(points: &'a Points, centres: Vec<f64>) -> Self {
        let clusters = centres.len() / points.cols();
        Self {
            points,
            labels: vec![0; points.rows()],
            sizes: vec![0; clusters],
            masses: vec![0.0; clusters],
            previous: centres.clone(),
            centres,
            half_squares: vec![0.0; clusters],
            nearest: vec![0; points.product_room(1).len()],
            least: points.product_room(1),
            room: points.product_room(clusters),
        }
    }

    /// Gives every point the number of its nearest centre (the lowest of equals); says whether any label changed.
    fn assign(&mut self) -> bool {
        for (half, centre) in self.half_squares.iter_mut().zip(self.centres.chunks_exact(self.points.cols())) {
            *half = half_square(centre);
        }
        let (half_squares, labels, sizes) = (&self.half_squares, &mut self.labels, &mut self.sizes);
        let (nearest, least) = (&mut self.nearest, &mut self.least);
        sizes.fill(0);
        let mut changed = false;
        self.points.for_products(&self.centres, &mut self.room, |chunk, products| {
            let (nearest, least) = (&mut nearest[..chunk.len()], &mut least[..chunk.len()]);
            find_nearest(nearest, least, half_squares, products);
            for (label, &nearest) in labels[chunk].iter_mut().zip(&*nearest) {
                changed |= *label != nearest;
                *label = nearest;
                sizes[nearest] += 1;
            }
        });
        changed
    }

    /// Moves the centres to the means of their points and repairs empty clusters; the total squared movement.
    fn update(&mut self) -> f64 {
        let d = self.points.cols();
        std::mem::swap(&mut self.previous, &mut self.centres);
        self.centres.fill(0.0);
        self.masses.fill(0.0);
        for ((&label, row), &weight) in self.labels.iter().zip(self.points.iter_rows()).zip(self.points.weights()) {
            add_weighted(&mut self.centres[label * d..(label + 1) * d], weight, row);
            self.masses[label] += weight;
        }
        for (c, (centre, &mass)) in self.centres.chunks_exact_mut(d).zip(&self.masses).enumerate() {
            if mass > 0.0 {
                centre.iter_mut().for_each(|sum| *sum /= mass);
            } else {
                centre.copy_from_slice(&self.previous[c * d..(c + 1) * d]);
            }
        }
        if self.sizes.contains(&0) {
            repair::fill_empty(self.points, &mut self.labels, &mut self.sizes, &mut self.centres);
        }
        squared_distance(&self.previous, &self.centres)
    }
}

/// For every point of a chunk the centre with the least `|c|^2 / 2 - x c`, which orders centres as distances do.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma"))]
fn find_nearest(nearest: &mut [usize], least: &mut [f64], half_squares: &[f64], products: &[f64]) {
    least.fill(f64::INFINITY);
    nearest.fill(0);
    for ((c, half), products) in half_squares.iter().enumerate().zip(products.chunks_exact(nearest.len())) {
        for ((nearest, least), product) in nearest.iter_mut().zip(least.iter_mut()).zip(products) {
            let value = half - product;
            let closer = value < *least;
            *nearest = if closer { c } else { *nearest };
            *least = if closer { value } else { *least };
        }
    }
}

fn inertia(points: &Points, centres: &[f64], labels: &[usize]) -> f64 {
    let d = points.cols();
    let distance = |((row, &label), weight): ((&[f64], &usize), &f64)| {
        weight * squared_distance(row, &centres[label * d..(label + 1) * d])
    };
    points.iter_rows().zip(labels).zip(points.weights()).map(distance).sum()
}
