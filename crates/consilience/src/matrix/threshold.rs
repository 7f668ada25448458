//! The small convex steps that splitting methods are made of: each minimises a simple function plus half the squared
//! distance from where it starts.

use super::Real;

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
    use proptest::prelude::*;

    use super::*;

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
