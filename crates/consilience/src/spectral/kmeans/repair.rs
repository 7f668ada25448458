//! Empty clusters get a point of their own.

use super::points::{Points, add_weighted, squared_distance};

/// Moves the centre of every empty cluster to the farthest point of the cluster with the largest error, and with it
/// the points that equal it; labels, sizes and the other cluster's mean follow at once, so that the next empty
/// cluster finds another point. Stops when no cluster has an error left to take from.
pub(super) fn fill_empty(points: &Points, labels: &mut [usize], sizes: &mut [usize], centres: &mut [f64]) {
    let d = points.cols();
    let mut distances: Vec<f64> = (0..points.rows())
        .map(|i| points.weights()[i] * squared_distance(points.row(i), &centres[labels[i] * d..(labels[i] + 1) * d]))
        .collect();
    let mut errors = vec![0.0; sizes.len()];
    labels.iter().zip(&distances).for_each(|(&label, distance)| errors[label] += distance);
    for empty in 0..sizes.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let donor = first_largest(errors.iter().copied().enumerate());
        let members = distances.iter().copied().enumerate().filter(|&(i, _)| labels[i] == donor);
        let farthest = first_largest(members);
        if distances[farthest] <= points.noise() {
            return;
        }
        let taken = points.row(farthest);
        for (i, label) in labels.iter_mut().enumerate().filter(|(_, label)| **label == donor) {
            if points.row(i) == taken {
                (*label, distances[i]) = (empty, 0.0);
                sizes[donor] -= 1;
                sizes[empty] += 1;
            }
        }
        centres[empty * d..(empty + 1) * d].copy_from_slice(taken);
        let centre = &mut centres[donor * d..(donor + 1) * d];
        errors[donor] = settle(points, labels, donor, centre, &mut distances);
    }
}

/// Moves `centre` to the mean of the points labelled `cluster` and measures their distances anew, each times its weight; returns their sum.
/// The cluster is not empty: a point beyond rounding error from the mean of its cluster is not alone there.
fn settle(points: &Points, labels: &[usize], cluster: usize, centre: &mut [f64], distances: &mut [f64]) -> f64 {
    let members = || labels.iter().enumerate().filter(|(_, label)| **label == cluster).map(|(i, _)| i);
    centre.fill(0.0);
    let weights = points.weights();
    members().for_each(|i| add_weighted(centre, weights[i], points.row(i)));
    let mass: f64 = members().map(|i| weights[i]).sum();
    centre.iter_mut().for_each(|sum| *sum /= mass.max(f64::MIN_POSITIVE));
    let mut error = 0.0;
    for i in members() {
        distances[i] = weights[i] * squared_distance(points.row(i), centre);
        error += distances[i];
    }
    error
}

/// The place of the largest value, the first of equals; 0 for none.
fn first_largest(values: impl Iterator<Item = (usize, f64)>) -> usize {
    values.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(place, _)| place)
}
