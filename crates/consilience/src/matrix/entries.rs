//! Work on tall matrices entry by entry, in parallel over fixed row chunks so that sums do not depend on the number of
//! threads; and the small convex steps that splitting methods are made of: each minimises a simple function plus half the
//! squared distance from where it starts.

use rayon::prelude::*;

use super::{Dense, ROW_CHUNK, Real};

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

/// The `e` that minimises `t |e| + (e - x)^2 / 2`: `x` moved towards zero by `t`.
pub(crate) fn soft_threshold(x: f64, t: f64) -> f64 {
    (x.abs() - t).max(0.0) * x.signum()
}

/// The point nearest to `x` whose entries are not negative and sum to 1 (Michelot 1986): `max(x - theta, 0)`.
///
/// Entries at or below the mean excess `theta` can be no part of the answer; they are left out and the mean is taken
/// again until nothing more falls away. No sorting, and the result does not depend on the order of the entries but for
/// rounding.
pub(crate) fn project_to_simplex<T: Real>(x: &mut [T]) {
    // measured from the largest entry, theta is below 0 whatever the size of the numbers, and that entry stays
    let largest = x.iter().fold(f64::NEG_INFINITY, |most, x| most.max(x.to_f64()));
    let (mut theta, mut active) = (f64::NEG_INFINITY, 0);
    loop {
        let kept = x.iter().map(|x| x.to_f64() - largest).filter(|x| *x > theta);
        let (count, sum) = kept.fold((0_usize, 0.0), |(count, sum), x| (count + 1, sum + x));
        if count == active || count == 0 {
            break;
        }
        (active, theta) = (count, (sum - 1.0) / count as f64);
    }
    x.iter_mut().for_each(|x| *x = T::from_f64((x.to_f64() - largest - theta).max(0.0)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        /// `x - p` must be the same number `theta` wherever `p > 0`, and at most that elsewhere.
        #[test]
        fn the_projection_fulfils_its_optimality_conditions(x in prop::collection::vec(-3.0..3.0_f64, 1..60)) {
            let mut p = x.clone();
            project_to_simplex(&mut p);
            prop_assert!(p.iter().all(|p| *p >= 0.0) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let gaps: Vec<f64> = x.iter().zip(&p).map(|(x, p)| x - p).collect();
            let theta = gaps.iter().zip(&p).filter(|(_, p)| **p > 0.0).map(|(gap, _)| *gap).fold(f64::MIN, f64::max);
            prop_assert!(gaps.iter().all(|gap| *gap <= theta + 1e-12));
            prop_assert!(gaps.iter().zip(&p).all(|(gap, p)| *p == 0.0 || (gap - theta).abs() < 1e-12));
        }

        /// `x - e` must be `t sign(e)` where `e` is not zero, and at most `t` in size where it is.
        #[test]
        fn the_soft_threshold_fulfils_its_optimality_conditions(x in -5.0..5.0_f64, t in 0.0..3.0_f64) {
            let e = soft_threshold(x, t);
            let optimal = if e == 0.0 { x.abs() <= t } else { (x - e - t * e.signum()).abs() < 1e-12 };
            prop_assert!(optimal, "{x} {t} {e}");
        }
    }

    #[test]
    fn the_projection_by_hand() {
        let mut x = [0.5, 0.0, 1.0, -4.0];
        project_to_simplex(&mut x);
        assert_eq!(x, [0.25, 0.0, 0.75, 0.0]);
        let mut huge = [1e20_f64, 1e20, 0.0];
        project_to_simplex(&mut huge);
        assert_eq!(huge, [0.5, 0.5, 0.0]);
        let mut alone = [-7.0_f32];
        project_to_simplex(&mut alone);
        assert_eq!(alone, [1.0]);
    }
}
