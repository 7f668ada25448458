//! Greedy k-means++: of several candidates, each drawn with probability proportional to its squared distance from
//! the centres so far, the one that leaves the least potential becomes the next centre.

use multiversion::multiversion;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::points::Points;

/// First centres, `clusters x d`.
pub(super) fn greedy(points: &Points, clusters: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut candidates = vec![0; 2 + (clusters as f64).ln() as usize];
    let mut seeding = Seeding::new(points, clusters, candidates.len());
    seeding.add(&[rng.random_range(0..points.rows())]);
    for _ in 1..clusters {
        seeding.draw(&mut candidates, rng);
        seeding.add(&candidates);
    }
    seeding.centres
}

struct Seeding<'a> {
    points: &'a Points,
    centres: Vec<f64>,
    /// Squared distance of every point from its nearest centre; infinite before the first.
    nearest: Vec<f64>,
    /// Running sums of `nearest`, each times the weight of its point.
    cumulative: Vec<f64>,
    /// The candidates' coordinates, their products with a chunk of points, and the distances that each would leave.
    coordinates: Vec<f64>,
    room: Vec<f64>,
    left: Vec<f64>,
}

impl<'a> Seeding<'a> {
    fn new(points: &'a Points, clusters: usize, candidates: usize) -> Self {
        Self {
            points,
            centres: Vec::with_capacity(clusters * points.cols()),
            nearest: vec![f64::INFINITY; points.rows()],
            cumulative: vec![0.0; points.rows()],
            coordinates: Vec::with_capacity(candidates * points.cols()),
            room: points.product_room(candidates),
            left: vec![0.0; candidates * points.rows()],
        }
    }

    /// Candidates by their share of the potential; any points when all of it is gone (fewer distinct points than
    /// clusters).
    fn draw(&self, candidates: &mut [usize], rng: &mut ChaCha8Rng) {
        let n = self.points.rows();
        let potential = self.cumulative[n - 1];
        for candidate in candidates {
            *candidate = if potential > 0.0 {
                let target = rng.random::<f64>() * potential;
                self.cumulative.partition_point(|&sum| sum <= target).min(n - 1)
            } else {
                rng.random_range(0..n)
            };
        }
    }

    /// Makes the best of the candidates a centre; the earliest of equals.
    fn add(&mut self, candidates: &[usize]) {
        let (points, n) = (self.points, self.points.rows());
        let (squares, noise) = (points.half_squares(), points.noise());
        self.coordinates.clear();
        for &candidate in candidates {
            self.coordinates.extend_from_slice(points.row(candidate));
        }
        let (all_nearest, all_left) = (&self.nearest, &mut self.left);
        points.for_products(&self.coordinates, &mut self.room, |chunk, products| {
            for ((c, &candidate), products) in candidates.iter().enumerate().zip(products.chunks_exact(chunk.len())) {
                let left = &mut all_left[c * n + chunk.start..c * n + chunk.end];
                let (nearest, own) = (&all_nearest[chunk.clone()], &squares[chunk.clone()]);
                distances_left(left, nearest, own, squares[candidate], products, noise);
            }
        });
        let weights = points.weights();
        let potential =
            |c: usize| self.left[c * n..(c + 1) * n].iter().zip(weights).map(|(d, weight)| weight * d).sum::<f64>();
        let potentials = (0..candidates.len()).map(|c| (c, potential(c)));
        let best = potentials.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(c, _)| c);
        self.centres.extend_from_slice(points.row(candidates[best]));
        self.nearest.copy_from_slice(&self.left[best * n..(best + 1) * n]);
        let mut sum = 0.0;
        for ((cumulative, distance), weight) in self.cumulative.iter_mut().zip(&self.nearest).zip(weights) {
            sum += weight * distance;
            *cumulative = sum;
        }
    }
}

/// Squared distances from the nearest centre when the candidate is one too: `|x|^2 + |c|^2 - 2 x c`, or what they were.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma"))]
fn distances_left(left: &mut [f64], nearest: &[f64], squares: &[f64], candidate: f64, products: &[f64], noise: f64) {
    for (((left, &nearest), square), product) in left.iter_mut().zip(nearest).zip(squares).zip(products) {
        let distance = 2.0 * (square + candidate - product);
        let distance = if distance <= noise { 0.0 } else { distance };
        *left = if distance < nearest { distance } else { nearest };
    }
}
