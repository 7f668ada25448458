//! A picture of the embedding in two dimensions: neighbours attract each other, other samples are pushed apart (the
//! layout of UMAP, McInnes, Healy and Melville 2018).
//!
//! Neighbours alone cannot keep a cluster of thousands of samples together: each holds fifteen, and the cluster tears into
//! arcs. So many samples are laid out from coarse to fine. A few are laid out first, where fifteen neighbours reach far; the
//! others start among their neighbours, and all find their places near where they start.
//!
//! Sequential and seeded: the same embedding always gives the same picture.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::matrix::{Dense, gram, multiply_small, orthonormal_columns, symmetric_eigen};
use crate::neighbours::{Distance, DistanceMetric, NeighbourSearch};
use crate::null::drawn;
use crate::operator::{LinearKernel, TopEigen};
use crate::spectral::embed;
use crate::{Result, Run, View};

const NEIGHBOURS: usize = 15;
/// Steps of every sample, where it starts from far away.
const EPOCHS: usize = 300;
/// Up to this many samples are laid out at once; of more, this part first, and then all in fewer and smaller steps.
const COARSE: usize = 1_000;
const COARSENING: usize = 5;
const FINE_EPOCHS: usize = 60;
const FINE_RATE: f64 = 0.3;
/// Samples do not start at the very same place.
const JITTER: f64 = 0.1;
/// The curve `1 / (1 + a r^2b)` that UMAP fits for a least distance of 0.1.
const A: f64 = 1.577;
const B: f64 = 0.895;
/// Samples drawn at random and pushed away for every neighbour pulled.
const NEGATIVE_SAMPLES: usize = 5;
/// No step moves a coordinate further than this.
const STEP_LIMIT: f64 = 4.0;
/// Up to this many dimensions the covariance is formed.
const MOST_FORMED: usize = 200;
/// These directions only have to be about right.
const DIRECTION_TOLERANCE: f64 = 1e-2;
/// The length of what is not drawn, where rows have unit length.
const BLUR: f64 = 0.1;
/// The width of the first picture.
const WIDTH: f64 = 20.0;

/// Two neighbours, and how often they attract each other: every `period` epochs.
struct Edge {
    from: usize,
    to: usize,
    period: f64,
}

/// The embedding along the directions in which the centres lie, n x clusters, and a little blurred. A spectral embedding that has a few
/// columns more than there are clusters varies along these within clusters, for want of anything else, and however little a cluster
/// varies, its neighbours follow the one direction in which it varies most: round clusters would be drawn as lines. So what is
/// much smaller than the distance between clusters is not drawn.
pub(super) fn among_centres(embedding: &Dense<f64>, centres: &Dense<f64>, seed: u64) -> Dense<f64> {
    let mut squares = embedding.iter_rows().map(|row| row.iter().map(|x| x * x).sum::<f64>());
    // features, which some methods cluster themselves, are what they are; so is a cluster of all
    let is_spectral = squares.all(|square| square == 0.0 || (square - 1.0).abs() < 1e-6);
    if !is_spectral || centres.rows() < 2 {
        return embedding.clone();
    }
    let directions = orthonormal_columns(centres.transposed().as_mat(), centres.rows());
    let mut places = Dense::zeros(embedding.rows(), directions.ncols());
    multiply_small(places.as_mat_mut(), embedding.as_mat(), directions.as_ref());
    let mut places = embed(places);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let blur = BLUR / (places.cols() as f64).sqrt();
    // a sum of uniform numbers is normal enough; each of three varies by a third of the square of its half width
    places.data_mut().iter_mut().for_each(|x| *x += (0..3).map(|_| rng.random_range(-blur..blur)).sum::<f64>());
    places
}

/// Coordinates for every row of `points`, n x 2.
pub(super) fn layout(points: &Dense<f64>, search: &dyn NeighbourSearch, seed: u64, run: &Run) -> Result<Dense<f64>> {
    let n = points.rows();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    if n < 4 {
        return principal_plane(points, &mut rng, run);
    }
    let view = View::new("embedding", points.clone());
    let neighbours = search.search(&Distance::within(&view, DistanceMetric::Euclidean), NEIGHBOURS.min(n - 1), run)?;
    let edges = edges(n, |i| neighbours.of(i));
    if n <= COARSE {
        let mut places = principal_plane(points, &mut rng, run)?;
        arrange(&mut places, &edges, 1.0, EPOCHS, &mut rng, run)?;
        return Ok(places);
    }
    let few = drawn(n, (n / COARSENING).max(COARSE), &mut rng);
    let coarse = Dense::from_fn(few.len(), points.cols(), |i, j| points.get(few[i], j));
    let coarse = layout(&coarse, search, seed, run)?;
    let mut places = refined(&few, &coarse, &edges, n, &mut rng);
    arrange(&mut places, &edges, FINE_RATE, FINE_EPOCHS, &mut rng, run)?;
    Ok(places)
}

/// Lets neighbours pull and others push, less and less.
fn arrange(
    places: &mut Dense<f64>,
    edges: &[Edge],
    rate: f64,
    epochs: usize,
    rng: &mut ChaCha8Rng,
    run: &Run,
) -> Result<()> {
    let mut due: Vec<f64> = edges.iter().map(|edge| edge.period).collect();
    for epoch in 0..epochs {
        run.check()?;
        let rate = rate * (1.0 - epoch as f64 / epochs as f64);
        for (edge, due) in edges.iter().zip(&mut due) {
            if *due <= (epoch + 1) as f64 {
                *due += edge.period;
                step(places, edge, rate, rng);
            }
        }
    }
    Ok(())
}

/// Places of all `n` samples from the `coarse` ones of a `few`: each sample among those of its neighbours that have a place, from
/// the few outwards.
fn refined(few: &[usize], coarse: &Dense<f64>, edges: &[Edge], n: usize, rng: &mut ChaCha8Rng) -> Dense<f64> {
    let mut places: Vec<Option<[f64; 2]>> = vec![None; n];
    for (i, &sample) in few.iter().enumerate() {
        places[sample] = Some([coarse.get(i, 0), coarse.get(i, 1)]);
    }
    loop {
        let mut sums = vec![[0.0; 3]; n];
        for edge in edges {
            for (from, to) in [(edge.from, edge.to), (edge.to, edge.from)] {
                if let (None, Some([x, y])) = (places[from], places[to]) {
                    let weight = 1.0 / edge.period;
                    sums[from].iter_mut().zip([weight * x, weight * y, weight]).for_each(|(sum, more)| *sum += more);
                }
            }
        }
        let found = sums.iter().enumerate().filter(|(_, sum)| sum[2] > 0.0);
        let found: Vec<(usize, [f64; 2])> = found.map(|(i, [x, y, weight])| (i, [x / weight, y / weight])).collect();
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|(i, place)| places[i] = Some(place));
    }
    // groups of which no sample is among the few start in the middle
    let at = |i: usize, axis: usize| places[i].map_or(0.0, |place| place[axis]);
    Dense::from_fn(n, 2, |i, axis| at(i, axis) + rng.random_range(-JITTER..JITTER))
}

/// One pull between neighbours, and a few pushes from samples drawn at random.
fn step(places: &mut Dense<f64>, edge: &Edge, rate: f64, rng: &mut ChaCha8Rng) {
    let n = places.rows();
    let places = places.data_mut();
    let apart =
        |places: &[f64], i: usize, j: usize| (places[2 * i] - places[2 * j], places[2 * i + 1] - places[2 * j + 1]);

    let (x, y) = apart(places, edge.from, edge.to);
    let square = x * x + y * y;
    if square > 0.0 {
        let pull = -2.0 * A * B * square.powf(B - 1.0) / (1.0 + A * square.powf(B));
        for (axis, difference) in [x, y].into_iter().enumerate() {
            let move_by = rate * (pull * difference).clamp(-STEP_LIMIT, STEP_LIMIT);
            places[2 * edge.from + axis] += move_by;
            places[2 * edge.to + axis] -= move_by;
        }
    }
    for _ in 0..NEGATIVE_SAMPLES {
        let other = rng.random_range(0..n);
        if other == edge.from {
            continue;
        }
        let (x, y) = apart(places, edge.from, other);
        let square = x * x + y * y;
        let push = 2.0 * B / ((0.001 + square) * (1.0 + A * square.powf(B)));
        for (axis, difference) in [x, y].into_iter().enumerate() {
            places[2 * edge.from + axis] += rate * (push * difference).clamp(-STEP_LIMIT, STEP_LIMIT);
        }
    }
}

/// The neighbour graph with UMAP's weights, both directions in one: `a + b - a b`. An edge of weight w acts every 1 / w
/// epochs, the strongest in every epoch.
fn edges<'a>(n: usize, neighbours: impl Fn(usize) -> (&'a [u32], &'a [f64])) -> Vec<Edge> {
    let mut weights = Vec::new();
    for i in 0..n {
        let (others, squares) = neighbours(i);
        let distances: Vec<f64> = squares.iter().map(|square| square.max(0.0).sqrt()).collect();
        let nearest = distances.first().copied().unwrap_or(0.0);
        let scale = distances.iter().map(|d| d - nearest).sum::<f64>() / distances.len().max(1) as f64;
        for (&j, distance) in others.iter().zip(&distances) {
            let weight = if scale > 0.0 { (-(distance - nearest) / scale).exp() } else { 1.0 };
            let j = j as usize;
            weights.push((i.min(j), i.max(j), weight));
        }
    }
    weights.sort_by_key(|edge| (edge.0, edge.1));
    let merged = weights.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let merged = merged.map(|same| (same[0].0, same[0].1, 1.0 - same.iter().map(|edge| 1.0 - edge.2).product::<f64>()));
    // an edge that would act less than once is left out
    merged
        .filter(|edge| edge.2 > 1.0 / 300.0)
        .map(|(from, to, weight)| Edge { from, to, period: 1.0 / weight })
        .collect()
}

/// The first two principal components, `WIDTH` wide, with a little noise so that equal samples can part.
fn principal_plane(points: &Dense<f64>, rng: &mut ChaCha8Rng, run: &Run) -> Result<Dense<f64>> {
    let mut places = components(points, run)?;
    let widest = places.data().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let scale = if widest > 0.0 { WIDTH / 2.0 / widest } else { 0.0 };
    places.data_mut().iter_mut().for_each(|x| *x = *x * scale + rng.random_range(-1e-3..1e-3));
    Ok(places)
}

/// The samples along the two directions of the largest variance, n x 2. The covariance of many features is not formed: a method
/// that clusters the features themselves has an embedding as wide as they are.
fn components(points: &Dense<f64>, run: &Run) -> Result<Dense<f64>> {
    let (n, d) = (points.rows(), points.cols());
    let mut mean = vec![0.0; d];
    for row in points.iter_rows() {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / n as f64);
    }
    if d > MOST_FORMED && n > 2 {
        let request = TopEigen { tolerance: DIRECTION_TOLERANCE, ..TopEigen::for_labels(2, 0) };
        let found = request.solve(&LinearKernel::new(points.clone(), mean, 1.0)?, None, run)?;
        let length = |axis: usize| found.values.get(axis).map_or(0.0, |value| value.max(0.0).sqrt());
        return Ok(Dense::from_fn(n, 2, |i, axis| {
            if axis < found.vectors.cols() { found.vectors.get(i, axis) * length(axis) } else { 0.0 }
        }));
    }
    let centred = Dense::from_fn(n, d, |i, j| points.get(i, j) - mean[j]);
    let eigen = symmetric_eigen(gram(centred.as_mat(), centred.as_mat()).as_ref())?;
    Ok(Dense::from_fn(n, 2, |i, axis| {
        if axis < d { centred.row(i).iter().enumerate().map(|(j, x)| x * eigen.vectors[(j, axis)]).sum() } else { 0.0 }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbours::Exact;

    #[test]
    fn groups_stay_together_and_the_picture_is_the_same_every_time() {
        // three tight groups in four dimensions
        let points =
            Dense::from_fn(90, 4, |i, j| f64::from(u8::from(i % 3 == j)) + 0.01 * ((i * 7 + j * 3) % 11) as f64);
        let places = layout(&points, &Exact, 0, &Run::default()).unwrap();
        assert_eq!(places.data(), layout(&points, &Exact, 0, &Run::default()).unwrap().data());
        assert!(places.data().iter().all(|x| x.is_finite()));
        let distance =
            |i: usize, j: usize| (places.get(i, 0) - places.get(j, 0)).hypot(places.get(i, 1) - places.get(j, 1));
        for i in 0..90 {
            let nearest = (0..90).filter(|&j| j != i).min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b)));
            assert_eq!(nearest.unwrap() % 3, i % 3);
        }
    }

    #[test]
    fn columns_past_the_clusters_do_not_stretch_them() {
        // two clusters, of which the third column turns one by nearly a right angle
        let turned = |i: usize| i as f64 / 10.0 * std::f64::consts::FRAC_PI_2;
        let embedding = Dense::from_fn(20, 3, |i, j| match (i < 10, j) {
            (true, 0) => turned(i).cos(),
            (true, 2) => turned(i).sin(),
            (false, 1) => 1.0,
            _ => 0.0,
        });
        let centres = Dense::new(2, 3, vec![0.9, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
        let places = among_centres(&embedding, &centres, 0);
        assert_eq!((places.rows(), places.cols()), (20, 2));
        for (i, row) in places.iter_rows().enumerate() {
            let (own, other) = if i < 10 { (row[0], row[1]) } else { (row[1], row[0]) };
            assert!((own.abs() - 1.0).abs() < 3.0 * BLUR && other.abs() < 3.0 * BLUR, "{row:?}");
        }
        // features are what they are
        let features = Dense::from_fn(4, 9, |i, j| (i * j) as f64);
        let centres = Dense::from_fn(2, 9, |i, j| (i + j) as f64);
        assert_eq!(among_centres(&features, &centres, 0).data(), features.data());
    }

    /// Pieces that the samples fall into when those nearer than `reach` are joined.
    fn pieces(places: &[[f64; 2]], reach: f64) -> usize {
        let mut seen = vec![false; places.len()];
        let mut count = 0;
        for start in 0..places.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            count += 1;
            let mut waiting = vec![start];
            while let Some(i) = waiting.pop() {
                for j in 0..places.len() {
                    let near = (places[i][0] - places[j][0]).hypot(places[i][1] - places[j][1]) < reach;
                    if near && !std::mem::replace(&mut seen[j], true) {
                        waiting.push(j);
                    }
                }
            }
        }
        count
    }

    /// The distance to the `k`-th nearest, the median over the samples.
    fn typical_distance(places: &[[f64; 2]], k: usize) -> f64 {
        let to = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let kth = |a: &[f64; 2]| {
            let mut distances: Vec<f64> = places.iter().map(|b| to(a, b)).collect();
            *distances.select_nth_unstable_by(k, f64::total_cmp).1
        };
        let mut all: Vec<f64> = places.iter().map(kth).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }

    #[test]
    fn clusters_of_many_samples_stay_together() {
        // rows of unit length as the embedding of six clear clusters has them: its further columns stretch four of them
        let (n, k) = (6_000, 6);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut points = Dense::zeros(n, k + 2);
        for (i, row) in points.data_mut().chunks_exact_mut(k + 2).enumerate() {
            row.iter_mut().for_each(|x| *x = rng.random_range(-1e-3..1e-3));
            let turn: f64 = if i % k < 4 { rng.random_range(-1.0..1.0) } else { 0.0 };
            row[i % k] += turn.cos();
            row[k + i % 2] += turn.sin();
        }
        let run = Run::default();
        let of_clusters = |places: &Dense<f64>| -> Vec<usize> {
            let own = |cluster: usize| (cluster..n).step_by(k).map(|i| [places.get(i, 0), places.get(i, 1)]).collect();
            let own = (0..k).map(own).collect::<Vec<Vec<[f64; 2]>>>();
            own.iter().map(|own| pieces(own, 3.0 * typical_distance(own, 10))).collect()
        };
        let whole = of_clusters(&layout(&points, &Exact, 0, &run).unwrap());

        // all at once, each by fifteen neighbours
        let view = View::new("embedding", points.clone());
        let found = Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), NEIGHBOURS, &run).unwrap();
        let mut at_once = principal_plane(&points, &mut rng, &run).unwrap();
        arrange(&mut at_once, &edges(n, |i| found.of(i)), 1.0, EPOCHS, &mut rng, &run).unwrap();
        let torn = of_clusters(&at_once);
        assert!(whole.iter().sum::<usize>() < torn.iter().sum(), "{whole:?} pieces, and {torn:?} at once");
    }

    #[test]
    fn few_and_equal_samples_are_survived() {
        for n in [1, 2, 3, 5, 40] {
            let places = layout(&Dense::zeros(n, 1), &Exact, 0, &Run::default()).unwrap();
            assert!(places.rows() == n && places.data().iter().all(|x| x.is_finite()));
        }
    }
}
