//! Work on tall matrices entry by entry, in parallel over fixed row chunks so that sums do not depend on the number of
//! threads.

use rayon::prelude::*;

use super::{Dense, ROW_CHUNK};

/// `target = rule(target, other, column)` for every entry; both have the same shape.
pub(crate) fn update_entries(
    target: &mut Dense<f64>,
    other: &Dense<f64>,
    rule: impl Fn(f64, f64, usize) -> f64 + Sync,
) {
    let width = target.cols().max(1);
    let chunk = width * ROW_CHUNK;
    target.data_mut().par_chunks_mut(chunk).zip(other.data().par_chunks(chunk)).for_each(|(target, other)| {
        for (target, other) in target.chunks_exact_mut(width).zip(other.chunks_exact(width)) {
            for (j, (target, other)) in target.iter_mut().zip(other).enumerate() {
                *target = rule(*target, *other, j);
            }
        }
    });
}

/// The sum of `term(a, b)` over the entries of each column; both have the same shape.
pub(crate) fn column_sums(a: &Dense<f64>, b: &Dense<f64>, term: impl Fn(f64, f64) -> f64 + Sync) -> Vec<f64> {
    let width = a.cols().max(1);
    let chunk = width * ROW_CHUNK;
    let parts = a.data().par_chunks(chunk).zip(b.data().par_chunks(chunk)).map(|(a, b)| {
        let mut sums = vec![0.0; width];
        for (a, b) in a.chunks_exact(width).zip(b.chunks_exact(width)) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += term(*a, *b));
        }
        sums
    });
    let parts: Vec<Vec<f64>> = parts.collect();
    let mut sums = vec![0.0; a.cols()];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sums
}

/// `|a|`, the root of the sum of squares.
pub(crate) fn frobenius(a: &Dense<f64>) -> f64 {
    column_sums(a, a, |x, y| x * y).iter().sum::<f64>().sqrt()
}

/// `|a - b|`.
pub(crate) fn frobenius_distance(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
    column_sums(a, b, |x, y| (x - y) * (x - y)).iter().sum::<f64>().sqrt()
}

/// A column of `columns` and a sign for feature `j`, by the digits of its number: features that are folded so keep their inner
/// products in the mean (a count sketch).
pub(crate) fn fold(j: usize, columns: usize) -> (usize, f64) {
    let mixed = (j as u64 ^ (j as u64 >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 40) as usize % columns, if mixed >> 63 == 0 { 1.0 } else { -1.0 })
}

/// The middle one of some numbers (the upper of two); 0 when there are none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    median_in_place(&mut values)
}

/// The same, of numbers whose order does not matter any more.
pub(crate) fn median_in_place(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// At most `most` of the numbers below `count`, evenly spread.
pub(crate) fn evenly(count: usize, most: usize) -> Vec<usize> {
    if count <= most { (0..count).collect() } else { (0..most).map(|at| at * count / most).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut a = Dense::new(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let b = Dense::new(2, 2, vec![1.0, 0.0, 0.0, 2.0]).unwrap();
        assert_eq!(column_sums(&a, &b, |x, y| x * y), [1.0, 8.0]);
        assert_eq!(frobenius_distance(&a, &b), 17.0_f64.sqrt());
        assert_eq!(frobenius(&b), 5.0_f64.sqrt());
        update_entries(&mut a, &b, |x, y, j| x - y + j as f64);
        assert_eq!(a.data(), [0.0, 3.0, 3.0, 3.0]);
    }
}
