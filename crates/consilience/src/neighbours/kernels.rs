//! The inner loops of the neighbour search, compiled for each instruction set and chosen at run time.
//!
//! They work entry by entry, without sums, so that every instruction set gives the same numbers.

use multiversion::multiversion;

use crate::matrix::Real;

/// Products `x y` become `|x|^2 + |y|^2 - 2 x y`, never below zero.
#[multiversion(targets = "simd")]
pub(super) fn products_to_squares<T: Real>(row: &mut [T], length: T, lengths: &[T]) {
    for (x, &other) in row.iter_mut().zip(lengths) {
        let square = length + other - (*x + *x);
        *x = if square > T::default() { square } else { T::default() };
    }
}

/// Products `x y` become `1 - x y / (|x| |y|)`; `length` and `lengths` hold one over the lengths.
#[multiversion(targets = "simd")]
pub(super) fn products_to_angles<T: Real>(row: &mut [T], length: T, lengths: &[T]) {
    let one = T::from_f64(1.0);
    for (x, &other) in row.iter_mut().zip(lengths) {
        *x = one - *x * (length * other);
    }
}

/// Adds `row`, each entry times `factor` and its own factor, to `sum`.
#[multiversion(targets = "simd")]
pub(super) fn add_weighted_row<T: Real>(sum: &mut [T], row: &[T], factor: T, factors: &[T]) {
    for ((sum, &x), &other) in sum.iter_mut().zip(row).zip(factors) {
        *sum += x * (factor * other);
    }
}

/// Sums of terms become `(sum + prior) / (shared + prior)`.
#[multiversion(targets = "simd")]
pub(super) fn sums_to_means<T: Real>(sums: &mut [T], shared: &[T], prior: T) {
    for (sum, &shared) in sums.iter_mut().zip(shared) {
        *sum = (*sum + prior) / (shared + prior);
    }
}

/// Sums kept side by side, so that they fill a register; the same number of them on every machine, so that the result is
/// the same too.
const LANES: usize = 8;

/// `|a - b|^2`, accumulated in double precision.
#[multiversion(targets = "simd")]
pub(super) fn square_distance<T: Real>(a: &[T], b: &[T]) -> f64 {
    let mut sums = [0.0; LANES];
    let (heads, tails) = (a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), a.len() - a.len() % LANES);
    for (a, b) in heads {
        for lane in 0..LANES {
            let gap = a[lane].to_f64() - b[lane].to_f64();
            sums[lane] += gap * gap;
        }
    }
    let rest = a[tails..].iter().zip(&b[tails..]).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// `|a|^2`, accumulated in double precision.
#[multiversion(targets = "simd")]
pub(super) fn square_length<T: Real>(a: &[T]) -> f64 {
    let mut sums = [0.0; LANES];
    let tail = a.len() - a.len() % LANES;
    for a in a.chunks_exact(LANES) {
        for lane in 0..LANES {
            sums[lane] += a[lane].to_f64() * a[lane].to_f64();
        }
    }
    sums.iter().sum::<f64>() + a[tail..].iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>()
}

/// The least of every `GROUP` entries of `row`, which are as far apart as can be; entries that fill no group are left out.
#[multiversion(targets = "simd")]
pub(super) fn least_of_groups<T: Real, const GROUP: usize>(row: &[T], least: &mut Vec<T>) {
    let groups = row.len() / GROUP;
    least.clear();
    least.resize(groups, T::INFINITY);
    // what is not a number is never less, so none of it comes out
    for others in row[..GROUP * groups].chunks_exact(groups.max(1)) {
        least.iter_mut().zip(others).for_each(|(least, &x)| *least = if x < *least { x } else { *least });
    }
}

/// How many entries are looked at together: most groups hold no candidate and are passed over by one comparison.
const GROUP: usize = 32;

/// The places where `row` is at most `bound`.
#[multiversion(targets = "simd")]
pub(super) fn at_most<T: Real>(row: &[T], bound: T, hits: &mut Vec<u32>) {
    let mut found = 0;
    hits.resize(row.len(), 0);
    for (group, entries) in row.chunks(GROUP).enumerate() {
        if entries.iter().fold(false, |any, x| any | (*x <= bound)) {
            for (at, x) in entries.iter().enumerate() {
                // written over unless it is a hit: which ones are cannot be foreseen
                hits[found] = (group * GROUP + at) as u32;
                found += usize::from(*x <= bound);
            }
        }
    }
    hits.truncate(found);
}

/// The places where `row` is at most the bound at the same place.
#[multiversion(targets = "simd")]
pub(super) fn at_most_each<T: Real>(row: &[T], bounds: &[T], hits: &mut Vec<u32>) {
    let mut found = 0;
    hits.resize(row.len(), 0);
    for (group, (entries, bounds)) in row.chunks(GROUP).zip(bounds.chunks(GROUP)).enumerate() {
        if entries.iter().zip(bounds).fold(false, |any, (x, bound)| any | (x <= bound)) {
            for (at, (x, bound)) in entries.iter().zip(bounds).enumerate() {
                hits[found] = (group * GROUP + at) as u32;
                found += usize::from(x <= bound);
            }
        }
    }
    hits.truncate(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_angles_by_hand() {
        // x = (3, 4), y = (3, 0): product 9, squared distance 16, cosine 0.6
        let mut row = [9.0_f64];
        products_to_squares(&mut row, 25.0, &[9.0]);
        assert_eq!(row, [16.0]);
        let mut row = [9.0_f64];
        products_to_angles(&mut row, 0.2, &[1.0 / 3.0]);
        assert!((row[0] - 0.4).abs() < 1e-15);
    }

    #[test]
    fn square_distances_of_any_length() {
        for length in [0, 1, 7, 8, 9, 30] {
            let (a, b): (Vec<f32>, Vec<f32>) = (0..length).map(|i| (i as f32, 2.0 * i as f32)).unzip();
            let exact: f64 = (0..length).map(|i| f64::from(i * i)).sum();
            assert_eq!(square_distance(&a, &b), exact);
            assert_eq!(square_length(&a), exact);
        }
    }

    #[test]
    fn the_least_of_groups_by_hand() {
        let mut least = Vec::new();
        least_of_groups::<f64, 2>(&[3.0, 1.0, 4.0, 2.0, 5.0, 0.0, -9.0], &mut least);
        assert_eq!(least, [2.0, 1.0, 0.0]);
        least_of_groups::<f64, 2>(&[f64::NAN, 1.0, f64::NAN, 2.0], &mut least);
        assert_eq!(least, [f64::INFINITY, 1.0]);
        least_of_groups::<f64, 4>(&[3.0, 1.0], &mut least);
        assert!(least.is_empty());
    }

    #[test]
    fn hits_are_found_in_every_group() {
        let row: Vec<f32> = (0..100).map(|x| ((x * 37) % 100) as f32).collect();
        let mut hits = Vec::new();
        at_most(&row, 2.0, &mut hits);
        let naive: Vec<u32> = (0..100).filter(|&at| row[at as usize] <= 2.0).collect();
        assert_eq!(hits, naive);
        at_most_each(&row, &vec![2.0; 100], &mut hits);
        assert_eq!(hits, naive);
    }
}
